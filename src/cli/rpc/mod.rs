//! `kifud rpc`: the table at the shell.

mod remote;

use std::process::ExitCode;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::io::AsyncBufReadExt;
use tokio::task::JoinSet;

use super::shared::Given;
use super::{GtpLogArgs, REFUSED, USAGE, in_session, print};
use crate::service::Service;
use crate::service::error::{Audience, Error, Kind};
use crate::service::session::Session;
use crate::service::settings::Settings;
use crate::service::stream::Subscription;
use crate::service::table::{Answer, Call, Table};

#[derive(clap::Args)]
pub struct Args {
    /// The method, or `-`: then every line of stdin is `{"method": …, "params": …, "id"?: …}`.
    method: String,
    /// The params, a JSON object.
    params: Option<String>,
    /// Ask the daemon that `kifud connect` shares, in place of one in this process; it has to run.
    #[arg(long, conflicts_with = "folder")]
    connect: bool,
    #[command(flatten)]
    gtp_log: GtpLogArgs,
}

pub fn run(settings: Settings, given: &Given, args: &Args) -> ExitCode {
    let params = match args.params.as_deref().map(|text| RawValue::from_string(text.to_owned())).transpose() {
        Ok(params) => params,
        Err(error) => {
            eprintln!("kifud: the params are no JSON: {error}");
            return ExitCode::from(USAGE);
        }
    };
    if args.connect {
        return remote::run(&settings, given, &args.method, params.as_deref());
    }
    ended(in_session(settings, &args.gtp_log, async |service, session| match args.method.as_str() {
        "-" => lines(service, session).await,
        method => once(service, session, method, params.as_deref()).await,
    }))
}

/// One call with the default settings, as another command makes it.
pub fn one_call(method: &str, params: &Value) -> ExitCode {
    let params = serde_json::value::to_raw_value(params).ok();
    let work = async |service: &Arc<Service>, session: &Arc<Session>| {
        once(service, session, method, params.as_deref()).await
    };
    ended(in_session(Settings::default(), &GtpLogArgs::default(), work))
}

fn ended(outcome: std::result::Result<Option<bool>, ExitCode>) -> ExitCode {
    match outcome {
        Ok(Some(true)) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::from(REFUSED),
        Err(code) => code,
    }
}

/// One call: the result on stdout, or the error on stderr; a stream's events, a line each.
async fn once(
    service: &Arc<Service>,
    session: &Arc<Session>,
    method: &str,
    params: Option<&RawValue>,
) -> bool {
    let call = Call { id: None, method, params, subscription: None };
    match Table::dispatch(service, session, call).await {
        Ok(Answer::Value(value)) => print(value.get()),
        Ok(Answer::Stream { subscription, .. }) => {
            while let Some(event) = subscription.next().await {
                if !print(event.get()) {
                    return false;
                }
            }
            true
        }
        Err(error) => {
            eprintln!("{}", error.to_json(Audience::USER));
            false
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    method: String,
    params: Option<Box<RawValue>>,
    id: Option<Value>,
    #[serde(default)]
    #[allow(dead_code, reason = "accepted so that whole requests can be piped in")]
    jsonrpc: Option<String>,
}

/// Nobody reads stdout any more.
struct Unread;

/// Calls from stdin, one after the other; streams go on beside them and are waited for at the end.
async fn lines(service: &Arc<Service>, session: &Arc<Session>) -> bool {
    let mut input = tokio::io::BufReader::new(tokio::io::stdin()).split(b'\n');
    let mut streams = JoinSet::new();
    let mut all_well = true;
    let mut number = 0u64;
    loop {
        let line = tokio::select! {
            line = input.next_segment() => line,
            Some(ended) = streams.join_next() => match ended {
                Ok(Err(Unread)) => return false,
                _ => continue,
            },
        };
        let line = match line {
            Ok(Some(line)) => line,
            Ok(None) => break,
            Err(error) => {
                eprintln!("kifud: stdin cannot be read: {error}");
                all_well = false;
                break;
            }
        };
        if line.trim_ascii().is_empty() {
            continue;
        }
        number += 1;
        match call(service, session, number, &line, &mut streams).await {
            Ok(well) => all_well &= well,
            Err(Unread) => return false,
        }
    }
    while let Some(ended) = streams.join_next().await {
        if matches!(ended, Ok(Err(Unread))) {
            return false;
        }
    }
    all_well
}

/// Makes the call of one line and prints its answer; whether it went well.
async fn call(
    service: &Arc<Service>,
    session: &Arc<Session>,
    number: u64,
    line: &[u8],
    streams: &mut JoinSet<Result<(), Unread>>,
) -> Result<bool, Unread> {
    let line: Line = match serde_json::from_slice(line) {
        Ok(line) => line,
        Err(error) => {
            let error = Error::new(Kind::ParseError, format!("line {number}: {error}"));
            print_or_end(&json!({"id": number, "error": error.to_json(Audience::USER)}).to_string())?;
            return Ok(false);
        }
    };
    let id = line.id.unwrap_or_else(|| number.into());
    let call = Call { id: None, method: &line.method, params: line.params.as_deref(), subscription: None };
    match Table::dispatch(service, session, call).await {
        Ok(Answer::Value(value)) => print_or_end(&format!(r#"{{"id":{id},"result":{}}}"#, value.get()))?,
        Ok(Answer::Stream { id: name, event, subscription }) => {
            print_or_end(&json!({"id": id, "result": name}).to_string())?;
            streams.spawn(events(name, event, subscription));
        }
        Err(error) => {
            print_or_end(&json!({"id": id, "error": error.to_json(Audience::USER)}).to_string())?;
            return Ok(false);
        }
    }
    Ok(true)
}

async fn events(id: String, method: &'static str, subscription: Subscription) -> Result<(), Unread> {
    let id = Value::from(id);
    while let Some(event) = subscription.next().await {
        print_or_end(&format!(
            r#"{{"method":"{method}","params":{{"subscription":{id},"result":{}}}}}"#,
            event.get()
        ))?;
    }
    Ok(())
}

fn print_or_end(line: &str) -> Result<(), Unread> {
    if print(line) { Ok(()) } else { Err(Unread) }
}

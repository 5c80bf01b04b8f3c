//! The daemon that a user's clients share: which one is meant, `kifud status`, `kifud stop`.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use serde_json::{Value, json};

use super::{REFUSED, print, runtime};
use crate::paths;
use crate::service::methods;
use crate::service::table::Table;
use crate::transport::framing::{Frame, Frames, Framing};
use crate::transport::local::{self, Lock, Place, Trouble};

/// A daemon that was asked to end is gone by then.
const GONE: Duration = Duration::from_secs(10);
/// It answers by then how it is.
const ANSWER: Duration = Duration::from_secs(10);

/// What was said before the command: clients that say the same share a daemon.
#[derive(Clone)]
pub struct Given {
    config: Option<PathBuf>,
    set: Vec<String>,
    /// What it can be asked.
    pub table: fn() -> Table,
}

impl Given {
    /// From the command line; `KIFUD_CONFIG` counts as if it stood there.
    pub fn new(config: Option<PathBuf>, set: Vec<String>) -> Given {
        let variable =
            || std::env::var_os("KIFUD_CONFIG").filter(|value| !value.is_empty()).map(PathBuf::from);
        let config = config.or_else(variable).map(|path| std::path::absolute(&path).unwrap_or(path));
        Given { config, set, table: methods::table }
    }

    /// Where the daemon with these settings is.
    pub fn place(&self) -> Place {
        let mark = self.mark();
        Place::new(paths::runtime_folder(), mark.as_deref())
    }

    /// Tells apart daemons with different settings; none for the user's usual ones.
    fn mark(&self) -> Option<String> {
        if self.config.is_none() && self.set.is_empty() {
            return None;
        }
        let config = self.config.iter().map(|path| path.as_os_str().as_encoded_bytes());
        let set = self.set.iter().map(String::as_bytes);
        // FNV-1a, 64 bits: the same in every version of this program.
        let hash = config
            .chain(set)
            .flat_map(|part| part.iter().chain(b"\0"))
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
                (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
            });
        Some(format!("{hash:016x}"))
    }

    /// The arguments that start it.
    pub fn arguments(&self) -> Vec<OsString> {
        let mut args: Vec<OsString> = Vec::new();
        if let Some(config) = &self.config {
            args.extend(["--config".into(), config.into()]);
        }
        for assignment in &self.set {
            args.extend(["--set".into(), assignment.into()]);
        }
        args.extend(["serve".into(), "--shared".into()]);
        args
    }
}

/// The arguments of `kifud status`.
#[derive(clap::Args)]
pub struct StatusArgs {
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// `kifud status`
pub fn status(given: &Given, args: &StatusArgs) -> ExitCode {
    let place = given.place();
    let found = block_on(async {
        match local::look(&place).await? {
            Some(daemon) => ask(daemon).await.map(Some),
            None => Ok(None),
        }
    });
    let found = match found {
        Ok(found) => found,
        Err(code) => return code,
    };
    let running = found.is_some();
    let shown = match (&found, args.json) {
        (_, true) => found.unwrap_or_else(|| json!({"running": false})).to_string(),
        (None, false) => "no shared daemon is running".to_owned(),
        (Some(status), false) => describe(status),
    };
    if print(&shown) && running { ExitCode::SUCCESS } else { ExitCode::from(REFUSED) }
}

/// What a daemon says of itself, without the session in which it is asked.
async fn ask(
    daemon: (crate::transport::streams::Input, crate::transport::streams::Output),
) -> Result<Value, Trouble> {
    use tokio::io::AsyncWriteExt;
    let failed = |why: String| Trouble::NotYet(format!("the shared daemon does not answer: {why}"));
    let mut greeted = local::enter(daemon, None, 1 << 20).await?;
    let mut request = Vec::new();
    Framing::ContentLength.write(&mut request, &[br#"{"jsonrpc":"2.0","id":1,"method":"kifud/status"}"#]);
    greeted.output.write_all(&request).await.map_err(|error| failed(error.to_string()))?;
    let answer = match tokio::time::timeout(ANSWER, greeted.frames.next()).await {
        Ok(Ok(Frame::Body(body))) => serde_json::from_slice::<Value>(&body).unwrap_or_default(),
        Ok(Ok(_)) => return Err(failed("it has closed the connection".to_owned())),
        Ok(Err(error)) => return Err(failed(error.to_string())),
        Err(_) => return Err(failed("it says nothing".to_owned())),
    };
    let mut status = json!({"running": true, "pid": greeted.welcome.pid});
    for (key, value) in answer["result"].as_object().into_iter().flatten() {
        status[key] = match (key.as_str(), value.as_u64()) {
            ("sessions", Some(sessions)) => sessions.saturating_sub(1).into(),
            _ => value.clone(),
        };
    }
    Ok(status)
}

fn describe(status: &Value) -> String {
    let number = |key: &str| status[key].as_u64().unwrap_or_default();
    format!(
        "process    {}\nversion    {} (protocol {})\nuptime     {} s\nsessions   {}\nengines    {}\ndocuments  {}\nmemory     {} MiB",
        number("pid"),
        status["version"].as_str().unwrap_or_default(),
        status["protocol"].as_str().unwrap_or_default(),
        number("uptimeSeconds"),
        number("sessions"),
        number("engines"),
        number("documents"),
        number("rssBytes") >> 20,
    )
}

/// `kifud stop`
pub fn stop(given: &Given) -> ExitCode {
    let place = given.place();
    let stopped = block_on(async {
        let Some(daemon) = local::look(&place).await? else { return Ok(None) };
        let pid = local::stop(daemon).await?.welcome.pid;
        // It has its lock until its process has ended.
        place.lock(Lock::Daemon, GONE).await.map(|_| Some(pid))
    });
    match stopped {
        Ok(Some(pid)) => {
            print(&format!("the shared daemon (process {pid}) has ended"));
            ExitCode::SUCCESS
        }
        Ok(None) => {
            print("no shared daemon is running");
            ExitCode::from(REFUSED)
        }
        Err(code) => code,
    }
}

fn block_on<T>(work: impl Future<Output = Result<T, Trouble>>) -> Result<T, ExitCode> {
    let outcome = runtime()
        .map_err(|error| error.to_string())
        .and_then(|runtime| runtime.block_on(work).map_err(|trouble| trouble.to_string()));
    outcome.map_err(|why| {
        eprintln!("kifud: {why}");
        ExitCode::from(REFUSED)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_settings_are_another_daemon() {
        let given = |config: Option<&str>, set: &[&str]| Given {
            config: config.map(PathBuf::from),
            set: set.iter().map(|s| (*s).to_owned()).collect(),
            table: methods::table,
        };
        assert_eq!(given(None, &[]).mark(), None);
        let marks = [
            given(Some("/a"), &[]),
            given(Some("/b"), &[]),
            given(Some("/a"), &["x=1"]),
            given(None, &["x=1"]),
            given(None, &["x", "=1"]),
        ]
        .map(|given| given.mark().unwrap());
        let different: std::collections::BTreeSet<_> = marks.iter().collect();
        assert_eq!(different.len(), marks.len());
        // FNV-1a of "a" followed by a zero byte, worked out from its definition.
        let step = |hash: u64, byte: u64| (u128::from(hash ^ byte) * 0x0100_0000_01b3 % (1 << 64)) as u64;
        let expected = step(step(14_695_981_039_346_656_037, 97), 0);
        assert_eq!(given(Some("a"), &[]).mark(), Some(format!("{expected:016x}")));
    }
}

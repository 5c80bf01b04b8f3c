//! `kifud serve`: the daemon.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use tokio::io::BufReader;

use super::{REFUSED, USAGE};
use crate::service::Service;
use crate::service::settings::Settings;
use crate::service::watch;
use crate::transport::socket::{self, Address, Listening};
use crate::transport::stdio::{End, Limits};
use crate::transport::{stdio, streams};

/// The arguments of `kifud serve`.
#[derive(clap::Args, Default)]
pub struct Args {
    /// Speak on stdin and stdout. The default when no socket is named.
    #[arg(long)]
    stdio: bool,
    /// Listen on 127.0.0.1:PORT (port 0 takes a free one) or unix:PATH. May be given more than once.
    #[arg(long, value_name = "ADDR")]
    listen: Vec<Address>,
    /// The file with the token that TCP clients must bring.
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
}

pub(super) fn run(settings: Settings, config: Option<&Path>, args: &Args) -> ExitCode {
    let token = match token(args) {
        Ok(token) => token,
        Err(message) => {
            eprintln!("kifud: {message}");
            return ExitCode::from(USAGE);
        }
    };
    let started = super::runtime().and_then(|runtime| Ok((runtime, super::service(settings)?)));
    let (runtime, service) = match started {
        Ok(started) => started,
        Err(error) => {
            eprintln!("kifud: cannot start: {error}");
            return ExitCode::from(REFUSED);
        }
    };
    let code = runtime.block_on(async {
        if let Some(Err(error)) = config.map(|path| watch::follow(&service, path)) {
            tracing::warn!(%error, "the settings file is not watched; restart kifud after changes");
        }
        serve(&service, args, token).await
    });
    // A blocking read of stdin cannot be interrupted; nobody waits for it.
    runtime.shutdown_background();
    code
}

/// Serves one client on stdin and stdout until it leaves.
pub fn on_stdio(service: Arc<Service>) -> ExitCode {
    let Ok(runtime) = super::runtime() else { return ExitCode::from(REFUSED) };
    let code = runtime.block_on(async {
        let code = converse(&service).await;
        service.shutdown().await;
        code
    });
    runtime.shutdown_background();
    code
}

fn token(args: &Args) -> Result<String, String> {
    let tcp = args.listen.iter().any(|address| matches!(address, Address::Tcp(_)));
    match &args.token_file {
        None if tcp => {
            Err("--listen on TCP needs --token-file FILE: clients must bring the token in it".to_owned())
        }
        None => Ok(String::new()),
        Some(path) => {
            let text = std::fs::read_to_string(path)
                .map_err(|error| format!("{} cannot be read: {error}", path.display()))?;
            match text.trim() {
                token if token.len() >= 16 => Ok(token.to_owned()),
                _ => Err(format!("{}: a token has at least 16 characters", path.display())),
            }
        }
    }
}

async fn serve(service: &Arc<Service>, args: &Args, token: String) -> ExitCode {
    let mut doors = Vec::new();
    for address in &args.listen {
        match open(service, address, &token).await {
            Ok(door) => {
                eprintln!("listening on {}", describe(&door.address));
                doors.push(door);
            }
            Err(error) => {
                eprintln!("kifud: cannot listen on {}: {error}", describe(address));
                return ExitCode::from(REFUSED);
            }
        }
    }
    let on_stdio = args.stdio || args.listen.is_empty();
    let code = tokio::select! {
        code = converse(service), if on_stdio => code,
        () = asked_to_leave() => ExitCode::SUCCESS,
    };
    drop(doors);
    service.shutdown().await;
    code
}

async fn open(service: &Arc<Service>, address: &Address, token: &str) -> std::io::Result<Listening> {
    match address {
        Address::Tcp(address) => socket::listen_tcp(service.clone(), *address, token.to_owned()).await,
        Address::Unix(path) => socket::listen_unix(service.clone(), path).await,
    }
}

fn describe(address: &Address) -> String {
    match address {
        Address::Tcp(address) => address.to_string(),
        Address::Unix(path) => format!("unix:{}", path.display()),
    }
}

/// Speaks with the client on stdin and stdout.
async fn converse(service: &Arc<Service>) -> ExitCode {
    let Ok(session) = service.open_session(true) else {
        return ExitCode::from(REFUSED);
    };
    if let Ok(folder) = std::env::current_dir() {
        session.set_workspace(folder);
    }
    let (input, mut output) = match (streams::stdin(), streams::stdout()) {
        (Ok(input), Ok(output)) => (input, output),
        (Err(error), _) | (_, Err(error)) => {
            eprintln!("kifud: stdio cannot be used: {error}");
            return ExitCode::from(REFUSED);
        }
    };
    let mut input = BufReader::with_capacity(64 * 1024, input);
    match stdio::serve(service.clone(), session, &mut input, &mut output, Limits::default()).await {
        Ok(End::Clean) => ExitCode::SUCCESS,
        Ok(End::Abrupt) => ExitCode::from(REFUSED),
        Err(error) => {
            tracing::error!(%error, "reading from the client failed");
            ExitCode::from(REFUSED)
        }
    }
}

/// SIGTERM, SIGINT or SIGHUP.
#[cfg(unix)]
async fn asked_to_leave() {
    use tokio::signal::unix::{SignalKind, signal};
    let watch = |kind| signal(kind).ok();
    let (Some(mut term), Some(mut int), Some(mut hup)) =
        (watch(SignalKind::terminate()), watch(SignalKind::interrupt()), watch(SignalKind::hangup()))
    else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = term.recv() => {}
        _ = int.recv() => {}
        _ = hup.recv() => {}
    }
}

#[cfg(not(unix))]
async fn asked_to_leave() {
    let _ = tokio::signal::ctrl_c().await;
}

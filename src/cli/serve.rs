//! `kifud serve`: the daemon.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use futures_util::FutureExt;
use futures_util::future::FusedFuture;
use tokio::io::BufReader;
use tokio::sync::oneshot;

use super::shared::Given;
use super::{GtpLogArgs, REFUSED, USAGE};
use crate::service::Service;
use crate::service::settings::Settings;
use crate::service::watch;
use crate::transport::local::{self, Door};
use crate::transport::socket::{self, Address, Listening};
use crate::transport::stdio::{End, Limits};
use crate::transport::token::Token;
use crate::transport::{stdio, streams};

/// Becomes true when a shared daemon has to end.
type Stop = tokio::sync::watch::Sender<bool>;

/// Time to leave in order.
const PATIENCE: Duration = Duration::from_millis(1500);

/// How often a shared daemon looks whether anybody is there.
const GLANCE: Duration = Duration::from_millis(500);

/// The arguments of `kifud serve`.
#[derive(clap::Args, Default)]
pub struct Args {
    /// Speak on stdin and stdout. The default when no socket is named.
    #[arg(long)]
    stdio: bool,
    /// Listen on 127.0.0.1:PORT (port 0 takes a free one) or unix:PATH. May be given more than once.
    /// TCP clients must bring a token (--token-file).
    #[arg(long, value_name = "ADDR")]
    listen: Vec<Address>,
    /// The file with the token that TCP clients must bring; it is made when it is not there.
    #[arg(long, value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// Also take addresses that other machines can reach. Whoever sees the traffic sees the token: an
    /// ssh tunnel to a loopback address is better.
    #[arg(long)]
    allow_remote: bool,
    /// Be the daemon that `kifud connect` looks for. It leaves when it has had no client for
    /// leaveAfterSeconds (a setting, 60 by default).
    #[arg(long, conflicts_with = "stdio")]
    shared: bool,
    #[command(flatten)]
    gtp_log: GtpLogArgs,
    /// Addresses of the settings file. With a client on stdio, one that is taken is no failure:
    /// another kifud has the same file.
    #[arg(skip)]
    listen_also: Vec<Address>,
}

impl Args {
    /// With what the settings add.
    fn with(&self, settings: &Settings) -> Result<Args, String> {
        let address = |text: &String| text.parse().map_err(|error| format!("listen: {error}"));
        Ok(Args {
            stdio: self.stdio || (self.listen.is_empty() && !self.shared),
            shared: self.shared,
            listen: self.listen.clone(),
            allow_remote: self.allow_remote,
            token_file: self.token_file.clone().or_else(|| settings.token_file.clone()),
            gtp_log: self.gtp_log.clone(),
            listen_also: settings.listen.iter().map(address).collect::<Result<_, String>>()?,
        })
    }
}

pub(super) fn run(settings: Settings, args: &Args, given: &Given) -> ExitCode {
    let (args, file) = match args.with(&settings) {
        Ok(args) => (args, settings.origin.file.clone()),
        Err(message) => {
            eprintln!("kifud: {message}");
            return ExitCode::from(USAGE);
        }
    };
    let args = &args;
    let token = match token(args) {
        Ok(token) => token,
        Err(message) => {
            eprintln!("kifud: {message}");
            return ExitCode::from(USAGE);
        }
    };
    let (runtime, service) = match super::start(settings, (given.table)()) {
        Ok(started) => started,
        Err(code) => return code,
    };
    if let Err(code) = args.gtp_log.apply(&service) {
        return code;
    }
    service.keep_results();
    if args.shared {
        local::detach();
        // A client that goes from one daemon to the next meets no subscription twice.
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        service.number_sessions_from(since.as_millis() as u64);
    }
    let leave = watch_signals();
    let code = runtime.block_on(async {
        // Without a folder there is nothing to watch, and nothing to be missed.
        let file = file.filter(|file| file.parent().is_none_or(Path::exists));
        if let Some(Err(error)) = file.map(|path| watch::follow(&service, &path)) {
            tracing::warn!(%error, "the settings file is not watched; restart kifud after changes");
        }
        let door = match args.shared {
            true => Some(Door::open(given.place()).await.map_err(|trouble| trouble.to_string())),
            false => None,
        };
        match door.transpose() {
            Ok(door) => serve(&service, args, token, door, leave).await,
            Err(why) => {
                eprintln!("kifud: {why}");
                ExitCode::from(REFUSED)
            }
        }
    });
    // A blocking read of stdin cannot be interrupted; nobody waits for it.
    runtime.shutdown_background();
    code
}

/// Serves one client on stdin and stdout until it leaves.
pub fn on_stdio(service: Arc<Service>) -> ExitCode {
    let Ok(runtime) = super::runtime() else { return ExitCode::from(REFUSED) };
    service.keep_results();
    let code = runtime.block_on(serve(&service, &Args::default(), None, None, watch_signals()));
    runtime.shutdown_background();
    code
}

/// The token, when an address needs one; an error when one of them must not be opened.
fn token(args: &Args) -> Result<Option<Token>, String> {
    let addresses = || args.listen.iter().chain(&args.listen_also);
    if let Some(remote) = addresses().find(|address| address.is_remote() && !args.allow_remote) {
        return Err(format!(
            "{} can be reached from other machines; use an ssh tunnel to a loopback address, or --allow-remote with \
             --token-file",
            describe(remote)
        ));
    }
    match &args.token_file {
        _ if !addresses().any(|address| matches!(address, Address::Tcp(_))) => Ok(None),
        None => Err("--listen on TCP needs --token-file FILE: clients must bring the token in it".to_owned()),
        Some(path) => Token::of_file(path).map(Some),
    }
}

async fn serve(
    service: &Arc<Service>,
    args: &Args,
    token: Option<Token>,
    shared: Option<Door>,
    leave: oneshot::Receiver<()>,
) -> ExitCode {
    let mut doors = Vec::new();
    let on_stdio = args.stdio || (args.listen.is_empty() && shared.is_none());
    let named = args.listen.iter().map(|address| (address, false));
    for (address, spare) in named.chain(args.listen_also.iter().map(|address| (address, on_stdio))) {
        match open(service, address, token.as_ref()).await {
            Ok(door) => {
                eprintln!("listening on {}", describe(&door.address));
                doors.push(door);
            }
            Err(error) if spare => {
                tracing::warn!(%error, address = describe(address), "an address of the settings is not open");
            }
            Err(error) => {
                eprintln!("kifud: cannot listen on {}: {error}", describe(address));
                return ExitCode::from(REFUSED);
            }
        }
    }
    // In a task of its own: long work in the conversation must not keep us from leaving.
    let talking = tokio::spawn({
        let service = service.clone();
        async move { if on_stdio { converse(&service).await } else { std::future::pending().await } }
    });
    let stop = Stop::new(false);
    let sharing = share(service, shared.as_ref(), &stop).fuse();
    tokio::pin!(sharing);
    let code = tokio::select! {
        code = talking => code.unwrap_or(REFUSED),
        () = &mut sharing => 0,
        Ok(()) = leave => 0,
    };
    exit_within(PATIENCE, code);
    stop.send_replace(true);
    if shared.is_some() && !sharing.is_terminated() {
        sharing.await;
    }
    drop(doors);
    service.shutdown().await;
    ExitCode::from(code)
}

/// Lets the user's clients share this daemon, until one of them stops it or none has been there
/// for a while.
async fn share(service: &Arc<Service>, door: Option<&Door>, stop: &Stop) {
    let Some(door) = door else { return std::future::pending().await };
    let serving = door.serve(service, stop);
    tokio::pin!(serving);
    tokio::select! {
        () = &mut serving => return,
        () = unused(service) => {
            tracing::info!("nobody has been here for a while");
            stop.send_replace(true);
        }
    }
    serving.await;
}

/// Waits until there has been no session for as long as the settings say. Whatever runs, such as a
/// game or a review, holds its session.
async fn unused(service: &Service) {
    let mut since = Instant::now();
    loop {
        tokio::time::sleep(GLANCE).await;
        let patience = Duration::from_secs(service.settings().leave_after_seconds);
        if service.sessions() > 0 {
            since = Instant::now();
        } else if since.elapsed() >= patience {
            return;
        }
    }
}

async fn open(
    service: &Arc<Service>,
    address: &Address,
    token: Option<&Token>,
) -> std::io::Result<Listening> {
    match (address, token) {
        (Address::Tcp(address), Some(token)) => {
            socket::listen_tcp(service.clone(), *address, token.clone()).await
        }
        (Address::Tcp(_), None) => Err(std::io::Error::other("there is no token")),
        (Address::Unix(path), _) => socket::listen_unix(service.clone(), path).await,
    }
}

fn describe(address: &Address) -> String {
    match address {
        Address::Tcp(address) => address.to_string(),
        Address::Unix(path) => format!("unix:{}", path.display()),
    }
}

/// Speaks with the client on stdin and stdout; gives the exit code.
async fn converse(service: &Arc<Service>) -> u8 {
    let Ok(session) = service.open_session(true) else {
        return REFUSED;
    };
    if let Ok(folder) = std::env::current_dir() {
        session.set_workspace(folder);
    }
    let (input, mut output) = match (streams::stdin(), streams::stdout()) {
        (Ok(input), Ok(output)) => (input, output),
        (Err(error), _) | (_, Err(error)) => {
            eprintln!("kifud: stdio cannot be used: {error}");
            return REFUSED;
        }
    };
    let mut input = BufReader::with_capacity(64 * 1024, input);
    let limits = Limits::of(&service.settings().limits, true);
    match stdio::serve(service.clone(), session, &mut input, &mut output, limits).await {
        Ok(End::Clean) => 0,
        Ok(End::Abrupt) => REFUSED,
        Err(error) => {
            tracing::error!(%error, "reading from the client failed");
            REFUSED
        }
    }
}

/// Ends the process after a while, in whatever state it is then. The reaper ends the engines.
fn exit_within(time: Duration, code: u8) {
    std::thread::spawn(move || {
        std::thread::sleep(time);
        std::process::exit(i32::from(code));
    });
}

/// Wakes when a signal asks the daemon to leave. In a thread of its own: signals are seen even
/// while every thread of the runtime is at work.
fn watch_signals() -> oneshot::Receiver<()> {
    let (told, leave) = oneshot::channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        match runtime {
            Ok(runtime) => runtime.block_on(asked_to_leave()),
            Err(error) => {
                tracing::warn!(%error, "signals are not watched; they end kifud at once");
                return;
            }
        }
        exit_within(PATIENCE, 0);
        let _ = told.send(());
    });
    leave
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

//! The command line, one file a command.

mod analyze;
mod capture;
mod check;
mod connect;
mod convert;
mod engines;
mod fmt;
mod glob;
mod graph;
mod gtp;
mod input;
mod matches;
mod mcp;
pub mod replay;
mod rpc;
mod schema;
pub mod serve;
mod shared;
mod xiangqi;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Parser, Subcommand};

use crate::engine::{Host, Timeouts};
use crate::service::error::{Error, Result};
use crate::service::gtp_log::{self, LogSettings};
use crate::service::methods;
use crate::service::session::Session;
use crate::service::settings::{Layer, Origin, Settings, from_environment};
use crate::service::table::Table;
use crate::service::{Service, audit};

/// Findings, or refused.
const REFUSED: u8 = 1;
/// Wrong usage.
const USAGE: u8 = 2;

#[derive(Parser)]
#[command(name = "kifud", version, about = "The engine back end for board games of the 棋 family")]
struct Cli {
    /// The settings file (TOML) that names the engines. Default: KIFUD_CONFIG, else
    /// kifud/kifud.toml in the user's configuration folder, if it is there.
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    /// A setting over that of the file, such as analysisInterval=20. May be given more than once.
    #[arg(long, global = true, value_name = "KEY=VALUE")]
    set: Vec<String>,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Runs the daemon: LSP and JSON-RPC on stdio (the default), and on sockets.
    Serve(serve::Args),
    /// The daemon on stdio, but one that is shared with others: it is found, or started.
    Connect,
    /// Says how the shared daemon is. Exit code 1 when there is none.
    Status(shared::StatusArgs),
    /// Ends the shared daemon. Exit code 1 when there is none.
    Stop,
    /// Makes one call, or reads calls as JSON lines, in this process or the shared daemon.
    Rpc(rpc::Args),
    /// The door for language models: Model Context Protocol on stdin and stdout.
    Mcp(mcp::Args),
    /// Analyses every node of a game and prints a table.
    Analyze(analyze::Args),
    /// Lists the engines that are configured and found, and tries them.
    Engines(engines::Args),
    /// Lets two engines play a series of games.
    Match(matches::Args),
    /// Plays back recorded engine output as a GTP engine.
    Replay(replay::ReplayArgs),
    /// Records what real engines print, for `replay` and the tests.
    Capture(capture::Args),
    /// Says what is wrong with SGF files, and puts right what can be put right unseen.
    Check(check::Args),
    /// Lays SGF files out: white space between nodes and properties, nothing else.
    Fmt(fmt::Args),
    /// Converts game records of other programs: Go to SGF, xiangqi to PGN or DhtmlXQ.
    Convert(convert::Args),
    /// The Go engine in the box as a GTP program. It is small and weak: for demos, tests and the first minute.
    Gtp(gtp::Args),
    /// The xiangqi rules engine: counts, moves, descriptions, a best move, a game.
    Xiangqi(xiangqi::Args),
    /// Writes or checks the documents in protocol/.
    Schema(schema::Args),
    /// Ends engines whose daemon has died. Started by the daemon itself.
    #[command(hide = true)]
    Reaper,
}

/// Runs the command line.
pub fn main() -> ExitCode {
    with_table(methods::table)
}

/// The same with a table of its own, for tests that need more methods behind the doors.
pub fn with_table(table: fn() -> Table) -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { USAGE } else { 0 });
        }
    };
    let command = cli.command.unwrap_or(Command::Serve(serve::Args::default()));
    match command {
        Command::Reaper => {
            crate::engine::reaper::main();
            ExitCode::SUCCESS
        }
        Command::Replay(args) => replay::run(&args),
        Command::Capture(args) => capture::run(&args),
        Command::Schema(args) => schema::run(&args),
        Command::Gtp(args) => gtp::run(&args),
        Command::Xiangqi(args) => xiangqi::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Fmt(args) => fmt::run(&args),
        Command::Convert(args) => convert::run(&args),
        Command::Status(args) => shared::status(&shared::Given::new(cli.config, cli.set), &args),
        Command::Stop => shared::stop(&shared::Given::new(cli.config, cli.set)),
        command => {
            log_to_stderr(matches!(command, Command::Serve(_) | Command::Connect));
            let mut given = shared::Given::new(cli.config.clone(), cli.set.clone());
            given.table = table;
            let found = settings(cli.config, &cli.set);
            if let (Command::Connect, Err(error)) = (&command, &found)
                && let Some(code) = connect::run_without_settings(&given, error)
            {
                return code;
            }
            let outcome = found.map(|settings| match command {
                Command::Rpc(args) => rpc::run(settings, &given, &args),
                Command::Mcp(args) => mcp::run(settings, &args),
                Command::Analyze(args) => analyze::run(settings, &args),
                Command::Engines(args) => engines::run(settings, &args),
                Command::Match(args) => matches::run(settings, &args),
                Command::Serve(args) => serve::run(settings, &args, &given),
                Command::Connect => connect::run(&given, settings),
                Command::Reaper
                | Command::Status(_)
                | Command::Stop
                | Command::Replay(_)
                | Command::Capture(_)
                | Command::Schema(_)
                | Command::Check(_)
                | Command::Fmt(_)
                | Command::Convert(_)
                | Command::Gtp(_)
                | Command::Xiangqi(_) => ExitCode::SUCCESS,
            });
            outcome.unwrap_or_else(|error| complain(&error, USAGE))
        }
    }
}

/// The settings: the file, `KIFUD_…` variables, the command line. No file is needed, unless one
/// was named.
fn settings(config: Option<PathBuf>, set: &[String]) -> Result<Settings> {
    let named = config.or_else(|| std::env::var_os("KIFUD_CONFIG").filter(|v| !v.is_empty()).map(Into::into));
    let mut above = vec![from_environment(|name| std::env::var(name).ok())?];
    for assignment in set {
        above.push(Layer::from_assignment(assignment)?);
    }
    above.retain(|layer| !layer.is_empty());
    Origin { named: named.is_some(), file: named.or_else(crate::paths::settings_file), above }.read()
}

/// The log of what goes over the pipes of engines.
#[derive(clap::Args, Clone, Default)]
pub struct GtpLogArgs {
    /// Write everything that engines are told and say into files in this folder.
    #[arg(long = "gtp-log", value_name = "DIR")]
    folder: Option<PathBuf>,
}

impl GtpLogArgs {
    /// Turns the log on, when a folder was named and can be used. One of the settings that cannot be used
    /// is told, but keeps nobody from editing a record.
    fn apply(&self, service: &Service) -> std::result::Result<(), ExitCode> {
        if let Some(folder) = &self.folder {
            let log = LogSettings { folder: folder.clone(), ..LogSettings::of(&service.settings().log) };
            log.check().map_err(|error| complain(&error, USAGE))?;
            service.gtp_log.set(Some(log));
        } else if let Err(error) = gtp_log::check(&service.settings().log) {
            tracing::error!("{}", error.message);
        }
        Ok(())
    }
}

fn complain(error: &Error, code: u8) -> ExitCode {
    eprintln!("kifud: {}", error.message);
    for key in ["command", "reply", "exitStatus", "stderrTail"] {
        if let Some(value) = error.data.get(key).and_then(serde_json::Value::as_str) {
            eprintln!("  {key}: {}", value.trim_end().replace('\n', "\n    "));
        }
    }
    ExitCode::from(code)
}

/// stdout belongs to the protocol; the log goes to stderr. `KIFUD_LOG` filters it, but for what a
/// daemon has to account for.
fn log_to_stderr(audited: bool) {
    let mut filter = tracing_subscriber::EnvFilter::try_from_env("KIFUD_LOG")
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("warn"));
    if let Ok(always) = format!("{}=info", audit::TARGET).parse()
        && audited
    {
        filter = filter.add_directive(always);
    }
    let ansi = std::io::IsTerminal::is_terminal(&std::io::stderr());
    let _ = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(ansi)
        // A client that closes our stderr loses the log, not its session.
        .log_internal_errors(false)
        .try_init();
}

/// The runtime: few threads, since engines do the work.
fn runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(8)
        .thread_name("kifud")
        .enable_all()
        .build()
}

/// The runtime and the daemon in it; an exit code when they cannot be had.
fn start(
    settings: Settings,
    table: Table,
) -> std::result::Result<(tokio::runtime::Runtime, Arc<Service>), ExitCode> {
    runtime().and_then(|runtime| Ok((runtime, service(settings, table)?))).map_err(|error| {
        eprintln!("kifud: cannot start: {error}");
        ExitCode::from(REFUSED)
    })
}

/// Runs work in the one session of a daemon in this process, and ends the daemon; `None` when the work
/// was interrupted.
fn in_session<T>(
    settings: Settings,
    gtp_log: &GtpLogArgs,
    work: impl AsyncFnOnce(&Arc<Service>, &Arc<Session>) -> T,
) -> std::result::Result<Option<T>, ExitCode> {
    let (runtime, service) = start(settings, methods::table())?;
    gtp_log.apply(&service)?;
    let session = service.open_session(true).map_err(|error| complain(&error, REFUSED))?;
    if let Ok(folder) = std::env::current_dir() {
        session.set_workspace(folder);
    }
    let outcome = runtime.block_on(async {
        let outcome = tokio::select! {
            outcome = work(&service, &session) => Some(outcome),
            _ = tokio::signal::ctrl_c() => None,
        };
        service.shutdown().await;
        outcome
    });
    runtime.shutdown_background();
    Ok(outcome)
}

fn service(settings: Settings, table: Table) -> std::io::Result<Arc<Service>> {
    let slice = std::time::Duration::from_millis(settings.slice_ms);
    let host = Host::new(Timeouts { slice, ..Timeouts::default() }, std::env::current_exe()?);
    Ok(Service::with_table(settings, host, table))
}

/// One line on stdout; false when nobody reads it any more.
fn print(line: &str) -> bool {
    let mut out = std::io::stdout().lock();
    out.write_all(line.as_bytes()).and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush()).is_ok()
}

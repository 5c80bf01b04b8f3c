//! `kifud xiangqi`: the rules engine at the shell.

mod perft;
mod play;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Subcommand;
use serde_json::{Value, json};
use serde_json::value::RawValue;

use super::table::{Column, Table};
use super::{REFUSED, print};
use crate::service::table::{Answer, Call, Table as Methods};
use crate::service::error::Locale;
use crate::service::settings::Settings;
use crate::xiangqi::describe::{self, Language};
use crate::xiangqi::{Position, START_FEN, notation};

#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Counts lines of play: nodes, captures, checks, mates.
    Perft(perft::Args),
    /// Lists the legal moves.
    Moves(Moves),
    /// Tells a position in words: board, status, moves.
    Describe(Describe),
    /// Looks for the best move.
    Best(Best),
    /// Plays a game against itself and prints it in Chinese notation.
    Play(play::Args),
}

/// The position that a command is about.
#[derive(clap::Args)]
struct Board {
    /// The position; the start when absent. A file of one line can be given with `$(cat FILE)`.
    #[arg(long, value_name = "FEN", default_value = START_FEN, hide_default_value = true)]
    fen: String,
}

impl Board {
    fn position(&self) -> Result<Position, ExitCode> {
        Position::from_fen(&self.fen).map_err(|faults| {
            for fault in &faults.0 {
                eprintln!("kifud: {fault} ({})", fault.reason_zh());
            }
            ExitCode::from(REFUSED)
        })
    }
}

#[derive(clap::Args)]
struct Moves {
    #[command(flatten)]
    given: Board,
    /// Also the moves that would leave the own king attacked, with the reason.
    #[arg(long)]
    pseudo: bool,
    /// The answer of `xiangqi/moves`.
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args)]
struct Describe {
    #[command(flatten)]
    given: Board,
    /// Also an evaluation.
    #[arg(long)]
    eval: bool,
    /// In English instead of Chinese.
    #[arg(long)]
    english: bool,
}

/// How long and how deep a search goes.
#[derive(clap::Args)]
struct Search {
    /// Plies; 4 when neither depth nor time is given.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    depth: Option<u32>,
    /// Milliseconds a move; 300 when neither depth nor time is given.
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..=600_000))]
    time_ms: Option<u64>,
    /// Orders moves of equal value.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

#[derive(clap::Args)]
struct Best {
    #[command(flatten)]
    given: Board,
    #[command(flatten)]
    search: Search,
    /// The answer of `xiangqi/search`.
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> ExitCode {
    match &args.command {
        Command::Perft(args) => perft::run(args),
        Command::Moves(args) if args.json => {
            call("xiangqi/moves", &json!({"fen": args.given.fen, "pseudo": args.pseudo}))
        }
        Command::Moves(args) => with(&args.given, |position| moves(position, args.pseudo)),
        Command::Describe(args) => with(&args.given, |position| describe(position, args)),
        Command::Best(args) if args.json => {
            let Search { depth, time_ms, seed } = args.search;
            let params = json!({"fen": args.given.fen, "depth": depth, "timeMs": time_ms, "seed": seed});
            call("xiangqi/search", &params)
        }
        Command::Best(args) => with(&args.given, |position| best(position, &args.search)),
        Command::Play(args) => play::run(args),
    }
}

/// Prints what is to be said of the position.
fn with(given: &Board, say: impl FnOnce(&Position) -> String) -> ExitCode {
    match given.position() {
        Ok(position) if print(say(&position).trim_end()) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::from(REFUSED),
        Err(code) => code,
    }
}

/// One call of a method, as `kifud rpc` makes it.
fn call(method: &str, params: &Value) -> ExitCode {
    let (runtime, service) = match super::start(Settings::default()) {
        Ok(started) => started,
        Err(code) => return code,
    };
    let params = RawValue::from_string(params.to_string()).ok();
    let call = Call { id: None, method, params: params.as_deref(), subscription: None };
    let answer = runtime.block_on(async {
        let session = service.open_session(true)?;
        Methods::dispatch(&service, &session, call).await
    });
    runtime.shutdown_background();
    match answer {
        Ok(Answer::Value(value)) if print(value.get()) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::from(REFUSED),
        Err(error) => {
            eprintln!("{}", error.to_json(Locale::En));
            ExitCode::from(REFUSED)
        }
    }
}

const MOVES: [Column; 5] = [
    Column::left("iccs"),
    Column::left("uci"),
    Column::left("wxf"),
    Column::left("zh"),
    Column::left("note"),
];

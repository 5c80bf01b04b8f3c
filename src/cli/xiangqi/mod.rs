//! `kifud xiangqi`: the rules engine at the shell.

mod perft;
mod play;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Subcommand;
use serde_json::json;

use super::{REFUSED, print, rpc};
use crate::locale::Locale;
use crate::text_table::{Column, Table};
use crate::xiangqi::describe::{self, DescribeOptions};
use crate::xiangqi::search::{self, Best, Limits};
use crate::xiangqi::{Position, START_FEN, StatusOptions, legality, notation, status};

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
    Best(BestArgs),
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
struct BestArgs {
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
            rpc::one_call("xiangqi/moves", &json!({"fen": args.given.fen, "pseudo": args.pseudo}))
        }
        Command::Moves(args) => with(&args.given, |position| moves(position, args.pseudo)),
        Command::Describe(args) => with(&args.given, |position| describe(position, args)),
        Command::Best(args) if args.json => {
            let Search { depth, time_ms, seed } = args.search;
            let params = json!({"fen": args.given.fen, "depth": depth, "timeMs": time_ms, "seed": seed});
            rpc::one_call("xiangqi/search", &params)
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

const MOVES: [Column; 5] = [
    Column::left("iccs"),
    Column::left("uci"),
    Column::left("wxf"),
    Column::left("zh"),
    Column::left("note"),
];

fn moves(position: &Position, pseudo: bool) -> String {
    let mut table = Table::new(&MOVES);
    let moves = if pseudo { position.pseudo_legal_moves() } else { position.legal_moves() };
    for &played in &moves {
        let taken = position.piece_at(played.to).map(|piece| format!("x{}", piece.name_zh()));
        let against = legality::explain(position, played).map(|reason| reason.reason_zh());
        let check = (against.is_none() && position.after(played).is_check()).then(|| "+".to_owned());
        let note: Vec<String> = [taken, check, against].into_iter().flatten().collect();
        table.row(vec![
            notation::iccs(played),
            notation::uci(played),
            notation::wxf(position, played),
            notation::chinese(position, played),
            note.join(" "),
        ]);
    }
    format!("{table}{} moves", moves.len())
}

fn describe(position: &Position, args: &Describe) -> String {
    let options = DescribeOptions {
        include_eval: args.eval,
        language: if args.english { Locale::English } else { Locale::Chinese },
        ..DescribeOptions::default()
    };
    describe::describe(position, &options)
}

impl Search {
    /// Searches with these limits, as `xiangqi/search` does.
    fn run(&self, position: &Position, earlier: &[Position]) -> Best {
        let (depth, time_ms) = search::depth_and_time(self.depth, self.time_ms);
        let end = Instant::now() + Duration::from_millis(time_ms);
        let limits = Limits { depth: Some(depth), ..Limits::default() };
        search::search(position, earlier, &limits, self.seed, &|| Instant::now() >= end, &mut |_| ())
    }
}

fn best(position: &Position, search: &Search) -> String {
    let best = search.run(position, &[]);
    let Some(played) = best.played else {
        let status = status(position, None, &StatusOptions::default());
        return format!("没有合法着法：{}\nno legal move: {}", status.reason_zh, status.sentence);
    };
    let score = match best.mate {
        Some(moves) => format!("mate in {moves}"),
        None => format!("{:+} centipawns", best.score),
    };
    format!(
        "{} ({played})\nscore {score}, depth {}, {} nodes\n{}",
        notation::chinese(position, played),
        best.depth,
        best.nodes,
        notation::chinese_line(position, &best.pv).join(" ")
    )
}

//! `kifud xiangqi perft`: how many lines of play there are, counted and held against the published
//! tables.

use std::process::ExitCode;
use std::time::Instant;

use serde_json::{Value, json};

use super::super::{REFUSED, print};
use super::Board as Given;
use crate::text_table::{Column, Table};
use crate::xiangqi::Position;
use crate::xiangqi::board::published::{self, Published};
use crate::xiangqi::board::{self, Board, Columns, Stop};

#[derive(clap::Args)]
pub struct Args {
    /// Plies: every depth from 1 to this one is counted.
    #[arg(long, value_name = "N", required_unless_present = "positions",
          value_parser = clap::value_parser!(u32).range(1..=MAX_DEPTH))]
    depth: Option<u32>,
    #[command(flatten)]
    given: Given,
    /// The lines behind each legal move, at the last depth only.
    #[arg(long)]
    divide: bool,
    /// Only how many lines there are, without captures, checks and mates: many times faster.
    #[arg(long)]
    nodes: bool,
    /// On so many threads.
    #[arg(long, value_name = "T", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=256))]
    threads: u32,
    /// The eleven published positions instead; exit code 1 when a figure differs from the table.
    #[arg(long, conflicts_with_all = ["fen", "depth", "divide", "nodes"])]
    positions: bool,
    /// JSON instead of a table.
    #[arg(long)]
    json: bool,
}

/// As for `xiangqi/perft`.
const MAX_DEPTH: i64 = 8;

pub fn run(args: &Args) -> ExitCode {
    if args.positions {
        return positions(args);
    }
    let position = match args.given.position() {
        Ok(position) => position,
        Err(code) => return code,
    };
    let depth = args.depth.unwrap_or(1);
    let output = match (args.divide, args.nodes) {
        (true, _) => divided(args, &position, depth),
        (false, nodes) => depths(args, &position, depth, nodes),
    };
    if print(&output) { ExitCode::SUCCESS } else { ExitCode::from(REFUSED) }
}

/// Work on as many threads as asked.
fn on_threads(threads: u32) -> impl Fn(&(dyn Fn() + Sync)) {
    move |work| {
        std::thread::scope(|scope| {
            for _ in 1..threads {
                scope.spawn(work);
            }
            work();
        });
    }
}

/// A command is stopped by a signal, not by a question.
const NEVER: Stop<'static> = &|| false;

fn columns(board: &Board, depth: u32, threads: u32) -> Columns {
    board::columns(board, depth, &on_threads(threads), NEVER).unwrap_or_default()
}

fn nodes(board: &Board, depth: u32, threads: u32) -> u64 {
    match threads {
        1 => board::perft(&mut board.clone(), depth),
        _ => board::perft_shared(board, depth, &on_threads(threads), NEVER).unwrap_or_default(),
    }
}

/// A count and what it took.
fn timed<T>(count: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let counted = count();
    (counted, start.elapsed().as_secs_f64())
}

/// Millions a second.
fn rate(nodes: u64, seconds: f64) -> String {
    format!("{:.1}", nodes as f64 / seconds.max(1e-9) / 1e6)
}

const COLUMNS: [Column; 7] = [
    Column::right("depth"),
    Column::right("nodes"),
    Column::right("captures"),
    Column::right("checks"),
    Column::right("mates"),
    Column::right("seconds"),
    Column::right("Mnodes/s"),
];

const NODES: [Column; 4] =
    [Column::right("depth"), Column::right("nodes"), Column::right("seconds"), Column::right("Mnodes/s")];

fn depths(args: &Args, position: &Position, depth: u32, only_nodes: bool) -> String {
    let board = Board::from(position);
    let mut table = Table::new(if only_nodes { &NODES } else { &COLUMNS });
    let mut rows = Vec::new();
    for depth in 1..=depth {
        if only_nodes {
            let (nodes, seconds) = timed(|| nodes(&board, depth, args.threads));
            rows.push(json!({"depth": depth, "nodes": nodes, "seconds": seconds}));
            table.row(vec![
                depth.to_string(),
                nodes.to_string(),
                format!("{seconds:.3}"),
                rate(nodes, seconds),
            ]);
        } else {
            let (count, seconds) = timed(|| columns(&board, depth, args.threads));
            rows.push(with(as_json(&count), json!({"depth": depth, "seconds": seconds})));
            let mut cells = vec![depth.to_string()];
            cells.extend(cells_of(&count));
            cells.extend([format!("{seconds:.3}"), rate(count.nodes, seconds)]);
            table.row(cells);
        }
    }
    match args.json {
        true => json!({"fen": position.to_fen(), "threads": args.threads, "rows": rows}).to_string(),
        false => table.to_string().trim_end().to_owned(),
    }
}

fn divided(args: &Args, position: &Position, depth: u32) -> String {
    let board = Board::from(position);
    let parts = board::divide(&board, depth, &on_threads(args.threads), NEVER).unwrap_or_default();
    let nodes: u64 = parts.iter().map(|(_, nodes)| nodes).sum();
    if args.json {
        let divide: serde_json::Map<String, Value> =
            parts.iter().map(|(played, nodes)| (played.to_string(), json!(nodes))).collect();
        return json!({"fen": position.to_fen(), "depth": depth, "nodes": nodes, "divide": divide})
            .to_string();
    }
    let mut lines: Vec<String> = parts.iter().map(|(played, nodes)| format!("{played}: {nodes}")).collect();
    lines.push(format!("{} moves, {nodes} nodes", parts.len()));
    lines.join("\n")
}

fn cells_of(count: &Columns) -> [String; 4] {
    [count.nodes, count.captures, count.checks, count.mates].map(|number| number.to_string())
}

fn as_json(count: &Columns) -> Value {
    json!({"nodes": count.nodes, "captures": count.captures, "checks": count.checks, "mates": count.mates})
}

fn with(mut object: Value, more: Value) -> Value {
    if let (Value::Object(fields), Value::Object(more)) = (&mut object, more) {
        fields.extend(more);
    }
    object
}

const PUBLISHED: [Column; 7] = [
    Column::right("position"),
    Column::right("depth"),
    Column::right("nodes"),
    Column::right("captures"),
    Column::right("checks"),
    Column::right("mates"),
    Column::left("published"),
];

/// The published positions: all columns at depths 1 to 4, nodes at 5.
fn positions(args: &Args) -> ExitCode {
    let mut table = Table::new(&PUBLISHED);
    let mut rows = Vec::new();
    let mut differences = 0;
    for (number, published) in published::POSITIONS.iter().enumerate() {
        let position = match Position::from_fen(published.fen) {
            Ok(position) => position,
            Err(faults) => {
                eprintln!("kifud: published position {}: {faults}", number + 1);
                return ExitCode::from(REFUSED);
            }
        };
        let board = Board::from(&position);
        for depth in 1..=published.rows.len() {
            let (cells, counted, same) = compare(&board, published, depth, args.threads);
            differences += usize::from(!same);
            let verdict = if same { "equal" } else { "DIFFERENT" };
            let mut row = vec![(number + 1).to_string(), depth.to_string()];
            row.extend(cells);
            row.resize(PUBLISHED.len() - 1, String::new());
            row.push(verdict.to_owned());
            table.row(row);
            rows.push(with(
                counted,
                json!({"position": number + 1, "fen": published.fen, "depth": depth, "equal": same}),
            ));
        }
    }
    let output = match args.json {
        true => json!({"rows": rows, "differences": differences}).to_string(),
        false => format!("{table}{} rows, {differences} differences", rows.len()),
    };
    if print(&output) && differences == 0 { ExitCode::SUCCESS } else { ExitCode::from(REFUSED) }
}

/// Counts one row: its cells, the same as JSON, and whether it is as published. The mates of depth d
/// stand in the published row d + 1; [`published`] says why.
fn compare(board: &Board, published: &Published, depth: usize, threads: u32) -> (Vec<String>, Value, bool) {
    let row = published.rows[depth - 1];
    let plies = u32::try_from(depth).unwrap_or(u32::MAX);
    match published.mates(depth) {
        Some(mates) => {
            let count = columns(board, plies, threads);
            let want = Columns { nodes: row.nodes, captures: row.captures, checks: row.checks, mates };
            (cells_of(&count).to_vec(), as_json(&count), count == want)
        }
        None => {
            let nodes = nodes(board, plies, threads);
            (vec![nodes.to_string()], json!({"nodes": nodes}), nodes == row.nodes)
        }
    }
}

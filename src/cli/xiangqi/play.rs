//! `kifud xiangqi play`: a game of the search against itself, as a Chinese score sheet.

use std::process::ExitCode;

use super::super::{REFUSED, print};
use super::{Board, Search};
use crate::xiangqi::repetition::History;
use crate::xiangqi::{Move, Position, Side, StatusOptions, notation, status};

#[derive(clap::Args)]
pub struct Args {
    /// Moves, each side's counted, after which the game is left.
    #[arg(long, value_name = "N", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=2000))]
    moves: u32,
    #[command(flatten)]
    given: Board,
    #[command(flatten)]
    search: Search,
}

pub fn run(args: &Args) -> ExitCode {
    let start = match args.given.position() {
        Ok(position) => position,
        Err(code) => return code,
    };
    let (mut at, mut earlier, mut moves) = (start.clone(), Vec::new(), Vec::<Move>::new());
    let mut sheet = Sheet::default();
    loop {
        let history = match History::new(start.clone(), moves.clone()) {
            Ok(history) => history,
            Err(fault) => {
                eprintln!("kifud: {fault}");
                return ExitCode::from(REFUSED);
            }
        };
        let now = status(&at, Some(&history), &StatusOptions::default());
        let played = if now.state.is_over() || moves.len() as u32 >= args.moves {
            None
        } else {
            args.search.run(&at, &earlier).played
        };
        let Some(played) = played else {
            let left = if now.state.is_over() { "" } else { "（到此为止）" };
            let end =
                format!("{}\n{} 步，{}{left}\n{}", sheet.text(), moves.len(), now.reason_zh, at.to_fen());
            return if print(&end) { ExitCode::SUCCESS } else { ExitCode::from(REFUSED) };
        };
        sheet.add(&at, played);
        let next = at.after(played);
        earlier.push(std::mem::replace(&mut at, next));
        moves.push(played);
    }
}

/// Pairs of moves, one a line.
#[derive(Default)]
struct Sheet {
    lines: Vec<String>,
}

impl Sheet {
    fn add(&mut self, at: &Position, played: Move) {
        let text = notation::chinese(at, played);
        match (at.turn(), self.lines.last_mut()) {
            (Side::Black, Some(line)) => {
                line.push_str("  ");
                line.push_str(&text);
            }
            (Side::Black, None) => self.lines.push(format!("{:>3}. ………… {text}", at.fullmove())),
            (Side::Red, _) => self.lines.push(format!("{:>3}. {text}", at.fullmove())),
        }
    }

    fn text(&self) -> String {
        self.lines.join("\n")
    }
}

//! A position as a text for people and language models.

mod moves;

use moves::Groups;

use super::ascii;
use super::evaluate::{Evaluation, evaluate};
use super::moves::Move;
use super::notation;
use super::piece::{Kind, Piece};
use super::position::Position;
use super::repetition::History;
use super::setup::Setup;
use super::status::{StatusOptions, status};
use super::words::signed;
use crate::locale::Locale;

/// What a description tells.
#[derive(Debug, Clone, Copy)]
pub struct DescribeOptions<'a> {
    /// The legal moves, in ICCS and Chinese.
    pub include_moves: bool,
    /// The evaluation by rules of thumb.
    pub include_eval: bool,
    /// The board and its legend.
    pub ascii: bool,
    /// At most so many moves are listed.
    pub max_moves: usize,
    /// The move that led here, if no history tells.
    pub last_move: Option<Move>,
    /// The game so far; it must lead to the position.
    pub history: Option<&'a History>,
    /// What the status is judged by.
    pub status: StatusOptions,
    /// The language of the sentences; moves are always given in ICCS and Chinese.
    pub language: Locale,
}

impl Default for DescribeOptions<'_> {
    fn default() -> Self {
        DescribeOptions {
            include_moves: true,
            include_eval: false,
            ascii: true,
            max_moves: 80,
            last_move: None,
            history: None,
            status: StatusOptions::default(),
            language: Locale::Chinese,
        }
    }
}

/// Describes a position: always in this order a header, the board with its legend, the FEN, the last
/// move, the status, the evaluation and the legal moves, as far as they are asked for. Each line ends
/// with a line feed.
pub fn describe(position: &Position, options: &DescribeOptions<'_>) -> String {
    let zh = options.language == Locale::Chinese;
    let mut lines = vec![header(position, zh)];
    if options.ascii {
        lines.push(ascii::render(position.board()).trim_end().to_owned());
        lines.push(ascii::legend(options.language).to_owned());
    }
    lines.push(format!("{}{}", if zh { "FEN：" } else { "FEN: " }, position.to_fen()));
    lines.push(last_move(position, options, zh));
    let status = status(position, options.history, &options.status);
    let state = status.state.name();
    lines.push(if zh {
        format!("状态：{}（{state}）", status.reason_zh)
    } else {
        format!("Status: {} ({state})", status.sentence)
    });
    if options.include_eval {
        lines.extend(evaluation(&evaluate(position), zh));
    }
    if options.include_moves {
        lines.extend(Groups::of(position).lines(options.max_moves, zh));
    }
    lines.join("\n") + "\n"
}

fn header(position: &Position, zh: bool) -> String {
    let (turn, number, quiet) = (position.turn(), position.fullmove(), position.halfmove());
    if zh {
        format!("中国象棋，第 {number} 回合，轮到{}走，距上次吃子 {quiet} 步", turn.name_zh())
    } else {
        let plies = if quiet == 1 { "ply" } else { "plies" };
        format!("Xiangqi, move {number}, {turn} to move, {quiet} {plies} since the last capture")
    }
}

fn last_move(position: &Position, options: &DescribeOptions<'_>, zh: bool) -> String {
    let (played, before) = match (options.last_move, options.history.and_then(last_of)) {
        (Some(played), Some((last, before))) if last == played => (played, Some(before)),
        (Some(played), _) => (played, before(position, played)),
        (None, Some((last, before))) => (last, Some(before)),
        (None, None) => return if zh { "上一手：无" } else { "Last move: none" }.to_owned(),
    };
    let mover = position.turn().opposite();
    match (before, zh) {
        (Some(before), true) => {
            format!("上一手：{} {}（{played}）", mover.name_zh(), notation::chinese(&before, played))
        }
        (Some(before), false) => {
            format!("Last move: {mover}, {played} ({})", notation::chinese(&before, played))
        }
        (None, true) => format!("上一手：{played}，与局面不符"),
        (None, false) => format!("Last move: {played}, which does not fit the position"),
    }
}

/// The last move of a history and the position before it.
fn last_of(history: &History) -> Option<(Move, Position)> {
    let (&last, earlier) = history.moves().split_last()?;
    let before = earlier.iter().fold(history.start().clone(), |position, &played| position.after(played));
    Some((last, before))
}

/// A position from which the move leads to this one; what was captured is not known, so that the
/// first that the rules allow is taken.
fn before(position: &Position, played: Move) -> Option<Position> {
    let mover = position.turn().opposite();
    let mut setup = Setup { turn: mover, ..position.setup().clone() };
    if setup.board[played.from.index()].is_some() {
        return None;
    }
    let piece = setup.board[played.to.index()].take().filter(|piece| piece.side == mover)?;
    setup.board[played.from.index()] = Some(piece);
    let captured = Kind::ALL.into_iter().map(|kind| Some(Piece::new(position.turn(), kind)));
    [None].into_iter().chain(captured).find_map(|captured| {
        let mut setup = setup.clone();
        setup.board[played.to.index()] = captured;
        Position::new(setup).ok().filter(|before| before.is_legal(played))
    })
}

fn evaluation(evaluation: &Evaluation, zh: bool) -> Vec<String> {
    let head = if zh {
        format!("评估：{}{}。", evaluation.summary_zh, evaluation.material_zh)
    } else {
        format!("Evaluation: {} In pieces, {}.", evaluation.summary, evaluation.material)
    };
    let items = evaluation.breakdown.iter().map(|item| {
        if zh {
            format!("  {} {}：{}", item.name_zh, signed(item.score), item.detail_zh)
        } else {
            format!("  {} {}: {}", item.name, signed(item.score), item.detail)
        }
    });
    [head].into_iter().chain(items).collect()
}

#[cfg(test)]
mod tests;

//! A game as blocks.

use std::collections::VecDeque;
use std::fmt::Write;

use super::blocks::{block_name, escape};
use crate::xiangqi::record::binary::{GONE, piece_points};
use crate::xiangqi::record::names::Outcome;
use crate::xiangqi::record::{NodeId, Record};
use crate::xiangqi::{Move, START_FEN, Square};

/// A game as a `[DhtmlXQ]` block. Annotation glyphs have no place in it. A start other than the usual
/// one is written both as `fen` and as `binit`.
pub fn write(record: &Record) -> String {
    let mut text = String::from("[DhtmlXQ]\n");
    for tag in record.tags() {
        let Some(name) = block_name(&tag.name) else { continue };
        // These are written of the game itself.
        let of_game = matches!(name.as_str(), "Game" | "Format" | "Result" | "result");
        if !of_game && !name.eq_ignore_ascii_case("FEN") {
            block(&mut text, &name, &escape(&tag.value));
        }
    }
    if record.tag("Result").is_some() || record.outcome() != Outcome::Unknown {
        block(&mut text, "result", record.outcome().to_zh());
    }
    match record.start() {
        // Without a word about it the start would be the usual one.
        None => block(&mut text, "fen", "?"),
        Some(start) => {
            if start.to_fen() != START_FEN {
                block(&mut text, "fen", &start.to_fen());
            }
            let points = piece_points(start).map(|square| square.map_or(GONE.into(), point));
            block(&mut text, "binit", &points.concat());
        }
    }
    branches(&mut text, record);
    text.push_str("[/DhtmlXQ]\n");
    text
}

pub(super) fn block(text: &mut String, name: &str, value: &str) {
    let _ = writeln!(text, "[DhtmlXQ_{name}]{value}[/DhtmlXQ_{name}]");
}

fn point(square: Square) -> String {
    format!("{}{}", square.col(), square.row())
}

pub(super) fn digits(played: Move) -> String {
    point(played.from) + &point(played.to)
}

/// The branches, the nearest to the main line first, and the comments behind them.
fn branches(text: &mut String, record: &Record) {
    let mut comments = String::new();
    let root = record.node(NodeId::ROOT).map_or("", |root| root.comment.as_str());
    if !root.is_empty() {
        block(&mut comments, "comment0", &escape(root));
    }
    let mut waiting: VecDeque<(u32, NodeId)> =
        record.first_child(NodeId::ROOT).map(|first| (0, first)).into_iter().collect();
    let mut last = 0;
    let mut current = 0;
    while let Some((parent, first)) = waiting.pop_front() {
        let mut line = String::new();
        let step = record.node(first).map_or(1, |node| node.ply);
        let mut next = Some(first);
        while let Some(id) = next {
            let Some(node) = record.node(id) else { break };
            line.extend(node.played.map(digits));
            if !node.comment.is_empty() {
                let place = if current == 0 { String::new() } else { format!("{current}_") };
                block(&mut comments, &format!("comment{place}{}", node.ply), &escape(&node.comment));
            }
            // The first move of a branch is a sibling itself; its own siblings have been seen.
            if id != first || current == 0 {
                let siblings = std::iter::successors(record.next_sibling(id), |it| record.next_sibling(*it));
                waiting.extend(siblings.map(|sibling| (current, sibling)));
            }
            next = record.first_child(id);
        }
        let name = if current == 0 { "movelist".into() } else { format!("move_{parent}_{step}_{current}") };
        block(text, &name, &line);
        last += 1;
        current = last;
    }
    text.push_str(&comments);
}

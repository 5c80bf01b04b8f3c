//! An itemised evaluation: a teaching aid, not an engine's verdict.
//!
//! Six rules of thumb that a player can check by eye are added up. Nothing is calculated ahead
//! beyond one capture and its recapture, so a combination is not seen and a sacrifice looks like a
//! loss. Whoever wants to know the best move asks the search.

mod items;
mod material;
mod threats;

use std::fmt::Write;

use super::piece::Side;
use super::position::Position;
use super::words::signed;

pub use material::{material_diff, material_diff_zh};
pub use threats::{Threat, threats};

/// What a position is worth by rules of thumb.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evaluation {
    /// Hundredths of a pawn, positive if the side to move stands better: the sum of the items.
    pub score: i32,
    /// The items, always in the same order.
    pub breakdown: Vec<Item>,
    /// One sentence in Chinese.
    pub summary_zh: String,
    /// One sentence in English.
    pub summary: String,
    /// Who has more of what, in Chinese.
    pub material_zh: String,
    /// Who has more of what, in English.
    pub material: String,
}

/// One rule of thumb, applied to both sides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// A stable name: `material`, `placement`, `mobility`, `king-safety`, `threats`, `pawns`, and
    /// `no-move` where the game is over.
    pub id: &'static str,
    /// The name in Chinese.
    pub name_zh: &'static str,
    /// The name in English.
    pub name: &'static str,
    /// Hundredths of a pawn, positive if it speaks for the side to move.
    pub score: i32,
    /// What each side gets for what, in Chinese.
    pub detail_zh: String,
    /// What each side gets for what, in English.
    pub detail: String,
}

/// One reason for points of one side.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Note {
    points: i32,
    zh: String,
    en: String,
}

/// A rule of thumb: its id, its names, and what it gives a side.
type Rule = (&'static str, &'static str, &'static str, fn(&Position, Side) -> Vec<Note>);

const RULES: [Rule; 6] = [
    ("material", "子力", "material", material::notes),
    ("placement", "子力位置", "placement", items::placement),
    ("mobility", "机动性", "mobility", items::mobility),
    ("king-safety", "将帅安全", "king safety", items::king_safety),
    ("threats", "受攻的子", "pieces under attack", threats::notes),
    ("pawns", "过河兵卒", "pawns beyond the river", items::pawns),
];

/// What it counts to have no move: the game is lost.
const NO_MOVE: i32 = -30_000;

/// Evaluates a position by rules of thumb.
pub fn evaluate(position: &Position) -> Evaluation {
    let mut breakdown: Vec<Item> = RULES.iter().map(|&rule| item(position, rule)).collect();
    let over = position.legal_moves().is_empty();
    if over {
        breakdown.push(no_move(position));
    }
    let score = breakdown.iter().map(|item| item.score).sum();
    Evaluation {
        score,
        summary_zh: summary_zh(position.turn(), score, over, &breakdown),
        summary: summary(position.turn(), score, over, &breakdown),
        material_zh: material_diff_zh(position.board()),
        material: material_diff(position.board()),
        breakdown,
    }
}

fn item(position: &Position, (id, name_zh, name, rule): Rule) -> Item {
    let turn = position.turn();
    let notes = Side::ALL.map(|side| (side, rule(position, side)));
    let score =
        notes.iter().map(|(side, notes)| if *side == turn { total(notes) } else { -total(notes) }).sum();
    let half = |(side, notes): &(Side, Vec<Note>), zh: bool| {
        let name = if zh { side.name_zh() } else { side.name() };
        let list: Vec<String> = notes
            .iter()
            .map(|note| format!("{} {}", if zh { &note.zh } else { &note.en }, signed(note.points)))
            .collect();
        match (list.is_empty(), zh) {
            (true, _) => format!("{name} 0"),
            (false, true) => format!("{name} {}（{}）", signed(total(notes)), list.join("，")),
            (false, false) => format!("{name} {} ({})", signed(total(notes)), list.join(", ")),
        }
    };
    let detail_zh = notes.each_ref().map(|side| half(side, true)).join("；");
    let detail = notes.each_ref().map(|side| half(side, false)).join("; ");
    Item { id, name_zh, name, score, detail_zh, detail }
}

fn total(notes: &[Note]) -> i32 {
    notes.iter().map(|note| note.points).sum()
}

fn no_move(position: &Position) -> Item {
    let turn = position.turn();
    let (zh, en) = if position.is_check() {
        ("被将死", "is checkmated")
    } else {
        ("困毙", "is stalemated and loses")
    };
    Item {
        id: "no-move",
        name_zh: "无着可走",
        name: "no legal move",
        score: NO_MOVE,
        detail_zh: format!("{}{zh}", turn.name_zh()),
        detail: format!("{turn} {en}"),
    }
}

/// How far a score is from even: the Chinese and the English word, to follow a side's name.
const fn grade(score: i32) -> (&'static str, &'static str) {
    match score.unsigned_abs() {
        0..50 => ("大致均势", "about even"),
        50..150 => ("稍占优势", "slightly better"),
        150..500 => ("占优势", "better"),
        _ => ("大占优势", "much better"),
    }
}

fn better(turn: Side, score: i32) -> Side {
    if score < 0 { turn.opposite() } else { turn }
}

/// The items that speak loudest for the side that stands better, at most two.
fn reasons(score: i32, breakdown: &[Item]) -> Vec<&Item> {
    let weight = |item: &&Item| -item.score * score.signum();
    let mut reasons: Vec<&Item> = breakdown.iter().filter(|item| weight(item) <= -10).collect();
    reasons.sort_by_key(weight);
    reasons.truncate(2);
    reasons
}

fn summary_zh(turn: Side, score: i32, over: bool, breakdown: &[Item]) -> String {
    let (grade, _) = grade(score);
    let mut text = format!("轮到{}走，", turn.name_zh());
    if over {
        let _ = write!(text, "已无着可走，{}负", turn.name_zh());
    } else if score.unsigned_abs() < 50 {
        let _ = write!(text, "双方{grade}（{}）", signed(score));
    } else {
        let names: Vec<_> = reasons(score, breakdown).iter().map(|item| item.name_zh).collect();
        let side = better(turn, score).name_zh();
        let _ = write!(text, "{side}{grade}（{}），主要在于{}", signed(score), names.join("和"));
    }
    text + "；这是教学用的粗略估计，不是引擎的定论。"
}

fn summary(turn: Side, score: i32, over: bool, breakdown: &[Item]) -> String {
    let (_, grade) = grade(score);
    let mut text = format!("{turn} to move: ");
    if over {
        let _ = write!(text, "{turn} has no legal move and has lost");
    } else if score.unsigned_abs() < 50 {
        let _ = write!(text, "{grade} ({})", signed(score));
    } else {
        let names: Vec<_> = reasons(score, breakdown).iter().map(|item| item.name).collect();
        let side = better(turn, score);
        let _ = write!(text, "{side} is {grade} ({}), above all by {}", signed(score), names.join(" and "));
    }
    text + "; a rough guide for learners, not an engine's verdict."
}

#[cfg(test)]
mod tests;

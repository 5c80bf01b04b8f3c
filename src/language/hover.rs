//! What is shown for the thing under the pointer.

use crate::go::{Color, Point, Vertex};
use crate::sgf::{KomiSource, NodeId, Property, Record, Span, effective, turn, value};

use super::Locale;
use super::decode::{decode, komi, lead_text, rounded};
use super::meaning::paragraphs;
use super::picture::picture;
use super::place::{Place, place, point_at, type_of};
use super::scene::{Diagram, of_trace};
use super::stored::{Analysis, analysis};
use super::trace::Trace;
use super::words::{QUOTED, first_words, markdown, quote};

/// What is shown for a place of the text.
#[derive(Debug, Clone)]
pub struct Hover {
    /// The text that it is about.
    pub span: Span,
    /// Markdown. Text of the record stands in it escaped.
    pub markdown: String,
    /// The board, when it is shown.
    pub diagram: Option<Diagram>,
}

/// What is shown at an offset; `None` where there is nothing to say.
pub fn hover(record: &Record, offset: u32, locale: Locale) -> Option<Hover> {
    let place = place(record, offset)?;
    let Some(property) = place.property else {
        let semicolon = record.node(place.node).span.start;
        let on_it = offset == semicolon || offset == semicolon + 1;
        return if on_it { of_node(record, place.node, locale) } else { None };
    };
    let ident = property.ident();
    let mut about: Vec<String> = Vec::new();
    let mut span = property.ident_span();
    match place.value {
        None => {
            about.extend(paragraphs(&ident, locale));
            let explained = ident == "KM" && record.komi(place.node).source != KomiSource::Stated;
            let komi = explained.then(|| komi(record, place.node, locale)).flatten();
            about.extend(komi.map(|words| markdown(&words)));
        }
        Some(value) => {
            span = value.span();
            // A move is named in the headline.
            let words = decode(record, place.node, property, value, locale).filter(|_| !is_move(&ident));
            about.extend(words.map(|words| format!("**{ident}**: {}", markdown(&words))));
        }
    }
    let mut diagram = None;
    if shows_board(&property) && (place.value.is_some() || is_move(&ident)) {
        let pointed = point_at(record, &place, offset).map(|(point, _)| point);
        if let Some(trace) = Trace::at(record, place.node) {
            about.extend(position_text(record, &place, &trace, pointed, locale));
            diagram = Some(Diagram::Go(of_trace(&trace, record, place.node)));
        }
    }
    (!about.is_empty()).then(|| Hover { span, markdown: about.join("\n\n"), diagram })
}

/// What is shown for a node as a whole.
fn of_node(record: &Record, node: NodeId, locale: Locale) -> Option<Hover> {
    let start = record.node(node).span.start;
    let trace = Trace::at(record, node)?;
    let place = Place { node, property: None, value: None };
    let about = position_text(record, &place, &trace, None, locale);
    let diagram = Some(Diagram::Go(of_trace(&trace, record, node)));
    Some(Hover { span: Span::new(start, start + 1), markdown: about.join("\n\n"), diagram })
}

fn is_move(ident: &str) -> bool {
    matches!(ident, "B" | "W")
}

/// Whether the values of a property are points.
fn shows_board(property: &Property<'_>) -> bool {
    use crate::sgf::props::ValueType::*;
    matches!(type_of(property), Some(Move | Points | PointsOrNone | Labels | PointPairs))
}

/// Move, captures, board, stored analysis, comment.
fn position_text(
    record: &Record,
    place: &Place<'_>,
    trace: &Trace<'_>,
    pointed: Option<Point>,
    locale: Locale,
) -> Vec<String> {
    let node = place.node;
    let mut about = vec![headline(record, trace, node, locale)];
    let owner = pointed.and_then(|point| trace.stone(point)).filter(|stone| stone.node != node);
    if let Some(stone) = owner {
        let at = Vertex::At(stone.point).to_gtp(trace.board.size());
        about.push(owner_text(record, stone.color, &at, stone.node, locale));
    }
    let shown = of_trace(trace, record, node);
    about.push(format!("```text\n{}\n```", picture(&shown)));
    about.push(facts(record, trace, node, locale));
    about.extend(analysis_text(record, node, locale));
    about.extend(comment(record, node));
    about
}

fn owner_text(record: &Record, color: Color, at: &str, node: NodeId, locale: Locale) -> String {
    let number = crate::sgf::move_number(record, node);
    let played = place_is_move(record, node);
    match (played, locale) {
        (true, Locale::English) => format!("{at}: {} stone of move {number}", locale.stone(color)),
        (true, Locale::Chinese) => format!("{at}：第 {number} 手的{}子", locale.stone(color)),
        (false, Locale::English) => format!("{at}: {} stone that was set up", locale.stone(color)),
        (false, Locale::Chinese) => format!("{at}：摆放的{}子", locale.stone(color)),
    }
}

fn place_is_move(record: &Record, node: NodeId) -> bool {
    super::place::moves(record, node).next().is_some()
}

/// `Move 34: Black Q16, takes 2 stones`.
fn headline(record: &Record, trace: &Trace<'_>, node: NodeId, locale: Locale) -> String {
    let size = trace.board.size();
    let own = super::place::moves(record, node).last();
    let played = own.and_then(|(color, value)| Some((color, value::vertex(value.raw(), size).ok()?)));
    let mut line = match (played, locale) {
        (Some((color, vertex)), _) => {
            let at = locale.vertex(vertex, &vertex.to_gtp(size));
            let player = locale.player(color);
            match locale {
                Locale::English => format!("**Move {}: {player} {at}**", trace.number),
                Locale::Chinese => format!("**第 {} 手：{player} {at}**", trace.number),
            }
        }
        (None, _) if trace.last.is_none() => format!("**{}**", locale.pick("Start of the game", "开局")),
        (None, Locale::English) => format!("**After move {}**", trace.number),
        (None, Locale::Chinese) => format!("**第 {} 手之后**", trace.number),
    };
    let taken = trace.taken.len();
    match (taken, locale) {
        (0, _) => {}
        (1, Locale::English) => line.push_str(", takes 1 stone"),
        (_, Locale::English) => line.push_str(&format!(", takes {taken} stones")),
        (_, Locale::Chinese) => line.push_str(&format!("，提 {taken} 子")),
    }
    line
}

/// Captures, side to move, ko; at a root what the game is played with, and why we think so.
fn facts(record: &Record, trace: &Trace<'_>, node: NodeId, locale: Locale) -> String {
    let (black, white) = (trace.board.captures(Color::Black), trace.board.captures(Color::White));
    let is_root = record.parent(node).is_none();
    let effective = is_root.then(|| effective(record, node));
    let to_play = locale.player(turn(record, node, None).0);
    let mut facts = vec![
        match locale {
            Locale::English => format!("Captures: Black {black}, White {white}"),
            Locale::Chinese => format!("提子：黑方 {black}，白方 {white}"),
        },
        match locale {
            Locale::English => format!("{to_play} to play"),
            Locale::Chinese => format!("轮到{to_play}"),
        },
    ];
    if let (Some(effective), Some(last)) = (&effective, facts.last_mut()) {
        last.push_str(&format!(" ({})", effective.to_play.reason.get(locale)));
    }
    if let Some(point) = trace.board.ko() {
        let at = Vertex::At(point).to_gtp(trace.board.size());
        facts.push(format!("{} {at}", locale.pick("ko at", "劫：")));
    }
    if let Some(effective) = effective {
        facts.extend(komi(record, node, locale));
        if effective.handicap.value > 0 {
            let (stones, why) = (effective.handicap.value, effective.handicap.reason.get(locale));
            let unit = locale.pick("handicap stones", "让子");
            facts.push(format!("{stones} {unit} ({why})"));
        }
        let rules = effective.rules.value;
        facts.extend(rules.map(|rules| format!("{} {}", locale.pick("rules", "规则"), markdown(&rules))));
    }
    facts.join(" · ")
}

/// The win rate that a move cost the player who made it, in percent, and the points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Loss {
    pub winrate: Option<f64>,
    pub points: Option<f64>,
}

/// What the move of a node cost, by the values stored there and before it.
pub(super) fn loss(record: &Record, node: NodeId, own: &Analysis) -> Option<Loss> {
    let (color, _) = super::place::moves(record, node).last()?;
    let before = analysis(record, record.parent(node)?)?;
    let lost = |before: Option<f64>, after: Option<f64>| {
        let change = before? - after?;
        Some(if color == Color::Black { change } else { -change })
    };
    let loss = Loss { winrate: lost(before.winrate, own.winrate), points: lost(before.lead, own.lead) };
    (loss.winrate.is_some() || loss.points.is_some()).then_some(loss)
}

fn analysis_text(record: &Record, node: NodeId, locale: Locale) -> Option<String> {
    let found = analysis(record, node)?;
    let size = record.size(node);
    let mut said = Vec::new();
    if let Some(rate) = found.winrate {
        said.push(format!("{} {} %", locale.player(Color::Black), rounded(rate)));
    }
    said.extend(found.lead.map(|lead| lead_text(lead, locale)));
    if let Some(visits) = found.visits {
        said.push(format!("{visits} {}", locale.pick("visits", "次计算")));
    }
    if let Some(loss) = loss(record, node, &found) {
        let points = loss.points.map(|points| (rounded(points), locale.pick(" points", " 目")));
        let (number, unit) = points.or(loss.winrate.map(|rate| (rounded(rate), " %")))?;
        said.push(format!("{} {number}{unit}", locale.pick("costs", "损失")));
    }
    let mut text =
        format!("{} ({}): {}", locale.pick("Stored analysis", "已存分析"), found.source, said.join(", "));
    if !found.line.is_empty() {
        let moves: Vec<String> =
            found.line.iter().take(LINE).map(|vertex| locale.vertex(*vertex, &vertex.to_gtp(size))).collect();
        text.push_str(&format!("\n\n{} {}", locale.pick("Best line:", "最佳变化："), moves.join(" ")));
    }
    Some(text)
}

/// Moves of a stored line that are shown.
const LINE: usize = 12;

fn comment(record: &Record, node: NodeId) -> Option<String> {
    let raw = record.property(node, "C")?.first_raw();
    quote(&first_words(raw, QUOTED + 1))
}

#[cfg(test)]
#[path = "hover_tests.rs"]
mod tests;

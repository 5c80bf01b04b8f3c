//! A game as PGN text.

use super::lex::{Kind, tokens};
use crate::text::Span;
use crate::xiangqi::notation::{Notation, chinese, iccs, uci, wxf};
use crate::xiangqi::record::{NodeId, Outcome, Record, Walk};
use crate::xiangqi::{Move, Position, START_FEN, Side};

/// How a game is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// The notation of the moves; ICCS is written as `H2-E2`.
    pub notation: Notation,
    /// Whether Black's numbers in Chinese moves are wide, `马８进７`: programs of the time of GBK read
    /// nothing else.
    pub wide_digits: bool,
    /// Whether lines end with CRLF.
    pub crlf: bool,
}

impl Default for Style {
    /// Chinese, narrow digits, LF.
    fn default() -> Style {
        Style { notation: Notation::Chinese, wide_digits: false, crlf: false }
    }
}

/// A move as the style writes it, in the position before it.
pub fn move_text(position: &Position, played: Move, style: Style) -> String {
    match style.notation {
        Notation::Chinese => {
            let text = chinese(position, played);
            if style.wide_digits && !text.is_ascii() { text.chars().map(wide).collect() } else { text }
        }
        Notation::Wxf => wxf(position, played),
        Notation::Uci => uci(played),
        Notation::Iccs => {
            let text = iccs(played).to_ascii_uppercase();
            let (from, to) = text.split_at(2);
            format!("{from}-{to}")
        }
    }
}

/// The style that a game is written in, as its moves show; the usual one where it has none.
pub fn style_of(record: &Record, text: &str) -> Style {
    let moves =
        || record.nodes().map(|(_, node)| node.span.slice(text)).filter(|written| !written.is_empty());
    let first = moves().next().unwrap_or_default();
    let points = || {
        let letters = first.bytes().filter(u8::is_ascii_alphabetic).count();
        letters == 2 && first.bytes().filter(u8::is_ascii_digit).count() >= 2 && !first.contains(['+', '='])
    };
    let notation = match first.is_ascii() && !first.is_empty() {
        true if points() => match moves().any(|written| written.contains("10")) {
            true => Notation::Uci,
            false => Notation::Iccs,
        },
        true => Notation::Wxf,
        false => Notation::Chinese,
    };
    let wide_digits = moves().any(|written| written.contains(|letter| matches!(letter, '１'..='９')));
    Style { notation, wide_digits, crlf: text.contains("\r\n") }
}

/// The moves of a game written anew, and the range of its text that they take the place of. `None` where
/// tags stand among them.
pub(in crate::xiangqi::record) fn moves_anew(
    record: &Record,
    text: &str,
    wanted: &Record,
) -> Option<(Span, String)> {
    let written = write(wanted, style_of(record, text));
    let (_, moves) = written.split_once(if text.contains("\r\n") { "\r\n\r\n" } else { "\n\n" })?;
    let body = tokens(text).find(|token| {
        !matches!(token.kind, Kind::Space | Kind::Escape | Kind::Tag { .. })
            && token.span.start >= record.span().start
    })?;
    let span = Span::new(body.span.start, record.span().end);
    let moves = moves.trim_end();
    let moves = match record.termination() {
        Some(_) => moves,
        None => moves.strip_suffix(record.outcome().to_pgn()).unwrap_or(moves).trim_end(),
    };
    Some((span, moves.to_owned()))
}

fn wide(letter: char) -> char {
    match letter {
        '1'..='9' => char::from_u32(letter as u32 - '1' as u32 + '１' as u32).unwrap_or(letter),
        other => other,
    }
}

/// A game: tags, an empty line, the moves, the result, an empty line.
///
/// `Game` comes first, as the specification wants it; `FEN` and `Format` are written as the start and
/// the notation are, whatever the tags say. A comment with a `}` in it stands behind semicolons. Line
/// breaks in tags become blanks.
pub fn write(record: &Record, style: Style) -> String {
    let mut writer = Writer { text: String::new(), style };
    writer.tags(record);
    writer.text.push('\n');
    if let Some(root) = record.node(NodeId::ROOT) {
        writer.comment(&root.comment);
    }
    if let Some(walk) = Walk::new(record) {
        writer.moves(record, walk);
    }
    writer.text.push_str(record.outcome().to_pgn());
    writer.text.push_str("\n\n");
    if style.crlf { writer.text.replace('\n', "\r\n") } else { writer.text }
}

struct Writer {
    text: String,
    style: Style,
}

/// Letters, digits and underscores of a name.
fn tag_name(name: &str) -> String {
    let name: String = name.chars().filter(|letter| letter.is_alphanumeric() || *letter == '_').collect();
    if name.is_empty() { "Tag".to_owned() } else { name }
}

/// What is still to be written; the last one first.
enum Work {
    /// A move and what follows it; whether its number must be written even for Black.
    Line(NodeId, bool),
    /// A variation that starts with this move.
    Variation(NodeId),
    Close,
}

impl Writer {
    fn tags(&mut self, record: &Record) {
        self.tag("Game", record.tag("Game").unwrap_or("Chinese Chess"));
        let mut result = false;
        for tag in record.tags() {
            match tag_name(&tag.name).as_str() {
                "Game" | "Format" => continue,
                name if name.eq_ignore_ascii_case("FEN") => continue,
                "Result" => {
                    result = true;
                    self.tag("Result", record.outcome().to_pgn());
                }
                name => self.tag(name, &tag.value),
            }
        }
        if !result && record.outcome() != Outcome::Unknown {
            self.tag("Result", record.outcome().to_pgn());
        }
        let format = match self.style.notation {
            Notation::Chinese => None,
            Notation::Iccs => Some("ICCS"),
            Notation::Uci => Some("UCI"),
            Notation::Wxf => Some("WXF"),
        };
        if let Some(format) = format {
            self.tag("Format", format);
        }
        match record.start() {
            Some(start) if start.to_fen() != START_FEN => self.tag("FEN", &start.to_fen()),
            Some(_) => {}
            None => {
                let said = record.tags().iter().find(|tag| tag.name.eq_ignore_ascii_case("FEN"));
                // An empty one would be the usual start, and on one line it may become a start.
                let stays = |said: &String| !said.trim().is_empty() && Position::from_fen(said).is_err();
                let said = said.map(|tag| one_line(&tag.value)).filter(stays);
                self.tag("FEN", said.as_deref().unwrap_or("?"));
            }
        }
    }

    fn tag(&mut self, name: &str, value: &str) {
        let value = one_line(value).replace('\\', "\\\\").replace('"', "\\\"");
        self.text.extend(["[", name, " \"", &value, "\"]\n"]);
    }

    fn moves(&mut self, record: &Record, mut walk: Walk) {
        let mut work: Vec<_> =
            record.first_child(NodeId::ROOT).map(|first| Work::Line(first, true)).into_iter().collect();
        while let Some(next) = work.pop() {
            match next {
                Work::Close => {
                    self.text.truncate(self.text.trim_end_matches(' ').len());
                    self.text.push_str(")\n");
                }
                Work::Variation(node) => {
                    self.text.push('(');
                    work.extend([Work::Close, Work::Line(node, true)]);
                }
                Work::Line(node, numbered) => {
                    let apart = self.played(record, &mut walk, node, numbered);
                    let elder =
                        record.parent(node).and_then(|parent| record.first_child(parent)) == Some(node);
                    let siblings =
                        std::iter::successors(record.next_sibling(node), |it| record.next_sibling(*it));
                    let siblings: Vec<_> = if elder { siblings.collect() } else { Vec::new() };
                    if let Some(child) = record.first_child(node) {
                        work.push(Work::Line(child, apart || !siblings.is_empty()));
                    }
                    if !siblings.is_empty() {
                        self.fresh_line();
                    }
                    work.extend(siblings.into_iter().rev().map(Work::Variation));
                }
            }
        }
        self.fresh_line();
    }

    /// Writes a move; whether something stands behind it, so that Black's answer needs its number.
    fn played(&mut self, record: &Record, walk: &mut Walk, id: NodeId, numbered: bool) -> bool {
        let parent = record.parent(id).unwrap_or_default();
        let (Some(node), Some(position)) = (record.node(id), walk.go(record, parent)) else { return false };
        let Some(played) = node.played else { return false };
        let number = position.fullmove();
        match position.turn() {
            Side::Red => {
                if !self.text.ends_with(['(', '\n']) {
                    self.fresh_line();
                }
                self.text.push_str(&format!("{number}. "));
            }
            Side::Black if numbered => self.text.push_str(&format!("{number}... ")),
            Side::Black => {}
        }
        self.text.push_str(&move_text(position, played, self.style));
        self.text.push(' ');
        node.nags.iter().for_each(|glyph| self.text.push_str(&format!("${glyph} ")));
        if node.comment.is_empty() {
            return false;
        }
        self.comment(&node.comment);
        true
    }

    fn comment(&mut self, comment: &str) {
        if comment.is_empty() {
            return;
        }
        // A line may end with CR only too, and a comment of lines with it.
        let comment = comment.replace("\r\n", "\n").replace('\r', "\n");
        if !comment.contains('}') {
            self.text.extend(["{", &comment, "}\n"]);
            return;
        }
        self.fresh_line();
        for line in comment.split('\n') {
            self.text.extend(["; ", line, "\n"]);
        }
    }

    fn fresh_line(&mut self) {
        self.text.truncate(self.text.trim_end_matches(' ').len());
        if !self.text.ends_with('\n') {
            self.text.push('\n');
        }
    }
}

/// A text on one line, as a tag's value stands.
fn one_line(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}

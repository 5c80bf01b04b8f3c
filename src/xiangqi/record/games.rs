//! A text with its games, each read when it is first asked for.

use std::sync::{Arc, OnceLock};

use super::finding::{self, Finding};
use super::{Node, NodeId, Record, dhtmlxq, pgn};
use crate::text::{Level, Levels, MAX_FINDINGS, Severity, Span, TextEdit};

/// How a text writes its games.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Form {
    /// PGN.
    Pgn,
    /// DhtmlXQ.
    DhtmlXq,
}

/// The most games of one text that are read.
pub const MAX_GAMES: usize = 100_000;

/// The games of a text.
///
/// Each is read by itself, so that after a change only the games that it touches are read anew; see
/// [`Games::read_after`]. The ranges of a [`Record`] are of its game's own stretch of the text.
#[derive(Debug, Clone)]
pub struct Games {
    text: Arc<str>,
    form: Form,
    parts: Vec<Part>,
    /// What is left alone, since there are too many games.
    left_out: Option<Span>,
}

#[derive(Debug, Clone)]
struct Part {
    span: Span,
    record: Arc<OnceLock<Record>>,
}

impl Games {
    /// Finds the games of a text. It never fails.
    pub fn read(text: impl Into<Arc<str>>, form: Form) -> Games {
        let text = text.into();
        let starts = match form {
            Form::Pgn => pgn::starts(&text).collect(),
            Form::DhtmlXq => dhtmlxq::starts(&text),
        };
        Games::with(text, form, starts)
    }

    fn with(text: Arc<str>, form: Form, mut starts: Vec<u32>) -> Games {
        let length = text.len() as u32;
        let left_out = starts.get(MAX_GAMES).map(|first| Span::new(*first, length));
        starts.truncate(MAX_GAMES + 1);
        let ends = starts.iter().skip(1).copied().chain([length]);
        let spans = starts.iter().zip(ends).take(MAX_GAMES).map(|(start, end)| Span::new(*start, end));
        let parts = spans.map(|span| Part { span, record: Arc::default() }).collect();
        Games { parts, text, form, left_out }
    }

    /// The same of a text that was another one before: games whose text is as it was are not read
    /// again.
    pub fn read_after(text: impl Into<Arc<str>>, before: &Games) -> Games {
        let text = text.into();
        let mut games = match before.form == Form::Pgn && before.left_out.is_none() {
            true => {
                let starts = before.starts_after(&text);
                Games::with(text, before.form, starts)
            }
            false => Games::read(text, before.form),
        };
        let same = |new: &Part, old: &Part| new.span.slice(&games.text) == old.span.slice(&before.text);
        let pairs = || games.parts.iter().zip(&before.parts);
        let front = pairs().take_while(|(new, old)| same(new, old)).count();
        let rest = games.parts.len().min(before.parts.len()) - front;
        let pairs = games.parts.iter().rev().zip(before.parts.iter().rev()).take(rest);
        let back = pairs.take_while(|(new, old)| same(new, old)).count();
        let (new, old) = (games.parts.len(), before.parts.len());
        for at in 0..front {
            games.parts[at].record = before.parts[at].record.clone();
        }
        for at in 1..=back {
            games.parts[new - at].record = before.parts[old - at].record.clone();
        }
        games
    }

    /// Where the games of PGN begin after a change: only those around it are looked for.
    fn starts_after(&self, text: &str) -> Vec<u32> {
        let pairs = self.text.bytes().zip(text.bytes());
        let head = pairs.take_while(|(old, new)| old == new).count();
        let rest = self.text.len().min(text.len()) - head;
        let pairs = self.text.bytes().rev().zip(text.bytes().rev()).take(rest);
        let tail = pairs.take_while(|(old, new)| old == new).count();
        // A game that ends before the change has begun where it did.
        let whole = self.parts.partition_point(|part| (part.span.end as usize) < head);
        let mut starts: Vec<u32> = self.parts.iter().take(whole).map(|part| part.span.start).collect();
        let from = starts.pop().unwrap_or(0);
        for own in pgn::starts(text.get(from as usize..).unwrap_or_default()) {
            let start = from + own;
            // Where a game has begun behind the change, the others follow as they did.
            let behind = start as usize + tail >= text.len();
            let old = (start as usize + self.text.len()).checked_sub(text.len()).filter(|_| behind);
            let known = old
                .and_then(|old| self.parts.binary_search_by_key(&old, |part| part.span.start as usize).ok());
            if let Some(known) = known.filter(|known| *known > 0) {
                let moved = |part: &Part| (part.span.start as usize + text.len() - self.text.len()) as u32;
                starts.extend(self.parts.iter().skip(known).map(moved));
                break;
            }
            starts.push(start);
        }
        starts
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// How it writes its games.
    pub fn form(&self) -> Form {
        self.form
    }

    /// How many games there are.
    pub fn len(&self) -> usize {
        self.parts.len()
    }

    /// Whether there are none: a text without a block of DhtmlXQ.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// A game, by its place among the others.
    pub fn game(&self, index: usize) -> Option<Game<'_>> {
        let part = self.parts.get(index)?;
        let text = part.span.slice(&self.text);
        let record = part.record.get_or_init(|| {
            let games = match self.form {
                Form::Pgn => pgn::read(text),
                Form::DhtmlXq => dhtmlxq::read(text),
            };
            games.into_iter().next().unwrap_or_else(|| Record::with_start(None))
        });
        Some(Game { index, form: self.form, text, start: part.span.start, record })
    }

    /// All games.
    pub fn iter(&self) -> impl Iterator<Item = Game<'_>> {
        (0..self.parts.len()).filter_map(|index| self.game(index))
    }

    /// The game at an offset; where two meet, the one that starts there.
    pub fn at(&self, offset: u32) -> Option<Game<'_>> {
        let behind = self.parts.partition_point(|part| part.span.start <= offset);
        self.game(behind.checked_sub(1)?)
    }

    /// What is wrong, in the order of the text, as bad as `levels` say. When there is more than
    /// [`MAX_FINDINGS`], the worst and first, and one that says so at the end.
    pub fn findings(&self, levels: &Levels) -> Vec<Finding> {
        let mut list = Vec::new();
        let mut left_out = 0;
        for game in self.iter() {
            let record = game.record;
            left_out += record.findings_left_out();
            for found in record.findings() {
                let mut found = found.clone().shifted(game.start);
                match levels.get(found.code) {
                    Some(Level::Off) => continue,
                    Some(Level::Show(severity)) => found.severity = severity,
                    None => {}
                }
                list.push(found);
            }
            if list.len() > MAX_FINDINGS * 20 {
                left_out += keep_worst(&mut list);
            }
        }
        if let Some(span) = self.left_out {
            let said = (format!("more than {MAX_GAMES} games"), format!("超过 {MAX_GAMES} 局"));
            list.push(finding::new("too-many-games", Severity::Error, span, said));
        }
        left_out += keep_worst(&mut list);
        list.sort_by_key(|found| found.span.start);
        if left_out > 0 && levels.get("more-findings") != Some(Level::Off) {
            let said = (
                format!("{left_out} further findings are not shown"),
                format!("另有 {left_out} 个问题未显示"),
            );
            let start = Span::new(0, self.text.chars().next().map_or(0, char::len_utf8) as u32);
            list.push(finding::new("more-findings", Severity::Information, start, said));
        }
        list
    }
}

/// Keeps as many findings as are shown; how many go.
fn keep_worst(list: &mut Vec<Finding>) -> usize {
    let more = list.len().saturating_sub(MAX_FINDINGS);
    if more > 0 {
        list.sort_by_key(|found| (found.severity, found.span.start));
        list.truncate(MAX_FINDINGS);
    }
    more
}

/// A game of a text. Offsets and ranges of its methods are of the whole text.
#[derive(Debug, Clone, Copy)]
pub struct Game<'a> {
    /// Its place among the games of the text.
    pub index: usize,
    /// How it is written.
    pub form: Form,
    /// Its stretch of the text.
    pub text: &'a str,
    /// Where that begins.
    pub start: u32,
    /// What it says.
    pub record: &'a Record,
}

impl<'a> Game<'a> {
    /// A range of the game's own text in the whole text.
    pub fn span(&self, own: Span) -> Span {
        own.shifted(self.start)
    }

    /// From its first tag or bracket to its end.
    pub fn whole(&self) -> Span {
        self.span(self.record.span())
    }

    /// The tags of the game, from the first to the last one; empty where there are none.
    pub fn tags(&self) -> Span {
        let tags = self.record.tags();
        // The value's closing mark and bracket are part of it.
        let rest = |tag: &super::Tag| {
            let behind = self.text.get(tag.span.end as usize..).unwrap_or_default();
            let mark = if self.form == Form::Pgn { "]" } else { "[/DhtmlXQ_" };
            let open = behind.find(mark)?;
            Some(tag.span.end + (open + behind.get(open..)?.find(']')? + 1) as u32)
        };
        let whole = self.record.span();
        let end = tags.iter().filter_map(rest).max().unwrap_or(whole.start);
        self.span(Span::new(whole.start, end.max(whole.start)))
    }

    /// The text of a node: its move; for the start the tags.
    pub fn node_span(&self, id: NodeId) -> Span {
        match self.record.node(id) {
            Some(node) if id != NodeId::ROOT => self.span(node.span),
            _ => self.tags(),
        }
    }

    /// The move of a node as it is written.
    pub fn written(&self, node: &Node) -> &'a str {
        node.span.slice(self.text)
    }

    /// The node at an offset: the one whose move or comment stands there, else the last one that stands
    /// before it, else the start.
    pub fn node_at(&self, offset: u32) -> NodeId {
        let own = offset.saturating_sub(self.start);
        let before = || {
            let moves = self.record.nodes().filter(|(_, node)| !node.span.is_empty() && node.span.end <= own);
            moves.max_by_key(|(_, node)| node.span.end).map(|(id, _)| id)
        };
        self.record.node_at(own).or_else(before).unwrap_or_default()
    }

    /// Edits of the game's own text as edits of the whole text.
    pub fn edits(&self, own: Vec<TextEdit>) -> Vec<TextEdit> {
        own.into_iter().map(|edit| TextEdit { span: edit.span.shifted(self.start), ..edit }).collect()
    }
}

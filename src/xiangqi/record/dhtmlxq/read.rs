//! Blocks as games.

use std::collections::{BTreeMap, VecDeque};

use super::blocks::{Block, blocks, unescape};
use crate::text::{Severity, Span};
use crate::xiangqi::record::binary::pieces;
use crate::xiangqi::record::finding;
use crate::xiangqi::record::moves::Builder;
use crate::xiangqi::record::names::{Outcome, from_dhtmlxq};
use crate::xiangqi::record::{NodeId, Record};
use crate::xiangqi::{Fault, Move, Position, Square};

/// The most games of one text; more are left alone.
const MAX_GAMES: usize = 100_000;

/// Reads every game of a text. Text around the blocks is left alone; a text without a block has no
/// games.
pub fn read(text: &str) -> Vec<Record> {
    let mut games: Vec<Game> = Vec::new();
    for block in blocks(text) {
        match block {
            Block::Start(at) => games.push(Game { start: at, end: at, blocks: Vec::new() }),
            Block::Value { name, value, span, closed } => {
                if games.is_empty() {
                    games.push(Game { start: span.start, end: span.end, blocks: Vec::new() });
                }
                if let Some(game) = games.last_mut() {
                    game.end = span.end;
                    game.blocks.push((name, value, closed));
                }
            }
        }
    }
    games.retain(|game| !game.blocks.is_empty());
    games.truncate(MAX_GAMES);
    games.iter().map(|game| game.read(text)).collect()
}

/// Where the games of a text begin: the first one with the text, each other one with its bracket. [`read`]
/// makes the same games of the whole text as of its parts.
pub fn starts(text: &str) -> Vec<u32> {
    let mut starts: Vec<u32> = Vec::new();
    let mut waiting = None;
    for block in blocks(text) {
        match block {
            Block::Start(at) => waiting = Some(at),
            Block::Value { span, .. } if starts.is_empty() => {
                starts.push(waiting.take().unwrap_or(span.start));
            }
            Block::Value { .. } => starts.extend(waiting.take()),
        }
    }
    if let Some(first) = starts.first_mut() {
        *first = 0;
    }
    starts
}

/// The blocks of a text, each from its `[` to behind its closing tag.
pub fn spans(text: &str) -> impl Iterator<Item = Span> + '_ {
    blocks(text).filter_map(|block| match block {
        Block::Value { span, .. } => Some(span),
        Block::Start(_) => None,
    })
}

/// The blocks of one game.
struct Game<'a> {
    start: u32,
    end: u32,
    blocks: Vec<(&'a str, Span, bool)>,
}

/// A list of moves: branch 0 is the game.
struct Branch {
    id: u32,
    /// The branch it leaves, and the move of it that it replaces.
    from: (u32, u32),
    moves: Span,
}

/// Where a branch has come into the tree: the node before its first move, and its moves.
struct Placed {
    base: NodeId,
    nodes: Vec<NodeId>,
}

impl Game<'_> {
    fn read(&self, text: &str) -> Record {
        let mut record = Record::with_start(None);
        record.span = Span::new(self.start, self.end);
        let mut branches = Vec::new();
        let mut comments = Vec::new();
        let (mut fen, mut binit) = (None, None);
        for &(name, value, closed) in &self.blocks {
            if !closed {
                let said = (format!("{name} has no closing tag"), format!("{name} 缺少结束标签"));
                record.findings.push(finding::new("unclosed-block", Severity::Error, value, said));
            }
            let raw = value.slice(text);
            if name == "movelist" {
                branches.push(Branch { id: 0, from: (0, 1), moves: value });
            } else if let Some([parent, step, id]) = name.strip_prefix("move_").and_then(numbers) {
                branches.push(Branch { id, from: (parent, step), moves: value });
            } else if let Some(place) = name.strip_prefix("comment").and_then(place) {
                comments.push((place, value));
            } else if name == "fen" {
                fen = Some(value);
            } else if name == "binit" || name == "init" && digits(raw).len() == 64 {
                binit = Some(value);
            } else {
                tag(&mut record, name, raw, value);
            }
        }
        start(&mut record, text, fen, binit);
        let mut reading = Reading { text, builder: Builder::new(record), placed: BTreeMap::new() };
        reading.branches(branches);
        reading.comments(&comments);
        reading.builder.record
    }
}

fn tag(record: &mut Record, name: &str, raw: &str, span: Span) {
    let value = unescape(raw);
    let value = match (name, Outcome::parse(&value)) {
        ("result", Some(outcome)) => outcome.to_pgn().into(),
        _ => value,
    };
    let name = if name == "result" { "Result" } else { from_dhtmlxq(name) };
    record.push_tag(name, value, span);
}

/// The start: what `fen` says, else `binit`, else the usual one.
fn start(record: &mut Record, text: &str, fen: Option<Span>, binit: Option<Span>) {
    let (position, span) = match (fen.filter(|span| !span.slice(text).trim().is_empty()), binit) {
        (Some(span), _) => (Position::from_fen(span.slice(text)), span),
        (None, Some(span)) => {
            let digits = digits(span.slice(text));
            let points = digits.chunks(2).map(|pair| match pair {
                [col, row] => Square::at(usize::from(*row), usize::from(*col)),
                _ => None,
            });
            (pieces(points.take(32)), span)
        }
        (None, None) => (Ok(Position::start()), Span::at(0)),
    };
    match position {
        Ok(position) => record.start = Some(position),
        Err(faults) => {
            let findings = faults.0.iter().map(|fault: &Fault| finding::start(fault, span));
            findings.for_each(|finding| record.findings.push(finding));
        }
    }
}

fn digits(text: &str) -> Vec<u8> {
    text.bytes().filter(u8::is_ascii_digit).map(|digit| digit - b'0').collect()
}

fn numbers(text: &str) -> Option<[u32; 3]> {
    let mut parts = text.split('_').map(|part| part.parse().ok());
    let numbers = [parts.next()??, parts.next()??, parts.next()??];
    parts.next().is_none().then_some(numbers)
}

/// `7`: move 7 of the main line; `2_7`: of branch 2.
fn place(text: &str) -> Option<(u32, u32)> {
    match text.split_once('_') {
        Some((branch, step)) => Some((branch.parse().ok()?, step.parse().ok()?)),
        None => Some((0, text.parse().ok()?)),
    }
}

struct Reading<'a> {
    text: &'a str,
    builder: Builder,
    placed: BTreeMap<u32, Placed>,
}

impl Reading<'_> {
    /// Puts every branch into the tree, each after the one it leaves.
    fn branches(&mut self, branches: Vec<Branch>) {
        let mut waiting: BTreeMap<u32, Vec<Branch>> = BTreeMap::new();
        let mut ready = VecDeque::new();
        for branch in branches {
            if branch.id == 0 || branch.id == branch.from.0 {
                ready.push_back(branch);
            } else {
                waiting.entry(branch.from.0).or_default().push(branch);
            }
        }
        if ready.is_empty() {
            self.placed.insert(0, Placed { base: NodeId::ROOT, nodes: Vec::new() });
            ready.extend(waiting.remove(&0).unwrap_or_default());
        }
        while let Some(branch) = ready.pop_front() {
            let base = if branch.id == 0 { Some(NodeId::ROOT) } else { self.before(branch.from) };
            match base.filter(|_| !self.placed.contains_key(&branch.id)) {
                Some(base) => {
                    let nodes = self.moves(base, branch.moves);
                    self.placed.insert(branch.id, Placed { base, nodes });
                    ready.extend(waiting.remove(&branch.id).unwrap_or_default());
                }
                None => self.lost(&branch),
            }
        }
        waiting.into_values().flatten().for_each(|branch| self.lost(&branch));
    }

    fn lost(&mut self, branch: &Branch) {
        let (parent, step) = branch.from;
        let said = (
            format!("branch {} leaves move {step} of branch {parent}, which is not there", branch.id),
            format!("变着 {} 所替换的第 {parent} 支第 {step} 步不存在", branch.id),
        );
        self.builder.record.findings.push(finding::new(
            "branch-from-nowhere",
            Severity::Error,
            branch.moves,
            said,
        ));
        self.builder.record.unread.push(branch.moves);
    }

    /// The node before a move of a branch; moves before its first are those of the branch it leaves.
    fn before(&self, (branch, step): (u32, u32)) -> Option<NodeId> {
        let placed = self.placed.get(&branch)?;
        let record = &self.builder.record;
        let first = record.node(placed.base)?.ply + 1;
        match step.checked_sub(first) {
            Some(0) => Some(placed.base),
            Some(index) => placed.nodes.get(index as usize - 1).copied(),
            // Rare, and never far in files that programs write.
            None => std::iter::successors(Some(placed.base), |node| record.parent(*node))
                .take(1000)
                .find(|node| record.node(*node).is_some_and(|node| node.ply + 1 == step)),
        }
    }

    fn moves(&mut self, base: NodeId, span: Span) -> Vec<NodeId> {
        let mut nodes = Vec::new();
        let mut at = base;
        let raw = span.slice(self.text);
        let mut letters = raw.char_indices().filter(|(_, letter)| !letter.is_whitespace()).peekable();
        while let Some(&(first, _)) = letters.peek() {
            let four: Vec<_> = letters.by_ref().take(4).collect();
            let last = four.last().map_or(first, |(at, letter)| at + letter.len_utf8());
            let place = Span::new(span.start + first as u32, span.start + last as u32);
            let digits: Vec<_> = four.iter().filter_map(|(_, letter)| letter.to_digit(10)).collect();
            let point = |col: u32, row: u32| Square::at(row as usize, col as usize);
            let played = match digits[..] {
                [col, row, to_col, to_row] => {
                    point(col, row).zip(point(to_col, to_row)).map(|(from, to)| Move::new(from, to))
                }
                _ => None,
            };
            let node = match played {
                Some(played) => self.builder.play(at, played, place),
                None => {
                    let said =
                        ("a move is four digits: two points of the board", "着法应为四位数字：起点和终点");
                    self.builder.record.findings.push(finding::new(
                        "malformed",
                        Severity::Error,
                        place,
                        said,
                    ));
                    None
                }
            };
            let Some(node) = node else {
                self.builder.record.unread.push(Span::new(place.start, span.end));
                break;
            };
            nodes.push(node);
            at = node;
        }
        nodes
    }

    fn comments(&mut self, comments: &[((u32, u32), Span)]) {
        for &((branch, step), span) in comments {
            // The comment on move N stands on the node before move N + 1.
            let node = match step {
                0 => Some(NodeId::ROOT),
                step => self.before((branch, step.saturating_add(1))),
            };
            match node {
                Some(node) => self.builder.record.comment(node, &unescape(span.slice(self.text)), span),
                None if span.slice(self.text).trim().is_empty() => {}
                None => {
                    let said = (
                        format!("the comment on move {step} of branch {branch} has no move"),
                        format!("第 {branch} 支第 {step} 步的注释没有对应的着法"),
                    );
                    self.builder.record.findings.push(finding::new(
                        "comment-without-move",
                        Severity::Error,
                        span,
                        said,
                    ));
                    self.builder.record.unread.push(span);
                }
            }
        }
        self.builder.record.trim_comments();
    }
}

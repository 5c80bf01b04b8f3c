//! A PGN text as games.

use super::lex::{Kind, Token, tokens};
use crate::text::{Severity, Span};
use crate::xiangqi::Position;
use crate::xiangqi::notation::Notation;
use crate::xiangqi::record::finding;
use crate::xiangqi::record::moves::Builder;
use crate::xiangqi::record::names::Outcome;
use crate::xiangqi::record::tree::trim;
use crate::xiangqi::record::{NodeId, Record};

/// Reads every game of a text. It never fails: a text without anything in it is one game without
/// moves.
pub fn read(text: &str) -> Vec<Record> {
    let mut reader = Reader { text, games: Vec::new(), game: Game::default() };
    for token in tokens(text) {
        reader.token(token);
    }
    reader.end_game();
    if reader.games.is_empty() {
        reader.games.push(Record::new(Position::start()));
    }
    reader.games
}

/// Where the games of a text begin: the first one with the text, each other one with its first tag. From
/// there on a text is read as if nothing stood before: [`read`] makes the same games of the whole text as
/// of its parts.
pub fn starts(text: &str) -> impl Iterator<Item = u32> + '_ {
    // Of the game so far: whether it has anything, and whether another tag begins the next one.
    let (mut any, mut over, mut closed) = (false, false, false);
    let begins = move |token: Token| {
        match token.kind {
            Kind::Space | Kind::Escape => {}
            Kind::Tag { .. } => {
                let next = any && over;
                (any, over, closed) = (true, false, false);
                return next.then_some(token.span.start);
            }
            _ if closed => {}
            Kind::Word if is_rule(token.span.slice(text)) => (over, closed) = (true, true),
            kind => {
                (any, over) = (true, true);
                closed = kind == Kind::Word && is_result(token.span.slice(text));
            }
        }
        None
    };
    std::iter::once(0).chain(tokens(text).filter_map(begins))
}

/// The most games of one text.
pub(in crate::xiangqi::record) const MAX_GAMES: usize = 100_000;

struct Reader<'a> {
    text: &'a str,
    games: Vec<Record>,
    game: Game,
}

/// What is known of the game that is being read.
#[derive(Default)]
struct Game {
    tags: Vec<(Span, Span)>,
    body: Vec<Token>,
    /// Whether the result has been seen; what follows up to the next tag is advertisement.
    over: bool,
    last: u32,
}

impl Reader<'_> {
    fn token(&mut self, token: Token) {
        match token.kind {
            Kind::Space | Kind::Escape => return,
            Kind::Tag { name, value } => {
                if !self.game.body.is_empty() || self.game.over {
                    self.end_game();
                }
                self.game.tags.push((name, value));
            }
            _ if self.game.over => return,
            Kind::Word if is_rule(token.span.slice(self.text)) => {
                self.game.over = true;
                return;
            }
            kind => {
                self.game.body.push(token);
                self.game.over = kind == Kind::Word && is_result(token.span.slice(self.text));
            }
        }
        self.game.last = token.span.end;
    }

    fn end_game(&mut self) {
        let game = std::mem::take(&mut self.game);
        let first = game.tags.first().map(|(name, _)| name.start.saturating_sub(1));
        let Some(first) = first.or(game.body.first().map(|token| token.span.start)) else { return };
        if self.games.len() >= MAX_GAMES {
            if let Some(last) = self.games.last_mut().filter(|last| last.findings_left_out() == 0) {
                let said = (format!("more than {MAX_GAMES} games"), format!("超过 {MAX_GAMES} 局"));
                let place = Span::new(first, game.last);
                last.findings.push(finding::new("too-many-games", Severity::Error, place, said));
                last.findings.left_out += 1;
            }
            return;
        }
        let mut record = Record::with_start(None);
        self.tags(&mut record, &game.tags);
        record.span = Span::new(first, game.last);
        let mut lines = Lines::new(self.text, record, &game.body);
        game.body.iter().for_each(|token| lines.token(*token));
        self.games.push(lines.end());
    }

    fn tags(&self, record: &mut Record, tags: &[(Span, Span)]) {
        let mut fen = None;
        for (name, value) in tags {
            let text = unescape(value.slice(self.text));
            if name.slice(self.text).eq_ignore_ascii_case("FEN") && !text.trim().is_empty() {
                fen = fen.or(Some((text.clone(), *value)));
            }
            record.push_tag(name.slice(self.text), text, *value);
        }
        let Some((fen, span)) = fen else {
            record.start = Some(Position::start());
            return;
        };
        match Position::from_fen(&fen) {
            Ok(start) => record.start = Some(start),
            Err(faults) => {
                faults.0.iter().for_each(|fault| record.findings.push(finding::start(fault, span)))
            }
        }
    }
}

/// A backslash stands before a quotation mark or a backslash; elsewhere it is itself.
fn unescape(value: &str) -> String {
    let mut result = String::with_capacity(value.len());
    let mut letters = value.chars().peekable();
    while let Some(letter) = letters.next() {
        let escaped = letters.next_if(|next| letter == '\\' && matches!(next, '"' | '\\'));
        result.push(escaped.unwrap_or(letter));
    }
    result
}

fn is_result(word: &str) -> bool {
    matches!(word, "*" | "1-0" | "0-1" | "1/2-1/2" | "½-½" | "红胜" | "黑胜" | "和棋" | "和局")
}

/// A line drawn of `=` or `-`, as programs put below a game.
fn is_rule(word: &str) -> bool {
    let first = word.chars().next();
    word.len() > 3
        && matches!(first, Some('=' | '-' | '_'))
        && word.chars().all(|letter| Some(letter) == first)
}

/// A line of moves that is being read: the game itself, or a variation.
#[derive(Clone)]
struct Line {
    /// The last move in the tree.
    at: NodeId,
    /// The node before the last move as written, from which a variation starts; none before the
    /// first move, and when that place is not in the tree.
    back: Option<NodeId>,
    /// Whether a move could not be read.
    dead: bool,
    /// Comments before the first move of a variation.
    lead: Vec<Span>,
    /// Where a variation opens.
    open: Option<Span>,
}

impl Line {
    fn new(at: NodeId, dead: bool, open: Option<Span>) -> Line {
        Line { at, back: None, dead, lead: Vec::new(), open }
    }
}

struct Lines<'a> {
    text: &'a str,
    builder: Builder,
    line: Line,
    outer: Vec<Line>,
    /// UCI's ranks go from 1 to 10; one rank 10 says so for the game, or `Format`.
    uci: bool,
    /// Whether the last number had the dots of a move of Black's.
    black: bool,
    last_unread: bool,
}

impl<'a> Lines<'a> {
    fn new(text: &'a str, record: Record, body: &[Token]) -> Lines<'a> {
        let words = body.iter().filter(|token| token.kind == Kind::Word);
        let uci = words.into_iter().any(|token| coordinates(token.span.slice(text)) == Some(true))
            || record.tag("Format").is_some_and(|format| format.eq_ignore_ascii_case("UCI"));
        let dead = record.start.is_none();
        Lines {
            text,
            builder: Builder::new(record),
            line: Line::new(NodeId::ROOT, dead, None),
            outer: Vec::new(),
            uci,
            black: false,
            last_unread: false,
        }
    }

    fn token(&mut self, token: Token) {
        let unread = match token.kind {
            Kind::Comment { .. } | Kind::LineComment => self.comment(token),
            Kind::Open => {
                let back = self.line.back;
                let inside = Line::new(back.unwrap_or(self.line.at), back.is_none(), Some(token.span));
                if back.is_none() && !self.line.dead {
                    let said = ("a variation stands before any move", "变着之前没有着法");
                    self.find("variation-without-move", token.span, said);
                }
                self.outer.push(std::mem::replace(&mut self.line, inside));
                back.is_none()
            }
            Kind::Close => {
                let dead = self.line.dead;
                match self.outer.pop() {
                    Some(outer) => self.line = outer,
                    None => {
                        self.find("stray-parenthesis", token.span, ("no variation ends here", "多余的右括号"))
                    }
                }
                dead && self.last_unread
            }
            Kind::Glyph(glyph) => {
                if let Some(node) = self.builder.record.node_mut(self.line.at).filter(|_| !self.line.dead) {
                    node.nags.push(glyph);
                }
                self.line.dead
            }
            Kind::Number => {
                self.black =
                    token.span.slice(self.text).trim_start_matches(|it: char| it.is_ascii_digit()).len() > 1;
                self.line.dead && self.last_unread
            }
            Kind::Word => self.word(token.span),
            Kind::Space | Kind::Escape | Kind::Tag { .. } => false,
        };
        if unread {
            self.unread(token.span);
        }
        self.last_unread = unread;
    }

    /// Whether it is not in the tree.
    fn comment(&mut self, token: Token) -> bool {
        if token.kind == (Kind::Comment { closed: false }) {
            self.find("unclosed-comment", token.span, ("the comment has no `}`", "注释缺少右花括号"));
        }
        if self.line.dead {
            return true;
        }
        if self.line.open.is_some() && self.line.back.is_none() {
            self.line.lead.push(token.span);
        } else {
            self.builder.record.comment(self.line.at, &comment_text(token.span.slice(self.text)), token.span);
        }
        false
    }

    /// Whether it is not in the tree.
    fn word(&mut self, span: Span) -> bool {
        let word = span.slice(self.text);
        if is_result(word) {
            if self.outer.is_empty() {
                self.builder.record.end = Outcome::parse(word).map(|outcome| (outcome, span));
            }
            return false;
        }
        if self.line.dead {
            self.line.back = None;
            return true;
        }
        let notation = (self.uci && coordinates(word).is_some()).then_some(Notation::Uci);
        let parent = self.line.at;
        self.line.back = Some(parent);
        match self.builder.read(parent, word, (span, self.black), notation) {
            Some(node) => {
                for lead in std::mem::take(&mut self.line.lead) {
                    self.builder.record.comment(node, &comment_text(lead.slice(self.text)), lead);
                }
                self.line.at = node;
                false
            }
            None => {
                self.line.dead = true;
                true
            }
        }
    }

    /// Notes a stretch that is not in the tree, as one with the one before it.
    fn unread(&mut self, span: Span) {
        match self.builder.record.unread.last_mut().filter(|_| self.last_unread) {
            Some(last) => last.end = span.end,
            None => self.builder.record.unread.push(span),
        }
    }

    fn find(&mut self, code: &'static str, span: Span, said: (&str, &str)) {
        self.builder.record.findings.push(finding::new(code, Severity::Error, span, said));
    }

    fn end(mut self) -> Record {
        while let Some(outer) = self.outer.pop() {
            let inside = std::mem::replace(&mut self.line, outer);
            if let Some(open) = inside.open {
                self.find("unclosed-variation", open, ("the variation has no `)`", "变着缺少右括号"));
            }
        }
        let mut record = self.builder.record;
        record.trim_comments();
        if let (Some((end, span)), Some(tag)) = (record.end, record.tag("Result").and_then(Outcome::parse))
            && ![end, tag].contains(&Outcome::Unknown)
            && end != tag
        {
            let said = (
                format!("the tag Result says {tag}, the end of the moves {end}"),
                format!("Result 标签是 {tag}，着法之后却是 {end}"),
            );
            record.findings.push(finding::new("result-differs", Severity::Warning, span, said));
        }
        record
    }
}

/// What a comment says: without braces, or without the semicolon and one blank.
fn comment_text(raw: &str) -> String {
    let text = match raw.strip_prefix(';') {
        Some(line) => line.strip_prefix(' ').unwrap_or(line),
        None => trim(raw.strip_prefix('{').map_or(raw, |text| text.strip_suffix('}').unwrap_or(text))),
    };
    if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text.into() }
}

/// Whether a word is two points; and if so whether one has a rank 10.
fn coordinates(word: &str) -> Option<bool> {
    let lower = word.to_ascii_lowercase();
    let second = 1 + lower.get(1..)?.find(|letter: char| letter.is_ascii_lowercase())?;
    let point = |text: &str| {
        let text = text.strip_suffix('-').unwrap_or(text);
        let rank = text.strip_prefix(|letter| matches!(letter, 'a'..='i'))?;
        let digits = !rank.is_empty() && rank.bytes().all(|byte| byte.is_ascii_digit());
        (digits && (rank.len() == 1 || rank == "10")).then_some(rank == "10")
    };
    let (from, to) = lower.split_at_checked(second)?;
    Some(point(from)? | point(to)?)
}

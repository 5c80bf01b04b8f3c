//! From tokens to a report: keys in any order, each with its value or values.

use super::extra::{Extra, Raw};
use super::number::{count, is_integer, looks_numeric, number};
use super::tokens::{Tokens, Word};
use super::{Dialect, KEYS, Keep, MoveInfo, Report, RootInfo};
use crate::go::{Size, Vertex};

/// A win rate or prior this little (percent) outside 0..100 is the engine's rounding.
const ROUNDING: f64 = 0.01;

/// Room made for a variation: most are no longer, and one allocation is cheaper than three.
const PV_LENGTH: usize = 16;

/// What the fields being read describe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Subject {
    /// Text before the first `info`.
    #[default]
    Nothing,
    Move,
    Root,
}

/// The fields read since the last `info` or `rootInfo`.
#[derive(Debug, Default)]
struct Record {
    subject: Subject,
    vertex: Option<Vertex>,
    off_board: bool,
    order: Option<u64>,
    visits: Option<u64>,
    winrate: Option<f64>,
    score_lead: Option<f64>,
    lcb: Option<f64>,
    prior: Option<f64>,
    pv: Vec<Vertex>,
    symmetry_of: Option<Vertex>,
    pv_visits: Vec<u64>,
    moves_ownership: Option<Vec<f32>>,
    extra: Raw,
}

impl Record {
    /// The move, if everything that a move needs is there. `rank` is its place in the line.
    fn into_move(self, rank: usize) -> Option<MoveInfo> {
        if self.off_board {
            return None;
        }
        Some(MoveInfo {
            vertex: self.vertex?,
            order: self.order.unwrap_or(rank as u64).try_into().unwrap_or(u32::MAX),
            visits: self.visits?,
            winrate: self.winrate?,
            score_lead: self.score_lead,
            lcb: self.lcb,
            prior: self.prior,
            pv: self.pv,
            symmetry_of: self.symmetry_of,
            pv_visits: self.pv_visits,
            moves_ownership: self.moves_ownership,
            extra: Extra::from_raw(self.extra),
        })
    }
}

pub(super) struct Reader<'a> {
    tokens: Tokens<'a>,
    /// Of the line, in bytes.
    length: usize,
    dialect: Dialect,
    size: Size,
    keep: Keep,
    record: Record,
    /// `info move null` was seen: each `ownership` belongs to the record it stands in.
    null_record: bool,
    report: Report,
}

impl<'a> Reader<'a> {
    pub(super) fn new(line: &'a [u8], dialect: Dialect, size: Size, keep: Keep) -> Reader<'a> {
        Reader {
            tokens: Tokens::new(line),
            length: line.len(),
            dialect,
            size,
            keep,
            record: Record::default(),
            null_record: false,
            report: Report::default(),
        }
    }

    pub(super) fn report(mut self) -> Report {
        while let Some(token) = self.tokens.next() {
            match token {
                b"info" => self.begin(Subject::Move),
                b"rootInfo" => self.begin(Subject::Root),
                key => self.field(key),
            }
        }
        self.finish();
        self.report
    }

    fn begin(&mut self, subject: Subject) {
        self.finish();
        self.record.subject = subject;
    }

    /// Files the record that was being read.
    fn finish(&mut self) {
        let record = std::mem::take(&mut self.record);
        match record.subject {
            Subject::Nothing => {}
            Subject::Root => {
                let usable = record.visits.is_some() && record.winrate.is_some();
                self.skip(u32::from(!usable));
                self.report.root = Some(RootInfo {
                    visits: record.visits.unwrap_or(0),
                    winrate: record.winrate,
                    score_lead: record.score_lead,
                });
            }
            Subject::Move => {
                let rank = self.report.moves.len();
                // No position has more moves than points and a pass.
                match record.into_move(rank).filter(|_| rank <= self.size.area()) {
                    Some(info) => {
                        self.make_room();
                        self.report.moves.push(info);
                    }
                    None => self.skip(1),
                }
            }
        }
    }

    /// Guesses the number of moves when the first has been read: the others are about as long.
    fn make_room(&mut self) {
        if self.report.moves.is_empty() {
            let left = self.tokens.bytes_left();
            let moves = 1 + left / (self.length - left).max(1);
            self.report.moves.reserve(moves.min(self.size.area() + 1));
        }
    }

    fn field(&mut self, key: &[u8]) {
        match key {
            b"move" => self.vertex(),
            b"order" => self.record.order = self.count(),
            b"visits" => self.record.visits = self.count(),
            b"winrate" => self.record.winrate = self.percent().and_then(within_percent),
            b"scoreLead" | b"scorelead" => {
                let value = self.points();
                self.record.score_lead = self.counted(value);
            }
            b"lcb" => {
                let value = self.percent();
                self.record.lcb = self.counted(value);
            }
            b"prior" => {
                let value = self.percent().and_then(within_percent);
                self.record.prior = self.counted(value);
            }
            b"pv" => self.pv(),
            b"pvVisits" => self.pv_visits(),
            b"isSymmetryOf" => self.symmetry_of(),
            b"ownership" if !self.null_record || self.record.subject == Subject::Root => {
                self.report.ownership = self.ownership(self.keep.ownership);
            }
            b"ownership" | b"movesOwnership" => {
                self.record.moves_ownership = self.ownership(self.keep.moves_ownership);
            }
            b"ownershipStdev" | b"movesOwnershipStdev" => self.tokens.skip_numbers(),
            _ => self.unknown(key),
        }
    }

    fn vertex(&mut self) {
        match self.word() {
            Word::On(vertex) => self.record.vertex = Some(vertex),
            Word::Off => self.record.off_board = true,
            Word::Null => {
                self.null_record = true;
                self.record.subject = Subject::Root;
            }
            Word::Other => {}
        }
    }

    fn symmetry_of(&mut self) {
        match self.word() {
            Word::On(vertex) => self.record.symmetry_of = Some(vertex),
            Word::Off => self.record.off_board = true,
            Word::Null | Word::Other => {}
        }
    }

    /// The variation goes on to the first token that is no vertex; `null` ends it too.
    fn pv(&mut self) {
        self.record.pv.clear();
        self.record.pv.reserve(PV_LENGTH);
        let mut ended = false;
        loop {
            match self.word() {
                Word::On(vertex) if !ended => self.record.pv.push(vertex),
                Word::On(_) => {}
                Word::Null => ended = true,
                Word::Off => self.record.off_board = true,
                Word::Other => break,
            }
        }
    }

    fn pv_visits(&mut self) {
        self.record.pv_visits.clear();
        while let Some(token) = self.tokens.next_if(looks_numeric) {
            match count(token) {
                Some(visits) => self.record.pv_visits.push(visits),
                None => self.skip(1),
            }
        }
    }

    /// One value a point, or nothing: garbage in one place means that the array was never
    /// filled (KataGo prints uninitialised memory on small boards of a large net), so the
    /// values that look right cannot be trusted either.
    fn ownership(&mut self, keep: bool) -> Option<Vec<f32>> {
        if !keep {
            self.tokens.skip_numbers();
            return None;
        }
        let area = self.size.area();
        let mut values = Vec::with_capacity(area);
        let mut garbage = 0;
        let mut surplus = false;
        while let Some(value) = self.tokens.next_number() {
            garbage += u32::from(!(-1.0..=1.0).contains(&value));
            if values.len() < area {
                values.push(value as f32);
            } else {
                surplus = true;
            }
        }
        let complete = values.len() == area && !surplus;
        self.skip(garbage + u32::from(!complete));
        (complete && garbage == 0).then_some(values)
    }

    /// A key of some other program: one value of any kind, or several numbers or vertices.
    fn unknown(&mut self, key: &[u8]) {
        let keep = self.keep.extra && self.record.subject == Subject::Move;
        if keep {
            self.record.extra.push_key(key);
        }
        let size = self.size;
        let is_value = |token: &[u8]| looks_numeric(token) || Word::read(token, size) != Word::Other;
        let mut first = true;
        loop {
            let wanted = |token: &[u8]| is_value(token) || (first && !is_known(token));
            let Some(value) = self.tokens.next_if(wanted) else { break };
            if keep {
                self.record.extra.push_value(value);
            }
            if first && !is_value(value) {
                break;
            }
            first = false;
        }
    }

    /// Takes the next token if it is a vertex or `null`.
    fn word(&mut self) -> Word {
        let mut word = Word::Other;
        self.tokens.next_if(|token| {
            word = Word::read(token, self.size);
            word != Word::Other
        });
        word
    }

    fn count(&mut self) -> Option<u64> {
        self.tokens.next_if(looks_numeric).and_then(count)
    }

    fn points(&mut self) -> Option<f64> {
        self.tokens.next_number().filter(|value| value.is_finite())
    }

    fn percent(&mut self) -> Option<f64> {
        let token = self.tokens.next_if(looks_numeric)?;
        let probability = match self.dialect {
            Dialect::Kata => true,
            Dialect::Lz => false,
            Dialect::Plain => !is_integer(token),
        };
        number(token, if probability { 2 } else { -2 }).filter(|value| value.is_finite())
    }

    fn counted<T>(&mut self, value: Option<T>) -> Option<T> {
        self.skip(u32::from(value.is_none()));
        value
    }

    fn skip(&mut self, unusable: u32) {
        self.report.skipped = self.report.skipped.saturating_add(unusable);
    }
}

/// A share of the whole, in percent; `None` when it lies outside by more than rounding.
/// Adding 0 turns -0 into 0.
pub(in crate::engine) fn within_percent(value: f64) -> Option<f64> {
    (-ROUNDING..=100.0 + ROUNDING).contains(&value).then(|| value.clamp(0.0, 100.0) + 0.0)
}

/// Whether a token starts a field that is read here, and so cannot be another key's value.
fn is_known(token: &[u8]) -> bool {
    KEYS.iter().any(|key| key.as_bytes() == token)
}

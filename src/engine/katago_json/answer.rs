//! Answers, read into the same [`Report`] as GTP's `info` lines.
//!
//! Nothing fails: a field that cannot be used is left out, and counted in [`Report::skipped`] where
//! GTP's reader does so.

use serde_json::value::RawValue;

use super::super::gtp::analyze::{Extra, MoveInfo, Report, RootInfo, number, within_percent};
use super::object::Object;
use crate::go::{Size, Vertex};

/// One line of the engine.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// What a search has found so far, or at its end.
    Report {
        /// The query.
        id: u32,
        /// Whether the search goes on.
        during: bool,
        /// `None` when it was ended before it had found anything (`noResults`).
        report: Option<Report>,
    },
    /// The request is refused.
    Error {
        /// The request's number, where the engine could read it.
        id: Option<u32>,
        /// The field that is wrong.
        field: Option<String>,
        /// Its words.
        message: String,
    },
    /// Something about a query that is searched nevertheless.
    Warning {
        /// The query.
        id: Option<u32>,
        /// Its words.
        message: String,
    },
    /// The answer to an [`super::Action`].
    Done {
        /// The action's number.
        id: u32,
        /// Of the program, when that was asked for.
        version: Option<String>,
    },
}

/// Fields of a move that are read here; the others are passed on in [`MoveInfo::extra`].
const MOVE_FIELDS: [&str; 11] = [
    "move",
    "order",
    "visits",
    "winrate",
    "scoreLead",
    "lcb",
    "prior",
    "pv",
    "pvVisits",
    "isSymmetryOf",
    "ownership",
];

/// Reads a line; `None` when it is no answer. `size` tells the board of a query.
pub fn read(line: &[u8], size: impl FnOnce(u32) -> Size) -> Option<Answer> {
    let object = Object::read(std::str::from_utf8(line).ok()?)?;
    let id = object.string("id").and_then(|id| id.parse().ok());
    if let Some(message) = object.string("error") {
        let id = id.or_else(|| quoted_id(&message));
        return Some(Answer::Error { id, field: object.string("field"), message });
    }
    if let Some(message) = object.string("warning") {
        return Some(Answer::Warning { id, message });
    }
    let id = id?;
    if let Some(action) = object.string("action") {
        let version = object.string("version");
        // Without it, that is the question itself, sent back by a program that is no engine.
        let is_echo = action == "query_version" && version.is_none();
        return (!is_echo).then_some(Answer::Done { id, version });
    }
    let during = object.is_true("isDuringSearch");
    if object.is_true("noResults") {
        return Some(Answer::Report { id, during, report: None });
    }
    if object.get("moveInfos").is_none() && object.get("rootInfo").is_none() {
        return None;
    }
    Some(Answer::Report { id, during, report: Some(Reader { size: size(id), skipped: 0 }.report(&object)) })
}

/// Whether a report is made old by the line that follows: both begin with the same id, and the first is
/// not the last one of its query. KataGo writes its keys in the order of the alphabet.
pub fn is_outdated(line: &[u8], next: &[u8]) -> bool {
    const DURING: &[u8] = br#""isDuringSearch":true"#;
    let Some(at) = memchr::memmem::find(line.get(..64).unwrap_or(line), DURING) else { return false };
    line.get(..at).is_some_and(|head| head.starts_with(br#"{"id":""#) && next.starts_with(head))
}

/// An error about a line that could not be read repeats the line, and with it the id.
fn quoted_id(message: &str) -> Option<u32> {
    let (_, rest) = message.split_once(r#"{"id":""#)?;
    rest.split('"').next()?.parse().ok()
}

struct Reader {
    size: Size,
    skipped: u32,
}

impl Reader {
    fn report(mut self, object: &Object) -> Report {
        let infos = object.array("moveInfos").unwrap_or_default();
        let mut moves = Vec::with_capacity(infos.len().min(self.size.area() + 1));
        for info in infos {
            // No position has more moves than points and a pass.
            let room = moves.len() <= self.size.area();
            match Object::read(info.get())
                .and_then(|info| self.move_info(&info, moves.len()))
                .filter(|_| room)
            {
                Some(info) => moves.push(info),
                None => self.skipped = self.skipped.saturating_add(1),
            }
        }
        let root = object.get("rootInfo").and_then(Object::read).map(|root| self.root(&root));
        let ownership = object.get("ownership").and_then(|values| self.ownership(values));
        Report { moves, root, ownership, skipped: self.skipped }
    }

    /// A move needs its vertex, visits and win rate, and no vertex off the board.
    fn move_info(&mut self, info: &Object, rank: usize) -> Option<MoveInfo> {
        let extra = info.0.iter().filter(|(name, _)| !MOVE_FIELDS.contains(&name.as_ref()));
        Some(MoveInfo {
            vertex: self.vertex(info.get("move")?)?,
            order: info.get("order").and_then(count).unwrap_or(rank as u64).try_into().unwrap_or(u32::MAX),
            visits: info.get("visits").and_then(count)?,
            winrate: info.get("winrate").and_then(percent).and_then(within_percent)?,
            score_lead: self.counted(info.get("scoreLead"), points),
            lcb: self.counted(info.get("lcb"), percent),
            prior: self.counted(info.get("prior"), |text| percent(text).and_then(within_percent)),
            pv: match info.array("pv") {
                Some(pv) => pv.iter().map(|at| self.vertex(at.get())).collect::<Option<_>>()?,
                None => Vec::new(),
            },
            symmetry_of: match info.get("isSymmetryOf") {
                Some(text) => Some(self.vertex(text)?),
                None => None,
            },
            pv_visits: info
                .array("pvVisits")
                .unwrap_or_default()
                .iter()
                .filter_map(|visits| self.counted(Some(visits.get()), count))
                .collect(),
            moves_ownership: info.get("ownership").and_then(|values| self.ownership(values)),
            extra: Extra::gather(extra.filter_map(|(name, value)| Some((name.as_ref(), scalars(value)?)))),
        })
    }

    fn root(&mut self, root: &Object) -> RootInfo {
        let visits = root.get("visits").and_then(count);
        let winrate = root.get("winrate").and_then(percent).and_then(within_percent);
        self.skipped += u32::from(visits.is_none() || winrate.is_none());
        RootInfo {
            visits: visits.unwrap_or(0),
            winrate,
            score_lead: self.counted(root.get("scoreLead"), points),
        }
    }

    /// One value a point, or nothing. One beyond -1..1 by rounding only is put on the edge; garbage in
    /// one place means that the others cannot be trusted either.
    fn ownership(&mut self, values: &str) -> Option<Vec<f32>> {
        const ROUNDING: f64 = 1e-4;
        let values: Vec<&RawValue> = serde_json::from_str(values).unwrap_or_default();
        let value = |value: &&RawValue| {
            let value = number(value.get().as_bytes(), 0)?;
            (-1.0 - ROUNDING..=1.0 + ROUNDING).contains(&value).then(|| value.clamp(-1.0, 1.0) as f32)
        };
        let read: Option<Vec<f32>> = values.iter().map(value).collect();
        let whole = read.filter(|read| read.len() == self.size.area());
        self.skipped = self.skipped.saturating_add(u32::from(whole.is_none()));
        whole
    }

    fn vertex(&self, text: &str) -> Option<Vertex> {
        let text: String = serde_json::from_str(text).ok()?;
        Vertex::parse_gtp(&text, self.size)
    }

    /// What cannot be read although it is there is counted.
    fn counted<T>(&mut self, text: Option<&str>, read: impl Fn(&str) -> Option<T>) -> Option<T> {
        let value = read(text?);
        self.skipped = self.skipped.saturating_add(u32::from(value.is_none()));
        value
    }
}

fn points(text: &str) -> Option<f64> {
    number(text.as_bytes(), 0).filter(|value| value.is_finite())
}

fn percent(text: &str) -> Option<f64> {
    number(text.as_bytes(), 2).filter(|value| value.is_finite())
}

fn count(text: &str) -> Option<u64> {
    text.parse().ok().or_else(|| points(text).filter(|value| *value >= 0.0).map(|value| value as u64))
}

/// A value as GTP would print it: a number or word, or several parted by blanks; others have no
/// such form.
fn scalars(value: &RawValue) -> Option<String> {
    let text = value.get();
    match text.as_bytes().first()? {
        b'{' => None,
        b'"' => serde_json::from_str(text).ok(),
        b'[' => {
            let values: Vec<&RawValue> = serde_json::from_str(text).ok()?;
            let scalar = |value: &&RawValue| match value.get().as_bytes().first() {
                Some(b'{' | b'[') | None => None,
                Some(b'"') => serde_json::from_str(value.get()).ok(),
                Some(_) => Some(value.get().to_owned()),
            };
            Some(values.iter().map(scalar).collect::<Option<Vec<String>>>()?.join(" "))
        }
        _ => Some(text.to_owned()),
    }
}

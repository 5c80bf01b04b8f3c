//! What a file is: by its bytes, and where they do not say, by its name.

use memchr::memmem;

use crate::sgf::encoding::decode;
use crate::xiangqi::record::pgn;

/// A format of game records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// Go and others: SGF.
    Sgf,
    /// Go: Tygem's GIB.
    Gib,
    /// Go: Cyberoro's NGF.
    Ngf,
    /// Go: PANDA-NET's UGF and UGI.
    Ugf,
    /// Xiangqi: PGN.
    Pgn,
    /// Xiangqi: DhtmlXQ.
    DhtmlXq,
    /// Xiangqi: XQF.
    Xqf,
    /// Xiangqi: CBR.
    Cbr,
    /// Xiangqi: CBL.
    Cbl,
}

impl Format {
    /// All of them.
    pub const ALL: [Format; 9] = [
        Format::Sgf,
        Format::Gib,
        Format::Ngf,
        Format::Ugf,
        Format::Pgn,
        Format::DhtmlXq,
        Format::Xqf,
        Format::Cbr,
        Format::Cbl,
    ];

    /// Its name on the wire and the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Format::Sgf => "sgf",
            Format::Gib => "gib",
            Format::Ngf => "ngf",
            Format::Ugf => "ugf",
            Format::Pgn => "pgn",
            Format::DhtmlXq => "dhtmlxq",
            Format::Xqf => "xqf",
            Format::Cbr => "cbr",
            Format::Cbl => "cbl",
        }
    }

    /// The format of this name.
    pub fn from_name(name: &str) -> Option<Format> {
        Format::ALL.into_iter().find(|format| format.name().eq_ignore_ascii_case(name))
    }

    /// The format of files whose names end like this one.
    pub fn from_file_name(name: &str) -> Option<Format> {
        match name.rsplit_once('.')?.1.to_ascii_lowercase().as_str() {
            "ugi" => Some(Format::Ugf),
            "ubb" => Some(Format::DhtmlXq),
            other => Format::from_name(other),
        }
    }

    /// Whether it holds xiangqi games.
    pub const fn is_xiangqi(self) -> bool {
        matches!(self, Format::Pgn | Format::DhtmlXq | Format::Xqf | Format::Cbr | Format::Cbl)
    }
}

/// What a file seems to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Detected {
    /// The format, if anything speaks for one.
    pub format: Option<Format>,
    /// What speaks for it, the strongest first; and against it, if the name says something else.
    pub reasons: Vec<String>,
}

/// Says what a file is. The bytes decide; the name counts only where they are silent.
pub fn detect(file: &[u8], name: Option<&str>) -> Detected {
    judge(by_bytes(file), name)
}

/// The same of a text that is decoded already.
pub fn detect_text(text: &str, name: Option<&str>) -> Detected {
    let end = (0..=text.len().min(FRONT)).rev().find(|end| text.is_char_boundary(*end));
    let front = text.get(..end.unwrap_or(0)).unwrap_or(text);
    judge(by_marks(front.as_bytes()).or_else(|| by_text(front)), name)
}

/// So much of a file is looked at.
const FRONT: usize = 64 * 1024;

fn judge(found: Option<(Format, &'static str)>, name: Option<&str>) -> Detected {
    let by_name = name.and_then(Format::from_file_name);
    match (found, by_name) {
        (Some((format, reason)), by_name) => {
            let mut reasons = vec![reason.to_owned()];
            if let Some(other) = by_name.filter(|other| *other != format) {
                reasons.push(format!("although the name is that of {}", other.name()));
            }
            Detected { format: Some(format), reasons }
        }
        (None, Some(format)) => {
            Detected { format: Some(format), reasons: vec![format!("the name is that of {}", format.name())] }
        }
        (None, None) => Detected { format: None, reasons: Vec::new() },
    }
}

fn by_bytes(file: &[u8]) -> Option<(Format, &'static str)> {
    if file.starts_with(b"CCBridgeLibrary\0") {
        return Some((Format::Cbl, "it starts with CCBridgeLibrary"));
    }
    if file.starts_with(b"CCBridge Record\0") {
        return Some((Format::Cbr, "it starts with CCBridge Record"));
    }
    if file.starts_with(b"XQ") && file.len() >= 1024 && file.get(2).is_some_and(|version| *version < 0x20) {
        return Some((Format::Xqf, "it starts with XQ and a version"));
    }
    let front = file.get(..file.len().min(FRONT)).unwrap_or(file);
    by_marks(front).or_else(|| by_text(&decode(front, None).text))
}

/// Marks that are ASCII in every charset.
fn by_marks(front: &[u8]) -> Option<(Format, &'static str)> {
    let has = |text: &str| memmem::find(front, text.as_bytes()).is_some();
    if has("[DhtmlXQ") {
        return Some((Format::DhtmlXq, "it has a [DhtmlXQ block"));
    }
    if has("\\[GAME") && has("\\]") || has("\\HS") && has("\\GS") {
        return Some((Format::Gib, "it has lines of a GIB file"));
    }
    if has("[Header]") && has("[Data]") {
        return Some((Format::Ugf, "it has the sections [Header] and [Data]"));
    }
    if front.split(|byte| *byte == b'\n').filter(|line| is_ngf_move(line)).take(3).count() == 3 {
        return Some((Format::Ngf, "it has moves like PMABBREER"));
    }
    None
}

/// What a record of SGF starts with, a tag of PGN, or moves of xiangqi.
fn by_text(text: &str) -> Option<(Format, &'static str)> {
    let start = text.trim_start();
    if start.starts_with("(;") || start.starts_with('(') && start[1..].trim_start().starts_with(';') {
        return Some((Format::Sgf, "it starts with (;"));
    }
    by_moves(text)
}

fn is_ngf_move(line: &[u8]) -> bool {
    matches!(line, [b'P', b'M', a, b, b'B' | b'W', rest @ ..]
        if a.is_ascii_uppercase() && b.is_ascii_uppercase() && rest.iter().take(4).all(u8::is_ascii_uppercase))
}

fn by_moves(text: &str) -> Option<(Format, &'static str)> {
    let lower = text.get(..).map(str::to_ascii_lowercase)?;
    if lower.contains("[game \"chinese chess\"]") {
        return Some((Format::Pgn, "it has the tag [Game \"Chinese Chess\"]"));
    }
    let games = pgn::read(text);
    let game = games.first()?;
    if !game.tags().is_empty() && game.node_count() > 1 {
        return Some((Format::Pgn, "it has PGN tags and a legal move of xiangqi"));
    }
    if game.node_count() > 4 {
        return Some((Format::Pgn, "it has legal moves of xiangqi"));
    }
    if lower.contains("(;") && lower.contains("gm[") {
        return Some((Format::Sgf, "it has (; and a property GM"));
    }
    None
}

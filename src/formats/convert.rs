//! From one format to another, and what that could not keep.

use encoding_rs::{GB18030, GBK};

use super::detect::{Format, detect};
use super::go::{LineNote, read_gib, read_ngf, read_ugf};
use crate::language::actions::state_charset;
use crate::sgf::{self, encoding::decode};
use crate::xiangqi::notation::Notation;
use crate::xiangqi::record::binary::{BinaryError, cbl, cbr, xqf};
use crate::xiangqi::record::{
    Loss, Record, dhtmlxq, losses_in_dhtmlxq, losses_in_pgn, losses_of_reading, pgn,
};

/// What a file is converted to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Target {
    /// SGF, from Go formats; from SGF itself with another charset.
    Sgf,
    /// PGN, from xiangqi formats.
    Pgn,
    /// DhtmlXQ, from xiangqi formats.
    DhtmlXq,
}

/// The charset of the result.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Charset {
    /// UTF-8 without a mark.
    #[default]
    Utf8,
    /// GBK; characters beyond it as GB18030 writes them.
    Gbk,
}

/// How to convert.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// What the file is; found out if there is none.
    pub from: Option<Format>,
    /// What it becomes.
    pub to: Target,
    /// The notation of PGN.
    pub notation: Notation,
    /// The charset. PGN in GBK gets CRLF and wide digits, as the programs that need GBK do.
    pub charset: Charset,
}

impl Options {
    /// To this target, in UTF-8, PGN with Chinese moves.
    pub const fn to(target: Target) -> Options {
        Options { from: None, to: target, notation: Notation::Chinese, charset: Charset::Utf8 }
    }
}

/// A converted file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Converted {
    /// What the file was.
    pub from: Format,
    /// Games in the result.
    pub games: usize,
    /// The result.
    pub bytes: Vec<u8>,
    /// What it does not have, at most 1000.
    pub losses: Vec<Loss>,
}

/// Why a file cannot be converted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConvertError {
    /// Neither the bytes nor the name say what it is.
    #[error("this is no game record of a known format")]
    Unknown,
    /// The formats are of different games, or the same.
    #[error("{} is not converted to {to:?}", from.name())]
    Unsupported {
        /// What the file is.
        from: Format,
        /// What it should become.
        to: Target,
    },
    /// A Go file that has nothing of its format.
    #[error(transparent)]
    Line(#[from] LineNote),
    /// A binary file that cannot be read.
    #[error(transparent)]
    Binary(#[from] BinaryError),
    /// There is no game in it.
    #[error("there is no game in the file")]
    Empty,
}

/// The most losses that are listed.
const MAX_LOSSES: usize = 1000;

/// Converts a file. `name` is its name, for files whose bytes do not say what they are.
///
/// # Errors
/// See [`ConvertError`].
pub fn convert(file: &[u8], name: Option<&str>, options: Options) -> Result<Converted, ConvertError> {
    let from = options.from.or_else(|| detect(file, name).format).ok_or(ConvertError::Unknown)?;
    let (text, games, mut losses) = match (from, options.to) {
        (Format::Gib | Format::Ngf | Format::Ugf, Target::Sgf) => go(file, from)?,
        (Format::Sgf, Target::Sgf) => sgf(file, options.charset),
        (from, to @ (Target::Pgn | Target::DhtmlXq)) if from.is_xiangqi() => {
            xiangqi(file, from, to, options)?
        }
        (from, to) => return Err(ConvertError::Unsupported { from, to }),
    };
    let bytes = match options.charset {
        Charset::Utf8 => text.into_bytes(),
        Charset::Gbk => {
            losses.extend(beyond_gbk(&text).into_iter().map(Loss::BeyondGbk));
            gbk(text, options.to)
        }
    };
    losses.truncate(MAX_LOSSES);
    Ok(Converted { from, games, bytes, losses })
}

fn go(file: &[u8], from: Format) -> Result<(String, usize, Vec<Loss>), ConvertError> {
    let imported = match from {
        Format::Gib => read_gib(file)?,
        Format::Ngf => read_ngf(file)?,
        _ => read_ugf(file)?,
    };
    let losses = imported.notes.into_iter().map(|note| Loss::Line(note.line, note.what));
    Ok((imported.sgf, 1, losses.collect()))
}

/// A record as it is, but for the charset that it states.
fn sgf(file: &[u8], charset: Charset) -> (String, usize, Vec<Loss>) {
    let decoded = decode(file, None);
    let record = sgf::Record::parse(decoded.text.as_str());
    let label = match charset {
        Charset::Utf8 => "UTF-8",
        Charset::Gbk => "GB18030",
    };
    let text = sgf::apply_edits(&decoded.text, &state_charset(&record, label));
    let bad = decoded.is_lossy().then(|| Loss::BadBytes(decoded.charset()));
    (text, record.games().len(), bad.into_iter().collect())
}

/// Reads the games of a xiangqi file.
///
/// # Errors
/// [`ConvertError::Binary`]; [`ConvertError::Unsupported`] for formats of another game.
pub fn read_xiangqi(file: &[u8], from: Format) -> Result<Vec<Record>, ConvertError> {
    Ok(match from {
        Format::Pgn => pgn::read(&decode(file, Some("gb18030")).text),
        Format::DhtmlXq => dhtmlxq::read(&decode(file, Some("gb18030")).text),
        Format::Xqf => vec![xqf::read(file, None)?],
        Format::Cbr => vec![cbr::read(file)?],
        Format::Cbl => {
            let library = cbl::read(file)?;
            match (library.games.is_empty(), library.bad.into_iter().next()) {
                (true, Some((_, error))) => return Err(error.into()),
                _ => library.games,
            }
        }
        other => return Err(ConvertError::Unsupported { from: other, to: Target::Pgn }),
    })
}

fn xiangqi(
    file: &[u8],
    from: Format,
    to: Target,
    options: Options,
) -> Result<(String, usize, Vec<Loss>), ConvertError> {
    let records = read_xiangqi(file, from)?;
    if records.is_empty() {
        return Err(ConvertError::Empty);
    }
    let gbk = options.charset == Charset::Gbk;
    let style = pgn::Style { notation: options.notation, wide_digits: gbk, crlf: gbk };
    let mut text = String::new();
    let mut losses = Vec::new();
    for (game, record) in records.iter().enumerate() {
        losses.extend(losses_of_reading(game, record));
        match to {
            Target::DhtmlXq => {
                losses.extend(losses_in_dhtmlxq(game, record));
                text.push_str(&dhtmlxq::write(record));
            }
            _ => {
                losses.extend(losses_in_pgn(game, record));
                text.push_str(&pgn::write(record, style));
            }
        }
    }
    Ok((text, records.len(), losses))
}

/// The characters of a text that GBK does not have, each once.
fn beyond_gbk(text: &str) -> Vec<char> {
    let mut beyond: Vec<char> = Vec::new();
    for letter in text.chars().filter(|letter| !letter.is_ascii()) {
        let mut buffer = [0; 4];
        let (_, _, unknown) = GBK.encode(letter.encode_utf8(&mut buffer));
        if unknown && !beyond.contains(&letter) {
            beyond.push(letter);
        }
        if beyond.len() >= 100 {
            break;
        }
    }
    beyond
}

/// SGF says its charset. U+E5E5 alone, a character for private use, has no place in GB18030.
fn gbk(text: String, to: Target) -> Vec<u8> {
    let text = text.replace('\u{e5e5}', "\u{fffd}");
    let text = if to == Target::Sgf { text.replacen("CA[UTF-8]", "CA[GB18030]", 1) } else { text };
    GB18030.encode(&text).0.into_owned()
}

//! What a conversion could not keep.

use super::dhtmlxq::block_name;
use super::{Finding, NodeId, Record};
use crate::text::{Severity, Span};

/// Where something was lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Place {
    /// The game, from 0.
    pub game: usize,
    /// The move.
    pub node: Option<NodeId>,
    /// The stretch of the source.
    pub span: Option<Span>,
}

/// Something of the source that the result does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Loss {
    /// A part of the source could not be read; the finding says why.
    Unread(Place, Finding),
    /// Annotation glyphs, which the target has no place for.
    Glyphs(Place),
    /// A tag that the target has no place for.
    Tag(Place, String),
    /// Line breaks in a tag have become blanks.
    LineBreaks(Place, String),
    /// Only the first of several games has been kept; how many there were.
    OtherGames(usize),
    /// A character that programs of the time of GBK do not know; it is written as GB18030 does.
    BeyondGbk(char),
    /// Bytes that are no characters of the source's charset, which is named; replacement characters stand for them.
    BadBytes(&'static str),
    /// Something of another game's record that a line of the source says; its number, from 1.
    Line(usize, String),
}

impl Loss {
    /// A stable code.
    pub const fn code(&self) -> &'static str {
        match self {
            Loss::Unread(..) => "unread",
            Loss::Glyphs(_) => "glyphs",
            Loss::Tag(..) => "tag",
            Loss::LineBreaks(..) => "line-breaks",
            Loss::OtherGames(_) => "other-games",
            Loss::BeyondGbk(_) => "beyond-gbk",
            Loss::BadBytes(_) => "bad-bytes",
            Loss::Line(..) => "line",
        }
    }

    /// Where, if it has a place.
    pub const fn place(&self) -> Option<Place> {
        match self {
            Loss::Unread(place, _)
            | Loss::Glyphs(place)
            | Loss::Tag(place, _)
            | Loss::LineBreaks(place, _) => Some(*place),
            Loss::OtherGames(_) | Loss::BeyondGbk(_) | Loss::BadBytes(_) | Loss::Line(..) => None,
        }
    }

    /// The same in Chinese.
    pub fn reason_zh(&self) -> String {
        match self {
            Loss::Unread(_, finding) => format!("没有转换：{}", finding.message.zh),
            Loss::Glyphs(_) => "目标格式没有评价符号".into(),
            Loss::Tag(_, name) => format!("目标格式没有标签 {name}"),
            Loss::LineBreaks(_, name) => format!("标签 {name} 中的换行变成了空格"),
            Loss::OtherGames(games) => format!("{games} 局中只保留了第一局"),
            Loss::BeyondGbk(letter) => format!("GBK 没有字符 {letter:?}，旧软件可能显示不出"),
            Loss::BadBytes(charset) => format!("有些字节不是 {charset} 的字符，已丢失"),
            Loss::Line(line, what) => format!("第 {line} 行：{what}"),
        }
    }
}

/// The loss in English.
impl std::fmt::Display for Loss {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Loss::Unread(_, finding) => write!(f, "not converted: {}", finding.message.en),
            Loss::Glyphs(_) => f.write_str("the format has no annotation glyphs"),
            Loss::Tag(_, name) => write!(f, "the format has no tag {name}"),
            Loss::LineBreaks(_, name) => write!(f, "line breaks in the tag {name} have become blanks"),
            Loss::OtherGames(games) => write!(f, "only the first of {games} games was kept"),
            Loss::BeyondGbk(letter) => write!(f, "GBK has no {letter:?}; old programs may not show it"),
            Loss::BadBytes(charset) => write!(f, "bytes that are no characters of {charset} were lost"),
            Loss::Line(line, what) => write!(f, "line {line}: {what}"),
        }
    }
}

/// What reading has left out of a game.
pub fn losses_of_reading(game: usize, record: &Record) -> Vec<Loss> {
    let errors = record.findings().iter().filter(|finding| finding.severity == Severity::Error);
    errors
        .map(|finding| Loss::Unread(Place { game, node: None, span: Some(finding.span) }, finding.clone()))
        .collect()
}

/// What DhtmlXQ has no place for.
pub(crate) fn losses_in_dhtmlxq(game: usize, record: &Record) -> Vec<Loss> {
    let glyphs = record.nodes().filter(|(_, node)| !node.nags.is_empty());
    let glyphs = glyphs.map(|(id, node)| {
        Loss::Glyphs(Place { game, node: Some(id), span: (!node.span.is_empty()).then_some(node.span) })
    });
    let tags = record.tags().iter().filter(|tag| block_name(&tag.name).is_none());
    let tags = tags.map(|tag| Loss::Tag(Place { game, node: None, span: Some(tag.span) }, tag.name.clone()));
    glyphs.chain(tags).collect()
}

/// What PGN has no place for.
pub(crate) fn losses_in_pgn(game: usize, record: &Record) -> Vec<Loss> {
    let tags = record.tags().iter().filter(|tag| tag.value.contains(['\n', '\r']));
    tags.map(|tag| Loss::LineBreaks(Place { game, node: None, span: Some(tag.span) }, tag.name.clone()))
        .collect()
}

//! Shapes that several methods share on the wire. Fields are camelCase, `null` means absent,
//! unknown fields are errors.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// No params.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Nothing {}

/// An empty answer: done.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Done {}

/// Which document: `{uri, version?}` (the session's open document; else, if trusted, the file on
/// disk) or `{text, languageId?}`.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DocumentRef {
    /// An open document, or a file.
    pub uri: Option<String>,
    /// Refuse with `StaleDocument` when the open document has another version.
    pub version: Option<i32>,
    /// The text itself.
    pub text: Option<String>,
    /// `sgf` (default), `xiangqi-pgn` or `dhtmlxq`; only with `text`.
    pub language_id: Option<String>,
}

/// A place in a text: zero-based line, and column in the session's position encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TextPosition {
    /// Line, from 0.
    pub line: u32,
    /// Column, from 0, in the session's encoding (UTF-16 by default).
    pub character: u32,
}

/// A stretch of text, end excluded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TextRange {
    /// Where it starts.
    pub start: TextPosition,
    /// Where it ends.
    pub end: TextPosition,
}

/// Which node: `{game, path}` or `{position}`, the node at a place in the text.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NodeRef {
    /// Index of the tree in the collection; 0 when absent.
    pub game: Option<u32>,
    /// The child taken at each node from the root; `[]` is the root.
    pub path: Option<Vec<PathStep>>,
    /// The node at this place of the text.
    pub position: Option<TextPosition>,
}

/// A node as kifud answers it.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Node {
    /// Index of the tree in the collection.
    pub game: u32,
    /// The child taken at each node from the root, run-compressed.
    pub path: Vec<PathStep>,
}

impl Node {
    /// Goes on to a child.
    pub fn go_on(&mut self, child: u32) {
        match self.path.last_mut() {
            Some(last) if last.child == child => last.times += 1,
            _ => self.path.push(PathStep { child, times: 1 }),
        }
    }
}

/// One step of a path: a child's index, or `"i*n"`, n times child i.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PathStep {
    /// The child.
    pub child: u32,
    /// How many times, at least 1.
    pub times: u32,
}

impl std::fmt::Display for PathStep {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.times {
            1 => write!(f, "{}", self.child),
            times => write!(f, "{}*{times}", self.child),
        }
    }
}

impl Serialize for PathStep {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.times {
            1 => serializer.serialize_u32(self.child),
            _ => serializer.collect_str(self),
        }
    }
}

impl<'de> Deserialize<'de> for PathStep {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = PathStep;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a child's index or \"index*times\"")
            }

            fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<PathStep, E> {
                let child =
                    u32::try_from(value).map_err(|_| E::custom("a child's index is at most 4294967295"))?;
                Ok(PathStep { child, times: 1 })
            }

            fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<PathStep, E> {
                u64::try_from(value)
                    .map_err(|_| E::custom("a child's index is not negative"))
                    .and_then(|value| self.visit_u64(value))
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<PathStep, E> {
                let step = text.split_once('*').and_then(|(child, times)| {
                    Some(PathStep { child: child.parse().ok()?, times: times.parse().ok()? })
                });
                step.filter(|step| step.times > 0)
                    .ok_or_else(|| E::invalid_value(serde::de::Unexpected::Str(text), &self))
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

impl JsonSchema for PathStep {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "PathStep".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "A child's index, or \"i*n\": n times child i.",
            "oneOf": [
                {"type": "integer", "minimum": 0, "maximum": u32::MAX},
                {"type": "string", "pattern": "^[0-9]+\\*[1-9][0-9]*$"}
            ]
        })
    }
}

/// A stone or a pass on the wire.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Move")]
#[serde(deny_unknown_fields)]
pub struct WireMove {
    /// `"B"` or `"W"`.
    pub color: WireColor,
    /// GTP spelling: `"Q16"`, `"pass"`.
    pub vertex: String,
}

/// A colour on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Color")]
pub enum WireColor {
    /// Black.
    B,
    /// White.
    W,
}

impl From<crate::go::Color> for WireColor {
    fn from(color: crate::go::Color) -> Self {
        match color {
            crate::go::Color::Black => WireColor::B,
            crate::go::Color::White => WireColor::W,
        }
    }
}

impl From<WireColor> for crate::go::Color {
    fn from(color: WireColor) -> Self {
        match color {
            WireColor::B => crate::go::Color::Black,
            WireColor::W => crate::go::Color::White,
        }
    }
}

/// A vertex that is spelled only when it is encoded.
#[derive(Debug, Clone, Copy)]
pub struct SpelledVertex(pub crate::go::Spelling);

impl Serialize for SpelledVertex {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.as_str())
    }
}

/// A list of vertices, spelled only when it is encoded.
#[derive(Debug, Clone, Copy)]
pub struct SpelledVertices<'a> {
    /// The vertices.
    pub list: &'a [crate::go::Vertex],
    /// The board they are on.
    pub size: crate::go::Size,
}

impl Serialize for SpelledVertices<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.list.iter().map(|vertex| SpelledVertex(vertex.spell(self.size))))
    }
}

/// A board's size: one number for a square, or `[width, height]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WireSize(pub crate::go::Size);

impl Serialize for WireSize {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.is_square() {
            true => serializer.serialize_u8(self.0.width()),
            false => (self.0.width(), self.0.height()).serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for WireSize {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        const RANGE: &str = "a size from 1 to 52, or [width, height]";
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = WireSize;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(RANGE)
            }

            fn visit_u64<E: serde::de::Error>(self, side: u64) -> Result<WireSize, E> {
                let size = u8::try_from(side).ok().and_then(crate::go::Size::square);
                size.map(WireSize)
                    .ok_or_else(|| E::invalid_value(serde::de::Unexpected::Unsigned(side), &self))
            }

            fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut seq: A) -> Result<WireSize, A::Error> {
                let (width, height) = (seq.next_element::<u8>()?, seq.next_element::<u8>()?);
                let more = seq.next_element::<serde::de::IgnoredAny>()?.is_some();
                let size = width.zip(height).filter(|_| !more);
                size.and_then(|(width, height)| crate::go::Size::new(width, height))
                    .map(WireSize)
                    .ok_or_else(|| serde::de::Error::custom(format_args!("expected {RANGE}")))
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

impl JsonSchema for WireSize {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "BoardSize".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "One number for a square board, or [width, height].",
            "oneOf": [
                {"type": "integer", "minimum": 1, "maximum": 52},
                {"type": "array", "items": {"type": "integer", "minimum": 1, "maximum": 52},
                 "minItems": 2, "maxItems": 2}
            ]
        })
    }
}

/// Which game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Game {
    /// Go, weiqi, baduk.
    #[default]
    Go,
    /// Chinese chess.
    Xiangqi,
}

/// Stones that stand before the first move.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(rename = "Setup")]
#[serde(deny_unknown_fields)]
pub struct WireSetup {
    /// Black stones, GTP spelling.
    #[serde(rename = "B")]
    pub black: Option<Vec<String>>,
    /// White stones, GTP spelling.
    #[serde(rename = "W")]
    pub white: Option<Vec<String>>,
}

/// A position: `{document, node}`, or spelled out.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[schemars(rename = "Position")]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WirePosition {
    /// The record that holds it.
    pub document: Option<DocumentRef>,
    /// The node of the record; the root when absent.
    pub node: Option<NodeRef>,
    /// Which game, `go` when absent.
    pub game: Option<Game>,
    /// Go: the size of the board, 19 when absent.
    pub board_size: Option<WireSize>,
    /// Go: komi in points, 0 when absent.
    pub komi: Option<f64>,
    /// Go: the rules' name, as the engine takes it.
    pub rules: Option<String>,
    /// Go: stones that stand before the first move.
    pub setup: Option<WireSetup>,
    /// Go: the moves; xiangqi: ICCS moves.
    pub moves: Option<Vec<WireMove>>,
    /// Go: who moves next; the opponent of the last mover when absent.
    pub to_play: Option<WireColor>,
    /// Xiangqi: the position.
    pub fen: Option<String>,
}

/// The smallest change of a text that does what was asked.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TextEdit {
    /// What is replaced.
    pub range: TextRange,
    /// By what.
    pub new_text: String,
    /// What it is part of: an id of the edit's `changeAnnotations`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub annotation_id: Option<&'static str>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_steps_round_trip() {
        let text = r#"["0*37",1,0]"#;
        let steps: Vec<PathStep> = serde_json::from_str(text).unwrap();
        assert_eq!(steps[0], PathStep { child: 0, times: 37 });
        assert_eq!(serde_json::to_string(&steps).unwrap(), text);
        for bad in [r#""0*0""#, r#""x*2""#, r#""1""#, "-1", "1.5", "null", r#""1*-2""#, "4294967296"] {
            assert!(serde_json::from_str::<PathStep>(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn sizes() {
        let size = |text| serde_json::from_str::<WireSize>(text).map(|size| size.0.to_string()).ok();
        assert_eq!(size("19").as_deref(), Some("19x19"));
        assert_eq!(size("[13,7]").as_deref(), Some("13x7"));
        for bad in ["0", "53", "-1", "[9]", "[9,9,9]", "[0,9]", "\"19\"", "19.5"] {
            assert_eq!(size(bad), None, "{bad}");
        }
    }
}

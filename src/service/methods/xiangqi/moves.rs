//! Moves on the wire: read from text or points, written with all their names.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::wire::square;
use crate::service::error::{Error, Kind, Result};
use crate::xiangqi::legality::{self, Illegal};
use crate::xiangqi::notation::{self, Notation, ReadError};
use crate::xiangqi::{Move, Position, SQUARES, Square};

/// A move with all its names.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[schemars(rename = "XiangqiMove")]
pub struct WireMove {
    /// `h2e2`: ranks 0 to 9.
    iccs: String,
    /// `h3e3`: ranks 1 to 10.
    uci: String,
    /// 炮二平五.
    zh: String,
    /// `C2=5`.
    wxf: String,
    /// Index of the point it leaves: row * 9 + column, row 0 is Black's back rank.
    from: usize,
    /// Index of the point it goes to.
    to: usize,
    /// The FEN letter of the piece.
    piece: String,
    /// The FEN letter of the piece it takes, or `""`.
    captured: String,
    /// Whether it gives check.
    check: bool,
    /// Why it is not legal; only in the list of pseudo-legal moves.
    #[serde(skip_serializing_if = "Option::is_none")]
    illegal: Option<WireIllegal>,
}

/// Why a move is not legal.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "IllegalMove")]
pub struct WireIllegal {
    /// A stable code, such as `horse-leg`.
    code: String,
    /// A sentence.
    reason: String,
    /// The sentence in Chinese.
    reason_zh: String,
}

impl From<&Illegal> for WireIllegal {
    fn from(illegal: &Illegal) -> WireIllegal {
        WireIllegal {
            code: illegal.code().to_owned(),
            reason: illegal.to_string(),
            reason_zh: illegal.reason_zh(),
        }
    }
}

impl WireMove {
    /// The FEN letter of the piece it takes, or `""`.
    pub fn captured(&self) -> &str {
        &self.captured
    }
}

/// All names of a move whose piece exists.
pub fn describe(position: &Position, played: Move) -> WireMove {
    let letter = |square: Square| {
        position.piece_at(square).map_or_else(String::new, |piece| piece.to_fen_char().to_string())
    };
    let next = position.after(played);
    WireMove {
        iccs: played.to_string(),
        uci: notation::uci(played),
        zh: notation::chinese(position, played),
        wxf: notation::wxf(position, played),
        from: played.from.index(),
        to: played.to.index(),
        piece: letter(played.from),
        captured: letter(played.to),
        check: next.is_check(),
        illegal: None,
    }
}

/// The same for a pseudo-legal move, with the reason if it is not legal.
pub fn describe_pseudo(position: &Position, played: Move) -> WireMove {
    let illegal = legality::explain(position, played);
    let named = describe(position, played);
    WireMove {
        check: named.check && illegal.is_none(),
        illegal: illegal.as_ref().map(WireIllegal::from),
        ..named
    }
}

/// A move as a client gives it: a text in any notation, or two points.
#[derive(Debug, Clone)]
pub enum GivenMove {
    /// `h2e2`, 炮二平五, `C2.5` …
    Text(String),
    /// Indices of points, 0 to 89.
    Points {
        /// The point it leaves.
        from: i64,
        /// The point it goes to.
        to: i64,
    },
}

impl<'de> Deserialize<'de> for GivenMove {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Points {
            from: i64,
            to: i64,
        }
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = GivenMove;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a move as text, or {from, to} as indices of points")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> std::result::Result<GivenMove, E> {
                Ok(GivenMove::Text(text.to_owned()))
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(
                self,
                map: A,
            ) -> std::result::Result<GivenMove, A::Error> {
                let Points { from, to } =
                    Points::deserialize(serde::de::value::MapAccessDeserializer::new(map))?;
                Ok(GivenMove::Points { from, to })
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

impl JsonSchema for GivenMove {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "XiangqiMoveText".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let point = serde_json::json!({"type": "integer", "minimum": 0, "maximum": SQUARES - 1});
        schemars::json_schema!({
            "description": "A move in any notation, or the indices of its two points.",
            "oneOf": [
                {"type": "string"},
                {"type": "object", "properties": {"from": point, "to": point},
                 "required": ["from", "to"], "additionalProperties": false}
            ]
        })
    }
}

/// How a text names a move.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[schemars(rename = "XiangqiNotation")]
#[serde(rename_all = "lowercase")]
pub enum WireNotation {
    /// Ranks 0 to 9: `h2e2`.
    Iccs,
    /// Ranks 1 to 10: `h3e3`.
    Uci,
    /// 炮二平五.
    #[serde(alias = "chinese")]
    Zh,
    /// `C2=5`.
    Wxf,
}

impl From<WireNotation> for Notation {
    fn from(notation: WireNotation) -> Notation {
        match notation {
            WireNotation::Iccs => Notation::Iccs,
            WireNotation::Uci => Notation::Uci,
            WireNotation::Zh => Notation::Chinese,
            WireNotation::Wxf => Notation::Wxf,
        }
    }
}

/// Finds the legal move that a client means.
///
/// # Errors
/// `IllegalMove` with `{code, reason, reasonZh}`, `AmbiguousMove` with `candidates`.
pub fn read(
    position: &Position,
    field: &str,
    given: &GivenMove,
    notation: Option<WireNotation>,
) -> Result<Move> {
    match given {
        GivenMove::Text(text) => notation::read(position, text, notation.map(Notation::from))
            .map_err(|error| unread(position, field, text, &error)),
        GivenMove::Points { from, to } => {
            let played = legality::from_indices(*from, *to).map_err(|reason| illegal(field, &reason))?;
            legality::explain(position, played).map_or(Ok(played), |reason| Err(illegal(field, &reason)))
        }
    }
}

/// The error for a move that breaks the rules.
pub fn illegal(field: &str, reason: &Illegal) -> Error {
    let WireIllegal { code, reason, reason_zh } = WireIllegal::from(reason);
    Error::new(Kind::IllegalMove, format!("{field}: {reason}"))
        .with("field", field)
        .with("code", code)
        .with("reason", reason)
        .with("reasonZh", reason_zh)
}

fn unread(position: &Position, field: &str, text: &str, error: &ReadError) -> Error {
    let shown: String = text.chars().take(40).collect();
    if let Some(played) = error.illegal_move()
        && let Some(reason) = legality::explain(position, played)
    {
        return illegal(field, &reason).with("text", shown).with("move", played.to_string());
    }
    let kind = match error {
        ReadError::Ambiguous { .. } => Kind::AmbiguousMove,
        _ => Kind::IllegalMove,
    };
    let unread = Error::new(kind, format!("{field}: {error}"))
        .with("field", field)
        .with("text", shown)
        .with("code", error.code())
        .with("reason", error.to_string())
        .with("reasonZh", error.reason_zh());
    match error {
        ReadError::Ambiguous { candidates } => {
            let names = |&played: &Move| {
                serde_json::json!({
                    "iccs": played.to_string(), "zh": notation::chinese(position, played),
                    "from": played.from.index(), "to": played.to.index(),
                })
            };
            unread.with("candidates", candidates.iter().map(names).collect::<Vec<_>>())
        }
        _ => unread,
    }
}

/// A move in ICCS, as histories hold them: shape only.
///
/// # Errors
/// `InvalidParams` that names the field.
pub fn iccs(field: &str, text: &str) -> Result<Move> {
    let from = square(field, text.get(..2).unwrap_or(text))?;
    let to = square(field, text.get(2..).unwrap_or_default())?;
    Ok(Move::new(from, to))
}

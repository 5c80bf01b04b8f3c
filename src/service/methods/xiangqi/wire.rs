//! The shapes of `xiangqi/*`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::service::error::{Error, Kind, Result};
use crate::xiangqi::{Faults, Piece, Position, SQUARES, Setup, Side, Square};

/// A side on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Side")]
#[serde(rename_all = "lowercase")]
pub enum WireSide {
    /// 红方.
    R,
    /// 黑方.
    B,
}

impl From<Side> for WireSide {
    fn from(side: Side) -> WireSide {
        match side {
            Side::Red => WireSide::R,
            Side::Black => WireSide::B,
        }
    }
}

impl From<WireSide> for Side {
    fn from(side: WireSide) -> Side {
        match side {
            WireSide::R => Side::Red,
            WireSide::B => Side::Black,
        }
    }
}

/// A position as plain data, as `xiangqi/position` answers it.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(rename = "XiangqiBoard")]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WireBoard {
    /// 90 points, row by row from Black's back rank: a FEN letter, or `""`.
    board: Vec<String>,
    /// Who is to move.
    turn: WireSide,
    /// Plies since the last capture; 0 when absent.
    halfmove: Option<u32>,
    /// Number of the pair of moves; 1 when absent.
    fullmove: Option<u32>,
    /// May come back as answered; an error when it says something else than the board.
    fen: Option<String>,
    /// May come back as answered; not read.
    #[allow(dead_code, reason = "follows from the board")]
    key: Option<String>,
    /// May come back as answered; not read.
    #[allow(dead_code, reason = "follows from the board")]
    in_check: Option<bool>,
}

impl WireBoard {
    fn position(&self) -> Result<Position> {
        if self.board.len() != SQUARES {
            let message = format!("position.board has {} points, not {SQUARES}", self.board.len());
            return Err(Error::field("position.board", message));
        }
        let mut setup = Setup::empty();
        for (index, (point, text)) in setup.board.iter_mut().zip(&self.board).enumerate() {
            *point = piece(text).ok_or_else(|| {
                let field = format!("position.board[{index}]");
                let shown: String = text.chars().take(20).collect();
                Error::field(&field, format!("{field}: {shown:?} is no piece; give a FEN letter, or \"\""))
            })?;
        }
        setup.turn = self.turn.into();
        setup.halfmove = self.halfmove.unwrap_or(0);
        setup.fullmove = self.fullmove.unwrap_or(1).max(1);
        let position = Position::new(setup).map_err(|faults| invalid("position", &faults))?;
        match &self.fen {
            Some(fen) if *fen != position.to_fen() => {
                let message = "position.fen says something else than position.board; give one of them";
                Err(Error::field("position.fen", message))
            }
            _ => Ok(position),
        }
    }
}

fn piece(text: &str) -> Option<Option<Piece>> {
    let mut letters = text.chars();
    match (letters.next(), letters.next()) {
        (None, _) => Some(None),
        (Some(letter), None) => Piece::from_fen_char(letter).map(Some),
        _ => None,
    }
}

/// The position that a request is about: its FEN, or its plain data.
///
/// # Errors
/// `InvalidParams` for none or both, `InvalidPosition` with every reason.
pub fn position(fen: Option<&str>, plain: Option<&WireBoard>) -> Result<Position> {
    match (fen, plain) {
        (Some(fen), None) => Position::from_fen(fen).map_err(|faults| invalid("fen", &faults)),
        (None, Some(plain)) => plain.position(),
        (None, None) => Err(Error::field("fen", "params: fen is missing (or position, as plain data)")),
        (Some(_), Some(_)) => Err(Error::field("position", "params: give fen or position, not both")),
    }
}

/// The same, where nothing means the start.
///
/// # Errors
/// As [`position`].
pub fn position_or_start(fen: Option<&str>, plain: Option<&WireBoard>) -> Result<Position> {
    if fen.is_none() && plain.is_none() { Ok(Position::start()) } else { position(fen, plain) }
}

/// An error that lists every reason.
pub fn invalid(field: &str, faults: &Faults) -> Error {
    let reasons: Vec<_> = faults
        .0
        .iter()
        .map(|fault| {
            serde_json::json!({
                "code": fault.code(), "reason": fault.to_string(), "reasonZh": fault.reason_zh(),
            })
        })
        .collect();
    Error::new(Kind::InvalidPosition, format!("{field}: {faults}"))
        .with("field", field)
        .with("code", faults.0.first().map_or("", |fault| fault.code()))
        .with("reason", faults.to_string())
        .with("reasonZh", faults.reason_zh())
        .with("reasons", reasons)
}

/// A point by its ICCS name.
///
/// # Errors
/// `InvalidParams` that names the field.
pub fn square(field: &str, text: &str) -> Result<Square> {
    Square::from_iccs(text).ok_or_else(|| {
        let shown: String = text.chars().take(20).collect();
        Error::field(field, format!("{field}: {shown:?} is no point; points are a0 to i9"))
            .with("code", "off-board")
    })
}

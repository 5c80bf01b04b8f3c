//! The shapes of `xiangqi/*`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use std::sync::Arc;

use crate::service::documents::{self, Document};
use crate::service::error::{Error, Kind, Result};
use crate::service::positions;
use crate::service::session::Session;
use crate::service::wire::{DocumentRef, NodeRef};
use crate::xiangqi::record::Record;
use crate::xiangqi::repetition::History;
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

/// A position as plain data, as `xiangqi/position` answers it; or a node of a record.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[schemars(rename = "XiangqiBoard")]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WireBoard {
    /// 90 points, row by row from Black's back rank: a FEN letter, or `""`.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    board: Option<Vec<String>>,
    /// Who is to move; with `board`.
    #[serde(default)]
    #[schemars(with = "WireSide")]
    turn: Option<WireSide>,
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
    /// Instead of all that: the record that holds the position. Its moves count as the history where none
    /// is given.
    document: Option<DocumentRef>,
    /// The node of the record; the start of its first game when absent.
    node: Option<NodeRef>,
}

impl WireBoard {
    fn position(&self) -> Result<Position> {
        let missing = |field: &str| Error::field(field, format!("{field} is missing (or position.document)"));
        let board = self.board.as_ref().ok_or_else(|| missing("position.board"))?;
        let turn = self.turn.ok_or_else(|| missing("position.turn"))?;
        if self.node.is_some() {
            return Err(Error::field("position.node", "position: node needs the document it belongs to"));
        }
        if board.len() != SQUARES {
            let message = format!("position.board has {} points, not {SQUARES}", board.len());
            return Err(Error::field("position.board", message));
        }
        let mut setup = Setup::empty();
        for (index, (point, text)) in setup.board.iter_mut().zip(board).enumerate() {
            *point = piece(text).ok_or_else(|| {
                let field = format!("position.board[{index}]");
                let shown: String = text.chars().take(20).collect();
                Error::field(&field, format!("{field}: {shown:?} is no piece; give a FEN letter, or \"\""))
            })?;
        }
        setup.turn = turn.into();
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

/// The position that a request is about.
pub struct Asked {
    /// The position.
    pub position: Position,
    /// How a record comes to it; none for other positions, and lines that are too long for a history.
    pub history: Option<History>,
}

impl From<Position> for Asked {
    fn from(position: Position) -> Asked {
        Asked { position, history: None }
    }
}

/// The position that a request is about: its FEN, its plain data, or a node of a record.
///
/// # Errors
/// `InvalidParams` for none or several, `InvalidPosition` with every reason; `UnsupportedGame`, `NotFound`
/// and the like for a record.
pub async fn position(session: &Session, fen: Option<&str>, plain: Option<&WireBoard>) -> Result<Asked> {
    match (fen, plain) {
        (Some(fen), None) => Ok(Position::from_fen(fen).map_err(|faults| invalid("fen", &faults))?.into()),
        (None, Some(WireBoard { document: Some(document), node, board: None, turn: None, .. })) => {
            of_record(session, document, node.clone()).await
        }
        (None, Some(WireBoard { document: Some(_), .. })) => Err(Error::field(
            "position",
            "position: give either document and node, or a position as plain data",
        )),
        (None, Some(plain)) => Ok(plain.position()?.into()),
        (None, None) => Err(Error::field("fen", "params: fen is missing (or position, as plain data)")),
        (Some(_), Some(_)) => Err(Error::field("position", "params: give fen or position, not both")),
    }
}

/// The same, where nothing means the start.
///
/// # Errors
/// As [`position`].
pub async fn position_or_start(
    session: &Session,
    fen: Option<&str>,
    plain: Option<&WireBoard>,
) -> Result<Asked> {
    match fen.is_none() && plain.is_none() {
        true => Ok(Position::start().into()),
        false => position(session, fen, plain).await,
    }
}

async fn of_record(session: &Session, reference: &DocumentRef, node: Option<NodeRef>) -> Result<Asked> {
    let document = documents::resolve(session, reference).await?;
    let encoding = session.encoding();
    let work = move |document: &Arc<Document>| {
        let place = positions::find_xiangqi(encoding, document.clone(), node.as_ref())?;
        let record = place.game()?.record;
        let position = record.position(place.id).ok_or_else(|| no_start(record))?;
        let moves = record.line(place.id).into_iter().map(|(_, played)| played).collect();
        let history = record.start().and_then(|start| History::new(start.clone(), moves).ok());
        Ok(Asked { position, history })
    };
    documents::offload(document, work).await
}

/// The start of a game is no position: the first reason against it.
pub fn no_start(record: &Record) -> Error {
    let error = Error::new(Kind::InvalidPosition, "the game has no position: its start breaks the rules");
    match record.findings().first() {
        Some(why) => error
            .with("code", why.code)
            .with("reason", why.message.en.as_ref())
            .with("reasonZh", why.message.zh.as_ref()),
        None => error,
    }
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

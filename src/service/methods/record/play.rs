//! `record/play`: a move at a node, as a change of the text.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::edit::{sgf_failed, xiangqi_failed};
use super::{BoardColor, LastMove};
use crate::engine::GenmovePlay;
use crate::go::referee::{MoveRules, Referee};
use crate::go::{Color, Move, Vertex};
use crate::language::Content;
use crate::service::documents::{self, Document};
use crate::service::error::{Error, Kind, Result};
use crate::service::methods::xiangqi::moves::{self, GivenMove};
use crate::service::methods::xiangqi::wire::no_start;
use crate::service::played::Played as Playing;
use crate::service::positions;
use crate::service::table::Cx;
use crate::service::wire::{DocumentRef, Node, NodeRef};
use crate::service::writeback::Edit;
use crate::sgf;
use crate::text::TextEdit;
use crate::text::line_index::Columns;
use crate::xiangqi::notation::{chinese, wxf};

/// A move to be made in a record.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "RecordPlayParams")]
#[serde(deny_unknown_fields)]
pub struct PlayParams {
    document: DocumentRef,
    /// Where it is played; the root of the first game when absent.
    node: Option<NodeRef>,
    /// GTP spelling (`Q16`, `pass`); in xiangqi any notation.
    #[serde(rename = "move")]
    played: String,
    /// Whose move it is; who is to move when absent.
    color: Option<BoardColor>,
}

/// A move in a record.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "RecordPlayed")]
pub struct Played {
    /// The change for the client to make; absent when the move stands there already.
    #[serde(skip_serializing_if = "Option::is_none")]
    edit: Option<Edit>,
    /// The move's node, once the change is made.
    node: Node,
    /// Stones or pieces that it takes.
    captured: u32,
    /// The move.
    #[serde(rename = "move")]
    played: LastMove,
}

/// `record/play`
pub async fn play(cx: Cx, params: PlayParams) -> Result<Played> {
    let document = documents::resolve(&cx.session, &params.document).await?;
    let (encoding, editor) = (cx.session.encoding(), cx.session.is_editor());
    documents::offload(document, move |document| {
        let (edits, mut played) = match document.content()? {
            Content::Sgf(_) => in_sgf(document, &params, encoding)?,
            Content::Xiangqi(_) => in_xiangqi(document, &params, encoding)?,
        };
        played.edit = Edit::of(document, &edits, editor, encoding);
        Ok(played)
    })
    .await
}

fn in_sgf(
    document: &Arc<Document>,
    params: &PlayParams,
    encoding: Columns,
) -> Result<(Vec<TextEdit>, Played)> {
    let place = positions::find(encoding, document.clone(), params.node.as_ref())?;
    let mut position = positions::at(&place)?;
    let vertex = Vertex::parse_gtp(&params.played, position.size).ok_or_else(|| {
        let shown: String = params.played.chars().take(40).collect();
        let message = format!("move: {shown:?} is no point of a {} board", position.size);
        Error::new(Kind::InvalidPosition, message).with("field", "move")
    })?;
    let color = match params.color {
        None => position.to_play,
        Some(BoardColor::Black) => Color::Black,
        Some(BoardColor::White) => Color::White,
        Some(_) => return Err(Error::field("color", "color: B or W plays in Go")),
    };
    position.to_play = color;
    let rules = MoveRules::named(position.rules.as_deref());
    let done = Referee::new(&position, rules, None).play(Move { color, vertex }).map_err(|fault| {
        Error::new(Kind::IllegalMove, format!("move: the move is not legal: {}", fault.why()))
            .with("field", "move")
            .with("reason", fault.why())
    })?;
    let playing = Playing { color, play: GenmovePlay::Play(vertex), value: None };
    let broken = || sgf_failed(&sgf::EditError::BrokenTree);
    let (edits, node) = playing.changes(document, &place).ok_or_else(broken)?;
    let played = LastMove { color: color.into(), vertex: vertex.to_gtp(position.size), zh: None, wxf: None };
    let node = node.ok_or_else(broken)?;
    Ok((edits, Played { edit: None, node, captured: done.captured, played }))
}

fn in_xiangqi(
    document: &Arc<Document>,
    params: &PlayParams,
    encoding: Columns,
) -> Result<(Vec<TextEdit>, Played)> {
    let place = positions::find_xiangqi(encoding, document.clone(), params.node.as_ref())?;
    let game = place.game()?;
    let position = game.record.position(place.id).ok_or_else(|| no_start(game.record))?;
    let color = super::xiangqi::color(position.turn());
    if params.color.is_some_and(|given| given != color) {
        let message = "color: the other side is to move there; r and b play in xiangqi";
        return Err(Error::field("color", message));
    }
    let given = GivenMove::Text(params.played.clone());
    let played = moves::read(&position, "move", &given, None)?;
    let change = game.add_move(place.id, played).map_err(|error| xiangqi_failed(&error))?;
    let node = match game.record.children(place.id).find(|child| *child == change.node) {
        Some(child) if change.edits.is_empty() => {
            positions::address_xiangqi(game.index, game.record.path_of(child))
        }
        _ => {
            let mut node = place.node()?;
            let child = game.record.children(place.id).count() as u32;
            node.go_on(child);
            node
        }
    };
    let shown = LastMove {
        color,
        vertex: played.to_string(),
        zh: Some(chinese(&position, played)),
        wxf: Some(wxf(&position, played)),
    };
    let captured = u32::from(position.piece_at(played.to).is_some());
    Ok((change.edits, Played { edit: None, node, captured, played: shown }))
}

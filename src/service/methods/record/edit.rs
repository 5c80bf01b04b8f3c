//! `record/edit`: changes of a record, as the fewest replacements of its text.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::go::Vertex;
use crate::language::Content;
use crate::service::documents::{self, Document};
use crate::service::error::{Error, Kind, Result};
use crate::service::methods::xiangqi::moves::{self, GivenMove};
use crate::service::methods::xiangqi::wire::no_start;
use crate::service::positions;
use crate::service::table::Cx;
use crate::service::wire::{DocumentRef, Node, NodeRef};
use crate::service::writeback::Edit;
use crate::sgf::{self, NewProperty, NewValue, NodeId, Path, Record};
use crate::text::line_index::Columns;
use crate::text::{Span, TextEdit, apply_edits};
use crate::xiangqi::record::pgn::EditError;
use crate::xiangqi::record::{self as xiangqi, Change, Game, Games};

/// The most changes of one request.
const MAX_OPS: usize = 100;

/// What shall change.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "RecordEditParams")]
#[serde(deny_unknown_fields)]
pub struct EditParams {
    document: DocumentRef,
    /// Where; the root of the first game when absent.
    node: Option<NodeRef>,
    /// One after the other; each begins at the node where the one before it has come to.
    ops: Vec<Op>,
}

/// One change.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "RecordOp")]
#[serde(tag = "op", rename_all = "camelCase", deny_unknown_fields)]
pub enum Op {
    /// Gives a property of the node these values. Xiangqi: `comment`, and the tags in the root.
    SetProperty {
        /// Its name.
        name: String,
        /// What it says; several only in SGF.
        values: Vec<String>,
    },
    /// Takes a property of the node away.
    RemoveProperty {
        /// Its name.
        name: String,
    },
    /// Adds a node behind the node, and goes there.
    AddNode {
        /// A move of whoever is to move; xiangqi needs one.
        #[serde(rename = "move")]
        played: Option<String>,
        /// Properties of the new node.
        props: Option<BTreeMap<String, Vec<String>>>,
    },
    /// Takes the node and all behind it away, and goes to the one before it.
    RemoveNode {},
    /// Makes the line to the node the main one.
    Promote {},
}

/// The change.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "RecordEdited")]
pub struct Edited {
    /// For the client to make; absent when nothing changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    edit: Option<Edit>,
    /// Where the last change has come to, once all are made.
    node: Node,
}

/// `record/edit`
pub async fn edit(cx: Cx, params: EditParams) -> Result<Edited> {
    if params.ops.len() > MAX_OPS {
        let message = format!("ops: {} changes are over the limit of {MAX_OPS}", params.ops.len());
        return Err(Error::new(Kind::LimitExceeded, message).with("field", "ops"));
    }
    let document = documents::resolve(&cx.session, &params.document).await?;
    let (encoding, editor) = (cx.session.encoding(), cx.session.is_editor());
    documents::offload(document, move |document| {
        let (edits, node) = match document.content()? {
            Content::Sgf(_) => in_sgf(document, &params, encoding)?,
            Content::Xiangqi(games) => in_xiangqi(document, games, &params, encoding)?,
        };
        Ok(Edited { edit: Edit::of(document, &edits, editor, encoding), node })
    })
    .await
}

/// The edits of one change as they are; of several the stretch of the text in which they are.
fn joined(text: &str, mut steps: Vec<Vec<TextEdit>>) -> Vec<TextEdit> {
    if steps.len() <= 1 {
        return steps.pop().unwrap_or_default();
    }
    let after = steps.iter().fold(text.to_owned(), |text, edits| apply_edits(&text, edits));
    if after == text {
        return Vec::new();
    }
    let head: usize =
        text.chars().zip(after.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
    let (old, new) = (&text[head..], &after[head..]);
    let tail: usize =
        old.chars().rev().zip(new.chars().rev()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
    let span = Span::new(head as u32, (text.len() - tail) as u32);
    vec![TextEdit::replace(span, &new[..new.len() - tail])]
}

fn in_sgf(document: &Arc<Document>, params: &EditParams, encoding: Columns) -> Result<(Vec<TextEdit>, Node)> {
    let place = positions::find(encoding, document.clone(), params.node.as_ref())?;
    let game = place.node.game as usize;
    let (mut record, mut id) = (None::<Record>, place.id);
    let mut steps = Vec::new();
    for (index, op) in params.ops.iter().enumerate() {
        let now = match &record {
            Some(record) => record,
            None => document.record()?,
        };
        let (edits, path) = sgf_op(now, id, op).map_err(|error| error.with("op", index))?;
        let after = Record::parse(apply_edits(now.text(), &edits));
        id = after.find(game, &path).ok_or_else(|| sgf_failed(&sgf::EditError::BrokenTree))?;
        record = Some(after);
        steps.push(edits);
    }
    let node = positions::address(record.as_ref().map_or_else(|| document.record(), Ok)?, id);
    Ok((joined(&document.text, steps), node))
}

fn sgf_op(record: &Record, id: NodeId, op: &Op) -> Result<(Vec<TextEdit>, Path)> {
    let mut path = record.path_of(id);
    let values = |values: &[String]| values.iter().map(|value| NewValue::text(value)).collect::<Vec<_>>();
    let edits = match op {
        Op::SetProperty { name, values: said } => sgf::set_property(record, id, name, &values(said)),
        Op::RemoveProperty { name } => sgf::remove_property(record, id, name),
        Op::AddNode { played, props } => {
            let mut new: Vec<(&str, Vec<NewValue>)> = Vec::new();
            if let Some(played) = played {
                let position =
                    sgf::position(record, id).map_err(|error| positions::no_position(&error))?.position;
                let vertex = Vertex::parse_gtp(played, position.size).and_then(NewValue::vertex);
                let vertex =
                    vertex.ok_or_else(|| Error::field("move", "move: this is no point of the board"))?;
                new.push((position.to_play.letter(), vec![vertex]));
            }
            new.extend(props.iter().flatten().map(|(name, said)| (name.as_str(), values(said))));
            let new: Vec<NewProperty<'_>> =
                new.iter().map(|(name, values)| (*name, values.as_slice())).collect();
            path.push(record.children(id).count() as u32, 1);
            sgf::add_node(record, id, &new)
        }
        Op::RemoveNode {} => {
            let parent = record.parent(id).ok_or_else(|| sgf_failed(&sgf::EditError::UnknownNode))?;
            path = record.path_of(parent);
            sgf::remove_node(record, id)
        }
        Op::Promote {} => {
            let depth = path.steps().iter().map(|step| step.times).sum();
            path = Path::default();
            path.push(0, depth);
            sgf::promote(record, id)
        }
    };
    Ok((edits.map_err(|error| sgf_failed(&error))?, path))
}

fn in_xiangqi(
    document: &Arc<Document>,
    games: &Games,
    params: &EditParams,
    encoding: Columns,
) -> Result<(Vec<TextEdit>, Node)> {
    let place = positions::find_xiangqi(encoding, document.clone(), params.node.as_ref())?;
    let (mut games, mut id) = (games.clone(), place.id);
    let gone = || Error::new(Kind::NotFound, "the document holds no such game");
    let mut steps = Vec::new();
    for (index, op) in params.ops.iter().enumerate() {
        let game = games.game(place.game).ok_or_else(gone)?;
        let change = xiangqi_op(&game, id, op).map_err(|error| error.with("op", index))?;
        id = change.node;
        let mut edits = vec![change.edits];
        if let Op::AddNode { props: Some(props), .. } = op {
            for (name, values) in props {
                games =
                    Games::read_after(apply_edits(games.text(), edits.last().unwrap_or(&Vec::new())), &games);
                let game = games.game(place.game).ok_or_else(gone)?;
                let more = set_property(&game, id, name, values).map_err(|error| error.with("op", index))?;
                edits.push(more.edits);
            }
        }
        games = Games::read_after(apply_edits(games.text(), edits.last().unwrap_or(&Vec::new())), &games);
        steps.extend(edits);
    }
    let game = games.game(place.game).ok_or_else(gone)?;
    let node = positions::address_xiangqi(place.game, game.record.path_of(id));
    Ok((joined(&document.text, steps), node))
}

fn xiangqi_op(game: &Game<'_>, id: xiangqi::NodeId, op: &Op) -> Result<Change> {
    let done = match op {
        Op::SetProperty { name, values } => return set_property(game, id, name, values),
        Op::RemoveProperty { name } if is_comment(name) => game.set_comment(id, ""),
        Op::RemoveProperty { name } if id == xiangqi::NodeId::ROOT => game.set_tag(name, None),
        Op::RemoveProperty { name } => return Err(no_property(name)),
        Op::AddNode { played, .. } => {
            let played = played.clone().ok_or_else(|| Error::field("move", "ops: xiangqi needs a move"))?;
            let position = game.record.position(id).ok_or_else(|| no_start(game.record))?;
            let played = moves::read(&position, "move", &GivenMove::Text(played), None)?;
            game.add_move(id, played)
        }
        Op::RemoveNode {} => game.remove(id),
        Op::Promote {} => game.promote(id),
    };
    done.map_err(|error| xiangqi_failed(&error))
}

fn is_comment(name: &str) -> bool {
    name.eq_ignore_ascii_case("comment")
}

fn set_property(game: &Game<'_>, id: xiangqi::NodeId, name: &str, values: &[String]) -> Result<Change> {
    let [value] = values else {
        return Err(Error::field("values", "ops: a comment or a tag of xiangqi has one value"));
    };
    let done = match is_comment(name) {
        true => game.set_comment(id, value),
        false if id == xiangqi::NodeId::ROOT => game.set_tag(name, Some(value)),
        false => return Err(no_property(name)),
    };
    done.map_err(|error| xiangqi_failed(&error))
}

fn no_property(name: &str) -> Error {
    let shown: String = name.chars().take(40).collect();
    Error::field("name", format!("ops: a move of xiangqi has a comment, but no {shown:?}"))
}

/// Why a record of SGF is not changed, for clients.
pub fn sgf_failed(error: &sgf::EditError) -> Error {
    let kind = match error {
        sgf::EditError::UnknownNode => Kind::NotFound,
        _ => Kind::InvalidParams,
    };
    Error::new(kind, error.to_string())
}

/// The same of xiangqi.
pub fn xiangqi_failed(error: &EditError) -> Error {
    match error {
        EditError::Illegal(why) => moves::illegal("move", why),
        EditError::UnknownNode => Error::new(Kind::NotFound, error.to_string()),
        EditError::NoStart => Error::new(Kind::InvalidPosition, error.to_string()),
        _ => Error::new(Kind::InvalidParams, error.to_string()),
    }
}

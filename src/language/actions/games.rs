//! Collections taken apart and put together, and a variation as a game of its own.

use crate::go::{Color, Point};
use crate::sgf::props::Place;
use crate::sgf::value::point_text;
use crate::sgf::{Code, EditError, NodeId, Record, Span, TextEdit, apply_edits, turn};

use crate::language::meaning::home;
use crate::language::trace::Trace;

/// The games of a collection, each as a text of its own. Text outside of them is left out.
pub fn split(record: &Record) -> Vec<String> {
    record.games().map(|game| game.span.slice(record.text()).to_owned()).collect()
}

/// One collection with the games of several documents, in their order; signs that are missing at
/// the end of a document are added.
///
/// # Errors
/// `BrokenTree` when the games of a document would come to mean something else.
pub fn merge(records: &[&Record]) -> Result<String, EditError> {
    let mut text = String::new();
    let mut wanted = 0;
    for record in records {
        wanted += record.games().len();
        for game in record.games() {
            if !text.is_empty() {
                text.push_str(records.first().map_or("\n", |first| first.line_break()));
            }
            text.push_str(game.span.slice(record.text()).trim_end());
        }
        let end = record.text().len() as u32;
        let missing = record
            .findings()
            .iter()
            .filter(|finding| matches!(finding.code, Code::UnclosedValue | Code::UnclosedTree));
        let edits = missing.filter_map(|finding| finding.fix.as_ref()).flat_map(|fix| &fix.edits);
        edits.filter(|edit| edit.span == Span::at(end)).for_each(|edit| text.push_str(&edit.new_text));
    }
    text.push_str(records.first().map_or("\n", |first| first.line_break()));
    let after = Record::parse(text.as_str());
    let before: usize = records.iter().map(|record| record.node_count()).sum();
    if after.games().len() != wanted || after.node_count() != before {
        return Err(EditError::BrokenTree);
    }
    Ok(text)
}

/// Adds the games of other documents behind those of this one.
///
/// # Errors
/// `BrokenTree` where signs are missing, so that a game would come to mean something else.
pub fn append(record: &Record, others: &[&Record]) -> Result<Vec<TextEdit>, EditError> {
    let added = merge(others)?;
    let last = record.games().last().ok_or(EditError::BrokenTree)?.span.end;
    let edit = TextEdit::insert(last, format!("{}{}", record.line_break(), added.trim_end()));
    let after = Record::parse(apply_edits(record.text(), std::slice::from_ref(&edit)));
    let sum =
        |count: fn(&Record) -> usize| count(record) + others.iter().map(|other| count(other)).sum::<usize>();
    let holds = after.games().len() == sum(|record| record.games().len())
        && after.node_count() == sum(Record::node_count);
    if holds { Ok(vec![edit]) } else { Err(EditError::BrokenTree) }
}

/// A node and all behind it as a game: the root has the facts of the game and sets up the
/// position before the node. The text of the nodes is kept as it is.
///
/// # Errors
/// `UnknownNode`; `BrokenTree` where parentheses or brackets are missing.
pub fn subtree(record: &Record, node: NodeId) -> Result<String, EditError> {
    let parent = record.parent(node).ok_or(EditError::UnknownNode)?;
    let start = record.node(node).span.start;
    let tree = record.tree_starting_with(node).or(record.tree_at(start));
    let tree = tree.and_then(|tree| record.tree(tree)).ok_or(EditError::BrokenTree)?;
    let body = Span::new(start, tree.span.end - u32::from(tree.closed)).slice(record.text()).trim_end();
    if !tree.closed {
        return Err(EditError::BrokenTree);
    }
    let mut text = String::from("(;");
    let root = record.root_of(node);
    for property in record.properties(root) {
        if matches!(home(&property.ident()), Some(Place::Root | Place::GameInfo)) {
            text.push_str(property.span().slice(record.text()));
        }
    }
    if let Some(trace) = Trace::before(record, node) {
        for (name, color) in [("AB", Color::Black), ("AW", Color::White)] {
            let stones = trace.board.stones().filter(|(_, stone)| *stone == color);
            let points: Vec<Point> = stones.map(|(point, _)| point).collect();
            if !points.is_empty() {
                text.push_str(name);
                points.into_iter().filter_map(point_text).for_each(|point| text.extend(["[", &point, "]"]));
            }
        }
        let (to_play, _) = turn(record, parent, Some(node));
        text.extend(["PL[", to_play.letter(), "]"]);
    }
    text.push_str(record.line_break());
    text.push_str(if body.starts_with(';') { "" } else { ";" });
    text.extend([body, ")"]);
    let after = Record::parse(text.as_str());
    let is_whole = after.games().len() == 1 && after.node_count() == 1 + count(record, node);
    if is_whole { Ok(text) } else { Err(EditError::BrokenTree) }
}

/// How many nodes a node and all behind it are: they stand in one row.
fn count(record: &Record, node: NodeId) -> usize {
    let parent = |id: u32| record.parent(NodeId(id));
    let behind =
        (node.0 + 1..record.node_count() as u32).take_while(|id| parent(*id).is_some_and(|up| up >= node));
    1 + behind.count()
}

/// Adds the subtree behind its game.
pub(super) fn add_subtree(record: &Record, node: NodeId) -> Result<Vec<TextEdit>, EditError> {
    let new = subtree(record, node)?;
    let game = record.game(record.node(node).game).ok_or(EditError::UnknownNode)?;
    let edit = TextEdit::insert(game.span.end, format!("{}{new}", record.line_break()));
    let after = Record::parse(apply_edits(record.text(), std::slice::from_ref(&edit)));
    let wanted = record.node_count() + 1 + count(record, node);
    let holds = after.games().len() == record.games().len() + 1 && after.node_count() == wanted;
    if holds { Ok(vec![edit]) } else { Err(EditError::BrokenTree) }
}

//! The record of a game: each move becomes the smallest change of its document.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;

use crate::go::{Color, Move};
use crate::service::documents::{self, Document};
use crate::service::events::Topic;
use crate::service::positions::{self, Place};
use crate::service::session::Session;
use crate::service::wire::Node;
use crate::service::writeback::{self, Edit, Value};
use crate::sgf::{self, EditError, Follow, NewProperty, NewValue, NodeId, Record, Span, TextEdit};

/// How long a game waits for the client to make a change before it plays on.
const SETTLE: Duration = Duration::from_secs(2);
/// A change is made again for a newer version of the document so many times.
const TRIES: usize = 3;

/// How a game has ended, for the record.
#[derive(Debug, Clone, PartialEq)]
struct Ending {
    result: String,
    /// The line of a resignation becomes the main one.
    main_line: bool,
}

/// What is written of a game, and where.
#[derive(Clone)]
pub struct Keeper {
    /// Where the game starts, in the document of that moment.
    base: Place,
    moves: Vec<(Move, Option<Value>)>,
    /// Moves that were in the record at some time; their values are not written again.
    written: usize,
    ending: Option<Ending>,
}

/// What is missing in a record.
struct Missing {
    edits: Vec<TextEdit>,
    /// The last move's node, once they are made; while the game goes on.
    node: Option<Node>,
}

impl Keeper {
    /// A game that goes on in a document of the client. A file that is not open is never written: the game
    /// is kept in a copy.
    pub fn in_document(place: Place) -> Keeper {
        let copy = place.document.uri.is_none() || place.document.file.is_some();
        let document = match copy {
            true => documents::from_text(&place.document.text),
            false => place.document,
        };
        Keeper { base: Place { document, ..place }, moves: Vec::new(), written: 0, ending: None }
    }

    /// A game with a record of its own.
    pub fn new(text: &str) -> Keeper {
        let document = documents::from_text(text);
        let last = document.record().map_or(0, |record| record.node_count().saturating_sub(1));
        let id = NodeId(last as u32);
        let node = match document.record() {
            Ok(record) => positions::address(record, id),
            Err(_) => Node { game: 0, path: Vec::new() },
        };
        Keeper { base: Place { document, id, node }, moves: Vec::new(), written: 0, ending: None }
    }

    /// Where the game starts.
    pub fn base(&self) -> &Place {
        &self.base
    }

    /// The game goes on behind these moves, which are in the document as far as it was saved. In a record of its own
    /// they are made once more, so that it becomes what it was.
    pub fn take_up(&mut self, moves: impl IntoIterator<Item = (Move, Option<Value>)>) {
        for (play, value) in moves {
            self.add(play, value);
            if self.is_own() {
                self.write_own();
            }
        }
        if let Ok(record) = self.base.document.record() {
            (self.written, _) = self.walk(record, self.base.id);
        }
    }

    /// The whole of a record of its own.
    pub fn whole(&self) -> Option<Edit> {
        let text = || self.base.document.text.to_string();
        self.is_own().then(|| Edit { text: Some(text()), ..Edit::default() })
    }

    /// A move has been made; its value is that of the position after it.
    pub fn add(&mut self, play: Move, value: Option<Value>) {
        self.moves.push((play, value));
    }

    /// The game is over.
    pub fn end(&mut self, result: &str, resigned: bool) {
        self.ending = Some(Ending { result: result.to_owned(), main_line: resigned });
    }

    /// Whether it is kept in no document of the client.
    fn is_own(&self) -> bool {
        self.base.document.uri.is_none()
    }

    /// Makes the change for whatever is missing in the document as it is now, and lets the editor apply it
    /// where there is one. Answers the node of the last move as well.
    pub async fn write(&mut self, session: &Session) -> (Option<Edit>, Option<Node>) {
        if self.is_own() {
            return self.write_own();
        }
        let client = session.editing_client();
        let mut refused = (None, None);
        for _ in 0..TRIES {
            let Some((document, missing)) = self.look(session).await else { return refused };
            let edit = Edit::of(&document, &missing.edits, session.is_editor(), session.encoding());
            let node = missing.node;
            let Some((client, edit)) = client.zip(edit.clone()) else {
                self.written = self.moves.len();
                return (edit, node);
            };
            if client.apply_edit(json!({"documentChanges": edit.document_changes})).await {
                self.written = self.moves.len();
                return (Some(Edit { applied: Some(true), ..edit }), node);
            }
            refused = (Some(Edit { applied: Some(false), ..edit }), node);
        }
        refused
    }

    /// Waits until the client has made the changes in its document, for a while: the next change is made for
    /// the text after them.
    pub async fn settle(&self, session: &Session) {
        if self.is_own() {
            return;
        }
        let changes = session.events.subscribe(&[Topic::Documents], None);
        let settled = async {
            while self.look(session).await.is_some_and(|(_, missing)| !missing.edits.is_empty()) {
                changes.next().await;
            }
        };
        if tokio::time::timeout(SETTLE, settled).await.is_err() {
            tracing::info!(uri = self.base.document.uri, "the client has not taken a move of its game yet");
        }
    }

    /// What is missing in the document as it is now. `None` when the game's place in it is gone.
    async fn look(&self, session: &Session) -> Option<(Arc<Document>, Missing)> {
        let document = writeback::current(session, &self.base.document).await;
        let keeper = self.clone();
        let missing = documents::offload(document.clone(), move |document| Ok(keeper.missing(document)));
        Some((document, missing.await.ok().flatten()?))
    }

    fn write_own(&mut self) -> (Option<Edit>, Option<Node>) {
        let document = self.base.document.clone();
        let Some(missing) = self.missing(&document) else { return (None, None) };
        let node = missing.node;
        let edit = Edit::of(&document, &missing.edits, false, crate::sgf::line_index::Columns::Utf16);
        if let Some(text) = edit.as_ref().and_then(|edit| edit.text.as_deref()) {
            // Nodes come behind the first one of the game, so its number stays; a line that has become the
            // main one moves it, but then the game is over.
            self.base.document = documents::from_text(text);
        }
        self.written = self.moves.len();
        (edit, node)
    }

    /// What is missing in a version of the document.
    fn missing(&self, document: &Document) -> Option<Missing> {
        let record = document.record().ok()?;
        let known = self.base.document.record().ok()?;
        let base = match std::ptr::eq(document, &*self.base.document) {
            true => self.base.id,
            false => Follow::new(known, record).node(known, self.base.id, record)?,
        };
        let mut steps: Vec<Vec<TextEdit>> = Vec::new();
        let mut newer: Option<Record> = None;
        let warn = |error: &EditError| tracing::warn!(%error, "a game could not be written into its record");
        // A change a move, or two for one that was there without its value.
        for _ in 0..2 * self.moves.len() {
            let now = newer.as_ref().unwrap_or(record);
            let edits = self.next_move(now, base).inspect_err(warn).ok()?;
            if edits.is_empty() {
                break;
            }
            newer = Some(Record::parse(sgf::apply_edits(now.text(), &edits)));
            steps.push(edits);
        }
        let now = newer.as_ref().unwrap_or(record);
        let (_, last) = self.walk(now, base);
        let node = self.ending.is_none().then(|| positions::address(now, last));
        let ending = self.ending(now, last).inspect_err(warn).ok()?;
        if steps.is_empty() {
            return Some(Missing { edits: ending, node });
        }
        let edits = match (steps.pop(), ending.is_empty()) {
            (Some(only), true) if steps.is_empty() => only,
            _ => difference(record.text(), &sgf::apply_edits(now.text(), &ending)),
        };
        Some(Missing { edits, node })
    }

    /// How many moves stand behind the base, and the node of the last of them.
    fn walk(&self, record: &Record, base: NodeId) -> (usize, NodeId) {
        let mut at = base;
        for (index, (play, _)) in self.moves.iter().enumerate() {
            let same = |child: &NodeId| sgf::last_move(record, *child) == Some((*child, *play));
            match record.children(at).find(same) {
                Some(child) => at = child,
                None => return (index, at),
            }
        }
        (self.moves.len(), at)
    }

    /// The next change of the moves that is missing; empty when none is.
    fn next_move(&self, record: &Record, base: NodeId) -> Result<Vec<TextEdit>, EditError> {
        let (there, at) = self.walk(record, base);
        if let Some((play, value)) = self.moves.get(there) {
            let Some(vertex) = NewValue::vertex(play.vertex) else { return Ok(Vec::new()) };
            let vertex = [vertex];
            let numbers = value.map(|value| value.properties()).unwrap_or_default();
            let mut properties: Vec<NewProperty<'_>> = vec![(play.color.letter(), &vertex)];
            properties.extend(numbers.iter().map(|(name, number)| (*name, number.as_slice())));
            return sgf::add_node(record, at, &properties);
        }
        // A node with this move was there before the game: only the values are news.
        let Some((_, Some(value))) = self.moves.last().filter(|_| there > self.written) else {
            return Ok(Vec::new());
        };
        let mut edits = Vec::new();
        for (name, number) in value.properties() {
            edits.extend(sgf::set_property(record, at, name, &number)?);
        }
        Ok(edits)
    }

    /// The result at the root; the line of a resignation becomes the main one.
    fn ending(&self, record: &Record, last: NodeId) -> Result<Vec<TextEdit>, EditError> {
        let Some(ending) = &self.ending else { return Ok(Vec::new()) };
        let result = [NewValue::text(&ending.result)];
        let mut edits = sgf::set_property(record, record.root_of(last), "RE", &result)?;
        if ending.main_line {
            match sgf::promote(record, last) {
                Ok(more) => edits.extend(more),
                Err(error) => tracing::warn!(%error, "the line could not be made the main one"),
            }
        }
        // Stable: at one place the result is inserted before the variations move.
        edits.sort_by_key(|edit| edit.span.start);
        Ok(edits)
    }
}

/// One replacement that makes one text from another.
fn difference(before: &str, after: &str) -> Vec<TextEdit> {
    let same = |(a, b): &(char, char)| a == b;
    let head: usize = before.chars().zip(after.chars()).take_while(same).map(|(c, _)| c.len_utf8()).sum();
    let (before_rest, after_rest) = (&before[head..], &after[head..]);
    let tail: usize = before_rest
        .chars()
        .rev()
        .zip(after_rest.chars().rev())
        .take_while(same)
        .map(|(c, _)| c.len_utf8())
        .sum();
    let span = Span::new(head as u32, (before.len() - tail) as u32);
    vec![TextEdit::replace(span, after_rest[..after_rest.len() - tail].to_owned())]
}

/// The winner by everything that is not points.
pub fn won_by(winner: Color, how: &str) -> String {
    format!("{}+{how}", winner.letter())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::{Point, Vertex};

    const fn play(color: Color, col: u8) -> Move {
        Move { color, vertex: Vertex::At(Point::new(col, 0)) }
    }

    fn keeper(text: &str, node: u32) -> Keeper {
        let document = documents::from_text(text);
        let id = NodeId(node);
        let node = positions::address(document.record().unwrap(), id);
        Keeper::in_document(Place { document, id, node })
    }

    #[test]
    fn a_record_grows_move_by_move() {
        let value = Some(Value::new(Color::White, 40.0, Some(-1.25)));
        let mut keeper = keeper("(;SZ[9]C[棋]\r\n;B[ee]\r\n(;W[aa])(;W[cc];B[dd]))", 1);
        keeper.add(play(Color::White, 0), value);
        let text = |(edit, node): (Option<Edit>, Option<Node>)| {
            let path = node.map(|node| serde_json::to_string(&node.path).unwrap()).unwrap_or_default();
            (edit.and_then(|edit| edit.text).unwrap_or_default(), path)
        };
        let head = "(;SZ[9]C[棋]\r\n;B[ee]\r\n";
        let grown = text(keeper.write_own());
        assert_eq!(grown, (format!("{head}(;W[aa]SBKV[60]SBKS[1.25])(;W[cc];B[dd]))"), r#"["0*2"]"#.into()));
        // Two moves that were missed together are one change.
        keeper.add(play(Color::Black, 1), None);
        keeper.add(Move { color: Color::White, vertex: Vertex::Pass }, None);
        let grown = text(keeper.write_own());
        let line = "(;W[aa]SBKV[60]SBKS[1.25];B[ba];W[])";
        assert_eq!(grown, (format!("{head}{line}(;W[cc];B[dd]))"), r#"["0*4"]"#.into()));
        keeper.end("B+Resign", true);
        assert_eq!(
            text(keeper.write_own()).0,
            format!("(;SZ[9]C[棋]RE[B+Resign]\r\n;B[ee]\r\n{line}(;W[cc];B[dd]))")
        );
        assert_eq!(keeper.write_own().0, None, "nothing is missing");
    }

    #[test]
    fn a_resigned_variation_becomes_the_main_line() {
        let mut keeper = keeper("(;SZ[9](;B[aa])(;B[bb]))", 2);
        keeper.add(play(Color::White, 3), None);
        keeper.end("B+Resign", true);
        let text = keeper.write_own().0.unwrap().text.unwrap();
        assert_eq!(text, "(;SZ[9]RE[B+Resign](;B[bb];W[da])(;B[aa]))");
    }
}

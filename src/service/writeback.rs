//! Values on their way into a record: SBKV (win rate) and SBKS (score lead), Black's, two decimals; beside
//! them KFCA, the moves that the engine thought of.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;

use super::documents::{self, Document};
use super::error::Result;
use super::positions::Place;
use super::session::Session;
use super::wire::{DocumentRef, TextEdit};
use crate::go::{Color, Move};
use crate::sgf::line_index::Columns;
use crate::sgf::{self, CANDIDATES, Candidate, EditError, Follow, NewProperty, NewValue, NodeId, Record};

/// One side's chances.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Side {
    /// Percent.
    pub winrate: f64,
    /// Points.
    pub score_lead: Option<f64>,
}

/// The value of a position.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Value {
    /// As Black sees it.
    pub black: Side,
}

impl Value {
    /// From numbers that are `color`'s.
    pub fn new(color: Color, winrate: f64, score_lead: Option<f64>) -> Value {
        Value { black: seen_by(color, Side { winrate, score_lead }) }
    }

    /// SBKV and SBKS, as far as the numbers can be written.
    pub fn properties(self) -> Vec<(&'static str, [NewValue; 1])> {
        let numbers = [("SBKV", Some(self.black.winrate)), ("SBKS", self.black.score_lead)];
        let written =
            numbers.into_iter().filter_map(|(name, number)| Some((name, [NewValue::real(number?)?])));
        written.collect()
    }

    /// As this colour sees it.
    pub fn for_color(self, color: Color) -> Side {
        seen_by(color, self.black)
    }
}

/// What an engine thinks of a position: its value, and the moves that it thought of.
#[derive(Debug, Clone, PartialEq)]
pub struct Opinion {
    /// The value.
    pub value: Value,
    /// The moves, the first choice first.
    pub candidates: Vec<Candidate>,
}

/// Turns Black's numbers into `color`'s and back.
fn seen_by(color: Color, side: Side) -> Side {
    match color {
        Color::Black => side,
        Color::White => Side { winrate: 100.0 - side.winrate, score_lead: side.score_lead.map(|lead| -lead) },
    }
}

/// The smallest change of a document: a `WorkspaceEdit` for editors, ranges for plain clients,
/// the new text for a text that came with the request.
#[derive(Debug, Default, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Edit {
    /// LSP's form, made for a version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document_changes: Option<Vec<DocumentEdit>>,
    /// What its annotated parts are, by their ids; for editors that know annotations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub change_annotations: Option<BTreeMap<&'static str, ChangeAnnotation>>,
    /// For plain clients.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edits: Option<Vec<TextEdit>>,
    /// For `{text}` documents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Whether it is in the document already: the editor applied it, or the file was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub applied: Option<bool>,
}

impl Edit {
    /// Changes of a document's text in the form that the client takes; `None` when there are none.
    pub fn of(document: &Document, edits: &[sgf::TextEdit], editor: bool, encoding: Columns) -> Option<Edit> {
        if edits.is_empty() {
            return None;
        }
        let Some(uri) = &document.uri else {
            return Some(Edit { text: Some(sgf::apply_edits(&document.text, edits)), ..Edit::default() });
        };
        let edits: Vec<TextEdit> = edits
            .iter()
            .map(|edit| TextEdit {
                range: document.range(edit.span, encoding),
                new_text: edit.new_text.clone(),
                annotation_id: None,
            })
            .collect();
        if !editor {
            return Some(Edit { edits: Some(edits), ..Edit::default() });
        }
        let version = document.file.is_none().then_some(document.version);
        let text_document = VersionedDocument { uri: uri.clone(), version };
        Some(Edit { document_changes: Some(vec![DocumentEdit { text_document, edits }]), ..Edit::default() })
    }

    /// Says of each change whether it is a value or belongs to a new line, which needs a look.
    fn annotate(&mut self, of_lines: &[bool]) {
        let edits = self.document_changes.iter_mut().flatten().flat_map(|document| &mut document.edits);
        for (edit, of_line) in edits.zip(of_lines) {
            edit.annotation_id = Some(if *of_line { LINES } else { VALUES });
        }
        let annotation = |label: &str, needs_confirmation| ChangeAnnotation {
            label: label.to_owned(),
            needs_confirmation,
        };
        self.change_annotations = self.document_changes.is_some().then(|| {
            BTreeMap::from([
                (VALUES, annotation("Win rate and score lead", false)),
                (LINES, annotation("Better lines of the engine", true)),
            ])
        });
    }
}

/// The ids of the annotations.
const VALUES: &str = "values";
const LINES: &str = "lines";

/// What a part of an edit is, for whoever looks it over.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChangeAnnotation {
    /// For people.
    pub label: String,
    /// The editor asks before it applies this part.
    pub needs_confirmation: bool,
}

/// The changes of one document.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DocumentEdit {
    /// Which, at which version.
    pub text_document: VersionedDocument,
    /// In its coordinates.
    pub edits: Vec<TextEdit>,
}

/// A document at a version.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct VersionedDocument {
    /// The client's name for it.
    pub uri: String,
    /// The version that the edits fit; null for a file that is not open.
    pub version: Option<i32>,
}

/// A line that is written as the last variation of a node.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// Its moves; none: nothing is written.
    pub moves: Vec<Move>,
    /// The value after the first of them.
    pub value: Option<Value>,
}

/// Values and lines that wait to be written, by node.
#[derive(Default, Clone)]
pub struct WriteBack {
    values: Vec<(Place, Opinion)>,
    lines: Vec<(Place, Line)>,
}

/// What changes in a text: each edit, and whether it belongs to a new line.
type Changes = Vec<(sgf::TextEdit, bool)>;

/// An edit is made again for a newer version of the document so many times.
const TRIES: usize = 3;

impl WriteBack {
    /// Notes a node's value; a later one replaces it.
    pub fn add(&mut self, place: &Place, opinion: Opinion) {
        let same = |known: &Place| known.id == place.id && Arc::ptr_eq(&known.document, &place.document);
        self.values.retain(|(known, _)| !same(known));
        self.values.push((place.clone(), opinion));
    }

    /// Notes the value of a node that has none yet.
    pub fn push(&mut self, place: Place, opinion: Opinion) {
        self.values.push((place, opinion));
    }

    /// Notes a line that shall go on from a node. Where the node has a variation with the same first
    /// move, that gets the value, and no line is written; neither is one where the node has no
    /// continuation, since it would be the main line.
    pub fn add_line(&mut self, place: Place, line: Line) {
        self.lines.push((place, line));
    }

    /// Takes back values that could not be written; newer ones of the same nodes stay.
    pub fn restore(&mut self, older: WriteBack) {
        let newer = std::mem::replace(self, older);
        newer.values.into_iter().for_each(|(place, opinion)| self.add(&place, opinion));
        self.lines.extend(newer.lines);
    }

    /// Nothing to write.
    pub fn is_empty(&self) -> bool {
        self.first().is_none()
    }

    fn first(&self) -> Option<&Place> {
        let lines = self.lines.iter().map(|(place, _)| place);
        self.values.iter().map(|(place, _)| place).chain(lines).next()
    }

    /// Makes the edit, and lets the editor apply it where there is one.
    pub async fn apply(&self, session: &Session) -> Option<Edit> {
        let first = self.first()?;
        let uri = first.document.uri.clone();
        let client = session.editing_client();
        let mut refused = None;
        for _ in 0..TRIES {
            let document = current(session, &first.document).await;
            let (values, form) = (self.clone(), Form::of(session));
            let edit = documents::offload(document, move |document| Ok(values.edit(document, &form)));
            let Some(edit) = edit.await.ok().flatten() else { return refused };
            let Some((client, changes)) = client.zip(edit.document_changes.as_ref()) else {
                return Some(edit);
            };
            let mut told = json!({"documentChanges": changes});
            if let Some(annotations) = &edit.change_annotations {
                told["changeAnnotations"] = json!(annotations);
            }
            if client.apply_edit(told).await {
                return Some(Edit { applied: Some(true), ..edit });
            }
            tracing::info!(uri, "the editor did not apply the edit; trying again for its present text");
            refused = Some(Edit { applied: Some(false), ..edit });
        }
        tracing::warn!(uri, "the editor did not take the values");
        refused
    }

    /// Writes the values into the file that the document was read from.
    ///
    /// # Errors
    /// As [`super::files::SourceFile::write`]; the file is then as it was.
    pub fn write_file(&self) -> Result<Option<Edit>> {
        let Some(first) = self.first() else { return Ok(None) };
        let Some(file) = &first.document.file else { return Ok(None) };
        let edits = self.text_edits(&first.document).unwrap_or_default();
        file.write(&edits)?;
        Ok(Some(Edit { applied: Some(true), ..Edit::default() }))
    }

    fn edit(&self, document: &Document, form: &Form) -> Option<Edit> {
        let (edits, of_lines): (Vec<_>, Vec<_>) = self.changes(document)?.into_iter().unzip();
        let mut edit = Edit::of(document, &edits, form.editor, form.encoding)?;
        if form.annotated && of_lines.contains(&true) {
            edit.annotate(&of_lines);
        }
        Some(edit)
    }

    /// The edits of the text. Nodes are followed from the version of the document that they were
    /// found in; values of nodes that are no longer there are left out.
    pub fn text_edits(&self, document: &Document) -> Option<Vec<sgf::TextEdit>> {
        Some(self.changes(document)?.into_iter().map(|(edit, _)| edit).collect())
    }

    fn changes(&self, document: &Document) -> Option<Changes> {
        let record = document.record().ok()?;
        let mut followed = Followed { document, record, known: HashMap::new() };
        let values: BTreeMap<NodeId, &Opinion> = followed.nodes(&self.values).collect();
        let mut edits: Changes = Vec::new();
        for (node, opinion) in &values {
            let own = value_edits(record, *node, opinion.value).into_iter();
            let own = own.chain(candidate_edits(record, *node, &opinion.candidates));
            edits.extend(own.map(|edit| (edit, false)));
        }
        let lines: BTreeMap<NodeId, &Line> = followed.nodes(&self.lines).collect();
        let mut new: Changes = Vec::new();
        let mut nodes = 0;
        // Where two lines end at one place, the one that branches off later closes first.
        for (node, line) in lines.into_iter().rev() {
            match self.line_edits(record, node, line, &values) {
                LineEdits::Value(more) => edits.extend(more.into_iter().map(|edit| (edit, false))),
                LineEdits::New(more) => {
                    nodes += if more.is_empty() { 0 } else { line.moves.len() };
                    new.extend(more.into_iter().map(|edit| (edit, true)));
                }
            }
        }
        // Stable: at one place properties come before what is put behind their node.
        let sorted = |mut edits: Changes| {
            edits.sort_by_key(|(edit, _)| edit.span.start);
            edits
        };
        if new.is_empty() {
            return Some(sorted(edits));
        }
        let all = sorted([edits.clone(), new].concat());
        // In a broken text each line fits, but need not together with the others.
        if !record.findings().is_empty() {
            let plain: Vec<sgf::TextEdit> = all.iter().map(|(edit, _)| edit.clone()).collect();
            let after = Record::parse(sgf::apply_edits(&document.text, &plain));
            if after.node_count() != record.node_count() + nodes {
                tracing::warn!("lines could not be written into a record whose parentheses do not fit");
                return Some(sorted(edits));
            }
        }
        Some(all)
    }

    fn line_edits(
        &self,
        record: &Record,
        node: NodeId,
        line: &Line,
        values: &BTreeMap<NodeId, &Opinion>,
    ) -> LineEdits {
        let nothing = LineEdits::New(Vec::new());
        let Some(first) = line.moves.first() else { return nothing };
        let mut children = record.children(node);
        let same = children.clone().find(|child| sgf::last_move(record, *child) == Some((*child, *first)));
        match (same, line.value) {
            (Some(child), Some(value)) if !values.contains_key(&child) => {
                LineEdits::Value(value_edits(record, child, value))
            }
            (Some(_), _) => nothing,
            (None, _) if children.next().is_none() => nothing,
            (None, _) => LineEdits::New(line.written(record, node).unwrap_or_else(|error| {
                tracing::warn!(%error, "a line could not be written into the record");
                Vec::new()
            })),
        }
    }
}

/// What a line comes to.
enum LineEdits {
    /// It stands there: only its value is news.
    Value(Vec<sgf::TextEdit>),
    /// It is new.
    New(Vec<sgf::TextEdit>),
}

impl Line {
    fn written(&self, record: &Record, node: NodeId) -> std::result::Result<Vec<sgf::TextEdit>, EditError> {
        let vertices: Option<Vec<[NewValue; 1]>> =
            self.moves.iter().map(|play| Some([NewValue::vertex(play.vertex)?])).collect();
        let Some(vertices) = vertices else { return Ok(Vec::new()) };
        let numbers = self.value.map(Value::properties).unwrap_or_default();
        let mut nodes: Vec<Vec<NewProperty<'_>>> = Vec::new();
        for (play, vertex) in self.moves.iter().zip(&vertices) {
            nodes.push(vec![(play.color.letter(), vertex)]);
        }
        if let Some(first) = nodes.first_mut() {
            first.extend(numbers.iter().map(|(name, number)| (*name, number.as_slice())));
        }
        let nodes: Vec<&[NewProperty<'_>]> = nodes.iter().map(Vec::as_slice).collect();
        sgf::add_line(record, node, &nodes)
    }
}

fn value_edits(record: &Record, node: NodeId, value: Value) -> Vec<sgf::TextEdit> {
    let mut edits = Vec::new();
    for (name, number) in value.properties() {
        match sgf::set_property(record, node, name, &number) {
            Ok(more) => edits.extend(more),
            Err(error) => tracing::warn!(%error, "a value could not be written into its node"),
        }
    }
    edits
}

/// Candidates that were there belong to another analysis: they are replaced, or go.
fn candidate_edits(record: &Record, node: NodeId, candidates: &[Candidate]) -> Vec<sgf::TextEdit> {
    let values = sgf::candidate_values(candidates);
    let edits = match values.is_empty() {
        true => sgf::remove_property(record, node, CANDIDATES),
        false => sgf::set_property(record, node, CANDIDATES, &values),
    };
    edits.unwrap_or_else(|error| {
        tracing::warn!(%error, "candidates could not be written into their node");
        Vec::new()
    })
}

/// Nodes of older versions of a document, found in its present one.
struct Followed<'d> {
    document: &'d Document,
    record: &'d Record,
    known: HashMap<*const Document, Follow>,
}

impl Followed<'_> {
    fn node(&mut self, place: &Place) -> Option<NodeId> {
        let old = place.document.record().ok()?;
        let document = Arc::as_ptr(&place.document);
        if std::ptr::eq(document, self.document) {
            return Some(place.id);
        }
        let follow = self.known.entry(document).or_insert_with(|| Follow::new(old, self.record));
        let node = follow.node(old, place.id, self.record);
        if node.is_none() {
            tracing::info!(node = ?place.node, "a value's node is no longer in the record");
        }
        node
    }

    fn nodes<'l, T>(&mut self, list: &'l [(Place, T)]) -> impl Iterator<Item = (NodeId, &'l T)> {
        list.iter().filter_map(|(place, what)| Some((self.node(place)?, what)))
    }
}

/// The form in which a session takes edits.
struct Form {
    editor: bool,
    annotated: bool,
    encoding: Columns,
}

impl Form {
    fn of(session: &Session) -> Form {
        let annotated = session.client().is_some_and(|client| client.knows_annotations());
        Form { editor: session.is_editor(), annotated, encoding: session.encoding() }
    }
}

/// The document as it is now, when it is open; else as it was.
pub async fn current(session: &Session, document: &Arc<Document>) -> Arc<Document> {
    if document.uri.is_none() || document.file.is_some() {
        return document.clone();
    }
    let reference = DocumentRef { uri: document.uri.clone(), ..DocumentRef::default() };
    documents::resolve(session, &reference).await.unwrap_or_else(|_| document.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::go::Vertex;
    use crate::service::positions;

    fn place(document: &Arc<Document>, node: u32) -> Place {
        let node = NodeId(node);
        Place {
            document: document.clone(),
            id: node,
            node: positions::address(document.record().unwrap(), node),
        }
    }

    /// A line for a node, in SGF's spelling on a board of 9 lines: `W:cc B:dd`.
    fn line(moves: &str, value: Option<f64>) -> Line {
        let play = |text: &str| {
            let (color, point) = text.split_once(':').unwrap();
            let vertex = match point {
                "" => Vertex::Pass,
                point => sgf::value::vertex(point, crate::go::Size::square(9).unwrap()).unwrap(),
            };
            Move { color: Color::parse(color).unwrap(), vertex }
        };
        let value = value.map(|winrate| Value::new(Color::Black, winrate, None));
        Line { moves: moves.split(' ').map(play).collect(), value }
    }

    fn opinion(winrate: f64, candidates: &[(&str, u64)]) -> Opinion {
        let size = crate::go::Size::square(9).unwrap();
        let candidate = |(point, visits): &(&str, u64)| {
            Candidate::read(&format!("{point} {visits} {winrate} -"), size).unwrap()
        };
        let candidates = candidates.iter().map(candidate).collect();
        Opinion { value: Value::new(Color::Black, winrate, None), candidates }
    }

    #[test]
    fn candidates_stand_beside_the_value() {
        let text = "(;SZ[9]KFCA[aa 1 50 0]C[x];B[aa]KFCA[bb 1 50 0][cc 1 50 0])";
        let document = documents::from_text(text);
        let mut write = WriteBack::default();
        write.add(&place(&document, 0), opinion(40.0, &[("dd", 20), ("pass", 3)]));
        // Those of an older analysis go with its value.
        write.add(&place(&document, 1), opinion(60.0, &[]));
        let expected = "(;SZ[9]KFCA[dd 20 40 -][pass 3 40 -]C[x]SBKV[40];B[aa]SBKV[60])";
        assert_eq!(sgf::apply_edits(text, &write.text_edits(&document).unwrap()), expected);
    }

    fn written(text: &str, values: &[(u32, f64)], lines: &[(u32, Line)]) -> String {
        let document = documents::from_text(text);
        let mut write = WriteBack::default();
        for (node, value) in values {
            write.add(&place(&document, *node), opinion(*value, &[]));
        }
        lines.iter().for_each(|(node, line)| write.add_line(place(&document, *node), line.clone()));
        sgf::apply_edits(text, &write.text_edits(&document).unwrap())
    }

    #[test]
    fn lines_become_the_last_variations() {
        type Case<'a> = (&'a str, &'a [(u32, f64)], Vec<(u32, Line)>, &'a str);
        let cases: [Case<'_>; 9] = [
            (
                "(;SZ[9];B[aa];W[bb])",
                &[],
                vec![(1, line("W:cc B:dd", Some(40.0)))],
                "(;SZ[9];B[aa](;W[bb])(;W[cc]SBKV[40];B[dd]))",
            ),
            // Values, and two lines that end at one place.
            (
                "(;SZ[9];B[aa];W[bb];B[ee])",
                &[(0, 1.0), (1, 2.0), (2, 3.0), (3, 4.0)],
                vec![(1, line("W:cc", None)), (2, line("B:dd W:", Some(5.0)))],
                "(;SZ[9]SBKV[1];B[aa]SBKV[2](;W[bb]SBKV[3](;B[ee]SBKV[4])(;B[dd]SBKV[5];W[]))(;W[cc]))",
            ),
            // In the order of the text or not.
            (
                "(;SZ[9];B[aa];W[bb];B[ee])",
                &[],
                vec![(2, line("B:dd", None)), (0, line("B:ff", None))],
                "(;SZ[9](;B[aa];W[bb](;B[ee])(;B[dd]))(;B[ff]))",
            ),
            // The same first move is there: its value, unless it has its own.
            (
                "(;SZ[9];B[aa](;W[bb])(;W[cc];B[dd]))",
                &[],
                vec![(1, line("W:cc B:ee", Some(40.0)))],
                "(;SZ[9];B[aa](;W[bb])(;W[cc]SBKV[40];B[dd]))",
            ),
            (
                "(;SZ[9];B[aa](;W[bb])(;W[cc];B[dd]))",
                &[(3, 7.0)],
                vec![(1, line("W:cc B:ee", Some(40.0)))],
                "(;SZ[9];B[aa](;W[bb])(;W[cc]SBKV[7];B[dd]))",
            ),
            (
                "(;SZ[9];B[aa](;W[bb])(;W[cc]))",
                &[],
                vec![(1, line("W:cc", None))],
                "(;SZ[9];B[aa](;W[bb])(;W[cc]))",
            ),
            ("(;SZ[9];B[aa])", &[], vec![(1, line("W:cc", Some(1.0)))], "(;SZ[9];B[aa])"),
            // Broken texts: as far as that makes sense.
            (
                "(;SZ[9];B[aa];W[bb];B[cc]",
                &[],
                vec![(1, line("W:dd", None))],
                "(;SZ[9];B[aa](;W[bb];B[cc])(;W[dd])",
            ),
            (
                "(;SZ[9]);B[aa];W[bb]",
                &[(1, 5.0)],
                vec![(1, line("W:dd", None))],
                "(;SZ[9]);B[aa]SBKV[5];W[bb]",
            ),
        ];
        for (text, values, lines, expected) in cases {
            assert_eq!(written(text, values, &lines), expected);
        }
    }

    const CLEAN: &str = "(\\(;|\\)|;B\\[aa\\]|;|\n|;C\\[x\\]|;SBKV\\[1\\]){0,25}";

    proptest::proptest! {
        /// Values in every node and a line behind every node that goes on: the tree is the old one with just
        /// these.
        #[test]
        fn all_edits_together_make_the_tree_that_is_meant(text in CLEAN) {
            let closed = text.matches(')').count() as isize - text.matches('(').count() as isize;
            proptest::prop_assume!(closed <= 0);
            let text = format!("(;SZ[9]{text}{}", ")".repeat(1 + closed.unsigned_abs()));
            let document = documents::from_text(&text);
            let record = document.record().unwrap();
            proptest::prop_assume!(record.findings().is_empty() && record.games().len() == 1);
            let mut write = WriteBack::default();
            let count = record.node_count() as u32;
            for node in 0..count {
                write.add(&place(&document, node), opinion(7.0, &[("dd", 9)]));
                write.add_line(place(&document, node), line("W:cc B:dd", None));
            }
            let after = Record::parse(sgf::apply_edits(&text, &write.text_edits(&document).unwrap()));
            let mut pairs = vec![(NodeId(0), NodeId(0))];
            let mut seen = 0;
            while let Some((old, new)) = pairs.pop() {
                seen += 1;
                proptest::prop_assert_eq!(after.property(new, "SBKV").map(|value| value.first_raw()), Some("7"));
                let before: Vec<NodeId> = record.children(old).collect();
                let mut now: Vec<NodeId> = after.children(new).collect();
                if !before.is_empty() {
                    let line = now.pop().unwrap();
                    proptest::prop_assert_eq!(after.property(line, "W").map(|value| value.first_raw()), Some("cc"));
                    let next: Vec<NodeId> = after.children(line).collect();
                    proptest::prop_assert_eq!(next.len(), 1);
                    proptest::prop_assert_eq!(after.children(next[0]).count(), 0);
                }
                proptest::prop_assert_eq!(now.len(), before.len(), "{}", after.text());
                pairs.extend(before.into_iter().zip(now));
            }
            proptest::prop_assert_eq!(seen, count);
            proptest::prop_assert!(after.findings().is_empty());
        }
    }

    #[test]
    fn lines_follow_their_nodes() {
        let old = documents::from_text("(;SZ[9];B[aa];W[bb];B[cc];W[dd])");
        let mut write = WriteBack::default();
        write.add_line(place(&old, 1), line("W:ee", None));
        write.add_line(place(&old, 3), line("W:ff", None));
        // The second node's line is another one now.
        let new = documents::from_text("(;SZ[9]C[new];B[aa];W[bb];B[hh];W[dd])");
        let edits = write.text_edits(&new).unwrap();
        assert_eq!(sgf::apply_edits(&new.text, &edits), "(;SZ[9]C[new];B[aa](;W[bb];B[hh];W[dd])(;W[ee]))");
    }

    #[test]
    fn white_s_numbers_are_turned() {
        let value = Value::new(Color::White, 2.0, Some(-20.5));
        assert_eq!(value.black, Side { winrate: 98.0, score_lead: Some(20.5) });
        assert_eq!(value.for_color(Color::White), Side { winrate: 2.0, score_lead: Some(-20.5) });
    }
}

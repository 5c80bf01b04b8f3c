//! Values on their way into a record: SBKV (win rate) and SBKS (score lead), Black's, two decimals.

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
use crate::go::Color;
use crate::sgf::line_index::Columns;
use crate::sgf::{self, Follow, NewValue, NodeId, Record};

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
            })
            .collect();
        if !editor {
            return Some(Edit { edits: Some(edits), ..Edit::default() });
        }
        let version = document.file.is_none().then_some(document.version);
        let text_document = VersionedDocument { uri: uri.clone(), version };
        Some(Edit { document_changes: Some(vec![DocumentEdit { text_document, edits }]), ..Edit::default() })
    }
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

/// Values that wait to be written, by node.
#[derive(Default, Clone)]
pub struct WriteBack {
    values: Vec<(Place, Value)>,
}

/// An edit is made again for a newer version of the document so many times.
const TRIES: usize = 3;

impl WriteBack {
    /// Notes a node's value; a later one replaces it.
    pub fn add(&mut self, place: &Place, value: Value) {
        let same = |known: &Place| known.id == place.id && Arc::ptr_eq(&known.document, &place.document);
        self.values.retain(|(known, _)| !same(known));
        self.values.push((place.clone(), value));
    }

    /// Takes back values that could not be written; newer ones of the same nodes stay.
    pub fn restore(&mut self, older: WriteBack) {
        let newer = std::mem::replace(self, older);
        newer.values.iter().for_each(|(place, value)| self.add(place, *value));
    }

    /// Nothing to write.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Makes the edit, and lets the editor apply it where there is one.
    pub async fn apply(&self, session: &Session) -> Option<Edit> {
        let (first, _) = self.values.first()?;
        let uri = first.document.uri.clone();
        let client = session.editing_client();
        let mut refused = None;
        for _ in 0..TRIES {
            let document = current(session, &first.document).await;
            let (values, editor, encoding) = (self.clone(), session.is_editor(), session.encoding());
            let edit =
                documents::offload(document, move |document| Ok(values.edit(document, editor, encoding)));
            let Some(edit) = edit.await.ok().flatten() else { return refused };
            let Some((client, changes)) = client.zip(edit.document_changes.as_ref()) else {
                return Some(edit);
            };
            if client.apply_edit(json!({"documentChanges": changes})).await {
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
        let Some((first, _)) = self.values.first() else { return Ok(None) };
        let Some(file) = &first.document.file else { return Ok(None) };
        let edits = self.text_edits(&first.document).unwrap_or_default();
        file.write(&edits)?;
        Ok(Some(Edit { applied: Some(true), ..Edit::default() }))
    }

    fn edit(&self, document: &Document, editor: bool, encoding: Columns) -> Option<Edit> {
        Edit::of(document, &self.text_edits(document)?, editor, encoding)
    }

    /// The edits of the text. Nodes are followed from the version of the document that they were
    /// found in; values of nodes that are no longer there are left out.
    pub fn text_edits(&self, document: &Document) -> Option<Vec<sgf::TextEdit>> {
        let record = document.record().ok()?;
        let mut edits = Vec::new();
        for (node, value) in self.nodes(document, record) {
            for (name, number) in value.properties() {
                match sgf::set_property(record, node, name, &number) {
                    Ok(more) => edits.extend(more),
                    Err(error) => tracing::warn!(%error, "a value could not be written into its node"),
                }
            }
        }
        edits.sort_by_key(|edit: &sgf::TextEdit| edit.span.start);
        Some(edits)
    }

    /// Where the values go in this version of the document; the newest for each node.
    fn nodes(&self, document: &Document, record: &Record) -> BTreeMap<NodeId, Value> {
        let mut nodes = BTreeMap::new();
        let mut follows: HashMap<*const Document, Follow> = HashMap::new();
        for (place, value) in &self.values {
            let Ok(old) = place.document.record() else { continue };
            let known = Arc::as_ptr(&place.document);
            let node = if std::ptr::eq(known, document) {
                Some(place.id)
            } else {
                let follow = follows.entry(known).or_insert_with(|| Follow::new(old, record));
                follow.node(old, place.id, record)
            };
            match node {
                Some(node) => drop(nodes.insert(node, *value)),
                None => tracing::info!(node = ?place.node, "a value's node is no longer in the record"),
            }
        }
        nodes
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

    #[test]
    fn white_s_numbers_are_turned() {
        let value = Value::new(Color::White, 2.0, Some(-20.5));
        assert_eq!(value.black, Side { winrate: 98.0, score_lead: Some(20.5) });
        assert_eq!(value.for_color(Color::White), Side { winrate: 2.0, score_lead: Some(-20.5) });
    }
}

//! A session's open documents, and texts that requests bring along or name as files.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::error::{Error, Kind, Result};
use super::files::SourceFile;
use super::session::Session;
use super::wire::{DocumentRef, TextPosition, TextRange};
use crate::sgf::line_index::{self, Columns, LineColumn, LineIndex};
use crate::sgf::{Record, Span};

/// The largest document, in bytes.
pub const MAX_DOCUMENT: usize = 64 << 20;

/// One text at one version. Handed out as a snapshot; never changes.
pub struct Document {
    /// The client's name for it; `None` for a text that came with a request.
    pub uri: Option<String>,
    /// The client's version.
    pub version: i32,
    /// `sgf`, `xiangqi-pgn` or `dhtmlxq`.
    pub language: String,
    /// The text.
    pub text: Arc<str>,
    /// The file, when the document was read from disk.
    pub file: Option<SourceFile>,
    record: OnceLock<Record>,
    lines: OnceLock<LineIndex>,
}

impl Document {
    fn new(uri: Option<String>, version: i32, language: &str, text: Arc<str>) -> Document {
        Document {
            uri,
            version,
            language: language.to_owned(),
            text,
            file: None,
            record: OnceLock::new(),
            lines: OnceLock::new(),
        }
    }

    /// The record in the text, read once.
    ///
    /// # Errors
    /// `UnsupportedGame` when the document is no SGF.
    pub fn record(&self) -> Result<&Record> {
        if self.language != "sgf" {
            let message = format!("documents of language {:?} cannot be read as SGF", self.language);
            return Err(Error::new(Kind::UnsupportedGame, message));
        }
        Ok(self.record.get_or_init(|| Record::parse(self.text.clone())))
    }

    fn lines(&self) -> &LineIndex {
        self.lines.get_or_init(|| LineIndex::new(&self.text))
    }

    /// A stretch of the text as the client counts.
    pub fn range(&self, span: Span, encoding: Columns) -> TextRange {
        TextRange { start: self.position(span.start, encoding), end: self.position(span.end, encoding) }
    }

    fn position(&self, offset: u32, encoding: Columns) -> TextPosition {
        let place = self.lines().place(&self.text, offset as usize, encoding);
        TextPosition { line: place.line, character: place.column }
    }

    /// The byte offset of a place; places outside the text are moved to its nearest end.
    pub fn offset(&self, at: TextPosition, encoding: Columns) -> usize {
        self.lines().offset(&self.text, line_column(at), encoding)
    }
}

fn line_column(at: TextPosition) -> LineColumn {
    LineColumn { line: at.line, column: at.character }
}

/// Texts longer than this are worked on outside the threads that serve clients.
const LARGE: usize = 256 * 1024;

/// Works on a document: at once when it is small, on a thread for heavy work when it is large.
///
/// # Errors
/// Those of the work.
pub async fn offload<R: Send + 'static>(
    document: Arc<Document>,
    work: impl FnOnce(&Arc<Document>) -> Result<R> + Send + 'static,
) -> Result<R> {
    if document.text.len() <= LARGE {
        return work(&document);
    }
    let done = tokio::task::spawn_blocking(move || work(&document)).await;
    done.unwrap_or_else(|_| {
        Err(Error::new(Kind::Internal, "the work on the document failed inside kifud; the log has the place"))
    })
}

/// One change of an open document; without a range the whole text is new.
pub struct Change {
    /// What is replaced.
    pub range: Option<TextRange>,
    /// By what.
    pub text: String,
}

/// The documents that one session has open.
#[derive(Default)]
pub struct Documents {
    open: Mutex<HashMap<String, Arc<Document>>>,
}

impl Documents {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<Document>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many are open.
    pub fn count(&self) -> usize {
        self.lock().len()
    }

    /// Opens a document, or replaces it when it is open already.
    pub fn open(&self, uri: &str, version: i32, language: &str, text: String) -> Result<()> {
        check_size(text.len())?;
        let language = language_of(language, uri);
        let document = Document::new(Some(uri.to_owned()), version, &language, text.into());
        self.lock().insert(normalise(uri), Arc::new(document));
        Ok(())
    }

    /// Applies changes one after the other.
    pub fn change(
        &self,
        uri: &str,
        version: i32,
        changes: impl IntoIterator<Item = Change>,
        encoding: Columns,
    ) -> Result<()> {
        let mut open = self.lock();
        let key = normalise(uri);
        let document = open.get(&key).ok_or_else(|| not_open(uri))?;
        let mut text = String::from(&*document.text);
        for change in changes {
            let range = change.range.map(|range| (line_column(range.start), line_column(range.end)));
            let lines = LineIndex::new(&text);
            text = line_index::apply_change(&text, &lines, range, &change.text, encoding);
            check_size(text.len())?;
        }
        let changed = Document::new(document.uri.clone(), version, &document.language, text.into());
        open.insert(key, Arc::new(changed));
        Ok(())
    }

    /// Closes a document.
    pub fn close(&self, uri: &str) -> Result<()> {
        self.lock().remove(&normalise(uri)).map(drop).ok_or_else(|| not_open(uri))
    }

    /// Closes all.
    pub fn clear(&self) {
        self.lock().clear();
    }

    fn get(&self, uri: &str) -> Option<Arc<Document>> {
        self.lock().get(&normalise(uri)).cloned()
    }
}

/// The document that a request means.
///
/// # Errors
/// `InvalidParams` when neither or both of `uri` and `text` are given, `StaleDocument`,
/// `NotFound`, `NotTrusted` (a file in an untrusted session), `LimitExceeded`.
pub fn resolve(session: &Session, reference: &DocumentRef) -> Result<Arc<Document>> {
    match (&reference.uri, &reference.text) {
        (Some(uri), None) => match session.documents.get(uri) {
            Some(document) => fresh(document, reference.version),
            None => read_file(session, uri).map(Arc::new),
        },
        (None, Some(text)) => {
            check_size(text.len())?;
            let language = reference.language_id.as_deref().unwrap_or("sgf");
            Ok(Arc::new(Document::new(None, 0, language, text.as_str().into())))
        }
        _ => Err(Error::field("document", "document: give either uri or text")),
    }
}

fn fresh(document: Arc<Document>, version: Option<i32>) -> Result<Arc<Document>> {
    match version {
        Some(version) if version != document.version => {
            let message =
                format!("the document is at version {}, not {version}; ask again", document.version);
            Err(Error::new(Kind::StaleDocument, message).with("version", document.version))
        }
        _ => Ok(document),
    }
}

fn read_file(session: &Session, uri: &str) -> Result<Document> {
    let Some(path) = file_path(uri) else {
        return Err(not_open(uri));
    };
    if !session.trusted() {
        let message = "an untrusted session cannot read files; open the document or send its text";
        return Err(Error::new(Kind::NotTrusted, message).with("uri", uri));
    }
    let file = SourceFile::read(&path, MAX_DOCUMENT).map_err(|error| error.with("uri", uri))?;
    let text = file.decoded.text.as_str().into();
    let mut document = Document::new(Some(uri.to_owned()), 0, &language_of("", uri), text);
    document.file = Some(file);
    Ok(document)
}

fn check_size(bytes: usize) -> Result<()> {
    if bytes > MAX_DOCUMENT {
        let message = format!("a document of {bytes} bytes is over the limit of {MAX_DOCUMENT} bytes");
        return Err(Error::new(Kind::LimitExceeded, message));
    }
    Ok(())
}

fn not_open(uri: &str) -> Error {
    Error::new(Kind::NotFound, format!("{uri} is not open in this session")).with("uri", uri)
}

/// The language by its id, or by the file's name where the id says nothing.
fn language_of(id: &str, uri: &str) -> String {
    match id {
        "" | "plaintext" => {
            let pgn =
                uri.len() > 4 && uri.get(uri.len() - 4..).is_some_and(|end| end.eq_ignore_ascii_case(".pgn"));
            if pgn { "xiangqi-pgn".to_owned() } else { "sgf".to_owned() }
        }
        id => id.to_owned(),
    }
}

/// One key for one resource, however its URI is escaped.
fn normalise(uri: &str) -> String {
    String::from_utf8_lossy(&percent_decode(uri)).into_owned()
}

/// The path behind a `file:` URI or a bare absolute path.
pub fn file_path(uri: &str) -> Option<std::path::PathBuf> {
    if uri.starts_with('/') {
        return Some(uri.into());
    }
    let path = uri.strip_prefix("file://")?;
    let path = path.strip_prefix("localhost").unwrap_or(path);
    let bytes = percent_decode(path);
    let path = String::from_utf8(bytes).ok()?;
    path.starts_with('/').then(|| path.into())
}

fn percent_decode(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let escaped = (byte == b'%')
            .then(|| text.get(at + 1..at + 3))
            .flatten()
            .filter(|hex| hex.bytes().all(|byte| byte.is_ascii_hexdigit()))
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        out.push(escaped.unwrap_or(byte));
        at += if escaped.is_some() { 3 } else { 1 };
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(documents: &Documents, uri: &str) -> String {
        documents.get(uri).unwrap().text.to_string()
    }

    fn range(start: (u32, u32), end: (u32, u32)) -> Option<TextRange> {
        let at = |(line, character)| TextPosition { line, character };
        Some(TextRange { start: at(start), end: at(end) })
    }

    #[test]
    fn changes_apply_one_after_the_other() {
        let documents = Documents::default();
        documents.open("file:///a%20b.sgf", 1, "sgf", "(;C[围棋😀]\n;B[aa])".into()).unwrap();
        let changes = [
            Change { range: range((0, 6), (0, 8)), text: "x".into() },
            Change { range: range((0, 6), (0, 7)), text: String::new() },
            Change { range: range((1, 3), (9, 9)), text: "bb])".into() },
        ];
        documents.change("file:///a b.sgf", 2, changes, Columns::Utf16).unwrap();
        assert_eq!(text_of(&documents, "file:///a%20b.sgf"), "(;C[围棋]\n;B[bb])");
        assert_eq!(documents.get("file:///a b.sgf").unwrap().version, 2);
        documents.close("file:///a%20b.sgf").unwrap();
        assert_eq!(documents.close("file:///a%20b.sgf").unwrap_err().kind, Kind::NotFound);
    }

    #[test]
    fn file_uris() {
        assert_eq!(file_path("file:///tmp/%E5%9B%B4%20x.sgf"), Some("/tmp/围 x.sgf".into()));
        assert_eq!(file_path("untitled:1"), None);
        assert_eq!(file_path("file://server/x.sgf"), None);
    }
}

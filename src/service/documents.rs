//! A session's open documents, and texts that requests bring along or name as files.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::error::{Error, Kind, Result};
use super::events::{Body, DocumentChange, Hub, Topic};
use super::files::SourceFile;
use super::languages::{SGF, form_of, language_of};
use super::session::Session;
use super::settings::Limits;
use super::surroundings::Surroundings;
use super::uris::{file_path, percent_decode};
use super::wire::{DocumentRef, TextPosition, TextRange};
use crate::language::Content;
use crate::sgf::{CheckOptions, Origin, Record, Span};
use crate::text::Finding;
use crate::text::line_index::{self, Columns, LineColumn, LineIndex};
use crate::xiangqi::record::Games;

/// The most documents that a session has open.
const MAX_OPEN: usize = 1000;

/// The most bytes that a session's open documents have together, or of one document where that may be larger.
const MAX_BYTES: usize = 512 << 20;

/// The same for a session that is not trusted.
const MAX_UNTRUSTED_BYTES: usize = 64 << 20;

/// The most bytes that the changes of one message may move about: a few seconds.
const MAX_WORK: usize = 1 << 37;

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
    /// Unlike that of any other text, or of any other version of this one.
    pub id: u64,
    content: OnceLock<Arc<Content>>,
    /// What was in it before its last changes: not all of it has to be read again.
    before: Option<Arc<Content>>,
    findings: Mutex<Option<(u64, Arc<[Finding]>)>>,
    /// Only its structure is looked at.
    oversized: bool,
    lines: OnceLock<LineIndex>,
}

/// The ids of documents.
static DOCUMENTS: AtomicU64 = AtomicU64::new(0);

impl Document {
    fn new(uri: Option<String>, version: i32, language: &str, text: Arc<str>) -> Document {
        Document {
            uri,
            version,
            language: language.to_owned(),
            text,
            file: None,
            id: DOCUMENTS.fetch_add(1, Ordering::Relaxed),
            content: OnceLock::new(),
            before: None,
            findings: Mutex::default(),
            oversized: false,
            lines: OnceLock::new(),
        }
    }

    /// Whether it is a game record in SGF.
    pub fn is_sgf(&self) -> bool {
        self.language == SGF
    }

    /// Whether its language is one that kifud reads.
    pub fn is_record(&self) -> bool {
        self.language == SGF || form_of(&self.language).is_some()
    }

    /// What the text holds, read once.
    ///
    /// # Errors
    /// `UnsupportedGame` when kifud does not know its language.
    pub fn content(&self) -> Result<&Content> {
        let form = form_of(&self.language);
        if form.is_none() && self.language != SGF {
            let message = format!("kifud does not read documents of language {:?}", self.language);
            return Err(Error::new(Kind::UnsupportedGame, message));
        }
        Ok(self.content.get_or_init(|| {
            Arc::new(match form {
                None => Content::sgf(self.text.clone()),
                Some(form) => Content::xiangqi(self.text.clone(), form, self.before.as_deref()),
            })
        }))
    }

    /// What the text held when it was last looked at, as far as that helps to read it after a change.
    fn read_before(&self) -> Option<Arc<Content>> {
        let content = self.content.get().or(self.before.as_ref())?;
        matches!(**content, Content::Xiangqi(_)).then(|| content.clone())
    }

    /// The record of an SGF document.
    ///
    /// # Errors
    /// `UnsupportedGame` when the document is another one.
    pub fn record(&self) -> Result<&Record> {
        match self.content()? {
            Content::Sgf(record) => Ok(record),
            Content::Xiangqi(_) => Err(Error::new(
                Kind::UnsupportedGame,
                "this is a record of xiangqi; only records of Go can be taken here",
            )),
        }
    }

    /// The games of a xiangqi document.
    ///
    /// # Errors
    /// `UnsupportedGame` when the document is another one.
    pub fn games(&self) -> Result<&Games> {
        match self.content()? {
            Content::Xiangqi(games) => Ok(games),
            Content::Sgf(_) => Err(Error::new(
                Kind::UnsupportedGame,
                "this is SGF; only records of xiangqi (xiangqi-pgn, dhtmlxq) can be taken here",
            )),
        }
    }

    /// Whether it is so large that only its structure is looked at.
    pub fn is_oversized(&self) -> bool {
        self.oversized
    }

    /// What is wrong with it, looked for once as long as nothing changes beside it. `content` is the document's own.
    pub fn findings(&self, content: &Content, around: &Surroundings) -> Arc<[Finding]> {
        let mut known = self.findings.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, findings)) = known.as_ref().filter(|(id, _)| *id == around.id) {
            return findings.clone();
        }
        let options = self.check_options(around);
        let findings: Arc<[Finding]> = match self.oversized {
            true => content.structure(&options).into(),
            false => content.findings(&options).into(),
        };
        *known = Some((around.id, findings.clone()));
        findings
    }

    /// How its record is checked.
    pub fn check_options<'a>(&'a self, around: &'a Surroundings) -> CheckOptions<'a> {
        let origin = match &self.file {
            Some(file) => Origin::File(&file.decoded),
            None => Origin::Editor(around.file.as_deref()),
        };
        CheckOptions { origin, levels: around.levels.clone() }
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

/// A record of kifud's own, which is no document of the client.
pub(super) fn from_text(text: &str) -> Arc<Document> {
    Arc::new(Document::new(None, 0, "sgf", text.into()))
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
pub struct Documents {
    open: Mutex<Open>,
    /// Told of every change.
    events: Arc<Hub>,
    /// The most bytes of one document.
    limit: AtomicUsize,
    /// Of longer ones only the structure is looked at.
    judged: AtomicUsize,
}

/// What is had of a text that a client has opened.
enum Held {
    /// All of it.
    Whole(Arc<Document>),
    /// Not the newest version: a change or the text itself was refused. Nothing may be said about
    /// it, and its file may not be taken instead, until the client sends the whole text.
    Lost(Lost),
}

struct Lost {
    uri: String,
    version: i32,
    language: String,
    why: Error,
}

impl Lost {
    /// The same error for every request about it.
    fn error(&self) -> Error {
        let message = format!(
            "kifud has not got version {} of {}: {}; send the whole text, or close and open it again",
            self.version, self.uri, self.why.message
        );
        Error::new(Kind::StaleDocument, message).with("uri", self.uri.as_str())
    }
}

impl Held {
    fn whole(&self) -> Option<&Arc<Document>> {
        match self {
            Held::Whole(document) => Some(document),
            Held::Lost(_) => None,
        }
    }
}

#[derive(Default)]
struct Open {
    by_key: HashMap<Vec<u8>, Held>,
    /// How many bytes they may have together.
    room: usize,
}

impl Open {
    /// Puts a document in its place.
    ///
    /// # Errors
    /// `LimitExceeded` when there is no room for it; all is then as it was.
    fn put(&mut self, key: Vec<u8>, document: Document) -> Result<()> {
        let exceeded = |message| Err(Error::new(Kind::LimitExceeded, message));
        if !self.by_key.contains_key(&key) && self.by_key.len() >= MAX_OPEN {
            return exceeded(format!("{MAX_OPEN} documents are open; close some"));
        }
        let others = self.by_key.iter().filter(|(other, _)| **other != key);
        let others = others.filter_map(|(_, other)| other.whole());
        let bytes = others.map(|other| other.text.len()).sum::<usize>() + document.text.len();
        if bytes > self.room {
            return exceeded(format!("open documents of {bytes} bytes are over the limit of {}", self.room));
        }
        self.by_key.insert(key, Held::Whole(Arc::new(document)));
        Ok(())
    }
}

impl Documents {
    /// No documents yet; changes will be told.
    pub fn telling(events: Arc<Hub>) -> Documents {
        let documents = Documents {
            open: Mutex::default(),
            events,
            limit: AtomicUsize::new(0),
            judged: AtomicUsize::new(0),
        };
        documents.set_limits(&Limits::default());
        documents
    }

    /// Takes the bytes of one document from now on.
    pub fn set_limits(&self, limits: &Limits) {
        self.limit.store(limits.document_bytes, Ordering::Relaxed);
        self.judged.store(limits.findings_bytes, Ordering::Relaxed);
    }

    /// The bytes of a document whose findings are all looked for.
    pub fn judged(&self) -> usize {
        self.judged.load(Ordering::Relaxed)
    }

    fn limit(&self) -> usize {
        self.limit.load(Ordering::Relaxed)
    }

    /// Puts a document in its place, and tells.
    fn put(&self, uri: &str, mut document: Document) -> Result<()> {
        let version = Some(document.version);
        document.oversized = document.text.len() > self.judged();
        self.lock().put(percent_decode(uri), document)?;
        self.tell(uri, version);
        Ok(())
    }

    fn tell(&self, uri: &str, version: Option<i32>) {
        if self.events.wants(Topic::Documents) {
            let change = DocumentChange { uri: uri.to_owned(), version };
            self.events.publish(None, Body::Documents(change));
        }
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many are open.
    pub fn count(&self) -> usize {
        self.lock().by_key.len()
    }

    /// A text that was refused: the client has it and kifud has not.
    fn lose(&self, uri: &str, version: i32, language: &str, why: &Error) {
        let key = percent_decode(uri);
        let lost = Lost { uri: uri.to_owned(), version, language: language.to_owned(), why: why.clone() };
        let mut open = self.lock();
        // Over the number of documents nothing is kept of more of them.
        if open.by_key.contains_key(&key) || open.by_key.len() < MAX_OPEN {
            open.by_key.insert(key, Held::Lost(lost));
        }
    }

    /// Opens a document, or replaces it when it is open already.
    ///
    /// # Errors
    /// `LimitExceeded` when it, or all together, are too large, or there are too many; sessions
    /// that are not trusted have less room. Requests about it are then refused until it is opened
    /// again.
    pub fn open(&self, uri: &str, version: i32, language: &str, text: String, trusted: bool) -> Result<()> {
        let language = language_of(language, uri, &text);
        self.lock().room = if trusted { MAX_BYTES.max(self.limit()) } else { MAX_UNTRUSTED_BYTES };
        let opened = check_size(text.len(), self.limit()).and_then(|()| {
            self.put(uri, Document::new(Some(uri.to_owned()), version, &language, text.into()))
        });
        opened.inspect_err(|why| self.lose(uri, version, &language, why))
    }

    /// Applies changes one after the other, all or none.
    ///
    /// # Errors
    /// `NotFound`, and `StaleDocument` for a version before the present one. `LimitExceeded`: the
    /// client's text is then another than kifud's, so that requests about it are refused until
    /// the whole text is sent.
    pub fn change(
        &self,
        uri: &str,
        version: i32,
        changes: impl IntoIterator<Item = Change>,
        encoding: Columns,
    ) -> Result<()> {
        let mut changes: Vec<Change> = changes.into_iter().collect();
        // What is before a whole text does not matter.
        let whole = changes.iter().rposition(|change| change.range.is_none());
        drop(whole.map(|whole| changes.drain(..whole)));
        let (present, language, text, lines, before) = {
            let open = self.lock();
            match open.by_key.get(&percent_decode(uri)).ok_or_else(|| not_open(uri))? {
                Held::Lost(lost) if whole.is_none() => return Err(lost.error()),
                Held::Lost(lost) => {
                    (lost.version, lost.language.clone(), String::new(), LineIndex::new(""), None)
                }
                Held::Whole(document) => (
                    document.version,
                    document.language.clone(),
                    String::from(&*document.text),
                    document.lines().clone(),
                    document.read_before(),
                ),
            }
        };
        if version < present {
            let message = format!("the document is at version {present} already, not before {version}");
            return Err(Error::new(Kind::StaleDocument, message).with("version", present));
        }
        let changed = self.apply(text, lines, changes, encoding).and_then(|(text, lines)| {
            let mut changed = Document::new(Some(uri.to_owned()), version, &language, text.into());
            changed.before = before;
            let _ = changed.lines.set(lines);
            self.put(uri, changed)
        });
        changed.inspect_err(|why| self.lose(uri, version, &language, why))
    }

    fn apply(
        &self,
        mut text: String,
        mut lines: LineIndex,
        changes: Vec<Change>,
        encoding: Columns,
    ) -> Result<(String, LineIndex)> {
        let mut work = 0;
        for change in changes {
            work += text.len();
            if work > MAX_WORK {
                let message = "so many changes of so large a document take too long; send its whole text";
                return Err(Error::new(Kind::LimitExceeded, message));
            }
            let kept = if change.range.is_some() { text.len() } else { 0 };
            check_size(kept + change.text.len(), self.limit())?;
            let range = change.range.map(|range| (line_column(range.start), line_column(range.end)));
            line_index::apply_change(&mut text, &mut lines, range, &change.text, encoding);
        }
        Ok((text, lines))
    }

    /// Closes a document.
    pub fn close(&self, uri: &str) -> Result<()> {
        self.lock().by_key.remove(&percent_decode(uri)).map(drop).ok_or_else(|| not_open(uri))?;
        self.tell(uri, None);
        Ok(())
    }

    /// Closes all.
    pub fn clear(&self) {
        self.lock().by_key.clear();
    }

    /// All that are open, by name.
    pub fn all(&self) -> Vec<Arc<Document>> {
        let mut all: Vec<_> = self.lock().by_key.values().filter_map(Held::whole).cloned().collect();
        all.sort_by(|a, b| a.uri.cmp(&b.uri));
        all
    }

    /// The files whose texts the client has open, also those that were refused.
    pub fn paths(&self) -> HashSet<PathBuf> {
        let open = self.lock();
        let uris = open.by_key.values().filter_map(|held| match held {
            Held::Whole(document) => document.uri.as_deref(),
            Held::Lost(lost) => Some(&lost.uri),
        });
        uris.filter_map(file_path).collect()
    }

    /// An open document, unless its newest version was refused.
    pub fn get(&self, uri: &str) -> Option<Arc<Document>> {
        self.find(uri).ok().flatten()
    }

    /// An open document; `None` when it is not open.
    ///
    /// # Errors
    /// `StaleDocument` when its newest version was refused.
    fn find(&self, uri: &str) -> Result<Option<Arc<Document>>> {
        match self.lock().by_key.get(&percent_decode(uri)) {
            None => Ok(None),
            Some(Held::Whole(document)) => Ok(Some(document.clone())),
            Some(Held::Lost(lost)) => Err(lost.error()),
        }
    }
}

/// The document that a request means. One that is open is taken at the first poll, files are read
/// on a thread of their own.
///
/// # Errors
/// `InvalidParams` when neither or both of `uri` and `text` are given, `StaleDocument`,
/// `NotFound`, `NotTrusted` (a file in an untrusted session), `LimitExceeded`.
pub async fn resolve(session: &Session, reference: &DocumentRef) -> Result<Arc<Document>> {
    match (&reference.uri, &reference.text) {
        (Some(uri), None) => match session.documents.find(uri)? {
            Some(document) => fresh(document, reference.version),
            None => read_file(session, uri).await.map(Arc::new),
        },
        (None, Some(text)) => {
            check_size(text.len(), session.documents.limit())?;
            let language = language_of(reference.language_id.as_deref().unwrap_or_default(), "", text);
            Ok(Arc::new(Document::new(None, 0, &language, text.as_str().into())))
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

async fn read_file(session: &Session, uri: &str) -> Result<Document> {
    let Some(path) = file_path(uri) else {
        return Err(not_open(uri));
    };
    let limit = session.documents.limit();
    let shares = (!session.trusted()).then(|| session.shares.clone());
    let read = tokio::task::spawn_blocking(move || match shares {
        None => SourceFile::read(&path, limit),
        // Whether there is such a file is not said either.
        Some(shares) => SourceFile::read(&shares.find(&path).ok_or_else(not_shared)?, limit),
    });
    let file = read
        .await
        .map_err(|_| Error::new(Kind::Internal, "reading a file failed inside kifud; the log has the place"))?
        .map_err(|error| error.with("uri", uri))?;
    let text = file.decoded.text.as_str();
    let mut document = Document::new(Some(uri.to_owned()), 0, &language_of("", uri, text), text.into());
    document.file = Some(file);
    Ok(document)
}

fn not_shared() -> Error {
    let message = "an untrusted session reads only files that a trusted one has shared (document/share); open the \
                   document or send its text";
    Error::new(Kind::NotTrusted, message)
}

fn check_size(bytes: usize, limit: usize) -> Result<()> {
    if bytes > limit {
        let message = format!("a document of {bytes} bytes is over the limit of {limit} bytes");
        return Err(Error::new(Kind::LimitExceeded, message));
    }
    Ok(())
}

fn not_open(uri: &str) -> Error {
    Error::new(Kind::NotFound, format!("{uri} is not open in this session")).with("uri", uri)
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
        let documents = Documents::telling(Arc::default());
        documents.open("file:///a%20b.sgf", 1, "sgf", "(;C[围棋😀]\n;B[aa])".into(), true).unwrap();
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
    fn a_refused_text_is_nobody_s_until_it_comes_whole() {
        let documents = Documents::telling(Arc::default());
        documents.set_limits(&Limits { document_bytes: 20, ..Limits::default() });
        documents.open("a", 1, "sgf", "(;SZ[9];B[aa])".into(), true).unwrap();
        let insert = |at: u32, text: &str| Change { range: range((0, at), (0, at)), text: text.into() };
        let refused = documents.change("a", 2, [insert(6, "KM[6.5]")], Columns::Utf16).unwrap_err();
        assert_eq!(refused.kind, Kind::LimitExceeded);
        assert!(documents.get("a").is_none());
        let error = documents.find("a").err().unwrap();
        assert_eq!(error.kind, Kind::StaleDocument);
        assert!(error.message.contains("version 2"), "{error}");
        // Its places are those of a text that kifud has not got.
        let error = documents.change("a", 3, [insert(0, " ")], Columns::Utf16).unwrap_err();
        assert_eq!(error.kind, Kind::StaleDocument);
        let whole = [insert(99, "x"), Change { range: None, text: "(;B[bb])".into() }, insert(8, "\n")];
        documents.change("a", 4, whole, Columns::Utf16).unwrap();
        assert_eq!(text_of(&documents, "a"), "(;B[bb])\n");
    }

    #[test]
    fn a_text_that_was_refused_at_once_is_open_all_the_same() {
        let documents = Documents::telling(Arc::default());
        documents.set_limits(&Limits { document_bytes: 10, ..Limits::default() });
        let opened = documents.open("file:///tmp/a.sgf", 1, "sgf", "(;SZ[9];B[aa])".into(), true);
        assert_eq!(opened.unwrap_err().kind, Kind::LimitExceeded);
        assert_eq!(documents.find("file:///tmp/a.sgf").err().unwrap().kind, Kind::StaleDocument);
        documents.close("file:///tmp/a.sgf").unwrap();
        assert!(documents.find("file:///tmp/a.sgf").unwrap().is_none());
    }

    #[test]
    fn an_older_version_changes_nothing() {
        let documents = Documents::telling(Arc::default());
        documents.open("a", 5, "sgf", "(;)".into(), true).unwrap();
        let change = || [Change { range: None, text: "(;B[aa])".into() }];
        let error = documents.change("a", 4, change(), Columns::Utf16).unwrap_err();
        assert_eq!((error.kind, error.data["version"].as_i64()), (Kind::StaleDocument, Some(5)));
        assert_eq!(text_of(&documents, "a"), "(;)");
        documents.change("a", 5, change(), Columns::Utf16).unwrap();
        assert_eq!(text_of(&documents, "a"), "(;B[aa])");
    }

    #[test]
    fn open_documents_have_bounded_room() {
        let documents = Documents::telling(Arc::default());
        let half = || "x".repeat(MAX_UNTRUSTED_BYTES / 2);
        let open = |uri: &str, text| documents.open(uri, 0, "sgf", text, false).map_err(|error| error.kind);
        assert_eq!(open("a", half()), Ok(()));
        assert_eq!(open("b", half()), Ok(()));
        assert_eq!(open("c", "(;)".into()), Err(Kind::LimitExceeded));
        assert_eq!(open("b", half()), Ok(()), "in its own place");
        let grow = [Change { range: range((0, 0), (0, 0)), text: "x".into() }];
        let grown = documents.change("b", 1, grow, Columns::Utf16);
        assert_eq!(grown.unwrap_err().kind, Kind::LimitExceeded);
        documents.clear();
        for number in 0..MAX_OPEN {
            assert_eq!(open(&number.to_string(), String::new()), Ok(()));
        }
        assert_eq!(open("one more", String::new()), Err(Kind::LimitExceeded));
        assert_eq!(documents.count(), MAX_OPEN);
    }
}

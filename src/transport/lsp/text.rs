//! An open text as its editor counts it: spans of bytes become ranges of lines and columns, and back.

use std::sync::Arc;

use tower_lsp::ls_types::{Location, Position, Range, TextEdit, Uri, WorkspaceEdit};

use super::diagnostics::Reviewers;
use crate::language::Content;
use crate::locale::Locale;
use crate::service::documents::{self, Document};
use crate::service::session::Session;
use crate::service::surroundings::{Beside, Surroundings};
use crate::service::wire::{TextPosition, TextRange};
use crate::sgf::{self, Record};
use crate::text::line_index::Columns;
use crate::text::{self, Finding, Span};

/// A snapshot of one open text.
pub struct Text {
    /// The editor's name for it.
    pub uri: Uri,
    /// The text at the moment of the request.
    pub document: Arc<Document>,
    /// The language of what is shown.
    pub locale: Locale,
    columns: Columns,
    /// For sessions that may read files: what lies beside texts, and the largest file that is read.
    beside: Option<(Arc<Beside>, usize)>,
}

/// What is wrong with a text.
pub struct Judged {
    /// The findings of the text itself.
    pub findings: Arc<[Finding]>,
    /// What reviews found.
    pub reviewed: Arc<[Finding]>,
    /// What lies beside the text and has a say in them.
    pub around: Arc<Surroundings>,
}

impl Judged {
    /// All of it.
    pub fn all(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().chain(&*self.reviewed)
    }
}

impl Text {
    /// The text as it is now; `None` when it is not open, or no record.
    pub fn open(session: &Session, uri: &Uri) -> Option<Text> {
        let document = session.documents.get(uri.as_str())?;
        Text::of(session, uri.clone(), document)
    }

    /// All open texts that are records.
    pub fn all(session: &Session) -> Vec<Text> {
        let open = session.documents.all().into_iter();
        open.filter_map(|document| Text::of(session, document.uri.as_ref()?.parse().ok()?, document))
            .collect()
    }

    fn of(session: &Session, uri: Uri, document: Arc<Document>) -> Option<Text> {
        let locale = session.locale();
        document.is_record().then(|| Text {
            uri,
            document,
            locale,
            columns: session.encoding(),
            beside: session.trusted().then(|| (session.beside.clone(), session.documents.judged())),
        })
    }

    /// Works on what the text holds, away from the threads that serve clients when the text is large.
    /// `None` when the work fails inside kifud; the log has the place.
    pub async fn work<R: Send + 'static>(
        self,
        work: impl FnOnce(&Text, &Content) -> R + Send + 'static,
    ) -> Option<R> {
        let document = self.document.clone();
        documents::offload(document, move |document| Ok(work(&self, document.content()?))).await.ok()
    }

    /// The same for what only SGF has; `None` also for other records.
    pub async fn work_sgf<R: Send + 'static>(
        self,
        work: impl FnOnce(&Text, &Record) -> R + Send + 'static,
    ) -> Option<R> {
        let work = |text: &Text, content: &Content| match content {
            Content::Sgf(record) => Some(work(text, record)),
            Content::Xiangqi(_) => None,
        };
        self.work(work).await.flatten()
    }

    /// The same with what is wrong with the text. Files beside it are looked at, so that it is never done on the
    /// threads that serve clients.
    pub async fn judge<R: Send + 'static>(
        self,
        reviewers: Reviewers,
        work: impl FnOnce(&Text, &Content, &Judged) -> R + Send + 'static,
    ) -> Option<R> {
        let judge = move || {
            let content = self.document.content().ok()?;
            let around = match &self.beside {
                Some((beside, limit)) => beside.of(&self.document, content, *limit),
                None => Arc::default(),
            };
            let findings = self.document.findings(content, &around);
            let reviewed = match content {
                Content::Sgf(record) => reviewers.findings(&self.document, record, &around.levels),
                Content::Xiangqi(_) => Arc::default(),
            };
            Some(work(&self, content, &Judged { findings, reviewed, around }))
        };
        tokio::task::spawn_blocking(judge).await.ok().flatten()
    }

    /// A span as the editor counts.
    pub fn range(&self, span: Span) -> Range {
        to_lsp(self.document.range(span, self.columns))
    }

    /// A place as the editor counts.
    pub fn position(&self, offset: u32) -> Position {
        self.range(Span::at(offset)).start
    }

    /// The offset of a place.
    pub fn offset(&self, at: Position) -> u32 {
        let at = TextPosition { line: at.line, character: at.character };
        self.document.offset(at, self.columns) as u32
    }

    /// The span of a range; one that ends before it starts is taken the other way round.
    pub fn span(&self, range: Range) -> Span {
        let (start, end) = (self.offset(range.start), self.offset(range.end));
        Span::new(start.min(end), start.max(end))
    }

    /// A place in this text, for other texts too.
    pub fn location(&self, span: Span) -> Location {
        Location { uri: self.uri.clone(), range: self.range(span) }
    }

    /// How wide a piece of one line is, in the editor's columns.
    pub fn width(&self, span: Span) -> u32 {
        self.columns.width(span.slice(&self.document.text)) as u32
    }

    /// The changes that lay it out, all of it or a range; none where it is too large for that.
    pub fn laid_out(&self, record: &Record, style: sgf::Style, range: Option<Span>) -> Vec<TextEdit> {
        self.edits(match range {
            _ if self.document.is_oversized() => Vec::new(),
            Some(range) => sgf::format_range(record, style, range),
            None => sgf::format(record, style),
        })
    }

    /// Changes of the text.
    pub fn edits(&self, edits: Vec<text::TextEdit>) -> Vec<TextEdit> {
        let edit = |edit: text::TextEdit| TextEdit { range: self.range(edit.span), new_text: edit.new_text };
        edits.into_iter().map(edit).collect()
    }

    /// The same as one change of the workspace, for exactly this version of the text.
    pub fn workspace_edit(&self, edits: Vec<text::TextEdit>) -> WorkspaceEdit {
        let changes = [(self.uri.clone(), self.edits(edits))].into_iter().collect();
        WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }
    }
}

/// LSP's own type.
pub fn to_lsp(range: TextRange) -> Range {
    let position = |at: TextPosition| Position { line: at.line, character: at.character };
    Range { start: position(range.start), end: position(range.end) }
}

/// Ours.
pub fn from_lsp(range: Range) -> TextRange {
    let position = |at: Position| TextPosition { line: at.line, character: at.character };
    TextRange { start: position(range.start), end: position(range.end) }
}

//! The Language Server Protocol's own methods. Only converts: the work is done by the service, and
//! what is shown of a record comes from [`crate::language`].

mod abilities;
mod actions;
mod client;
mod collections;
mod completion;
mod diagnostics;
mod disk;
mod fit;
mod hints;
mod hover;
mod places;
mod symbols;
mod text;
mod tokens;

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokio::sync::Notify;
use tower_lsp::jsonrpc::{Error, ErrorCode, Result};
use tower_lsp::ls_types::*;
use tower_lsp::{ClientSocket, LanguageServer, LspService};

use self::abilities::Abilities;
use self::client::EditorClient;
use self::diagnostics::Publisher;
use self::text::{Text, from_lsp};
use super::outbox::Outbox;
use crate::language::Content;
use crate::locale::Locale;
use crate::service::Service;
use crate::service::documents::{Change, Document};
use crate::service::error::Kind;
use crate::service::library::Reader;
use crate::service::session::{MessageLevel, Session};
use crate::service::settings::{FormatStyle, Layer};
use crate::service::work::Turn;
use crate::sgf::{self, Record};
use crate::text::Span;
use crate::text::line_index::Columns;

/// How often the editor's process is looked at.
const WATCH: Duration = Duration::from_millis(500);

/// LSP's methods for one session.
pub fn service(
    service: Arc<Service>,
    session: Arc<Session>,
    outbox: Arc<Outbox>,
) -> (LspService<Editor>, ClientSocket) {
    let abilities: Arc<OnceLock<Arc<Abilities>>> = Arc::default();
    LspService::new(|client| Editor {
        publisher: Publisher::new(service.clone(), session.clone(), client.clone(), abilities.clone()),
        service,
        session,
        outbox,
        client,
        gone: Arc::default(),
        abilities,
    })
}

/// The editor at the other end.
pub struct Editor {
    service: Arc<Service>,
    session: Arc<Session>,
    outbox: Arc<Outbox>,
    client: tower_lsp::Client,
    publisher: Publisher,
    gone: Arc<Notify>,
    abilities: Arc<OnceLock<Arc<Abilities>>>,
}

impl Editor {
    /// Wakes when the editor's process has ended.
    pub fn gone(&self) -> Arc<Notify> {
        self.gone.clone()
    }

    fn negotiate(&self, params: &InitializeParams) -> Columns {
        let offered =
            params.capabilities.general.as_ref().and_then(|general| general.position_encodings.as_ref());
        let utf8 = offered.is_some_and(|kinds| kinds.contains(&PositionEncodingKind::UTF8));
        let encoding = if utf8 { Columns::Utf8 } else { Columns::Utf16 };
        self.session.set_encoding(encoding);
        encoding
    }

    fn abilities(&self) -> Arc<Abilities> {
        self.abilities.get_or_init(Arc::default).clone()
    }

    /// A new text of the editor: its findings are sent, unless the editor asks for them itself. When
    /// it was refused, the user is told, and what was found in the text before goes.
    fn taken(&self, what: &str, uri: Uri, outcome: crate::service::error::Result<()>) {
        if let Err(error) = &outcome
            && error.kind == Kind::LimitExceeded
        {
            self.session.show(MessageLevel::Warning, error);
        }
        if !self.abilities().asks_for_findings {
            match outcome {
                Ok(()) => self.publisher.changed(uri),
                Err(_) => self.publisher.closed(uri),
            }
        }
        report(what, outcome);
    }

    /// Works on a text as it is at the first poll; nothing for one that is not open, or no record.
    async fn on<R: Send + 'static>(
        &self,
        uri: &Uri,
        work: impl FnOnce(&Text, &Content) -> R + Send + 'static,
    ) -> Result<Option<R>> {
        match Text::open(&self.session, uri) {
            Some(text) => Ok(text.work(work).await),
            None => Ok(None),
        }
    }

    /// The same for what only SGF has.
    async fn on_sgf<R: Send + 'static>(
        &self,
        uri: &Uri,
        work: impl FnOnce(&Text, &Record) -> R + Send + 'static,
    ) -> Result<Option<R>> {
        match Text::open(&self.session, uri) {
            Some(text) => Ok(text.work_sgf(work).await),
            None => Ok(None),
        }
    }

    /// The open records beside this one.
    fn others(&self, text: &Text) -> Vec<Arc<Document>> {
        let mut open = self.session.documents.all();
        open.retain(|other| other.is_sgf() && !Arc::ptr_eq(other, &text.document));
        open
    }

    /// Names in the workspace's files, without those that are open; none for those who may not read files.
    async fn names_in_files(
        &self,
        query: Arc<String>,
        open: HashSet<PathBuf>,
        most: usize,
    ) -> Vec<SymbolInformation> {
        let library = self.session.library.clone();
        if most == 0 || !self.session.trusted() || !library.has_folders() {
            return Vec::new();
        }
        let reader = Reader { locale: self.session.locale(), columns: self.session.encoding() };
        let work = move |turn: &Turn| {
            let files = library.files(reader, &open, || turn.stop()).unwrap_or_default();
            files.iter().flat_map(|file| symbols::names_in_file(file, &query)).take(most).collect()
        };
        self.service.workers.run(self.session.id, work).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "the workspace's files are not looked at");
            Vec::new()
        })
    }

    /// How records are laid out.
    fn style(&self) -> sgf::Style {
        match self.service.settings_of(&self.session).format_style {
            FormatStyle::Canonical => sgf::Style::Canonical,
            FormatStyle::Compact => sgf::Style::Compact,
        }
    }

    fn note_client(&self, params: &InitializeParams) {
        self.session.set_editor();
        let _ = self.abilities.set(Arc::new(Abilities::of(&params.capabilities)));
        if let Some(locale) = &params.locale {
            self.session.set_locale(Locale::of_tag(locale));
        }
        let options = params.initialization_options.as_ref();
        match options.and_then(|options| options.get("trusted")).and_then(serde_json::Value::as_bool) {
            Some(false) => self.session.distrust(),
            Some(true) => self.session.trust_workspace(),
            None => {}
        }
        // A bare engine name is started in the first one, so only who may name programs may name folders.
        if self.session.trusted() {
            let folders = workspace_folders(params);
            if let Some(first) = folders.first() {
                self.session.set_workspace(first.clone());
            }
            self.session.library.change_folders(folders, &[]);
        }
        let workspace = params.capabilities.workspace.as_ref();
        // A change that cannot say which version it is for could meet another text.
        let can_edit = self.abilities().versioned_edits
            && workspace.and_then(|workspace| workspace.apply_edit).unwrap_or(false);
        let edits = workspace.and_then(|workspace| workspace.workspace_edit.as_ref());
        let annotations = edits.is_some_and(|edits| edits.change_annotation_support.is_some());
        self.session.set_client(Arc::new(EditorClient {
            client: self.client.clone(),
            outbox: self.outbox.clone(),
            can_edit,
            annotations,
        }));
        if let Some(options) = options {
            self.set_settings(options.clone());
        }
        if let Some(pid) = params.process_id {
            self.watch(pid);
        }
    }

    /// Takes the client's settings for this session. A fault is told, it does not end anything.
    fn set_settings(&self, mut settings: serde_json::Value) {
        if let Some(settings) = settings.as_object_mut() {
            // Not a setting: only `initialize` can say it.
            settings.remove("trusted");
        }
        let taken = Layer::of_session(settings).and_then(|layer| self.session.set_layer(layer, true));
        if let Err(error) = taken {
            tracing::warn!(%error, "the client's settings");
            self.session.show(MessageLevel::Warning, &error);
        }
    }

    /// Ends the conversation when the editor's process is gone. One that is not alive at the start
    /// is not looked at: in a container its number means nothing here.
    fn watch(&self, pid: u32) {
        if !crate::engine::os::alive(pid) {
            tracing::info!(pid, "the client's process is not visible from here; it is not watched");
            return;
        }
        let gone = self.gone.clone();
        tokio::spawn(async move {
            while crate::engine::os::alive(pid) {
                tokio::time::sleep(WATCH).await;
            }
            tracing::info!(pid, "the client's process has ended");
            gone.notify_one();
        });
    }
}

impl LanguageServer for Editor {
    async fn initialize(&self, params: InitializeParams) -> Result<InitializeResult> {
        let encoding = self.negotiate(&params);
        self.note_client(&params);
        Ok(InitializeResult {
            capabilities: abilities::offered(encoding),
            server_info: Some(ServerInfo {
                name: "kifud".to_owned(),
                version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            }),
            offset_encoding: None,
        })
    }

    async fn initialized(&self, _: InitializedParams) {
        let abilities = self.abilities();
        self.publisher.follow_reviews(abilities.asks_for_findings, abilities.refreshes_findings);
        tracing::info!(sessions = self.service.sessions(), "an editor is there");
        self.watch_files();
    }

    async fn shutdown(&self) -> Result<()> {
        Ok(())
    }

    async fn did_open(&self, params: DidOpenTextDocumentParams) {
        let document = params.text_document;
        let opened = self.session.documents.open(
            document.uri.as_str(),
            document.version,
            &document.language_id,
            document.text,
            self.session.trusted(),
        );
        self.taken("didOpen", document.uri, opened);
    }

    async fn did_change(&self, params: DidChangeTextDocumentParams) {
        let changes = params
            .content_changes
            .into_iter()
            .map(|change| Change { range: change.range.map(from_lsp), text: change.text });
        let changed = self.session.documents.change(
            params.text_document.uri.as_str(),
            params.text_document.version,
            changes,
            self.session.encoding(),
        );
        self.taken("didChange", params.text_document.uri, changed);
    }

    async fn did_close(&self, params: DidCloseTextDocumentParams) {
        report("didClose", self.session.documents.close(params.text_document.uri.as_str()));
        self.session.beside.forget(params.text_document.uri.as_str());
        if !self.abilities().asks_for_findings {
            self.publisher.closed(params.text_document.uri);
        }
    }

    async fn did_save(&self, params: DidSaveTextDocumentParams) {
        self.look_again(vec![params.text_document.uri]);
    }

    async fn did_change_configuration(&self, params: DidChangeConfigurationParams) {
        // Some editors send the section, others an object that holds it; null: nothing is said.
        let mut settings = params.settings;
        let section = settings.get_mut("kifud").map(serde_json::Value::take).unwrap_or(settings);
        if section.is_object() {
            self.set_settings(section);
        }
    }

    async fn did_change_workspace_folders(&self, params: DidChangeWorkspaceFoldersParams) {
        if self.session.trusted() {
            let paths = |folders: &[WorkspaceFolder]| paths(folders.iter().map(|folder| &folder.uri));
            let event = &params.event;
            self.session.library.change_folders(paths(&event.added), &paths(&event.removed));
        }
    }

    async fn did_change_watched_files(&self, params: DidChangeWatchedFilesParams) {
        self.files_changed(&params);
    }

    async fn hover(&self, params: HoverParams) -> Result<Option<Hover>> {
        let TextDocumentPositionParams { text_document, position } = params.text_document_position_params;
        let abilities = self.abilities();
        let found = self.on(&text_document.uri, move |text, content| {
            hover::hover(text, content, text.offset(position), &abilities)
        });
        Ok(found.await?.flatten())
    }

    async fn completion(&self, params: CompletionParams) -> Result<Option<CompletionResponse>> {
        let TextDocumentPositionParams { text_document, position } = params.text_document_position;
        let snippets = self.abilities().snippets;
        self.on_sgf(&text_document.uri, move |text, record| {
            completion::completion(text, record, text.offset(position), snippets)
        })
        .await
    }

    async fn goto_definition(&self, params: GotoDefinitionParams) -> Result<Option<GotoDefinitionResponse>> {
        let TextDocumentPositionParams { text_document, position } = params.text_document_position_params;
        let links = self.abilities().definition_links;
        let found = self.on(&text_document.uri, move |text, content| {
            places::definition(text, content, text.offset(position), links)
        });
        Ok(found.await?.flatten())
    }

    async fn references(&self, params: ReferenceParams) -> Result<Option<Vec<Location>>> {
        let TextDocumentPositionParams { text_document, position } = params.text_document_position;
        self.on(&text_document.uri, move |text, content| {
            places::references(text, content, text.offset(position))
        })
        .await
    }

    async fn document_highlight(
        &self,
        params: DocumentHighlightParams,
    ) -> Result<Option<Vec<DocumentHighlight>>> {
        let TextDocumentPositionParams { text_document, position } = params.text_document_position_params;
        self.on(&text_document.uri, move |text, content| {
            places::highlights(text, content, text.offset(position))
        })
        .await
    }

    async fn document_symbol(&self, params: DocumentSymbolParams) -> Result<Option<DocumentSymbolResponse>> {
        let nested = self.abilities().nested_symbols;
        self.on(&params.text_document.uri, move |text, content| symbols::outline(text, content, nested)).await
    }

    async fn symbol(&self, params: WorkspaceSymbolParams) -> Result<Option<WorkspaceSymbolResponse>> {
        let query = Arc::new(params.query);
        let (texts, open) = (Text::all(&self.session), self.session.documents.paths());
        let mut names = Vec::new();
        for text in texts {
            let query = query.clone();
            let found = text.work(move |text, content| symbols::names(text, content, &query)).await;
            names.extend(found.unwrap_or_default());
        }
        names.truncate(symbols::MAX_NAMES);
        names.extend(self.names_in_files(query, open, symbols::MAX_NAMES - names.len()).await);
        Ok(Some(WorkspaceSymbolResponse::Flat(names)))
    }

    async fn folding_range(&self, params: FoldingRangeParams) -> Result<Option<Vec<FoldingRange>>> {
        self.on(&params.text_document.uri, places::folding).await
    }

    async fn selection_range(&self, params: SelectionRangeParams) -> Result<Option<Vec<SelectionRange>>> {
        self.on(&params.text_document.uri, move |text, content| {
            let offsets: Vec<u32> = params.positions.iter().map(|at| text.offset(*at)).collect();
            places::selections(text, content, &offsets)
        })
        .await
    }

    async fn document_link(&self, params: DocumentLinkParams) -> Result<Option<Vec<DocumentLink>>> {
        self.on_sgf(&params.text_document.uri, places::links).await
    }

    async fn semantic_tokens_full(
        &self,
        params: SemanticTokensParams,
    ) -> Result<Option<SemanticTokensResult>> {
        let found = self.on_sgf(&params.text_document.uri, |text, record| {
            tokens::tokens(text, record, Span::new(0, record.text().len() as u32)).into()
        });
        found.await
    }

    async fn semantic_tokens_range(
        &self,
        params: SemanticTokensRangeParams,
    ) -> Result<Option<SemanticTokensRangeResult>> {
        self.on_sgf(&params.text_document.uri, move |text, record| {
            tokens::tokens(text, record, text.span(params.range)).into()
        })
        .await
    }

    async fn diagnostic(&self, params: DocumentDiagnosticParams) -> Result<DocumentDiagnosticReportResult> {
        let known = params.previous_result_id;
        let (text, reviewers) =
            (Text::open(&self.session, &params.text_document.uri), self.publisher.reviewers());
        let report = match text {
            Some(text) => {
                let judged = text.judge(reviewers, move |text, _, judged| {
                    diagnostics::report(text, judged, known.as_deref())
                });
                judged.await
            }
            None => None,
        };
        let nothing =
            || DocumentDiagnosticReport::Full(RelatedFullDocumentDiagnosticReport::default()).into();
        Ok(fit::report(report.unwrap_or_else(nothing), &self.abilities()))
    }

    async fn formatting(&self, params: DocumentFormattingParams) -> Result<Option<Vec<TextEdit>>> {
        let style = self.style();
        self.on_sgf(&params.text_document.uri, move |text, record| text.laid_out(record, style, None)).await
    }

    async fn range_formatting(&self, params: DocumentRangeFormattingParams) -> Result<Option<Vec<TextEdit>>> {
        let style = self.style();
        self.on_sgf(&params.text_document.uri, move |text, record| {
            text.laid_out(record, style, Some(text.span(params.range)))
        })
        .await
    }

    async fn inlay_hint(&self, params: InlayHintParams) -> Result<Option<Vec<InlayHint>>> {
        self.on_sgf(&params.text_document.uri, move |text, record| {
            hints::inlay(text, record, text.span(params.range))
        })
        .await
    }

    async fn code_lens(&self, params: CodeLensParams) -> Result<Option<Vec<CodeLens>>> {
        let abilities = self.abilities();
        self.on_sgf(&params.text_document.uri, move |text, record| {
            hints::lenses(text, record, &abilities.commands)
        })
        .await
    }

    async fn code_action(&self, params: CodeActionParams) -> Result<Option<CodeActionResponse>> {
        let Some(text) = Text::open(&self.session, &params.text_document.uri) else { return Ok(None) };
        let abilities = self.abilities();
        let wish = actions::Wish {
            range: text.span(params.range),
            only: params.context.only,
            later: abilities.resolves_edits,
            creates: abilities.creates_files,
            others: self.others(&text),
        };
        let offered = text.judge(self.publisher.reviewers(), move |text, content, judged| {
            let offered = actions::offers(text, content, judged, &wish);
            fit::actions(offered, (&text.uri, text.document.version), &abilities)
        });
        Ok(offered.await)
    }

    async fn code_action_resolve(&self, action: CodeAction) -> Result<CodeAction> {
        let stale =
            || failed(Kind::StaleDocument, "the text has changed since this action was offered; ask again");
        let chosen = actions::Chosen::read(action.data.as_ref());
        let chosen = chosen.ok_or_else(|| failed(Kind::InvalidParams, "the action's data is not kifud's"))?;
        let uri: Uri = chosen.uri.parse().map_err(|_| stale())?;
        let version = chosen.version;
        let text = Text::open(&self.session, &uri).filter(|text| text.document.version == version);
        let text = text.ok_or_else(stale)?;
        let others = self.others(&text);
        let work =
            text.work_sgf(move |text, record| actions::resolve(text, record, &chosen, &others, action));
        match work.await {
            Some(Ok(action)) => Ok(fit::action(action, (&uri, version), &self.abilities())),
            Some(Err(why)) => Err(failed(Kind::InvalidParams, &why)),
            None => Err(failed(
                Kind::Internal,
                "working the action out failed inside kifud; the log has the place",
            )),
        }
    }
}

/// An error of one of kifud's kinds.
fn failed(kind: Kind, message: &str) -> Error {
    Error {
        code: ErrorCode::from(i64::from(kind.code())),
        message: message.to_owned().into(),
        data: Some(serde_json::json!({"kind": kind.name()})),
    }
}

/// The folders of the workspace. Older editors name one, as an address or as a path.
fn workspace_folders(params: &InitializeParams) -> Vec<PathBuf> {
    #[allow(deprecated)]
    let (uri, path) = (&params.root_uri, &params.root_path);
    match &params.workspace_folders {
        Some(folders) => paths(folders.iter().map(|folder| &folder.uri)),
        None if uri.is_some() => paths(uri),
        None => path.iter().map(PathBuf::from).collect(),
    }
}

/// The files' paths among the addresses.
fn paths<'a>(addresses: impl IntoIterator<Item = &'a Uri>) -> Vec<PathBuf> {
    addresses.into_iter().filter_map(|uri| Some(uri.to_file_path()?.into_owned())).collect()
}

/// Notifications have no answer: what went wrong is logged.
fn report(what: &str, outcome: crate::service::error::Result<()>) {
    if let Err(error) = outcome {
        tracing::warn!(%error, "{what} was refused");
    }
}

//! The Language Server Protocol's own methods. Only converts: the work is done by the service.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::json;
use tokio::sync::Notify;
use tower_lsp::jsonrpc::Result;
use tower_lsp::ls_types::{
    AnnotatedTextEdit, DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams,
    DocumentChanges, InitializeParams, InitializeResult, InitializedParams, OneOf, PositionEncodingKind,
    SaveOptions, ServerCapabilities, ServerInfo, TextDocumentSyncCapability, TextDocumentSyncKind,
    TextDocumentSyncOptions, TextDocumentSyncSaveOptions, WorkspaceEdit,
};
use tower_lsp::{ClientSocket, LanguageServer, LspService};

use super::outbox::Outbox;
use crate::service::documents::Change;
use crate::service::error::Locale;
use crate::service::session::{Client, MessageLevel, Session};
use crate::service::settings::Layer;
use crate::service::wire::{TextPosition, TextRange};
use crate::service::{PROTOCOL, Service};
use crate::sgf::line_index::Columns;

/// How often the editor's process is looked at.
const WATCH: Duration = Duration::from_millis(500);

/// LSP's methods for one session.
pub fn service(
    service: Arc<Service>,
    session: Arc<Session>,
    outbox: Arc<Outbox>,
) -> (LspService<Editor>, ClientSocket) {
    LspService::new(|client| Editor { service, session, outbox, client, gone: Arc::default() })
}

/// The editor at the other end.
pub struct Editor {
    service: Arc<Service>,
    session: Arc<Session>,
    outbox: Arc<Outbox>,
    client: tower_lsp::Client,
    gone: Arc<Notify>,
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

    fn note_client(&self, params: &InitializeParams) {
        self.session.set_editor();
        if let Some(locale) = &params.locale {
            self.session.set_locale(Locale::parse(locale));
        }
        let options = params.initialization_options.as_ref();
        match options.and_then(|options| options.get("trusted")).and_then(serde_json::Value::as_bool) {
            Some(false) => self.session.distrust(),
            Some(true) => self.session.trust_workspace(),
            None => {}
        }
        let folder = params.workspace_folders.as_ref().and_then(|folders| folders.first());
        // A bare engine name is started there, so only who may name programs may name the folder.
        let folder = folder.filter(|_| self.session.trusted());
        if let Some(path) = folder.and_then(|folder| folder.uri.to_file_path()) {
            self.session.set_workspace(path.into_owned());
        }
        let workspace = params.capabilities.workspace.as_ref();
        let can_edit = workspace.and_then(|workspace| workspace.apply_edit).unwrap_or(false);
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
        let sync = TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::INCREMENTAL),
            save: Some(TextDocumentSyncSaveOptions::SaveOptions(SaveOptions::default())),
            ..TextDocumentSyncOptions::default()
        };
        Ok(InitializeResult {
            capabilities: ServerCapabilities {
                position_encoding: Some(match encoding {
                    Columns::Utf32 => PositionEncodingKind::UTF32,
                    Columns::Utf8 => PositionEncodingKind::UTF8,
                    Columns::Utf16 => PositionEncodingKind::UTF16,
                }),
                text_document_sync: Some(TextDocumentSyncCapability::Options(sync)),
                experimental: Some(json!({"kifud": {"protocol": PROTOCOL}})),
                ..ServerCapabilities::default()
            },
            server_info: Some(ServerInfo {
                name: "kifud".to_owned(),
                version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            }),
            offset_encoding: None,
        })
    }

    async fn initialized(&self, _: InitializedParams) {
        tracing::info!(sessions = self.service.sessions(), "an editor is there");
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
        report("didOpen", opened);
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
        report("didChange", changed);
    }

    async fn did_close(&self, params: DidCloseTextDocumentParams) {
        report("didClose", self.session.documents.close(params.text_document.uri.as_str()));
    }

    async fn did_save(&self, _: tower_lsp::ls_types::DidSaveTextDocumentParams) {}

    async fn did_change_configuration(&self, params: tower_lsp::ls_types::DidChangeConfigurationParams) {
        // Some editors send the section, others an object that holds it; null: nothing is said.
        let mut settings = params.settings;
        let section = settings.get_mut("kifud").map(serde_json::Value::take).unwrap_or(settings);
        if section.is_object() {
            self.set_settings(section);
        }
    }

    async fn did_change_watched_files(&self, _: tower_lsp::ls_types::DidChangeWatchedFilesParams) {}
}

/// Notifications have no answer: what went wrong is logged.
fn report(what: &str, outcome: crate::service::error::Result<()>) {
    if let Err(error) = outcome {
        tracing::warn!(%error, "{what} was refused");
    }
}

fn from_lsp(range: tower_lsp::ls_types::Range) -> TextRange {
    let position =
        |at: tower_lsp::ls_types::Position| TextPosition { line: at.line, character: at.character };
    TextRange { start: position(range.start), end: position(range.end) }
}

/// What an editor can be asked.
struct EditorClient {
    client: tower_lsp::Client,
    outbox: Arc<Outbox>,
    can_edit: bool,
    annotations: bool,
}

/// A `WorkspaceEdit` as the crate's types have it.
fn workspace_edit(edit: serde_json::Value) -> Option<WorkspaceEdit> {
    let annotated = edit.get("changeAnnotations").is_some();
    let mut typed: WorkspaceEdit = serde_json::from_value(edit.clone()).ok()?;
    if let Some(DocumentChanges::Edits(documents)) = typed.document_changes.as_mut().filter(|_| annotated) {
        // Their enum takes an annotated edit for a plain one.
        for (document, text) in documents.iter_mut().zip(edit["documentChanges"].as_array()?) {
            let annotated = serde_json::from_value::<Vec<AnnotatedTextEdit>>(text["edits"].clone()).ok()?;
            document.edits = annotated.into_iter().map(OneOf::Right).collect();
        }
    }
    Some(typed)
}

impl Client for EditorClient {
    fn notify(&self, method: &str, params: serde_json::Value) {
        let message = json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string();
        self.outbox.push(&[message.as_bytes()]);
    }

    fn can_edit(&self) -> bool {
        self.can_edit
    }

    fn knows_annotations(&self) -> bool {
        self.annotations
    }

    fn apply_edit(&self, edit: serde_json::Value) -> BoxFuture<'static, bool> {
        let (client, can_edit) = (self.client.clone(), self.can_edit);
        async move {
            let Some(edit) = workspace_edit(edit) else {
                return false;
            };
            can_edit && client.apply_edit(edit).await.is_ok_and(|answer| answer.applied)
        }
        .boxed()
    }
}

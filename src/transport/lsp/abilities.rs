//! What the editor can take, and what it is offered.

use serde_json::{Value, json};
use tower_lsp::ls_types::*;

use super::tokens;
use crate::service::PROTOCOL;
use crate::sgf::line_index::Columns;

/// What the editor has said of itself, as far as answers depend on it.
#[derive(Debug, Default)]
pub struct Abilities {
    /// It asks for findings itself, so that they need not be sent.
    pub asks_for_findings: bool,
    /// It can be told to ask again.
    pub refreshes_findings: bool,
    /// It tells of changed files when it is asked to.
    pub watches_files: bool,
    /// A change may create files.
    pub creates_files: bool,
    /// The outline may be a tree.
    pub nested_symbols: bool,
    /// A definition may say which text it is for.
    pub definition_links: bool,
    /// Hovers may be Markdown.
    pub markdown: bool,
    /// Hovers may hold an image as a `data:` address (`experimental.kifud.hoverImages`).
    pub images: bool,
    /// What is inserted may say where the cursor goes.
    pub snippets: bool,
    /// Actions may be worked out when they are chosen.
    pub resolves_edits: bool,
    /// An action may be marked as the preferred one.
    pub preferred_actions: bool,
    /// Changes may say which version of a text they are for.
    pub versioned_edits: bool,
    /// A finding may point to other places.
    pub related_findings: bool,
    /// Commands that the editor itself knows (`experimental.commands.commands`); lenses with
    /// other commands are not shown.
    pub commands: Vec<String>,
}

impl Abilities {
    /// Reads the capabilities of `initialize`.
    pub fn of(client: &ClientCapabilities) -> Abilities {
        let text = client.text_document.clone().unwrap_or_default();
        let workspace = client.workspace.clone().unwrap_or_default();
        let edits = workspace.workspace_edit.unwrap_or_default();
        let operations = edits.resource_operations.as_deref().unwrap_or_default();
        let yes = |flag: Option<bool>| flag.unwrap_or(false);
        let symbols = text.document_symbol.unwrap_or_default();
        let formats = text.hover.and_then(|hover| hover.content_format).unwrap_or_default();
        let item = text.completion.and_then(|completion| completion.completion_item).unwrap_or_default();
        let action = text.code_action.unwrap_or_default();
        let experimental = client.experimental.as_ref();
        let said = |path: &str| experimental.and_then(|value| value.pointer(path));
        Abilities {
            asks_for_findings: text.diagnostic.is_some(),
            refreshes_findings: yes(workspace.diagnostics.and_then(|asked| asked.refresh_support)),
            watches_files: yes(workspace.did_change_watched_files.and_then(|told| told.dynamic_registration)),
            creates_files: operations.contains(&ResourceOperationKind::Create),
            nested_symbols: yes(symbols.hierarchical_document_symbol_support),
            definition_links: yes(text.definition.and_then(|definition| definition.link_support)),
            markdown: formats.contains(&MarkupKind::Markdown),
            images: said("/kifud/hoverImages").and_then(Value::as_bool).unwrap_or(false),
            snippets: yes(item.snippet_support),
            resolves_edits: action
                .resolve_support
                .is_some_and(|support| support.properties.iter().any(|property| property == "edit")),
            preferred_actions: yes(action.is_preferred_support),
            // LSP lets who makes files also take versions, and Neovim says only that.
            versioned_edits: yes(edits.document_changes) || edits.resource_operations.is_some(),
            related_findings: yes(text.publish_diagnostics.and_then(|shown| shown.related_information)),
            commands: said("/commands/commands")
                .and_then(Value::as_array)
                .map(|list| list.iter().filter_map(Value::as_str).map(str::to_owned).collect())
                .unwrap_or_default(),
        }
    }
}

/// What kifud offers to every editor.
pub fn offered(encoding: Columns) -> ServerCapabilities {
    let sync = TextDocumentSyncOptions {
        open_close: Some(true),
        change: Some(TextDocumentSyncKind::INCREMENTAL),
        save: Some(TextDocumentSyncSaveOptions::SaveOptions(SaveOptions::default())),
        ..TextDocumentSyncOptions::default()
    };
    ServerCapabilities {
        position_encoding: Some(match encoding {
            Columns::Utf32 => PositionEncodingKind::UTF32,
            Columns::Utf8 => PositionEncodingKind::UTF8,
            Columns::Utf16 => PositionEncodingKind::UTF16,
        }),
        text_document_sync: Some(TextDocumentSyncCapability::Options(sync)),
        hover_provider: Some(true.into()),
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some(vec![";".to_owned(), "[".to_owned(), "]".to_owned()]),
            ..CompletionOptions::default()
        }),
        definition_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        document_highlight_provider: Some(OneOf::Left(true)),
        document_symbol_provider: Some(OneOf::Left(true)),
        workspace_symbol_provider: Some(OneOf::Left(true)),
        workspace: Some(WorkspaceServerCapabilities {
            workspace_folders: Some(WorkspaceFoldersServerCapabilities {
                supported: Some(true),
                change_notifications: Some(OneOf::Left(true)),
            }),
            file_operations: None,
        }),
        folding_range_provider: Some(true.into()),
        selection_range_provider: Some(true.into()),
        document_link_provider: Some(DocumentLinkOptions {
            resolve_provider: Some(false),
            work_done_progress_options: WorkDoneProgressOptions::default(),
        }),
        semantic_tokens_provider: Some(
            SemanticTokensOptions {
                legend: tokens::legend(),
                range: Some(true),
                full: Some(SemanticTokensFullOptions::Bool(true)),
                ..SemanticTokensOptions::default()
            }
            .into(),
        ),
        document_formatting_provider: Some(OneOf::Left(true)),
        document_range_formatting_provider: Some(OneOf::Left(true)),
        diagnostic_provider: Some(DiagnosticServerCapabilities::Options(DiagnosticOptions {
            identifier: Some("kifud".to_owned()),
            ..DiagnosticOptions::default()
        })),
        inlay_hint_provider: Some(OneOf::Left(true)),
        code_lens_provider: Some(CodeLensOptions { resolve_provider: Some(false) }),
        code_action_provider: Some(
            CodeActionOptions {
                code_action_kinds: Some(vec![
                    CodeActionKind::QUICKFIX,
                    CodeActionKind::REFACTOR_REWRITE,
                    CodeActionKind::REFACTOR_EXTRACT,
                    CodeActionKind::REFACTOR_INLINE,
                    CodeActionKind::from("refactor.move"),
                    CodeActionKind::SOURCE,
                    CodeActionKind::SOURCE_FIX_ALL,
                ]),
                resolve_provider: Some(true),
                ..CodeActionOptions::default()
            }
            .into(),
        ),
        experimental: Some(json!({"kifud": {"protocol": PROTOCOL}})),
        ..ServerCapabilities::default()
    }
}

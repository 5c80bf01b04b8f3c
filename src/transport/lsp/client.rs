//! What an editor can be asked.

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::json;
use tower_lsp::ls_types::{AnnotatedTextEdit, DocumentChanges, OneOf, WorkspaceEdit};

use crate::service::session::Client;
use crate::transport::outbox::Outbox;

/// An editor that has said `initialize`.
pub struct EditorClient {
    /// Its end of LSP.
    pub client: tower_lsp::Client,
    /// What goes to it.
    pub outbox: Arc<Outbox>,
    /// Whether it takes `workspace/applyEdit`.
    pub can_edit: bool,
    /// Whether changes may say what they are.
    pub annotations: bool,
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

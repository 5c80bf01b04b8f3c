//! What an editor can be asked.

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::json;
use tower_lsp::ls_types::WorkspaceEdit;

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
}

impl Client for EditorClient {
    fn notify(&self, method: &str, params: serde_json::Value) {
        let message = json!({"jsonrpc": "2.0", "method": method, "params": params}).to_string();
        self.outbox.push(&[message.as_bytes()]);
    }

    fn can_edit(&self) -> bool {
        self.can_edit
    }

    fn apply_edit(&self, edit: serde_json::Value) -> BoxFuture<'static, bool> {
        let (client, can_edit) = (self.client.clone(), self.can_edit);
        async move {
            let Ok(edit) = serde_json::from_value::<WorkspaceEdit>(edit) else {
                return false;
            };
            can_edit && client.apply_edit(edit).await.is_ok_and(|answer| answer.applied)
        }
        .boxed()
    }
}

//! What an editor tells of files: which of them have a say in findings, and whose findings have to be looked for again.

use serde_json::json;
use tower_lsp::ls_types::{DidChangeWatchedFilesParams, Registration, Uri};

use super::Editor;
use crate::service::levels::FILE_NAME;

/// Where the file of an editor's settings may be, and records.
const WATCHED: [&str; 2] = ["**/.kifud.toml", "**/*.sgf"];

impl Editor {
    /// Asks the editor to tell of changed files, where it can be asked and files may be read.
    pub(super) fn watch_files(&self) {
        if !self.abilities().watches_files || !self.session.trusted() {
            return;
        }
        let client = self.client.clone();
        let watchers: Vec<_> = WATCHED.iter().map(|glob| json!({"globPattern": glob})).collect();
        let registration = Registration {
            id: "kifud-files".to_owned(),
            method: "workspace/didChangeWatchedFiles".to_owned(),
            register_options: Some(json!({"watchers": watchers})),
        };
        tokio::spawn(async move {
            if let Err(error) = client.register_capability(vec![registration]).await {
                tracing::warn!(%error, "the editor does not tell of changed files");
            }
        });
    }

    /// Files have changed: findings that depend on them follow.
    pub(super) fn files_changed(&self, params: &DidChangeWatchedFilesParams) {
        let changed = params.changes.iter().map(|change| &change.uri);
        if changed.clone().any(|uri| uri.as_str().ends_with(FILE_NAME)) {
            let open = self.session.documents.all().into_iter();
            self.look_again(open.filter_map(|document| document.uri.as_ref()?.parse().ok()).collect());
        } else {
            let open = |uri: &&Uri| self.session.documents.get(uri.as_str()).is_some();
            self.look_again(changed.filter(open).cloned().collect());
        }
    }

    /// Findings of these texts may be others now.
    pub(super) fn look_again(&self, texts: Vec<Uri>) {
        if texts.is_empty() || !self.session.trusted() {
            return;
        }
        let abilities = self.abilities();
        if !abilities.asks_for_findings {
            texts.into_iter().for_each(|uri| self.publisher.changed(uri));
        } else if abilities.refreshes_findings {
            let client = self.client.clone();
            tokio::spawn(async move {
                if let Err(error) = client.workspace_diagnostic_refresh().await {
                    tracing::warn!(%error, "the editor does not ask for findings again");
                }
            });
        }
    }
}

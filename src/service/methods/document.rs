//! `session/*` and `document/*`: texts of clients that are no LSP editors.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::service::documents::{self, Change};
use crate::service::error::{Error, Kind, Result};
use crate::service::shares::Shares;
use crate::service::table::Cx;
use crate::service::uris::file_path;
use crate::service::wire::{DocumentRef, Done, TextRange};
use crate::sgf::line_index::Columns;

/// Who speaks.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OpenSession {
    /// The client's name, for the log.
    client: String,
    /// `utf-16` (default) or `utf-8`.
    position_encoding: Option<String>,
}

/// `session/open`
pub async fn session(cx: Cx, params: OpenSession) -> Result<Done> {
    let encoding = match params.position_encoding.as_deref() {
        None | Some("utf-16") => Columns::Utf16,
        Some("utf-8") => Columns::Utf8,
        Some(other) => {
            let message = format!("positionEncoding: {other:?} is not known; utf-16 and utf-8 are");
            return Err(Error::field("positionEncoding", message));
        }
    };
    cx.session.set_encoding(encoding);
    tracing::info!(client = %params.client, session = cx.session.id, "a client is there");
    Ok(Done {})
}

/// A document to open.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Open {
    uri: String,
    /// `sgf` (default), `xiangqi-pgn` or `dhtmlxq`.
    language_id: Option<String>,
    text: String,
    /// 0 when absent.
    version: Option<i32>,
}

/// `document/open`
pub async fn open(cx: Cx, params: Open) -> Result<Done> {
    let language = params.language_id.unwrap_or_default();
    let (version, trusted) = (params.version.unwrap_or(0), cx.session.trusted());
    cx.session.documents.open(&params.uri, version, &language, params.text, trusted)?;
    Ok(Done {})
}

/// What changed.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChangeDocument {
    uri: String,
    version: i32,
    /// Applied one after the other.
    changes: Vec<WireChange>,
}

/// One change; without a range the whole text is new.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "Change")]
#[serde(deny_unknown_fields)]
pub struct WireChange {
    range: Option<TextRange>,
    text: String,
}

/// `document/change`
pub async fn change(cx: Cx, params: ChangeDocument) -> Result<Done> {
    let changes = params.changes.into_iter().map(|change| Change { range: change.range, text: change.text });
    cx.session.documents.change(&params.uri, params.version, changes, cx.session.encoding())?;
    Ok(Done {})
}

/// Which document.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Close {
    uri: String,
}

/// `document/close`
pub async fn close(cx: Cx, params: Close) -> Result<Done> {
    cx.session.documents.close(&params.uri)?;
    Ok(Done {})
}

/// Which file.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Share {
    uri: String,
    /// True when absent; false: no longer.
    shared: Option<bool>,
}

/// `document/share`
pub async fn share(cx: Cx, params: Share) -> Result<Done> {
    let path = file_path(&params.uri).ok_or_else(|| {
        Error::field("uri", "uri: only files can be shared, by their file: URI or their path")
    })?;
    let (shares, session) = (&cx.session.shares, cx.session.id);
    match params.shared.unwrap_or(true) {
        true => {
            let found = tokio::task::spawn_blocking(move || Shares::file(&path)).await;
            shares.add(session, found.map_err(|error| Error::new(Kind::Internal, error.to_string()))??)?;
        }
        false => shares.remove(session, &path),
    }
    Ok(Done {})
}

/// Whose text.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TextParams {
    document: DocumentRef,
}

/// A text as the daemon has it.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DocumentText {
    text: String,
    /// The client's version; 0 for a file that is not open.
    version: i32,
    language_id: String,
}

/// `document/text`
pub async fn text(cx: Cx, params: TextParams) -> Result<DocumentText> {
    let document = documents::resolve(&cx.session, &params.document).await?;
    Ok(DocumentText {
        text: document.text.to_string(),
        version: document.version,
        language_id: document.language.clone(),
    })
}

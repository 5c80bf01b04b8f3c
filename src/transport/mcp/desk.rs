//! What the tools work at: a session of the daemon, the records that are open in it, its engines.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use serde_json::{Value, json};
use tokio::sync::{Mutex, MutexGuard};

use super::roots::Roots;
use crate::formats::{self, Format, Options, Target};
use crate::service::Service;
use crate::service::error::{Error, Kind, Result};
use crate::service::files::SourceFile;
use crate::service::session::Session;
use crate::service::stream::Subscription;
use crate::service::table::{Answer, Call, Table};
use crate::sgf::encoding::Decoded;

/// Records that stay open, so that what a review has found of them is still known.
const MAX_OPEN: usize = 16;
/// The longest path.
const MAX_PATH: usize = 4096;

/// A record, in a form that kifud edits.
pub struct Source {
    /// What it is called: its file, or nothing for a text.
    pub name: String,
    /// Its text.
    pub text: Arc<str>,
    /// `sgf`, `xiangqi-pgn` or `dhtmlxq`.
    pub language: &'static str,
    /// How a file was decoded; `None` when the text was converted, or given.
    pub decoded: Option<Decoded>,
}

impl Source {
    fn uri(&self) -> String {
        if !self.name.is_empty() {
            return format!("mcp:{}", self.name);
        }
        let mut hasher = DefaultHasher::new();
        self.text.hash(&mut hasher);
        format!("mcp:text/{:016x}", hasher.finish())
    }

    /// Whether it is a record of xiangqi.
    pub fn is_xiangqi(&self) -> bool {
        self.language != "sgf"
    }
}

struct Open {
    uri: String,
    text: Arc<str>,
}

/// The desk of one client.
pub struct Desk {
    service: Arc<Service>,
    session: Arc<Session>,
    /// What may be read.
    pub roots: Roots,
    open: Mutex<VecDeque<Open>>,
    /// Held by whoever uses an engine: one search after the other.
    engines: Mutex<()>,
}

impl Desk {
    /// A desk in this session.
    pub fn new(service: Arc<Service>, session: Arc<Session>, roots: Roots) -> Desk {
        Desk { service, session, roots, open: Mutex::default(), engines: Mutex::default() }
    }

    /// One call of the method table.
    ///
    /// # Errors
    /// Those of the method.
    pub async fn call(&self, method: &str, params: Value) -> Result<Value> {
        match self.dispatch(method, params).await? {
            Answer::Value(value) => serde_json::from_str(value.get())
                .map_err(|error| Error::new(Kind::Internal, format!("{method}: {error}"))),
            Answer::Stream { .. } => Err(Error::new(Kind::Internal, format!("{method} is a stream"))),
        }
    }

    /// Opens a stream of the method table.
    ///
    /// # Errors
    /// Those of the method.
    pub async fn stream(&self, method: &str, params: Value) -> Result<Subscription> {
        match self.dispatch(method, params).await? {
            Answer::Stream { subscription, .. } => Ok(subscription),
            Answer::Value(_) => Err(Error::new(Kind::Internal, format!("{method} is no stream"))),
        }
    }

    async fn dispatch(&self, method: &str, params: Value) -> Result<Answer> {
        let params = serde_json::value::to_raw_value(&params)
            .map_err(|error| Error::new(Kind::Internal, error.to_string()))?;
        let call = Call { id: None, method, params: Some(&params), subscription: None };
        Table::dispatch(&self.service, &self.session, call).await
    }

    /// The record that is meant: a file, or the text itself.
    ///
    /// # Errors
    /// `NotFound`, `LimitExceeded`, `InvalidParams` when it is no record.
    pub fn source(&self, record: &str) -> Result<Source> {
        if is_text(record) {
            let (text, decoded) = (record.into(), None);
            let language = language(formats::detect_text(record, None).format);
            return Ok(Source { name: String::new(), text, language, decoded });
        }
        let file = self.roots.read(record)?;
        let name = file.path.to_string_lossy().into_owned();
        match formats::detect(&file.bytes, Some(&name)).format {
            Some(Format::Sgf | Format::Pgn | Format::DhtmlXq) | None => as_it_is(name, file),
            Some(other) => converted(name, &file.bytes, other),
        }
    }

    /// The same as it is: its name, empty for a text, and its bytes.
    ///
    /// # Errors
    /// `NotFound`, `LimitExceeded`
    pub fn bytes(&self, record: &str) -> Result<(String, Vec<u8>)> {
        if is_text(record) {
            return Ok((String::new(), record.as_bytes().to_vec()));
        }
        let file = self.roots.read(record)?;
        Ok((file.path.to_string_lossy().into_owned(), file.bytes))
    }

    /// Opens a record, and gives the document for the methods. One whose text has changed is opened anew.
    ///
    /// # Errors
    /// `LimitExceeded`
    pub async fn open(&self, source: &Source) -> Result<Value> {
        let uri = source.uri();
        let mut open = self.open.lock().await;
        match open.iter().position(|known| known.uri == uri) {
            Some(at) if open[at].text == source.text => return Ok(json!({"uri": uri})),
            Some(at) => self.close(open.remove(at)).await,
            None if open.len() >= MAX_OPEN => self.close(open.pop_front()).await,
            None => {}
        }
        let params = json!({"uri": uri, "languageId": source.language, "text": &*source.text, "version": 1});
        self.call("document/open", params).await?;
        open.push_back(Open { uri: uri.clone(), text: source.text.clone() });
        Ok(json!({"uri": uri}))
    }

    async fn close(&self, open: Option<Open>) {
        if let Some(open) = open {
            // It is not needed any more, whatever comes of it.
            let _ = self.call("document/close", json!({"uri": open.uri})).await;
        }
    }

    /// An engine for this one's use: its id, and what keeps others away from it.
    ///
    /// # Errors
    /// Those of `engine/attach`.
    pub async fn engine(&self, name: Option<&str>) -> Result<(String, MutexGuard<'_, ()>)> {
        let name = name.unwrap_or("builtin");
        let guard = self.engines.lock().await;
        let engines = self.call("engine/list", json!({})).await?;
        let attached = engines["attached"].as_array().into_iter().flatten();
        let id = match attached.into_iter().find(|engine| engine["name"] == name) {
            Some(engine) => engine["id"].clone(),
            None => self.call("engine/attach", json!({"name": name})).await?["engine"]["id"].clone(),
        };
        Ok((id.as_str().unwrap_or_default().to_owned(), guard))
    }
}

/// Whether this is no file's name.
fn is_text(record: &str) -> bool {
    record.trim_start().starts_with(['(', '[', '\u{feff}'])
        || record.contains('\n')
        || record.len() > MAX_PATH
}

fn as_it_is(name: String, file: SourceFile) -> Result<Source> {
    let mut decoded = file.decoded;
    let found = formats::detect_text(&decoded.text, Some(&name)).format;
    let language = language(found);
    if language != "sgf" && !decoded.text.is_ascii() {
        decoded = crate::sgf::encoding::decode(&file.bytes, Some("gb18030"));
    }
    Ok(Source { name, text: decoded.text.as_str().into(), language, decoded: Some(decoded) })
}

/// A record of another program, as one that kifud edits.
fn converted(name: String, bytes: &[u8], from: Format) -> Result<Source> {
    let (target, language) =
        if from.is_xiangqi() { (Target::Pgn, "xiangqi-pgn") } else { (Target::Sgf, "sgf") };
    let converted = formats::convert(bytes, Some(&name), Options { from: Some(from), ..Options::to(target) })
        .map_err(|error| Error::new(Kind::NotFound, format!("{name} cannot be read: {error}")))?;
    let text = String::from_utf8_lossy(&converted.bytes);
    Ok(Source { name, text: text.as_ref().into(), language, decoded: None })
}

fn language(format: Option<Format>) -> &'static str {
    match format {
        Some(Format::Pgn) => "xiangqi-pgn",
        Some(Format::DhtmlXq) => "dhtmlxq",
        _ => "sgf",
    }
}

//! Every error a client can see: a stable kind, its JSON-RPC code, a sentence, evidence.

use std::borrow::Cow;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::locale::Locale;
use serde_json::{Map, Value, json};

/// The kinds of error. Names and codes are part of the protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The bytes are no JSON.
    ParseError,
    /// JSON, but no request.
    InvalidRequest,
    /// No method of that name.
    MethodNotFound,
    /// A field is missing, unknown or of the wrong type.
    InvalidParams,
    /// A fault of kifud itself.
    Internal,
    /// The client took the request back.
    Cancelled,
    /// A document, node, subscription or file that does not exist.
    NotFound,
    /// The session may not do this.
    NotTrusted,
    /// Too large, too many, too deep.
    LimitExceeded,
    /// No engine of that name or id.
    EngineNotFound,
    /// The program could not be started or did not get through the handshake.
    EngineStartFailed,
    /// The program ended.
    EngineExited,
    /// No answer in time.
    EngineTimeout,
    /// The engine answered `?`.
    EngineRefused,
    /// The engine lacks the command.
    EngineUnsupported,
    /// Somebody else holds the engine.
    EngineBusy,
    /// The engine cannot be brought to the position.
    SyncFailed,
    /// The board is larger than the engine takes.
    BoardTooLarge,
    /// Stones that cannot stand so.
    InvalidPosition,
    /// Another game than the method is for.
    UnsupportedGame,
    /// The move breaks the rules.
    IllegalMove,
    /// The text names more than one move.
    AmbiguousMove,
    /// The document has moved on.
    StaleDocument,
    /// LSP's own methods need `initialize` first.
    NotInitialized,
    /// The bridge lost its daemon.
    DaemonLost,
}

use Kind::*;

impl Kind {
    /// Every kind, in the order of the reference.
    pub const ALL: [Kind; 25] = [
        ParseError,
        InvalidRequest,
        MethodNotFound,
        InvalidParams,
        Internal,
        Cancelled,
        NotFound,
        NotTrusted,
        LimitExceeded,
        DaemonLost,
        EngineNotFound,
        EngineStartFailed,
        EngineExited,
        EngineTimeout,
        EngineRefused,
        EngineUnsupported,
        EngineBusy,
        SyncFailed,
        BoardTooLarge,
        InvalidPosition,
        UnsupportedGame,
        IllegalMove,
        AmbiguousMove,
        StaleDocument,
        NotInitialized,
    ];

    /// The JSON-RPC error code.
    pub const fn code(self) -> i32 {
        match self {
            ParseError => -32700,
            InvalidRequest => -32600,
            MethodNotFound => -32601,
            InvalidParams => -32602,
            Internal => -32603,
            Cancelled => -32800,
            StaleDocument => -32801,
            NotInitialized => -32002,
            NotFound => 1001,
            NotTrusted => 1002,
            LimitExceeded => 1003,
            DaemonLost => 1004,
            EngineNotFound => 1101,
            EngineStartFailed => 1102,
            EngineExited => 1103,
            EngineTimeout => 1104,
            EngineRefused => 1105,
            EngineUnsupported => 1106,
            EngineBusy => 1107,
            SyncFailed => 1108,
            BoardTooLarge => 1201,
            InvalidPosition => 1202,
            UnsupportedGame => 1203,
            IllegalMove => 1204,
            AmbiguousMove => 1205,
        }
    }

    /// The name that stands in `data.kind`.
    pub fn name(self) -> String {
        format!("{self:?}")
    }

    /// The kind in one Chinese sentence, put before the English detail for `zh` clients.
    pub const fn zh(self) -> &'static str {
        match self {
            ParseError => "内容不是有效的 JSON",
            InvalidRequest => "请求格式不正确",
            MethodNotFound => "没有这个方法",
            InvalidParams => "参数不正确",
            Internal => "kifud 内部错误",
            Cancelled => "请求已取消",
            NotFound => "找不到所指的对象",
            NotTrusted => "此会话没有权限执行该操作",
            LimitExceeded => "超出限制",
            DaemonLost => "与守护进程的连接已断开",
            EngineNotFound => "找不到该引擎",
            EngineStartFailed => "引擎启动失败",
            EngineExited => "引擎已退出",
            EngineTimeout => "引擎没有及时回答",
            EngineRefused => "引擎拒绝了命令",
            EngineUnsupported => "引擎不支持该功能",
            EngineBusy => "引擎正忙",
            SyncFailed => "无法在引擎上重建当前局面",
            BoardTooLarge => "棋盘超出引擎支持的大小",
            InvalidPosition => "局面不合法",
            UnsupportedGame => "不支持这种棋",
            IllegalMove => "着法不合规则",
            AmbiguousMove => "着法有歧义",
            StaleDocument => "文档版本已过期",
            NotInitialized => "尚未初始化",
        }
    }
}

/// An error on its way to a client.
#[derive(Debug, Clone, PartialEq)]
pub struct Error {
    /// What kind of thing went wrong.
    pub kind: Kind,
    /// One English sentence that says what to do.
    pub message: String,
    /// Evidence: `command`, `reply`, `exitStatus`, `stderrTail`, `field`, `range` …
    pub data: Map<String, Value>,
}

/// Who is told of an error.
#[derive(Debug, Clone, Copy)]
pub struct Audience {
    /// In this language.
    pub locale: Locale,
    /// Whether it may know how engines are set up, and all that they say.
    pub trusted: bool,
}

impl Audience {
    /// The user.
    pub const USER: Audience = Audience { locale: Locale::English, trusted: true };
    /// Somebody who has no session.
    pub const STRANGER: Audience = Audience { locale: Locale::English, trusted: false };
}

/// What an engine was told or has said; it may be of the settings, or of what it did for others.
const ENGINES_OWN: [&str; 4] = ["command", "reply", "stderrTail", "hint"];

/// What somebody untrusted is told instead of the sentence of an engine's error.
const fn in_general(kind: Kind) -> Option<&'static str> {
    Some(match kind {
        EngineStartFailed => "the engine could not be started; the daemon's log says why",
        EngineExited => "the engine has ended; the daemon's log says why",
        EngineTimeout => "the engine did not answer in time; the daemon's log says more",
        EngineRefused => "the engine refused it; the daemon's log says why",
        EngineUnsupported => "the engine cannot do that; the daemon's log says why",
        EngineBusy => "the engine is busy with something else",
        SyncFailed => "the engine could not be brought to this position; the daemon's log says why",
        BoardTooLarge => "the engine does not take boards of this size",
        _ => return None,
    })
}

/// Lines a minute that untrusted sessions may cause in the log: they can fail as often as they like.
const LOGGED: u32 = 60;

/// Whether there is room for one more.
fn may_log() -> bool {
    static MINUTE: Mutex<Option<(Instant, u32)>> = Mutex::new(None);
    let (mut minute, now) = (MINUTE.lock().unwrap_or_else(PoisonError::into_inner), Instant::now());
    let this = minute.filter(|(began, _)| now.duration_since(*began) < Duration::from_secs(60));
    let (began, count) = this.unwrap_or((now, 0));
    *minute = Some((began, count.saturating_add(1)));
    count < LOGGED
}

/// The result of a method.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error without evidence yet.
    pub fn new(kind: Kind, message: impl Into<String>) -> Error {
        Error { kind, message: message.into(), data: Map::new() }
    }

    /// Adds a piece of evidence.
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Error {
        self.data.insert(key.to_owned(), value.into());
        self
    }

    /// Bad input in a named field.
    pub fn field(field: &str, message: impl Into<String>) -> Error {
        Error::new(Kind::InvalidParams, message).with("field", field)
    }

    /// The sentence in the client's language.
    pub fn sentence(&self, locale: Locale) -> String {
        match locale {
            Locale::English => self.message.clone(),
            Locale::Chinese => {
                let reason = self.data.get("reasonZh").and_then(Value::as_str);
                format!("{}：{}", self.kind.zh(), reason.unwrap_or(&self.message))
            }
        }
    }

    /// The error as its audience may know it. Who is not trusted learns nothing of how an engine was set up, and
    /// nothing of what it printed; the log has that then.
    pub fn told_to(&self, to: Audience) -> Cow<'_, Error> {
        let evidence = self.data.keys().any(|key| ENGINES_OWN.contains(&&**key));
        let tells = self.kind == EngineStartFailed || evidence || self.message.contains(['/', '\\']);
        let Some(message) = in_general(self.kind).filter(|_| tells && !to.trusted) else {
            return Cow::Borrowed(self);
        };
        if may_log() {
            let text = |key: &str| self.data.get(key).and_then(Value::as_str).unwrap_or_default();
            let (command, reply, stderr) = (text("command"), text("reply"), text("stderrTail"));
            tracing::warn!(kind = ?self.kind, command, reply, stderr, "an untrusted session was not told: {self}");
        }
        let mut data = self.data.clone();
        data.retain(|key, _| !ENGINES_OWN.contains(&&**key));
        Cow::Owned(Error { kind: self.kind, message: message.to_owned(), data })
    }

    /// The evidence with the kind in front, as the wire carries it.
    fn wire_data(&self) -> Value {
        let mut data = Map::with_capacity(self.data.len() + 1);
        data.insert("kind".to_owned(), Value::from(self.kind.name()));
        data.extend(self.data.clone());
        Value::Object(data)
    }

    /// The JSON-RPC error object, as its audience may know it.
    pub fn to_json(&self, to: Audience) -> Value {
        let told = self.told_to(to);
        json!({"code": told.kind.code(), "message": told.sentence(to.locale), "data": told.wire_data()})
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn codes_are_unique() {
        let codes: HashSet<i32> = Kind::ALL.iter().map(|kind| kind.code()).collect();
        assert_eq!(codes.len(), Kind::ALL.len());
    }

    #[test]
    fn the_wire_form() {
        let error = Error::field("path", "path must be a list").with("got", "x");
        assert_eq!(
            error.to_json(Audience { locale: Locale::of_tag("zh-CN"), trusted: false }),
            json!({"code": -32602, "message": "参数不正确：path must be a list",
                   "data": {"kind": "InvalidParams", "field": "path", "got": "x"}})
        );
        assert_eq!(Locale::of_tag("z"), Locale::English);
        let reason = Error::new(Kind::IllegalMove, "its leg is blocked").with("reasonZh", "蹩马腿");
        assert_eq!(reason.sentence(Locale::Chinese), "着法不合规则：蹩马腿");
    }

    #[test]
    fn what_engines_say_is_for_those_who_are_trusted() {
        let failed = Error::new(EngineStartFailed, "no such program: tried /secret/engine")
            .with("command", "/secret/engine --key x")
            .with("stderrTail", "cannot open /secret/net")
            .with("hint", "/secret/net is missing")
            .with("exitStatus", "exit status 3");
        assert_eq!(*failed.told_to(Audience::USER), failed);
        assert_eq!(
            failed.to_json(Audience::STRANGER),
            json!({"code": 1102, "message": "the engine could not be started; the daemon's log says why",
                   "data": {"kind": "EngineStartFailed", "exitStatus": "exit status 3"}})
        );
        let path = Error::new(SyncFailed, "/tmp/x.sgf cannot be written").with("cause", "temporary-file");
        assert!(!path.to_json(Audience::STRANGER).to_string().contains("/tmp"));
        // Words of kifud's own stay, and so do paths that the client itself has named.
        for error in [
            Error::new(EngineUnsupported, "none of the attached engines supports analysis"),
            Error::new(NotFound, "/a.sgf is not a file"),
        ] {
            assert_eq!(*error.told_to(Audience::STRANGER), error);
        }
    }
}

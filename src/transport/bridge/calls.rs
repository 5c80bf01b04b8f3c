//! What is going on between a client and its daemon: requests of either side that wait for an
//! answer, and streams. When the daemon is lost, the client hears the end of all of it.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::locale::Locale;
use crate::service::error::{Audience, Error, Kind};
use crate::service::table::{Events, Table};
use crate::transport::json::{self, Incoming};
use crate::transport::local::GOODBYE;

/// How ids of the bridge's own requests begin.
const OWN: &str = "\"kifud connect ";
/// Requests of daemons that a client may leave unanswered; older ones are forgotten.
const UNANSWERED: usize = 1024;

/// Everything that waits for something.
pub struct Calls {
    table: Arc<Table>,
    /// The client's requests, by their ids as JSON.
    pending: HashMap<String, Asked>,
    /// Running streams by their ids.
    streams: HashMap<String, Stream>,
    /// The present daemon's requests: its ids by those that the client sees.
    asked: BTreeMap<u64, String>,
    next_id: u64,
    next_own: u64,
    shutdown: bool,
    answered: bool,
    goodbye: bool,
}

/// What is known of a request from its method.
enum Asked {
    Plain,
    Initialize,
    Shutdown,
    Stream(Stream),
}

#[derive(Clone, Copy)]
struct Stream {
    event: &'static str,
    ended: fn(&str) -> String,
}

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(borrow)]
    subscription: Option<Cow<'a, str>>,
    #[serde(borrow)]
    result: Option<State<'a>>,
}

#[derive(Deserialize)]
struct State<'a> {
    #[serde(borrow)]
    state: Option<Cow<'a, str>>,
}

impl Calls {
    /// Nothing yet; the table says which methods are streams.
    pub fn new(table: Arc<Table>) -> Calls {
        Calls {
            table,
            pending: HashMap::new(),
            streams: HashMap::new(),
            asked: BTreeMap::new(),
            next_id: 0,
            next_own: 0,
            shutdown: false,
            answered: false,
            goodbye: false,
        }
    }

    /// What the daemon is to hear of a message of the client; `None` for an answer to a daemon
    /// that is gone.
    pub fn client_says<'a>(&mut self, incoming: &Incoming<'_>, body: &'a [u8]) -> Option<Cow<'a, [u8]>> {
        let id = incoming.id.map(RawValue::get);
        match (incoming.method.as_deref(), id) {
            (Some(method), Some(id)) => {
                let asked = match (method, self.events(method)) {
                    ("initialize", _) => Asked::Initialize,
                    ("shutdown", _) => Asked::Shutdown,
                    (_, Some(events)) => Asked::Stream(Stream { event: events.name, ended: events.ended }),
                    _ => Asked::Plain,
                };
                self.shutdown |= matches!(asked, Asked::Shutdown);
                self.pending.insert(id.to_owned(), asked);
                Some(body.into())
            }
            (Some(_), None) => Some(body.into()),
            (None, Some(id)) => {
                let theirs = id.parse().ok().and_then(|id| self.asked.remove(&id))?;
                Some(json::with_id(body, incoming, &theirs).into())
            }
            (None, None) => Some(body.into()),
        }
    }

    fn events(&self, method: &str) -> Option<&Events> {
        self.table.method(method)?.events.as_ref()
    }

    /// What the client is to hear of a message of the daemon; `None` for what is the bridge's own.
    pub fn daemon_says<'a>(&mut self, body: &'a [u8]) -> Option<Cow<'a, [u8]>> {
        let Ok(incoming) = json::parse(body) else { return Some(body.into()) };
        let id = incoming.id.map(RawValue::get);
        match (incoming.method.as_deref(), id) {
            (Some(GOODBYE), _) => {
                self.goodbye = true;
                None
            }
            (Some(_), Some(id)) => {
                let number = self.next_id;
                self.next_id += 1;
                self.asked.insert(number, id.to_owned());
                if self.asked.len() > UNANSWERED {
                    self.asked.pop_first();
                }
                Some(json::with_id(body, &incoming, &number.to_string()).into())
            }
            (Some(_), None) => {
                self.event(incoming.params);
                Some(body.into())
            }
            (None, Some(id)) if id.starts_with(OWN) => {
                if let Some(error) = incoming.error {
                    tracing::warn!(
                        error = error.get(),
                        "something could not be said again to the new daemon"
                    );
                }
                None
            }
            (None, id) => {
                self.answered = true;
                let asked = id.and_then(|id| self.pending.remove(id));
                let result = incoming.result.and_then(|result| serde_json::from_str(result.get()).ok());
                if let (Some(Asked::Stream(stream)), Some(name)) = (asked, result) {
                    self.streams.insert(name, stream);
                }
                Some(body.into())
            }
        }
    }

    /// The last event of a stream ends it.
    fn event(&mut self, params: Option<&RawValue>) {
        if self.streams.is_empty() {
            return;
        }
        let event = params.and_then(|params| serde_json::from_str::<Event<'_>>(params.get()).ok());
        if let Some(Event { subscription: Some(id), result: Some(State { state: Some(state) }) }) = event
            && state == "ended"
        {
            self.streams.remove(&*id);
        }
    }

    /// An id for a request of the bridge.
    pub fn own_id(&mut self) -> String {
        self.next_own += 1;
        format!("{OWN}{}\"", self.next_own)
    }

    /// Whether the client has asked for the end.
    pub fn is_shut_down(&self) -> bool {
        self.shutdown
    }

    /// Whether `initialize` waits for its answer.
    pub fn is_initializing(&self) -> bool {
        self.pending.values().any(|asked| matches!(asked, Asked::Initialize))
    }

    /// Whether the present daemon has answered anything yet.
    pub fn has_answered(&self) -> bool {
        self.answered
    }

    /// The daemon is gone: what the client hears of that, and whether it went in order. Only
    /// `initialize` waits on: the next daemon answers it.
    pub fn lost(&mut self, locale: Locale) -> (Vec<String>, bool) {
        let mut told = Vec::new();
        for (id, asked) in std::mem::take(&mut self.pending) {
            match asked {
                Asked::Initialize if !self.shutdown => drop(self.pending.insert(id, asked)),
                // That is what it has asked for.
                Asked::Shutdown => told.push(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":null}}"#)),
                _ => told.push(json::error(Some(&id), &gone(), Audience { locale, ..Audience::USER })),
            }
        }
        for (id, Stream { event, ended }) in self.streams.drain() {
            let (id, last) = (serde_json::Value::from(id), ended("shutdown"));
            told.push(format!(
                r#"{{"jsonrpc":"2.0","method":"{event}","params":{{"subscription":{id},"result":{last}}}}}"#
            ));
        }
        for id in std::mem::take(&mut self.asked).into_keys() {
            told.push(format!(r#"{{"jsonrpc":"2.0","method":"$/cancelRequest","params":{{"id":{id}}}}}"#));
        }
        self.answered = false;
        (told, std::mem::take(&mut self.goodbye))
    }
}

fn gone() -> Error {
    Error::new(
        Kind::DaemonLost,
        "the shared daemon has ended before it answered; another one takes over with the open documents, \
         but without engines: attach them and ask again",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calls() -> Calls {
        Calls::new(Arc::new(crate::service::methods::table()))
    }

    fn to_daemon(calls: &mut Calls, body: &str) -> Option<String> {
        let incoming = json::parse(body.as_bytes()).unwrap();
        let passed = calls.client_says(&incoming, body.as_bytes());
        passed.map(|body| String::from_utf8(body.into_owned()).unwrap())
    }

    fn to_client(calls: &mut Calls, body: &str) -> Option<String> {
        let passed = calls.daemon_says(body.as_bytes());
        passed.map(|body| String::from_utf8(body.into_owned()).unwrap())
    }

    /// Both ways unchanged.
    fn same(calls: &mut Calls, ask: &str, answer: &str) {
        assert_eq!(to_daemon(calls, ask).as_deref(), Some(ask));
        assert_eq!(to_client(calls, answer).as_deref(), Some(answer));
    }

    fn lost(calls: &mut Calls) -> Vec<String> {
        let mut told = calls.lost(Locale::English).0;
        told.sort();
        told
    }

    #[test]
    fn only_what_waits_is_ended() {
        let mut calls = calls();
        same(&mut calls, r#"{"id":1,"method":"kifud/status"}"#, r#"{"id":1,"result":{}}"#);
        same(&mut calls, r#"{"id":"1","method":"engine/analyze"}"#, r#"{"id":"1","result":"5-1"}"#);
        same(&mut calls, r#"{"id":2,"method":"engine/analyze"}"#, r#"{"id":2,"result":"5-2"}"#);
        same(&mut calls, r#"{"id":3,"method":"engine/analyze"}"#, r#"{"id":3,"error":{"code":1101}}"#);
        let event = |id: &str, state: &str| {
            format!(
                r#"{{"method":"analysis/update","params":{{"subscription":"{id}","result":{{"state":"{state}"}}}}}}"#
            )
        };
        for (id, state) in [("5-1", "running"), ("5-2", "ended")] {
            let event = event(id, state);
            assert_eq!(to_client(&mut calls, &event).as_ref(), Some(&event));
        }
        to_daemon(&mut calls, r#"{"id":"x","method":"record/tree"}"#);
        to_daemon(&mut calls, r#"{"method":"textDocument/didOpen"}"#);
        assert!(calls.has_answered());
        let told = lost(&mut calls);
        assert_eq!(told.len(), 2, "{told:?}");
        assert!(told[0].contains(r#""id":"x","error":{"code":1004,"#), "{told:?}");
        let last: serde_json::Value = serde_json::from_str(&told[1]).unwrap();
        assert_eq!(
            (&last["method"], &last["params"]["subscription"]),
            (&"analysis/update".into(), &"5-1".into())
        );
        assert_eq!(last["params"]["result"]["state"], "ended");
        assert_eq!(last["params"]["result"]["reason"], "shutdown");
        assert!(lost(&mut calls).is_empty() && !calls.has_answered());
    }

    #[test]
    fn requests_of_two_daemons_are_not_mixed_up() {
        let mut calls = calls();
        let ask = r#"{"id":0,"method":"workspace/applyEdit"}"#;
        assert_eq!(to_client(&mut calls, ask).as_deref(), Some(ask));
        assert_eq!(to_client(&mut calls, &ask.replace('0', "1")), Some(ask.replace('0', "1")));
        let answer = |id: &str| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#);
        assert_eq!(to_daemon(&mut calls, &answer("1")), Some(answer("1")));
        let cancel = r#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":0}}"#;
        assert_eq!(lost(&mut calls), [cancel]);
        assert_eq!(to_client(&mut calls, ask), Some(ask.replace('0', "2")));
        assert_eq!(to_daemon(&mut calls, &answer("0")), None, "an answer to the first daemon");
        assert_eq!(to_daemon(&mut calls, &answer("2")), Some(answer("0")));
        assert_eq!(to_daemon(&mut calls, &answer("2")), None, "answered twice");
    }

    #[test]
    fn the_first_and_the_last_request() {
        let mut calls = calls();
        to_daemon(&mut calls, r#"{"id":1,"method":"initialize"}"#);
        assert!(lost(&mut calls).is_empty() && calls.is_initializing(), "the next daemon answers");
        assert!(to_client(&mut calls, r#"{"id":1,"result":{}}"#).is_some());
        assert!(!calls.is_initializing());
        to_daemon(&mut calls, r#"{"id":2,"method":"shutdown"}"#);
        assert_eq!(lost(&mut calls), [r#"{"jsonrpc":"2.0","id":2,"result":null}"#]);
        assert!(calls.is_shut_down());
    }

    #[test]
    fn what_is_the_bridge_s_own_is_not_the_client_s() {
        let mut calls = calls();
        let id = calls.own_id();
        assert_eq!(to_client(&mut calls, &format!(r#"{{"id":{id},"result":{{}}}}"#)), None);
        assert_eq!(to_client(&mut calls, r#"{"jsonrpc":"2.0","method":"bridge/goodbye"}"#), None);
        assert!(calls.lost(Locale::English).1, "it left in order");
        assert!(!calls.lost(Locale::English).1);
        assert_eq!(to_client(&mut calls, "no JSON").as_deref(), Some("no JSON"));
    }
}

//! The bridge between a client and daemons that are made of two pipes.

use std::collections::BTreeMap;

use proptest::prelude::*;
use tokio::io::{DuplexStream, ReadHalf, WriteHalf, split};
use tokio::sync::mpsc;

use super::*;
use crate::service::methods;

/// Hands out daemons' ends of connections, and gives the other ends to the test.
struct Pipes {
    room: usize,
    out: mpsc::UnboundedSender<DuplexStream>,
}

impl Daemons for Pipes {
    async fn next(&mut self, _: bool) -> Option<Link> {
        let (near, far) = tokio::io::duplex(self.room);
        self.out.send(far).ok()?;
        let (input, output) = split(near);
        let input: Input = Box::pin(input);
        Some(Link {
            frames: Reader::new(BufReader::new(input), 1 << 20),
            output: Box::pin(output),
            warning: None,
        })
    }
}

fn framed(body: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    Framing::ContentLength.write(&mut bytes, &[body.as_bytes()]);
    bytes
}

fn request(id: usize, method: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}"}}"#)
}

/// The other end of a pipe.
struct Far {
    frames: Reader<BufReader<ReadHalf<DuplexStream>>>,
    output: WriteHalf<DuplexStream>,
}

impl Far {
    fn new(stream: DuplexStream) -> Far {
        let (input, output) = split(stream);
        Far { frames: Reader::new(BufReader::new(input), 1 << 20), output }
    }

    async fn read(&mut self) -> Option<Value> {
        match self.frames.next().await {
            Ok(Frame::Body(body)) => Some(serde_json::from_slice(&body).unwrap()),
            _ => None,
        }
    }

    async fn say(&mut self, body: &str) -> bool {
        self.output.write_all(&framed(body)).await.is_ok()
    }
}

/// A bridge with a client's end; `work` is given that and the daemons as they come.
async fn with_bridge(
    room: usize,
    work: impl AsyncFnOnce(&mut Far, &mut mpsc::UnboundedReceiver<DuplexStream>),
) -> Option<End> {
    let (near, far) = tokio::io::duplex(room);
    let (out, mut daemons) = mpsc::unbounded_channel();
    let (input, mut output) = split(near);
    let mut frames = Reader::new(BufReader::new(input), 1 << 20);
    let mut pipes = Pipes { room, out };
    let mut client = Far::new(far);
    let table = Arc::new(methods::table());
    let bridge = run(&mut pipes, table, &mut frames, &mut output);
    tokio::pin!(bridge);
    tokio::select! {
        end = &mut bridge => return Some(end),
        () = work(&mut client, &mut daemons) => {}
    }
    drop((client, daemons));
    Some(bridge.await)
}

#[tokio::test]
async fn a_daemon_that_does_not_read_is_still_heard() {
    let end = with_bridge(64, async |client, daemons| {
        let mut daemon = Far::new(daemons.recv().await.unwrap());
        let Far { frames, output } = client;
        let text = "x".repeat(100_000);
        let open = format!(r#"{{"jsonrpc":"2.0","method":"m","params":{{"text":"{text}"}}}}"#);
        let flooding = async {
            let mut sent = 0;
            while timeout(Duration::from_millis(200), output.write_all(&framed(&open))).await.is_ok() {
                sent += open.len();
            }
            sent
        };
        let hearing = async {
            assert!(daemon.say(r#"{"jsonrpc":"2.0","method":"n"}"#).await);
            matches!(frames.next().await, Ok(Frame::Body(_)))
        };
        let (sent, heard) = tokio::join!(flooding, hearing);
        assert!(heard);
        assert!((OUTBOX..3 * OUTBOX).contains(&sent), "{sent}");
    });
    assert!(end.await.is_some());
}

#[tokio::test]
async fn between_shutdown_and_exit_no_daemon_is_started() {
    let end = with_bridge(4096, async |client, daemons| {
        let mut daemon = Far::new(daemons.recv().await.unwrap());
        client.say(&request(1, "initialize")).await;
        client.say(&request(2, "shutdown")).await;
        daemon.read().await;
        daemon.read().await;
        daemon.say(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#).await;
        client.read().await;
        drop(daemon);
        assert_eq!(client.read().await.unwrap(), json!({"jsonrpc": "2.0", "id": 2, "result": null}));
        client.say(&request(3, "kifud/status")).await;
        assert_eq!(client.read().await.unwrap()["error"]["data"]["kind"], "InvalidRequest");
        assert!(daemons.try_recv().is_err());
        client.say(r#"{"jsonrpc":"2.0","method":"exit"}"#).await;
        assert_eq!(client.read().await, None);
    });
    assert_eq!(end.await, Some(End::Clean));
}

/// What a daemon does before it is gone: the messages that it reads, and which of the requests
/// among them it answers.
#[derive(Debug, Clone)]
struct Life {
    reads: usize,
    answers: usize,
}

fn lives() -> impl Strategy<Value = Vec<Life>> {
    prop::collection::vec((0usize..12, 0usize..12).prop_map(|(reads, answers)| Life { reads, answers }), 0..6)
}

/// Answers requests and forgets to, until its life is over, or nothing comes any more; then is gone.
async fn live(mut daemon: Far, life: Life) {
    for number in 0..life.reads {
        let Ok(Some(message)) = timeout(Duration::from_millis(20), daemon.read()).await else { return };
        if number < life.answers && message.get("id").is_some() {
            let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": 7});
            daemon.say(&answer.to_string()).await;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    /// However daemons come and go, each request is answered once, and the last daemon has the text
    /// that the client has.
    #[test]
    fn every_request_is_answered_once(lives in lives(), room in 16usize..4000, edits in 1usize..30) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let (answers, text) = runtime.block_on(async {
            let mut answers: BTreeMap<i64, usize> = BTreeMap::new();
            let mut text = String::new();
            with_bridge(room, async |client, daemons| {
                let Far { frames, output } = client;
                let talking = async {
                    let open = json!({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument":
                        {"uri": "a", "languageId": "sgf", "version": 0, "text": ""}}});
                    output.write_all(&framed(&open.to_string())).await.unwrap();
                    for version in 1..=edits {
                        let at = json!({"line": 0, "character": 0});
                        let change = json!({"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {
                            "textDocument": {"uri": "a", "version": version},
                            "contentChanges": [{"range": {"start": at, "end": at}, "text": format!("{version},")}]}});
                        output.write_all(&framed(&change.to_string())).await.unwrap();
                        output.write_all(&framed(&request(version, "kifud/status"))).await.unwrap();
                    }
                };
                let hearing = async {
                    while answers.values().sum::<usize>() < edits {
                        let Ok(Frame::Body(body)) = frames.next().await else { return };
                        let message: Value = serde_json::from_slice(&body).unwrap();
                        if let Some(id) = message["id"].as_i64() {
                            *answers.entry(id).or_default() += 1;
                        }
                    }
                };
                let serving = async {
                    let mut lives = lives.into_iter();
                    let mut texts = Texts::default();
                    while let Some(stream) = daemons.recv().await {
                        let mut daemon = Far::new(stream);
                        if let Some(life) = lives.next() {
                            live(daemon, life).await;
                            continue;
                        }
                        while let Some(message) = daemon.read().await {
                            if let Some(id) = message.get("id") {
                                daemon.say(&json!({"jsonrpc": "2.0", "id": id, "result": 7}).to_string()).await;
                            }
                            let params = serde_json::value::to_raw_value(&message["params"]).unwrap();
                            texts.note(message["method"].as_str().unwrap(), &params);
                            let open = texts.again().next().map(|(_, params, _)| params["textDocument"]["text"].clone());
                            text = open.and_then(|open| open.as_str().map(str::to_owned)).unwrap_or_default();
                        }
                    }
                };
                let both = async { tokio::join!(talking, hearing) };
                tokio::select! {
                    _ = both => {}
                    () = serving => {}
                }
            })
            .await;
            (answers, text)
        });
        prop_assert_eq!(answers, (1..=edits as i64).map(|id| (id, 1)).collect::<BTreeMap<_, _>>());
        let whole: String = (1..=edits).rev().map(|version| format!("{version},")).collect();
        // A last daemon that came after the last answer has not read anything.
        prop_assert!(text.is_empty() || text == whole, "{text}");
    }
}

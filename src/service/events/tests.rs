use futures_util::FutureExt;

use super::*;

fn id(name: &str) -> Arc<str> {
    Arc::from(name)
}

fn line(direction: Direction, text: &str) -> Body {
    Body::Output(OutputLine { name: "x".into(), direction, text: text.into(), cut: None })
}

fn out(text: &str) -> Body {
    line(Direction::Out, text)
}

fn json(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).unwrap()
}

fn state(name: &str) -> Body {
    Body::Engine(EngineChange { name: name.into(), state: EngineState::Starting })
}

/// Everything that waits, in words.
fn all(listener: &Listener) -> Vec<String> {
    let mut said = Vec::new();
    while let Some(heard) = listener.next().now_or_never() {
        let mut words = match &heard.happening.body {
            Body::Engine(change) => change.name.clone(),
            Body::Output(line) => format!("{:?} {}", line.direction, line.text),
            Body::Analysis(json) | Body::Game(json) | Body::Progress(json) => json.get().to_owned(),
            Body::Documents(change) => format!("{} {:?}", change.uri, change.version),
        };
        if heard.past {
            words.insert_str(0, "past ");
        }
        if heard.missed > 0 {
            words.insert_str(0, &format!("missed {}, ", heard.missed));
        }
        said.push(words);
    }
    said
}

#[test]
fn a_listener_hears_its_topics_and_its_engine() {
    let hub = Arc::new(Hub::default());
    let (a, b) = (id("a"), id("b"));
    let everything =
        [Topic::Engine, Topic::Output, Topic::Analysis, Topic::Game, Topic::Documents, Topic::Progress];
    let of_a = hub.subscribe(&everything, Some(a.clone()));
    let output = hub.subscribe(&[Topic::Output], None);
    for engine in [&a, &b] {
        hub.publish(Some(engine), out(&format!("= {engine}")));
        hub.publish(Some(engine), state("Thinking"));
        hub.publish(Some(engine), Body::Analysis(json(&format!("\"{engine}\""))));
    }
    hub.publish(None, Body::Game(json("1")));
    hub.publish(None, Body::Progress(json("2")));
    hub.publish(None, Body::Documents(DocumentChange { uri: "u".into(), version: Some(3) }));
    assert_eq!(all(&of_a), ["Out = a", "Thinking", "\"a\"", "1", "2", "u Some(3)"]);
    assert_eq!(all(&output), ["Out = a", "Out = b"]);
}

#[test]
fn wishes_end_with_the_listener() {
    let hub = Arc::new(Hub::default());
    assert!(!hub.wants(Topic::Game));
    let first = hub.subscribe(&[Topic::Game, Topic::Game], None);
    let second = hub.subscribe(&[Topic::Game], None);
    drop(first);
    assert!(hub.wants(Topic::Game) && !hub.wants(Topic::Engine));
    drop(second);
    assert!(!hub.wants(Topic::Game));
    assert!(hub.lock().queues.is_empty());
}

#[test]
fn the_past_comes_first_without_reports() {
    let hub = Arc::new(Hub::default());
    let a = id("a");
    hub.publish(Some(&a), line(Direction::In, "not remembered yet"));
    hub.remember(&a);
    hub.publish(Some(&a), line(Direction::In, "1 lz-analyze"));
    hub.publish(Some(&a), out("info move D4"));
    hub.publish(Some(&a), line(Direction::Err, "info on stderr"));
    hub.publish(Some(&a), state("Thinking"));
    let listener = hub.subscribe(&[Topic::Output, Topic::Engine], None);
    hub.publish(Some(&a), out("info move E5"));
    assert_eq!(all(&listener), ["past In 1 lz-analyze", "past Err info on stderr", "Out info move E5"]);
    hub.forget("a");
    hub.publish(Some(&a), line(Direction::Err, "last words"));
    assert!(all(&hub.subscribe(&[Topic::Output], None)).is_empty());
}

#[test]
fn the_past_is_bounded_in_lines_and_bytes() {
    let hub = Arc::new(Hub::default());
    let a = id("a");
    hub.remember(&a);
    let past = |hub: &Arc<Hub>| all(&hub.subscribe(&[Topic::Output], None));
    (0..2000).for_each(|n| hub.publish(Some(&a), out(&n.to_string())));
    let said = past(&hub);
    assert_eq!((said.len(), said[0].as_str(), said[499].as_str()), (500, "past Out 1500", "past Out 1999"));
    (0..2000).for_each(|_| hub.publish(Some(&a), out(&"x".repeat(16 * 1024))));
    assert!((10..16).contains(&past(&hub).len()), "a quarter of a MiB holds at most 16 lines of 16 KiB");
}

#[test]
fn a_full_queue_loses_output_first_and_says_how_much() {
    let hub = Arc::new(Hub::default());
    let a = id("a");
    let listener = hub.subscribe(&[Topic::Engine, Topic::Output], None);
    hub.publish(Some(&a), state("Starting"));
    (0..5000).for_each(|n| hub.publish(Some(&a), out(&n.to_string())));
    hub.publish(Some(&a), state("Restarting"));
    let said = all(&listener);
    assert_eq!(said.len(), queue::EVENTS);
    // 5002 events, room for 1024.
    assert_eq!(said[0], "missed 3978, Starting");
    assert_eq!(said[1], "Out 3978");
    assert_eq!(said[1023], "Restarting");
    hub.publish(Some(&a), out("next"));
    assert_eq!(all(&listener), ["Out next"]);
}

#[test]
fn a_full_queue_is_bounded_in_bytes_but_takes_one_large_event() {
    let hub = Arc::new(Hub::default());
    let listener = hub.subscribe(&[Topic::Game], None);
    let large = format!("\"{}\"", "x".repeat(3 * 1024 * 1024));
    hub.publish(None, Body::Game(json("1")));
    hub.publish(None, Body::Game(json(&large)));
    assert_eq!(all(&listener), [format!("missed 1, {large}")]);
}

#[test]
fn a_report_replaces_the_one_that_waits() {
    let hub = Arc::new(Hub::default());
    let listener = hub.subscribe(&[Topic::Analysis], None);
    for n in 0..5000 {
        for engine in ["a", "b"] {
            hub.publish(Some(&id(engine)), Body::Analysis(json(&format!("\"{engine}{n}\""))));
        }
    }
    assert_eq!(all(&listener), ["\"a4999\"", "\"b4999\""]);
}

#[tokio::test]
async fn a_waiting_listener_wakes() {
    let hub = Arc::new(Hub::default());
    let listener = hub.subscribe(&[Topic::Output], None);
    let a = id("a");
    let (heard, ()) = tokio::join!(listener.next(), async { hub.publish(Some(&a), out("now")) });
    assert!(matches!(&heard.happening.body, Body::Output(line) if line.text == "now"));
}

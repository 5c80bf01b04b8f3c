//! Crashes, ends, and what is left afterwards: nothing.

use std::io::BufRead;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use kifud::engine::sync::Strategy;
use kifud::engine::{EndReason, Engine, EngineError, ErrorKind, GenmoveRequest, StartIn, State};

use crate::support::*;

fn killed(error: &EngineError) {
    assert_eq!(error.kind, ErrorKind::EngineExited, "{error:?}");
    let exit = error.evidence.exit_status.expect("an exit status");
    assert_eq!((exit.code, exit.signal), (None, Some(9)));
    assert_eq!(error.evidence.stderr_tail.as_deref(), Some("last words"));
}

const SCRIPT: &str = "commands +lz-analyze\non start: stderr last words";

#[tokio::test]
async fn killed_during_an_analysis() {
    let fake = Fake::start(SCRIPT).await;
    let mut analysis = patiently(fake.engine.analyze(at(game(9, "E5")))).await.unwrap();
    report(&mut analysis).await;
    fake.kill();
    let end = ended(analysis).await;
    assert_eq!(end.reason, EndReason::EngineExited);
    killed(&end.error.unwrap());
    assert_eq!(fake.engine.state(), State::Restarting);
    // The next sync starts it again and sends everything.
    let synced = patiently(fake.engine.sync(game(9, "E5"))).await.unwrap();
    assert_eq!(synced.strategy, Strategy::Replay);
    let received = fake.received();
    let restart = received.iter().rposition(|line| line == "list_commands").unwrap();
    assert_eq!(received[restart + 1..], ["boardsize 9", "clear_board", "komi 7.5", "play B E5"]);
}

#[tokio::test]
async fn killed_during_a_sync() {
    let fake = Fake::start("on start: stderr last words\non play b pass @10: hang").await;
    let engine = fake.engine.clone();
    let sync = tokio::spawn(async move { engine.sync(long_game(100)).await });
    until("it hangs", || fake.received().iter().filter(|line| *line == "play B pass").count() >= 10).await;
    let engine = fake.engine.clone();
    let queued = tokio::spawn(async move { engine.send("name", None).await });
    tokio::task::yield_now().await;
    fake.kill();
    killed(&patiently(sync).await.unwrap().unwrap_err());
    // One that waited behind it gets its answer, too: the same, or that of a new start.
    match patiently(queued).await.unwrap() {
        Err(error) => killed(&error),
        Ok(reply) => assert_eq!(reply.text, "Fake"),
    }
    patiently(fake.engine.sync(game(9, "E5"))).await.unwrap();
}

#[tokio::test]
async fn killed_during_a_genmove() {
    let fake = Fake::start("on start: stderr last words\non genmove: hang").await;
    let engine = fake.engine.clone();
    let request = GenmoveRequest { position: Some(game(9, "")), ..GenmoveRequest::default() };
    let genmove = tokio::spawn(async move { engine.genmove(request).await });
    until("it is asked", || fake.received().contains(&"genmove b".to_owned())).await;
    fake.kill();
    let error = patiently(genmove).await.unwrap().unwrap_err();
    killed(&error);
    assert_eq!(error.evidence.command.as_deref(), Some("genmove b"));
    patiently(fake.engine.sync(game(9, "E5"))).await.unwrap();
}

#[tokio::test]
async fn aborts_tell_their_signal_and_last_words() {
    let fake = Fake::start("on genmove: stderr assertion failed; abort").await;
    let request = GenmoveRequest { position: Some(game(9, "")), ..GenmoveRequest::default() };
    let error = patiently(fake.engine.genmove(request)).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::EngineExited);
    assert!(error.message.contains("SIGABRT"), "{error}");
    assert_eq!(error.evidence.stderr_tail.as_deref(), Some("assertion failed"));
}

#[tokio::test]
async fn a_death_in_idleness_is_noticed() {
    let fake = Fake::start("").await;
    let mut states = fake.engine.watch_state();
    fake.kill();
    patiently(states.wait_for(|state| *state == State::Restarting)).await.unwrap();
    assert_eq!(patiently(fake.engine.send("name", None)).await.unwrap().text, "Fake");
}

#[tokio::test]
async fn restarts_are_counted() {
    let fake = Fake::start_on(impatient(20_000), "on genmove: exit 5").await;
    let mut kinds = Vec::new();
    for _ in 0..3 {
        let request = GenmoveRequest { position: Some(game(9, "")), ..GenmoveRequest::default() };
        kinds.push(
            patiently(fake.engine.genmove(request)).await.unwrap_err().evidence.exit_status.unwrap().code,
        );
    }
    assert_eq!(kinds, [Some(5); 3]);

    // An engine that cannot be started again is given up after five tries.
    let dir = tempfile::tempdir().unwrap();
    let link = dir.path().join("engine");
    std::os::unix::fs::symlink(example("fake-engine"), &link).unwrap();
    let mut spec = fake_at(&link);
    spec.args = vec!["".into()];
    let host = impatient(20_000);
    let engine = Engine::attach(&host, spec, StartIn::default()).await.unwrap();
    std::fs::remove_file(&link).unwrap();
    kill(engine.info().process);
    let mut states = engine.watch_state();
    patiently(states.wait_for(|state| *state == State::Failed)).await.unwrap();
    let error = patiently(engine.send("name", None)).await.unwrap_err();
    assert_eq!((error.kind, error.evidence.cause), (ErrorKind::EngineExited, Some("gave-up")));
    assert!(error.message.contains("6 times"), "the end and five starts: {error}");
}

fn fake_at(path: &std::path::Path) -> kifud::engine::EngineSpec {
    kifud::engine::EngineSpec { path: path.display().to_string(), ..fake("") }
}

#[tokio::test]
async fn closing_stdout_later() {
    let fake = Fake::start("on genmove: become exec sleep 1000 >&-").await;
    let process = fake.engine.info().process;
    let request = GenmoveRequest { position: Some(game(9, "")), ..GenmoveRequest::default() };
    let error = patiently(fake.engine.genmove(request)).await.unwrap_err();
    assert_eq!((error.kind, error.evidence.cause), (ErrorKind::EngineExited, Some("closed-stdout")));
    assert!(!runs(process));
}

#[tokio::test]
async fn quit_and_the_end_of_input_end_it() {
    let fake = Fake::start("").await;
    let exit = patiently(fake.engine.detach(Duration::from_secs(30))).await.unwrap();
    assert_eq!(exit.code, Some(0));
    assert_eq!(fake.received().last().map(String::as_str), Some("quit"));
    assert_eq!(fake.engine.send("name", None).await.unwrap_err().kind, ErrorKind::Cancelled);
    assert_eq!(fake.engine.state(), State::Stopped);

    // Without an answer to `quit`: the end of its input is enough.
    let fake = Fake::start("on quit: silence").await;
    assert_eq!(patiently(fake.engine.detach(Duration::from_secs(30))).await.unwrap().code, Some(0));

    // During an analysis.
    let fake = Fake::start("commands +lz-analyze").await;
    let analysis = patiently(fake.engine.analyze(here())).await.unwrap();
    assert_eq!(patiently(fake.engine.detach(Duration::from_secs(30))).await.unwrap().code, Some(0));
    assert_eq!(ended(analysis).await.reason, EndReason::Stopped);
}

#[tokio::test]
async fn dropping_the_last_handle_ends_it() {
    let fake = Fake::start("").await;
    let process = fake.engine.info().process;
    drop(fake);
    until("it is gone", || !runs(process)).await;
}

#[tokio::test]
async fn ignoring_quit_gets_it_terminated_then_killed() {
    let fake = Fake::start("deaf").await;
    let exit = patiently(fake.engine.detach(Duration::from_millis(100))).await.unwrap();
    assert_eq!(exit.signal, Some(15));

    let script = format!("trap '' TERM; exec {} deaf", example("fake-engine"));
    let engine = Engine::attach(&host(), shell(&script), StartIn::default()).await.unwrap();
    let exit = patiently(engine.detach(Duration::from_millis(100))).await.unwrap();
    assert_eq!(exit.signal, Some(9));
}

#[tokio::test]
async fn what_an_engine_started_goes_with_it() {
    let fake = Fake::start("on start: spawn").await;
    let leader = fake.engine.info().process;
    assert_eq!(group(leader).len(), 2);
    patiently(fake.engine.detach(Duration::from_secs(30))).await;
    assert!(group(leader).is_empty(), "{:?}", group(leader));

    let fake = Fake::start("on start: spawn").await;
    let leader = fake.engine.info().process;
    fake.kill();
    until("the child is gone as well", || group(leader).is_empty()).await;
}

#[tokio::test]
async fn shutdown_ends_all_within_a_second() {
    let host = host();
    let mut engines = Vec::new();
    for script in ["", "deaf", "on quit: hang"] {
        engines.push(Engine::attach(&host, fake(script), StartIn::default()).await.unwrap());
    }
    // A shell gives its background jobs no stdin; this one hands its own over.
    let stubborn = format!("trap '' TERM; exec 3<&0; {} deaf <&3 & wait", example("fake-engine"));
    engines.push(Engine::attach(&host, shell(&stubborn), StartIn::default()).await.unwrap());
    let leaders: Vec<u32> = engines.iter().map(|engine| engine.info().process).collect();
    patiently(host.shutdown_all()).await;
    for (engine, leader) in engines.iter().zip(leaders) {
        assert_eq!(engine.state(), State::Stopped);
        assert!(group(leader).is_empty(), "{:?}", group(leader));
    }
    let late = Engine::attach(&host, fake(""), StartIn::default()).await.unwrap_err();
    assert_eq!(late.kind, ErrorKind::Cancelled);
}

#[tokio::test]
async fn shutdown_hurries_a_slow_detach() {
    let fake = Fake::start("deaf").await;
    let leader = fake.engine.info().process;
    let engine = fake.engine.clone();
    let detach = tokio::spawn(async move { engine.detach(Duration::from_secs(600)).await });
    until("it is told", || fake.received().last().is_some_and(|line| line == "quit")).await;
    patiently(fake.host.shutdown_all()).await;
    assert_eq!(patiently(detach).await.unwrap().unwrap().signal, Some(9));
    assert!(group(leader).is_empty(), "{:?}", group(leader));
}

#[test]
fn dropping_the_runtime_kills_the_group() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let leader = runtime.block_on(async {
        let fake = Fake::start("deaf\non start: spawn").await;
        let leader = fake.engine.info().process;
        std::mem::forget(fake.engine);
        leader
    });
    assert_eq!(group(leader).len(), 2);
    runtime.shutdown_background();
    let start = Instant::now();
    while !group(leader).is_empty() {
        assert!(start.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Not a test: the process that [`a_killed_daemon_leaves_nothing`] kills.
#[tokio::test]
#[ignore = "run by another test, in a process of its own"]
async fn a_daemon_to_be_killed() {
    if std::env::var_os("KIFUD_TEST_VICTIM").is_none() {
        return;
    }
    let host = host();
    let deaf = format!("exec 3<&0; {} deaf <&3 & wait", example("fake-engine"));
    let stubborn = format!("trap '' TERM; {deaf}");
    for spec in [shell(&deaf), shell(&stubborn), fake("deaf"), fake("")] {
        let engine = Engine::attach(&host, spec, StartIn::default()).await.unwrap();
        println!("group {}", engine.info().process);
        std::mem::forget(engine);
    }
    println!("ready");
    std::future::pending::<()>().await;
}

#[test]
fn a_killed_daemon_leaves_nothing() {
    let mut daemon = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "ends::a_daemon_to_be_killed", "--ignored", "--nocapture"])
        .env("KIFUD_TEST_VICTIM", "1")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut groups = Vec::new();
    for line in std::io::BufReader::new(daemon.stdout.take().unwrap()).lines() {
        let line = line.unwrap();
        // The harness prints the test's name on the same line as its first output.
        if let Some((_, group)) = line.split_once("group ") {
            groups.push(group.parse::<u32>().unwrap());
        } else if line.contains("ready") {
            break;
        }
    }
    assert_eq!(groups.len(), 4);
    assert!(groups.iter().all(|leader| !group(*leader).is_empty()));
    daemon.kill().unwrap();
    daemon.wait().unwrap();
    let start = Instant::now();
    while groups.iter().any(|leader| !group(*leader).is_empty()) {
        assert!(start.elapsed() < Duration::from_secs(20), "{groups:?}");
        std::thread::sleep(Duration::from_millis(10));
    }
    eprintln!("everything was gone after {:?}", start.elapsed());
}

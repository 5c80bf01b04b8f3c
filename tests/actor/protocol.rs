//! Framing and matching, as real engines do it.

use std::time::Duration;

use kifud::engine::{AnalysisEvent, EndReason, ErrorKind, Host, Timeouts};
use kifud::go::{Color, Point, Size, Step, Vertex};

use crate::support::*;

#[tokio::test]
async fn one_command_two_responses() {
    // Leela Zero's answer to a handicap that it cannot place.
    let fake = Fake::start("on set_free_handicap: raw ?%id illegal move\\n\\n=%id D4 Q16\\n\\n").await;
    let mut position = game(19, "");
    let stones = [Point::new(3, 3), Point::new(15, 15)].map(|point| (point, Some(Color::Black)));
    position.steps.push(Step::Setup(stones.to_vec()));
    patiently(fake.engine.sync(position)).await.unwrap();
    for _ in 0..3 {
        assert_eq!(fake.engine.send("name", None).await.unwrap().text, "Fake");
        assert_eq!(fake.engine.send("version", None).await.unwrap().text, "1.0");
    }
}

#[tokio::test]
async fn no_response_at_all() {
    let fake = Fake::start_on(impatient(2000), "commands +time_left\non time_left: silence").await;
    let error = fake.engine.send("time_left b 1 1", None).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::EngineTimeout);
    assert_eq!(error.evidence.command.as_deref(), Some("time_left b 1 1"));
    // The engine goes on as if nothing had been.
    assert_eq!(fake.engine.send("name", None).await.unwrap().text, "Fake");
    patiently(fake.engine.sync(game(9, "E5"))).await.unwrap();
}

#[tokio::test]
async fn a_skipped_answer_is_noticed_at_once() {
    let fake = Fake::start("on play b C3 @1: silence").await;
    // Ordinary patience is 30 s: the next answer tells that this one will never come.
    let error = patiently(fake.engine.sync(game(9, "C3 D4 E5"))).await.unwrap_err();
    assert_eq!((error.kind, error.evidence.cause), (ErrorKind::EngineTimeout, Some("unanswered")));
    patiently(fake.engine.sync(game(9, "C3 D4 E5"))).await.unwrap();
}

#[tokio::test]
async fn only_clean_lines_are_sent() {
    let fake = Fake::start("").await;
    for bad in ["", "  ", "# comment", "31 # x", "name\nquit", "lz-analyze 20"] {
        assert_eq!(
            fake.engine.send(bad, None).await.unwrap_err().kind,
            ErrorKind::EngineUnsupported,
            "{bad:?}"
        );
    }
    assert_eq!(fake.engine.send("  name # comment ", None).await.unwrap().text, "Fake");
    assert_eq!(fake.received(), ["name", "version", "protocol_version", "list_commands", "name"]);
}

#[tokio::test]
async fn headers_with_blanks_and_carriage_returns() {
    let script = "on name: raw =%id \\r\\nFake \\r\\n\\r\\n\non version: raw =%id\\n\\n\n\
                  on protocol_version: raw noise\\n\\n=%id 2\\r\\n\\r\\n";
    let fake = Fake::start(script).await;
    let info = fake.engine.info();
    assert_eq!((info.program.as_str(), info.version.as_str(), info.protocol.as_str()), ("Fake", "", "2"));
    assert!(fake.received().iter().all(|line| !line.contains('\r') && *line == line.to_lowercase()));
}

#[tokio::test]
async fn an_engine_that_repeats_no_ids() {
    let script = "on name: raw = Old\\n\\n\non version: raw =\\n\\n\non protocol_version: raw = 2\\n\\n\n\
                  on list_commands: raw = play\\n\\n";
    let fake = Fake::start(script).await;
    assert_eq!(fake.engine.info().program, "Old");
    assert!(fake.engine.info().commands.contains("play"));
}

#[tokio::test]
async fn listed_commands_may_have_blanks() {
    let script = "on list_commands: raw =%id name\\nplay <color> <vertex>\\nkata-analyze c cs\\nname\\n\\n";
    let fake = Fake::start(script).await;
    let info = fake.engine.info();
    assert_eq!(info.commands.iter().collect::<Vec<_>>(), ["kata-analyze", "name", "play"]);
    assert!(info.supports.analyze);
}

#[tokio::test]
async fn each_command_is_written_in_one_piece() {
    let fake = Fake::start("").await;
    patiently(fake.engine.sync(long_game(400))).await.unwrap();
    let received = fake.received();
    assert!(received.len() > 400 && !received.contains(&"!torn".to_owned()));
}

/// An engine that answers one analyze command with these lines; any `name` after the handshake ends it.
fn analyzer(lines: &str) -> String {
    format!(
        "commands +kata-analyze\non kata-analyze: raw =%id\\n{lines}\non protocol_version @2: raw \\n; default"
    )
}

#[tokio::test]
async fn lines_of_megabytes() {
    // Ownership of a 19x19 board for each of its points: about 2 MB in one line.
    let floats = "-0.12345678901 ".repeat(361);
    let info = |(order, point)| {
        let vertex = Vertex::At(point).to_gtp(Size::STANDARD);
        format!("info move {vertex} visits 5 winrate 0.5 order {order} pv {vertex} movesOwnership {floats}")
    };
    let line: String = Size::STANDARD.points().enumerate().map(info).collect();
    assert!(line.len() > 1_900_000);
    let (_dir, path) = temporary_script(&analyzer(&format!("{line}\\n")));
    let fake = Fake::start(&path.display().to_string()).await;
    let mut analysis = patiently(fake.engine.analyze(at(game(19, "")))).await.unwrap();
    assert_eq!(report(&mut analysis).await.report.moves.len(), 361);
    assert!(fake.engine.stop(None).await.unwrap());
    assert_eq!(ended(analysis).await.reason, EndReason::Stopped);
}

#[tokio::test]
async fn a_line_above_the_limit_is_dropped_and_counted() {
    let long = format!("info move A1 visits 1 winrate 0.5 order 0 pv {}", "A1 ".repeat(400_000));
    let short = "info move B2 visits 7 winrate 0.5 order 0 pv B2";
    let (_dir, path) = temporary_script(&analyzer(&format!("{long}\\n{short}\\n")));
    let host = Host::new(Timeouts { max_line: 1 << 20, ..Timeouts::default() }, KIFUD);
    let fake = Fake::start_on(host, &path.display().to_string()).await;
    let mut analysis = patiently(fake.engine.analyze(here())).await.unwrap();
    let running = report(&mut analysis).await;
    assert_eq!((running.visits, running.skipped), (7, 1));
}

#[tokio::test]
async fn stderr_is_always_drained() {
    let fake =
        Fake::start("on start: stderr-flood 4096\non showboard: stderr-flood 4096; stderr last; default")
            .await;
    patiently(fake.showboard()).await;
    fake.kill();
    let error = patiently(fake.engine.send("name", None)).await;
    // The engine may be dead already, in which case it was started again.
    if let Err(error) = error {
        assert_eq!(error.kind, ErrorKind::EngineExited);
    }
}

#[tokio::test]
async fn full_pipes_both_ways_do_not_block() {
    // Each answer comes with 4 KiB of noise on both outputs; the replay is longer than a pipe.
    let noise = "#".repeat(4000);
    let fake = Fake::start(&format!("on play: raw {noise}\\n; stderr-flood 4; default")).await;
    patiently(fake.engine.sync(long_game(3000))).await.unwrap();
    assert!(fake.showboard().await.contains('X'));
}

#[tokio::test]
async fn a_slow_client_gets_the_newest_report_only() {
    let fake = Fake::start("commands +lz-analyze\nstop-after 40\nvisits 1").await;
    let mut analysis = patiently(fake.engine.analyze(here())).await.unwrap();
    assert!(matches!(analysis.events.next().await, Some(AnalysisEvent::Started(_))));
    let mut states = fake.engine.watch_state();
    patiently(states.wait_for(|state| *state == kifud::engine::State::Ready)).await.unwrap();
    let Some(AnalysisEvent::Running(newest)) = analysis.events.next().await else { panic!("no report") };
    assert_eq!(newest.visits, 40);
    let ended = ended(analysis).await;
    assert_eq!((ended.reason, ended.last), (EndReason::Finished, Some(newest)));
}

#[tokio::test]
async fn the_queue_is_bounded() {
    let fake = Fake::start("on genmove: hang").await;
    let engine = fake.engine.clone();
    let moving = tokio::spawn(async move {
        let request = kifud::engine::GenmoveRequest { position: Some(game(9, "")), ..Default::default() };
        engine.genmove(request).await
    });
    until("genmove arrives", || fake.received().iter().any(|line| line.starts_with("genmove"))).await;
    let mut waiting = Vec::new();
    for _ in 0..80 {
        let engine = fake.engine.clone();
        waiting.push(tokio::spawn(async move { engine.send("name", None).await }));
    }
    let mut busy = 0;
    patiently(async {
        while busy < 16 {
            let (done, index, rest) = futures_util::future::select_all(waiting.drain(..)).await;
            let error = done.unwrap().unwrap_err();
            assert_eq!((error.kind, error.evidence.cause), (ErrorKind::EngineBusy, Some("queue")), "{index}");
            busy += 1;
            waiting = rest;
        }
    })
    .await;
    fake.engine.detach(Duration::ZERO).await;
    assert_eq!(patiently(moving).await.unwrap().unwrap_err().kind, ErrorKind::Cancelled);
    for request in waiting {
        assert_eq!(patiently(request).await.unwrap().unwrap_err().kind, ErrorKind::Cancelled);
    }
}

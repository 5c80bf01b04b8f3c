//! Moves of the engine's own, with what it says while it thinks.

use kifud::engine::sync::Strategy;
use kifud::engine::{Engine, ErrorKind, GenmovePlay, GenmoveRequest, Running, State};
use kifud::go::{Color, Point, Vertex};
use tokio::sync::watch;

use crate::support::*;

fn after(moves: &str) -> GenmoveRequest {
    GenmoveRequest { position: Some(game(9, moves)), ..GenmoveRequest::default() }
}

/// The commands that asked for a move.
fn asked(fake: &Fake) -> Vec<String> {
    let asks = |line: &String| line.contains("genmove") || line.contains("cancellable");
    fake.received().into_iter().filter(asks).collect()
}

const A9: GenmovePlay = GenmovePlay::Play(Vertex::At(Point { col: 0, row: 0 }));

#[tokio::test]
async fn the_reports_of_a_move_are_shown_while_the_engine_thinks() {
    let fake = Fake::start("commands +lz-genmove_analyze\nthink 3\nevery 50").await;
    let (sender, mut receiver) = watch::channel(None);
    let before = patiently(fake.engine.sync(game(9, "E5"))).await.unwrap().revision;
    let request = GenmoveRequest { reports: Some(sender), ..after("E5") };
    let engine = fake.engine.clone();
    let moving = tokio::spawn(async move { engine.genmove(request).await });
    let mut seen: Vec<Running> = Vec::new();
    while patiently(receiver.changed()).await.is_ok() {
        seen.extend(receiver.borrow_and_update().clone());
    }
    let moved = patiently(moving).await.unwrap().unwrap();
    assert!(!seen.is_empty());
    for running in &seen {
        assert_eq!((running.color, running.revision), (Color::White, before));
        assert_eq!(running.report.moves[0].winrate, 50.01, "hundredths of a percent, one stone");
    }
    assert_eq!(moved.play, A9);
    assert_eq!(moved.report.as_ref(), seen.last());
    assert_eq!(moved.report.map(|report| report.visits), Some(30));
    assert_eq!(moved.revision, before + 1);
    assert_eq!(asked(&fake), ["lz-genmove_analyze w 50"]);
    // The move stands on the engine's board.
    let synced = patiently(fake.engine.sync(game(9, "E5 A9"))).await.unwrap();
    assert_eq!(synced.strategy, Strategy::None);
    assert!(fake.showboard().await.starts_with("\nO") || fake.showboard().await.starts_with('O'));
}

#[tokio::test]
async fn the_scale_comes_from_the_command() {
    // Plain genmove_analyze of a program that nobody knows: an integer is hundredths of a percent,
    // a decimal a probability (Sabaki's guide for engine authors).
    for (winrate, percent) in [("4321", 43.21), ("0.4321", 43.21), ("1", 0.01), ("1.0", 100.0)] {
        let line = format!("info move C3 visits 7 winrate {winrate} order 0 pv C3");
        let script =
            format!("commands +genmove_analyze\non genmove_analyze: raw =%id\\n{line}\\nplay C3\\n\\n");
        let fake = Fake::start(&script).await;
        let moved = patiently(fake.engine.genmove(after(""))).await.unwrap();
        let report = moved.report.expect("a report").report;
        assert_eq!(report.moves[0].winrate, percent, "{winrate}");
    }
}

#[tokio::test]
async fn a_move_in_the_first_line_counts_too() {
    let fake = Fake::start("commands +genmove_analyze\non genmove_analyze: reply C3").await;
    let moved = patiently(fake.engine.genmove(after(""))).await.unwrap();
    assert_eq!(moved.play, GenmovePlay::Play(Vertex::At(Point { col: 2, row: 6 })));
    assert_eq!(moved.report, None);
}

#[tokio::test]
async fn pass_and_resign_after_reports() {
    let line = "info move pass visits 1 winrate 100 order 0 pv pass";
    let script = format!(
        "commands +lz-genmove_analyze\non lz-genmove_analyze b: raw =%id\\n{line}\\nplay pass\\n\\n\n\
         on lz-genmove_analyze w: raw =%id\\n{line}\\nplay resign\\n\\n"
    );
    let fake = Fake::start(&script).await;
    let passed = patiently(fake.engine.genmove(after(""))).await.unwrap();
    assert_eq!(passed.play, GenmovePlay::Play(Vertex::Pass));
    let resigned = patiently(fake.engine.genmove(GenmoveRequest::default())).await.unwrap();
    assert_eq!((resigned.play, resigned.color), (GenmovePlay::Resign, Color::White));
    assert_eq!(resigned.report.expect("a report").report.moves[0].winrate, 1.0);
}

#[tokio::test]
async fn refused_forms_are_left_for_simpler_ones() {
    let script = "commands +kata-genmove_analyze\non kata-genmove_analyze: refuse never heard";
    let fake = Fake::start(script).await;
    for moves in ["", "E5 C3"] {
        let moved = patiently(fake.engine.genmove(after(moves))).await.unwrap();
        assert_eq!(moved.play, A9);
    }
    // The form that works is remembered.
    assert_eq!(
        asked(&fake),
        ["kata-genmove_analyze b 50 rootInfo true", "kata-genmove_analyze b 50", "genmove b", "genmove b"]
    );
    let fake = Fake::start(&format!("{script}\non genmove: refuse not today")).await;
    let error = patiently(fake.engine.genmove(after(""))).await.unwrap_err();
    assert_eq!(
        (error.kind, error.evidence.reply.as_deref()),
        (ErrorKind::EngineRefused, Some("never heard"))
    );
}

#[tokio::test]
async fn the_interval_and_the_order_are_the_callers() {
    let fake = Fake::start("commands +lz-genmove_analyze +genmove_analyze").await;
    let order = vec!["lz-genmove_analyze".to_owned()];
    let request = GenmoveRequest { interval_cs: 7, order, ..after("") };
    patiently(fake.engine.genmove(request)).await.unwrap();
    let request = GenmoveRequest { order: Vec::new(), ..GenmoveRequest::default() };
    patiently(fake.engine.genmove(request)).await.unwrap();
    assert_eq!(asked(&fake), ["lz-genmove_analyze b 7", "genmove w"]);
}

const CANCELLABLE: &str = "commands +kata-genmove_analyze +kata-search_analyze_cancellable";

#[tokio::test]
async fn a_search_that_can_be_ended_early_finds_the_move() {
    let fake = Fake::start(CANCELLABLE).await;
    let moved = patiently(fake.engine.genmove(after("E5"))).await.unwrap();
    assert_eq!((moved.play, moved.report.map(|report| report.visits)), (A9, Some(20)));
    assert_eq!(fake.received().last().map(String::as_str), Some("play w A9"), "made by a command of its own");
    let synced = patiently(fake.engine.sync(game(9, "E5 A9"))).await.unwrap();
    assert_eq!((synced.strategy, synced.revision), (Strategy::None, moved.revision));
}

/// Withdraws a genmove once the engine has been asked.
async fn withdraw(fake: &Fake, engine: &Engine, command: &str) {
    let genmove = engine.genmove(GenmoveRequest::default());
    tokio::pin!(genmove);
    let started = until("it is asked", || fake.received().iter().any(|line| line == command));
    tokio::select! {
        moved = &mut genmove => panic!("it thinks for long: {moved:?}"),
        () = started => {}
    }
}

#[tokio::test]
async fn cancel_ends_a_search_that_can_be_ended() {
    let fake = Fake::start(&format!("{CANCELLABLE}\nthink 1000000")).await;
    patiently(fake.engine.sync(game(9, "E5"))).await.unwrap();
    withdraw(&fake, &fake.engine, "kata-search_analyze_cancellable w 50 rootInfo true").await;
    // It would think for hours; the next request is served at once all the same.
    patiently(fake.engine.sync(game(9, "E5 C3"))).await.unwrap();
    assert_eq!(fake.showboard().await.matches(['X', 'O']).count(), 2);
}

#[tokio::test]
async fn cancel_drops_the_answer_and_puts_the_board_right() {
    let fake = Fake::start("commands +lz-genmove_analyze\nthink 10").await;
    patiently(fake.engine.sync(game(9, "E5"))).await.unwrap();
    let before = fake.engine.revision();
    withdraw(&fake, &fake.engine, "lz-genmove_analyze w 50").await;
    // Even a command that brings no position of its own finds the board as it was.
    assert_eq!(fake.showboard().await.matches(['X', 'O']).count(), 1);
    assert!(fake.engine.revision() > before);
    let synced = patiently(fake.engine.sync(game(9, "E5"))).await.unwrap();
    assert_eq!(synced.strategy, Strategy::None);
}

#[tokio::test]
async fn a_lost_move_is_noticed() {
    let patience = std::time::Duration::from_millis(300);
    let timeouts = kifud::engine::Timeouts { first_report: patience, ..Default::default() };
    let fake = Fake::start_on(kifud::engine::Host::new(timeouts, KIFUD), "on genmove @1: silence").await;
    let error = patiently(fake.engine.genmove(after("E5"))).await.unwrap_err();
    assert_eq!((error.kind, error.evidence.cause), (ErrorKind::EngineTimeout, Some("unanswered")));
    assert_eq!(patiently(fake.engine.genmove(after("E5"))).await.unwrap().play, A9);
    // One that only takes its time is waited for.
    let timeouts = kifud::engine::Timeouts { first_report: patience, ..Default::default() };
    let host = kifud::engine::Host::new(timeouts, KIFUD);
    let fake = Fake::start_on(host, "on genmove @1: sleep 900; default").await;
    assert_eq!(patiently(fake.engine.genmove(after("E5"))).await.unwrap().play, A9);
    assert_eq!(patiently(fake.engine.sync(game(9, "E5 A9"))).await.unwrap().strategy, Strategy::None);
}

#[tokio::test]
async fn rubbish_that_looks_like_an_answer_swallows_none() {
    let fake = Fake::start("on genmove @1: raw ?4711 rubbish\\nmore of it\\n; default").await;
    assert_eq!(patiently(fake.engine.genmove(after("E5"))).await.unwrap().play, A9);
}

#[tokio::test]
async fn states_while_it_moves() {
    let fake = Fake::start("commands +lz-genmove_analyze\nthink 10").await;
    let mut states = fake.engine.watch_state();
    assert_eq!(*states.borrow(), State::Ready);
    let engine = fake.engine.clone();
    let moving = tokio::spawn(async move { engine.genmove(after("")).await });
    patiently(states.wait_for(|state| *state == State::Thinking)).await.unwrap();
    patiently(moving).await.unwrap().unwrap();
    patiently(states.wait_for(|state| *state == State::Ready)).await.unwrap();
}

#[tokio::test]
async fn a_lease_keeps_others_away() {
    let fake = Fake::start("commands +lz-analyze").await;
    let running = patiently(fake.engine.analyze(here())).await.unwrap();
    let lease = fake.engine.lease("a game").unwrap();
    let error = patiently(fake.engine.analyze(here())).await.unwrap_err();
    assert_eq!((error.kind, error.evidence.cause), (ErrorKind::EngineBusy, Some("lease")));
    assert_eq!(error.to_string(), "a game has this engine for itself");
    assert_eq!(fake.engine.lease("another").unwrap_err().kind, ErrorKind::EngineBusy);
    for refused in [
        patiently(fake.engine.sync(game(9, ""))).await.err(),
        patiently(fake.engine.genmove(after(""))).await.err(),
        patiently(fake.engine.send("name", None)).await.err(),
        patiently(fake.engine.retarget(running.id, game(9, "E5"), None)).await.err(),
    ] {
        assert_eq!(refused.map(|error| error.kind), Some(ErrorKind::EngineBusy));
    }
    assert_eq!(fake.engine.leased_to().as_deref(), Some("a game"));
    assert_eq!(lease.leased_to(), None);
    patiently(lease.genmove(after(""))).await.unwrap();
    assert_eq!(ended(running).await.reason, kifud::engine::EndReason::Superseded);
    drop(lease);
    patiently(fake.engine.analyze(here())).await.unwrap();
}

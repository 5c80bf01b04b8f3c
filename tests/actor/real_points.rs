//! The points of `points.rs` that real engines show themselves.
//!
//! Runs when `KIFUD_ENGINES` names the folder that `tests/engines/setup.sh` filled.

use std::path::PathBuf;
use std::time::Duration;

use kifud::engine::clock::Told;
use kifud::engine::{
    AnalyzeRequest, EndReason, Engine, EngineError, EngineSpec, ErrorKind, GenmoveRequest, StartIn,
};
use kifud::go::clock::{Clock, Overtime, TimeControl};
use kifud::go::{Color, Position, Size};

use crate::support::*;

fn folder() -> Option<PathBuf> {
    let folder = std::env::var_os("KIFUD_ENGINES").map(PathBuf::from);
    if folder.is_none() {
        eprintln!("SKIPPED: real engines; KIFUD_ENGINES names the folder of tests/engines/setup.sh");
    }
    folder
}

async fn start(path: PathBuf, args: &str) -> Result<Engine, EngineError> {
    let args = EngineSpec::split_args(args).expect("arguments");
    let spec =
        EngineSpec { name: "real".into(), path: path.display().to_string(), args, ..Default::default() };
    let patience = Duration::from_secs(180);
    let host = host();
    let starting = Engine::attach(&host, spec, StartIn::default());
    tokio::time::timeout(patience, starting).await.expect("it starts within three minutes")
}

async fn leelaz(more: &str) -> Option<Engine> {
    let net = folder()?.join("leelaz.txt");
    let args = format!("--gtp --cpu-only -w {} --noponder -t 1 {more}", net.display());
    Some(start("/usr/games/leelaz".into(), &args).await.expect("Leela Zero"))
}

async fn katago() -> Option<Engine> {
    let folder = folder()?;
    let args = format!("gtp -model {0}/tiny.bin.gz -config {0}/tiny.cfg", folder.display());
    Some(start(folder.join("katago"), &args).await.expect("KataGo"))
}

async fn gnugo() -> Option<Engine> {
    folder()?;
    Some(start("/usr/games/gnugo".into(), "--mode gtp --level 1").await.expect("GNU Go"))
}

/// One command; whether it was taken, and the text.
async fn send(engine: &Engine, command: &str) -> (bool, String) {
    let reply = patiently(engine.send(command, None)).await.expect(command);
    (reply.ok, reply.text)
}

fn rectangle() -> Position {
    let mut position = Position::new(Size::new(13, 7).expect("a size"));
    position.komi = Some(7.5);
    position
}

#[tokio::test]
async fn leela_zero_answers_one_command_twice() {
    let Some(engine) = leelaz("").await else { return };
    for _ in 0..3 {
        // `?14 illegal move` and `=14 D4 …`: only the first is an answer.
        assert!(!send(&engine, "set_free_handicap Z9").await.0);
        assert_eq!(send(&engine, "name").await, (true, "Leela Zero".to_owned()));
        assert_eq!(send(&engine, "protocol_version").await, (true, "2".to_owned()));
    }
    patiently(engine.sync(game(19, "Q16"))).await.unwrap();
}

#[tokio::test]
async fn an_analysis_is_stopped_on_real_engines() {
    for (engine, side) in [(katago().await, 9), (leelaz("").await, 19)] {
        let Some(engine) = engine else { return };
        for _ in 0..3 {
            let mut analysis = patiently(engine.analyze(at(game(side, "C3 D4")))).await.unwrap();
            report(&mut analysis).await;
            assert!(patiently(engine.stop(None)).await.unwrap());
            assert_eq!(ended(analysis).await.reason, EndReason::Stopped);
            assert!(send(&engine, "name").await.0);
        }
    }
}

#[tokio::test]
async fn leela_zero_ends_at_its_own_limit() {
    let Some(engine) = leelaz("-v 20").await else { return };
    let analysis = patiently(engine.analyze(at(game(19, "Q16")))).await.unwrap();
    assert_eq!(ended(analysis).await.reason, EndReason::Finished);
    assert!(!patiently(engine.stop(None)).await.unwrap());
    assert!(send(&engine, "name").await.0);
}

#[tokio::test]
async fn katago_s_search_is_ended_by_cancel() {
    let Some(engine) = katago().await else { return };
    send(&engine, "kata-set-param maxVisits 100000000").await;
    let (sender, mut reports) = tokio::sync::watch::channel(None);
    let position = Some(game(9, "E5"));
    {
        let request =
            GenmoveRequest { position, reports: Some(sender), interval_cs: 10, ..Default::default() };
        let genmove = engine.genmove(request);
        tokio::pin!(genmove);
        tokio::select! {
            moved = &mut genmove => panic!("it has a hundred million visits to make: {moved:?}"),
            seen = patiently(reports.changed()) => seen.unwrap(),
        }
    }
    // The next move is asked for at once, and made.
    send(&engine, "kata-set-param maxVisits 20").await;
    let moved = patiently(engine.genmove(GenmoveRequest::default())).await.unwrap();
    assert!(moved.report.is_some_and(|report| report.visits > 0));
    let analysis = patiently(engine.analyze(AnalyzeRequest::default())).await.unwrap();
    assert_eq!(analysis.synced.commands, [""; 0], "the move stands on its board");
}

#[tokio::test]
async fn leela_zero_thinks_aloud_about_its_move() {
    let Some(engine) = leelaz("-v 50").await else { return };
    let request = GenmoveRequest { position: Some(game(19, "Q16")), ..GenmoveRequest::default() };
    let moved = patiently(engine.genmove(request)).await.unwrap();
    let report = moved.report.expect("a report of lz-genmove_analyze");
    assert!(report.report.moves.iter().all(|info| (0.0..=100.0).contains(&info.winrate)));
}

#[tokio::test]
async fn gnu_go_takes_13_7_for_13_13() {
    let Some(engine) = gnugo().await else { return };
    // This is why it is not trusted with two numbers.
    assert!(send(&engine, "boardsize 13 7").await.0);
    assert!(send(&engine, "play b N13").await.0, "there is a thirteenth row");
    let error = patiently(engine.sync(rectangle())).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::BoardTooLarge);
    patiently(engine.sync(game(13, "N13"))).await.unwrap();
    assert_eq!(send(&engine, "list_stones black").await.1, "N13");
}

#[tokio::test]
async fn katago_plays_on_13_7() {
    let Some(engine) = katago().await else { return };
    patiently(engine.sync(rectangle())).await.unwrap();
    assert!(!send(&engine, "play b N13").await.0);
    assert!(send(&engine, "play b N7").await.0);
}

#[tokio::test]
async fn leela_zero_plays_on_19_only() {
    let Some(engine) = leelaz("").await else { return };
    let error = patiently(engine.sync(game(9, ""))).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::BoardTooLarge);
    patiently(engine.sync(game(19, "Q16"))).await.unwrap();
}

#[tokio::test]
async fn katago_refuses_a_komi_of_6_3() {
    let Some(engine) = katago().await else { return };
    assert!(!send(&engine, "komi 6.3").await.0);
    let mut position = game(9, "E5");
    position.komi = Some(6.3);
    let synced = patiently(engine.sync(position)).await.unwrap();
    // It is told the nearest that it takes, and that is said.
    assert_eq!(synced.komi, Some(6.5));
    assert!(synced.lost.iter().any(|lost| lost.what == "komi"), "{:?}", synced.lost);
    assert_eq!(send(&engine, "get_komi").await.1, "6.5");
}

#[tokio::test]
async fn leela_zero_aborts_after_two_passes() {
    let Some(engine) = leelaz("").await else { return };
    let over = GenmoveRequest { position: Some(game(19, "Q16 pass pass")), ..GenmoveRequest::default() };
    let error = patiently(engine.genmove(over.clone())).await.unwrap_err();
    assert_eq!((error.kind, error.evidence.cause), (ErrorKind::EngineRefused, Some("two-passes")));
    // This is why: sent by hand, it is the end of the program.
    let error = patiently(engine.send("genmove w", None)).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::EngineExited);
    let exit = error.evidence.exit_status.expect("how it ended");
    assert!(exit.signal == Some(6) || exit.code == Some(134), "{exit}");
    assert!(error.evidence.stderr_tail.is_some());
    // And not the end of the engine: it is started again and brought to where it was.
    assert!(send(&engine, "showboard").await.0);
    patiently(engine.sync(game(19, "Q16 D4"))).await.unwrap();
}

#[tokio::test]
async fn katago_tells_what_is_wrong_with_its_config() {
    let Some(folder) = folder() else { return };
    let config = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(config.path(), "logSearchInfo = maybe\n").unwrap();
    let args = format!("gtp -model {}/tiny.bin.gz -config {}", folder.display(), config.path().display());
    let error = start(folder.join("katago"), &args).await.unwrap_err();
    assert_eq!((error.kind, error.evidence.cause), (ErrorKind::EngineStartFailed, Some("exited")));
    let words = error.evidence.stderr_tail.expect("its last words");
    assert!(words.contains("logSearchInfo") || words.contains("Could not"), "{words}");
}

#[tokio::test]
async fn real_engines_leave_in_peace() {
    for (engine, side) in [(katago().await, 9), (leelaz("").await, 19), (gnugo().await, 9)] {
        let Some(engine) = engine else { return };
        patiently(engine.sync(game(side, "C3"))).await.unwrap();
        if engine.info().supports.analyze {
            let analysis = patiently(engine.analyze(AnalyzeRequest::default())).await.unwrap();
            // Its client goes away; the engine is then let go in the middle of things.
            drop(analysis);
        }
        let exit = patiently(engine.detach(Duration::from_secs(30))).await.expect("how it ended");
        assert_eq!(exit.code, Some(0), "{}: {exit}", engine.info().program);
    }
}

#[tokio::test]
async fn real_engines_are_told_their_time() {
    let control = TimeControl { main: 60_000, overtime: Overtime::Byoyomi { period: 30_000, periods: 5 } };
    let absolute = TimeControl { main: 60_000, overtime: Overtime::None };
    let clock = Clock::new(control);
    for (engine, told, periods) in [
        (katago().await, "kata-time_settings byoyomi 60 30 5", true),
        (leelaz("").await, "kgs-time_settings byoyomi 60 30 5", true),
        (gnugo().await, "time_settings 60 30 1", false),
    ] {
        let Some(engine) = engine else { return };
        let program = &engine.info().program;
        assert_eq!(patiently(engine.set_time(None)).await, Ok(None), "{program}: nothing to take back");
        let answer = patiently(engine.set_time(Some(control))).await.unwrap();
        assert_eq!(answer, Some(Told { command: told.to_owned(), periods }), "{program}");
        for clock in [clock, clock.after(100_000).expect("time is left")] {
            assert_eq!(
                patiently(engine.set_time_left(Color::Black, clock, periods)).await,
                Ok(()),
                "{program}"
            );
        }
        for control in [Some(absolute), None] {
            assert!(patiently(engine.set_time(control)).await.unwrap().is_some(), "{program}");
        }
    }
}

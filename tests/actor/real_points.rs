//! The points of `points.rs` that real engines show themselves.
//!
//! Runs when `KIFUD_ENGINES` names the folder that `tests/engines/setup.sh` filled.

use std::path::PathBuf;
use std::time::Duration;

use kifud::engine::clock::Told;
use kifud::engine::{
    AnalyzeRequest, EndReason, Engine, EngineError, EngineSpec, ErrorKind, GenmoveRequest, Limit,
    SearchRequest, StartIn,
};
use kifud::go::clock::{Clock, Overtime, TimeControl};
use kifud::go::{Color, Move, Point, Position, Size, Step, Vertex};

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

/// KataGo's JSON analysis engine, of four positions at once.
async fn katago_json() -> Option<Engine> {
    let folder = folder()?;
    let args = format!("analysis -model {0}/tiny.bin.gz -config {0}/analysis.cfg", folder.display());
    let spec = EngineSpec {
        name: "analysis".into(),
        path: folder.join("katago").display().to_string(),
        args: EngineSpec::split_args(&args).expect("arguments"),
        protocol: Some("katago-json".into()),
        ..EngineSpec::default()
    };
    let (host, patience) = (host(), Duration::from_secs(180));
    let starting = Engine::attach(&host, spec, StartIn::default());
    let started = tokio::time::timeout(patience, starting).await.expect("it starts within three minutes");
    Some(started.expect("KataGo's analysis engine"))
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

#[tokio::test]
async fn twenty_searches_at_once_on_katago_s_analysis_engine() {
    let Some(engine) = katago_json().await else { return };
    let info = engine.info();
    assert_eq!((info.program.as_str(), info.capacity), ("KataGo", 8), "{info:?}");
    assert!(info.version.starts_with("1."), "{}", info.version);
    let asked = |number: usize| {
        let mut position = game(9, &["E5", "C3", "pass", "G7", "D4"][..number % 6].join(" "));
        position.rules = Some(["Japanese", "AGA", "NZ"][number % 3].into());
        SearchRequest { ownership: number == 3, ..SearchRequest::new(position, 5 + number as u64) }
    };
    let searches: Vec<_> = (0..20)
        .map(|number| {
            let (engine, request) = (engine.clone(), asked(number));
            tokio::spawn(async move { engine.search(request).await })
        })
        .collect();
    for (number, search) in searches.into_iter().enumerate() {
        let found = patiently(search).await.unwrap().expect("a search");
        assert_eq!(found.visits, 5 + number as u64, "exactly");
        assert_eq!(found.color, asked(number).position.to_play);
        assert!(found.synced.lost.is_empty(), "{:?}", found.synced.lost);
        assert_eq!(found.report.skipped, 0);
        assert_eq!(found.report.ownership.as_ref().map(Vec::len), (number == 3).then_some(81));
        let best = found.report.best().expect("a move");
        assert!(best.winrate > 0.0 && best.winrate < 100.0 && best.score_lead.is_some());
        // A move that was hardly looked at may have no variation yet.
        assert!(best.pv.first().is_none_or(|first| *first == best.vertex), "{best:?}");
        assert!(!best.extra.is_empty(), "{best:?}");
    }
}

#[tokio::test]
async fn katago_s_analysis_engine_reports_until_it_is_stopped() {
    let Some(engine) = katago_json().await else { return };
    let request = AnalyzeRequest { interval_cs: 10, max_moves: Some(3), ..at(game(9, "E5")) };
    let mut analysis = patiently(engine.analyze(request)).await.unwrap();
    let first = report(&mut analysis).await;
    assert!((1..=3).contains(&first.report.moves.len()), "{:?}", first.report.moves);
    // Searches go on beside it, and it beside them.
    let found = patiently(engine.search(SearchRequest::new(game(9, "C3 G7"), 10))).await.unwrap();
    assert_eq!(found.visits, 10);
    assert!(report(&mut analysis).await.visits > first.visits);
    // Both colours of one position, rectangles, the same colour twice, set-up, komi that it has not.
    for (position, color) in
        [(game(9, "E5"), Color::Black), (rectangle(), Color::Black), (strange(), Color::White)]
    {
        let synced = patiently(engine.retarget(analysis.id, position, Some(color))).await.unwrap();
        let shown = report(&mut analysis).await;
        assert_eq!((shown.revision, shown.color), (synced.revision, color));
    }
    assert!(patiently(engine.stop(Some(analysis.id))).await.unwrap());
    assert_eq!(ended(analysis).await.reason, EndReason::Stopped);
    let refused = Position { rules: Some("Japanese".into()), komi: Some(1000.0), ..game(9, "") };
    let error = patiently(engine.analyze(at(refused))).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::EngineRefused, "{error}");
    let large = Position::new(Size::square(21).unwrap());
    assert_eq!(
        patiently(engine.search(SearchRequest::new(large, 5))).await.unwrap_err().kind,
        ErrorKind::BoardTooLarge
    );
    let limited = AnalyzeRequest { limit: Limit { visits: Some(30), seconds: None }, ..at(game(9, "E5 C3")) };
    let last = ended(patiently(engine.analyze(limited)).await.unwrap()).await;
    assert_eq!((last.reason, last.last.map(|last| last.visits)), (EndReason::Limit, Some(30)));
    let running = patiently(engine.analyze(at(game(9, "E5")))).await.unwrap();
    let exit = patiently(engine.detach(Duration::from_secs(30))).await.expect("how it ended");
    assert_eq!(exit.code, Some(0));
    assert_eq!(ended(running).await.reason, EndReason::Stopped);
}

/// Black twice in a row, then set-up, then Black again; White to move.
fn strange() -> Position {
    let mut position = game(9, "E5");
    let play = |col, row| Step::Play(Move { color: Color::Black, vertex: Vertex::At(Point::new(col, row)) });
    position.steps.extend([
        play(0, 0),
        Step::Setup(vec![(Point::new(8, 8), Some(Color::White))]),
        play(3, 3),
        play(5, 5),
    ]);
    Position { komi: Some(6.3), to_play: Color::White, ..position }
}

/// The same numbers as by GTP: for the side to move, whatever the configuration says.
#[tokio::test]
async fn both_ways_to_ask_katago_agree() {
    let (Some(json), Some(gtp)) = (katago_json().await, katago().await) else { return };
    // Thirty points of komi for White: whoever moves, White is ahead.
    let behind = |moves| Position { komi: Some(60.0), rules: Some("Chinese".into()), ..game(9, moves) };
    for moves in ["E5 C3", "E5 C3 G7"] {
        let position = behind(moves);
        let by = async |engine: &Engine| {
            let found = patiently(engine.search(SearchRequest::new(position.clone(), 20))).await.unwrap();
            found.report.value().and_then(|value| value.score_lead).expect("a score")
        };
        // A net that has learnt nothing knows komi well enough for the sign.
        let (ours, theirs) = (by(&json).await, by(&gtp).await);
        assert!((ours - theirs).abs() < 2.0, "{moves}: {ours} and {theirs}");
    }
}

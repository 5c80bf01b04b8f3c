//! The engine in the box, as a thread and as a program, held to what is asked of all engines.

use std::time::Duration;

use kifud::engine::clock::Told;
use kifud::engine::{
    AnalyzeRequest, EndReason, Engine, EngineSpec, ErrorKind, GenmoveRequest, Limit, SearchRequest, StartIn,
};
use kifud::go::clock::{Clock, Overtime, TimeControl};
use kifud::go::{Color, Point, Position, Size, Step};

use crate::support::*;

/// Both ways to have it.
async fn both() -> [Engine; 2] {
    let thread = EngineSpec { protocol: Some("builtin".into()), ..EngineSpec::default() };
    let path = env!("CARGO_BIN_EXE_kifud").to_owned();
    let program = EngineSpec { path, args: vec!["gtp".into()], ..EngineSpec::default() };
    let host = host();
    let start =
        async |spec| patiently(Engine::attach(&host, spec, StartIn::default())).await.expect("it starts");
    [start(thread).await, start(program).await]
}

#[tokio::test]
async fn it_says_what_it_is_and_can() {
    for engine in both().await {
        let info = engine.info();
        assert_eq!((info.program.as_str(), info.is_demo()), ("kifud demo engine", true));
        let can = info.supports;
        assert!(
            can.analyze && can.genmove_analyze && can.exact_visits && can.undo && can.handicap,
            "{can:?}"
        );
        assert!(can.rectangular && can.set_position && can.load_sgf, "{can:?}");
    }
}

#[tokio::test]
async fn an_analysis_is_stopped_and_follows() {
    for engine in both().await {
        for _ in 0..3 {
            let request = AnalyzeRequest { interval_cs: 5, ..at(game(9, "C3 D4")) };
            let mut analysis = patiently(engine.analyze(request)).await.unwrap();
            let first = report(&mut analysis).await;
            let synced = patiently(engine.retarget(analysis.id, game(13, "C3"), None)).await.unwrap();
            let next = report(&mut analysis).await;
            assert!(synced.revision > first.revision && next.revision == synced.revision);
            assert_eq!((next.color, next.skipped), (Color::White, 0));
            assert!(patiently(engine.stop(None)).await.unwrap());
            assert_eq!(ended(analysis).await.reason, EndReason::Stopped);
            assert!(patiently(engine.send("name", None)).await.unwrap().ok);
        }
    }
}

#[tokio::test]
async fn a_search_has_as_many_visits_as_were_asked_for() {
    for engine in both().await {
        for (position, visits) in [(game(9, "E5"), 100), (game(19, "Q16 D4"), 60), (game(9, "E5 C3"), 80)] {
            let asked = SearchRequest { ownership: true, ..SearchRequest::new(position.clone(), visits) };
            let found = patiently(engine.search(asked)).await.unwrap();
            // A thread each may be one too far; the tree of a position before it is kept.
            assert!(found.visits >= visits && found.visits < visits + 100, "{}", found.visits);
            let ownership = found.report.ownership.as_ref().expect("ownership");
            assert_eq!(ownership.len(), position.size.area());
            assert!(found.report.best().expect("a move").score_lead.is_some());
        }
        let limit = Limit { visits: Some(30), seconds: None };
        let last =
            ended(patiently(engine.analyze(AnalyzeRequest { limit, ..at(game(9, "G7")) })).await.unwrap())
                .await;
        assert_eq!(last.reason, EndReason::Limit);
    }
}

#[tokio::test]
async fn any_board_that_it_takes() {
    for engine in both().await {
        let mut rectangle = Position::new(Size::new(13, 7).expect("a size"));
        rectangle.komi = Some(-7.5);
        patiently(engine.sync(rectangle.clone())).await.unwrap();
        let moved =
            patiently(engine.genmove(GenmoveRequest { position: Some(rectangle), ..Default::default() }))
                .await;
        assert!(moved.is_ok(), "{moved:?}");
        let mut set_up = game(9, "E5");
        set_up
            .steps
            .push(Step::Setup(vec![(Point::new(0, 0), Some(Color::White)), (Point::new(4, 4), None)]));
        let synced = patiently(engine.sync(set_up)).await.unwrap();
        // The stones are told at once, and the moves before them are not.
        let lost: Vec<&str> = synced.lost.iter().map(|lost| lost.what).collect();
        assert_eq!(lost, ["history"]);
        let board = patiently(engine.send("showboard", None)).await.unwrap().text;
        assert_eq!((board.matches('O').count(), board.matches('X').count()), (1, 0), "{board}");
        for size in [1, 20, 25] {
            let error = patiently(engine.sync(Position::new(Size::square(size).unwrap()))).await.unwrap_err();
            assert_eq!(error.kind, ErrorKind::BoardTooLarge, "{size}");
        }
    }
}

#[tokio::test]
async fn it_is_told_its_time_as_gtp_has_it() {
    let control = TimeControl { main: 60_000, overtime: Overtime::Byoyomi { period: 30_000, periods: 5 } };
    for engine in both().await {
        let told = patiently(engine.set_time(Some(control))).await.unwrap();
        assert_eq!(told, Some(Told { command: "time_settings 60 30 1".to_owned(), periods: false }));
        patiently(engine.set_time_left(Color::Black, Clock::new(control), false)).await.unwrap();
    }
}

#[tokio::test]
async fn it_leaves_in_the_middle_of_things() {
    for engine in both().await {
        let analysis = patiently(engine.analyze(at(game(19, "Q16")))).await.unwrap();
        drop(analysis);
        let exit = patiently(engine.detach(Duration::from_secs(30))).await.expect("how it ended");
        assert_eq!(exit.code, Some(0), "{exit}");
    }
}

#[tokio::test]
async fn the_program_is_started_again_where_it_was() {
    let [_, program] = both().await;
    patiently(program.sync(game(9, "E5 C3"))).await.unwrap();
    kill(program.info().process);
    until("it is back", || program.info().process != 0 && runs(program.info().process)).await;
    let synced = patiently(program.sync(game(9, "E5 C3"))).await.unwrap();
    assert_eq!(synced.commands, [""; 0], "{synced:?}");
}

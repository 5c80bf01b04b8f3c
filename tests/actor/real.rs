//! A real engine, when one is installed.

use kifud::engine::{Engine, EngineSpec, ErrorKind, GenmovePlay, GenmoveRequest, StartIn};

use crate::support::*;

#[tokio::test]
async fn gnu_go_syncs_moves_and_refuses_to_analyze() {
    let path = "/usr/games/gnugo";
    if !std::path::Path::new(path).exists() {
        eprintln!("SKIPPED: {path} is not installed");
        return;
    }
    let args = EngineSpec::split_args("--mode gtp --level 1").unwrap();
    let spec = EngineSpec { name: "GNU Go".into(), path: path.into(), args, ..EngineSpec::default() };
    let engine = patiently(Engine::attach(&host(), spec, StartIn::default())).await.unwrap();
    assert_eq!(engine.info().program, "GNU Go");
    patiently(engine.sync(game(9, "E5 C3 G7"))).await.unwrap();
    let mut stones: Vec<String> = patiently(engine.send("list_stones black", None))
        .await
        .unwrap()
        .text
        .split_whitespace()
        .map(str::to_owned)
        .collect();
    stones.sort();
    assert_eq!(stones, ["E5", "G7"]);
    let moved = patiently(engine.genmove(GenmoveRequest::default())).await.unwrap();
    assert!(matches!(moved.play, GenmovePlay::Play(_)));
    assert_eq!(patiently(engine.analyze(here())).await.unwrap_err().kind, ErrorKind::EngineUnsupported);
    let exit = patiently(engine.detach(std::time::Duration::from_secs(30))).await;
    assert_eq!(exit.and_then(|exit| exit.code), Some(0));
}

/// Any analysing engine: `KIFUD_TEST_ENGINE="katago gtp -model …"`, on a board of
/// `KIFUD_TEST_BOARD` (19).
#[tokio::test]
async fn an_analysing_engine_of_your_choice() {
    let Ok(command) = std::env::var("KIFUD_TEST_ENGINE") else {
        eprintln!("SKIPPED: KIFUD_TEST_ENGINE names no engine");
        return;
    };
    let side = std::env::var("KIFUD_TEST_BOARD").ok().and_then(|side| side.parse().ok()).unwrap_or(19);
    let mut words = EngineSpec::split_args(&command).unwrap();
    let spec = EngineSpec { path: words.remove(0), args: words, ..EngineSpec::default() };
    let engine = patiently(Engine::attach(&host(), spec, StartIn::default())).await.unwrap();
    eprintln!("{} {}: {:?}", engine.info().program, engine.info().version, engine.info().supports);
    let mut analysis = patiently(engine.analyze(at(game(side, "C3 D4")))).await.unwrap();
    for moves in ["C3 D4 E5", "C3 D4", "C3 D4 E5 pass", "C3"] {
        let position = game(side, moves);
        let color = position.to_play;
        let synced = patiently(engine.retarget(analysis.id, position, None)).await.unwrap();
        for _ in 0..3 {
            let running = report(&mut analysis).await;
            assert_eq!((running.revision, running.color), (synced.revision, color));
            assert!(!running.report.moves.is_empty());
        }
    }
    for moves in ["C3", "C3 D4", "C3 D4 E5"] {
        let request = kifud::engine::SearchRequest {
            position: game(side, moves),
            color: None,
            visits: 50,
            ownership: true,
            order: kifud::engine::AnalyzeRequest::default().order,
        };
        let found = patiently(engine.search(request)).await.unwrap();
        eprintln!("{moves}: {} visits, {} moves", found.visits, found.report.moves.len());
        assert!(found.visits >= 50);
    }
    assert_eq!(ended(analysis).await.reason, kifud::engine::EndReason::Superseded);
    let moved = patiently(engine.genmove(GenmoveRequest::default())).await.unwrap();
    eprintln!("{:?}", moved.play);
    let analysis = patiently(engine.analyze(kifud::engine::AnalyzeRequest::default())).await.unwrap();
    assert_eq!(analysis.synced.commands, [""; 0], "the move stands on its board already");
    let exit = patiently(engine.detach(std::time::Duration::from_secs(30))).await;
    assert_eq!(exit.and_then(|exit| exit.code), Some(0));
}

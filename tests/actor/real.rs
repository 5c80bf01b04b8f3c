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

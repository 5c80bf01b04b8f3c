//! The life of an analysis.

use kifud::engine::{
    AnalysisEvent, AnalyzeRequest, EndReason, ErrorKind, GenmoveRequest, Limit, SearchRequest, State,
};
use kifud::go::{Color, Vertex};

use crate::support::*;

const LZ: &str = "commands +lz-analyze";

fn percent(stones: usize) -> f64 {
    50.0 + stones as f64 / 100.0
}

#[tokio::test]
async fn from_start_to_stop() {
    let fake = Fake::start(LZ).await;
    let mut analysis = patiently(fake.engine.analyze(at(game(9, "E5 C3")))).await.unwrap();
    let Some(AnalysisEvent::Started(synced)) = analysis.events.next().await else { panic!("no start") };
    assert_eq!(synced, analysis.synced);
    let running = report(&mut analysis).await;
    assert_eq!((running.color, running.revision), (Color::Black, synced.revision));
    assert_eq!(running.report.moves[0].winrate, percent(2));
    assert_eq!(fake.engine.state(), State::Analysing);
    assert!(fake.engine.stop(Some(analysis.id)).await.unwrap());
    assert!(!fake.engine.stop(None).await.unwrap());
    assert_eq!(ended(analysis).await.reason, EndReason::Stopped);
}

#[tokio::test]
async fn stopped_by_a_command_that_every_engine_knows() {
    let fake = Fake::start(LZ).await;
    let mut analysis = patiently(fake.engine.analyze(here())).await.unwrap();
    report(&mut analysis).await;
    fake.engine.stop(None).await.unwrap();
    let received = fake.received();
    assert!(!received.contains(&String::new()) && !received.contains(&"stop".to_owned()));
    assert_eq!(received.last().map(String::as_str), Some("protocol_version"));
}

#[tokio::test]
async fn ends_by_itself() {
    let fake = Fake::start("commands +lz-analyze\nstop-after 2").await;
    let analysis = patiently(fake.engine.analyze(here())).await.unwrap();
    let first = ended(analysis).await;
    assert_eq!((first.reason, first.last.map(|last| last.visits)), (EndReason::Finished, Some(20)));
    // Stopping afterwards waits for nothing.
    assert!(!patiently(fake.engine.stop(None)).await.unwrap());
    let again = patiently(fake.engine.analyze(here())).await.unwrap();
    assert_eq!(ended(again).await.reason, EndReason::Finished);
}

#[tokio::test]
async fn ends_without_a_single_report() {
    let fake = Fake::start("commands +lz-analyze\non lz-analyze: reply").await;
    let ended = ended(patiently(fake.engine.analyze(here())).await.unwrap()).await;
    assert_eq!((ended.reason, ended.reports, ended.last), (EndReason::Finished, 0, None));
}

#[tokio::test]
async fn queued_requests_end_each_analysis_once() {
    let fake = Fake::start(LZ).await;
    let requests = (0..5).map(|_| fake.engine.analyze(here()));
    let mut analyses = patiently(futures_util::future::try_join_all(requests)).await.unwrap();
    let last = analyses.pop().unwrap();
    for analysis in analyses {
        assert_eq!(ended(analysis).await.reason, EndReason::Superseded);
    }
    fake.engine.stop(None).await.unwrap();
    assert_eq!(ended(last).await.reason, EndReason::Stopped);
}

#[tokio::test]
async fn every_other_request_takes_the_engine() {
    let fake = Fake::start(LZ).await;
    let analysis = patiently(fake.engine.analyze(here())).await.unwrap();
    patiently(fake.engine.sync(game(9, "E5"))).await.unwrap();
    assert_eq!(ended(analysis).await.reason, EndReason::Superseded);
    let analysis = patiently(fake.engine.analyze(here())).await.unwrap();
    patiently(fake.engine.genmove(GenmoveRequest::default())).await.unwrap();
    assert_eq!(ended(analysis).await.reason, EndReason::Superseded);
    let analysis = patiently(fake.engine.analyze(here())).await.unwrap();
    assert!(patiently(fake.engine.send("showboard", None)).await.unwrap().ok);
    assert_eq!(ended(analysis).await.reason, EndReason::Superseded);
}

#[tokio::test]
async fn a_genmove_is_not_interrupted() {
    let fake = Fake::start("commands +lz-analyze\non genmove: sleep 300; default").await;
    let request = GenmoveRequest { position: Some(game(9, "")), ..GenmoveRequest::default() };
    let (moved, analysis) = patiently(async {
        tokio::join!(fake.engine.genmove(request), fake.engine.analyze(AnalyzeRequest::default()))
    })
    .await;
    assert!(moved.is_ok());
    // The analysis is of the position after the move.
    let mut analysis = analysis.unwrap();
    assert_eq!(report(&mut analysis).await.report.moves[0].winrate, percent(1));
}

#[tokio::test]
async fn late_lines_belong_to_nobody() {
    // KataGo prints one more line after the stop was sent, and before the end of its answer.
    let late = "raw info move A1 visits 999 winrate 1 order 0 pv A1\\n\\n; default";
    let script = format!(
        "commands +lz-analyze\non lz-analyze @1: raw =%id\\ninfo move B2 visits 1 winrate 5000 order 0 pv B2\\n\non protocol_version @2: {late}"
    );
    let fake = Fake::start(&script).await;
    let mut analysis = patiently(fake.engine.analyze(here())).await.unwrap();
    report(&mut analysis).await;
    let synced = patiently(fake.engine.retarget(analysis.id, game(9, "E5"), None)).await.unwrap();
    for _ in 0..3 {
        let running = report(&mut analysis).await;
        assert_eq!(running.revision, synced.revision);
        assert_eq!((running.report.moves[0].winrate, running.color), (percent(1), Color::White));
    }
}

#[tokio::test]
async fn retarget_follows_and_never_looks_back() {
    let fake = Fake::start(LZ).await;
    let moves = "E5 C3 G7 C7 G3";
    let mut analysis = patiently(fake.engine.analyze(at(game(9, "")))).await.unwrap();
    for round in 0..20 {
        let count = round * 7 % 6;
        let prefix: Vec<&str> = moves.split(' ').take(count).collect();
        let synced =
            patiently(fake.engine.retarget(analysis.id, game(9, &prefix.join(" ")), None)).await.unwrap();
        let running = report(&mut analysis).await;
        assert_eq!((running.revision, running.report.moves[0].winrate), (synced.revision, percent(count)));
    }
    let before = fake.received().len();
    let same =
        patiently(fake.engine.retarget(analysis.id, game(9, "E5 C3 G7 C7 G3").clone(), None)).await.unwrap();
    let again =
        patiently(fake.engine.retarget(analysis.id, game(9, "E5 C3 G7 C7 G3").clone(), None)).await.unwrap();
    assert_eq!((same.revision, again.commands.len()), (again.revision, 0));
    assert!(fake.received().len() <= before + 12, "standing still asks nothing of the engine");
    fake.engine.stop(None).await.unwrap();
    assert_eq!(ended(analysis).await.reason, EndReason::Stopped);
}

#[tokio::test]
async fn a_refused_retarget_ends_the_analysis() {
    let fake = Fake::start("commands +lz-analyze\nboard 9").await;
    let analysis = patiently(fake.engine.analyze(here())).await.unwrap();
    let error = patiently(fake.engine.retarget(analysis.id, game(13, ""), None)).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::BoardTooLarge);
    let id = analysis.id;
    let end = ended(analysis).await;
    assert_eq!((end.reason, end.error), (EndReason::Refused, Some(error)));
    let gone = patiently(fake.engine.retarget(id, game(9, ""), None)).await.unwrap_err();
    assert_eq!(gone.kind, ErrorKind::Cancelled);
    // And the next correct request works.
    patiently(fake.engine.analyze(here())).await.unwrap();
}

#[tokio::test]
async fn visits_zero_exponents_and_passes() {
    let lines = "info move pass visits 0 winrate 2.00771e-05 order 0 pv\\n";
    let fake = Fake::start(&format!("commands +kata-analyze\non kata-analyze: raw =%id\\n{lines}")).await;
    let mut analysis = patiently(fake.engine.analyze(here())).await.unwrap();
    let running = report(&mut analysis).await;
    let best = &running.report.moves[0];
    assert_eq!((running.visits, best.vertex, best.winrate), (0, Vertex::Pass, 0.00200771));
}

#[tokio::test]
async fn a_report_broken_over_several_lines() {
    let lines = "info move A1 visits 5 winrate 0.5 order 0 pv A1\\ninfo move B1 visits 3 winrate 0.4 order 1 pv B1\\n";
    let again = "info move A1 visits 6 winrate 0.5 order 0 pv A1\\ninfo move B1 visits 4 winrate 0.4 order 1 pv B1\\n";
    let script =
        format!("commands +kata-analyze\non kata-analyze: raw =%id\\n{lines}; sleep 50; raw {again}");
    let fake = Fake::start(&script).await;
    let mut analysis = patiently(fake.engine.analyze(here())).await.unwrap();
    // Each report counts from its first line on, and is whole with its second.
    loop {
        let running = report(&mut analysis).await;
        assert_eq!(running.report.moves[0].order, 0);
        if running.visits == 10 {
            break assert_eq!(running.report.moves.len(), 2);
        }
    }
}

#[tokio::test]
async fn limits_of_visits_and_seconds() {
    let fake = Fake::start("commands +lz-analyze\nvisits 50").await;
    let limit = |visits, seconds| AnalyzeRequest { limit: Limit { visits, seconds }, ..here() };
    let end = ended(patiently(fake.engine.analyze(limit(Some(120), None))).await.unwrap()).await;
    assert_eq!((end.reason, end.last.map(|last| last.visits)), (EndReason::Limit, Some(150)));
    assert!(fake.received().contains(&"lz-analyze b 5".to_owned()));
    let end = ended(patiently(fake.engine.analyze(limit(None, Some(0.2)))).await.unwrap()).await;
    assert_eq!(end.reason, EndReason::Limit);
}

#[tokio::test]
async fn a_client_that_goes_away_stops_its_analysis() {
    let fake = Fake::start(LZ).await;
    let mut analysis = patiently(fake.engine.analyze(here())).await.unwrap();
    report(&mut analysis).await;
    drop(analysis);
    let mut states = fake.engine.watch_state();
    patiently(states.wait_for(|state| *state == State::Ready)).await.unwrap();
    assert_eq!(fake.received().last().map(String::as_str), Some("protocol_version"));
}

#[tokio::test]
async fn engines_without_analysis() {
    let fake = Fake::start("").await;
    let error = fake.engine.analyze(here()).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::EngineUnsupported);
    let error = fake.engine.search(search(10)).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::EngineUnsupported);
}

#[tokio::test]
async fn forms_are_tried_until_one_is_taken() {
    // Pachi before 12.45 knows lz-analyze, but no colour in it.
    let script = "commands +lz-analyze\non lz-analyze b: refuse bad argument";
    let fake = Fake::start(script).await;
    for _ in 0..2 {
        let mut analysis = patiently(fake.engine.analyze(here())).await.unwrap();
        report(&mut analysis).await;
    }
    let analyzes = fake.received().into_iter().filter(|line| line.starts_with("lz-analyze"));
    assert_eq!(analyzes.collect::<Vec<_>>(), ["lz-analyze b 50", "lz-analyze 50", "lz-analyze 50"]);

    let fake = Fake::start("commands +lz-analyze\non lz-analyze: refuse not today").await;
    let error = patiently(fake.engine.analyze(here())).await.unwrap_err();
    assert_eq!((error.kind, error.evidence.reply.as_deref()), (ErrorKind::EngineRefused, Some("not today")));
    assert_eq!(error.evidence.command.as_deref(), Some("lz-analyze b 50"));
}

#[tokio::test]
async fn the_order_of_commands_is_the_callers() {
    let fake = Fake::start("commands +lz-analyze +kata-analyze").await;
    let mut analysis = patiently(fake.engine.analyze(here())).await.unwrap();
    report(&mut analysis).await;
    let request = AnalyzeRequest { order: vec!["lz-analyze".into(), "kata-analyze".into()], ..here() };
    let mut analysis = patiently(fake.engine.analyze(request)).await.unwrap();
    report(&mut analysis).await;
    let analyzes: Vec<String> =
        fake.received().into_iter().filter(|line| line.contains("-analyze")).collect();
    assert_eq!(analyzes, ["kata-analyze b 50 rootInfo true", "lz-analyze b 50"]);
}

fn search(visits: u64) -> SearchRequest {
    SearchRequest {
        position: game(9, "E5"),
        color: None,
        visits,
        ownership: false,
        order: AnalyzeRequest::default().order,
    }
}

#[tokio::test]
async fn exact_searches_where_the_engine_can() {
    let script = "commands +kata-search_analyze +kata-get-param +kata-set-param +kata-analyze";
    let fake = Fake::start(script).await;
    let found = patiently(fake.engine.search(search(77))).await.unwrap();
    assert_eq!((found.visits, found.color), (77, Color::White));
    let limit = fake.engine.send("kata-get-param maxVisits", None).await.unwrap().text;
    assert_eq!(limit, "500", "the limit is put back");
}

#[tokio::test]
async fn watched_searches_elsewhere() {
    let fake = Fake::start(LZ).await;
    let found = patiently(fake.engine.search(search(25))).await.unwrap();
    assert_eq!((found.visits, found.report.moves[0].winrate), (30, percent(1)));
    assert!(fake.received().contains(&"lz-analyze w 5".to_owned()));

    // A cap of the engine's own ends it early; what was spent is said.
    let fake = Fake::start("commands +lz-analyze\nstop-after 2").await;
    assert_eq!(patiently(fake.engine.search(search(1000))).await.unwrap().visits, 20);

    let fake = Fake::start("commands +lz-analyze\non lz-analyze: reply").await;
    let error = patiently(fake.engine.search(search(10))).await.unwrap_err();
    assert_eq!(error.evidence.cause, Some("no-report"));
}

#[tokio::test]
async fn a_withdrawn_search_frees_the_engine() {
    let fake = Fake::start(LZ).await;
    {
        let search = fake.engine.search(search(u64::MAX));
        tokio::pin!(search);
        let started = until("the search runs", || fake.received().contains(&"lz-analyze w 5".to_owned()));
        tokio::select! {
            _ = &mut search => panic!("it cannot have found that many"),
            () = started => {}
        }
    }
    patiently(fake.engine.sync(game(9, ""))).await.unwrap();
}

/// The same calls on engines as different as the real ones.
#[tokio::test]
async fn known_programs() {
    for (script, program, analyzes, exact) in [
        ("katago", "KataGo", true, true),
        ("leela-zero", "Leela Zero", true, false),
        ("gnu-go", "GNU Go", false, false),
        ("pachi", "Pachi", true, false),
    ] {
        let script = format!("{}/fixtures/engines/{script}.script", env!("CARGO_MANIFEST_DIR"));
        let fake = Fake::start(&script).await;
        let info = fake.engine.info();
        assert_eq!((info.program.as_str(), info.supports.analyze), (program, analyzes));
        assert_eq!(info.supports.exact_visits, exact, "{program}");
        let request = GenmoveRequest { position: Some(game(19, "Q16 D4 pass")), ..GenmoveRequest::default() };
        let moved = patiently(fake.engine.genmove(request)).await.unwrap();
        assert_eq!(moved.color, Color::White, "{program}");
        if analyzes {
            let mut analysis = patiently(fake.engine.analyze(AnalyzeRequest::default())).await.unwrap();
            let running = report(&mut analysis).await;
            assert_eq!(
                (running.color, running.report.moves[0].winrate),
                (Color::Black, percent(3)),
                "{program}"
            );
            let search = SearchRequest { position: game(19, "Q16"), ..search(20) };
            assert_eq!(patiently(fake.engine.search(search)).await.unwrap().visits, 20, "{program}");
            assert_eq!(ended(analysis).await.reason, EndReason::Superseded);
        }
        let exit = patiently(fake.engine.detach(std::time::Duration::from_secs(30))).await;
        assert_eq!(exit.and_then(|exit| exit.code), Some(0), "{program}");
    }
}

//! KataGo's JSON analysis engine, as a fake of it behaves and misbehaves.

use std::time::Duration;

use kifud::engine::gtp::analyze::Report;
use kifud::engine::{
    AnalysisEvent, AnalyzeRequest, EndReason, Engine, EngineError, EngineSpec, ErrorKind, GenmoveRequest,
    Host, Limit, Search, SearchRequest, StartIn, State, Timeouts,
};
use kifud::go::{Color, Point, Position, Step, Vertex};

use crate::support::*;

/// An engine that obeys a script, and the log of what it receives.
struct Json {
    engine: Engine,
    log: tempfile::NamedTempFile,
}

fn spec(script: &str) -> EngineSpec {
    EngineSpec {
        name: "Json".into(),
        path: example("fake-json-engine"),
        args: vec![script.into()],
        protocol: Some("katago-json".into()),
        ..EngineSpec::default()
    }
}

impl Json {
    async fn start(script: &str) -> Json {
        Json::start_on(host(), spec(script)).await
    }

    async fn start_on(host: Host, mut spec: EngineSpec) -> Json {
        let log = tempfile::NamedTempFile::new().unwrap();
        spec.env.insert("FAKE_LOG".into(), log.path().display().to_string());
        let engine = patiently(Engine::attach(&host, spec, StartIn::default())).await.unwrap();
        Json { engine, log }
    }

    fn received(&self) -> Vec<String> {
        std::fs::read_to_string(self.log.path()).unwrap().lines().map(str::to_owned).collect()
    }

    fn queries(&self) -> usize {
        self.received().iter().filter(|line| line.contains("maxVisits")).count()
    }

    fn terminated(&self) -> usize {
        self.received().iter().filter(|line| line.contains("terminateId")).count()
    }

    /// So many searches at once, the n-th of a position with n passes, 10 + n visits.
    async fn many(&self, count: usize) -> Vec<Result<Search, EngineError>> {
        let tasks: Vec<_> = (0..count)
            .map(|number| {
                let engine = self.engine.clone();
                let request = SearchRequest::new(passes(number), 10 + number as u64);
                tokio::spawn(async move { engine.search(request).await })
            })
            .collect();
        let mut results = Vec::new();
        for task in tasks {
            results.push(patiently(task).await.unwrap());
        }
        results
    }
}

fn passes(count: usize) -> Position {
    let mut position = game(9, &"pass ".repeat(count));
    position.rules = Some("Chinese".into());
    position
}

fn komi(komi: f64) -> Position {
    Position { komi: Some(komi), ..passes(0) }
}

fn search(komi: f64) -> SearchRequest {
    SearchRequest::new(self::komi(komi), 5)
}

/// The fake's win rate of so many moves, in percent.
fn winrate_of(moves: usize) -> f64 {
    50.0 + 0.01 * moves as f64
}

fn tells_of(report: &Report, moves: usize) -> bool {
    report.value().is_some_and(|value| (value.winrate - winrate_of(moves)).abs() < 1e-9)
}

fn is_of(search: &Search, moves: usize) -> bool {
    tells_of(&search.report, moves)
}

#[tokio::test]
async fn it_says_what_it_is() {
    let json = Json::start("threads 3").await;
    let info = json.engine.info();
    assert_eq!(
        (info.program.as_str(), info.version.as_str(), info.protocol.as_str()),
        ("KataGo", "1.0", "katago-json")
    );
    assert_eq!((info.capacity, info.commands.len()), (6, 0));
    assert_eq!(info.profile.map(|profile| profile.id), Some("katago-json"));
    let supports = info.supports;
    assert!(supports.analyze && supports.exact_visits && supports.rectangular);
    assert!(!supports.genmove_analyze && !supports.undo && !supports.load_sgf);
    let silent = Json::start("threads 0").await;
    assert_eq!(silent.engine.info().capacity, 4, "when it does not say");
    let set = Json::start_on(host(), EngineSpec { capacity: Some(1), ..spec("threads 3") }).await;
    assert_eq!(set.engine.info().capacity, 1);
    assert_eq!(
        Fake::start("").await.engine.info().capacity,
        1,
        "GTP engines work one request after the other"
    );
}

#[tokio::test]
async fn answers_come_in_any_order() {
    let json = Json::start("threads 4\ngather 8").await;
    let found = json.many(8).await;
    for (number, found) in found.into_iter().enumerate() {
        let found = found.unwrap();
        assert!(is_of(&found, number), "{number}: {:?}", found.report);
        assert_eq!(found.visits, 10 + number as u64, "exactly");
        assert_eq!(found.color, passes(number).to_play);
        assert!(found.synced.commands.is_empty() && found.synced.lost.is_empty(), "{:?}", found.synced);
    }
}

#[tokio::test]
async fn the_pipe_never_holds_more_than_its_capacity() {
    let json = Json::start("threads 2\nidle").await;
    let found = json.many(30).await;
    assert!(found.iter().enumerate().all(|(number, found)| is_of(found.as_ref().unwrap(), number)));
    let open =
        json.received().iter().filter_map(|line| line.strip_prefix("!open ")?.parse::<usize>().ok()).max();
    assert_eq!(open, Some(json.engine.info().capacity));
}

#[tokio::test]
async fn a_search_that_nobody_wants_is_terminated() {
    let json =
        Json::start_on(host(), EngineSpec { capacity: Some(1), ..spec("on \"komi\":1.5: hold") }).await;
    let engine = json.engine.clone();
    let given_up = tokio::spawn(async move { engine.search(search(1.5)).await });
    let engine = json.engine.clone();
    // This one waits for a place; it is never sent.
    let waiting = tokio::spawn(async move { engine.search(search(2.5)).await });
    until("the query has arrived", || json.queries() == 1).await;
    waiting.abort();
    given_up.abort();
    until("it is terminated", || json.terminated() == 1).await;
    let found = patiently(json.engine.search(search(3.5))).await.unwrap();
    assert_eq!(found.synced.komi, Some(3.5));
    assert_eq!(json.queries(), 2);
    assert_eq!(json.terminated(), 1);
}

#[tokio::test]
async fn an_analysis_reports_until_it_is_stopped() {
    let json = Json::start("").await;
    let request = AnalyzeRequest {
        position: Some(passes(3)),
        interval_cs: 1,
        max_moves: Some(2),
        ownership: true,
        avoid: vec![Vertex::Pass],
        ..AnalyzeRequest::default()
    };
    let mut analysis = patiently(json.engine.analyze(request)).await.unwrap();
    let first = report(&mut analysis).await;
    assert_eq!(
        (first.color, first.size.width(), first.revision),
        (Color::White, 9, analysis.synced.revision)
    );
    assert_eq!((first.report.moves.len(), first.report.ownership.as_ref().map(Vec::len)), (2, Some(81)));
    assert!(tells_of(&first.report, 3));
    assert_eq!(json.engine.state(), State::Analysing);
    // A search does not disturb it.
    assert!(is_of(&patiently(json.engine.search(SearchRequest::new(passes(1), 5))).await.unwrap(), 1));
    assert!(report(&mut analysis).await.visits >= first.visits);
    assert!(patiently(json.engine.stop(None)).await.unwrap());
    assert!(!patiently(json.engine.stop(None)).await.unwrap());
    let ended = ended(analysis).await;
    assert_eq!(ended.reason, EndReason::Stopped);
    assert!(ended.last.is_some() && ended.reports >= 2);
    let sent = json.received();
    let query = sent.iter().find(|line| line.contains("reportDuringSearchEvery\":0.01")).expect("the query");
    for part in [
        "\"includeOwnership\":true",
        "\"avoidMoves\":[{\"player\":\"W\",\"moves\":[\"pass\"],\"untilDepth\":1}]",
    ] {
        assert!(query.contains(part), "{query}");
    }
}

#[tokio::test]
async fn an_analysis_ends_at_its_limit_or_when_another_begins() {
    let json = Json::start("").await;
    let limit = |visits, seconds| AnalyzeRequest { limit: Limit { visits, seconds }, ..at(passes(1)) };
    let few = patiently(json.engine.analyze(limit(Some(40), None))).await.unwrap();
    let few = ended(few).await;
    assert_eq!((few.reason, few.last.map(|last| last.visits)), (EndReason::Limit, Some(40)));
    let short = patiently(json.engine.analyze(limit(None, Some(0.05)))).await.unwrap();
    assert_eq!(ended(short).await.reason, EndReason::Limit);
    let first = patiently(json.engine.analyze(at(passes(1)))).await.unwrap();
    let second = patiently(json.engine.analyze(at(passes(2)))).await.unwrap();
    assert_eq!(ended(first).await.reason, EndReason::Superseded);
    patiently(json.engine.sync(passes(3))).await.unwrap();
    assert_eq!(ended(second).await.reason, EndReason::Superseded);
    // Its client goes away.
    drop(patiently(json.engine.analyze(at(passes(2)))).await.unwrap());
    until("it waits for work", || json.engine.state() == State::Ready).await;
    until("all were ended", || json.terminated() >= 4).await;
}

#[tokio::test]
async fn one_thread_is_for_one_thing() {
    // An analysis without end would keep searches from ever being begun.
    let json = Json::start("threads 1").await;
    assert_eq!(json.engine.info().capacity, 2);
    let analysis = patiently(json.engine.analyze(at(passes(1)))).await.unwrap();
    assert!(is_of(&patiently(json.engine.search(SearchRequest::new(passes(2), 5))).await.unwrap(), 2));
    assert_eq!(ended(analysis).await.reason, EndReason::Superseded);
    let behind = json.received().iter().filter(|line| line.contains("\"priority\":-1")).count();
    assert_eq!(behind, 1, "and waits for those that were asked before");
}

#[tokio::test]
async fn rare_reports_are_no_silence() {
    let timeouts = Timeouts { first_report: Duration::from_millis(300), ..Timeouts::default() };
    let json = Json::start_on(Host::new(timeouts, KIFUD), spec("on maxVisits: hold")).await;
    let analysis = patiently(json.engine.analyze(AnalyzeRequest { interval_cs: 100_000, ..at(passes(1)) }))
        .await
        .unwrap();
    tokio::time::sleep(Duration::from_millis(900)).await;
    assert!(patiently(json.engine.stop(Some(analysis.id))).await.unwrap());
    assert_eq!(ended(analysis).await.reason, EndReason::Stopped);
}

#[tokio::test]
async fn a_retarget_never_looks_back() {
    let json = Json::start("").await;
    let request = AnalyzeRequest { interval_cs: 1, ..at(passes(0)) };
    let mut analysis = patiently(json.engine.analyze(request)).await.unwrap();
    for moves in 1..30 {
        let synced = patiently(json.engine.retarget(analysis.id, passes(moves), None)).await.unwrap();
        let shown = report(&mut analysis).await;
        assert_eq!(shown.revision, synced.revision);
        assert!(tells_of(&shown.report, moves));
    }
    let same = patiently(json.engine.retarget(analysis.id, passes(29), None)).await.unwrap();
    assert_eq!(same.strategy.name(), "none");
    assert_eq!(json.queries(), 30);
    // A position that no board can hold ends it.
    let mut dead = game(9, "B1 pass A2");
    dead.steps.push(Step::Setup(vec![(Point::new(0, 8), Some(Color::White))]));
    let error = patiently(json.engine.retarget(analysis.id, dead, None)).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::InvalidPosition);
    assert_eq!(ended(analysis).await.reason, EndReason::Refused);
}

#[tokio::test]
async fn the_other_side_is_asked_without_history() {
    let json = Json::start("").await;
    let request = AnalyzeRequest { color: Some(Color::White), interval_cs: 1, ..at(game(9, "E5 C3")) };
    let mut analysis = patiently(json.engine.analyze(request)).await.unwrap();
    assert!(analysis.synced.lost.iter().any(|lost| lost.what == "history"), "{:?}", analysis.synced.lost);
    assert_eq!(report(&mut analysis).await.color, Color::White);
    let sent =
        json.received().iter().find(|line| line.contains("initialStones")).cloned().expect("the query");
    assert!(sent.contains("\"initialPlayer\":\"W\",\"moves\":[]"), "{sent}");
}

#[tokio::test]
async fn refusals_reach_their_callers() {
    let json = Json::start(
        "on \"komi\":1.5: error komi Must be an integer\non \"komi\":2.5: error boardXSize too large\n\
         on \"komi\":3.5: no-results\non \"komi\":4.5: warn take care; raw rubbish; raw {\"id\":\"%id\"}; answer",
    )
    .await;
    let refused = |komi| patiently(json.engine.search(search(komi)));
    let error = refused(1.5).await.unwrap_err();
    assert_eq!(
        (error.kind, error.evidence.reply.as_deref()),
        (ErrorKind::EngineRefused, Some("Must be an integer"))
    );
    assert!(error.message.contains("komi"), "{error}");
    assert_eq!(refused(2.5).await.unwrap_err().kind, ErrorKind::BoardTooLarge);
    assert_eq!(refused(3.5).await.unwrap_err().evidence.cause, Some("no-report"));
    assert!(refused(4.5).await.is_ok(), "a warning and rubbish are no answers");
    // An analysis is refused before it has begun.
    assert_eq!(
        patiently(json.engine.analyze(at(komi(1.5)))).await.unwrap_err().kind,
        ErrorKind::EngineRefused
    );
    let ended_without = patiently(json.engine.analyze(at(komi(3.5)))).await.unwrap();
    let ended_without = ended(ended_without).await;
    assert_eq!((ended_without.reason, ended_without.reports), (EndReason::Finished, 0));
}

#[tokio::test]
async fn errors_without_id_lose_no_request() {
    // Lines that arrived damaged: with the id in the engine's words, then without any.
    let json = Json::start(
        "threads 4\non \"komi\":1.5: hold\non \"komi\":2.5: lost could not parse {\"id\":\"%id\",\"mo\n\
         on @3: lost could not parse input line",
    )
    .await;
    let engine = json.engine.clone();
    let held = tokio::spawn(async move { engine.search(search(1.5)).await });
    until("the query has arrived", || json.queries() == 1).await;
    let error = patiently(json.engine.search(search(2.5))).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::EngineRefused);
    assert!(!held.is_finished(), "it was about the other one");
    // Nothing tells which of two this is about: both are asked again.
    let found = patiently(json.engine.search(search(3.5))).await.unwrap();
    assert_eq!(found.synced.komi, Some(3.5));
    until("all have arrived", || json.queries() == 5).await;
    assert!(!held.is_finished());
    held.abort();

    let json = Json::start("on maxVisits: lost could not parse input line").await;
    let error = patiently(json.engine.search(search(1.5))).await.unwrap_err();
    assert_eq!((error.kind, json.queries()), (ErrorKind::EngineRefused, 1), "a single one it must be");
    let several = json.many(4).await;
    assert!(several.iter().all(Result::is_err) && json.queries() <= 1 + 2 * 4);
    let error = patiently(json.engine.analyze(at(passes(1)))).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::EngineRefused);
}

#[tokio::test]
async fn a_crash_answers_every_search_once() {
    let json = Json::start_on(impatient(20_000), spec("threads 2\nidle\non \"komi\":1.5: exit 7")).await;
    let mut analysis =
        patiently(json.engine.analyze(AnalyzeRequest { interval_cs: 1, ..at(passes(1)) })).await.unwrap();
    report(&mut analysis).await;
    let engine = json.engine.clone();
    let fatal = tokio::spawn(async move { engine.search(search(1.5)).await });
    let others = json.many(12).await;
    let error = patiently(fatal).await.unwrap().unwrap_err();
    assert_eq!(
        (error.kind, error.evidence.exit_status.and_then(|exit| exit.code)),
        (ErrorKind::EngineExited, Some(7))
    );
    for (number, other) in others.into_iter().enumerate() {
        match other {
            Ok(found) => assert!(is_of(&found, number), "asked of the next program"),
            Err(error) => assert_eq!(error.kind, ErrorKind::EngineExited),
        }
    }
    assert_eq!(ended(analysis).await.reason, EndReason::EngineExited);
    assert!(is_of(&patiently(json.engine.search(SearchRequest::new(passes(4), 9))).await.unwrap(), 4));
}

#[tokio::test]
async fn full_pipes_both_ways_do_not_block() {
    // Long reports before it reads on, and queries of 4000 moves.
    let json =
        Json::start("threads 16\non @1: pad 4000; sleep 100; answer\non maxVisits: pad 200; answer").await;
    let tasks: Vec<_> = (0..30)
        .map(|_| {
            let engine = json.engine.clone();
            tokio::spawn(async move { engine.search(SearchRequest::new(passes(4000), 5)).await })
        })
        .collect();
    for task in tasks {
        assert!(is_of(&patiently(task).await.unwrap().unwrap(), 4000));
    }
}

#[tokio::test]
async fn no_search_waits_for_ever() {
    let quick = Duration::from_millis(300);
    let timeouts =
        Timeouts { first_report: quick, restart: Duration::ZERO, max_line: 1 << 20, ..Timeouts::default() };
    let host = Host::new(timeouts, KIFUD);
    // It hangs; its answer is longer than any line may be; it prints without end.
    for script in ["on @1: hang", "on @1: pad 3000; hold", "on @1: flood"] {
        let json = Json::start_on(host.clone(), spec(script)).await;
        let error = patiently(json.engine.search(search(1.5))).await.unwrap_err();
        assert_eq!(error.kind, ErrorKind::EngineExited, "{script}");
        assert!(matches!(error.evidence.cause, Some("silent" | "flood")), "{script}: {error:?}");
    }
}

#[tokio::test]
async fn what_it_cannot_do_says_so() {
    let json =
        Json::start_on(host(), EngineSpec { commands: "komi 7; boardsize 9".into(), ..spec("") }).await;
    let error = patiently(json.engine.send("showboard", None)).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::EngineUnsupported);
    assert!(error.message.contains("katago gtp"), "{error}");
    let error = patiently(json.engine.genmove(GenmoveRequest::default())).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::EngineUnsupported);
    let refused: Vec<_> = json.engine.info().refused.iter().map(|(command, _)| command.clone()).collect();
    assert_eq!(refused, ["komi 7", "boardsize 9"]);
    let error = patiently(json.engine.analyze(AnalyzeRequest::default())).await.unwrap_err();
    assert_eq!((error.kind, error.evidence.cause), (ErrorKind::InvalidPosition, Some("no-position")));
}

#[tokio::test]
async fn a_position_is_known_without_commands() {
    let json = Json::start("").await;
    let first = patiently(json.engine.sync(passes(2))).await.unwrap();
    assert_eq!((first.strategy.name(), first.commands.len(), first.lost.len()), ("rebuild", 0, 0));
    assert_eq!((first.komi, first.rules.as_deref()), (Some(7.5), Some("chinese")));
    let again = patiently(json.engine.sync(passes(2))).await.unwrap();
    assert_eq!((again.strategy.name(), again.revision), ("none", first.revision));
    let other = patiently(json.engine.sync(passes(3))).await.unwrap();
    assert!(other.revision > first.revision);
    assert_eq!(json.engine.revision(), other.revision);
    assert_eq!(json.engine.board_size().map(|size| size.width()), Some(9));
    // Searches elsewhere leave it there.
    patiently(json.engine.search(search(1.5))).await.unwrap();
    assert_eq!(json.engine.revision(), other.revision);
    let old = AnalyzeRequest { if_revision: Some(first.revision), ..AnalyzeRequest::default() };
    assert_eq!(patiently(json.engine.analyze(old)).await.unwrap_err().evidence.cause, Some("revision"));
    let here = patiently(json.engine.analyze(AnalyzeRequest::default())).await.unwrap();
    assert_eq!(here.synced.revision, other.revision);
    assert_eq!(json.queries(), 2);
}

#[tokio::test]
async fn detaching_answers_all_and_ends_it_in_peace() {
    let json = Json::start("on \"komi\":1.5: hold").await;
    let engine = json.engine.clone();
    let held = tokio::spawn(async move { engine.search(search(1.5)).await });
    let mut analysis = patiently(json.engine.analyze(at(passes(1)))).await.unwrap();
    report(&mut analysis).await;
    until("both have arrived", || json.queries() == 2).await;
    let exit = patiently(json.engine.detach(Duration::from_secs(30))).await;
    assert_eq!(exit.and_then(|exit| exit.code), Some(0));
    assert_eq!(patiently(held).await.unwrap().unwrap_err().kind, ErrorKind::Cancelled);
    assert_eq!(ended(analysis).await.reason, EndReason::Stopped);
    let deaf = Json::start("deaf").await;
    let process = deaf.engine.info().process;
    patiently(deaf.engine.detach(Duration::from_millis(100))).await;
    assert!(group(process).is_empty());
}

#[tokio::test]
async fn the_wrong_mode_is_recognised() {
    let attach = async |spec| patiently(Engine::attach(&host(), spec, StartIn::default())).await.unwrap_err();
    let gtp = EngineSpec { protocol: Some("katago-json".into()), ..fake("") };
    let error = attach(gtp).await;
    assert_eq!((error.kind, error.evidence.cause), (ErrorKind::EngineStartFailed, Some("wrong-protocol")));
    assert!(error.message.contains("speaks GTP") && error.message.contains("`analysis`"), "{error}");
    let json = EngineSpec { protocol: None, ..spec("") };
    let error = attach(json).await;
    assert_eq!((error.kind, error.evidence.cause), (ErrorKind::EngineStartFailed, Some("wrong-protocol")));
    assert!(error.message.contains("katago-json"), "{error}");
    let other = EngineSpec { protocol: Some("json".into()), ..spec("") };
    let error = attach(other).await;
    assert_eq!((error.kind, error.evidence.cause), (ErrorKind::EngineUnsupported, Some("protocol")));
    assert!(error.message.contains("gtp, katago-json and builtin"), "{error}");
    let echo = attach(EngineSpec { protocol: Some("katago-json".into()), ..shell("cat") }).await;
    assert_eq!((echo.kind, echo.evidence.cause), (ErrorKind::EngineStartFailed, Some("garbage")), "{echo}");
    let ended =
        attach(EngineSpec { protocol: Some("katago-json".into()), ..shell("echo oh no >&2; exit 3") }).await;
    assert_eq!(ended.evidence.cause, Some("exited"));
    assert_eq!(ended.evidence.stderr_tail.as_deref(), Some("oh no"));
}

#[tokio::test]
async fn events_go_on_after_an_end() {
    let json = Json::start("").await;
    let mut analysis = patiently(json.engine.analyze(at(passes(1)))).await.unwrap();
    assert!(matches!(patiently(analysis.events.next()).await, Some(AnalysisEvent::Started(_))));
    kill(json.engine.info().process);
    assert_eq!(ended(analysis).await.reason, EndReason::EngineExited);
    let mut states = json.engine.watch_state();
    patiently(states.wait_for(|state| *state == State::Ready)).await.unwrap();
}

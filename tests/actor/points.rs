//! What a controller of real engines must handle, point by point, and where each point is tested.
//!
//! The points were collected from KataGo, Leela Zero, GNU Go, Pachi and michi-c2, and from the
//! issues of their users.

use kifud::engine::{Engine, EngineSpec, ErrorKind, GenmovePlay, GenmoveRequest, StartIn, State};
use kifud::go::{Color, Point, Step, Vertex};

use crate::support::*;

/// A point and its tests: by fakes beside this file, by the pure floors in `src`, by real engines in
/// `real_points.rs`.
const POINTS: [(&str, &[&str]); 28] = [
    ("1 one command, two responses", &["one_command_two_responses", "leela_zero_answers_one_command_twice"]),
    ("2 no response at all", &["no_response_at_all", "only_clean_lines_are_sent", "a_lost_move_is_noticed"]),
    (
        "3 blank lines inside responses, text between them",
        &[
            "blank_lines_inside_an_answer",
            "a_blank_line_inside_a_response_makes_the_rest_noise",
            "a_banner_is_no_garbage",
        ],
    ),
    (
        "4 headers with blanks, CRLF",
        &["headers_with_blanks_and_carriage_returns", "an_engine_that_repeats_no_ids"],
    ),
    ("5 blanks in list_commands", &["listed_commands_may_have_blanks"]),
    ("6 a command is one write", &["each_command_is_written_in_one_piece"]),
    (
        "7 lines of megabytes",
        &[
            "lines_of_megabytes",
            "a_slow_client_gets_the_newest_report_only",
            "a_line_above_the_limit_is_dropped_and_counted",
        ],
    ),
    ("8 stderr is drained, full pipes", &["stderr_is_always_drained", "full_pipes_both_ways_do_not_block"]),
    (
        "9 one stop for all engines",
        &["stopped_by_a_command_that_every_engine_knows", "an_analysis_is_stopped_on_real_engines"],
    ),
    (
        "10 an analysis that ends by itself",
        &["ends_by_itself", "ends_without_a_single_report", "leela_zero_ends_at_its_own_limit"],
    ),
    (
        "11 what interrupts what",
        &[
            "queued_requests_end_each_analysis_once",
            "a_genmove_is_not_interrupted",
            "cancel_ends_a_search_that_can_be_ended",
            "katago_s_search_is_ended_by_cancel",
        ],
    ),
    ("12 late info lines", &["late_lines_belong_to_nobody", "retarget_follows_and_never_looks_back"]),
    ("13 dialects of arguments", &["forms_are_tried_until_one_is_taken", "each_dialect_gets_what_it_takes"]),
    (
        "14 visits 0, passes, exponents",
        &["visits_zero_exponents_and_passes", "keys_come_in_any_order_and_unknown_ones_stay_raw"],
    ),
    ("15 garbage floats", &["ownership_is_whole_or_absent", "single_bad_numbers_are_dropped_and_counted"]),
    (
        "16 rectangular boards",
        &["rectangular_boards_only_where_listed", "gnu_go_takes_13_7_for_13_13", "katago_plays_on_13_7"],
    ),
    ("17 limits of size", &["refused_size_and_komi_keep_the_engine", "leela_zero_plays_on_19_only"]),
    (
        "18 handicap and other commands that need care",
        &[
            "commands_that_are_not_listed_are_not_sent",
            "a_refused_handicap_is_played",
            "handicap_never_by_a_command_that_aborts_engines",
        ],
    ),
    ("19 undo past the start", &["a_refused_undo_leads_to_a_full_sync"]),
    (
        "20 vertices",
        &["vertices_in_any_case", "answers_that_are_no_move_here", "a_resignation_is_never_played"],
    ),
    ("21 komi", &["komi_is_written_plainly", "katago_refuses_a_komi_of_6_3"]),
    ("22 refusals in any words", &["refusals_are_not_matched_on_text"]),
    (
        "23 moves, passes and resignations; two passes",
        &[
            "move_pass_or_resign",
            "leela_zero_is_not_asked_after_two_passes",
            "leela_zero_aborts_after_two_passes",
        ],
    ),
    (
        "24 crashes",
        &[
            "aborts_tell_their_signal_and_last_words",
            "restarts_are_counted",
            "katago_tells_what_is_wrong_with_its_config",
        ],
    ),
    (
        "25 slow engines",
        &[
            "slow_start_is_no_failure_while_it_prints",
            "a_slow_command_is_waited_for",
            "an_engine_that_cannot_be_interrupted_is_busy",
        ],
    ),
    ("26 the end of input", &["quit_and_the_end_of_input_end_it", "real_engines_leave_in_peace"]),
    (
        "27 time settings",
        &[
            "each_engine_is_told_in_its_own_way",
            "the_clock_is_set_again_after_a_restart",
            "real_engines_are_told_their_time",
        ],
    ),
    (
        "28 the JSON engine",
        &[
            "answers_come_in_any_order",
            "errors_without_id_lose_no_request",
            "an_analysis_reports_until_it_is_stopped",
            "refusals_reach_their_callers",
            "a_search_that_nobody_wants_is_terminated",
            "what_katago_has_said_is_read",
            "twenty_searches_at_once_on_katago_s_analysis_engine",
        ],
    ),
];

/// The text of all Rust files below a folder.
fn sources(folder: &std::path::Path, into: &mut String) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            into.push_str(&std::fs::read_to_string(path).expect("a source file"));
        }
    }
}

#[test]
fn every_point_has_its_tests() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut text = String::new();
    for folder in ["src/engine", "tests/actor"] {
        sources(&root.join(folder), &mut text);
    }
    for (number, (point, tests)) in POINTS.iter().enumerate() {
        assert!(point.starts_with(&format!("{} ", number + 1)) && !tests.is_empty(), "{point}");
        for test in *tests {
            let there = ["#[test]", "#[tokio::test]"].iter().any(|mark| {
                text.contains(&format!("{mark}\n    fn {test}("))
                    || text.contains(&format!("{mark}\nfn {test}("))
                    || text.contains(&format!("{mark}\nasync fn {test}("))
            });
            assert!(there, "{point}: there is no test {test}");
        }
    }
}

#[tokio::test]
async fn blank_lines_inside_an_answer() {
    // printsgf of some engines. What stands behind the blank line belongs to nothing.
    let fake =
        Fake::start("commands +printsgf\non printsgf: raw =%id (GM[1]\\n\\nC[= 1\\n\\nx])\\n\\n").await;
    assert_eq!(patiently(fake.engine.send("printsgf", None)).await.unwrap().text, "(GM[1]");
    assert_eq!(patiently(fake.engine.send("version", None)).await.unwrap().text, "1.0");
    patiently(fake.engine.sync(game(9, "E5"))).await.unwrap();
}

#[tokio::test]
async fn handicap_never_by_a_command_that_aborts_engines() {
    // Leela Zero aborts on fixed_handicap on a board that is not empty, Pachi on ten stones.
    let script = "commands +fixed_handicap +place_free_handicap\n\
                  on fixed_handicap: abort\non place_free_handicap: abort";
    let fake = Fake::start(script).await;
    patiently(fake.engine.sync(game(19, "Q16 D4"))).await.unwrap();
    for stones in 1..=10 {
        let mut position = game(19, "");
        let points = (0..stones).map(|index| (Point::new(3 + index, 3), Some(Color::Black)));
        position.steps.push(Step::Setup(points.collect()));
        position.to_play = Color::White;
        patiently(fake.engine.sync(position)).await.unwrap();
        assert_eq!(fake.showboard().await.matches('X').count(), usize::from(stones));
    }
    let received = fake.received();
    for (index, line) in received.iter().enumerate() {
        if line.starts_with("set_free_handicap") {
            let before = received[..index].iter().rev().take(3).any(|line| line == "clear_board");
            assert!(before, "on an empty board only: {line}");
        }
    }
}

#[tokio::test]
async fn vertices_in_any_case() {
    for (answer, vertex) in [
        ("c3", Vertex::At(Point { col: 2, row: 6 })),
        ("j9", Vertex::At(Point { col: 8, row: 0 })),
        ("Pass", Vertex::Pass),
        ("PASS", Vertex::Pass),
    ] {
        let fake = Fake::start(&format!("on genmove: reply {answer}")).await;
        let request = GenmoveRequest { position: Some(game(9, "")), ..GenmoveRequest::default() };
        let moved = patiently(fake.engine.genmove(request)).await.unwrap();
        assert_eq!(moved.play, GenmovePlay::Play(vertex), "{answer}");
    }
}

#[tokio::test]
async fn a_resignation_is_never_played() {
    // Leela Zero takes `play b resign`, KataGo and GNU Go refuse it.
    let fake = Fake::start("on genmove: reply RESIGN").await;
    let request = GenmoveRequest { position: Some(game(9, "E5")), ..GenmoveRequest::default() };
    assert_eq!(patiently(fake.engine.genmove(request)).await.unwrap().play, GenmovePlay::Resign);
    patiently(fake.engine.sync(game(9, "E5 C3"))).await.unwrap();
    assert!(fake.showboard().await.contains('O'));
    assert!(!fake.received().iter().any(|line| line.contains("resign")));
}

#[tokio::test]
async fn a_slow_command_is_waited_for() {
    // GNU Go scores 19x19 for more than a minute.
    let script = "commands +final_score\non final_score: sleep 900; reply B+3.5\non undo: sleep 900; reply";
    let fake = Fake::start_on(impatient(300), script).await;
    assert_eq!(patiently(fake.engine.send("final_score", None)).await.unwrap().text, "B+3.5");
    let error = patiently(fake.engine.send("undo", None)).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::EngineTimeout, "others are not");
}

#[tokio::test]
async fn the_clock_is_set_again_after_a_restart() {
    let fake = Fake::start("commands +time_settings\non genmove: exit 1").await;
    patiently(fake.engine.sync(game(9, "E5"))).await.unwrap();
    assert!(patiently(fake.engine.send("time_settings 60 30 5", None)).await.unwrap().ok);
    patiently(fake.engine.genmove(GenmoveRequest::default())).await.unwrap_err();
    assert!(fake.showboard().await.contains('X'), "the position, too");
    let received = fake.received();
    let restart = received.iter().rposition(|line| line == "list_commands").unwrap();
    assert_eq!(
        received[restart + 1..],
        ["time_settings 60 30 5", "boardsize 9", "clear_board", "komi 7.5", "play B E5", "showboard"]
    );
}

/// What `ssh go@example.org katago gtp` is like: the program runs elsewhere, and an end of the
/// connection is told on stderr.
const SSH: &str = r#"#!/bin/sh
exec 3<&0
FAKE "name KataGo" "on genmove: hang" <&3 &
trap 'kill -9 $!; echo "Connection to $1 closed by remote host." >&2; exit 255' TERM
wait
"#;

#[tokio::test]
async fn a_lost_connection_is_an_exit_with_its_stderr() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let ssh = dir.path().join("ssh");
    std::fs::write(&ssh, SSH.replace("FAKE", &example("fake-engine"))).unwrap();
    std::fs::set_permissions(&ssh, std::fs::Permissions::from_mode(0o755)).unwrap();
    let spec = EngineSpec {
        name: "far away".into(),
        path: ssh.display().to_string(),
        args: ["go@example.org", "katago", "gtp"].map(str::to_owned).to_vec(),
        ..EngineSpec::default()
    };
    let host = impatient(20_000);
    let engine = patiently(Engine::attach(&host, spec, StartIn::default())).await.unwrap();
    assert_eq!(engine.info().program, "KataGo");
    patiently(engine.sync(game(9, "E5"))).await.unwrap();
    let mut states = engine.watch_state();
    let asked = engine.clone();
    let moving = tokio::spawn(async move { asked.genmove(GenmoveRequest::default()).await });
    patiently(states.wait_for(|state| *state == State::Thinking)).await.unwrap();
    let process = rustix::process::Pid::from_raw(engine.info().process as i32).unwrap();
    rustix::process::kill_process(process, rustix::process::Signal::TERM).unwrap();
    let error = patiently(moving).await.unwrap().unwrap_err();
    assert_eq!(error.kind, ErrorKind::EngineExited);
    assert_eq!(error.evidence.exit_status.and_then(|exit| exit.code), Some(255));
    let words = error.evidence.stderr_tail.as_deref();
    assert_eq!(words, Some("Connection to go@example.org closed by remote host."));
    // It is started again like a local one, and stands where it stood.
    patiently(states.wait_for(|state| *state == State::Ready)).await.unwrap();
    assert_eq!(patiently(engine.send("list_stones black", None)).await.unwrap().text, "E5");
}

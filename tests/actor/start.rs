//! Programs that do not start, or are no engines: each its own error, promptly.

use kifud::engine::{Engine, EngineError, EngineSpec, ErrorKind, StartIn};
use kifud::go::clock::{Overtime, TimeControl};

use crate::support::*;

async fn failure(spec: EngineSpec) -> EngineError {
    patiently(Engine::attach(&host(), spec, StartIn::default())).await.expect_err("it must not start")
}

#[tokio::test]
async fn missing_program() {
    let spec = EngineSpec { path: "/nonexistent/engine".into(), ..EngineSpec::default() };
    let error = failure(spec).await;
    assert_eq!((error.kind, error.evidence.cause), (ErrorKind::EngineStartFailed, Some("not-found")));
    assert!(error.message.contains("/nonexistent/engine"), "{error}");
    let spec = EngineSpec { path: "no-such-engine-anywhere".into(), ..EngineSpec::default() };
    let error = failure(spec).await;
    assert_eq!(error.evidence.cause, Some("not-found"));
    assert!(error.message.contains("PATH"), "{error}");
}

#[tokio::test]
async fn not_executable() {
    let (_dir, path) = temporary_script("");
    let error = failure(EngineSpec { path: path.display().to_string(), ..EngineSpec::default() }).await;
    assert_eq!((error.kind, error.evidence.cause), (ErrorKind::EngineStartFailed, Some("not-executable")));
}

#[tokio::test]
async fn missing_working_directory() {
    let error = failure(EngineSpec { cwd: Some("/nonexistent".into()), ..fake("") }).await;
    assert_eq!(error.evidence.cause, Some("no-folder"));
}

#[tokio::test]
async fn exits_at_once() {
    let error = failure(shell("echo 'cannot read weights hunter2' >&2; exit 3")).await;
    assert_eq!((error.kind, error.evidence.cause), (ErrorKind::EngineStartFailed, Some("exited")));
    assert_eq!(error.evidence.exit_status.and_then(|exit| exit.code), Some(3));
    assert_eq!(error.evidence.stderr_tail.as_deref(), Some("cannot read weights hunter2"));
}

#[tokio::test]
async fn last_words_on_either_channel_are_understood() {
    for (script, hint) in [
        (
            "echo 'A network weights file is required to use the program.'; exit 1",
            "Leela Zero has no network",
        ),
        (
            "echo \"what():  Could not find key 'x' in config file y\" >&2; kill -ABRT $$",
            "configuration file",
        ),
        ("while read line; do echo 'Leela: = Leela Zero'; done", "without `--gtp`"),
    ] {
        let error = failure(shell(script)).await;
        let diagnosis = error.evidence.diagnosis.clone().expect(script);
        assert!(diagnosis.wrong.contains(hint) && error.message.contains(hint), "{error}");
    }
    let error = failure(shell("echo 'A network weights file is required to use the program.'; exit 1")).await;
    assert_eq!(
        error.evidence.reply.as_deref(),
        Some("A network weights file is required to use the program.")
    );
}

#[tokio::test]
async fn an_engine_is_recognised() {
    let of = async |spec: EngineSpec| {
        let engine = Engine::attach(&host(), spec, StartIn::default()).await.unwrap();
        engine.info().profile.map(|profile| profile.id)
    };
    assert_eq!(of(fake("name Leela Zero")).await, Some("leela-zero"));
    assert_eq!(of(fake("name Fake")).await, None);
    assert_eq!(
        of(EngineSpec { profile: Some("pachi".into()), ..fake("name Leela Zero") }).await,
        Some("pachi")
    );
}

#[tokio::test]
async fn missing_library_or_command() {
    let error = failure(shell("exec no-such-command-here")).await;
    assert!(error.message.contains("127"), "{error}");
    let error = failure(shell("kill -ABRT $$")).await;
    assert!(error.message.contains("SIGABRT"), "{error}");
}

#[tokio::test]
async fn secrets_are_shown_nowhere() {
    let mut spec = shell("echo \"login with $2 failed\" >&2; exit 1");
    spec.args.extend(["--password".into(), "hunter2".into(), "hunter2".into()]);
    let error = failure(spec).await;
    assert_eq!(error.evidence.stderr_tail.as_deref(), Some("login with *** failed"));
    assert!(!format!("{error:?}").contains("hunter2"), "{error:?}");
}

#[tokio::test]
async fn never_answers() {
    let host = impatient(300);
    let error = Engine::attach(&host, shell("exec sleep 1000"), StartIn::default()).await.unwrap_err();
    assert_eq!((error.kind, error.evidence.cause), (ErrorKind::EngineTimeout, Some("silent")));
}

#[tokio::test]
async fn slow_start_is_no_failure_while_it_prints() {
    // Silent for less than the patience each time, together for much longer.
    let chatter = "stderr tuning; sleep 300;".repeat(8);
    let fake = Fake::start_on(impatient(1500), &format!("on start: {chatter} stderr done")).await;
    assert_eq!(fake.engine.info().program, "Fake");
}

#[tokio::test]
async fn answers_garbage() {
    let error = failure(shell("while read line; do echo 'what do you mean?'; done")).await;
    assert_eq!((error.kind, error.evidence.cause), (ErrorKind::EngineStartFailed, Some("garbage")));
    assert_eq!(error.evidence.reply.as_deref(), Some("what do you mean?"));
}

#[tokio::test]
async fn prints_garbage_without_end() {
    let error = failure(shell("while :; do echo garbage garbage garbage; done")).await;
    assert_eq!(error.evidence.cause, Some("garbage"));
}

#[tokio::test]
async fn a_banner_is_no_garbage() {
    let fake =
        Fake::start("on start: raw Welcome\\n==== v1 ====\\n\\nloading\\n; sleep 700; raw done\\n").await;
    assert_eq!(fake.engine.info().version, "1.0");
}

#[tokio::test]
async fn floods_stdout_without_a_line_end() {
    let error = failure(fake("on start: flood")).await;
    assert_eq!((error.kind, error.evidence.cause), (ErrorKind::EngineStartFailed, Some("flood")));
}

#[tokio::test]
async fn closes_stdout_but_lives_on() {
    let error = failure(shell("exec 1>&-; exec sleep 1000")).await;
    assert_eq!((error.kind, error.evidence.cause), (ErrorKind::EngineStartFailed, Some("closed-stdout")));
}

#[tokio::test]
async fn wrong_protocols() {
    let error = failure(fake("protocol 1")).await;
    assert_eq!((error.kind, error.evidence.cause), (ErrorKind::EngineStartFailed, Some("wrong-protocol")));
    let error = failure(EngineSpec { protocol: Some("uci".into()), ..fake("") }).await;
    assert_eq!(error.kind, ErrorKind::EngineUnsupported);
}

#[tokio::test]
async fn failed_starts_leave_nothing_behind() {
    for script in ["exec 1>&-; sleep 1000", "sleep 1000 & while read line; do echo no; done"] {
        let mark = format!("{script} #{}", std::process::id());
        failure(shell(&mark)).await;
        until("the group is gone", || !command_lines().iter().any(|line| line.contains(&mark))).await;
    }
}

fn command_lines() -> Vec<String> {
    let entries = std::fs::read_dir("/proc").unwrap();
    entries.flatten().filter_map(|entry| std::fs::read_to_string(entry.path().join("cmdline")).ok()).collect()
}

#[tokio::test]
async fn initial_commands_are_sent_and_refusals_reported() {
    let mut spec = fake("commands +time_settings");
    spec.commands = "time_settings 0 10 1; bogus x ;;".into();
    let engine = Engine::attach(&host(), spec, StartIn::default()).await.unwrap();
    assert_eq!(engine.info().refused, [("bogus x".to_owned(), "unknown command".to_owned())]);
}

#[tokio::test]
async fn a_time_is_taken_back_to_that_of_the_initial_commands() {
    let control = TimeControl { main: 60_000, overtime: Overtime::None };
    for (commands, back) in [("time_settings 0 10 1", "time_settings 0 10 1"), ("", "time_settings 0 1 0")] {
        let mut spec = fake("commands +time_settings");
        spec.commands = commands.into();
        let engine = Engine::attach(&host(), spec, StartIn::default()).await.unwrap();
        let command =
            async |control| patiently(engine.set_time(control)).await.unwrap().map(|told| told.command);
        assert_eq!(command(None).await, None, "its own time stands");
        assert_eq!(command(Some(control)).await.as_deref(), Some("time_settings 60 0 0"));
        assert_eq!(command(None).await.as_deref(), Some(back));
        assert_eq!(command(None).await, None);
    }
}

#[tokio::test]
async fn the_minimal_engine_passes_then_resigns() {
    let spec = EngineSpec {
        path: example("minimal-engine"),
        args: vec!["--resign-after".into(), "1".into()],
        ..EngineSpec::default()
    };
    let engine = Engine::attach(&host(), spec, StartIn::default()).await.unwrap();
    let info = engine.info();
    assert!(info.supports.undo && !info.supports.analyze && !info.supports.handicap);
    let request = kifud::engine::GenmoveRequest { position: Some(game(9, "E5")), ..Default::default() };
    let first = patiently(engine.genmove(request)).await.unwrap();
    assert_eq!(first.play, kifud::engine::GenmovePlay::Play(kifud::go::Vertex::Pass));
    let second = patiently(engine.genmove(Default::default())).await.unwrap();
    assert_eq!(second.play, kifud::engine::GenmovePlay::Resign);
    assert_eq!(second.color, kifud::go::Color::Black);
}

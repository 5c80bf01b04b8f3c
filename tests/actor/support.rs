//! What all these tests use.

use std::path::{Path, PathBuf};
use std::time::Duration;

use kifud::engine::{
    Analysis, AnalysisEvent, AnalyzeRequest, Ended, Engine, EngineError, EngineSpec, Host, Running, StartIn,
    Timeouts,
};
use kifud::go::{Color, Move, Position, Size, Step, Vertex};

/// kifud's own executable.
pub const KIFUD: &str = env!("CARGO_BIN_EXE_kifud");

/// A program of `fixtures/engines`.
pub fn example(name: &str) -> String {
    let path = Path::new(KIFUD).with_file_name("examples").join(name);
    assert!(path.exists(), "{} is missing: run `cargo build --examples` first", path.display());
    path.display().to_string()
}

pub fn host() -> Host {
    Host::new(Timeouts::default(), KIFUD)
}

/// A host that waits only so long for answers.
pub fn impatient(milliseconds: u64) -> Host {
    let patience = Duration::from_millis(milliseconds);
    let timeouts =
        Timeouts { handshake: patience, command: patience, restart: Duration::ZERO, ..Timeouts::default() };
    Host::new(timeouts, KIFUD)
}

/// A program started as `sh -c SCRIPT`.
pub fn shell(script: &str) -> EngineSpec {
    EngineSpec {
        name: "shell".into(),
        path: "/bin/sh".into(),
        args: vec!["-c".into(), script.into()],
        ..EngineSpec::default()
    }
}

/// A fake engine that obeys a script, and the log of what it receives.
pub struct Fake {
    pub host: Host,
    pub engine: Engine,
    log: tempfile::NamedTempFile,
}

impl Fake {
    pub async fn start(script: &str) -> Fake {
        Fake::start_on(host(), script).await
    }

    pub async fn start_on(host: Host, script: &str) -> Fake {
        Fake::try_start(host, script).await.expect("the fake engine starts")
    }

    pub async fn try_start(host: Host, script: &str) -> Result<Fake, EngineError> {
        let log = tempfile::NamedTempFile::new().expect("a log file");
        let mut spec = fake(script);
        spec.env.insert("FAKE_LOG".into(), log.path().display().to_string());
        let engine = Engine::attach(&host, spec, StartIn::default()).await?;
        Ok(Fake { host, engine, log })
    }

    /// The commands that arrived, ids cut off.
    pub fn received(&self) -> Vec<String> {
        let log = std::fs::read_to_string(self.log.path()).expect("the log");
        let command = |line: &str| match line.split_once(' ') {
            Some((id, command)) if id.parse::<u32>().is_ok() => command.to_owned(),
            _ => line.to_owned(),
        };
        log.split_terminator('\n').map(command).collect()
    }

    /// What the engine itself says stands on its board.
    pub async fn showboard(&self) -> String {
        self.engine.send("showboard", None).await.expect("showboard").text
    }

    pub fn kill(&self) {
        kill(self.engine.info().process);
    }
}

pub fn fake(script: &str) -> EngineSpec {
    EngineSpec {
        name: "Fake".into(),
        path: example("fake-engine"),
        args: vec![script.into()],
        ..EngineSpec::default()
    }
}

/// A square board and moves in GTP's spelling, Black and White in turn.
pub fn game(side: u8, moves: &str) -> Position {
    let size = Size::square(side).expect("a size");
    let mut position = Position::new(size);
    position.komi = Some(7.5);
    for (index, text) in moves.split_whitespace().enumerate() {
        let color = if index % 2 == 0 { Color::Black } else { Color::White };
        let vertex = Vertex::parse_gtp(text, size).expect("a vertex");
        position.steps.push(Step::Play(Move { color, vertex }));
        position.to_play = color.opponent();
    }
    position
}

/// As many moves as asked for: four stones, then passes.
pub fn long_game(moves: usize) -> Position {
    let mut position = game(19, "Q16 D4 Q3 D17");
    while position.steps.len() < moves {
        let color = position.to_play;
        position.steps.push(Step::Play(Move { color, vertex: Vertex::Pass }));
        position.to_play = color.opponent();
    }
    position
}

pub fn here() -> AnalyzeRequest {
    AnalyzeRequest { position: Some(game(9, "")), ..AnalyzeRequest::default() }
}

pub fn at(position: Position) -> AnalyzeRequest {
    AnalyzeRequest { position: Some(position), ..AnalyzeRequest::default() }
}

/// The next report.
pub async fn report(analysis: &mut Analysis) -> Running {
    loop {
        match patiently(analysis.events.next()).await {
            Some(AnalysisEvent::Running(running)) => return running,
            Some(AnalysisEvent::Started(_)) => {}
            other => panic!("no report: {other:?}"),
        }
    }
}

/// All events to the end: the first must be the start, the last the only end.
pub async fn ended(mut analysis: Analysis) -> Ended {
    loop {
        match patiently(analysis.events.next()).await {
            Some(AnalysisEvent::Ended(ended)) => {
                assert_eq!(patiently(analysis.events.next()).await, None, "nothing follows the end");
                return ended;
            }
            Some(_) => {}
            None => panic!("the stream closed without an end"),
        }
    }
}

/// Fails a test that would hang, long after a loaded machine would have answered.
pub async fn patiently<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(60), future).await.expect("an answer within a minute")
}

/// Waits until something holds.
pub async fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let start = std::time::Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(60), "never: {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

pub fn kill(process: u32) {
    let pid = rustix::process::Pid::from_raw(process as i32).expect("a process id");
    rustix::process::kill_process(pid, rustix::process::Signal::KILL)
        .expect("the process is there to be killed");
}

/// Whether a process runs (one that only waits to be reaped does not).
pub fn runs(process: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let state = stat.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next());
    state.is_some_and(|state| state != 'Z' && state != 'X')
}

/// The running processes of a process group.
pub fn group(group: u32) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").expect("/proc");
    let processes = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    processes
        .filter(|process| {
            let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
            let mut fields = stat.rsplit_once(") ").map(|(_, rest)| rest.split(' ')).into_iter().flatten();
            fields.nth(2).and_then(|field| field.parse::<u32>().ok()) == Some(group) && runs(*process)
        })
        .collect()
}

pub fn temporary_script(text: &str) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().expect("a folder");
    let path = dir.path().join("engine.script");
    std::fs::write(&path, text).expect("a script");
    (dir, path)
}

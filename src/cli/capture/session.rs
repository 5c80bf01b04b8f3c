//! One recording: a program is told a position in raw GTP, and what it prints while it analyses
//! is kept byte by byte.

use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use super::matrix::Limits;
use crate::engine::gtp::analyze::is_report_line;
use crate::engine::gtp::codec::{Decoder, Event, encode, word};
use crate::engine::process::{Input, Process};

/// What a cell without a single line fails with.
const NO_ANALYSIS: &str = "engine produced no analysis";

/// Before SIGTERM, and between it and SIGKILL.
const QUIT: Duration = Duration::from_secs(3);
const TERMINATE: Duration = Duration::from_secs(1);

/// What an engine printed.
#[derive(Debug, Default)]
pub struct Recording {
    /// Its info lines, without line ends; at least one.
    pub lines: Vec<Vec<u8>>,
    /// The `play MOVE` that ended a move or a search.
    pub play: Option<Vec<u8>>,
    /// Its answers to `name` and `version`, the first two commands.
    pub name: String,
    pub version: String,
}

/// Sends the commands in one piece, records the answer to the last one, and ends the program.
/// `Err` is why there is no recording.
pub async fn record(
    process: &mut Process,
    commands: &[String],
    limits: &Limits,
) -> Result<Recording, String> {
    let ids = 1..;
    let lines = ids.zip(commands).flat_map(|(id, command)| encode(id, command)).collect();
    process.write(lines);
    let outcome = listen(process, commands, limits).await;
    process.write(b"stop\n".to_vec());
    process.stop("quit", QUIT, TERMINATE).await;
    outcome
}

/// Whether the engine ends such an analysis itself, with a move.
fn ends_by_itself(command: &str) -> bool {
    let name = word(command);
    name.contains("genmove") || name.contains("search")
}

async fn listen(process: &mut Process, commands: &[String], limits: &Limits) -> Result<Recording, String> {
    let analysis = commands.last().map_or("", String::as_str);
    let mut recording = Recording::default();
    let mut decoder = Decoder::default();
    let mut analysing = false;
    let mut until = Instant::now() + Duration::from_millis(limits.start_ms);
    loop {
        // An engine that floods is always ready: the clock is asked too.
        let late = Instant::now() >= until;
        let next = if late { None } else { timeout_at(until, process.next()).await.ok() };
        let Some(input) = next else {
            return match recording.lines.is_empty() {
                true => Err(format!("{NO_ANALYSIS} within {} ms of its start", limits.start_ms)),
                false if ends_by_itself(analysis) => {
                    Err(format!("no move within {} ms of the first line", limits.max_ms))
                }
                false => Ok(recording),
            };
        };
        let line = match input {
            Input::Line => process.line(),
            Input::Exited(exit) => return Err(broken_off(&recording, &format!("it ended ({exit})"))),
            Input::Closed => return Err(broken_off(&recording, "it closed its output")),
            Input::Silent => return Err(broken_off(&recording, "it said nothing any more")),
            Input::Flood => return Err("the engine prints a line without end".to_owned()),
        };
        let place = |id: Option<u32>| id.and_then(|id| (id as usize).checked_sub(1));
        match decoder.feed(line) {
            Some(Event::Open { ok: false, id, text }) => {
                let command = place(id).and_then(|place| commands.get(place)).map_or("?", String::as_str);
                return Err(format!("the engine refused `{command}`: {}", String::from_utf8_lossy(text)));
            }
            Some(Event::Open { id, text, .. }) => match place(id) {
                Some(0) => recording.name = String::from_utf8_lossy(text).into_owned(),
                Some(1) => recording.version = String::from_utf8_lossy(text).into_owned(),
                place => analysing = place == commands.len().checked_sub(1),
            },
            Some(Event::Line(_)) if analysing => {
                if is_report_line(line) {
                    if recording.lines.is_empty() {
                        let settle = if ends_by_itself(analysis) { limits.max_ms } else { limits.settle_ms };
                        until = Instant::now() + Duration::from_millis(settle.min(limits.max_ms));
                    }
                    recording.lines.push(line.strip_suffix(b"\r").unwrap_or(line).to_vec());
                    if recording.lines.len() > limits.max_lines.max(2) {
                        recording.lines.remove(1);
                    }
                } else if line.starts_with(b"play ") {
                    recording.play = Some(line.trim_ascii_end().to_vec());
                }
            }
            Some(Event::Close) if analysing && recording.lines.is_empty() => {
                return Err(NO_ANALYSIS.to_owned());
            }
            Some(Event::Close) if analysing => return Ok(recording),
            Some(Event::Line(_) | Event::Close | Event::Noise(_)) | None => {}
        }
    }
}

/// Why there is no whole recording.
fn broken_off(recording: &Recording, how: &str) -> String {
    let what = if recording.lines.is_empty() { NO_ANALYSIS } else { "the analysis broke off" };
    format!("{what}: {how}")
}

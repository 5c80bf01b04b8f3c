//! `kifud analyze`: every node of a game, one table.

use std::collections::HashMap;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{GtpLogArgs, REFUSED, complain, in_session};
use crate::cli::graph;
use crate::engine::Protocol;
use crate::service::Service;
use crate::service::error::{Error, Kind, Result};
use crate::service::session::Session;
use crate::service::settings::{Args as EngineArgs, BUILTIN, EngineSettings, Settings};
use crate::service::table::{Answer, Call, Table};
use crate::text_table::{Column, Table as TextTable};

#[derive(clap::Args)]
pub struct Args {
    /// SGF files.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// A configured engine. When absent: the first that speaks katago-json, else the first of the settings.
    #[arg(long, value_name = "NAME", conflicts_with = "replay")]
    engine: Option<String>,
    /// No engine at all: answers come from transcripts recorded for this game.
    #[arg(long, value_name = "DIR")]
    replay: Option<PathBuf>,
    /// Visits for each node.
    #[arg(long, value_name = "N", conflicts_with = "seconds")]
    visits: Option<u64>,
    /// Seconds for each node; 1 when neither is given, nor --budget.
    #[arg(long, value_name = "S")]
    seconds: Option<f64>,
    /// A second pass: so many visits where a move lost much or the values swing.
    #[arg(long, value_name = "N")]
    deeper: Option<u64>,
    /// Seconds for each game: all nodes quickly, the rest of the time where it matters.
    #[arg(long, value_name = "SECONDS")]
    budget: Option<f64>,
    /// Go on where the same command was interrupted.
    #[arg(long)]
    resume: bool,
    /// Also the variations.
    #[arg(long)]
    variations: bool,
    /// Every row as a line of JSON.
    #[arg(long)]
    json: bool,
    /// In place of the table: what each player lost in each phase, and the worst moves.
    #[arg(long, value_name = "FORMAT", conflicts_with = "json")]
    report: Option<ReportFormat>,
    /// Write win rate, score lead and candidates into the file (SBKV, SBKS, KFCA).
    #[arg(long)]
    write: bool,
    /// With --write: the engine's better line as a variation where a move loses at least so much
    /// (points; percent when the engine tells no score).
    #[arg(long, value_name = "N", requires = "write")]
    loss: Option<f64>,
    /// At most so many of these lines in a game [default: 10].
    #[arg(long, value_name = "N", requires = "loss")]
    lines: Option<usize>,
    /// At most so many moves in each of them [default: 10].
    #[arg(long, value_name = "N", requires = "loss")]
    line_moves: Option<usize>,
    /// Draw win rate and score lead over the moves; further games go to FILE-2.svg and so on.
    #[arg(long, value_name = "FILE.svg")]
    graph: Option<PathBuf>,
    #[command(flatten)]
    gtp_log: GtpLogArgs,
}

/// In what form a report is printed.
#[derive(Debug, Clone, Copy, PartialEq, clap::ValueEnum)]
enum ReportFormat {
    Json,
    Table,
    Markdown,
}

impl ReportFormat {
    fn name(self) -> &'static str {
        match self {
            ReportFormat::Json => "json",
            ReportFormat::Table => "table",
            ReportFormat::Markdown => "markdown",
        }
    }
}

/// What this command reads of a row.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Row {
    pub state: String,
    pub reason: Option<String>,
    pub total: Option<u64>,
    pub resumed: Option<u64>,
    pub left: Option<u64>,
    pub node: Option<Value>,
    pub pass: Option<u8>,
    pub progress: Option<Count>,
    pub move_number: Option<usize>,
    pub color: Option<String>,
    pub played: Option<String>,
    pub black: Option<Black>,
    pub loss: Option<f64>,
    pub loss_unit: Option<String>,
    pub best: Option<String>,
    pub visits: Option<u64>,
    pub error: Option<Value>,
}

/// How far a pass is.
#[derive(Debug, Clone, Copy, Deserialize)]
pub struct Count {
    pub done: u64,
    pub total: u64,
}

/// Black's numbers.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Black {
    pub winrate: f64,
    pub score_lead: Option<f64>,
}

pub fn run(settings: Settings, args: &Args) -> ExitCode {
    let work =
        async |service: &Arc<Service>, session: &Arc<Session>| analyze_all(service, session, args).await;
    let outcome = match in_session(settings, &args.gtp_log, work) {
        Ok(Some(outcome)) => outcome,
        Ok(None) => {
            let message = "interrupted; games that were not finished are as they were, \
                           and the same command with --resume goes on where this one was";
            Err(Error::new(Kind::Cancelled, message).into())
        }
        Err(code) => return code,
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        // What went wrong has been said; or nobody listens any more.
        Ok(false) | Err(Halt::Unheard) => ExitCode::from(REFUSED),
        Err(Halt::Failed(error)) => complain(&error, REFUSED),
    }
}

/// Why nothing more is done.
enum Halt {
    /// Nobody reads stdout any more.
    Unheard,
    /// Something went wrong.
    Failed(Error),
}

impl From<Error> for Halt {
    fn from(error: Error) -> Halt {
        Halt::Failed(error)
    }
}

/// Writes a text to stdout.
fn print(text: &str) -> std::result::Result<(), Halt> {
    let mut out = std::io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(|error| match error.kind() {
        std::io::ErrorKind::BrokenPipe => Halt::Unheard,
        _ => Halt::Failed(Error::new(Kind::Internal, format!("stdout cannot be written: {error}"))),
    })
}

/// Analyses every game of every file; true when nothing went wrong with any.
async fn analyze_all(
    service: &Arc<Service>,
    session: &Arc<Session>,
    args: &Args,
) -> std::result::Result<bool, Halt> {
    let (engine, demo) = attach(service, session, args).await?;
    let mut analysis = Analysis { service, session, engine, demo, args, graphs: 0 };
    let mut all_well = true;
    for file in &args.files {
        if args.files.len() > 1 && !args.json && args.report != Some(ReportFormat::Json) {
            print(&format!("{}\n", file.display()))?;
        }
        for game in 0.. {
            match analysis.game(file, game).await {
                Ok(()) => {}
                // Behind the last game.
                Err(Halt::Failed(error)) if error.kind == Kind::NotFound && game > 0 => break,
                Err(Halt::Failed(error)) => {
                    all_well = false;
                    complain(&error, REFUSED);
                    // Other games may be fine, when it was about this one.
                    if !matches!(error.kind, Kind::UnsupportedGame | Kind::EngineRefused) {
                        break;
                    }
                }
                Err(Halt::Unheard) => return Err(Halt::Unheard),
            }
        }
    }
    Ok(all_well)
}

/// Starts the engine; its id, and whether it is for demos only.
async fn attach(service: &Arc<Service>, session: &Arc<Session>, args: &Args) -> Result<(String, bool)> {
    let settings = service.settings();
    let params = match (&args.replay, &args.engine) {
        (Some(folder), _) => json!({"engine": replay_engine(folder)?}),
        (None, Some(name)) => json!({"name": name}),
        (None, None) => {
            // Built for whole games: many positions at once.
            let analyst =
                settings.engines.iter().find(|engine| engine.protocol() == Protocol::KatagoJson.name());
            let first = analyst.or(settings.engines.first()).unwrap_or(&BUILTIN);
            json!({"name": first.name})
        }
    };
    let attached = call(service, session, "engine/attach", &params).await?;
    let demo = attached["engine"]["demo"] == true;
    if demo {
        eprintln!(
            "kifud: no engine is configured; these numbers are a demo engine's, which is weak (README tells how to \
             name a strong one)"
        );
    }
    Ok((attached["engine"]["id"].as_str().unwrap_or_default().to_owned(), demo))
}

/// This very program, playing back transcripts.
fn replay_engine(folder: &Path) -> Result<EngineSettings> {
    let failed = |error: std::io::Error| Error::new(Kind::EngineStartFailed, error.to_string());
    let program = std::env::current_exe().map_err(failed)?;
    let folder = std::path::absolute(folder).map_err(failed)?;
    let args = ["replay", "--transcript", &folder.to_string_lossy()].map(str::to_owned).to_vec();
    Ok(EngineSettings {
        name: "replay".to_owned(),
        path: program.to_string_lossy().into_owned(),
        args: Some(EngineArgs(args)),
        ..EngineSettings::default()
    })
}

pub(super) async fn call(
    service: &Arc<Service>,
    session: &Arc<Session>,
    method: &str,
    params: &Value,
) -> Result<Value> {
    match dispatch(service, session, method, params).await? {
        Answer::Value(value) => Ok(serde_json::from_str(value.get()).unwrap_or_default()),
        Answer::Stream { .. } => Ok(Value::Null),
    }
}

pub(super) async fn dispatch(
    service: &Arc<Service>,
    session: &Arc<Session>,
    method: &str,
    params: &Value,
) -> Result<Answer> {
    let params = serde_json::value::to_raw_value(params)
        .map_err(|error| Error::new(Kind::Internal, error.to_string()))?;
    let call = Call { id: None, method, params: Some(&params), subscription: None };
    Table::dispatch(service, session, call).await
}

/// The games, one after the other.
struct Analysis<'a> {
    service: &'a Arc<Service>,
    session: &'a Arc<Session>,
    engine: String,
    /// Whether the numbers are a demo engine's.
    demo: bool,
    args: &'a Args,
    /// How many have been drawn.
    graphs: usize,
}

impl Analysis<'_> {
    /// One game of a file.
    async fn game(&mut self, file: &Path, game: u32) -> std::result::Result<(), Halt> {
        let args = self.args;
        let path =
            std::path::absolute(file).map_err(|error| Error::new(Kind::NotFound, error.to_string()))?;
        let params = params(args, &file_uri(&path), game, &self.engine);
        let opened = dispatch(self.service, self.session, "analysis/game", &params).await?;
        let Answer::Stream { subscription, .. } = opened else {
            return Err(Error::new(Kind::Internal, "analysis/game did not open a stream").into());
        };
        if game > 0 && !args.json && args.report != Some(ReportFormat::Json) {
            print(&format!("{}, game {}\n", file.display(), game + 1))?;
        }
        let progress = progress_bar();
        let (mut rows, mut places) = (Vec::new(), HashMap::new());
        while let Some(event) = subscription.next().await {
            let row: Row = serde_json::from_str(event.get())
                .map_err(|error| Error::new(Kind::Internal, format!("a row cannot be read: {error}")))?;
            match row.state.as_str() {
                "started" => {
                    progress.set_length(row.total.unwrap_or(0));
                    if let (Some(known @ 1..), Some(total)) = (row.resumed, row.total) {
                        let known = format!("{known} of {total} nodes are known from an earlier review");
                        progress.suspend(|| eprintln!("kifud: {}: {known}", file.display()));
                    }
                }
                "running" => {
                    show(&progress, &row);
                    if args.json {
                        progress.suspend(|| print(&format!("{}\n", event.get())))?;
                    }
                    put(&mut rows, &mut places, row);
                }
                _ => {
                    progress.finish_and_clear();
                    match args.report {
                        _ if args.json => print(&format!("{}\n", event.get()))?,
                        None => print(&table(&rows))?,
                        Some(format) => print(&self.report(&file_uri(&path), game, format).await?)?,
                    }
                    self.draw(&rows)?;
                    return Ok(conclude(file, &row, &rows)?);
                }
            }
        }
        Err(Error::new(Kind::Internal, "the analysis ended without a last event").into())
    }

    /// A reviewed game in numbers; nothing when nothing was found, which is told elsewhere.
    async fn report(&self, uri: &str, game: u32, format: ReportFormat) -> Result<String> {
        let params = json!({"document": {"uri": uri}, "game": game, "format": format.name()});
        match call(self.service, self.session, "analysis/report", &params).await {
            Ok(answer) => Ok(match answer["text"].as_str() {
                Some(text) => text.to_owned(),
                None => format!("{}\n", answer["report"]),
            }),
            Err(error) if error.kind == Kind::NotFound => Ok(String::new()),
            Err(error) => Err(error),
        }
    }

    fn draw(&mut self, rows: &[Row]) -> Result<()> {
        let Some(path) = &self.args.graph else { return Ok(()) };
        self.graphs += 1;
        let path = numbered(path, self.graphs);
        std::fs::write(&path, graph::svg(rows, self.demo)).map_err(|error| {
            Error::new(Kind::Internal, format!("{} cannot be written: {error}", path.display()))
        })
    }
}

/// What a game is reviewed with.
fn params(args: &Args, uri: &str, game: u32, engine: &str) -> Value {
    let given = |pairs: &[(&str, Option<Value>)]| -> Value {
        let given = pairs.iter().filter_map(|(key, value)| Some(((*key).to_owned(), value.clone()?)));
        Value::Object(given.collect())
    };
    let limit =
        given(&[("visits", args.visits.map(Value::from)), ("seconds", args.seconds.map(Value::from))]);
    given(&[
        ("document", Some(json!({"uri": uri}))),
        ("game", Some(game.into())),
        ("engineId", Some(engine.into())),
        ("limit", Some(limit)),
        ("deeper", args.deeper.map(|visits| json!({"visits": visits}))),
        ("budgetSeconds", args.budget.map(Value::from)),
        ("variations", Some(args.variations.into())),
        ("write", Some(args.write.into())),
        ("lossThreshold", args.loss.map(Value::from)),
        ("maxVariations", args.lines.map(Value::from)),
        ("variationMoves", args.line_moves.map(Value::from)),
        ("resume", Some(args.resume.into())),
    ])
}

/// A later row of a node takes the place of its earlier one.
fn put(rows: &mut Vec<Row>, places: &mut HashMap<String, usize>, row: Row) {
    let node = row.node.as_ref().map(Value::to_string).unwrap_or_default();
    let place = *places.entry(node).or_insert(rows.len());
    match rows.get_mut(place) {
        Some(older) => *older = row,
        None => rows.push(row),
    }
}

/// How far the pass is.
fn show(progress: &ProgressBar, row: &Row) {
    if let Some(Count { done, total }) = row.progress {
        progress.set_length(total);
        progress.set_position(done);
    }
    if row.pass == Some(2) {
        progress.set_message("deeper: ");
    }
}

/// `game.svg`, `game-2.svg`, `game-3.svg` …
fn numbered(path: &Path, number: usize) -> PathBuf {
    if number == 1 {
        return path.to_owned();
    }
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(format!("-{number}"));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

/// A path as a URI; its bytes need not be UTF-8.
fn file_uri(path: &Path) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte);
    let mut uri = "file://".to_owned();
    for byte in path.as_os_str().as_encoded_bytes() {
        match plain(*byte) {
            true => uri.push(char::from(*byte)),
            false => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

fn conclude(file: &Path, last: &Row, rows: &[Row]) -> Result<()> {
    let failed = last.error.as_ref().or_else(|| {
        let none = rows.iter().all(|row| row.black.is_none());
        rows.iter().find_map(|row| row.error.as_ref()).filter(|_| none)
    });
    if let Some(error) = failed {
        let message = error["message"].as_str().unwrap_or("the analysis failed");
        let kind = if last.error.is_some() { Kind::Internal } else { Kind::EngineRefused };
        let mut failure = Error::new(kind, format!("{}: {message}", file.display()));
        if let Some(data) = error["data"].as_object() {
            failure.data = data.clone();
        }
        return Err(failure);
    }
    match last.reason.as_deref() {
        Some("finished") => Ok(()),
        Some("budget") => {
            let left = last.left.unwrap_or(0);
            eprintln!("kifud: {}: the time is over; {left} nodes have no numbers", file.display());
            Ok(())
        }
        reason => {
            Err(Error::new(Kind::Cancelled, format!("the analysis ended early: {}", reason.unwrap_or("?"))))
        }
    }
}

fn progress_bar() -> ProgressBar {
    let target = match std::io::stderr().is_terminal() {
        true => ProgressDrawTarget::stderr(),
        false => ProgressDrawTarget::hidden(),
    };
    let bar = ProgressBar::with_draw_target(Some(0), target);
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {msg}{pos}/{len} nodes, {eta} left") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(250));
    bar
}

/// The table for people.
fn table(rows: &[Row]) -> String {
    let unit = rows.iter().find_map(|row| row.loss_unit.as_deref());
    let loss = if unit == Some("percent") { "loss %" } else { "loss" };
    let columns = [
        Column::right("move"),
        Column::left("played"),
        Column::right("win rate"),
        Column::right("score"),
        Column::right(loss),
        Column::left("best"),
        Column::right("visits"),
    ];
    let mut table = TextTable::new(&columns);
    for row in rows {
        let played = match (&row.color, &row.played) {
            (Some(color), Some(vertex)) => format!("{color} {vertex}"),
            _ => String::new(),
        };
        table.row(vec![
            row.move_number.map_or_else(String::new, |n| n.to_string()),
            played,
            row.black.map_or_else(|| "-".to_owned(), |black| format!("B {:.1}%", black.winrate)),
            row.black.and_then(|black| black.score_lead).map_or_else(String::new, lead),
            row.loss.map_or_else(String::new, one_decimal),
            row.best.clone().unwrap_or_default(),
            row.visits.map_or_else(String::new, |visits| visits.to_string()),
        ]);
    }
    table.to_string() + &reasons(rows)
}

/// Why rows have no numbers: a line a reason, with the first move that it concerns.
fn reasons(rows: &[Row]) -> String {
    let mut reasons: Vec<(usize, &str, usize)> = Vec::new();
    for row in rows {
        let Some(why) = row.error.as_ref().and_then(|error| error["message"].as_str()) else { continue };
        match reasons.iter_mut().find(|(_, known, _)| *known == why) {
            Some((_, _, more)) => *more += 1,
            None => reasons.push((row.move_number.unwrap_or(0), why, 0)),
        }
    }
    let line = |(number, why, more): (usize, &str, usize)| match more {
        0 => format!("move {number}: {why}\n"),
        more => format!("move {number} and {more} more: {why}\n"),
    };
    reasons.into_iter().map(line).collect()
}

/// `0.5`, `-1.2`, never `-0.0`.
fn one_decimal(number: f64) -> String {
    let text = format!("{number:.1}");
    if text == "-0.0" { "0.0".to_owned() } else { text }
}

/// `B+3.5`, `W+12.0`, `0.0`.
fn lead(black: f64) -> String {
    match format!("{:.1}", black.abs()).as_str() {
        "0.0" => "0.0".to_owned(),
        points if black > 0.0 => format!("B+{points}"),
        points => format!("W+{points}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_further_graphs() {
        assert_eq!(numbered(Path::new("a/b.c.svg"), 1), Path::new("a/b.c.svg"));
        assert_eq!(numbered(Path::new("a/b.c.svg"), 2), Path::new("a/b.c-2.svg"));
        assert_eq!(numbered(Path::new("graph"), 3), Path::new("graph-3"));
    }

    #[test]
    fn paths_as_uris() {
        assert_eq!(file_uri(Path::new("/a b/围%.sgf")), "file:///a%20b/%E5%9B%B4%25.sgf");
    }

    #[test]
    fn reasons_are_told_once() {
        let row = |number, message: Option<&str>| Row {
            move_number: Some(number),
            error: message.map(|message| serde_json::json!({"message": message})),
            ..Row::default()
        };
        let rows = [row(1, None), row(2, Some("too large")), row(3, Some("odd")), row(4, Some("too large"))];
        assert_eq!(reasons(&rows), "move 2 and 1 more: too large\nmove 3: odd\n");
    }

    #[test]
    fn leads() {
        assert_eq!([3.54, -12.0, 0.04, -0.04].map(lead), ["B+3.5", "W+12.0", "0.0", "0.0"]);
        assert_eq!([0.04, -0.04, -1.26].map(one_decimal), ["0.0", "0.0", "-1.3"]);
    }
}

//! The tools that ask engines.

use std::fmt::Write;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::caller::Caller;
use super::records::{beyond, node};
use super::tool::Tool;
use super::xiangqi;
use crate::service::error::{Error, Kind, Result};

/// Visits of one position when nothing else is asked for.
const VISITS: u64 = 400;
/// Visits of each position of a review when nothing else is asked for.
const REVIEW_VISITS: u64 = 100;
const MAX_VISITS: u64 = 1_000_000;
/// Seconds of a review when nothing else is asked for: less than clients wait for an answer.
const REVIEW_SECONDS: f64 = 45.0;
const MAX_SECONDS: f64 = 1800.0;
/// Seconds of one position.
const NODE_SECONDS: u64 = 45;
/// Candidates that are told.
const MAX_CANDIDATES: usize = 8;

pub fn tools() -> Vec<Tool> {
    vec![
        Tool::new(
            "list_engines",
            "List engines",
            "Lists the Go engines that can be asked. `builtin` is always there and needs nothing, but is weak; the \
             others are named in the user's settings. Xiangqi has its own engine in the box.",
            list_engines,
        ),
        Tool::new(
            "analyse_node",
            "Analyse a place in a record",
            "Lets an engine think about one place of a game record, and tells who is ahead and by how much, and the \
             best moves with the lines that it expects. The first call of an engine may take some seconds.",
            analyse_node,
        ),
        Tool::new(
            "review_game",
            "Review a whole game",
            "Lets an engine look at every move of a Go game, then tells what each player lost in opening, middle game \
             and endgame, and the worst moves with better ones. May take a minute. What it finds is remembered for \
             worst_moves while this server runs.",
            review_game,
        )
        .narrower("worst_moves tells the worst moves alone"),
        Tool::new(
            "worst_moves",
            "List the worst moves of a game",
            "Lists the moves of a Go game that lost most, with how much, how bad that is, and what was better. From \
             an earlier review_game, else from the values stored in the record; says so when there are none.",
            worst_moves,
        )
        .narrower("ask with a higher loss_threshold"),
    ]
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListEngines {}

async fn list_engines(desk: Caller, _: ListEngines) -> Result<String> {
    let engines = desk.call("engine/list", json!({})).await?;
    let mut said = String::new();
    for engine in engines["configured"].as_array().into_iter().flatten() {
        let note = if engine["name"] == "builtin" { ", in the box, weak" } else { "" };
        let _ = writeln!(said, "{} ({}{note})", text(&engine["name"]), text(&engine["protocol"]));
    }
    Ok(said)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AnalyseNode {
    /// A file, as list_records names it; or the text of a record itself.
    record: String,
    /// Which game of a collection, from 1; the first when absent.
    game: Option<u32>,
    /// So many nodes from the start along the main line, which mostly is the number of the move; the start
    /// (0) when neither this nor `path` is given.
    move_number: Option<u32>,
    /// In place of `move_number`, a node in a variation, as answers give it, such as ["0*13", 1].
    path: Option<Vec<Value>>,
    /// An engine of list_engines; `builtin` when absent.
    engine: Option<String>,
    /// How many positions the engine looks at; 400 when absent. More is slower and better.
    visits: Option<u64>,
}

fn visits(asked: Option<u64>, default: u64) -> Result<u64> {
    let visits = asked.unwrap_or(default);
    if (1..=MAX_VISITS).contains(&visits) {
        return Ok(visits);
    }
    Err(Error::field("visits", format!("visits: at least 1 and at most {MAX_VISITS}")))
}

async fn analyse_node(desk: Caller, asked: AnalyseNode) -> Result<String> {
    let visits = visits(asked.visits, VISITS)?;
    let source = desk.source(&asked.record)?;
    let document = desk.open(&source).await?;
    let node = node(asked.game, asked.move_number, asked.path)?;
    let position = json!({"document": document, "node": node});
    if source.is_xiangqi() {
        return xiangqi::best(&desk, json!({"position": position}), 1.0).await;
    }
    let (engine, _guard) = desk.engine(asked.engine.as_deref()).await?;
    let params =
        json!({"engineId": engine, "position": position, "interval": 20, "limit": {"visits": visits}});
    let events = desk.stream("engine/analyze", params).await.map_err(|error| beyond(error, &node))?;
    let (mut report, mut last) = (Value::Null, Value::Null);
    let end = tokio::time::sleep(std::time::Duration::from_secs(NODE_SECONDS));
    tokio::pin!(end);
    while let Some(event) = tokio::select! { event = events.next() => event, () = &mut end => None } {
        let event: Value = serde_json::from_str(event.get()).unwrap_or_default();
        match text(&event["state"]) {
            "running" => {
                desk.progress(event["visits"].as_u64().unwrap_or_default().min(visits), visits, "visits")
                    .await;
                report = event;
            }
            "ended" => last = event,
            _ => {}
        }
    }
    if report.is_null() {
        let why = last["error"]["message"].as_str().unwrap_or("the engine has said nothing in time");
        return Err(Error::new(Kind::EngineRefused, why));
    }
    Ok(analysis(&report))
}

fn analysis(report: &Value) -> String {
    let side = if report["color"] == "W" { "White" } else { "Black" };
    let number = |value: &Value| value.as_f64().unwrap_or_default();
    let mut said = format!("{side} to move: win rate {:.1}% for {side}", number(&report["winrate"]));
    if !report["scoreLead"].is_null() {
        let _ = write!(said, ", ahead by {:.1} points (minus: behind)", number(&report["scoreLead"]));
    }
    let _ = writeln!(said, ", {} visits\nCandidates for {side}, best first:", report["visits"]);
    for candidate in report["moves"].as_array().into_iter().flatten().take(MAX_CANDIDATES) {
        let line: Vec<&str> = candidate["pv"].as_array().into_iter().flatten().map(text).take(10).collect();
        let _ = write!(
            said,
            "  {:<4} win rate {:.1}%",
            text(&candidate["vertex"]),
            number(&candidate["winrate"])
        );
        if !candidate["scoreLead"].is_null() {
            let _ = write!(said, ", lead {:.1}", number(&candidate["scoreLead"]));
        }
        let _ = writeln!(said, ", {} visits, line: {}", candidate["visits"], line.join(" "));
    }
    said
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ReviewGame {
    /// A file, as list_records names it; or the text of a record itself.
    record: String,
    /// Which game of a collection, from 1; the first when absent.
    game: Option<u32>,
    /// An engine of list_engines; `builtin` when absent.
    engine: Option<String>,
    /// How many positions the engine looks at for each move; 100 when absent.
    visits: Option<u64>,
    /// Seconds for the whole game, at most 1800; 45 when absent. What is not done by then is left out.
    seconds: Option<f64>,
}

async fn review_game(desk: Caller, asked: ReviewGame) -> Result<String> {
    let visits = visits(asked.visits, REVIEW_VISITS)?;
    let seconds = asked.seconds.unwrap_or(REVIEW_SECONDS);
    if !(seconds > 0.0 && seconds <= MAX_SECONDS) {
        return Err(Error::field("seconds", format!("seconds: more than 0 and at most {MAX_SECONDS}")));
    }
    let source = desk.source(&asked.record)?;
    let document = desk.open(&source).await?;
    let game = node(asked.game, None, None)?["game"].clone();
    let (engine, _guard) = desk.engine(asked.engine.as_deref()).await?;
    let params = json!({
        "document": document, "game": game, "engineId": engine, "passes": 1,
        "limit": {"visits": visits}, "budgetSeconds": seconds,
    });
    let rows = desk.stream("analysis/game", params).await?;
    let (mut total, mut last) = (0, Value::Null);
    while let Some(event) = rows.next().await {
        let row: Value = serde_json::from_str(event.get()).unwrap_or_default();
        match text(&row["state"]) {
            "started" => total = row["total"].as_u64().unwrap_or_default(),
            "running" => {
                let done = row["progress"]["done"].as_u64().unwrap_or_default();
                desk.progress(done, row["progress"]["total"].as_u64().unwrap_or(total), "positions").await;
            }
            "ended" => last = row,
            _ => {}
        }
    }
    if let Some(why) = last["error"]["message"].as_str() {
        return Err(Error::new(Kind::EngineRefused, why));
    }
    let left = last["left"].as_u64().unwrap_or_default();
    let mut said = format!(
        "{} of {total} positions looked at by {}, {visits} visits each.\n",
        total.saturating_sub(left),
        asked.engine.as_deref().unwrap_or("builtin (weak)"),
    );
    if left > 0 {
        said.push_str("The time was over before the rest; give more seconds or fewer visits.\n");
    }
    let report = json!({"document": document, "game": game, "format": "table"});
    said.push_str(text(&desk.call("analysis/report", report).await?["text"]));
    Ok(said)
}

/// Names the tool where a sentence names the method.
fn in_tools(error: Error) -> Error {
    let message = error.message.replace("run analysis/game first", "ask review_game first");
    Error { message, ..error }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WorstMoves {
    /// A file, as list_records names it; or the text of a record itself.
    record: String,
    /// Which game of a collection, from 1; the first when absent.
    game: Option<u32>,
    /// Only moves that lost at least so much: points where the score is known, else percent of win rate. When
    /// absent: as the user's settings say, 2 points.
    loss_threshold: Option<f64>,
}

async fn worst_moves(desk: Caller, asked: WorstMoves) -> Result<String> {
    let source = desk.source(&asked.record)?;
    let document = desk.open(&source).await?;
    let game = node(asked.game, None, None)?["game"].clone();
    let params = json!({"document": document, "game": game, "lossThreshold": asked.loss_threshold});
    let report = desk.call("analysis/report", params).await.map_err(in_tools)?["report"].take();
    let mut said = match text(&report["source"]) {
        "record" => "From the values stored in the record.\n".to_owned(),
        _ => "From the review of this server.\n".to_owned(),
    };
    let mut known = 0;
    for (player, name) in [("B", "Black"), ("W", "White")] {
        let player = &report["players"][player];
        known += player["total"]["moves"].as_u64().unwrap_or_default();
        for worst in player["worst"].as_array().into_iter().flatten() {
            let line: Vec<&str> = worst["pv"].as_array().into_iter().flatten().map(text).take(10).collect();
            let better =
                if line.is_empty() { String::new() } else { format!("; better: {}", line.join(" ")) };
            let _ = writeln!(
                said,
                "{name}, move {}: {} lost {} {} ({}), path {}{better}",
                worst["moveNumber"],
                text(&worst["played"]),
                worst["loss"],
                text(&worst["lossUnit"]),
                text(&worst["class"]),
                worst["node"]["path"],
            );
        }
    }
    if said.lines().count() == 1 {
        let _ = writeln!(said, "No move lost so much; {known} moves are known.");
    }
    Ok(said)
}

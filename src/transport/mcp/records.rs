//! The tools that read game records.

use std::fmt::Write;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::caller::Caller;
use super::desk::{Desk, Source};
use super::tool::Tool;
use crate::formats::{self, Options, Target};
use crate::locale::Locale;
use crate::service::error::{Error, Kind, Result};
use crate::service::languages;
use crate::sgf::{CheckOptions, Origin};
use crate::text::Severity;
use crate::text::line_index::{Columns, LineIndex};

/// Nodes that are asked for at once.
const PAGE: usize = 20_000;
/// Games of a collection that are listed at most.
const MAX_GAMES: usize = 200;
/// Moves that are shown as going on from a node.
const MAX_NEXT: usize = 20;

pub fn tools() -> Vec<Tool> {
    vec![
        Tool::new(
            "list_records",
            "List game records",
            "Lists the game records (SGF, GIB, NGF, UGF of Go; PGN, DhtmlXQ, XQF, CBR, CBL of xiangqi) in the folders \
             that may be read. The names are what the other tools take as `record`.",
            list_records,
        )
        .narrower("name a folder"),
        Tool::new(
            "list_games",
            "List the games of a record",
            "Lists the games in a record: players, result, date, rules, size of the board, komi and how long \
             each is. Most records hold one game; a collection holds many.",
            list_games,
        ),
        Tool::new(
            "show_board",
            "Show the board of a record",
            "Shows the board at a place of a game record as text, with the last move, who is to move, the comment, \
             what an engine thought of it as far as the record has that, and the moves that follow in the record.",
            show_board,
        ),
        Tool::new(
            "check_record",
            "Check a game record",
            "Says what is wrong with a game record: errors of the format, illegal moves, doubtful values; each with \
             line, column and what would put it right. Says so when nothing is wrong.",
            check_record,
        )
        .narrower("these are the first; put them right and check again"),
        Tool::new(
            "convert_record",
            "Convert a game record",
            "Gives a record in another format as text: GIB, NGF, UGF to SGF; PGN, DhtmlXQ, XQF, CBR, CBL to PGN or \
             DhtmlXQ. Tells what the other format cannot keep. Nothing is written to disk.",
            convert_record,
        ),
    ]
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListRecords {
    /// A folder; all that may be read when absent.
    folder: Option<String>,
}

async fn list_records(desk: Caller, asked: ListRecords) -> Result<String> {
    let (files, more) = desk.roots.records(asked.folder.as_deref())?;
    if files.is_empty() {
        return Ok(format!("There are no records here. What may be read: {}\n", desk.roots.names()));
    }
    let more = if more { "[there are more; name a folder]\n" } else { "" };
    Ok(format!("{}\n{more}", files.join("\n")))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListGames {
    /// A file, as list_records names it; or the text of a record itself.
    record: String,
}

/// A game of a collection.
struct Listed {
    head: Value,
    nodes: usize,
    main_line: usize,
    /// The next node of the main line.
    next: Option<u64>,
}

impl Listed {
    /// A game whose first nodes are these.
    fn of(game: &Value) -> Listed {
        let head =
            json!({"game": game["game"], "size": game["size"], "kind": game["kind"], "info": game["info"]});
        Listed { head, nodes: 0, main_line: 0, next: game["nodes"][0]["index"].as_u64() }
    }

    /// Counts more of its nodes; the first child of each stands right behind it.
    fn count(&mut self, game: &Value) {
        for node in game["nodes"].as_array().into_iter().flatten() {
            self.nodes += 1;
            if node["index"].as_u64() == self.next && self.next.is_some() {
                self.main_line += 1;
                self.next = node["children"][0].as_u64();
            }
        }
    }

    fn line(&self) -> String {
        let number = self.head["game"].as_u64().unwrap_or_default() + 1;
        let mut said = format!("game {number}: {}", text(&self.head["kind"]));
        if !self.head["size"].is_null() {
            let _ = write!(said, ", board {}", self.head["size"]);
        }
        for (name, value) in self.head["info"].as_object().into_iter().flatten() {
            let shown = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let _ = write!(said, ", {name} {shown:.200}");
        }
        let last = self.main_line.saturating_sub(1);
        let _ = writeln!(said, ", last move_number {last}, {} nodes with variations", self.nodes);
        said
    }
}

async fn list_games(desk: Caller, asked: ListGames) -> Result<String> {
    let source = desk.source(&asked.record)?;
    let document = desk.open(&source).await?;
    let mut games: Vec<Listed> = Vec::new();
    let mut from = Some(0);
    while let Some(start) = from {
        let tree =
            desk.call("record/tree", json!({"document": document, "from": start, "limit": PAGE})).await?;
        for game in tree["games"].as_array().into_iter().flatten() {
            if games.last().is_none_or(|last| last.head["game"] != game["game"]) {
                if games.len() == MAX_GAMES {
                    break;
                }
                games.push(Listed::of(game));
            }
            if let Some(listed) = games.last_mut() {
                listed.count(game);
            }
        }
        from = tree["next"].as_u64().filter(|_| games.len() < MAX_GAMES);
    }
    let mut said: String = games.iter().map(Listed::line).collect();
    if games.len() == MAX_GAMES {
        let _ = writeln!(said, "[these are the first {MAX_GAMES} games]");
    }
    if games.is_empty() {
        said.push_str("There is no game in it. check_record says what is wrong.\n");
    }
    Ok(said)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ShowBoard {
    /// A file, as list_records names it; or the text of a record itself.
    record: String,
    /// Which game of a collection, from 1; the first when absent.
    game: Option<u32>,
    /// So many nodes from the start along the main line, which mostly is the number of the move; the start
    /// (0) when neither this nor `path` is given.
    move_number: Option<u32>,
    /// In place of `move_number`, a node in a variation, as answers give it, such as ["0*13", 1].
    path: Option<Vec<Value>>,
}

/// A node as the methods take it.
///
/// # Errors
/// `InvalidParams` when it is said twice.
pub fn node(game: Option<u32>, move_number: Option<u32>, path: Option<Vec<Value>>) -> Result<Value> {
    let Some(game) = game.unwrap_or(1).checked_sub(1) else {
        return Err(Error::field("game", "game: games are counted from 1"));
    };
    let path = match (move_number, path) {
        (Some(_), Some(_)) => return Err(Error::field("path", "give either move_number or path")),
        (_, Some(path)) => json!(path),
        (Some(number @ 1..), None) => json!([format!("0*{number}")]),
        _ => json!([]),
    };
    Ok(json!({"game": game, "path": path}))
}

async fn show_board(desk: Caller, asked: ShowBoard) -> Result<String> {
    let source = desk.source(&asked.record)?;
    let document = desk.open(&source).await?;
    let node = node(asked.game, asked.move_number, asked.path)?;
    let board = desk.call("record/board", json!({"document": document, "node": node})).await;
    let board = board.map_err(|error| beyond(error, &node))?;
    let mut said = head(&board);
    if source.is_xiangqi() {
        let position = json!({"position": {"document": document, "node": node}, "includeMoves": false, "language": "en"});
        said.push_str(text(&desk.call("xiangqi/describe", position).await?["text"]));
    } else {
        said.push_str(&go_board(&board));
    }
    if let Some(comment) = board["comment"].as_str() {
        let _ = writeln!(said, "Comment: {comment}");
    }
    if board["analysis"].is_object() {
        let _ = writeln!(said, "Stored analysis: {}", board["analysis"]);
    }
    said.push_str(&next(&desk, &document, &board["node"]).await);
    Ok(said)
}

/// Says how to find a node that is there, with games counted as the tools do.
pub fn beyond(error: Error, node: &Value) -> Error {
    match error.kind {
        Kind::NotFound => {
            let game = node["game"].as_u64().unwrap_or_default() + 1;
            let message = format!(
                "game {game} of this record, or its node {}, is not there; list_games tells which games there are and \
                 how long their main lines are",
                node["path"]
            );
            Error { message, ..error }
        }
        _ => error,
    }
}

fn head(board: &Value) -> String {
    let mut said = format!("Move {} (path {})", board["moveNumber"], board["node"]["path"]);
    let last = &board["lastMove"];
    if last.is_object() {
        let _ = write!(
            said,
            ", last move {} {} {}",
            text(&last["color"]),
            text(&last["vertex"]),
            text(&last["zh"])
        );
    }
    let _ = writeln!(said, ", to move: {}", text(&board["toPlay"]));
    said
}

/// A move, such as `B D4` or `r h2e2 炮二平五`.
fn spelled(played: &Value) -> String {
    let parts = ["color", "vertex", "zh"].map(|name| text(&played[name]));
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Rows with the coordinates that players and GTP use: letters without I, numbers from the bottom.
fn go_board(board: &Value) -> String {
    let rows: Vec<&str> = board["stones"].as_array().into_iter().flatten().map(text).collect();
    let letters = ('A'..='Z').filter(|letter| *letter != 'I');
    let names: Vec<String> =
        letters.clone().map(String::from).chain(letters.map(|letter| format!("A{letter}"))).collect();
    let width = rows.first().map_or(0, |row| row.len());
    let wide = if width > 25 { 3 } else { 2 };
    let heading: String = names.iter().take(width).map(|name| format!("{name:>wide$}")).collect();
    let mut said = format!("   {heading}\n");
    for (at, row) in rows.iter().enumerate() {
        let points: String = row.chars().map(|point| format!("{point:>wide$}")).collect();
        let _ = writeln!(said, "{:>3}{points}", rows.len() - at);
    }
    let captures = &board["captures"];
    let _ = write!(said, "X Black, O White; captured by Black {}, by White {}", captures["B"], captures["W"]);
    if !board["komi"].is_null() {
        let _ = write!(said, "; komi {}", board["komi"]);
    }
    if let Some(ko) = board["ko"].as_str() {
        let _ = write!(said, "; ko at {ko}");
    }
    said.push('\n');
    said
}

/// The moves that follow in the record.
async fn next(desk: &Desk, document: &Value, node: &Value) -> String {
    let mut said = String::new();
    for child in 0..MAX_NEXT {
        let mut below = node.clone();
        if let Some(path) = below["path"].as_array_mut() {
            path.push(child.into());
        }
        let Ok(board) = desk.call("record/board", json!({"document": document, "node": below})).await else {
            break;
        };
        let _ = writeln!(
            said,
            "Next in the record: {} (path {})",
            spelled(&board["lastMove"]),
            board["node"]["path"]
        );
    }
    if said.is_empty() { "This is the end of the line in the record.\n".to_owned() } else { said }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CheckRecord {
    /// A file, as list_records names it; or the text of a record itself.
    record: String,
}

async fn check_record(desk: Caller, asked: CheckRecord) -> Result<String> {
    let source = desk.source(&asked.record)?;
    let checked = tokio::task::spawn_blocking(move || findings(&source)).await;
    checked.map_err(|error| Error::new(Kind::Internal, error.to_string()))
}

fn findings(source: &Source) -> String {
    let origin = source.decoded.as_ref().map_or(Origin::Unknown, Origin::File);
    let content = languages::content_of(&source.name, &source.text);
    let findings = content.findings(&CheckOptions { origin, ..CheckOptions::default() });
    if findings.is_empty() {
        return "Nothing is wrong with it.\n".to_owned();
    }
    let lines = LineIndex::new(&source.text);
    let count = |severity: Severity| findings.iter().filter(|finding| finding.severity == severity).count();
    let mut said = format!(
        "Findings: {} ({} errors, {} warnings)\n",
        findings.len(),
        count(Severity::Error),
        count(Severity::Warning)
    );
    for finding in &findings {
        let place = lines.place(&source.text, finding.span.start as usize, Columns::Utf32);
        let severity = format!("{:?}", finding.severity).to_lowercase();
        let message = finding.message.get(Locale::English);
        let _ = write!(
            said,
            "line {}, column {}: {severity} {}: {message:.500}",
            place.line + 1,
            place.column + 1,
            finding.code
        );
        if let Some(fix) = &finding.fix {
            let _ = write!(said, " (fix: {:.200})", fix.title.get(Locale::English));
        }
        said.push('\n');
    }
    said
}

/// A format that records are converted to.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum To {
    Sgf,
    Pgn,
    DhtmlXq,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ConvertRecord {
    /// A file, as list_records names it; or the text of a record itself.
    record: String,
    /// `sgf` for Go, `pgn` or `dhtmlxq` for xiangqi.
    to: To,
}

async fn convert_record(desk: Caller, asked: ConvertRecord) -> Result<String> {
    let target = match asked.to {
        To::Sgf => Target::Sgf,
        To::Pgn => Target::Pgn,
        To::DhtmlXq => Target::DhtmlXq,
    };
    let (name, bytes) = desk.bytes(&asked.record)?;
    let converted = tokio::task::spawn_blocking(move || {
        formats::convert(
            &bytes,
            Some(&name).filter(|name| !name.is_empty()).map(String::as_str),
            Options::to(target),
        )
    });
    let converted = converted.await.map_err(|error| Error::new(Kind::Internal, error.to_string()))?;
    let converted = converted.map_err(|error| Error::field("to", error.to_string()))?;
    let mut said = String::new();
    for loss in &converted.losses {
        let _ = writeln!(said, "Not kept: {loss}");
    }
    let _ = writeln!(said, "From {}, games: {}\n", converted.from.name(), converted.games);
    said.push_str(&String::from_utf8_lossy(&converted.bytes));
    Ok(said)
}

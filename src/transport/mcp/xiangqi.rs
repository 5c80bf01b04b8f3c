//! The tools of xiangqi. They keep no game: a game is its start and its moves.

use std::fmt::Write;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::caller::Caller;
use super::desk::Desk;
use super::tool::Tool;
use crate::service::error::{Error, Result};
use crate::xiangqi::START_FEN;

/// Moves of a game at most.
const MAX_MOVES: usize = 1000;
/// Seconds of a search at most.
const MAX_SECONDS: f64 = 20.0;

pub fn tools() -> Vec<Tool> {
    vec![
        Tool::new(
            "xiangqi_describe",
            "Describe a xiangqi position",
            "Tells a xiangqi (Chinese chess) position in words: the board as text, who is to move, check or mate \
             with the reason, and every legal move in ICCS and Chinese. Use it before you choose a move.",
            describe,
        ),
        Tool::new(
            "xiangqi_play",
            "Play a xiangqi move",
            "Plays one legal move and tells what it was in every notation, what it took, the board and the state \
             after it, and the list of moves to give next time. An illegal move is refused with the reason.",
            play,
        ),
        Tool::new(
            "xiangqi_best_move",
            "Find a good xiangqi move",
            "Looks for the best move with the engine in the box and tells the move, its score and the line that \
             it expects. For an opponent, a hint or a judgement.",
            best_move,
        ),
        Tool::new(
            "xiangqi_explain_repetition",
            "Explain a xiangqi repetition",
            "Says how often the position after the moves has stood, what the rules make of it (draw, perpetual \
             check, perpetual chase; who has to deviate), and what each ply of the cycle did.",
            explain_repetition,
        ),
        Tool::new(
            "xiangqi_notation",
            "Convert xiangqi notation",
            "Writes every move of a game in ICCS (h2e2), UCI (h3e3), Chinese (炮二平五) and WXF (C2=5), whatever \
             notation it comes in, and gives the position after the last.",
            notation,
        ),
    ]
}

/// A game so far.
#[derive(Default)]
struct Line {
    start: String,
    fen: String,
    /// As `xiangqi/move` answers them.
    moves: Vec<Value>,
}

impl Line {
    /// Plays moves from a start.
    ///
    /// # Errors
    /// Those of `xiangqi/move`, with the number of the move.
    async fn of(desk: &Desk, fen: Option<String>, moves: Option<Vec<String>>) -> Result<Line> {
        let start = fen.unwrap_or_else(|| START_FEN.to_owned());
        let moves = moves.unwrap_or_default();
        if moves.len() > MAX_MOVES {
            let message =
                format!("moves: {} are too many; start later with fen, at most {MAX_MOVES}", moves.len());
            return Err(Error::field("moves", message));
        }
        let mut line = Line { fen: start.clone(), start, moves: Vec::new() };
        for (number, text) in (1..).zip(moves) {
            let played = desk.call("xiangqi/move", json!({"fen": line.fen, "move": text})).await;
            let played = played.map_err(|error| {
                let message = format!("ply {number} of moves ({text:.40}): {}", error.message);
                Error { message, ..error }
            })?;
            line.add(played);
        }
        Ok(line)
    }

    fn add(&mut self, mut played: Value) {
        self.fen = text(&played["fen"]).to_owned();
        self.moves.push(played["move"].take());
    }

    fn iccs(&self) -> Vec<&str> {
        self.moves.iter().map(|played| text(&played["iccs"])).collect()
    }

    /// Where the game is and how it came there, as the methods take it.
    fn params(&self) -> Value {
        json!({"fen": self.fen, "history": {"fen": self.start, "moves": self.iccs()}})
    }

    /// What to give the next time.
    fn goes_on(&self) -> String {
        let moves = json!(self.iccs());
        match self.start == START_FEN {
            true => format!("To go on, give moves = {moves}\n"),
            false => format!("To go on, give fen = {:?} and moves = {moves}\n", self.start),
        }
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Adds fields to an object.
fn with(mut object: Value, fields: Value) -> Value {
    if let (Some(object), Value::Object(fields)) = (object.as_object_mut(), fields) {
        object.extend(fields);
    }
    object
}

/// A language of answers.
#[derive(Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Language {
    #[default]
    En,
    Zh,
}

/// Whose rules decide about repetitions.
#[derive(Clone, Copy, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Rules {
    Basic,
    #[default]
    Asian,
    Chinese,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Describe {
    /// Where the game begins, as FEN; the start of a game when absent.
    fen: Option<String>,
    /// The moves from there, in any notation, such as ["h2e2", "马8进7"].
    moves: Option<Vec<String>>,
    /// The language of the answer, `en` or `zh`; English when absent.
    language: Option<Language>,
}

async fn describe(desk: Caller, asked: Describe) -> Result<String> {
    let line = Line::of(&desk, asked.fen, asked.moves).await?;
    told(&desk, &line, asked.language.unwrap_or_default(), true).await
}

async fn told(desk: &Desk, line: &Line, language: Language, moves: bool) -> Result<String> {
    let more = json!({"language": language, "includeMoves": moves, "maxMoves": 150});
    let told = desk.call("xiangqi/describe", with(line.params(), more)).await?;
    Ok(text(&told["text"]).to_owned())
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Play {
    /// Where the game begins, as FEN; the start of a game when absent.
    fen: Option<String>,
    /// The moves from there, in any notation; none when absent.
    moves: Option<Vec<String>>,
    /// The move to play, in any notation: h2e2, 炮二平五, C2=5.
    #[serde(rename = "move")]
    play: String,
}

async fn play(desk: Caller, asked: Play) -> Result<String> {
    let mut line = Line::of(&desk, asked.fen, asked.moves).await?;
    let played = desk.call("xiangqi/move", with(line.params(), json!({"move": asked.play}))).await?;
    let made = &played["move"];
    let mut said = format!("Played {} ({}, {}).", text(&made["zh"]), text(&made["iccs"]), text(&made["wxf"]));
    match text(&played["captured"]) {
        "" => {}
        piece => {
            let _ = write!(said, " It took {piece} (capitals are Red's pieces).");
        }
    }
    let _ = writeln!(
        said,
        "\nState: {} ({})\n",
        text(&played["status"]["reason"]),
        text(&played["status"]["state"])
    );
    line.add(played);
    said.push_str(&told(&desk, &line, Language::En, false).await?);
    said.push_str(&line.goes_on());
    Ok(said)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct BestMove {
    /// Where the game begins, as FEN; the start of a game when absent.
    fen: Option<String>,
    /// The moves from there, in any notation; none when absent.
    moves: Option<Vec<String>>,
    /// Seconds to think, at most 20; 1 when absent.
    seconds: Option<f64>,
}

async fn best_move(desk: Caller, asked: BestMove) -> Result<String> {
    let seconds = asked.seconds.unwrap_or(1.0);
    if !(seconds > 0.0 && seconds <= MAX_SECONDS) {
        return Err(Error::field("seconds", format!("seconds: more than 0 and at most {MAX_SECONDS}")));
    }
    let line = Line::of(&desk, asked.fen, asked.moves).await?;
    best(&desk, line.params(), seconds).await
}

/// What a search finds in so many seconds.
///
/// # Errors
/// Those of `xiangqi/search`.
pub async fn best(desk: &Desk, position: Value, seconds: f64) -> Result<String> {
    let limit = json!({"timeMs": (seconds * 1000.0).ceil() as u64});
    let best = desk.call("xiangqi/search", with(position, limit)).await?;
    let made = &best["move"];
    if made.is_null() {
        return Ok("There is no legal move: the game is over. xiangqi_describe says how.\n".to_owned());
    }
    let score = match best["mate"].as_i64() {
        Some(moves) if moves > 0 => format!("mate in {moves} for the side to move"),
        Some(moves) => format!("the side to move is mated in {}", -moves),
        None => {
            let pawns = best["score"].as_f64().unwrap_or_default() / 100.0;
            format!("{pawns:+.2} pawns for the side to move")
        }
    };
    let list = |value: &Value| value.as_array().into_iter().flatten().map(text).collect::<Vec<_>>().join(" ");
    Ok(format!(
        "Best move: {} ({}, {})\nScore: {score}\nExpected line: {}\n               {}\nDepth {} plies, {} positions\n",
        text(&made["zh"]),
        text(&made["iccs"]),
        text(&made["wxf"]),
        list(&best["pvZh"]),
        list(&best["pv"]),
        best["depth"],
        best["nodes"],
    ))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ExplainRepetition {
    /// Where the game begins, as FEN; the start of a game when absent.
    fen: Option<String>,
    /// The moves from there, in any notation, up to the position that has come again.
    moves: Vec<String>,
    /// Whose rules: `basic`, `asian` (when absent) or `chinese`.
    rules: Option<Rules>,
    /// How often the position has to stand before it is ruled, at least 2; 3 when absent.
    occurrences: Option<u32>,
}

async fn explain_repetition(desk: Caller, asked: ExplainRepetition) -> Result<String> {
    let line = Line::of(&desk, asked.fen, Some(asked.moves)).await?;
    let more =
        json!({"rules": asked.rules.unwrap_or_default(), "occurrences": asked.occurrences.unwrap_or(3)});
    let status = desk.call("xiangqi/status", with(line.params(), more)).await?;
    let mut said = format!(
        "State: {} ({})\n{}\nThe position has stood {} times, this time included.\n",
        text(&status["reason"]),
        text(&status["state"]),
        text(&status["reasonZh"]),
        status["repetitions"]
    );
    match status["winner"].as_str() {
        Some("r") => said.push_str("Red wins.\n"),
        Some(_) => said.push_str("Black wins.\n"),
        None => {}
    }
    let plies = status["cycle"]["plies"].as_array();
    for ply in plies.into_iter().flatten() {
        let side = if ply["side"] == "r" { "Red" } else { "Black" };
        let _ = writeln!(
            said,
            "  ply {:>3} {side:<5} {} {}  {}: {} ({})",
            ply["ply"].as_u64().unwrap_or_default(),
            text(&ply["iccs"]),
            text(&ply["zh"]),
            text(&ply["class"]),
            text(&ply["detail"]),
            text(&ply["detailZh"]),
        );
    }
    if plies.is_none() {
        said.push_str("There is no cycle that is ruled yet.\n");
    }
    Ok(said)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Notation {
    /// Where the game begins, as FEN; the start of a game when absent.
    fen: Option<String>,
    /// The moves from there, in any notation.
    moves: Vec<String>,
}

async fn notation(desk: Caller, asked: Notation) -> Result<String> {
    let line = Line::of(&desk, asked.fen, Some(asked.moves)).await?;
    let mut said = String::from("ply ICCS UCI  Chinese  WXF\n");
    for (ply, made) in (1..).zip(&line.moves) {
        let name = |name: &str| text(&made[name]);
        let _ = writeln!(said, "{ply:>3} {} {} {} {}", name("iccs"), name("uci"), name("zh"), name("wxf"));
    }
    let _ = writeln!(said, "FEN after them: {}", line.fen);
    Ok(said)
}

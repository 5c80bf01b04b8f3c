//! `analysis/report`: a game in numbers, for programs and for people.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::judge::{Class, Judged, Known, judge};
use super::row::LossUnit;
use super::summary::{Part, Phase, Player, class_name, summary};
use super::words;
use crate::go::{Color, Size};
use crate::service::documents::{self, Document};
use crate::service::error::{Error, Kind, Result};
use crate::service::positions;
use crate::service::report::tidy;
use crate::service::session::Session;
use crate::service::settings::{Blunders, Steps};
use crate::service::table::Cx;
use crate::service::wire::{DocumentRef, Node, WireSize};
use crate::sgf::{GameKind, NodeId, Record};

/// Of which game, in what form.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReportParams {
    document: DocumentRef,
    /// Which game of the collection, 0 when absent. Its main line is told about.
    game: Option<u32>,
    /// A move is listed among the worst when it loses at least so much: points where the score is known,
    /// else percent. When absent: what makes an inaccuracy, as the settings `blunders` say.
    #[schemars(range(min = 0))]
    loss_threshold: Option<f64>,
    /// `json` when absent.
    format: Option<Format>,
}

/// In what form a report is told.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Format {
    /// For programs.
    Json,
    /// For terminals.
    Table,
    /// For texts.
    Markdown,
}

/// The report, or a text of it.
#[derive(Serialize, JsonSchema)]
pub struct ReportAnswer {
    /// With `json`.
    #[serde(skip_serializing_if = "Option::is_none")]
    report: Option<GameReport>,
    /// With `table` and `markdown`.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

/// A game in numbers.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GameReport {
    /// Which game of the collection.
    pub game: u32,
    /// Its board.
    pub size: WireSize,
    /// Where the values come from.
    pub source: Source,
    /// What an inaccuracy, a mistake and a blunder lose.
    pub classes: ClassSteps,
    /// The last moves of opening and middle game.
    pub phase_ends: [usize; 2],
    /// The players.
    pub players: Players,
}

/// Where values come from.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Source {
    /// From a review in this session.
    Review,
    /// From the record.
    Record,
}

/// What an inaccuracy, a mistake and a blunder lose.
#[derive(Debug, Clone, Copy, Serialize, JsonSchema)]
pub struct ClassSteps {
    /// Where the score is known.
    pub points: Steps,
    /// Elsewhere.
    pub percent: Steps,
}

/// Both players.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Players {
    /// Black.
    #[serde(rename = "B")]
    pub black: PlayerReport,
    /// White.
    #[serde(rename = "W")]
    pub white: PlayerReport,
}

/// One player.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PlayerReport {
    /// As in the record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The whole game.
    pub total: PartReport,
    /// Its first moves.
    pub opening: PartReport,
    /// Those between.
    pub middle: PartReport,
    /// Its last moves.
    pub endgame: PartReport,
    /// The moves that lost most, the worst first; at most ten.
    pub worst: Vec<WorstMove>,
}

/// A player's moves of a phase. A move that gains loses nothing.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PartReport {
    /// Moves that both values are known of: before and after.
    pub moves: usize,
    /// Points lost a move, of those moves where the score is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_points: Option<f64>,
    /// Percent of win rate lost a move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean_percent: Option<f64>,
    /// How many percent of the moves were the engine's choice, of those where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub best_rate: Option<f64>,
    /// Moves of these classes. The engine's own choice is never one.
    pub inaccuracies: usize,
    /// The same.
    pub mistakes: usize,
    /// The same.
    pub blunders: usize,
}

/// A move that lost much.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct WorstMove {
    /// Its node.
    pub node: Node,
    /// Which move of the game, from 1.
    pub move_number: usize,
    /// What was played.
    pub played: String,
    /// What it lost.
    pub loss: f64,
    /// Of what.
    pub loss_unit: LossUnit,
    /// `inaccuracy`, `mistake` or `blunder`; absent below all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<&'static str>,
    /// What the engine would have played, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub best: Option<String>,
    /// How the engine would have gone on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pv: Vec<String>,
}

/// `analysis/report`
///
/// # Errors
/// `NotFound` when there is no such game, or nothing is known of it; `UnsupportedGame`; those of
/// [`documents::resolve`].
pub async fn report(cx: Cx, params: ReportParams) -> Result<ReportAnswer> {
    if params.loss_threshold.is_some_and(|loss| !(loss >= 0.0 && loss.is_finite())) {
        return Err(Error::field("lossThreshold", "lossThreshold must not be negative"));
    }
    let document = documents::resolve(&cx.session, &params.document).await?;
    documents::offload(document, move |document| {
        let settings = &cx.settings().blunders;
        let game = params.game.unwrap_or(0);
        let report = of_game(&cx.session, document, game, settings, params.loss_threshold)?;
        let locale = cx.session.locale();
        Ok(match params.format.unwrap_or(Format::Json) {
            Format::Json => ReportAnswer { report: Some(report), text: None },
            Format::Table => ReportAnswer { report: None, text: Some(words::table(&report, locale)) },
            Format::Markdown => ReportAnswer { report: None, text: Some(words::markdown(&report, locale)) },
        })
    })
    .await
}

fn of_game(
    session: &Session,
    document: &Document,
    game: u32,
    settings: &Blunders,
    threshold: Option<f64>,
) -> Result<GameReport> {
    let record = document.record()?;
    let root = record.game(game as usize).map(|found| found.root).ok_or_else(|| {
        let message = format!("there is no game {game}; the document holds {}", record.games().len());
        Error::new(Kind::NotFound, message)
    })?;
    if record.kind(root) != GameKind::Go {
        return Err(Error::new(Kind::UnsupportedGame, "only games of Go are reviewed"));
    }
    let (source, moves) = match session.reviews.of_game(document, record, game as usize) {
        Some(known) => (Source::Review, judged(record, root, |node| known.get(&node).cloned())),
        None => (Source::Record, judged(record, root, |node| Known::stored(record, node).map(Into::into))),
    };
    if moves.is_empty() {
        let message = "nothing is known of this game's moves: no review in this session has looked at them, \
                       and the record has no values of its own; run analysis/game first";
        return Err(Error::new(Kind::NotFound, message));
    }
    let size = record.size(root);
    let info = record.info(game as usize);
    let (black, white) = info.map_or((None, None), |info| (info.black, info.white));
    let player = |color, name| {
        let summary = summary(&moves, color, size, settings, threshold);
        told(record, name, &summary, size, settings)
    };
    Ok(GameReport {
        game,
        size: WireSize(size),
        source,
        classes: ClassSteps { points: settings.points, percent: settings.percent },
        phase_ends: Phase::ends(size),
        players: Players { black: player(Color::Black, black), white: player(Color::White, white) },
    })
}

/// The moves of the main line that can be judged, with their numbers.
fn judged(
    record: &Record,
    root: NodeId,
    known: impl Fn(NodeId) -> Option<std::sync::Arc<Known>>,
) -> Vec<(usize, Judged)> {
    let line = std::iter::successors(Some(root), |node| record.children(*node).next());
    let mut number = 0;
    let mut moves = Vec::new();
    for node in line {
        number += record.properties(node).filter(|one| one.is("B") || one.is("W")).count();
        moves.extend(judge(record, node, &known).map(|judged| (number, judged)));
    }
    moves
}

fn told(
    record: &Record,
    name: Option<String>,
    player: &Player<'_>,
    size: Size,
    settings: &Blunders,
) -> PlayerReport {
    let [opening, middle, endgame] = player.phases.each_ref().map(part);
    let worst = player.worst.iter().map(|(number, judged)| WorstMove {
        node: positions::address(record, judged.node),
        move_number: *number,
        played: judged.played.vertex.to_gtp(size),
        loss: judged.loss.amount,
        loss_unit: judged.loss.unit,
        class: judged.class(settings).map(class_name),
        best: judged.line.first().map(|best| best.to_gtp(size)),
        pv: judged.line.iter().map(|vertex| vertex.to_gtp(size)).collect(),
    });
    PlayerReport { name, total: part(&player.total), opening, middle, endgame, worst: worst.collect() }
}

fn part(part: &Part) -> PartReport {
    let count = |class: Class| part.classes[class as usize];
    PartReport {
        moves: part.moves,
        mean_points: part.mean_points().map(tidy),
        mean_percent: part.mean_percent().map(tidy),
        best_rate: part.best_rate().map(tidy),
        inaccuracies: count(Class::Inaccuracy),
        mistakes: count(Class::Mistake),
        blunders: count(Class::Blunder),
    }
}

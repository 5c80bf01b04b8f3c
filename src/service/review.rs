//! The review of a whole game: the same number of visits for every node, a row a node.

use std::collections::HashMap;
use std::future::Future;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::documents::{self, Document};
use super::engines::Attached;
use super::error::{Error, Kind, Result};
use super::methods::analysis::WireLimit;
use super::positions::{self, Place};
use super::report::{BlackValue, StreamState, tidy, value_of};
use super::session::Session;
use super::stream::StreamEvent;
use super::table::{Cx, Output};
use super::wire::{DocumentRef, Node, WireColor};
use super::writeback::{Edit, Value, WriteBack};
use crate::engine::{AnalysisEvent, AnalyzeRequest, EndReason, Ended, Limit, SearchRequest};
use crate::go::{Color, Move, Position};
use crate::sgf::{self, NodeId, Record};

/// Which game, how thoroughly.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Review {
    document: DocumentRef,
    /// The first attached engine that can analyse when absent.
    engine_id: Option<String>,
    /// For each node; one second when absent.
    limit: Option<WireLimit>,
    /// For the whole game; shared out evenly between the nodes.
    budget_seconds: Option<f64>,
    /// Which game of the collection, 0 when absent.
    game: Option<u32>,
    /// Also the variations.
    variations: Option<bool>,
    /// SBKV and SBKS go into the record at the end.
    write: Option<bool>,
}

/// One node of a review, or its start or end.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Row {
    /// Where the stream is.
    pub state: StreamState,
    /// With `ended`: `finished`, `limit`, `stopped`, `cancelled`, `engineExited`, `refused` …
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// With `started`: how many rows will come.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<usize>,
    /// The node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub node: Option<Node>,
    /// Moves up to and with this node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub move_number: Option<usize>,
    /// The side whose chances the numbers are: who played, at set-up nodes who moves next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color: Option<WireColor>,
    /// The move of the node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub played: Option<String>,
    /// After the move, percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub winrate: Option<f64>,
    /// After the move, points.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score_lead: Option<f64>,
    /// The same from Black's side.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub black: Option<BlackValue>,
    /// What the move lost against the position before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss: Option<f64>,
    /// What `loss` counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss_unit: Option<LossUnit>,
    /// The engine's first choice in the position before the move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub best: Option<String>,
    /// Visits spent on this node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub visits: Option<u64>,
    /// Why this node has no numbers, or why the review ended early.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<serde_json::Value>,
    /// With `ended`: the change that writes the values into the record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edit: Option<Edit>,
}

/// What a loss counts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum LossUnit {
    /// Points, where the engine tells the score.
    Points,
    /// Percent of win rate.
    Percent,
}

impl StreamEvent for Row {
    fn ended(reason: &str) -> Row {
        Row { reason: Some(reason.to_owned()), ..Row::default() }
    }
}

/// Rows that may wait for a slow client before the review waits for it.
const WAITING_ROWS: usize = 256;

/// `analysis/game`
pub async fn game(
    cx: Cx,
    params: Review,
    out: Output<Row>,
) -> Result<impl Future<Output = Row> + Send + 'static> {
    let attached = cx.session.engines.analyst(params.engine_id.as_deref())?;
    if !attached.engine.info().supports.analyze {
        let message = format!("{} does not support analysis: it lists no analyze command", attached.name);
        return Err(Error::new(Kind::EngineUnsupported, message));
    }
    let document = documents::resolve(&cx.session, &params.document).await?;
    let (game, variations) = (params.game.unwrap_or(0), params.variations.unwrap_or(false));
    let read =
        documents::offload(document.clone(), move |document| nodes(document.record()?, game, variations));
    let nodes = read.await?;
    let limit = params.limit.map(WireLimit::check).transpose()?;
    let limit = share(limit, params.budget_seconds, nodes.len())?;
    // A record of another game is refused before the stream begins.
    if let Some(first) = nodes.first() {
        positions::at(&place(&document, *first)?)?;
    }
    let write = params.write.unwrap_or(false).then(WriteBack::default);
    if let Some(file) = document.file.as_ref().filter(|_| write.is_some()) {
        file.check_writable()?;
    }
    Ok(async move {
        let total = nodes.len();
        out.events.send(Row { state: StreamState::Started, total: Some(total), ..Row::default() });
        let progress = cx.progress("Analysing the game");
        let mut reviewer =
            Reviewer { attached, document, session: cx.session.clone(), limit, found: HashMap::new(), write };
        let mut stop = out.stop;
        let mut last = Row { reason: Some("finished".to_owned()), ..Row::default() };
        for (done, node) in nodes.into_iter().enumerate() {
            out.events.room(WAITING_ROWS).await;
            let row = tokio::select! {
                row = reviewer.node(node) => row,
                reason = stop.reason() => {
                    last.reason = Some(reason.to_owned());
                    break;
                }
            };
            match row {
                Ok(row) => out.events.send(row),
                Err(Halt::Stopped) => {
                    last.reason = Some("stopped".to_owned());
                    break;
                }
                Err(Halt::Failed(error)) => {
                    let reason = if error.kind == Kind::EngineExited { "engineExited" } else { "refused" };
                    last.reason = Some(reason.to_owned());
                    last.error = Some(error.to_json(cx.session.locale()));
                    break;
                }
            }
            progress.report(((done + 1) * 100 / total.max(1)) as u32, &format!("{}/{total}", done + 1));
        }
        if let Some(write) = reviewer.write.take() {
            match reviewer
                .finish(&cx, write, last.error.is_none() && last.reason.as_deref() == Some("finished"))
                .await
            {
                Ok(edit) => last.edit = edit,
                Err(error) => {
                    last.reason = Some("refused".to_owned());
                    last.error = Some(error.to_json(cx.session.locale()));
                }
            }
        }
        last
    })
}

/// The limit of one node.
fn share(limit: Option<Limit>, budget: Option<f64>, nodes: usize) -> Result<Limit> {
    let one_second = Limit { visits: None, seconds: Some(1.0) };
    let Some(budget) = budget else {
        return Ok(limit
            .filter(|limit| limit.visits.is_some() || limit.seconds.is_some())
            .unwrap_or(one_second));
    };
    if !(budget > 0.0 && budget <= 1e7) {
        return Err(Error::field("budgetSeconds", "budgetSeconds must be more than 0"));
    }
    let each = budget / nodes.max(1) as f64;
    let seconds = limit.and_then(|limit| limit.seconds).map_or(each, |seconds| seconds.min(each));
    Ok(Limit { visits: limit.and_then(|limit| limit.visits), seconds: Some(seconds) })
}

/// The nodes to look at, in the order of the text.
fn nodes(record: &Record, game: u32, variations: bool) -> Result<Vec<NodeId>> {
    let found = record.game(game as usize).ok_or_else(|| {
        let message = format!("there is no game {game}; the document holds {}", record.games().len());
        Error::new(Kind::NotFound, message)
    })?;
    if variations {
        return Ok(record.nodes(game as usize).collect());
    }
    Ok(std::iter::successors(Some(found.root), |node| record.children(*node).next()).collect())
}

fn place(document: &Arc<Document>, id: NodeId) -> Result<Place> {
    let node = positions::address(document.record()?, id);
    Ok(Place { document: document.clone(), id, node })
}

struct Reviewer {
    attached: Arc<Attached>,
    document: Arc<Document>,
    session: Arc<Session>,
    limit: Limit,
    /// What was found at each node: its value and the engine's first choice.
    found: HashMap<NodeId, (Value, Option<String>)>,
    write: Option<WriteBack>,
}

/// Why a review, or the search of one node, goes no further.
enum Halt {
    /// Somebody stopped the engine.
    Stopped,
    /// Something went wrong.
    Failed(Error),
}

impl<E: Into<Error>> From<E> for Halt {
    fn from(error: E) -> Halt {
        Halt::Failed(error.into())
    }
}

/// What one search said.
struct Finding {
    value: Option<Value>,
    best: Option<String>,
    visits: u64,
}

impl Reviewer {
    /// Writes what was found: into a file only when the review is whole, else as an edit.
    async fn finish(&self, cx: &Cx, write: WriteBack, whole: bool) -> Result<Option<Edit>> {
        if self.document.file.is_none() {
            return Ok(write.apply(&cx.session).await);
        }
        if whole { write.write_file() } else { Ok(None) }
    }

    /// Looks at one node. A position that the engine cannot be put on, or has no value for, is a
    /// row without numbers that says why.
    async fn node(&mut self, id: NodeId) -> std::result::Result<Row, Halt> {
        let place = place(&self.document, id)?;
        let position = positions::at(&place)?;
        let played =
            sgf::last_move(self.document.record()?, id).filter(|(at, _)| *at == id).map(|(_, last)| last);
        let color = played.map_or(position.to_play, |played| played.color);
        let mut row = Row {
            state: StreamState::Running,
            node: Some(place.node.clone()),
            move_number: Some(position.move_number()),
            color: Some(color.into()),
            played: played.map(|Move { vertex, .. }| vertex.to_gtp(position.size)),
            ..Row::default()
        };
        match self.search(position).await {
            Ok(found) => {
                self.fill(&mut row, &place, found, color);
                if row.black.is_none() {
                    let message = "the engine gave no value for this position";
                    let error = Error::new(Kind::EngineRefused, message);
                    row.error = Some(error.to_json(self.session.locale()));
                }
            }
            Err(Halt::Failed(error)) if is_about_the_position(&error) => {
                row.error = Some(error.to_json(self.session.locale()));
            }
            Err(halt) => return Err(halt),
        }
        Ok(row)
    }

    fn fill(&mut self, row: &mut Row, place: &Place, found: Finding, color: Color) {
        row.visits = Some(found.visits);
        let parent = self.document.record().ok().and_then(|record| record.parent(place.id));
        let before = parent.and_then(|parent| self.found.get(&parent));
        if row.played.is_some() {
            row.best = before.and_then(|(_, best)| best.clone());
        }
        let Some(value) = found.value else { return };
        let now = value.for_color(color);
        row.winrate = Some(tidy(now.winrate));
        row.score_lead = now.score_lead.map(tidy);
        row.black = Some(BlackValue {
            winrate: tidy(value.black.winrate),
            score_lead: value.black.score_lead.map(tidy),
        });
        if let Some((before, _)) = before.filter(|_| row.played.is_some()) {
            let before = before.for_color(color);
            let (loss, unit) = match before.score_lead.zip(now.score_lead) {
                Some((before, now)) => (before - now, LossUnit::Points),
                None => (before.winrate - now.winrate, LossUnit::Percent),
            };
            row.loss = Some(tidy(loss));
            row.loss_unit = Some(unit);
        }
        self.found.insert(place.id, (value, found.best));
        if let Some(write) = &mut self.write {
            write.add(place, value);
        }
    }

    async fn search(&self, position: Position) -> std::result::Result<Finding, Halt> {
        let (Some(visits), None) = (self.limit.visits, self.limit.seconds) else {
            return self.timed(position).await;
        };
        let size = position.size;
        let request = SearchRequest::new(position, visits);
        let search = self.attached.engine.search(request).await?;
        Ok(Finding {
            value: search
                .report
                .value()
                .map(|value| Value::new(search.color, value.winrate, value.score_lead)),
            best: search.report.best().map(|best| best.vertex.to_gtp(size)),
            visits: search.visits,
        })
    }

    /// A search that ends after a time, or a number of visits, whichever comes first. When
    /// somebody else takes the engine meanwhile, it is made once more; when the time is over
    /// before the engine has said anything, its first word is waited for.
    async fn timed(&self, position: Position) -> std::result::Result<Finding, Halt> {
        let mut limit = self.limit;
        let (mut taken, mut waited) = (false, false);
        loop {
            let ended = self.analyze(&position, limit).await?;
            match (ended.reason, ended.last) {
                (EndReason::Limit | EndReason::Finished, Some(last)) => {
                    return Ok(Finding {
                        value: value_of(&last),
                        best: last.report.best().map(|best| best.vertex.to_gtp(position.size)),
                        visits: last.visits,
                    });
                }
                // Any first report has a visit.
                (EndReason::Limit, None) if !waited => {
                    waited = true;
                    limit = Limit { visits: Some(1), seconds: Some(FIRST_WORD) };
                }
                (EndReason::Limit | EndReason::Finished, None) => {
                    return Ok(Finding { value: None, best: None, visits: 0 });
                }
                (EndReason::Superseded, _) if !taken => taken = true,
                (EndReason::Superseded, _) => {
                    let message = "another request took the engine while this position was looked at";
                    return Err(Error::new(Kind::EngineBusy, message).into());
                }
                (EndReason::Stopped, _) => return Err(Halt::Stopped),
                (reason, _) => {
                    let gone = || format!("the engine ended the search: {reason:?}");
                    let error = ended.error.map(Error::from);
                    return Err(error.unwrap_or_else(|| Error::new(Kind::EngineExited, gone())).into());
                }
            }
        }
    }

    /// One analysis, to its end.
    async fn analyze(&self, position: &Position, limit: Limit) -> Result<Ended> {
        let request = AnalyzeRequest {
            position: Some(position.clone()),
            limit,
            interval_cs: interval(limit),
            root_info: true,
            ..AnalyzeRequest::default()
        };
        let mut analysis = self.attached.engine.analyze(request).await?;
        while let Some(event) = analysis.events.next().await {
            if let AnalysisEvent::Ended(ended) = event {
                return Ok(ended);
            }
        }
        Err(Error::new(Kind::EngineExited, "the engine went away during the review"))
    }
}

/// How many seconds an engine has for its first word on a position, however short the limit.
const FIRST_WORD: f64 = 120.0;

/// Centiseconds between reports: several in the time that there is.
fn interval(limit: Limit) -> u32 {
    limit.seconds.map_or(10, |seconds| (seconds * 25.0).clamp(1.0, 10.0) as u32)
}

/// Errors that concern one node, not the engine.
fn is_about_the_position(error: &Error) -> bool {
    matches!(
        error.kind,
        Kind::SyncFailed
            | Kind::BoardTooLarge
            | Kind::InvalidPosition
            | Kind::EngineRefused
            | Kind::EngineBusy
            | Kind::UnsupportedGame
    )
}

//! A review while it runs: which search comes next, what its end makes known, when all is over.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;

use super::analyst::Analyst;
use super::critical::critical;
use super::found::{Blunder, Finding, Nodes, Seen};
use super::journal::{Journal, Key, Known};
use super::plan::{Depth, Lines, Plan};
use super::row::{Count, Row};
use super::search::{Halt, is_about_the_position, search};
use crate::go::Move;
use crate::service::error::{Error, Kind, Result};
use crate::service::stream::Publisher;
use crate::service::table::{Cx, Progress, Stop};
use crate::service::writeback::{Edit, Line, WriteBack};

/// Rows that may wait for a slow client before the review waits for it.
const WAITING_ROWS: usize = 256;

/// Why a review is over.
enum End {
    /// Somebody wants it to be, or the time is over.
    Reason(&'static str),
    /// It cannot go on.
    Failed(Error),
}

impl From<Error> for End {
    fn from(error: Error) -> End {
        End::Failed(error)
    }
}

/// A search that has ended.
struct Done {
    node: usize,
    seen: Seen,
    outcome: std::result::Result<Finding, Halt>,
    /// It was known already.
    known: bool,
}

/// By what the values of all nodes would be known, in both passes.
pub fn keys(nodes: &Nodes, plan: &Plan) -> HashSet<Key> {
    let second = plan.second.map(|second| plan.name(2, second.depth));
    let depths = [Some(plan.name(1, plan.first)), second];
    let key =
        |node: usize| depths.iter().flatten().map(move |depth| (nodes.fingerprint(node), depth.clone()));
    (0..nodes.count()).flat_map(key).collect()
}

/// How many nodes of the first pass are known.
pub fn resumed(nodes: &Nodes, plan: &Plan, known: &Known) -> usize {
    let depth = plan.name(1, plan.first);
    let is_known = |node: &usize| known.contains_key(&(nodes.fingerprint(*node), depth.clone()));
    (0..nodes.count()).filter(is_known).count()
}

/// A review that runs.
pub struct Run {
    cx: Cx,
    analyst: Analyst,
    nodes: Nodes,
    plan: Plan,
    journal: Journal,
    known: Known,
    events: Publisher<Row>,
    stop: Stop,
    began: Instant,
    /// How many candidates of a node are written; 0 when nothing is.
    candidates: usize,
    /// Its number among those of the session.
    review: u64,
    /// Losses and best moves as they were sent, to see what is news.
    told: HashMap<usize, (Option<f64>, Option<String>)>,
}

impl Run {
    /// About to begin: the budget's time runs from here.
    pub fn new(
        cx: Cx,
        analyst: Analyst,
        nodes: Nodes,
        plan: Plan,
        (journal, known): (Journal, Known),
        events: Publisher<Row>,
        stop: Stop,
    ) -> Run {
        let (told, began, review) = (HashMap::new(), Instant::now(), cx.session.reviews.begin());
        Run { cx, analyst, nodes, plan, journal, known, events, stop, began, candidates: 0, review, told }
    }

    /// Both passes, and what is written. Gives the last row.
    pub async fn finish(mut self, write: bool) -> Row {
        self.candidates = if write { self.cx.settings().stored_candidates } else { 0 };
        let progress = self.cx.progress("Analysing the game");
        let end = self.passes(&progress).await;
        let mut last = Row { left: Some(self.nodes.left()), ..Row::default() };
        match end {
            Ok(()) => last.reason = Some("finished".to_owned()),
            Err(End::Reason(reason)) => last.reason = Some(reason.to_owned()),
            Err(End::Failed(error)) => self.fail(&mut last, &error),
        }
        for node in self.nodes.waiting() {
            self.send(node, 1, None);
        }
        let whole = matches!(last.reason.as_deref(), Some("finished" | "budget"));
        if write {
            match self.write(whole).await {
                Ok(edit) => last.edit = edit,
                Err(error) => self.fail(&mut last, &error),
            }
        }
        self.journal.end(last.reason.as_deref() == Some("finished"));
        last
    }

    fn fail(&self, last: &mut Row, error: &Error) {
        let reason = if error.kind == Kind::EngineExited { "engineExited" } else { "refused" };
        last.reason = Some(reason.to_owned());
        last.error = Some(error.to_json(self.cx.session.audience()));
    }

    async fn passes(&mut self, progress: &Progress) -> std::result::Result<(), End> {
        let all: Vec<usize> = (0..self.nodes.count()).collect();
        self.pass(1, self.plan.first, all, progress).await?;
        let Some(second) = self.plan.second else { return Ok(()) };
        let deep = critical(self.nodes.count(), &self.nodes.steps(), &second.thresholds);
        self.pass(2, second.depth, deep, progress).await
    }

    /// Searches these nodes, as many at once as the engine takes.
    async fn pass(
        &mut self,
        pass: u8,
        depth: Depth,
        nodes: Vec<usize>,
        progress: &Progress,
    ) -> std::result::Result<(), End> {
        let name = self.plan.name(pass, depth);
        // One that waits behind the present one makes use of a turn on an engine that others want, too.
        let at_once = if depth.is_exact() { self.analyst.engine.info().capacity.max(2) } else { 1 };
        let mut count = Count { done: 0, total: nodes.len() };
        let mut waiting = nodes.into_iter();
        let mut running: FuturesUnordered<BoxFuture<'static, Done>> = FuturesUnordered::new();
        loop {
            while running.len() < at_once && !waiting.as_slice().is_empty() {
                self.room().await?;
                let left = waiting.len();
                let Some(node) = waiting.next() else { break };
                running.push(self.start(node, pass, depth, &name, left)?);
            }
            if running.is_empty() {
                return Ok(());
            }
            let over = self.time_left(pass).filter(|_| depth.is_exact());
            let done = tokio::select! {
                biased;
                Some(done) = running.next() => done,
                reason = self.stop.reason() => return Err(End::Reason(reason)),
                () = tokio::time::sleep(over.unwrap_or_default()), if over.is_some() => {
                    return Err(End::Reason("budget"));
                }
            };
            if done.known {
                // What is known is there at once: others get their turn between.
                tokio::task::yield_now().await;
            }
            count.done += 1;
            self.took(done, pass, &name, count)?;
            self.report(progress, pass, count);
        }
    }

    /// Waits until a slow client has read on.
    async fn room(&mut self) -> std::result::Result<(), End> {
        tokio::select! {
            biased;
            reason = self.stop.reason() => Err(End::Reason(reason)),
            () = self.events.room(WAITING_ROWS) => Ok(()),
        }
    }

    /// What is left of the budget for a pass; `None` without a budget.
    fn time_left(&self, pass: u8) -> Option<Duration> {
        let end = Duration::try_from_secs_f64(self.plan.end(pass)?).unwrap_or(Duration::MAX);
        Some(end.saturating_sub(self.began.elapsed()))
    }

    /// The search of a node; its answer at once when it is known.
    fn start(
        &mut self,
        node: usize,
        pass: u8,
        depth: Depth,
        name: &str,
        left: usize,
    ) -> std::result::Result<BoxFuture<'static, Done>, End> {
        let position = self.nodes.position(node)?;
        let seen = Seen::of(&position);
        if let Some(found) = self.known.get(&(self.nodes.fingerprint(node), name.to_owned())) {
            let found = found.clone();
            return Ok(Box::pin(async move { Done { node, seen, outcome: Ok(found), known: true } }));
        }
        // The budget is over only with its own end; a pass with an earlier one goes on as it can.
        if self.time_left(2).is_some_and(|time| time.is_zero()) {
            return Err(End::Reason("budget"));
        }
        let limit = depth.limit(left, self.time_left(pass).map(|time| time.as_secs_f64()));
        let (attached, engine) = (self.analyst.attached.clone(), self.analyst.engine.clone());
        let candidates = self.candidates;
        Ok(Box::pin(async move {
            let outcome = search(attached, engine, position, limit, candidates).await;
            Done { node, seen, outcome, known: false }
        }))
    }

    /// Notes what a search found, and tells it.
    fn took(&mut self, done: Done, pass: u8, name: &str, count: Count) -> std::result::Result<(), End> {
        let Done { node, seen, outcome, known } = done;
        let outcome = match outcome {
            Ok(found) => {
                let at = self.nodes.fingerprint(node);
                self.cx.session.reviews.note(&self.nodes.document, self.review, at, &found);
                if !known {
                    let key = (at, name.to_owned());
                    self.journal.add(&key, &found);
                    // Nodes of the same position need no search of their own.
                    self.known.insert(key, found.clone());
                }
                Ok(found)
            }
            Err(Halt::Stopped) => return Err(End::Reason("stopped")),
            Err(Halt::Failed(error)) if is_about_the_position(&error) => {
                Err(error.to_json(self.cx.session.audience()))
            }
            Err(Halt::Failed(error)) => return Err(End::Failed(error)),
        };
        for news in self.nodes.take(node, pass, seen, outcome) {
            self.send(news, pass, Some((node, count)));
        }
        Ok(())
    }

    /// Sends a node's row; one that `origin` has not been searched for only when its loss is news.
    fn send(&mut self, node: usize, pass: u8, origin: Option<(usize, Count)>) {
        let row = match self.nodes.row(node) {
            Ok(row) => row,
            Err(error) => return tracing::error!(%error, "a row could not be made"),
        };
        let told = (row.loss, row.best.clone());
        let own = origin.is_none_or(|(searched, _)| searched == node);
        if !own && self.told.get(&node) == Some(&told) {
            return;
        }
        self.told.insert(node, told);
        self.events.send(Row { pass: Some(pass), progress: origin.map(|(_, count)| count), ..row });
    }

    fn report(&self, progress: &Progress, pass: u8, count: Count) {
        let percent = (count.done * 100 / count.total.max(1)) as u32;
        let Count { done, total } = count;
        match (self.plan.second, pass) {
            (None, _) => progress.report(percent, &format!("{done}/{total}")),
            (Some(_), 1) => progress.report(percent / 2, &format!("{done}/{total}")),
            (Some(_), _) => progress.report(50 + percent / 2, &format!("deeper: {done}/{total}")),
        }
    }

    /// Writes what was found: into a file only when the review is whole, else as an edit.
    async fn write(&mut self, whole: bool) -> Result<Option<Edit>> {
        let mut write = WriteBack::default();
        for (node, opinion) in self.nodes.opinions() {
            write.push(self.nodes.place(node)?, opinion);
        }
        if let Some(lines) = &self.plan.lines {
            for blunder in worst(self.nodes.blunders(), lines) {
                write.add_line(self.nodes.place_of_id(blunder.before)?, better(&blunder, lines.moves));
            }
        }
        match (&self.nodes.document.file, whole) {
            (None, _) => Ok(write.apply(&self.cx.session).await),
            (Some(_), true) => write.write_file(),
            (Some(_), false) => Ok(None),
        }
    }
}

/// The moves that lose at least what the threshold says, the worst first, at most one for each node
/// before them.
fn worst(mut blunders: Vec<Blunder>, lines: &Lines) -> Vec<Blunder> {
    blunders.retain(|blunder| blunder.loss >= lines.threshold);
    // Stable: of equal ones the earlier.
    blunders.sort_by(|one, two| two.loss.total_cmp(&one.loss));
    let mut nodes = HashSet::new();
    blunders.retain(|blunder| nodes.insert(blunder.before));
    blunders.truncate(lines.count);
    blunders
}

/// What the engine would have played instead.
fn better(blunder: &Blunder, moves: usize) -> Line {
    let sides = [blunder.played.color, blunder.played.color.opponent()];
    let line = blunder.line.iter().take(moves).zip(sides.into_iter().cycle());
    Line {
        moves: line.map(|(vertex, color)| Move { color, vertex: *vertex }).collect(),
        value: blunder.value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::{Color, Point, Vertex};
    use crate::sgf::NodeId;

    fn blunder(before: u32, loss: f64) -> Blunder {
        let at = |col| Vertex::At(Point::new(col, 0));
        let played = Move { color: Color::White, vertex: at(0) };
        Blunder { before: NodeId(before), loss, played, line: vec![at(1), at(2), Vertex::Pass], value: None }
    }

    #[test]
    fn the_worst_moves_get_lines() {
        type Case<'a> = (&'a str, f64, usize, &'a [(u32, f64)], &'a [u32]);
        let cases: [Case<'_>; 6] = [
            ("at least the threshold", 2.0, 9, &[(0, 1.9), (1, 2.0), (2, -5.0)], &[1]),
            ("the worst first", 1.0, 9, &[(0, 2.0), (1, 4.0), (2, 3.0)], &[1, 2, 0]),
            ("of equal ones the earlier", 1.0, 1, &[(0, 2.0), (1, 2.0)], &[0]),
            ("at most so many", 1.0, 2, &[(0, 2.0), (1, 4.0), (2, 3.0)], &[1, 2]),
            ("one a node", 1.0, 9, &[(0, 2.0), (0, 4.0)], &[0]),
            ("no threshold: whatever loses nothing either", 0.0, 9, &[(0, 0.0), (1, -0.1)], &[0]),
        ];
        for (what, threshold, count, blunders, expected) in cases {
            let lines = Lines { threshold, count, moves: 10 };
            let blunders = blunders.iter().map(|(before, loss)| blunder(*before, *loss)).collect();
            let chosen: Vec<u32> = worst(blunders, &lines).iter().map(|blunder| blunder.before.0).collect();
            assert_eq!(chosen, expected, "{what}");
        }
    }

    #[test]
    fn lines_have_their_colours_and_an_end() {
        let spelled = |moves| {
            let line = better(&blunder(0, 1.0), moves);
            line.moves.iter().map(|play| play.color.letter()).collect::<String>()
        };
        assert_eq!((spelled(2).as_str(), spelled(9).as_str()), ("WB", "WBW"));
    }
}

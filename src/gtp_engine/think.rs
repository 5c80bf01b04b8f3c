//! Commands that search: moves and analyses.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::Host;
use super::analyze::{Dialect, Request};
use super::commands::{Engine, Searched};
use crate::go::{Color, Move, Position, Step};
use crate::mcts::grid::Place;
use crate::mcts::{Choice, Limits, Manners, Settings, Tree, Worker};

/// The most simulations of one move or analysis; memory is limited besides.
pub const MOST_VISITS: u32 = 50_000_000;
/// Simulations of a move for which there is no time at all.
const LEAST_VISITS: u32 = 50;

/// What becomes of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Purpose {
    /// Lines until another command comes.
    Analysis,
    /// A move that is told.
    Advice,
    /// The same, unless another command comes.
    CancellableAdvice,
    /// A move that is made.
    Move,
}

/// What a command wants.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    purpose: Purpose,
    /// How lines are written, where there are some.
    dialect: Option<Dialect>,
}

/// The plan of a command that searches.
pub fn plan(command: &str) -> Option<Plan> {
    use Dialect::{Kata, Lz, Plain};
    let (purpose, dialect) = match command {
        "analyze" => (Purpose::Analysis, Some(Plain)),
        "lz-analyze" => (Purpose::Analysis, Some(Lz)),
        "kata-analyze" => (Purpose::Analysis, Some(Kata)),
        "genmove" => (Purpose::Move, None),
        "genmove_analyze" => (Purpose::Move, Some(Plain)),
        "lz-genmove_analyze" => (Purpose::Move, Some(Lz)),
        "kata-genmove_analyze" => (Purpose::Move, Some(Kata)),
        "reg_genmove" | "kata-search" => (Purpose::Advice, None),
        "kata-search_cancellable" => (Purpose::CancellableAdvice, None),
        "kata-search_analyze" => (Purpose::Advice, Some(Kata)),
        "kata-search_analyze_cancellable" => (Purpose::CancellableAdvice, Some(Kata)),
        _ => return None,
    };
    Some(Plan { purpose, dialect })
}

impl Plan {
    fn is_cancellable(&self) -> bool {
        matches!(self.purpose, Purpose::Analysis | Purpose::CancellableAdvice)
    }
}

impl Engine {
    /// Does a command that searches, and answers it.
    pub(super) fn think(&mut self, id: &str, plan: Plan, args: &[&str], host: &mut dyn Host) {
        let request = match self.request(plan, args) {
            Ok(request) => request,
            Err(text) => return host.say(&format!("?{id} {text}\n\n")),
        };
        let color = request.color.unwrap_or(self.position.to_play);
        let head = if plan.dialect.is_some() { format!("={id}\n") } else { String::new() };
        if let Err(text) = self.tree(color) {
            return host.say(&format!("?{id} {text}\n\n"));
        }
        host.say(&head);
        let found =
            self.search(plan, color, &request, host).and_then(|choice| self.execute(plan, color, choice));
        host.say(&match (found, plan.dialect) {
            (Ok(text), _) if plan.purpose == Purpose::Analysis => text,
            (Ok(text), Some(_)) => format!("play {text}\n\n"),
            (Ok(text), None) => format!("={id} {text}\n\n"),
            // The head of a stream is out: one that fails is empty.
            (Err(_), Some(_)) => "\n".to_owned(),
            (Err(text), None) => format!("?{id} {text}\n\n"),
        });
    }

    fn request(&self, plan: Plan, args: &[&str]) -> Result<Request, String> {
        let size = self.position.size;
        if plan.dialect.is_some() {
            let said = args.join(" ");
            let refuse = || format!("Could not parse analyze arguments or arguments out of range: '{said}'");
            return Request::parse(args, size).ok_or_else(refuse);
        }
        let color = args.first().map(|word| self.color(Some(word))).transpose()?;
        Ok(Request::of(color))
    }

    /// Searches and writes lines; `None` if it was cancelled.
    fn search(
        &mut self,
        plan: Plan,
        color: Color,
        request: &Request,
        host: &mut dyn Host,
    ) -> Result<Option<Choice>, String> {
        let is_analysis = plan.purpose == Purpose::Analysis;
        let start = host.seconds();
        let (visits, end) = match self.visits {
            _ if is_analysis => (MOST_VISITS, f64::INFINITY),
            Some(visits) => (visits, f64::INFINITY),
            None => (MOST_VISITS, start + self.time.budget(color)),
        };
        let size = self.position.size;
        let (tree, workers) = self.tree(color)?;
        let grid = *tree.board().grid();
        prepare(tree, workers, &|place| request.allows(color, grid.vertex(place)));
        let before = tree.root().visits();
        // Time is saved where a move is made by time; analyses go on as long as somebody listens.
        let may_end_early = plan.purpose == Purpose::Move && end.is_finite();
        let is_clear = |now: f64| {
            let visits = f64::from(tree.root().visits().saturating_sub(before));
            may_end_early && now > start && tree.is_clear((visits * (end - now) / (now - start)) as u32)
        };
        let interval = request.interval.map(|seconds| seconds.max(0.01));
        let mut next = interval.map_or(f64::INFINITY, |seconds| start + seconds);
        let limits = Limits { visits: Some(visits), playouts: None };
        loop {
            let wanted = || plan.is_cancellable() && host.is_wanted();
            let clear = Cell::new(false);
            grow(tree, workers, limits, &|| {
                let now = host.seconds();
                clear.set(is_clear(now));
                clear.get() || now >= end.min(next) || wanted()
            });
            let cancelled = wanted();
            let now = host.seconds();
            let full = clear.get() || tree.root().visits() >= visits;
            if let (Some(dialect), Some(seconds), false) = (plan.dialect, interval, cancelled)
                && (now >= next || now >= end || full)
            {
                let line = request.line(&tree.report(), dialect, size);
                if !line.is_empty() {
                    host.say(&line);
                    host.say("\n");
                }
                next = now + seconds;
            }
            if cancelled {
                return Ok(None);
            }
            if now >= end || full {
                break;
            }
        }
        if tree.root().visits() == 0 {
            grow(tree, workers, Limits { visits: Some(LEAST_VISITS), playouts: None }, &|| false);
        }
        Ok(Some(tree.choose(&Manners::default())))
    }

    /// What is said at the end of a search; the move is made if that was wanted.
    fn execute(&mut self, plan: Plan, color: Color, choice: Option<Choice>) -> Result<String, String> {
        match (plan.purpose, choice) {
            (Purpose::Analysis, _) => Ok("\n".to_owned()),
            (_, None) => Ok("cancelled".to_owned()),
            (_, Some(Choice::Resign)) => Ok("resign".to_owned()),
            (purpose, Some(Choice::Play(vertex))) => {
                if purpose == Purpose::Move {
                    self.make(Move { color, vertex })?;
                }
                Ok(vertex.to_gtp(self.position.size))
            }
        }
    }

    /// The tree of the position with this player to move: the one at hand where moves lead from it to
    /// here.
    pub(super) fn tree(&mut self, color: Color) -> Result<(&mut Tree, &mut [Worker]), String> {
        let wanted = Position { komi: Some(self.komi), to_play: color, ..self.position.clone() };
        let searched = match self.searched.take().and_then(|known| follow(known, &wanted)) {
            Some(followed) => followed,
            None => {
                let tree = Tree::new(&wanted, Settings::default()).map_err(|why| why.why().to_owned())?;
                let seeds = (0..self.threads as u64).map(|number| self.seed.wrapping_add(number << 32));
                let workers = seeds.map(|seed| Worker::new(&tree, seed)).collect();
                Searched { position: wanted, tree, workers }
            }
        };
        let searched = self.searched.insert(searched);
        Ok((&mut searched.tree, &mut searched.workers))
    }
}

/// Makes a tree ready for the workers: see [`Tree::prepare`].
pub(super) fn prepare(tree: &Tree, workers: &mut [Worker], is_allowed: &dyn Fn(Place) -> bool) {
    if let Some(worker) = workers.first_mut() {
        tree.prepare(worker, is_allowed);
    }
}

/// Searches with all workers, a thread each. `stop` is asked by this thread alone.
pub(super) fn grow(tree: &Tree, workers: &mut [Worker], limits: Limits, stop: &dyn Fn() -> bool) {
    let Some((first, others)) = workers.split_first_mut() else { return };
    let done = &AtomicBool::new(false);
    std::thread::scope(|scope| {
        for worker in others {
            let work = move || tree.search(worker, limits, &|| done.load(Relaxed));
            // Without a thread the search is slower, and that is all.
            let _ = std::thread::Builder::new().spawn_scoped(scope, work);
        }
        tree.search(first, limits, stop);
        done.store(true, Relaxed);
    });
}

/// Follows the moves from a searched position to another.
fn follow(known: Searched, wanted: &Position) -> Option<Searched> {
    let Searched { position, mut tree, workers } = known;
    if position.size != wanted.size || position.komi != wanted.komi {
        return None;
    }
    let rest = wanted.steps.strip_prefix(&position.steps[..])?;
    let mut to_play = position.to_play;
    for step in rest {
        match step {
            Step::Play(play) if play.color == to_play && tree.advance(play.vertex) => {
                to_play = to_play.opponent()
            }
            _ => return None,
        }
    }
    (to_play == wanted.to_play).then(|| Searched { position: wanted.clone(), tree, workers })
}

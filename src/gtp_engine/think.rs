//! Commands that search: moves and analyses.

use std::cell::Cell;

use super::Host;
use super::analyze::{Dialect, Request};
use super::commands::Engine;
use super::searched::Searched;
use crate::go::{Color, Move, Position};
use crate::mcts::{Choice, Limits, Manners, Tree};

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
        let searched = self.tree(color)?;
        let grid = *searched.tree.board().grid();
        searched.prepare(&|place| request.allows(color, grid.vertex(place)));
        let interval = request.interval.map(|seconds| seconds.max(0.01));
        let mut next = interval.map_or(f64::INFINITY, |seconds| start + seconds);
        let limits = Limits { visits: Some(visits), playouts: None };
        // Time is saved where a move is made by time; analyses go on as long as somebody listens.
        let may_end_early = plan.purpose == Purpose::Move && end.is_finite();
        let before = searched.tree.root().visits();
        let is_clear = |tree: &Tree, now: f64| {
            let visits = f64::from(tree.root().visits().saturating_sub(before));
            may_end_early && now > start && tree.is_clear((visits * (end - now) / (now - start)) as u32)
        };
        loop {
            let wanted = || host.is_gone() || (plan.is_cancellable() && host.is_wanted());
            let clear = Cell::new(false);
            searched.search(limits, host, &|tree| {
                let now = host.seconds();
                clear.set(is_clear(tree, now));
                clear.get() || now >= end.min(next) || wanted()
            });
            let cancelled = wanted();
            let now = host.seconds();
            let tree = &searched.tree;
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
        if searched.tree.root().visits() == 0 {
            let least = Limits { visits: Some(LEAST_VISITS), playouts: None };
            searched.search(least, host, &|_| false);
        }
        Ok(Some(searched.tree.choose(&Manners::default())))
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
    pub(super) fn tree(&mut self, color: Color) -> Result<&mut Searched, String> {
        let wanted = Position { komi: Some(self.komi), to_play: color, ..self.position.clone() };
        let followed = self.searched.take().and_then(|known| known.follow(&wanted));
        let searched = match followed {
            Some(followed) => followed,
            None => Searched::new(wanted, self.seed, self.threads)?,
        };
        Ok(self.searched.insert(searched))
    }
}

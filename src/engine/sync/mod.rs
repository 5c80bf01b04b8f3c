//! The sync planner: what the engine has, what the node wants, what the engine can,
//! in; the commands that bring it there, or a typed refusal, out. Pure.
//!
//! A plan is found by doing it: each strategy is carried out on our own board as a strict engine
//! would (it refuses occupied points, suicide and the retaking of a ko), and the first that ends
//! with the wanted stones is taken. An engine that tolerates more ends with the same stones,
//! because nothing is sent that a strict one refuses.

mod arrange;
mod draft;
mod settings;
mod whole;

use crate::go::{Board, Illegal, Move, Position, Size, Step, Vertex};
use draft::Draft;
pub use whole::{Whole, whole};

/// How an engine is brought to a position, cheapest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Strategy {
    /// It is there already; at most komi and rules are told.
    None,
    /// Only further moves are played.
    Extend,
    /// Moves are taken back to the common prefix, then others played.
    Undo,
    /// Empty board, then everything in game order.
    Replay,
    /// Only the points that differ are played, or the replay without what would be refused.
    Rearrange,
    /// The final board, stone by stone or with one set-up command.
    Rebuild(Form),
}

impl Strategy {
    /// Its name on the wire; the forms of a rebuild share one.
    pub fn name(self) -> &'static str {
        match self {
            Strategy::None => "none",
            Strategy::Extend => "extend",
            Strategy::Undo => "undo",
            Strategy::Replay => "replay",
            Strategy::Rearrange => "rearrange",
            Strategy::Rebuild(_) => "rebuild",
        }
    }
}

/// How a board is rebuilt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Form {
    /// `set_position`
    SetPosition,
    /// `loadsgf`
    LoadSgf,
    /// `play`, once for each stone, in an order that captures nothing.
    Stones,
}

/// What an engine can be told, from its `list_commands`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Abilities {
    /// `undo`
    pub undo: bool,
    /// `set_free_handicap`
    pub set_free_handicap: bool,
    /// `rectangular_boardsize`
    pub rectangular_boardsize: bool,
    /// `set_position`
    pub set_position: bool,
    /// `loadsgf`
    pub loadsgf: bool,
    /// `kata-set-rules`; an engine that has it takes komi in whole and half points only.
    pub kata_set_rules: bool,
}

/// What the engine is believed to hold.
#[derive(Debug, Clone, PartialEq)]
pub struct Known {
    /// Its board size.
    pub size: Size,
    /// Its komi in points.
    pub komi: Option<f64>,
    /// Its rules in the record's words, when they were told.
    pub rules: Option<String>,
    /// The rules that it refused last: they are not told again.
    pub refused_rules: Option<String>,
    /// What was acknowledged since the board was cleared.
    pub history: Vec<Entry>,
    /// Whether the engine was told the game in order. Otherwise it knows stones, not how they came.
    pub in_order: bool,
    /// The board after the last [`Entry::Fixed`], else an empty one: where `undo` ends.
    pub anchor: Board,
    /// The board that follows from the history, with the ko the engine knows of.
    pub board: Board,
}

/// One acknowledged change of the engine's board.
#[derive(Debug, Clone, PartialEq)]
pub enum Entry {
    /// One `play` of the game; `undo` takes it back.
    Play(Move),
    /// Steps told in a way that `undo` cannot be trusted to take back: handicap, set-up stones,
    /// a board arranged or rebuilt.
    Fixed(Vec<Step>),
}

impl Known {
    /// A cleared board; komi and rules unknown.
    pub fn empty(size: Size) -> Known {
        let board = Board::new(size);
        Known {
            size,
            komi: None,
            rules: None,
            refused_rules: None,
            history: Vec::new(),
            in_order: true,
            anchor: board.clone(),
            board,
        }
    }

    /// The engine made this move itself (`genmove`), or acknowledged one outside of a plan.
    pub fn played(&mut self, play: Move) {
        self.board.execute(play);
        self.history.push(Entry::Play(play));
    }

    /// The engine refused the rules that this plan told it.
    pub fn rules_refused(&mut self) {
        self.refused_rules = self.rules.take();
    }

    /// The steps that the history stands for share this prefix with the wanted ones:
    /// how many entries, and how many steps.
    fn common_prefix(&self, steps: &[Step]) -> (usize, usize) {
        let mut done = 0;
        for (index, entry) in self.history.iter().enumerate() {
            let rest = &steps[done..];
            let matched = match (entry, rest.first()) {
                (Entry::Play(play), Some(Step::Play(next))) if play == next => 1,
                (Entry::Fixed(fixed), _) if rest.starts_with(fixed) => fixed.len(),
                _ => return (index, done),
            };
            done += matched;
        }
        (self.history.len(), done)
    }

    /// Forgets all entries from this one on; they must be plays.
    fn take_back_to(&mut self, len: usize) {
        self.history.truncate(len);
        self.board = self.anchor.clone();
        let plays = self.history.iter().rev().map_while(|entry| match entry {
            Entry::Play(play) => Some(*play),
            Entry::Fixed(_) => None,
        });
        for play in plays.collect::<Vec<_>>().into_iter().rev() {
            self.board.execute(play);
        }
    }
}

/// One command of a plan.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// Sent as it stands; a refusal ends the plan.
    Essential(String),
    /// Sent as it stands; a refusal is reported as lost (rules), the plan goes on.
    Optional {
        /// The line to send.
        line: String,
        /// What is lost when it is refused: `"rules"` …
        what: &'static str,
    },
    /// The text is written to a temporary file and `loadsgf FILE` is sent; a refusal ends the plan.
    LoadSgf(String),
}

/// Something that the engine could not be told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lost {
    /// `komi`, `rules`, `history`, `ko` …
    pub what: &'static str,
    /// One sentence.
    pub why: String,
}

/// The way to a position.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// Its name.
    pub strategy: Strategy,
    /// In order.
    pub commands: Vec<Command>,
    /// What the engine holds once all are acknowledged.
    pub after: Known,
    /// What it cannot be told this way.
    pub lost: Vec<Lost>,
}

/// Why no plan exists.
#[derive(Debug, Clone, PartialEq)]
pub enum Refusal {
    /// Larger than 25x25, or not square and the engine has no `rectangular_boardsize`.
    Size {
        /// The size wanted.
        size: Size,
        /// One sentence.
        why: String,
    },
    /// Stones without liberties stand on the board.
    InvalidPosition {
        /// GTP spelling of the first such point.
        vertex: String,
    },
    /// Every strategy that is left gives another board.
    CannotRecreate,
}

/// Finds the first strategy, in [`Strategy`]'s order, whose board equals the position's.
///
/// `known` is `None` when the engine's board is not known (start, refused command, crash).
/// `banned` are strategies that the engine has just refused. A banned replay is tried once more
/// without `set_free_handicap`, as a rearrangement.
///
/// # Errors
/// [`Refusal`], when no engine could (size, stones without liberties) or this one cannot.
pub fn plan(
    known: Option<&Known>,
    want: &Position,
    can: &Abilities,
    banned: &[Strategy],
) -> Result<Plan, Refusal> {
    settings::check_size(want.size, can)?;
    let target = want.board();
    if let Some(dead) = target.stones_without_liberties().first() {
        return Err(Refusal::InvalidPosition { vertex: Vertex::At(*dead).to_gtp(want.size) });
    }
    let known = known.filter(|known| known.size == want.size);
    let task = Task { known, want, target: &target, can, banned };
    task.in_place()
        .or_else(|| task.replay(can))
        .or_else(|| task.rearrange())
        .or_else(|| task.rebuild())
        .ok_or(Refusal::CannotRecreate)
}

/// The moves and set-up stones that a strict engine refuses when the position's steps are told in
/// order, each with the number of its step; what is refused is left out, as the engine does.
pub fn predicted_refusals(want: &Position) -> Vec<(usize, Move, Illegal)> {
    let mut draft = Draft::cleared(want, &Abilities::default(), None);
    let refused =
        |(index, step)| draft.tell_what_is_taken(step).into_iter().map(move |(m, why)| (index, m, why));
    want.steps.iter().enumerate().flat_map(refused).collect()
}

/// One call of [`plan`].
struct Task<'a> {
    known: Option<&'a Known>,
    want: &'a Position,
    target: &'a Board,
    can: &'a Abilities,
    banned: &'a [Strategy],
}

impl Task<'_> {
    /// The plan that a draft makes, unless it is banned or its stones are wrong.
    fn finish(&self, strategy: Strategy, draft: Draft) -> Option<Plan> {
        let fits = !self.banned.contains(&strategy) && draft.known.board.same_stones(self.target);
        fits.then(|| {
            let lost = settings::lost(self.want, self.target, self.can, &draft.known);
            Plan { strategy, commands: draft.commands, after: draft.known, lost }
        })
    }

    /// From where the engine stands: nothing, further moves, or moves taken back first.
    fn in_place(&self) -> Option<Plan> {
        let known = self.known?;
        let (entries, steps) = known.common_prefix(&self.want.steps);
        let surplus = &known.history[entries..];
        let strategy = match (surplus.len(), self.want.steps.len() - steps) {
            (0, 0) => Strategy::None,
            (0, _) => Strategy::Extend,
            _ => Strategy::Undo,
        };
        let undoable = surplus.iter().all(|entry| matches!(entry, Entry::Play(_)));
        if strategy == Strategy::Undo && !(self.can.undo && undoable) {
            return None;
        }
        let mut draft = Draft::from(known);
        draft.undo_to(entries);
        draft.tell_settings(self.want, self.can, false);
        if !self.want.steps[steps..].iter().all(|step| draft.tell(step, self.can)) {
            return None;
        }
        let plan = self.finish(strategy, draft)?;
        let dearer = |replay: &Plan| replay.commands.len() <= plan.commands.len();
        let prefer_replay = strategy == Strategy::Undo && self.replay(self.can).as_ref().is_some_and(dearer);
        (!prefer_replay).then_some(plan)
    }

    /// The whole game in order; `can` says whether a handicap may be told as such.
    fn replay(&self, can: &Abilities) -> Option<Plan> {
        let mut draft = Draft::cleared(self.want, self.can, self.known);
        draft.tell_settings(self.want, self.can, true);
        let told = self.want.steps.iter().all(|step| draft.tell(step, can));
        if told { self.finish(Strategy::Replay, draft) } else { None }
    }
}

#[cfg(test)]
mod tests;

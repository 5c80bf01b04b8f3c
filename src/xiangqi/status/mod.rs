//! How a game stands: going on, won, drawn, or repeated in a way that the rules must judge.
//!
//! What decides, in this order:
//! 1. The side to move has no legal move: it loses, checkmated (将死) or stalemated (困毙). This
//!    comes before every draw.
//! 2. The position has stood often enough: the rule set judges what was played in between. This comes
//!    before the move limit, so that nobody saves a perpetual check or chase by it.
//! 3. So many plies went by without a capture (自然限着): a draw. Every ply counts; the events that
//!    leave checks beyond a number out of the count can raise the limit.

mod words;

use super::piece::Side;
use super::position::Position;
use super::repetition::{self, Cycle, History, OCCURRENCES, Repetition, RuleSet, Verdict};

/// Plies without a capture after which a game is drawn, unless told otherwise: 60 moves a side.
pub const MOVE_LIMIT: u32 = 120;

/// What a game is judged by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatusOptions {
    /// Whose rules judge a repetition.
    pub rules: RuleSet,
    /// How often a position must have stood to be judged; less than 2 counts as 2.
    pub occurrences: u32,
    /// Plies without a capture that make a draw; 0: no number does.
    pub move_limit: u32,
}

impl Default for StatusOptions {
    fn default() -> StatusOptions {
        StatusOptions { rules: RuleSet::default(), occurrences: OCCURRENCES, move_limit: MOVE_LIMIT }
    }
}

/// The state of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum State {
    /// It goes on.
    Playing,
    /// It goes on, the side to move is in check.
    Check,
    /// The side to move is in check and has no move: it loses.
    Checkmate,
    /// The side to move is not in check and has no move: it loses.
    Stalemate,
    /// A repetition in which nobody offends alone.
    DrawRepetition,
    /// Too many plies without a capture.
    DrawFifty,
    /// A repetition by perpetual check. The name notwithstanding it is drawn only if both sides check;
    /// otherwise the one that checks loses.
    DrawPerpetualCheck,
    /// A repetition by perpetual chase: the one that chases loses, if both do it is drawn.
    PerpetualChase,
    /// A repetition that this engine cannot judge by the rule set asked for.
    Undecided,
}

impl State {
    /// All states.
    pub const ALL: [State; 9] = [
        State::Playing,
        State::Check,
        State::Checkmate,
        State::Stalemate,
        State::DrawRepetition,
        State::DrawFifty,
        State::DrawPerpetualCheck,
        State::PerpetualChase,
        State::Undecided,
    ];

    /// The stable name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            State::Playing => "playing",
            State::Check => "check",
            State::Checkmate => "checkmate",
            State::Stalemate => "stalemate",
            State::DrawRepetition => "draw-repetition",
            State::DrawFifty => "draw-fifty",
            State::DrawPerpetualCheck => "draw-perpetual-check",
            State::PerpetualChase => "perpetual-chase",
            State::Undecided => "undecided",
        }
    }

    /// Whether the game is over. An undecided repetition ends nothing.
    pub const fn is_over(self) -> bool {
        !matches!(self, State::Playing | State::Check | State::Undecided)
    }
}

/// Why the state is what it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reason {
    /// Nothing decides.
    InProgress,
    /// The side to move is in check.
    InCheck,
    /// The side to move is checkmated.
    Checkmate,
    /// The side to move is stalemated.
    Stalemate,
    /// The position has come again often enough, and nobody offends alone.
    Repetition,
    /// Too many plies without a capture.
    MoveLimit,
    /// One side has checked all along.
    PerpetualCheck,
    /// Both sides have checked all along.
    MutualPerpetualCheck,
    /// One side has chased all along.
    PerpetualChase,
    /// Both sides have chased all along.
    MutualPerpetualChase,
    /// The position has come again often enough, and the ruling is not known.
    UndecidedRepetition,
}

impl Reason {
    /// All reasons.
    pub const ALL: [Reason; 11] = [
        Reason::InProgress,
        Reason::InCheck,
        Reason::Checkmate,
        Reason::Stalemate,
        Reason::Repetition,
        Reason::MoveLimit,
        Reason::PerpetualCheck,
        Reason::MutualPerpetualCheck,
        Reason::PerpetualChase,
        Reason::MutualPerpetualChase,
        Reason::UndecidedRepetition,
    ];

    /// The stable code on the wire.
    pub const fn code(self) -> &'static str {
        match self {
            Reason::InProgress => "in-progress",
            Reason::InCheck => "in-check",
            Reason::Checkmate => "checkmate",
            Reason::Stalemate => "stalemate",
            Reason::Repetition => "repetition",
            Reason::MoveLimit => "move-limit",
            Reason::PerpetualCheck => "perpetual-check",
            Reason::MutualPerpetualCheck => "mutual-perpetual-check",
            Reason::PerpetualChase => "perpetual-chase",
            Reason::MutualPerpetualChase => "mutual-perpetual-chase",
            Reason::UndecidedRepetition => "undecided-repetition",
        }
    }

    /// The state it makes.
    pub const fn state(self) -> State {
        match self {
            Reason::InProgress => State::Playing,
            Reason::InCheck => State::Check,
            Reason::Checkmate => State::Checkmate,
            Reason::Stalemate => State::Stalemate,
            Reason::Repetition => State::DrawRepetition,
            Reason::MoveLimit => State::DrawFifty,
            Reason::PerpetualCheck | Reason::MutualPerpetualCheck => State::DrawPerpetualCheck,
            Reason::PerpetualChase | Reason::MutualPerpetualChase => State::PerpetualChase,
            Reason::UndecidedRepetition => State::Undecided,
        }
    }
}

/// How a game stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status {
    /// The state.
    pub state: State,
    /// Who has won, if anybody has.
    pub winner: Option<Side>,
    /// Why.
    pub reason: Reason,
    /// Why, as an English sentence without its full stop.
    pub sentence: String,
    /// Why, as a Chinese sentence without its full stop.
    pub reason_zh: String,
    /// How often the position has stood, this time included; 1 without a history.
    pub repetitions: u32,
    /// What was played since the position stood before, each ply with how it is classed; only if it
    /// has stood before.
    pub cycle: Option<Cycle>,
}

/// How the game stands at a position. Without a history nothing is known of repetitions; a history
/// must lead to the position, see [`History::leads_to`].
pub fn status(position: &Position, history: Option<&History>, options: &StatusOptions) -> Status {
    let judged = history.map(|history| repetition::judge(history, options.rules, options.occurrences));
    // A FEN may leave its counter out: the history knows how many plies it has seen.
    let quiet = position.halfmove().max(history.map_or(0, |history| history.end().halfmove()));
    let verdict = judged.as_ref().and_then(|judged| judged.verdict.as_ref());
    let (reason, winner) = decide(position, verdict, quiet, options);
    let told = words::Told {
        position,
        reason,
        winner,
        quiet,
        ruling: judged.as_ref().and_then(Repetition::reason).unwrap_or_default(),
        ruling_zh: judged.as_ref().and_then(Repetition::reason_zh).unwrap_or_default(),
    };
    Status {
        state: reason.state(),
        winner,
        reason,
        sentence: told.english(),
        reason_zh: told.chinese(),
        repetitions: judged.as_ref().map_or(1, |judged| judged.repetitions),
        cycle: judged.and_then(|judged| judged.cycle),
    }
}

/// The reason and the winner.
fn decide(
    position: &Position,
    verdict: Option<&Verdict>,
    quiet: u32,
    options: &StatusOptions,
) -> (Reason, Option<Side>) {
    let check = position.is_check();
    if position.legal_moves().is_empty() {
        let reason = if check { Reason::Checkmate } else { Reason::Stalemate };
        return (reason, Some(position.turn().opposite()));
    }
    if let Some(verdict) = verdict {
        return (ruling(verdict), verdict.winner());
    }
    if options.move_limit > 0 && quiet >= options.move_limit {
        return (Reason::MoveLimit, None);
    }
    (if check { Reason::InCheck } else { Reason::InProgress }, None)
}

fn ruling(verdict: &Verdict) -> Reason {
    match verdict {
        Verdict::Draw => Reason::Repetition,
        Verdict::PerpetualCheck { offender: Some(_) } => Reason::PerpetualCheck,
        Verdict::PerpetualCheck { offender: None } => Reason::MutualPerpetualCheck,
        Verdict::PerpetualChase { offender: Some(_) } => Reason::PerpetualChase,
        Verdict::PerpetualChase { offender: None } => Reason::MutualPerpetualChase,
        Verdict::Undecided { .. } => Reason::UndecidedRepetition,
    }
}

impl History {
    /// Whether the history ends with these pieces and this side to move. The counters are not
    /// compared: a FEN may leave them out.
    pub fn leads_to(&self, position: &Position) -> bool {
        self.end().board() == position.board() && self.end().turn() == position.turn()
    }
}

#[cfg(test)]
mod tests;

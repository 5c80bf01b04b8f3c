//! The referee of a game: who is to move, what is legal by the rules in force, when play is over.

use std::collections::HashSet;

use super::{Board, Color, Illegal, Move, Position, Step, Vertex};

/// Which whole-board positions may not come about again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ko {
    /// None; only the stone that has just taken a single stone may not be retaken at once.
    Simple,
    /// Any that stood before.
    Positional,
    /// Any that stood before with the same side to move.
    Situational,
}

/// What a rule set says about single moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MoveRules {
    /// Repetition.
    pub ko: Ko,
    /// Whether a chain may take its own last liberty.
    pub suicide: bool,
}

impl MoveRules {
    /// By the name that a record or an engine uses, in any case and spelling of blanks. A name that is not
    /// known, or none, forbids the least: what all rules forbid.
    pub fn named(name: Option<&str>) -> MoveRules {
        let name: String =
            name.unwrap_or_default().chars().filter(char::is_ascii_alphanumeric).collect::<String>();
        let (ko, suicide) = match name.to_ascii_lowercase().as_str() {
            "chinese" | "chineseogs" | "chinesekgs" | "cgos" => (Ko::Positional, false),
            "tromptaylor" => (Ko::Positional, true),
            "aga" | "agabutton" | "bga" | "french" => (Ko::Situational, false),
            "nz" | "newzealand" => (Ko::Situational, true),
            "goe" | "ing" => (Ko::Simple, true),
            _ => (Ko::Simple, false),
        };
        MoveRules { ko, suicide }
    }
}

/// Why a move is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The other side is to move.
    NotYourTurn,
    /// Against the rule of a single move.
    Illegal(Illegal),
    /// The whole board stood so before (superko).
    Repetition,
}

impl Fault {
    /// In words, behind "the move is not legal:".
    pub fn why(self) -> &'static str {
        match self {
            Fault::NotYourTurn => "the other side is to move",
            Fault::Illegal(Illegal::Occupied) => "a stone stands there",
            Fault::Illegal(Illegal::Suicide) => "it would take its own last liberty",
            Fault::Illegal(Illegal::Ko) => "it retakes a ko at once",
            Fault::Illegal(Illegal::OffBoard) => "the point is not on the board",
            Fault::Repetition => "the whole board stood so before",
        }
    }
}

/// Why play is over by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    /// Both sides have passed, one after the other.
    Passes,
    /// So many moves have been made as were agreed upon.
    MoveLimit,
}

/// What a move did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Played {
    /// Stones of the opponent that were taken.
    pub captured: u32,
    /// Whether play is over now.
    pub over: Option<Over>,
}

/// One game as the referee sees it.
#[derive(Debug, Clone)]
pub struct Referee {
    rules: MoveRules,
    board: Board,
    to_play: Color,
    seen: HashSet<(u64, Option<Color>)>,
    last_pass: Option<Color>,
    moves: u32,
    limit: Option<u32>,
}

impl Referee {
    /// A game that goes on from a position, over after so many more moves. Passes before it do not count:
    /// whoever starts a game there wants to play.
    pub fn new(from: &Position, rules: MoveRules, limit: Option<u32>) -> Referee {
        let mut referee = Referee {
            rules,
            board: Board::new(from.size),
            to_play: from.to_play,
            seen: HashSet::new(),
            last_pass: None,
            moves: 0,
            limit,
        };
        let mut next = Color::Black;
        for step in &from.steps {
            referee.remember(next);
            step.execute(&mut referee.board);
            if let Step::Play(play) = step {
                next = play.color.opponent();
            }
        }
        referee.remember(from.to_play);
        referee
    }

    /// The board.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// Who is to move.
    pub fn to_play(&self) -> Color {
        self.to_play
    }

    /// The moves of this game, passes included.
    pub fn moves(&self) -> u32 {
        self.moves
    }

    /// Makes a move.
    ///
    /// # Errors
    /// Why it is not legal; nothing is changed then.
    pub fn play(&mut self, play: Move) -> Result<Played, Fault> {
        if play.color != self.to_play {
            return Err(Fault::NotYourTurn);
        }
        match self.board.legality(play) {
            Err(Illegal::Suicide) if self.rules.suicide => {}
            legality => legality.map_err(Fault::Illegal)?,
        }
        let next = play.color.opponent();
        let mut board = self.board.clone();
        let captured = board.execute(play).captured.len() as u32;
        if play.vertex != Vertex::Pass && self.seen.contains(&self.situation(&board, next)) {
            return Err(Fault::Repetition);
        }
        self.board = board;
        self.to_play = next;
        self.moves += 1;
        self.remember(next);
        let passed_before = self.last_pass.take() == Some(next);
        let over = if play.vertex == Vertex::Pass {
            self.last_pass = Some(play.color);
            passed_before.then_some(Over::Passes)
        } else {
            None
        };
        let over = over.or_else(|| (self.limit == Some(self.moves)).then_some(Over::MoveLimit));
        Ok(Played { captured, over })
    }

    fn situation(&self, board: &Board, next: Color) -> (u64, Option<Color>) {
        (board.hash(), (self.rules.ko == Ko::Situational).then_some(next))
    }

    fn remember(&mut self, next: Color) {
        if self.rules.ko != Ko::Simple {
            self.seen.insert(self.situation(&self.board, next));
        }
    }
}

/// The points of each side by area, Black's first: its stones, and the empty points that only its stones
/// surround. Every stone on the board is taken to be alive (Tromp and Taylor's count).
pub fn area(board: &Board) -> [u32; 2] {
    let size = board.size();
    let mut points = [0; 2];
    let mut seen = vec![false; size.area()];
    for start in size.points() {
        if let Some(color) = board.at(start) {
            points[color as usize] += 1;
            continue;
        }
        if std::mem::replace(&mut seen[size.index(start)], true) {
            continue;
        }
        let (mut region, mut next, mut borders) = (vec![start], 0, [false; 2]);
        while let Some(point) = region.get(next).copied() {
            next += 1;
            for beside in board.neighbours(point) {
                match board.at(beside) {
                    Some(color) => borders[color as usize] = true,
                    None if !std::mem::replace(&mut seen[size.index(beside)], true) => region.push(beside),
                    None => {}
                }
            }
        }
        match borders {
            [true, false] => points[0] += region.len() as u32,
            [false, true] => points[1] += region.len() as u32,
            _ => {}
        }
    }
    points
}

/// The result as records write it (`RE`): `B+3.5`, `W+12`, `0` for a draw; Black's points less White's and komi.
pub fn result_text(black_lead: f64) -> String {
    let lead = (black_lead * 100.0).round() / 100.0;
    match lead {
        lead if lead > 0.0 => format!("B+{lead}"),
        lead if lead < 0.0 => format!("W+{}", -lead),
        _ => "0".to_owned(),
    }
}

#[cfg(test)]
#[path = "referee_tests.rs"]
mod tests;

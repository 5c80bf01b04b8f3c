//! What a text in Chinese or WXF notation says, and which moves that may be.

use super::ReadError;
use super::parts::{Action, Ordinal, arrival, doubled_files, file_of};
use super::text::Token;
use crate::xiangqi::rules::Grid;
use crate::xiangqi::{Kind, Move, Piece, Position, Side, Square};

/// A way and a number, and who goes. If the notations in use disagree about who that is there are
/// several readings, the one that kifud writes first: a later one counts only if none before it is legal.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Phrase {
    readings: Vec<Vec<Who>>,
    action: Action,
    target: u8,
}

/// Which pieces are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Who {
    kind: Kind,
    rank: Rank,
    file: Option<u8>,
}

/// Which pieces among the like ones of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rank {
    /// Any: only the file is said.
    Any,
    /// Only the file is said in WXF, where the middle one of three or five has no other name.
    Plain,
    /// One of a number, as Chinese says it.
    Is(Ordinal),
    /// WXF's `+`: the front one of two or three, the second of four or five.
    Plus,
    /// WXF's `-`: the rear one of two or three, the last but one of four or five.
    Minus,
    /// WXF's `++`: the first of four or five.
    PlusPlus,
    /// WXF's `--`: the last of four or five.
    MinusMinus,
}

impl Rank {
    /// Whether it means the piece with this index from the front among so many on the file.
    fn holds(self, index: usize, count: usize) -> bool {
        let from_rear = count.saturating_sub(index + 1);
        let inner = usize::from(count > 3);
        match self {
            Rank::Any => true,
            Rank::Plain => count.is_multiple_of(2) || index == from_rear,
            Rank::Is(ordinal) => ordinal.is(index, count),
            Rank::Plus => count > 1 && index == inner,
            Rank::Minus => count > 1 && from_rear == inner,
            Rank::PlusPlus => count > 3 && index == 0,
            Rank::MinusMinus => count > 3 && from_rear == 0,
        }
    }

    fn of(token: Token) -> Option<Rank> {
        match token {
            Token::Ordinal(ordinal) => Some(Rank::Is(ordinal)),
            Token::Sign(Action::Advance) => Some(Rank::Plus),
            Token::Sign(Action::Retreat) => Some(Rank::Minus),
            _ => None,
        }
    }
}

impl Who {
    /// The pieces of a side that are meant.
    fn squares(self, board: &Grid, side: Side) -> Vec<Square> {
        let piece = Piece::new(side, self.kind);
        if let (Rank::Is(Ordinal::Nth(nth)), None) = (self.rank, self.file) {
            let doubled = doubled_files(board, piece);
            if doubled.len() > 1 {
                return doubled
                    .concat()
                    .into_iter()
                    .skip(usize::from(nth).saturating_sub(1))
                    .take(1)
                    .collect();
            }
        }
        let mut squares = Vec::new();
        for file in self.file.map_or(1..=9, |file| file..=file) {
            let here = file_of(board, piece, file);
            let count = here.len();
            squares.extend(
                here.into_iter()
                    .enumerate()
                    .filter(|&(index, _)| self.rank.holds(index, count))
                    .map(|(_, square)| square),
            );
        }
        squares
    }
}

impl Phrase {
    /// Takes a text apart. `chinese` says whether any of its characters is.
    ///
    /// # Errors
    /// [`ReadError::Form`], [`ReadError::Incomplete`].
    pub(super) fn new(tokens: &[Token], chinese: bool) -> Result<Phrase, ReadError> {
        let (head, action, target) = match *tokens {
            // Some books leave out the sign of a sideways move: C25.
            [Token::Kind(_), Token::Number { .. }, Token::Number { value, .. }] if !chinese => {
                (&tokens[..2], Action::Traverse, value)
            }
            [ref head @ .., way, Token::Number { value, .. }] => {
                (head, way_of(way).ok_or(ReadError::Form(None))?, value)
            }
            [_, _, .., way] if way_of(way).is_some() => return Err(ReadError::Incomplete),
            _ => return Err(ReadError::Form(None)),
        };
        let (kind, rank, file) = who(head, chinese).ok_or(ReadError::Form(None))?;
        let said = Who { kind, rank, file };
        let mut readings = vec![vec![said]];
        // 33: the third pawn on file 3 for Fairy-Stockfish and the rules of 2018, the one of file 3
        // that is neither front nor rear for the federation's older page, which writes dots.
        if let (false, Rank::Is(Ordinal::Nth(nth)), true) = (chinese, rank, file.is_some())
            && Some(nth) == file
        {
            let middle = Who { rank: Rank::Is(Ordinal::Middle), ..said };
            let dotted = tokens.contains(&Token::Dot);
            if dotted {
                readings = vec![vec![said, middle]];
            } else {
                readings.push(vec![middle]);
            }
        }
        Ok(Phrase { readings, action, target })
    }

    /// The legal move that fits.
    ///
    /// # Errors
    /// [`ReadError::Ambiguous`] if several do, and if none does what is the matter:
    /// [`ReadError::NoPiece`], [`ReadError::Nowhere`], [`ReadError::Illegal`].
    pub(super) fn resolve(&self, position: &Position) -> Result<Move, ReadError> {
        let mut illegal = Vec::new();
        let mut nowhere = None;
        for reading in &self.readings {
            let mut legal = Vec::new();
            for &who in reading {
                let piece = Piece::new(position.turn(), who.kind);
                for from in who.squares(position.board(), piece.side) {
                    match arrival(piece, from, self.action, self.target) {
                        Ok(to) if position.is_legal(Move { from, to }) => legal.push(Move { from, to }),
                        Ok(to) => illegal.push(Move { from, to }),
                        Err(why) => nowhere = nowhere.or(Some(ReadError::Nowhere { piece, why })),
                    }
                }
            }
            legal.sort_unstable();
            legal.dedup();
            match legal[..] {
                [] => {}
                [only] => return Ok(only),
                _ => return Err(ReadError::Ambiguous { candidates: legal }),
            }
        }
        illegal.sort_unstable();
        illegal.dedup();
        if illegal.is_empty() {
            return Err(nowhere.unwrap_or_else(|| self.no_piece(position.turn())));
        }
        Err(ReadError::Illegal { moves: illegal })
    }

    fn no_piece(&self, side: Side) -> ReadError {
        let Some(&Who { kind, rank, file }) = self.readings.first().and_then(|reading| reading.first())
        else {
            return ReadError::Form(None);
        };
        let among = !matches!(rank, Rank::Any | Rank::Plain);
        ReadError::NoPiece { piece: Piece::new(side, kind), file, among }
    }
}

fn way_of(token: Token) -> Option<Action> {
    match token {
        Token::Action(action) | Token::Sign(action) => Some(action),
        Token::Dot => Some(Action::Traverse),
        _ => None,
    }
}

/// Who is meant by what stands before the way. Without a kind it is a pawn.
fn who(head: &[Token], chinese: bool) -> Option<(Kind, Rank, Option<u8>)> {
    use Token::{Kind as Name, Number, Sign};
    let nth = |value| Rank::Is(Ordinal::Nth(value));
    Some(match *head {
        // 炮二, C2
        [Name(kind), Number { value, .. }] => {
            (kind, if chinese { Rank::Any } else { Rank::Plain }, Some(value))
        }
        // 二兵
        [Number { value, .. }, Name(kind)] => (kind, nth(value), None),
        // R+, 前车
        [Name(kind), rank] | [rank, Name(kind)] => (kind, Rank::of(rank)?, None),
        // 前兵四
        [Number { value, .. }, Name(kind), Number { value: file, .. }] => (kind, nth(value), Some(file)),
        [rank, Name(kind), Number { value: file, .. }] => (kind, Rank::of(rank)?, Some(file)),
        // 15
        [Number { value, .. }, Number { value: file, .. }] => (Kind::Pawn, nth(value), Some(file)),
        // 3+, 前四
        [Number { value: file, .. }, rank] | [rank, Number { value: file, .. }] => {
            (Kind::Pawn, Rank::of(rank)?, Some(file))
        }
        // ++, --
        [Sign(Action::Advance), Sign(Action::Advance)] => (Kind::Pawn, Rank::PlusPlus, None),
        [Sign(Action::Retreat), Sign(Action::Retreat)] => (Kind::Pawn, Rank::MinusMinus, None),
        _ => return None,
    })
}

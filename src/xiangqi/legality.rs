//! Why a move is not legal, in words that a player understands.

use std::fmt;

use super::moves::Move;
use super::piece::{Kind, Piece, Side};
use super::position::Position;
use super::rules::{self, Grid};
use super::square::{SQUARES, Square};
use super::words::{self, Placed};

/// Why a move is not legal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Illegal {
    /// An index is no point of the board.
    OffBoard(i64),
    /// Nothing stands where the move begins.
    NoPiece(Square),
    /// The piece belongs to the side that is not to move.
    NotYourPiece(Placed),
    /// A piece of the own side stands where the move ends.
    OwnPiece(Placed),
    /// The piece does not move like this, whatever stands around it; or the move goes nowhere.
    WrongShape {
        /// The piece.
        piece: Piece,
        /// The move.
        played: Move,
    },
    /// A piece is in the way of a rook, or of a cannon that goes to an empty point.
    BlockedPath {
        /// The piece that moves.
        piece: Piece,
        /// The nearest piece in its way.
        blocker: Placed,
    },
    /// A piece stands at the horse's leg (蹩马腿).
    HorseLeg(Placed),
    /// A piece stands in the elephant's eye (塞象眼).
    ElephantEye {
        /// Whose elephant it is.
        side: Side,
        /// The piece in its eye.
        blocker: Placed,
    },
    /// An elephant never crosses the river.
    ElephantRiver(Side),
    /// A king or an advisor never leaves the palace.
    OutOfPalace(Piece),
    /// A cannon that captures needs a piece in between (炮架), and there is none.
    CannonScreenMissing(Placed),
    /// A cannon captures over exactly one piece, and there are more.
    CannonScreenTooMany {
        /// What it would capture.
        target: Placed,
        /// The pieces in between, by index of the point.
        screens: Vec<Placed>,
    },
    /// A pawn never goes back.
    PawnBackward(Side),
    /// A pawn goes sideways only beyond the river.
    PawnSidewaysBeforeRiver(Side),
    /// After the move the kings would face each other (照面).
    KingsFace,
    /// After the move the own king could be captured (送将, or a check not answered).
    LeavesKingInCheck {
        /// Whose king.
        side: Side,
        /// Whether that side is in check already.
        already: bool,
        /// The pieces that would capture it, by index of the point.
        attackers: Vec<Placed>,
    },
}

/// Every code of an illegal move with what it means in general: (code, Chinese, English). The
/// sentences of an [`Illegal`] name the points and pieces besides.
pub const REJECT_TEXTS: [(&str, &str, &str); 16] = [
    ("off-board", "不在棋盘上", "not on the board"),
    ("no-piece", "起点没有棋子", "no piece stands there"),
    ("not-your-piece", "不是走子方的棋子", "the piece is not of the side to move"),
    ("own-piece", "终点有自己的棋子", "an own piece stands on the target"),
    ("wrong-shape", "不合这种棋子的走法", "the piece does not move like this"),
    ("blocked-path", "路上有棋子挡住", "a piece is in the way"),
    ("horse-leg", "蹩马腿", "the horse's leg is blocked"),
    ("elephant-eye", "塞象眼", "the elephant's eye is blocked"),
    ("elephant-river", "象（相）不能过河", "an elephant does not cross the river"),
    ("out-of-palace", "将（帅）、士（仕）不能出九宫", "kings and advisors do not leave the palace"),
    ("cannon-screen-missing", "炮吃子缺少炮架", "the cannon has no screen to capture over"),
    ("cannon-screen-too-many", "炮吃子只能隔一个炮架", "the cannon has more than one screen"),
    ("pawn-backward", "兵（卒）不能后退", "a pawn does not go back"),
    ("pawn-sideways-before-river", "兵（卒）未过河不能横走", "a pawn goes sideways only beyond the river"),
    ("kings-face", "走后将帅照面", "the kings would face each other"),
    ("leaves-king-in-check", "送将：走后自己的将（帅）会被吃", "the own king would be in check"),
];

/// Why a move is not legal; `None` if it is.
///
/// The first reason counts, in this order: whose pieces stand on the two points, how the piece moves,
/// what stands in its way, what the own king comes to.
pub fn explain(position: &Position, played: Move) -> Option<Illegal> {
    let board = position.board();
    let Some(mover) = Placed::on(board, played.from) else { return Some(Illegal::NoPiece(played.from)) };
    if mover.piece.side != position.turn() {
        return Some(Illegal::NotYourPiece(mover));
    }
    if played.from != played.to
        && let Some(target) = Placed::on(board, played.to)
        && target.piece.side == position.turn()
    {
        return Some(Illegal::OwnPiece(target));
    }
    movement(board, mover.piece, played).or_else(|| own_king(position, played))
}

/// The move between two indices as they come from outside.
///
/// # Errors
/// [`Illegal::OffBoard`] names the first index that is no point.
pub fn from_indices(from: i64, to: i64) -> Result<Move, Illegal> {
    let point =
        |index: i64| usize::try_from(index).ok().and_then(Square::new).ok_or(Illegal::OffBoard(index));
    Ok(Move::new(point(from)?, point(to)?))
}

/// What the piece's own rules say against the move; nothing is asked about whose piece is captured.
fn movement(board: &Grid, piece: Piece, played: Move) -> Option<Illegal> {
    let Move { from, to } = played;
    let side = piece.side;
    let forward = (to.row() as i8 - from.row() as i8) * side.forward();
    let sideways = (to.col() as i8 - from.col() as i8).abs();
    let on = |square| Placed::on(board, square);
    let wrong = Some(Illegal::WrongShape { piece, played });
    match (piece.kind, forward.abs(), sideways) {
        (Kind::King, 1, 0) | (Kind::King, 0, 1) | (Kind::Advisor, 1, 1) => {
            (!to.in_palace(side)).then_some(Illegal::OutOfPalace(piece))
        }
        (Kind::Elephant, 2, 2) if to.crossed_river(side) => Some(Illegal::ElephantRiver(side)),
        (Kind::Elephant, 2, 2) => {
            let blocker = rules::elephant_eye(from, to).and_then(on)?;
            Some(Illegal::ElephantEye { side, blocker })
        }
        (Kind::Horse, 1, 2) | (Kind::Horse, 2, 1) => {
            rules::horse_leg(from, to).and_then(on).map(Illegal::HorseLeg)
        }
        (Kind::Rook | Kind::Cannon, 1.., 0) | (Kind::Rook | Kind::Cannon, 0, 1..) => {
            path(board, piece, played)
        }
        (Kind::Pawn, 1.., 0) if forward < 0 => Some(Illegal::PawnBackward(side)),
        (Kind::Pawn, 0, 1..) if !from.crossed_river(side) => Some(Illegal::PawnSidewaysBeforeRiver(side)),
        (Kind::Pawn, 1, 0) | (Kind::Pawn, 0, 1) => None,
        _ => wrong,
    }
}

/// What stands against a rook or cannon that goes along a line.
fn path(board: &Grid, piece: Piece, Move { from, to }: Move) -> Option<Illegal> {
    let between: Vec<Placed> =
        rules::between(from, to).into_iter().filter_map(|square| Placed::on(board, square)).collect();
    let captures = Placed::on(board, to).filter(|_| piece.kind == Kind::Cannon);
    match (captures, between.len()) {
        (Some(target), 0) => Some(Illegal::CannonScreenMissing(target)),
        (Some(_), 1) => None,
        (Some(target), _) => Some(Illegal::CannonScreenTooMany { target, screens: between }),
        (None, _) => between
            .into_iter()
            .min_by_key(|blocker| blocker.square.index().abs_diff(from.index()))
            .map(|blocker| Illegal::BlockedPath { piece, blocker }),
    }
}

/// What the own king would come to. A check by a piece is named before the kings facing.
fn own_king(position: &Position, played: Move) -> Option<Illegal> {
    let side = position.turn();
    let next = position.after(played);
    let board = next.board();
    let king = rules::king(board, side)?;
    let attackers: Vec<Placed> = rules::attackers(board, king, side.opposite())
        .into_iter()
        .filter_map(|square| Placed::on(board, square))
        .collect();
    if !attackers.is_empty() {
        return Some(Illegal::LeavesKingInCheck { side, already: position.is_check(), attackers });
    }
    rules::kings_face(board).then_some(Illegal::KingsFace)
}

impl Position {
    /// Plays a move if it is legal.
    ///
    /// # Errors
    /// Why it is not.
    pub fn play(&self, played: Move) -> Result<Position, Illegal> {
        match explain(self, played) {
            None => Ok(self.after(played)),
            Some(illegal) => Err(illegal),
        }
    }
}

impl Illegal {
    /// A stable code, one of [`REJECT_TEXTS`].
    pub const fn code(&self) -> &'static str {
        match self {
            Illegal::OffBoard(_) => "off-board",
            Illegal::NoPiece(_) => "no-piece",
            Illegal::NotYourPiece(_) => "not-your-piece",
            Illegal::OwnPiece(_) => "own-piece",
            Illegal::WrongShape { .. } => "wrong-shape",
            Illegal::BlockedPath { .. } => "blocked-path",
            Illegal::HorseLeg(_) => "horse-leg",
            Illegal::ElephantEye { .. } => "elephant-eye",
            Illegal::ElephantRiver(_) => "elephant-river",
            Illegal::OutOfPalace(_) => "out-of-palace",
            Illegal::CannonScreenMissing(_) => "cannon-screen-missing",
            Illegal::CannonScreenTooMany { .. } => "cannon-screen-too-many",
            Illegal::PawnBackward(_) => "pawn-backward",
            Illegal::PawnSidewaysBeforeRiver(_) => "pawn-sideways-before-river",
            Illegal::KingsFace => "kings-face",
            Illegal::LeavesKingInCheck { .. } => "leaves-king-in-check",
        }
    }

    /// The reason in Chinese.
    pub fn reason_zh(&self) -> String {
        match self {
            Illegal::OffBoard(index) => format!("{index} 不在棋盘上，点的编号是 0 到 {}", SQUARES - 1),
            Illegal::NoPiece(square) => format!("{square} 没有棋子"),
            Illegal::NotYourPiece(Placed { piece, square }) => format!(
                "{square} 是{}的{}，现在轮到{}走",
                piece.side.name_zh(),
                piece.name_zh(),
                piece.side.opposite().name_zh()
            ),
            Illegal::OwnPiece(Placed { piece, square }) => {
                format!("{square} 有自己的{}，不能走到那里", piece.name_zh())
            }
            Illegal::WrongShape { played: Move { from, to }, .. } if from == to => {
                format!("起点和终点都是 {from}，棋子没有走动")
            }
            Illegal::WrongShape { piece, played: Move { from, to } } => {
                let name = piece.name_zh();
                format!("{name}{}，不能从 {from} 走到 {to}", shape_zh(piece.kind))
            }
            Illegal::BlockedPath { piece, blocker } => {
                format!("{}挡住了{}的去路", blocker.to_zh(), piece.name_zh())
            }
            Illegal::HorseLeg(blocker) => format!("蹩马腿：{}挡住了马", blocker.to_zh()),
            Illegal::ElephantEye { side, blocker } => {
                let elephant = Piece::new(*side, Kind::Elephant).name_zh();
                format!("塞象眼：{}挡住了{elephant}", blocker.to_zh())
            }
            Illegal::ElephantRiver(side) => {
                format!("{}不能过河", Piece::new(*side, Kind::Elephant).name_zh())
            }
            Illegal::OutOfPalace(piece) => format!("{}不能出九宫", piece.name_zh()),
            Illegal::CannonScreenMissing(target) => {
                format!("炮要隔一个棋子（炮架）才能吃子，与 {}之间没有炮架", target.to_zh())
            }
            Illegal::CannonScreenTooMany { target, screens } => format!(
                "炮只能隔一个棋子（炮架）吃子，与 {}之间有 {} 个：{}",
                target.to_zh(),
                screens.len(),
                words::list_zh(screens)
            ),
            Illegal::PawnBackward(side) => {
                format!("{}不能后退", Piece::new(*side, Kind::Pawn).name_zh())
            }
            Illegal::PawnSidewaysBeforeRiver(side) => {
                format!("{}未过河，不能横走", Piece::new(*side, Kind::Pawn).name_zh())
            }
            Illegal::KingsFace => "这样走后将帅照面，中间没有棋子".into(),
            Illegal::LeavesKingInCheck { side, already, attackers } => {
                let king = Piece::new(*side, Kind::King).name_zh();
                let attackers = words::list_zh(attackers);
                if *already {
                    format!("{}正被将军，这样走没有解将：{attackers}仍能吃{king}", side.name_zh())
                } else {
                    format!("送将：这样走后 {attackers}能吃{king}")
                }
            }
        }
    }
}

/// How a kind of piece moves, to follow its name.
const fn shape_zh(kind: Kind) -> &'static str {
    match kind {
        Kind::King => "每次沿横线或竖线走一步",
        Kind::Advisor => "每次沿斜线走一步",
        Kind::Elephant => "走“田”字",
        Kind::Horse => "走“日”字",
        Kind::Rook | Kind::Cannon => "只能沿横线或竖线走",
        Kind::Pawn => "每次只走一步，不能斜走",
    }
}

const fn shape_en(kind: Kind) -> &'static str {
    match kind {
        Kind::King => "moves one step along a line",
        Kind::Advisor => "moves one step along a diagonal",
        Kind::Elephant => "moves exactly two steps along a diagonal",
        Kind::Horse => "moves one step along a line and then one along a diagonal",
        Kind::Rook | Kind::Cannon => "moves along a line",
        Kind::Pawn => "moves one step, and never along a diagonal",
    }
}

/// The reason in English, as a sentence without its full stop.
impl fmt::Display for Illegal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Illegal::OffBoard(index) => {
                write!(f, "{index} is not on the board, its points are 0 to {}", SQUARES - 1)
            }
            Illegal::NoPiece(square) => write!(f, "there is no piece on {square}"),
            Illegal::NotYourPiece(placed) => {
                write!(f, "{placed} is not yours to move: {} is to move", placed.piece.side.opposite())
            }
            Illegal::OwnPiece(Placed { piece, square }) => {
                write!(f, "your own {} stands on {square}", piece.kind.name())
            }
            Illegal::WrongShape { played: Move { from, to }, .. } if from == to => {
                write!(f, "the move begins and ends on {from}")
            }
            Illegal::WrongShape { piece, played: Move { from, to } } => {
                let (name, shape) = (piece.kind.name(), shape_en(piece.kind));
                write!(f, "the {name} {shape}, it cannot go from {from} to {to}")
            }
            Illegal::BlockedPath { piece, blocker } => {
                write!(f, "{blocker} is in the way of the {}", piece.kind.name())
            }
            Illegal::HorseLeg(blocker) => write!(f, "{blocker} blocks the horse's leg"),
            Illegal::ElephantEye { blocker, .. } => write!(f, "{blocker} blocks the elephant's eye"),
            Illegal::ElephantRiver(_) => f.write_str("the elephant does not cross the river"),
            Illegal::OutOfPalace(piece) => {
                write!(f, "the {} does not leave the palace", piece.kind.name())
            }
            Illegal::CannonScreenMissing(target) => {
                write!(f, "the cannon needs one piece as a screen to capture {target}, and there is none")
            }
            Illegal::CannonScreenTooMany { target, screens } => {
                let (count, screens) = (screens.len(), words::list_en(screens));
                write!(f, "the cannon captures over one piece, but {count} stand before {target}: {screens}")
            }
            Illegal::PawnBackward(_) => f.write_str("the pawn does not go back"),
            Illegal::PawnSidewaysBeforeRiver(_) => {
                f.write_str("the pawn has not crossed the river and does not go sideways")
            }
            Illegal::KingsFace => f.write_str("the kings would face each other with nothing between them"),
            Illegal::LeavesKingInCheck { side, already, attackers } => {
                let attackers = words::list_en(attackers);
                if *already {
                    write!(f, "{side} is in check and would still be, by {attackers}")
                } else {
                    write!(f, "{side} would be in check by {attackers}")
                }
            }
        }
    }
}

impl std::error::Error for Illegal {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xiangqi::START_FEN;
    use expect_test::expect;
    use std::fmt::Write;

    fn played(text: &str) -> Move {
        let (from, to) = text.split_at(2);
        Move::new(Square::from_iccs(from).unwrap(), Square::from_iccs(to).unwrap())
    }

    fn illegal(fen: &str, text: &str) -> Illegal {
        explain(&Position::from_fen(fen).unwrap(), played(text)).unwrap_or_else(|| panic!("{text} is legal"))
    }

    /// Position, move, code: the sentences of each below.
    const CASES: [(&str, &str, &str); 31] = [
        (START_FEN, "e4e5", "no-piece"),
        (START_FEN, "h7e7", "not-your-piece"),
        (START_FEN, "a0a3", "own-piece"),
        (START_FEN, "a0a0", "wrong-shape"),
        (START_FEN, "a0b1", "wrong-shape"),
        (START_FEN, "b0b1", "wrong-shape"),
        (START_FEN, "e0e2", "wrong-shape"),
        (START_FEN, "d0d1", "wrong-shape"),
        (START_FEN, "c0c2", "wrong-shape"),
        (START_FEN, "e3d4", "wrong-shape"),
        (START_FEN, "e3e5", "wrong-shape"),
        (START_FEN, "h2g3", "own-piece"),
        (START_FEN, "a0a4", "blocked-path"),
        (START_FEN, "h2h8", "blocked-path"),
        (START_FEN, "h2h7", "cannon-screen-missing"),
        (START_FEN, "e3e2", "pawn-backward"),
        (START_FEN, "e3d3", "pawn-sideways-before-river"),
        ("3k5/9/9/9/4P4/9/9/9/9/5K3 w", "e5e4", "pawn-backward"),
        ("3kr4/9/9/4p4/4P4/9/9/4C4/9/5K3 w", "e2e9", "cannon-screen-too-many"),
        (START_FEN, "b0d1", "horse-leg"),
        ("3k5/9/9/9/9/9/9/9/3N5/2B2K3 w", "c0e2", "elephant-eye"),
        ("2b1k4/3n5/9/9/9/9/9/9/9/3K5 b", "c9e7", "elephant-eye"),
        ("3k5/9/9/9/9/2B6/9/9/9/4K4 w", "c4e6", "elephant-river"),
        ("3k5/9/9/9/9/9/9/9/9/5K3 w", "f0g0", "out-of-palace"),
        ("3k5/4a4/3a5/9/9/9/9/9/9/5K3 b", "d7c6", "out-of-palace"),
        ("3k5/9/9/9/9/9/9/9/9/4K4 w", "e0d0", "kings-face"),
        ("4k4/9/9/9/9/9/9/4B4/9/4K4 w", "e2c4", "kings-face"),
        ("4k4/9/9/4r4/9/9/9/4B4/9/4K4 w", "e2c4", "leaves-king-in-check"),
        ("3k5/5r3/9/9/9/9/9/9/9/4K4 w", "e0f0", "leaves-king-in-check"),
        ("4k4/9/9/4r4/9/9/9/9/9/4K4 w", "e0e1", "leaves-king-in-check"),
        ("3k5/9/9/9/9/9/P8/3n5/4r4/4K4 w", "a3a4", "leaves-king-in-check"),
    ];

    #[test]
    fn codes_and_sentences() {
        let mut sentences = String::new();
        for (fen, played, code) in CASES {
            let illegal = illegal(fen, played);
            assert_eq!(illegal.code(), code, "{fen} {played}");
            let _ = writeln!(sentences, "{played} {code}: {illegal}. {}。", illegal.reason_zh());
        }
        expect![[r#"
            e4e5 no-piece: there is no piece on e4. e4 没有棋子。
            h7e7 not-your-piece: the black cannon on h7 is not yours to move: Red is to move. h7 是黑方的炮，现在轮到红方走。
            a0a3 own-piece: your own pawn stands on a3. a3 有自己的兵，不能走到那里。
            a0a0 wrong-shape: the move begins and ends on a0. 起点和终点都是 a0，棋子没有走动。
            a0b1 wrong-shape: the rook moves along a line, it cannot go from a0 to b1. 车只能沿横线或竖线走，不能从 a0 走到 b1。
            b0b1 wrong-shape: the horse moves one step along a line and then one along a diagonal, it cannot go from b0 to b1. 马走“日”字，不能从 b0 走到 b1。
            e0e2 wrong-shape: the king moves one step along a line, it cannot go from e0 to e2. 帅每次沿横线或竖线走一步，不能从 e0 走到 e2。
            d0d1 wrong-shape: the advisor moves one step along a diagonal, it cannot go from d0 to d1. 仕每次沿斜线走一步，不能从 d0 走到 d1。
            c0c2 wrong-shape: the elephant moves exactly two steps along a diagonal, it cannot go from c0 to c2. 相走“田”字，不能从 c0 走到 c2。
            e3d4 wrong-shape: the pawn moves one step, and never along a diagonal, it cannot go from e3 to d4. 兵每次只走一步，不能斜走，不能从 e3 走到 d4。
            e3e5 wrong-shape: the pawn moves one step, and never along a diagonal, it cannot go from e3 to e5. 兵每次只走一步，不能斜走，不能从 e3 走到 e5。
            h2g3 own-piece: your own pawn stands on g3. g3 有自己的兵，不能走到那里。
            a0a4 blocked-path: the red pawn on a3 is in the way of the rook. a3 的红兵挡住了车的去路。
            h2h8 blocked-path: the black cannon on h7 is in the way of the cannon. h7 的黑炮挡住了炮的去路。
            h2h7 cannon-screen-missing: the cannon needs one piece as a screen to capture the black cannon on h7, and there is none. 炮要隔一个棋子（炮架）才能吃子，与 h7 的黑炮之间没有炮架。
            e3e2 pawn-backward: the pawn does not go back. 兵不能后退。
            e3d3 pawn-sideways-before-river: the pawn has not crossed the river and does not go sideways. 兵未过河，不能横走。
            e5e4 pawn-backward: the pawn does not go back. 兵不能后退。
            e2e9 cannon-screen-too-many: the cannon captures over one piece, but 2 stand before the black rook on e9: the black pawn on e6 and the red pawn on e5. 炮只能隔一个棋子（炮架）吃子，与 e9 的黑车之间有 2 个：e6 的黑卒、e5 的红兵。
            b0d1 horse-leg: the red elephant on c0 blocks the horse's leg. 蹩马腿：c0 的红相挡住了马。
            c0e2 elephant-eye: the red horse on d1 blocks the elephant's eye. 塞象眼：d1 的红马挡住了相。
            c9e7 elephant-eye: the black horse on d8 blocks the elephant's eye. 塞象眼：d8 的黑马挡住了象。
            c4e6 elephant-river: the elephant does not cross the river. 相不能过河。
            f0g0 out-of-palace: the king does not leave the palace. 帅不能出九宫。
            d7c6 out-of-palace: the advisor does not leave the palace. 士不能出九宫。
            e0d0 kings-face: the kings would face each other with nothing between them. 这样走后将帅照面，中间没有棋子。
            e2c4 kings-face: the kings would face each other with nothing between them. 这样走后将帅照面，中间没有棋子。
            e2c4 leaves-king-in-check: Red would be in check by the black rook on e6. 送将：这样走后 e6 的黑车能吃帅。
            e0f0 leaves-king-in-check: Red would be in check by the black rook on f8. 送将：这样走后 f8 的黑车能吃帅。
            e0e1 leaves-king-in-check: Red is in check and would still be, by the black rook on e6. 红方正被将军，这样走没有解将：e6 的黑车仍能吃帅。
            a3a4 leaves-king-in-check: Red is in check and would still be, by the black horse on d2 and the black rook on e1. 红方正被将军，这样走没有解将：d2 的黑马、e1 的黑车仍能吃帅。
        "#]].assert_eq(&sentences);
    }

    #[test]
    fn every_code_has_a_text_and_a_case() {
        for (code, zh, en) in REJECT_TEXTS {
            assert!(!zh.is_empty() && !en.is_empty());
            let named = CASES.iter().any(|(_, _, case)| *case == code);
            assert!(named || code == "off-board", "{code}");
        }
    }

    #[test]
    fn indices_from_outside() {
        assert_eq!(from_indices(70, 67), Ok(played("h2e2")));
        for (from, to, named) in [(-1, 0, -1), (0, 90, 90), (90, -1, 90), (i64::MIN, i64::MAX, i64::MIN)] {
            assert_eq!(from_indices(from, to), Err(Illegal::OffBoard(named)));
        }
        assert_eq!(Illegal::OffBoard(90).code(), "off-board");
        assert_eq!(Illegal::OffBoard(90).to_string(), "90 is not on the board, its points are 0 to 89");
        assert_eq!(Illegal::OffBoard(90).reason_zh(), "90 不在棋盘上，点的编号是 0 到 89");
    }

    #[test]
    fn a_move_is_played_or_refused() {
        let start = Position::start();
        assert_eq!(start.play(played("h2e2")), Ok(start.after(played("h2e2"))));
        assert_eq!(start.play(played("h2e9")).map_err(|illegal| illegal.code()), Err("wrong-shape"));
    }

    proptest::proptest! {
        #![proptest_config(proptest::test_runner::Config::with_cases(24))]

        /// Along random games, over all pairs of points: no reason exactly for the legal moves.
        #[test]
        fn no_reason_means_legal(choices in proptest::collection::vec(0usize..1000, 0..160)) {
            let mut position = Position::start();
            for choice in choices {
                let moves = position.legal_moves();
                let Some(&chosen) = moves.get(choice % moves.len().max(1)) else { break };
                position = position.after(chosen);
            }
            let found: Vec<Move> = Square::all()
                .flat_map(|from| Square::all().map(move |to| Move::new(from, to)))
                .filter(|&played| explain(&position, played).is_none())
                .collect();
            proptest::prop_assert_eq!(found, position.legal_moves());
        }
    }
}

//! The sentences of an illegal move.

use std::fmt;

use super::Illegal;
use crate::xiangqi::moves::Move;
use crate::xiangqi::piece::{Kind, Piece};
use crate::xiangqi::square::SQUARES;
use crate::xiangqi::words::{self, Placed};

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

impl Illegal {
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

//! Where the pieces stand, how they move, how safe the king is and what the pawns have reached.

use super::Note;
use crate::xiangqi::piece::{Kind, Piece, Side};
use crate::xiangqi::position::Position;
use crate::xiangqi::rules;
use crate::xiangqi::square::{COLS, Square};
use crate::xiangqi::words::{self, Placed};

/// A point as its owner sees it: row 9 is the own back rank, row 0 the other's.
fn seen(placed: Placed) -> Square {
    if placed.piece.side == Side::Red { placed.square } else { placed.square.turned() }
}

fn placed(position: &Position, side: Side) -> impl Iterator<Item = Placed> + '_ {
    let board = position.board();
    rules::pieces(board, side).filter_map(|square| Placed::on(board, square))
}

/// The pieces of a kind and side.
fn of_kind(position: &Position, side: Side, kind: Kind) -> Vec<Placed> {
    placed(position, side).filter(|one| one.piece.kind == kind).collect()
}

/// What is good or bad about where a piece stands: points, Chinese, English.
fn standing(one: Placed) -> Option<(i32, &'static str, &'static str)> {
    let (row, col) = (seen(one).row(), seen(one).col());
    let edge = col == 0 || col == COLS - 1;
    Some(match (one.piece.kind, row, col) {
        (Kind::Rook, 9, _) if edge => (-15, "未出", "not yet out"),
        (Kind::Rook, 0..5, _) => (15, "过河", "beyond the river"),
        (Kind::Horse, 1, 2 | 6) => (35, "卧槽", "in the trough by the palace"),
        (Kind::Horse, 2, 3 | 5) => (35, "挂角", "at the corner of the palace"),
        (Kind::Horse, 9, _) => (-15, "未跳出", "not yet out"),
        (Kind::Horse, 0, _) => (-10, "在底线", "on the last rank"),
        (Kind::Horse, ..) if edge => (-10, "在边线", "on the edge"),
        (Kind::Horse, 1..5, _) => (20, "过河", "beyond the river"),
        (Kind::Cannon, 0, _) => (15, "沉底", "on the last rank"),
        (Kind::Cannon, _, 4) => (20, "占中路", "on the middle file"),
        (Kind::Elephant, _, 4) => (5, "居中", "in the middle"),
        (Kind::Elephant, ..) if edge => (-5, "在边线", "on the edge"),
        _ => return None,
    })
}

/// Points for where the rooks, cannons, horses and elephants stand.
pub(super) fn placement(position: &Position, side: Side) -> Vec<Note> {
    let note = |one: Placed| {
        let (points, zh, en) = standing(one)?;
        let Placed { piece, square } = one;
        Some(Note {
            points,
            zh: format!("{square} {}{zh}", piece.name_zh()),
            en: format!("{} on {square} {en}", piece.kind.name()),
        })
    };
    placed(position, side).filter_map(note).collect()
}

/// Points for every point that a rook, cannon or horse may go to; a blocked horse is a weak horse.
pub(super) fn mobility(position: &Position, side: Side) -> Vec<Note> {
    const WEIGHTS: [(Kind, i32); 3] = [(Kind::Rook, 4), (Kind::Cannon, 2), (Kind::Horse, 6)];
    let note = |(kind, weight)| {
        let pieces = of_kind(position, side, kind);
        let moves: usize = pieces.iter().map(|one| rules::targets(position.board(), one.square).len()).sum();
        (!pieces.is_empty()).then(|| Note {
            points: moves as i32 * weight,
            zh: format!("{}可走 {moves} 处", Piece::new(side, kind).name_zh()),
            en: format!(
                "{} with {moves} move{}",
                words::counted(pieces.len(), kind),
                if moves == 1 { "" } else { "s" }
            ),
        })
    };
    WEIGHTS.into_iter().filter_map(note).collect()
}

/// Points against a king without its guards, away from home, under a cannon's eye or in check.
pub(super) fn king_safety(position: &Position, side: Side) -> Vec<Note> {
    let enemy = side.opposite();
    let king = Piece::new(side, Kind::King);
    let mut notes = guards(position, side);
    let Some(stands) = of_kind(position, side, Kind::King).first().copied() else { return notes };
    let steps = 9 - seen(stands).row() as i32;
    if steps > 0 {
        notes.push(Note {
            points: -20 * steps,
            zh: format!("{}离开底线", king.name_zh()),
            en: "king off its back rank".into(),
        });
    }
    for cannon in of_kind(position, enemy, Kind::Cannon) {
        let open = cannon.square.col() == stands.square.col()
            && rules::between(cannon.square, stands.square)
                .into_iter()
                .all(|square| position.piece_at(square).is_none());
        if open {
            notes.push(Note {
                points: -80,
                zh: format!("{}是空头炮", cannon.to_zh()),
                en: format!("{cannon} looks at the king with nothing between"),
            });
        }
    }
    if position.in_check(side) {
        notes.push(Note { points: -30, zh: "正被将军".into(), en: "in check".into() });
    }
    notes
}

/// Missing advisors hurt more while the other side has rooks, missing elephants while it has cannons.
fn guards(position: &Position, side: Side) -> Vec<Note> {
    const GUARDS: [(Kind, Kind, i32, i32); 2] =
        [(Kind::Advisor, Kind::Rook, 15, 20), (Kind::Elephant, Kind::Cannon, 10, 15)];
    let note = |(guard, attacker, alone, each): (Kind, Kind, i32, i32)| {
        let missing = guard.limit().saturating_sub(of_kind(position, side, guard).len());
        let attackers = of_kind(position, side.opposite(), attacker).len() as i32;
        (missing > 0).then(|| {
            let name = Piece::new(side, guard).name_zh();
            let against = Piece::new(side.opposite(), attacker).name_zh();
            let (zh, en) = if attackers > 0 {
                (format!("，对方有{against}"), format!(" against {}s", attacker.name()))
            } else {
                Default::default()
            };
            Note {
                points: -(missing as i32) * (alone + each * attackers),
                zh: format!("缺{}{name}{zh}", if missing == 1 { "一" } else { "两" }),
                en: format!("{} missing{en}", words::counted(missing, guard)),
            }
        })
    };
    GUARDS.into_iter().filter_map(note).collect()
}

/// Points for pawns beyond the river, besides their base value: another pawn each, little on the last
/// rank, something for two side by side.
pub(super) fn pawns(position: &Position, side: Side) -> Vec<Note> {
    let crossed: Vec<Placed> = of_kind(position, side, Kind::Pawn)
        .into_iter()
        .filter(|pawn| pawn.square.crossed_river(side))
        .collect();
    let name = Piece::new(side, Kind::Pawn).name_zh();
    let mut notes: Vec<Note> = crossed
        .iter()
        .map(|pawn| {
            let square = pawn.square;
            let (points, zh, en) = match seen(*pawn).row() {
                0 => (20, "已到底线", "on the last rank"),
                1..=2 => (110, "逼近九宫", "close to the palace"),
                _ => (90, "已过河", "beyond the river"),
            };
            Note { points, zh: format!("{square} {name}{zh}"), en: format!("pawn on {square} {en}") }
        })
        .collect();
    let beside = |pawn: &&Placed| {
        let right = pawn.square.offset(0, 1);
        crossed.iter().any(|other| Some(other.square) == right)
    };
    notes.extend(crossed.iter().filter(beside).map(|pawn| Note {
        points: 20,
        zh: format!("{} 牵手{name}", pawn.square),
        en: format!("pawns side by side from {}", pawn.square),
    }));
    notes
}

//! Where the pieces that do not slide can step: windows per point, cut at the edges of the board, the
//! palace and the river. Legs and eyes come on top.

use crate::xiangqi::{COLS, ROWS, SQUARES};

use super::tables::{HALF, NOWHERE, PAD, Points};

const ORTHOGONAL: [(i32, i32); 4] = [(0, 1), (0, -1), (1, 0), (-1, 0)];
const DIAGONAL: [(i32, i32); 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];
const TWO_DIAGONAL: [(i32, i32); 4] = [(2, 2), (2, -2), (-2, 2), (-2, -2)];
const HORSE_JUMPS: [(i32, i32); 8] = [(2, 1), (2, -1), (-2, 1), (-2, -1), (1, 2), (-1, 2), (1, -2), (-1, -2)];

/// The index of a point so many rows and columns from another, if it is on the board.
const fn beside(square: usize, (rows, cols): (i32, i32)) -> Option<usize> {
    let (row, col) = (square as i32 / COLS as i32 + rows, square as i32 % COLS as i32 + cols);
    if row < 0 || row >= ROWS as i32 || col < 0 || col >= COLS as i32 {
        return None;
    }
    Some((row * COLS as i32 + col) as usize)
}

const fn in_palace(square: usize) -> bool {
    let (row, col) = (square / COLS, square % COLS);
    (row <= 2 || row >= 7) && col >= 3 && col <= 5
}

/// The bit of a step in the window of the point it starts from.
const fn window_bit((rows, cols): (i32, i32)) -> u64 {
    1 << (PAD as i32 + rows * COLS as i32 + cols)
}

/// Windows of the steps that stay on the board, and in the palace or on the own half if so wanted.
const fn windows(steps: &[(i32, i32)], palace: bool, home: bool) -> [u64; 128] {
    let mut table = [0; 128];
    let mut from = 0;
    while from < SQUARES {
        let mut i = 0;
        while i < steps.len() {
            if let Some(to) = beside(from, steps[i])
                && (!palace || in_palace(from) && in_palace(to))
                && (!home || (from < HALF) == (to < HALF))
            {
                table[from] |= window_bit(steps[i]);
            }
            i += 1;
        }
        from += 1;
    }
    table
}

static KING_STEPS: [u64; 128] = windows(&ORTHOGONAL, true, true);
static ADVISOR_STEPS: [u64; 128] = windows(&DIAGONAL, true, true);
static ELEPHANT_STEPS: [u64; 128] = windows(&TWO_DIAGONAL, false, true);
static HORSE_STEPS: [u64; 128] = windows(&HORSE_JUMPS, false, false);

/// Windows of a king's steps.
#[inline(always)]
pub(super) fn king(square: usize) -> u64 {
    KING_STEPS[square & 127]
}

/// Windows of an advisor's steps.
#[inline(always)]
pub(super) fn advisor(square: usize) -> u64 {
    ADVISOR_STEPS[square & 127]
}

/// Windows of an elephant's steps over empty eyes.
#[inline(always)]
pub(super) fn elephant(square: usize, occupied: Points) -> u64 {
    const UP_LEFT: u64 = window_bit((-1, -1));
    const UP_RIGHT: u64 = window_bit((-1, 1));
    const DOWN_LEFT: u64 = window_bit((1, -1));
    const DOWN_RIGHT: u64 = window_bit((1, 1));
    let free = !(occupied >> square) as u64;
    let targets = (free & UP_LEFT) >> (COLS + 1)
        | (free & UP_RIGHT) >> (COLS - 1)
        | (free & DOWN_LEFT) << (COLS - 1)
        | (free & DOWN_RIGHT) << (COLS + 1);
    targets & ELEPHANT_STEPS[square & 127]
}

/// The four legs of a horse in its window.
const LEGS: u64 = window_bit(ORTHOGONAL[0])
    | window_bit(ORTHOGONAL[1])
    | window_bit(ORTHOGONAL[2])
    | window_bit(ORTHOGONAL[3]);
/// Multiplying by this brings the four legs to the top four bits.
const LEGS_TO_TOP: u64 = 1 << 34 | 1 << 40 | 1 << 43 | 1 << 49;

/// Windows of a horse's steps over empty legs.
#[inline(always)]
pub(super) fn horse(square: usize, occupied: Points) -> u64 {
    let legs = (occupied >> square) as u64 & LEGS;
    HORSE_JUMPS_BY_LEGS[(legs.wrapping_mul(LEGS_TO_TOP) >> 60) as usize] & HORSE_STEPS[square & 127]
}

static HORSE_JUMPS_BY_LEGS: [u64; 16] = {
    let mut table = [0; 16];
    let mut pattern = 0;
    while pattern < 16 {
        let (mut legs, mut jumps) = (0, 0);
        let mut i = 0;
        while i < 4 {
            let (rows, cols) = ORTHOGONAL[i];
            if pattern >> i & 1 != 0 {
                legs |= window_bit((rows, cols));
            } else {
                jumps |= window_bit((2 * rows + cols, 2 * cols + rows));
                jumps |= window_bit((2 * rows - cols, 2 * cols - rows));
            }
            i += 1;
        }
        table[(legs.wrapping_mul(LEGS_TO_TOP) >> 60) as usize] = jumps;
        pattern += 1;
    }
    table
};

/// The leg of a horse on `horse` that attacks `target`, or [`NOWHERE`] if none could.
#[inline(always)]
pub(super) fn leg(target: usize, horse: usize) -> usize {
    LEG[target & 127][horse & 127] as usize
}

static LEG: [[u8; 128]; 128] = {
    let mut table = [[NOWHERE as u8; 128]; 128];
    let mut horse = 0;
    while horse < SQUARES {
        let mut i = 0;
        while i < HORSE_JUMPS.len() {
            let (rows, cols) = HORSE_JUMPS[i];
            if let (Some(target), Some(leg)) =
                (beside(horse, (rows, cols)), beside(horse, (rows / 2, cols / 2)))
            {
                table[target][horse] = leg as u8;
            }
            i += 1;
        }
        horse += 1;
    }
    table
};

/// Whether a horse here could attack a point of a side's palace, legs aside.
#[inline(always)]
pub(super) fn horse_near(side: usize, horse: usize) -> bool {
    HORSE_NEAR[side][horse & 127]
}

static HORSE_NEAR: [[bool; 128]; 2] = {
    let mut table = [[false; 128]; 2];
    let mut horse = 0;
    while horse < SQUARES {
        let mut i = 0;
        while i < HORSE_JUMPS.len() {
            if let Some(target) = beside(horse, HORSE_JUMPS[i])
                && in_palace(target)
            {
                table[target / HALF][horse] = true;
            }
            i += 1;
        }
        horse += 1;
    }
    table
};

/// Windows of the steps of a side's pawns.
#[inline(always)]
pub(super) fn pawn(side: usize, square: usize) -> u64 {
    PAWN_STEPS[side][square & 127]
}

static PAWN_STEPS: [[u64; 128]; 2] = {
    let mut table = [[0; 128]; 2];
    let mut from = 0;
    while from < SQUARES {
        let mut side = 0;
        while side < 2 {
            let forward = if side == 0 { (1, 0) } else { (-1, 0) };
            let crossed = (from < HALF) != (side == 0);
            let mut i = 0;
            while i < ORTHOGONAL.len() {
                let step = ORTHOGONAL[i];
                let wanted = step.0 == forward.0 && step.1 == 0 || step.0 == 0 && crossed;
                if wanted && beside(from, step).is_some() {
                    table[side][from] |= window_bit(step);
                }
                i += 1;
            }
            side += 1;
        }
        from += 1;
    }
    table
};

/// The points from which a pawn of `side` attacks `target`.
#[inline(always)]
pub(super) fn pawns_attacking(side: usize, target: usize) -> Points {
    PAWNS_ATTACKING[side][target & 127]
}

static PAWNS_ATTACKING: [[Points; 128]; 2] = {
    let mut table = [[0; 128]; 2];
    let mut from = 0;
    while from < SQUARES {
        let mut side = 0;
        while side < 2 {
            let mut i = 0;
            while i < ORTHOGONAL.len() {
                if PAWN_STEPS[side][from] & window_bit(ORTHOGONAL[i]) != 0
                    && let Some(target) = beside(from, ORTHOGONAL[i])
                {
                    table[side][target] |= 1 << (from + PAD);
                }
                i += 1;
            }
            side += 1;
        }
        from += 1;
    }
    table
};

/// Points from which a pawn of the other side could attack a point of this side's palace.
pub(super) static PAWNS_NEAR: [Points; 2] = {
    let mut near = [0; 2];
    let mut target = 0;
    while target < SQUARES {
        if in_palace(target) {
            let side = target / HALF;
            near[side] |= PAWNS_ATTACKING[1 - side][target];
        }
        target += 1;
    }
    near
};

/// The points of elephants in a half of the board with its first point at bit [`PAD`]; the two halves
/// look the same.
pub(super) const ELEPHANT_POINTS: u64 = half(&[2, 6, 18, 22, 26, 38, 42]);
/// The points of a side's advisors in its half.
pub(super) const ADVISOR_POINTS: [u64; 2] = [half(&[3, 5, 13, 21, 23]), half(&[21, 23, 31, 39, 41])];

const fn half(points: &[usize]) -> u64 {
    let mut set = 0;
    let mut i = 0;
    while i < points.len() {
        set |= 1 << (points[i] + PAD);
        i += 1;
    }
    set
}

/// Half a board with its first point at bit 0, without its left column.
pub(super) const NOT_LEFT: u64 = without_column(0);
/// The same without its right column.
pub(super) const NOT_RIGHT: u64 = without_column(COLS - 1);

const fn without_column(col: usize) -> u64 {
    let mut set = (1 << HALF) - 1;
    let mut row = 0;
    while row < ROWS / 2 {
        set &= !(1u64 << (row * COLS + col));
        row += 1;
    }
    set
}

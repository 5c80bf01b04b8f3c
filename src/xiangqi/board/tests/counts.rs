//! Published counts.

use std::sync::atomic::{AtomicU32, Ordering};

use super::{board, by_rules};
use crate::xiangqi::board::published::POSITIONS;
use crate::xiangqi::board::{LastPly, alone, columns, divide, perft, perft_shared, perft_with};
use crate::xiangqi::{Position, START_FEN};

/// Depth 5 is for builds that optimise.
const DEEP: u32 = if cfg!(debug_assertions) { 4 } else { 5 };

#[test]
fn published_nodes() {
    for published in &POSITIONS {
        let mut board = board(published.fen);
        for (depth, row) in (1..=DEEP).zip(published.rows) {
            assert_eq!(perft(&mut board, depth), row.nodes, "{} depth {depth}", published.fen);
        }
    }
}

#[test]
fn published_columns() {
    for published in &POSITIONS {
        for (depth, row) in (1..DEEP).zip(published.rows) {
            let counted = columns(&board(published.fen), depth, &alone, &|| false).unwrap();
            let want = (row.nodes, row.captures, row.checks, published.mates(depth as usize).unwrap());
            let got = (counted.nodes, counted.captures, counted.checks, counted.mates);
            assert_eq!(got, want, "{} depth {depth}", published.fen);
        }
    }
}

/// Positions from the tests of other programs, with their counts.
#[test]
fn further_counts() {
    for (fen, counts) in [
        ("1rbaka2R/5r3/6n2/2p1p1p2/4P1bP1/PpC3Bc1/1nPR2P2/2N2AN2/1c2K1p2/2BAC4 w", &[(4, 4_485_547)][..]),
        ("4kcP1N/8n/3rb4/9/9/9/9/3p1A3/4K4/5CB2 w", &[(4, 92_741)]),
        (
            "r2akab1r/3n5/4b3n/p1p1pRp1p/9/2P3P2/P3P3c/N2C3C1/4A4/1RBAK1B2 w",
            &[(1, 58), (2, 1651), (3, 90_744), (4, 2_605_437)],
        ),
    ] {
        for &(depth, count) in counts {
            assert_eq!(perft(&mut board(fen), depth), count, "{fen} depth {depth}");
        }
    }
}

#[test]
fn every_way_counts_the_same() {
    for published in &POSITIONS {
        let mut board = board(published.fen);
        let before = board.clone();
        for depth in 0..=3 {
            let count = perft(&mut board, depth);
            for last in [LastPly::Count, LastPly::List, LastPly::Play] {
                assert_eq!(perft_with(&mut board, depth, last, &|| false), Some(count));
            }
            let two = |work: &(dyn Fn() + Sync)| {
                std::thread::scope(|scope| {
                    scope.spawn(work);
                    work();
                });
            };
            assert_eq!(perft_shared(&board, depth, &two, &|| false), Some(count));
            assert_eq!(columns(&board, depth, &two, &|| false).map(|sum| sum.nodes), Some(count));
        }
        assert!(board == before);
    }
}

#[test]
fn divided_by_move() {
    let parts = divide(&board(START_FEN), 2, &alone, &|| false).unwrap();
    assert_eq!(parts.len(), 44);
    for (played, nodes) in &parts {
        assert_eq!(*nodes, by_rules(&Position::start().after(*played)).len() as u64, "{played}");
    }
    assert_eq!(parts.iter().map(|(_, nodes)| nodes).sum::<u64>(), 1920);
}

#[test]
fn a_count_can_be_stopped() {
    let mut board = board(START_FEN);
    let before = board.clone();
    let asked = AtomicU32::new(0);
    let stop = || asked.fetch_add(1, Ordering::Relaxed) >= 3;
    assert_eq!(perft_with(&mut board, 8, LastPly::Count, &stop), None);
    assert!(board == before, "all moves are taken back");
    assert_eq!(divide(&board, 8, &alone, &stop), None);
    assert_eq!(columns(&board, 8, &alone, &stop), None);
}

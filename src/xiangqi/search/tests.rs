use super::*;
use crate::xiangqi::Position;

#[test]
fn first_moves() {
    let best = search(
        &Position::start(),
        &[],
        &Limits { depth: Some(6), nodes: None },
        1,
        &|| false,
        &mut |report| {
            println!("{report:?}");
        },
    );
    println!("{best:?}");
    assert!(Position::start().is_legal(best.played.unwrap()));
}

use proptest::prelude::*;

use super::*;
use crate::xiangqi::Position;

/// A record as lines, one a node, in the order of the tree.
pub(super) fn shown(record: &Record) -> String {
    let mut text = format!("{:?}\n", record.start());
    let mut waiting = vec![NodeId::ROOT];
    while let Some(id) = waiting.pop() {
        let node = record.node(id).unwrap();
        let played = node.played.map_or("-".into(), |played| played.to_string());
        text.push_str(&format!("{} {played} {:?}\n", node.ply, node.comment));
        let children: Vec<_> = record.children(id).collect();
        waiting.extend(children.into_iter().rev());
    }
    text
}

/// A record from numbers: for each, after which node, which legal move, which comment.
pub(super) fn grown(seeds: &[(u16, u16, String)]) -> Record {
    let mut record = Record::new(Position::start());
    record.set_tag("Red", "许银川");
    for (after, choice, comment) in seeds {
        // Mostly on at the end, so that lines grow.
        let count = record.node_count();
        let parent = if after % 4 == 0 { usize::from(*after / 4) % count } else { count - 1 };
        let parent = NodeId(parent as u32);
        let legal = record.position(parent).unwrap().legal_moves();
        if let Some(played) = legal.get(usize::from(*choice) % legal.len().max(1)) {
            let node = record.add(parent, *played).unwrap();
            record.set_comment(node, comment.trim_matches(|it: char| it.is_ascii_whitespace()));
        }
    }
    record
}

fn comment() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => Just(String::new()),
        1 => "[a-z马车|\\\\ \n{}()\\[\\]/;%0-9]{0,20}",
        1 => Just("好棋 || \\u0041 [/DhtmlXQ_comment1] |\n| }".into()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn pgn_to_dhtmlxq_and_back(seeds in prop::collection::vec((any::<u16>(), any::<u16>(), comment()), 0..40)) {
        let record = grown(&seeds);
        let first = pgn::read(&pgn::write(&record, pgn::Style::default()));
        prop_assert_eq!(shown(&first[0]), shown(&record));
        prop_assert_eq!(first[0].findings(), &[]);
        let second = dhtmlxq::read(&dhtmlxq::write(&first[0]));
        prop_assert_eq!(shown(&second[0]), shown(&record));
        prop_assert_eq!(second[0].findings(), &[]);
        let third = pgn::read(&pgn::write(&second[0], pgn::Style::default()));
        prop_assert_eq!(shown(&third[0]), shown(&record));
        prop_assert_eq!(third[0].tag("Red"), Some("许银川"));
    }

    #[test]
    fn every_notation_is_read_again(seeds in prop::collection::vec((any::<u16>(), any::<u16>(), comment()), 0..40)) {
        let record = grown(&seeds);
        for notation in crate::xiangqi::notation::Notation::ALL {
            for old in [false, true] {
                let text = pgn::write(&record, pgn::Style { notation, wide_digits: old, crlf: old });
                prop_assert_eq!(shown(&pgn::read(&text)[0]), shown(&record));
            }
        }
    }

    #[test]
    fn binary_trees_are_read_as_they_were(seeds in prop::collection::vec((any::<u16>(), any::<u16>(), comment()), 0..40), key in any::<[u8; 9]>(), version in 10_u8..=18) {
        use binary::made;
        let record = grown(&seeds);
        let xqf = binary::xqf::read(&made::xqf(&record, version, key), None).unwrap();
        prop_assert_eq!(shown(&xqf), shown(&record));
        prop_assert_eq!(xqf.findings(), &[]);
        prop_assert_eq!(xqf.tag("Red"), Some("许银川"));
        for version in [1, 2] {
            let cbr = binary::cbr::read(&made::cbr(&record, version)).unwrap();
            prop_assert_eq!(shown(&cbr), shown(&record));
            prop_assert_eq!(cbr.tag("Red"), Some("许银川"));
        }
    }

    #[test]
    fn a_walk_stands_where_the_moves_lead(seeds in prop::collection::vec((any::<u16>(), any::<u16>(), Just(String::new())), 1..40), jumps in prop::collection::vec(any::<u16>(), 0..30)) {
        let record = grown(&seeds);
        let mut walk = Walk::new(&record).unwrap();
        for jump in jumps {
            let node = NodeId(u32::from(jump) % record.node_count() as u32);
            let played = record.line(node).into_iter().map(|(_, played)| played);
            let wanted = played.fold(Position::start(), |position, played| position.after(played));
            prop_assert_eq!(walk.go(&record, node), Some(&wanted));
        }
    }

    #[test]
    fn no_bytes_are_too_bad(bytes in prop::collection::vec(any::<u8>(), 0..3000), head in 0..5_usize) {
        let heads: [&[u8]; 5] = [b"", b"XQ\x0a", b"XQ\x12", b"CCBridge Record\0\0\0\0\x02", b"CCBridgeLibrary\0"];
        let mut file = heads[head].to_vec();
        file.extend(&bytes);
        let _ = binary::xqf::read(&file, None);
        let _ = binary::cbr::read(&file);
        let _ = binary::cbl::read(&file);
        let text = String::from_utf8_lossy(&file);
        let _ = (pgn::read(&text), dhtmlxq::read(&text));
    }
}

/// Rooks go to and fro: legal for ever.
fn long(plies: usize) -> Record {
    let mut record = Record::new(Position::start());
    let point = |text| crate::xiangqi::Square::from_iccs(text).unwrap();
    let moves = ["a0a1", "a9a8", "a1a0", "a8a9"];
    let moves = moves.map(|text| crate::xiangqi::Move::new(point(&text[..2]), point(&text[2..])));
    let mut at = NodeId::ROOT;
    for ply in 0..plies {
        at = record.push(at, moves[ply % 4], crate::text::Span::at(0)).unwrap();
    }
    record
}

#[test]
fn a_hundred_thousand_moves() {
    let record = long(100_000);
    let text = pgn::write(&record, pgn::Style::default());
    assert_eq!(pgn::read(&text)[0].main_line().len(), 100_000);
    let text = dhtmlxq::write(&record);
    assert_eq!(dhtmlxq::read(&text)[0].main_line().len(), 100_000);
    let file = binary::made::xqf(&record, 18, [7; 9]);
    assert_eq!(binary::xqf::read(&file, None).unwrap().main_line().len(), 100_000);
}

/// Each variation stands in the one before it.
#[test]
fn ten_thousand_nested_variations() {
    let deep: String = "a0a1 (".repeat(10_000);
    let read = pgn::read(&(deep.clone() + &")".repeat(10_000)));
    assert_eq!((read[0].node_count(), read[0].children(NodeId::ROOT).count()), (10_001, 10_000));
    assert_eq!(read[0].findings(), []);
    let again = pgn::read(&pgn::write(&read[0], pgn::Style::default()));
    assert_eq!(again[0].node_count(), 10_001);
    assert_eq!(dhtmlxq::read(&dhtmlxq::write(&read[0]))[0].node_count(), 10_001);
    assert_eq!(pgn::read(&deep)[0].findings_left_out(), 9_000, "every open one is told, up to a bound");
}

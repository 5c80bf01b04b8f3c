//! Reports about what a record means.

use kifud::go::{Board, Color, Move, Point, Size, Step, Vertex};
use kifud::sgf::value::{self, point_text};
use kifud::sgf::{Code, NodeId, Record, Severity, check, effective, overtime, position, position_towards};

use crate::support;
use crate::{fixed, found};

fn at(text: &str) -> kifud::sgf::Effective {
    effective(&Record::parse(text), NodeId(0))
}

#[test]
pub fn s01_who_moves() {
    let text = "(;SZ[19]AB[dd][pp]AW[pd][dp](;W[fc])(;B[fc]))";
    assert_eq!(found(text), Vec::<String>::new());
    let record = Record::parse(text);
    for (chosen, color) in [(1, Color::White), (2, Color::Black)] {
        let towards = position_towards(&record, NodeId(0), Some(NodeId(chosen))).unwrap();
        assert_eq!(towards.position.to_play, color, "the branch that is chosen");
    }
    // (record, who, why)
    let cases = [
        ("(;AB[aa]PL[W])", Color::White, "PL says so"),
        ("(;HA[2]AB[dd][pp])", Color::White, "Black has handicap stones"),
        ("(;SZ[9])", Color::Black, "Black begins"),
    ];
    for (text, color, why) in cases {
        let to_play = at(text).to_play;
        assert_eq!((to_play.value, to_play.reason.en.as_ref()), (color, why), "{text}");
    }
}

#[test]
pub fn s03_passes_by_size() {
    for side in [9, 18, 19, 20, 21, 25] {
        let size = Size::square(side).unwrap();
        let read = |raw| value::vertex(raw, size).ok();
        assert_eq!(read(""), Some(Vertex::Pass), "{side}");
        let tt = if side <= 19 { Vertex::Pass } else { Vertex::At(Point::new(19, 19)) };
        assert_eq!(read("tt"), Some(tt), "{side}");
        let ss = (side >= 19).then_some(Vertex::At(Point::new(18, 18)));
        assert_eq!(read("ss"), ss, "{side}");
    }
    assert_eq!(found("(;SZ[18];B[ss])"), ["off-board:[ss]"]);
    assert_eq!(fixed("(;SZ[18];B[ss])", Code::OffBoard), "(;SZ[18];B[])", "was it a pass?");
    assert_eq!(kifud::sgf::NewValue::vertex(Vertex::Pass).unwrap().as_raw(), "");
}

#[test]
pub fn s07_set_up_above_variations() {
    let record = Record::parse("(;SZ[19]AB[aa][ab]AW[ao](;B[dj])(;B[dl]))");
    for leaf in [1, 2] {
        let board = position(&record, NodeId(leaf)).unwrap().position.board();
        let set_up = [(0, 0, Color::Black), (0, 1, Color::Black), (0, 14, Color::White)];
        assert!(set_up.iter().all(|(col, row, color)| board.at(Point::new(*col, *row)) == Some(*color)));
        assert_eq!(board.stones().count(), 4);
    }
}

#[test]
pub fn s10_the_fox_server_s_komi() {
    let text = "(;GM[1]SZ[19]KM[375]HA[0]RU[Chinese]AP[GNU Go:3.8]AP[foxwq];B[pd])";
    assert_eq!(found(text), ["fox-komi:[375]", "duplicate-property:AP"]);
    let cases = [
        (text, 7.5),
        ("(;KM[50]HA[2]RU[Japanese]AP[foxwq])", 0.5),
        ("(;KM[650]AP[foxwq])", 6.5),
        ("(;KM[375];B[pd])", 375.0),
    ];
    for (text, komi) in cases {
        assert_eq!(at(text).komi.value, Some(komi), "{text}");
    }
    assert_eq!(found("(;KM[375];B[pd])"), ["odd-komi:[375]"], "literal, with a warning");
}

#[test]
pub fn s12_no_komi() {
    let text = "(;SZ[7]RU[AGA];B[dd])";
    assert_eq!(found(text), Vec::<String>::new());
    assert_eq!(at(text).komi.value, None);
    assert_eq!(at(text).komi.reason.en, "there is no KM: the komi is unknown");
}

#[test]
pub fn s15_white_after_a_handicap() {
    assert_eq!(found("(;SZ[9]HA[2]AB[cc][gg];W[ee])"), Vec::<String>::new());
    for finding in check(&Record::parse("(;SZ[9];B[ee];B[cc];W[gg];W[gc])")) {
        assert!(finding.severity > Severity::Error, "{finding:?}");
    }
}

#[test]
pub fn s16_suicide() {
    let text = |rules: &str| format!("(;SZ[9]RU[{rules}]AB[aa]AW[ac][bb][ba];B[ab])");
    for (rules, expected) in [("NZ", &[][..]), ("Tromp-Taylor", &[]), ("Japanese", &["suicide:B[ab]"])] {
        let text = text(rules);
        assert_eq!(found(&text), expected, "{rules}");
        let board = position(&Record::parse(text.as_str()), NodeId(1)).unwrap().position.board();
        assert_eq!(board.stones().filter(|(_, color)| *color == Color::Black).count(), 0, "both are gone");
        assert_eq!(board.stones().count(), 3, "{rules}");
    }
}

/// Sending two, returning one, on three points in a row: `B.W` stands after moves 2 and 5, with Black to
/// move first and White then.
#[test]
pub fn s19_repetition() {
    let text = |rules: &str| format!("(;SZ[3:1]{rules};B[aa];W[ca];B[ba];W[ca];B[aa])");
    assert_eq!(found(&text("RU[Chinese]")), ["superko:B[aa]"]);
    assert_eq!(found(&text("RU[AGA]")), Vec::<String>::new());
    assert_eq!(found(&text("RU[Japanese]")), ["repeated-position:B[aa]"]);
    assert_eq!(found(&text("")), ["repeated-position:B[aa]"]);
    let finding = check(&Record::parse(text("RU[Chinese]"))).pop().unwrap();
    assert_eq!(finding.related[0].words.en, "after move 2");
    let Some(folder) = support::shared("corpus/sgf/littlego/sgf/Illegal games") else { return };
    for name in ["positional-superko.sgf", "situational-superko.sgf"] {
        let text = std::fs::read_to_string(folder.join(name)).unwrap();
        let codes: Vec<_> = check(&Record::parse(text)).iter().map(|finding| finding.code).collect();
        assert!(
            codes.contains(&Code::Superko) || codes.contains(&Code::RepeatedPosition),
            "{name}: {codes:?}"
        );
    }
}

#[test]
pub fn s21_large_boards() {
    let text = "(;SZ[27];B[AA])";
    assert_eq!(found(text), Vec::<String>::new());
    let found = position(&Record::parse(text), NodeId(1)).unwrap().position;
    let last = found.last_move().unwrap().vertex;
    assert_eq!((last, last.to_gtp(found.size).as_str()), (Vertex::At(Point::new(26, 26)), "AB1"));
    // The columns of GTP: A to Z without I, then AA, AB and so on.
    let letters: Vec<char> = ('A'..='Z').filter(|letter| *letter != 'I').collect();
    let names: Vec<String> = letters
        .iter()
        .map(char::to_string)
        .chain(letters.iter().flat_map(|one| letters.iter().map(move |two| format!("{one}{two}"))))
        .collect();
    for side in 1..=52u8 {
        let size = Size::square(side).unwrap();
        for col in 0..side {
            let vertex = Vertex::At(Point::new(col, 0));
            let spelled = format!("{}{side}", names[usize::from(col)]);
            assert_eq!(vertex.to_gtp(size), spelled);
            assert_eq!(Vertex::parse_gtp(&spelled, size), Some(vertex));
        }
        assert_eq!(Vertex::parse_gtp(&format!("{}1", names[usize::from(side)]), size), None);
    }
}

#[test]
pub fn s22_every_point_of_every_size() {
    for (width, height) in (1..=52).map(|side| (side, side)).chain([(13, 7), (7, 13), (52, 1), (1, 52)]) {
        let size = Size::new(width, height).unwrap();
        for point in size.points() {
            let sgf = point_text(point).unwrap();
            assert_eq!(value::point(&sgf, size), Ok(point));
            let gtp = Vertex::At(point).to_gtp(size);
            assert_eq!(Vertex::parse_gtp(&gtp, size), Some(Vertex::At(point)), "{gtp} on {size}");
            let row: u8 = gtp.trim_start_matches(|letter: char| letter.is_alphabetic()).parse().unwrap();
            assert_eq!(row, height - point.row, "rows count from below: {gtp} on {size}");
        }
    }
    // By hand, on 13x13.
    let size = Size::square(13).unwrap();
    let corners = [("aa", "A13"), ("ma", "N13"), ("am", "A1"), ("mm", "N1"), ("dj", "D4"), ("jj", "K4")];
    for (sgf, gtp) in corners {
        assert_eq!(Vertex::At(value::point(sgf, size).unwrap()).to_gtp(size), gtp);
    }
}

#[test]
pub fn s24_clocks() {
    use overtime::Overtime::{Byoyomi, Canadian, Fischer, Simple};
    let text = "(;TM[1800]OT[5x30 byo-yomi];B[qd]BL[1779.066];W[od]WL[1770.5]OW[5])";
    assert_eq!(found(text), Vec::<String>::new());
    let record = Record::parse(text);
    let info = record.info(0).unwrap();
    assert_eq!((info.time, info.overtime.as_deref()), (Some(1800.0), Some("5x30 byo-yomi")));
    let left =
        |node: u32, ident: &str| value::real(record.property(NodeId(node), ident).unwrap().first_raw());
    assert_eq!((left(1, "BL"), left(2, "WL")), (Ok(1779.066), Ok(1770.5)));
    assert_eq!(value::number(record.property(NodeId(2), "OW").unwrap().first_raw()), Ok(5));
    let cases = [
        ("5x30 byo-yomi", Some(Byoyomi { periods: 5, seconds: 30.0 })),
        ("3 x 60 Byo-Yomi", Some(Byoyomi { periods: 3, seconds: 60.0 })),
        ("25/600 Canadian", Some(Canadian { stones: 25, seconds: 600.0 })),
        ("10 fischer", Some(Fischer { increment: 10.0 })),
        ("86400 simple", Some(Simple { seconds: 86400.0 })),
        ("3 periods", None),
        ("", None),
        ("0x30 byo-yomi", None),
        ("1e999 fischer", None),
    ];
    for (text, expected) in cases {
        assert_eq!(overtime::parse(text), expected, "{text}");
    }
}

/// A board for comparison: plain recursion-free flooding over a map, nothing shared with the floor.
pub fn replay_plainly(side: u8, steps: &[Step]) -> Vec<String> {
    let mut stones = std::collections::BTreeMap::new();
    for step in steps {
        match step {
            Step::Setup(list) => list.iter().for_each(|(point, stone)| match stone {
                Some(color) => {
                    stones.insert((point.col, point.row), *color);
                }
                None => stones.retain(|place, _| *place != (point.col, point.row)),
            }),
            Step::Play(Move { vertex: Vertex::Pass, .. }) => {}
            Step::Play(Move { color, vertex: Vertex::At(point) }) => {
                stones.insert((point.col, point.row), *color);
                let beside = |(col, row): (u8, u8)| {
                    [(col.wrapping_sub(1), row), (col + 1, row), (col, row.wrapping_sub(1)), (col, row + 1)]
                        .into_iter()
                        .filter(move |(col, row)| *col < side && *row < side)
                };
                let own = (point.col, point.row);
                for start in beside(own).chain([own]).collect::<Vec<_>>() {
                    let taken_first = start != own;
                    let Some(of) = stones.get(&start).copied() else { continue };
                    if taken_first == (of == *color) {
                        continue;
                    }
                    let (mut chain, mut next, mut free) = (vec![start], 0, false);
                    while next < chain.len() {
                        for neighbour in beside(chain[next]) {
                            match stones.get(&neighbour) {
                                None => free = true,
                                Some(other) if *other == of && !chain.contains(&neighbour) => {
                                    chain.push(neighbour);
                                }
                                Some(_) => {}
                            }
                        }
                        next += 1;
                    }
                    if !free {
                        stones.retain(|place, _| !chain.contains(place));
                    }
                }
            }
        }
    }
    let row = |row| (0..side).map(|col| letter(stones.get(&(col, row)).copied())).collect();
    (0..side).map(row).collect()
}

fn letter(stone: Option<Color>) -> char {
    match stone {
        None => '.',
        Some(Color::Black) => 'X',
        Some(Color::White) => 'O',
    }
}

/// The rows of a board, as `record/board` writes them.
pub fn rows(board: &Board) -> Vec<String> {
    let size = board.size();
    let row = |row| (0..size.width()).map(|col| letter(board.at(Point::new(col, row)))).collect();
    (0..size.height()).map(row).collect()
}

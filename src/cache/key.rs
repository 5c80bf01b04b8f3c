//! By what a result is found again. Pure.

use crate::engine::AnalyzeRequest;
use crate::fnv::Fnv;
use crate::go::{Board, Color, Position, Size, Step, Vertex};

/// Moves before the position that belong to it: engines are shown so many.
pub const HISTORY: usize = 5;

/// The layout of a key. Another number makes all that was kept unknown.
const LAYOUT: u8 = 2;

/// Names a result: which engine, which position, what it was asked. Two keys are equal only if all of
/// that is; nothing but the engine and the options is shortened to a hash.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key(Box<[u8]>);

impl Key {
    /// As it stands in files.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Read from a file.
    pub fn read(bytes: &[u8]) -> Key {
        Key(bytes.into())
    }
}

/// What a key is made from.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// The engine and how it is set up, see [`super::Identity`].
    pub engine: u128,
    /// Whether a trusted session asks: what others have found is not for those, nor the other way.
    pub trusted: bool,
    /// The position.
    pub position: &'a Position,
    /// For whom the engine thinks.
    pub color: Color,
    /// The komi that the engine was told; the position's when absent.
    pub komi: Option<f64>,
    /// The rules that the engine was told; the position's when absent.
    pub rules: Option<&'a str>,
    /// What else it was asked, see [`options`].
    pub options: u128,
}

impl Subject<'_> {
    /// Its key.
    pub fn key(&self) -> Key {
        let position = self.position;
        let board = position.board();
        let mut bytes = vec![LAYOUT, u8::from(self.trusted)];
        bytes.extend(self.engine.to_le_bytes());
        bytes.extend(self.options.to_le_bytes());
        bytes.extend([position.size.width(), position.size.height(), side(self.color)]);
        bytes.extend(stones(&board));
        match board.ko() {
            Some(point) => bytes.extend([1, point.col, point.row]),
            None => bytes.push(0),
        }
        // Where territory is counted, so are prisoners, and a handicap may be paid for.
        let taken = i64::from(board.captures(Color::Black)) - i64::from(board.captures(Color::White));
        bytes.extend(taken.to_le_bytes());
        handicap(position).as_flattened().iter().for_each(|count| bytes.extend(count.to_le_bytes()));
        number(&mut bytes, self.komi.or(position.komi));
        text(&mut bytes, self.rules.or(position.rules.as_deref()));
        for play in last_moves(position) {
            bytes.push(side(play.color));
            match play.vertex {
                Vertex::At(point) => bytes.extend([point.col, point.row]),
                Vertex::Pass => bytes.extend([u8::MAX; 2]),
            }
        }
        Key(bytes.into())
    }
}

/// Names what an engine is asked beside the position: all that changes what it finds or tells, and not
/// how often, how long, or by which command.
pub fn options(request: &AnalyzeRequest, size: Size) -> u128 {
    let AnalyzeRequest { allow, avoid, max_moves, ownership, root_info, .. } = request;
    let list = |hash: Fnv, vertices: &[Vertex]| {
        let mut spelled: Vec<String> = vertices.iter().map(|vertex| vertex.to_gtp(size)).collect();
        spelled.sort_unstable();
        spelled.dedup();
        spelled.iter().fold(hash.text("vertices"), |hash, vertex| hash.text(vertex))
    };
    let hash = list(list(Fnv::START, allow), avoid);
    let hash = hash.text(&max_moves.map_or_else(String::new, |most| most.to_string()));
    hash.bytes(&[u8::from(*ownership), u8::from(*root_info)]).0
}

fn side(color: Color) -> u8 {
    match color {
        Color::Black => 1,
        Color::White => 2,
    }
}

/// Two bits a point, row by row from the top left.
fn stones(board: &Board) -> Vec<u8> {
    let points: Vec<u8> = board.size().points().map(|point| board.at(point).map_or(0, side)).collect();
    points.chunks(4).map(|four| four.iter().fold(0, |byte, point| byte << 2 | point)).collect()
}

/// What decides how a handicap is taken and paid for. Engines count stones that were set up, if all are
/// black, and the black moves before White's first; whether a pass is such a move is the engine's own
/// matter. What was set up last may be told as a game of its own, or as part of the whole.
fn handicap(position: &Position) -> [[u32; 4]; 2] {
    let steps = &position.steps;
    let moves = steps.iter().position(|step| step.as_play().is_some()).unwrap_or(steps.len());
    let last_setup = steps.iter().rposition(|step| step.as_play().is_none()).map_or(0, |last| last + 1);
    [moves, last_setup].map(|start| {
        let (before, after) = steps.split_at(start);
        let mut board = Board::new(position.size);
        before.iter().for_each(|step| step.execute(&mut board));
        counts(&board, after)
    })
}

/// Black and white stones of a board; black moves that follow before White does anything, and before White
/// plays a stone.
fn counts(board: &Board, steps: &[Step]) -> [u32; 4] {
    let stones = |color| board.stones().filter(|(_, stone)| *stone == color).count();
    let plays = || steps.iter().filter_map(Step::as_play);
    let black = |play: &crate::go::Move| play.color == Color::Black && play.vertex != Vertex::Pass;
    let alone = plays().take_while(|play| play.color == Color::Black).filter(black).count();
    let white = |play: &crate::go::Move| play.color == Color::White && play.vertex != Vertex::Pass;
    let played = plays().take_while(|play| !white(play)).filter(black).count();
    [stones(Color::Black), stones(Color::White), alone, played]
        .map(|count| u32::try_from(count).unwrap_or(u32::MAX))
}

/// The newest first. A set-up ends them: engines are told what comes after it as a new game.
fn last_moves(position: &Position) -> impl Iterator<Item = crate::go::Move> {
    position.steps.iter().rev().map_while(Step::as_play).take(HISTORY)
}

fn number(bytes: &mut Vec<u8>, number: Option<f64>) {
    match number {
        // Adding zero turns -0 into 0.
        Some(number) => {
            bytes.push(1);
            bytes.extend((number + 0.0).to_le_bytes());
        }
        None => bytes.push(0),
    }
}

fn text(bytes: &mut Vec<u8>, text: Option<&str>) {
    let text = text.map(|text| text.trim().to_lowercase());
    bytes.push(u8::from(text.is_some()));
    let hash = text.map_or(0, |text| Fnv::START.text(&text).0);
    bytes.extend(hash.to_le_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::Point;
    use crate::sgf::{self, NodeId, Record};

    /// The key of the last node of a record.
    fn of(text: &str) -> Key {
        let record = Record::parse(text);
        let last = NodeId(record.node_count() as u32 - 1);
        let position = sgf::position(&record, last).unwrap().position;
        key(&position)
    }

    fn subject(position: &Position) -> Subject<'_> {
        Subject {
            engine: 1,
            trusted: true,
            position,
            color: position.to_play,
            komi: None,
            rules: None,
            options: 2,
        }
    }

    fn key(position: &Position) -> Key {
        subject(position).key()
    }

    const GAME: &str = "(;SZ[9]KM[7]RU[Japanese];B[aa];W[ba];B[cc];W[dd];B[ee];W[ff];B[gg];W[hh])";

    #[test]
    fn the_same_position_has_the_same_key() {
        let same = [
            // The first three moves in another order; the last five are as they were.
            ("transposed", "(;SZ[9]KM[7]RU[Japanese];B[cc];W[ba];B[aa];W[dd];B[ee];W[ff];B[gg];W[hh])"),
            ("a comment", "(;SZ[9]KM[7]RU[Japanese];B[aa];W[ba];B[cc];W[dd]C[x];B[ee];W[ff];B[gg];W[hh])"),
            ("players", "(;PB[a]SZ[9]KM[7]RU[Japanese];B[aa];W[ba];B[cc];W[dd];B[ee];W[ff];B[gg];W[hh])"),
            ("case of rules", "(;SZ[9]KM[7]RU[japanese ];B[aa];W[ba];B[cc];W[dd];B[ee];W[ff];B[gg];W[hh])"),
            (
                "a node in between",
                "(;SZ[9]KM[7]RU[Japanese];B[aa];W[ba];;B[cc];W[dd];B[ee];W[ff];B[gg];W[hh])",
            ),
        ];
        for (what, text) in same {
            assert_eq!(of(text), of(GAME), "{what}");
        }
    }

    #[test]
    fn what_makes_a_difference_makes_another_key() {
        let others = [
            (
                "the last five in another order",
                "(;SZ[9]KM[7]RU[Japanese];B[aa];W[ba];B[cc];W[dd];B[gg];W[ff];B[ee];W[hh])",
            ),
            ("a mirrored game", "(;SZ[9]KM[7]RU[Japanese];B[aa];W[ab];B[cc];W[dd];B[ee];W[ff];B[gg];W[hh])"),
            ("komi", "(;SZ[9]KM[6.5]RU[Japanese];B[aa];W[ba];B[cc];W[dd];B[ee];W[ff];B[gg];W[hh])"),
            ("no komi", "(;SZ[9]RU[Japanese];B[aa];W[ba];B[cc];W[dd];B[ee];W[ff];B[gg];W[hh])"),
            ("rules", "(;SZ[9]KM[7]RU[Chinese];B[aa];W[ba];B[cc];W[dd];B[ee];W[ff];B[gg];W[hh])"),
            ("no rules", "(;SZ[9]KM[7];B[aa];W[ba];B[cc];W[dd];B[ee];W[ff];B[gg];W[hh])"),
            ("whose turn", "(;SZ[9]KM[7]RU[Japanese];B[aa];W[ba];B[cc];W[dd];B[ee];W[ff];B[gg];W[hh]PL[W])"),
            ("another stone", "(;SZ[9]KM[7]RU[Japanese];B[ab];W[ba];B[cc];W[dd];B[ee];W[ff];B[gg];W[hh])"),
            (
                "the other's stone",
                "(;SZ[9]KM[7]RU[Japanese];B[ba];W[aa];B[cc];W[dd];B[ee];W[ff];B[gg];W[hh])",
            ),
            ("a larger board", "(;SZ[10]KM[7]RU[Japanese];B[aa];W[ba];B[cc];W[dd];B[ee];W[ff];B[gg];W[hh])"),
            (
                "a pass after it",
                "(;SZ[9]KM[7]RU[Japanese];B[aa];W[ba];B[cc];W[dd];B[ee];W[ff];B[gg];W[hh];B[];W[])",
            ),
            ("the node before", "(;SZ[9]KM[7]RU[Japanese];B[aa];W[ba];B[cc];W[dd];B[ee];W[ff];B[gg])"),
            (
                "the same stones set up: no history",
                "(;SZ[9]KM[7]RU[Japanese]AB[aa][cc][ee][gg]AW[ba][dd][ff][hh]PL[B])",
            ),
        ];
        for (what, text) in others {
            assert_ne!(of(text), of(GAME), "{what}");
        }
        let mut keys: Vec<Key> = others.iter().map(|(_, text)| of(text)).collect();
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), others.len(), "and no two of them are the same");
    }

    /// Stones, prisoners and the last five moves are the same. In one game the last move has just taken
    /// a stone, in the other that stone never stood there, and the prisoner is from the corner.
    #[test]
    fn a_ko_makes_a_difference_by_itself() {
        let end = ";W[db];B[ba];W[ca];B[bc];W[ed];B[hh];W[cc];B[gh];W[fh];B[cb])";
        let games = ["(;SZ[9];B[ab];W[bb];B[ha];W[];B[ib]", "(;SZ[9];B[ab];W[];B[ha];W[ia];B[ib]"]
            .map(|start| Record::parse(format!("{start}{end}")));
        let [with, without] =
            games.each_ref().map(|record| sgf::position(record, NodeId(15)).unwrap().position);
        assert!(with.board().ko().is_some() && without.board().ko().is_none(), "the example is right");
        assert!(with.board().same_stones(&without.board()));
        assert_eq!([&with, &without].map(|game| game.board().captures(Color::Black)), [1, 1]);
        assert_ne!(key(&with), key(&without));
    }

    #[test]
    fn prisoners_and_handicaps_are_part_of_it() {
        // The white stone in the corner is taken; in the other game it never stood there.
        let end = ";B[ab];W[hh];B[hg];W[gh];B[gg];W[fh])";
        assert_ne!(of(&format!("(;SZ[9];B[ba];W[aa]{end}")), of(&format!("(;SZ[9];B[ba];W[]{end}")));
        let end = ";W[hh];B[cc];W[gg];B[dd];W[ff])";
        assert_ne!(of(&format!("(;SZ[9]AB[aa][ii]{end}")), of(&format!("(;SZ[9];B[aa];W[];B[ii]{end}")));
    }

    #[test]
    fn black_moves_before_white_s_first_may_be_a_handicap() {
        let end = ";W[dd];B[ee];W[ff];B[gg];W[hh])";
        let game = |start: &str| of(&format!("(;SZ[9]KM[0.5]RU[Chinese]{start}{end}"));
        // The same stones, and the same last five moves.
        let starts = [
            "AB[aa][cc][ii]",
            "AB[aa][cc];B[ii]",
            "AB[aa];B[cc];B[ii]",
            ";B[aa];B[cc];B[ii]",
            ";B[aa];W[];B[cc];W[];B[ii]",
            ";B[aa];B[cc];W[];B[ii]",
        ];
        let different: std::collections::HashSet<Key> = starts.map(game).into();
        assert_eq!(different.len(), starts.len());
        assert_eq!(game(";B[aa];B[cc];B[ii]"), game(";B[ii];B[aa];B[cc]"));
        // With a white stone it is no handicap.
        assert_ne!(of("(;SZ[9]AB[aa][cc]AW[dd];B[ee])"), of("(;SZ[9]AB[aa][cc];W[dd];B[ee])"));
        let game = |start: &str| of(&format!("(;SZ[9]{start};B[cc];W[ee];B[ff];W[gg];B[hh])"));
        assert_ne!(game("AB[aa][bb]AW[dd]"), game("AB[aa][bb];W[dd]"));
        // What is set up later begins anew, or does not.
        assert_ne!(game(";B[aa];W[dd]"), game(";B[aa];W[dd]AB[aa]"));
    }

    #[test]
    fn an_engine_and_its_options_separate() {
        let position = Position::new(Size::STANDARD);
        let base = subject(&position);
        let all = [
            base,
            Subject { engine: 3, ..base },
            Subject { trusted: false, ..base },
            Subject { options: 3, ..base },
            Subject { color: Color::White, ..base },
            Subject { komi: Some(7.5), ..base },
            Subject { rules: Some("chinese"), ..base },
        ]
        .map(|subject| subject.key());
        let different: std::collections::HashSet<&Key> = all.iter().collect();
        assert_eq!(different.len(), all.len());
        let told = Position { komi: Some(7.5), ..position.clone() };
        assert_eq!(key(&told), all[5], "told is what counts, wherever it comes from");
        assert_eq!(Key::read(all[0].bytes()), all[0]);
    }

    #[test]
    fn options_are_what_changes_the_answer() {
        let at = |col| Vertex::At(Point::new(col, 0));
        let base = AnalyzeRequest::default;
        let of = |request: AnalyzeRequest| options(&request, Size::STANDARD);
        let same = [
            AnalyzeRequest { interval_cs: 1, ..base() },
            AnalyzeRequest { limit: crate::engine::Limit { visits: Some(3), seconds: None }, ..base() },
            AnalyzeRequest { if_revision: Some(3), ..base() },
            AnalyzeRequest { order: vec!["lz-analyze".to_owned()], ..base() },
            AnalyzeRequest { position: Some(Position::new(Size::STANDARD)), ..base() },
        ];
        for request in same {
            assert_eq!(of(request.clone()), of(base()), "{request:?}");
        }
        let allow =
            |allow: &[u8]| AnalyzeRequest { allow: allow.iter().copied().map(at).collect(), ..base() };
        assert_eq!(of(allow(&[1, 2])), of(allow(&[2, 1, 2])), "in any order");
        let others = [
            base(),
            allow(&[1]),
            allow(&[1, 2]),
            AnalyzeRequest { avoid: vec![at(1)], ..base() },
            AnalyzeRequest { max_moves: Some(1), ..base() },
            AnalyzeRequest { ownership: true, ..base() },
            AnalyzeRequest { root_info: false, ..base() },
        ]
        .map(of);
        let different: std::collections::HashSet<u128> = others.into_iter().collect();
        assert_eq!(different.len(), others.len());
    }
}

//! A whole position in one message, for engines without a board of their own (KataGo's JSON analysis
//! engine): stones to begin with, then the moves that led on from there.

use super::{Abilities, Known, Lost, Refusal, settings};
use crate::go::{Board, Color, Move, Position, Step, Vertex};

/// What such an engine is told.
#[derive(Debug, Clone, PartialEq)]
pub struct Whole {
    /// The stones before the first move.
    pub stones: Board,
    /// Who moves first.
    pub first: Color,
    /// In order; none that a strict engine refuses. Colours need not alternate.
    pub moves: Vec<Move>,
    /// In half points.
    pub komi: f64,
    /// KataGo's name for the rules.
    pub rules: String,
    /// What is not said, or otherwise than the record says it.
    pub lost: Vec<Lost>,
}

/// The rules that KataGo knows by name, from its list of GTP extensions (`kata-set-rules`).
const KNOWN_RULES: [&str; 11] = [
    "tromp-taylor",
    "chinese",
    "chinese-ogs",
    "chinese-kgs",
    "japanese",
    "korean",
    "stone-scoring",
    "aga",
    "bga",
    "aga-button",
    "new-zealand",
];

/// Rules have to be named; these are told when the record has none that the engine knows.
const USUAL_RULES: &str = "tromp-taylor";

/// Says the position with `to_move` to move. The moves are those since the last set-up, and since the
/// last move that a strict engine refuses; what is before is told as stones. So are all moves when
/// the engine would take the other side to be the one that moves next: it takes turns.
///
/// # Errors
/// [`Refusal::Size`] above 25x25; [`Refusal::InvalidPosition`] for stones without liberties.
pub fn whole(want: &Position, to_move: Color) -> Result<Whole, Refusal> {
    settings::check_size(want.size, &Abilities { rectangular_boardsize: true, ..Default::default() })?;
    let target = want.board();
    if let Some(dead) = target.stones_without_liberties().first() {
        let vertex = Vertex::At(*dead).to_gtp(want.size);
        return Err(Refusal::InvalidPosition { vertex });
    }
    let start = match want.last_move() {
        Some(last) if last.color == to_move => want.steps.len(),
        _ => first_step(want),
    };
    let (before, after) = want.steps.split_at(start.min(want.steps.len()));
    let moves: Vec<Move> = after.iter().filter_map(Step::as_play).collect();
    let mut stones = Board::new(want.size);
    before.iter().for_each(|step| step.execute(&mut stones));
    let can = Abilities { kata_set_rules: true, ..Default::default() };
    let (rules, lost_rules) = rules(want);
    let history = before.iter().any(|step| step.as_play().is_some());
    let ko = moves.is_empty() && target.ko().is_some();
    let lost = [
        settings::lost_komi(want, &can),
        lost_rules,
        history.then(settings::history_is_lost),
        ko.then(|| settings::lost_ko(&target, &Known::empty(want.size))).flatten(),
    ];
    Ok(Whole {
        stones,
        first: moves.first().map_or(to_move, |first| first.color),
        moves,
        komi: settings::komi_to_tell(want, &can),
        rules,
        lost: lost.into_iter().flatten().collect(),
    })
}

/// The first step from which on all are moves that a strict engine takes.
fn first_step(want: &Position) -> usize {
    let mut board = Board::new(want.size);
    let mut start = 0;
    for (index, step) in want.steps.iter().enumerate() {
        if step.as_play().is_none_or(|play| board.legality(play).is_err()) {
            start = index + 1;
        }
        step.execute(&mut board);
    }
    start
}

fn rules(want: &Position) -> (String, Option<Lost>) {
    let Some(named) = &want.rules else {
        let why = format!("The record names no rules; the engine was told \"{USUAL_RULES}\".");
        return (USUAL_RULES.to_owned(), Some(Lost { what: "rules", why }));
    };
    match settings::katago_rules(named).filter(|name| KNOWN_RULES.contains(&name.as_str())) {
        Some(name) => (name, None),
        None => {
            let named: String = named.chars().take(40).collect();
            let why =
                format!("The engine does not know the rules \"{named}\"; it was told \"{USUAL_RULES}\".");
            (USUAL_RULES.to_owned(), Some(Lost { what: "rules", why }))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::go::{Point, Size};
    use Color::{Black, White};

    /// Moves in GTP's spelling, `B` or `W` before each; `+` before one makes it set-up, `-` takes a
    /// stone away.
    fn position(text: &str) -> Position {
        let size = Size::square(9).unwrap();
        let mut position =
            Position { komi: Some(6.5), rules: Some("Japanese".into()), ..Position::new(size) };
        for word in text.split_whitespace() {
            let (mark, rest) = match word.strip_prefix(['+', '-']) {
                Some(rest) => (word.as_bytes().first().copied(), rest),
                None => (None, word),
            };
            let color = Color::parse(&rest[..1]).unwrap();
            let vertex = Vertex::parse_gtp(&rest[1..], size).unwrap();
            position.steps.push(match (mark, vertex) {
                (Some(mark), Vertex::At(point)) => {
                    Step::Setup(vec![(point, (mark == b'+').then_some(color))])
                }
                _ => Step::Play(Move { color, vertex }),
            });
            if mark.is_none() {
                position.to_play = color.opponent();
            }
        }
        position
    }

    fn told(position: &Position, to_move: Color) -> String {
        let size = position.size;
        let whole = whole(position, to_move).unwrap();
        let spell = |color: Color, vertex: Vertex| format!("{}{}", color.letter(), vertex.to_gtp(size));
        let stones: Vec<_> =
            whole.stones.stones().map(|(point, color)| spell(color, Vertex::At(point))).collect();
        let moves: Vec<_> = whole.moves.iter().map(|play| spell(play.color, play.vertex)).collect();
        let lost: Vec<_> = whole.lost.iter().map(|lost| lost.what).collect();
        format!(
            "[{}] {} [{}] {} {} lost [{}]",
            stones.join(" "),
            whole.first.letter(),
            moves.join(" "),
            whole.komi,
            whole.rules,
            lost.join(" ")
        )
    }

    #[test]
    fn stones_first_then_the_moves_that_count() {
        let cases = [
            ("", Black, "[] B [] 6.5 japanese lost []"),
            ("", White, "[] W [] 6.5 japanese lost []"),
            ("BD4 WE5", Black, "[] B [BD4 WE5] 6.5 japanese lost []"),
            // The same colour twice is no trouble; a pass is a move.
            ("BD4 BE5 Wpass", Black, "[] B [BD4 BE5 Wpass] 6.5 japanese lost []"),
            // A handicap is told as stones, and keeps all moves.
            ("+BC3 +BG7 WE5", Black, "[BG7 BC3] W [WE5] 6.5 japanese lost []"),
            // Set-up amid the game: what was before is stones only.
            ("BD4 WE5 +BA1 BC3", White, "[WE5 BD4 BA1] B [BC3] 6.5 japanese lost [history]"),
            // The side that has moved last is asked again.
            ("BD4 WE5", White, "[WE5 BD4] W [] 6.5 japanese lost [history]"),
            // A stone on a stone is refused by the engine: it stands there from the beginning.
            ("BD4 WD4 BE5", White, "[WD4] B [BE5] 6.5 japanese lost [history]"),
        ];
        for (moves, to_move, expected) in cases {
            assert_eq!(told(&position(moves), to_move), expected, "{moves}");
        }
    }

    /// White takes at A2: Black may not retake at B2. Told as moves, the engine knows that.
    #[test]
    fn a_ko_is_known_as_long_as_its_moves_are_told() {
        let moves = "BB1 WC1 BA2 WD2 BB3 WC3 BC2 WB2";
        let game = position(moves);
        assert!(game.board().ko().is_some(), "the example is a ko");
        assert!(told(&game, Black).ends_with("lost []"));
        assert!(told(&game, White).ends_with("lost [history ko]"));
    }

    #[test]
    fn komi_and_rules_are_those_that_katago_takes() {
        let cases = [
            (Some(6.3), Some("AGA"), "6.5 aga lost [komi]"),
            (Some(7.0), Some("NZ"), "7 new-zealand lost []"),
            (None, None, "0 tromp-taylor lost [komi rules]"),
            (Some(-0.0), Some("GOE"), "0 tromp-taylor lost [rules]"),
            (Some(f64::NAN), Some("my own rules"), "0 tromp-taylor lost [komi rules]"),
        ];
        for (komi, rules, expected) in cases {
            let position = Position { komi, rules: rules.map(str::to_owned), ..position("") };
            assert_eq!(told(&position, Black), format!("[] B [] {expected}"));
        }
    }

    #[test]
    fn what_no_board_can_hold_is_refused() {
        let mut dead = position("BB1 BA2");
        dead.steps.push(Step::Setup(vec![(Point::new(0, 8), Some(White))]));
        assert_eq!(whole(&dead, Black), Err(Refusal::InvalidPosition { vertex: "A1".to_owned() }));
        let large = Position::new(Size::square(26).unwrap());
        assert!(matches!(whole(&large, Black), Err(Refusal::Size { .. })));
        assert!(whole(&Position::new(Size::new(13, 7).unwrap()), Black).is_ok());
    }
}

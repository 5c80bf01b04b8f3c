//! A strict GTP engine on its own rules, and random games for it.

use std::collections::BTreeMap;

use proptest::prelude::{ProptestConfig, any, prop, prop_assert, prop_assert_eq, prop_oneof, proptest};
use proptest::sample::Index;
use proptest::strategy::Strategy as Generator;

use super::*;

/// Column from the left, row from the bottom.
type At = (i32, i32);

/// A board as an engine keeps it: GTP letters to stones, simple ko, every move kept for `undo`.
#[derive(Clone, Debug, Default)]
struct Engine {
    width: i32,
    height: i32,
    stones: BTreeMap<At, char>,
    ko: Option<(At, char)>,
    past: Vec<Past>,
}

/// Stones and ko before a move.
type Past = (BTreeMap<At, char>, Option<(At, char)>);

const LETTERS: &str = "ABCDEFGHJKLMNOPQRSTUVWXYZ";

impl Engine {
    fn vertex(&self, text: &str) -> Result<At, String> {
        let column = LETTERS.find(&text[..1]).ok_or("invalid column")? as i32;
        let row: i32 = text[1..].parse().map_err(|_| "invalid row")?;
        let on = column < self.width && (1..=self.height).contains(&row);
        if on { Ok((column, row)) } else { Err("off the board".to_owned()) }
    }

    fn beside(&self, (x, y): At) -> Vec<At> {
        let all = [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)];
        let on = |p: &At| (0..self.width).contains(&p.0) && (1..=self.height).contains(&p.1);
        all.into_iter().filter(on).collect()
    }

    fn chain(&self, start: At) -> (Vec<At>, Vec<At>) {
        let (mut chain, mut liberties) = (vec![start], vec![]);
        let mut next = 0;
        while next < chain.len() {
            for point in self.beside(chain[next]) {
                match self.stones.get(&point) {
                    None if !liberties.contains(&point) => liberties.push(point),
                    stone if stone == self.stones.get(&start) && !chain.contains(&point) => chain.push(point),
                    _ => {}
                }
            }
            next += 1;
        }
        (chain, liberties)
    }

    fn play(&mut self, color: char, text: &str) -> Result<(), String> {
        let before = (self.stones.clone(), self.ko);
        if text != "pass" {
            let point = self.vertex(text)?;
            if self.stones.contains_key(&point) {
                return Err("occupied".to_owned());
            }
            if self.ko == Some((point, color)) {
                return Err("ko".to_owned());
            }
            self.stones.insert(point, color);
            let mut taken = vec![];
            for beside in self.beside(point) {
                if self.stones.get(&beside).is_some_and(|stone| *stone != color) {
                    let (chain, liberties) = self.chain(beside);
                    if liberties.is_empty() {
                        self.stones.retain(|point, _| !chain.contains(point));
                        taken.extend(chain);
                    }
                }
            }
            let (chain, liberties) = self.chain(point);
            if liberties.is_empty() {
                self.stones = before.0;
                return Err("suicide".to_owned());
            }
            let ko = taken.len() == 1 && chain.len() == 1 && liberties.len() == 1;
            self.ko = ko.then(|| (taken[0], if color == 'B' { 'W' } else { 'B' }));
        } else {
            self.ko = None;
        }
        self.past.push(before);
        Ok(())
    }

    fn clear(&mut self) {
        *self = Engine { width: self.width, height: self.height, ..Engine::default() };
    }

    fn put(&mut self, color: char, text: &str) -> Result<(), String> {
        let point = self.vertex(text)?;
        if self.stones.insert(point, color).is_some() {
            return Err("repeated vertex".to_owned());
        }
        Ok(())
    }

    fn send(&mut self, line: &str, can: &Abilities) -> Result<(), String> {
        let words: Vec<&str> = line.split(' ').collect();
        let letter = |word: &str| word.chars().next().ok_or("no colour");
        match words[..] {
            ["boardsize", side] => {
                let side = side.parse().map_err(|_| "size")?;
                (self.width, self.height) = (side, side);
                self.clear();
            }
            ["rectangular_boardsize", width, height] if can.rectangular_boardsize => {
                self.width = width.parse().map_err(|_| "size")?;
                self.height = height.parse().map_err(|_| "size")?;
                self.clear();
            }
            ["clear_board"] => self.clear(),
            ["komi", komi] => drop(komi.parse::<f64>().map_err(|_| "komi")?),
            ["kata-set-rules", _] if can.kata_set_rules => {}
            ["play", color, vertex] => self.play(letter(color)?, vertex)?,
            ["undo"] if can.undo => (self.stones, self.ko) = self.past.pop().ok_or("cannot undo")?,
            ["set_free_handicap", ref vertices @ ..] if can.set_free_handicap => {
                if !self.stones.is_empty() || vertices.len() < 2 {
                    return Err("invalid handicap".to_owned());
                }
                vertices.iter().try_for_each(|vertex| self.put('B', vertex))?;
                self.past.clear();
            }
            ["set_position", ref pairs @ ..] if can.set_position => {
                self.clear();
                for pair in pairs.chunks(2) {
                    self.put(letter(pair[0])?, pair[1])?;
                }
            }
            _ => return Err("unknown command".to_owned()),
        }
        Ok(())
    }

    /// Reads the one shape of record that a plan writes: `SZ`, `AB`, `AW` in the root.
    fn load(&mut self, sgf: &str) -> Result<(), String> {
        let value =
            |id: &str| sgf.split_once(&format!("{id}[")).map(|(_, rest)| rest.split(']').collect::<Vec<_>>());
        let size = value("SZ").ok_or("no size")?[0];
        let (width, height) = size.split_once(':').unwrap_or((size, size));
        (self.width, self.height) = (width.parse().map_err(|_| "SZ")?, height.parse().map_err(|_| "SZ")?);
        self.clear();
        for (id, color) in [("AB", 'B'), ("AW", 'W')] {
            for (index, text) in value(id).unwrap_or_default().into_iter().enumerate() {
                let text = match (index, text.strip_prefix('[')) {
                    (0, _) => text,
                    (_, Some(text)) => text,
                    _ => break,
                };
                let [col, row] = text.as_bytes() else { return Err("point".to_owned()) };
                let point = (i32::from(col - b'a'), self.height - i32::from(row - b'a'));
                self.stones.insert(point, color);
            }
        }
        Ok(())
    }

    fn run(&mut self, plan: &Plan, can: &Abilities) {
        for command in &plan.commands {
            let answer = match command {
                Command::Essential(line) | Command::Optional { line, .. } => self.send(line, can),
                Command::LoadSgf(sgf) => self.load(sgf),
            };
            assert_eq!(answer, Ok(()), "{command:?} in {}", show(&Ok(plan.clone())));
        }
    }

    fn assert_holds(&self, board: &Board) {
        let height = i32::from(board.size().height());
        let letter = |color| if color == Color::Black { 'B' } else { 'W' };
        let point = |point: Point| (i32::from(point.col), height - i32::from(point.row));
        let stones: BTreeMap<_, _> = board.stones().map(|(at, color)| (point(at), letter(color))).collect();
        assert_eq!(self.stones, stones);
    }
}

/// An engine and what is believed about it.
#[derive(Clone, Default)]
pub struct Session {
    pub known: Option<Known>,
    engine: Engine,
}

impl Session {
    /// Carries the plan out; no command may be refused, and the engine's own board is the wanted one.
    pub fn follow(&mut self, plan: &Plan, want: &Position, can: &Abilities) {
        self.engine.run(plan, can);
        self.engine.assert_holds(&want.board());
        self.engine.assert_holds(&plan.after.board);
        assert!(plan.after.board.same_stones(&want.board()));
        self.known = Some(plan.after.clone());
    }

    /// The engine makes a move of its own, when it may.
    pub fn genmove(&mut self, play: Move) -> bool {
        let Some(known) = &mut self.known else { return false };
        let color = if play.color == Color::Black { 'B' } else { 'W' };
        let made = self.engine.play(color, &play.vertex.to_gtp(known.size)).is_ok();
        if made {
            known.played(play);
        }
        made
    }

    /// Only for a history without anything to forget: ours and the engine's ko agree.
    fn assert_same_ko(&self) {
        let known = self.known.as_ref().unwrap();
        let name = |(x, y): At| format!("{}{y}", &LETTERS[x as usize..=x as usize]);
        let ours = known.board.ko().map(|point| Vertex::At(point).to_gtp(known.size));
        assert_eq!(self.engine.ko.map(|(point, _)| name(point)), ours);
    }
}

/// What one node adds to its parent.
#[derive(Debug, Clone)]
enum Grow {
    Play(bool, Index),
    Pass(bool),
    Setup(Vec<(u8, Index)>),
}

fn grow() -> impl Generator<Value = Grow> {
    prop_oneof![
        24 => (any::<bool>(), any::<Index>()).prop_map(|(black, at)| Grow::Play(black, at)),
        1 => any::<bool>().prop_map(Grow::Pass),
        2 => prop::collection::vec((0u8..3, any::<Index>()), 0..6).prop_map(Grow::Setup),
    ]
}

fn step(grow: &Grow, size: Size) -> Step {
    let color = |black: bool| if black { Color::Black } else { Color::White };
    let point = |at: &Index| size.point(at.index(size.area()));
    match grow {
        Grow::Play(black, at) => Step::Play(Move { color: color(*black), vertex: Vertex::At(point(at)) }),
        Grow::Pass(black) => Step::Play(Move { color: color(*black), vertex: Vertex::Pass }),
        Grow::Setup(stones) => {
            let stone = |kind: u8| (kind < 2).then(|| color(kind == 0));
            Step::Setup(stones.iter().map(|(kind, at)| (point(at), stone(*kind))).collect())
        }
    }
}

fn abilities() -> impl Generator<Value = Abilities> {
    any::<[bool; 5]>().prop_map(|[undo, set_free_handicap, set_position, loadsgf, kata_set_rules]| {
        Abilities {
            undo,
            set_free_handicap,
            rectangular_boardsize: true,
            set_position,
            loadsgf,
            kata_set_rules,
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// A tree grown by hanging each node on an earlier one, walked at random.
    #[test]
    fn every_plan_reaches_its_board(
        (width, height) in (1u8..=5, 1u8..=5),
        handicap in any::<bool>(),
        tree in prop::collection::vec((any::<Index>(), any::<bool>(), grow()), 1..60),
        walk in prop::collection::vec((any::<Index>(), 0u8..10), 1..20),
        can in abilities(),
        banned in prop::sample::subsequence(vec![Strategy::Extend, Strategy::Replay, Strategy::Rearrange], 0..3),
    ) {
        let size = Size::new(width, height).unwrap();
        let mut lines: Vec<Vec<Step>> = vec![vec![]];
        if handicap {
            let black = |point| (point, Some(Color::Black));
            lines.push(vec![Step::Setup(size.points().step_by(3).map(black).collect())]);
        }
        for (parent, continues, grow) in &tree {
            // Mostly one long line, else a branch anywhere.
            let parent = if *continues { lines.len() - 1 } else { parent.index(lines.len()) };
            let mut line = lines[parent].clone();
            line.push(step(grow, size));
            lines.push(line);
        }
        let mut session = Session::default();
        for (node, mood) in &walk {
            let mut want = Position { steps: node.get(&lines).clone(), ..Position::new(size) };
            want.komi = (*mood > 1).then_some(f64::from(*mood % 3));
            want.rules = (*mood > 4).then(|| "Japanese".to_owned());
            if *mood == 9 {
                session.known = None;
            }
            if *mood == 8 {
                let vertex = Vertex::At(size.point(node.index(size.area())));
                session.genmove(Move { color: want.to_play, vertex });
            }
            match plan(session.known.as_ref(), &want, &can, &banned) {
                Ok(found) => {
                    prop_assert!(!banned.contains(&found.strategy));
                    session.follow(&found, &want, &can);
                    if found.after.in_order {
                        session.assert_same_ko();
                    }
                    if found.strategy == Strategy::Replay {
                        prop_assert!(found.lost.iter().all(|lost| lost.what != "history"));
                    }
                    // Asked again, nothing remains to be done.
                    let again = plan(session.known.as_ref(), &want, &can, &[]).unwrap();
                    prop_assert_eq!(again.strategy, Strategy::None);
                    prop_assert_eq!(again.commands, []);
                    prop_assert_eq!(again.lost, found.lost);
                }
                Err(refusal) => {
                    let dead = !want.board().stones_without_liberties().is_empty();
                    prop_assert!(dead && matches!(refusal, Refusal::InvalidPosition { .. }), "{refusal:?}");
                }
            }
        }
    }

    /// A game without set-up: an engine told its moves in order refuses just those predicted.
    #[test]
    fn every_refusal_is_predicted(
        (width, height) in (1u8..=4, 1u8..=4),
        moves in prop::collection::vec((any::<bool>(), any::<Index>()), 0..80),
    ) {
        let size = Size::new(width, height).unwrap();
        let steps: Vec<Step> = moves.iter().map(|(black, at)| step(&Grow::Play(*black, *at), size)).collect();
        let want = Position { steps, ..Position::new(size) };
        let mut engine = Engine { width: i32::from(width), height: i32::from(height), ..Engine::default() };
        let mut refused = vec![];
        for (index, play) in want.plays().enumerate() {
            if engine.play(play.color.letter().chars().next().unwrap(), &play.vertex.to_gtp(size)).is_err() {
                refused.push((index, play));
            }
        }
        let predicted: Vec<_> = predicted_refusals(&want).into_iter().map(|(step, play, _)| (step, play)).collect();
        prop_assert_eq!(&predicted, &refused);
        let can = Abilities { rectangular_boardsize: true, ..plain() };
        let replayed = plan(None, &want, &can, &[]);
        let is_replay = replayed.is_ok_and(|plan| plan.strategy == Strategy::Replay);
        prop_assert_eq!(is_replay, refused.is_empty());
    }
}

//! Commands in the making, and the board that they give on a strict engine.

use super::{Abilities, Command, Entry, Known, settings};
use crate::go::{Board, Color, Illegal, Move, Point, Position, Step, Vertex};

/// What has been written down so far, and what the engine holds then.
pub(super) struct Draft {
    pub(super) commands: Vec<Command>,
    pub(super) known: Known,
}

impl From<&Known> for Draft {
    fn from(known: &Known) -> Draft {
        Draft { commands: Vec::new(), known: known.clone() }
    }
}

impl Draft {
    /// Size and empty board. What the engine thought of rules before stays.
    pub(super) fn cleared(want: &Position, can: &Abilities, before: Option<&Known>) -> Draft {
        let mut known = Known::empty(want.size);
        if let Some(before) = before {
            known.rules.clone_from(&before.rules);
            known.refused_rules.clone_from(&before.refused_rules);
        }
        let mut draft = Draft { commands: Vec::new(), known };
        draft.essential(settings::size_command(want.size, can));
        draft.essential("clear_board".to_owned());
        draft
    }

    pub(super) fn essential(&mut self, line: String) {
        self.commands.push(Command::Essential(line));
    }

    /// Komi and rules, as far as they differ from what the engine has; all of them when `afresh`.
    pub(super) fn tell_settings(&mut self, want: &Position, can: &Abilities, afresh: bool) {
        let komi = settings::komi_to_tell(want, can);
        if afresh || self.known.komi != Some(komi) {
            self.essential(format!("komi {komi}"));
            self.known.komi = Some(komi);
        }
        let Some(line) = settings::rules_command(want, can) else {
            return;
        };
        let told = !afresh && self.known.rules == want.rules;
        if !told && self.known.refused_rules != want.rules {
            self.commands.push(Command::Optional { line, what: "rules" });
            self.known.rules.clone_from(&want.rules);
        }
    }

    /// Takes back all entries from this one on; they must be plays.
    pub(super) fn undo_to(&mut self, entries: usize) {
        let count = self.known.history.len().saturating_sub(entries);
        if count > 0 {
            self.commands.extend((0..count).map(|_| Command::Essential("undo".to_owned())));
            self.known.take_back_to(entries);
        }
    }

    /// One step, exactly; `false` when a strict engine would refuse it or get another board.
    pub(super) fn tell(&mut self, step: &Step, can: &Abilities) -> bool {
        match step {
            Step::Play(play) => {
                let taken = self.play(*play).is_ok();
                if taken {
                    self.known.history.push(Entry::Play(*play));
                }
                taken
            }
            Step::Setup(stones) => {
                let mut wanted = self.known.board.clone();
                step.execute(&mut wanted);
                let done = self.tell_handicap(stones, &wanted, can)
                    || self.place(stones.iter().map(|(point, _)| *point), &wanted);
                if done {
                    self.fix(vec![step.clone()]);
                }
                done
            }
        }
    }

    /// One step as far as a strict engine takes it; what it refuses. Taking stones away has no
    /// command, so it is passed over. The history is not kept.
    pub(super) fn tell_what_is_taken(&mut self, step: &Step) -> Vec<(Move, Illegal)> {
        let moves = match step {
            Step::Play(play) => vec![*play],
            Step::Setup(stones) => stones
                .iter()
                .filter(|(point, stone)| self.known.board.at(*point) != *stone)
                .filter_map(|(point, stone)| Some(Move { color: (*stone)?, vertex: Vertex::At(*point) }))
                .collect(),
        };
        moves.into_iter().filter_map(|play| Some((play, self.play(play).err()?))).collect()
    }

    /// Plays the stones that these points lack for the wanted board; whether that gives it.
    ///
    /// Any order does when each wanted chain has a liberty: a part of a chain is beside a stone of
    /// its own that is yet to come, so beside an empty point, and the whole chain has its liberty.
    /// Nothing is captured or suicide on the way.
    pub(super) fn place(&mut self, points: impl IntoIterator<Item = Point>, wanted: &Board) -> bool {
        for point in points {
            let (have, want) = (self.known.board.at(point), wanted.at(point));
            let done = match want {
                _ if have == want => true,
                Some(color) => self.play(Move { color, vertex: Vertex::At(point) }).is_ok(),
                None => false,
            };
            if !done {
                return false;
            }
        }
        self.known.board.same_stones(wanted)
    }

    /// `set_position`: the whole board at once, without ko.
    pub(super) fn set_position(&mut self, target: &Board) {
        self.essential(settings::set_position_command(target));
        self.hold(target);
    }

    /// `loadsgf` of a record that consists of this board.
    pub(super) fn load_sgf(&mut self, want: &Position, target: &Board) {
        self.commands.push(Command::LoadSgf(settings::sgf(want, target)));
        self.hold(target);
    }

    /// The engine holds these stones, put by hand.
    fn hold(&mut self, target: &Board) {
        self.known.board = Board::new(target.size());
        for (point, color) in target.stones() {
            self.known.board.set(point, Some(color));
        }
    }

    /// From here on the engine is known to stand where these steps lead, and not to undo them.
    pub(super) fn fix(&mut self, steps: Vec<Step>) {
        self.known.history.push(Entry::Fixed(steps));
        self.known.anchor = self.known.board.clone();
    }

    /// All that the engine holds was brought about at once: a board, and how it came is lost when
    /// there were moves.
    pub(super) fn fix_all(&mut self, want: &Position) {
        self.known.history.clear();
        self.known.in_order = want.move_number() == 0;
        self.fix(want.steps.clone());
    }

    /// `set_free_handicap`, for two or more black stones on an empty board at the start.
    fn tell_handicap(&mut self, stones: &[(Point, Option<Color>)], wanted: &Board, can: &Abilities) -> bool {
        let size = wanted.size();
        let black = stones.iter().all(|(_, stone)| *stone == Some(Color::Black));
        let fresh = self.known.history.is_empty() && self.known.board.is_empty();
        if !can.set_free_handicap || !fresh || !black || wanted.stones().nth(1).is_none() {
            return false;
        }
        let mut line = "set_free_handicap".to_owned();
        let mut open = wanted.clone();
        for (point, _) in stones {
            if open.at(*point).is_some() {
                open.set(*point, None);
                line = line + " " + &Vertex::At(*point).to_gtp(size);
            }
        }
        self.essential(line);
        self.hold(wanted);
        true
    }

    /// One `play`, when a strict engine takes it.
    fn play(&mut self, play: Move) -> Result<(), Illegal> {
        self.known.board.legality(play)?;
        self.known.board.execute(play);
        let vertex = play.vertex.to_gtp(self.known.size);
        self.essential(format!("play {} {vertex}", play.color.letter()));
        Ok(())
    }
}

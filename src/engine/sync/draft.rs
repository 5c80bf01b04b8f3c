//! Commands in the making, and the board that they give on a strict engine.

use super::{Abilities, Command, Entry, Known, arrange, settings};
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
                let done = self.tell_handicap(stones, &wanted, can) || self.place(stones, &wanted);
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

    /// Plays the stones that are missing for the wanted board: in the order listed when that gives
    /// it, else in one that captures nothing. `false` when neither does.
    pub(super) fn place(&mut self, listed: &[(Point, Option<Color>)], wanted: &Board) -> bool {
        let Some(missing) = arrange::missing_stones(&self.known.board, wanted) else {
            return false;
        };
        let mut in_order: Vec<Point> = Vec::with_capacity(missing.len());
        let mut open = missing.clone();
        for (point, _) in listed {
            if open.remove(point) {
                in_order.push(*point);
            }
        }
        let as_listed = open.is_empty().then_some(in_order);
        let growing = || arrange::growing_order(wanted, &missing);
        let works = |order: &Vec<Point>| arrange::gives(&self.known.board, wanted, order);
        let Some(order) = as_listed.filter(works).or_else(|| Some(growing()).filter(works)) else {
            return false;
        };
        for point in order {
            if let Some(color) = wanted.at(point) {
                // Tried just before: it is taken.
                let _ = self.play(Move { color, vertex: Vertex::At(point) });
            }
        }
        true
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
        self.known.board = wanted.clone();
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

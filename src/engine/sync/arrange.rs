//! Boards without their history: only what differs, or all of it.

use std::collections::BTreeSet;

use super::{Abilities, Command, Draft, Form, Plan, Strategy, Task, settings};
use crate::go::{Board, Move, Point, Vertex};

impl Task<'_> {
    /// The missing stones only, added to what the engine has, else to the replay without the moves
    /// that would be refused.
    pub(super) fn rearrange(&self) -> Option<Plan> {
        self.add_to_known()
            .or_else(|| self.without_handicap_command())
            .or_else(|| self.replay_what_is_taken())
    }

    fn add_to_known(&self) -> Option<Plan> {
        let mut draft = Draft::from(self.known?);
        draft.tell_settings(self.want, self.can, false);
        self.complete(draft)
    }

    /// The replay was refused: perhaps for the handicap, whose stones can be played as well.
    fn without_handicap_command(&self) -> Option<Plan> {
        if !self.banned.contains(&Strategy::Replay) || self.banned.contains(&Strategy::Rearrange) {
            return None;
        }
        let plain = Abilities { set_free_handicap: false, ..self.can.clone() };
        let again = Task { banned: &[], ..*self }.replay(&plain)?;
        Some(Plan { strategy: Strategy::Rearrange, ..again })
    }

    fn replay_what_is_taken(&self) -> Option<Plan> {
        let mut draft = Draft::cleared(self.want, self.can, self.known);
        draft.tell_settings(self.want, self.can, true);
        for step in &self.want.steps {
            draft.tell_what_is_taken(step);
        }
        self.complete(draft)
    }

    fn complete(&self, mut draft: Draft) -> Option<Plan> {
        if !draft.place(&[], self.target) {
            return None;
        }
        draft.fix_all(self.want);
        self.finish(Strategy::Rearrange, draft)
    }

    /// The final board, by the best command that the engine has.
    pub(super) fn rebuild(&self) -> Option<Plan> {
        let bare = self.target.is_empty();
        let forms = [
            (Form::SetPosition, self.can.set_position && !bare),
            (Form::LoadSgf, self.can.loadsgf && !bare),
            (Form::Stones, true),
        ];
        forms.into_iter().filter(|(_, usable)| *usable).find_map(|(form, _)| self.rebuild_by(form))
    }

    fn rebuild_by(&self, form: Form) -> Option<Plan> {
        let mut draft = Draft::cleared(self.want, self.can, self.known);
        // A loaded file brings its own komi and perhaps rules, so they are told after it.
        if form != Form::LoadSgf {
            draft.tell_settings(self.want, self.can, true);
        }
        match form {
            Form::Stones => {
                if !draft.place(&[], self.target) {
                    return None;
                }
            }
            Form::SetPosition => draft.essential(settings::set_position_command(self.target)),
            Form::LoadSgf => {
                draft.commands.push(Command::LoadSgf(settings::sgf(self.want, self.target)));
                draft.tell_settings(self.want, self.can, true);
            }
        }
        if form != Form::Stones {
            for (point, color) in self.target.stones() {
                draft.known.board.set(point, Some(color));
            }
        }
        draft.fix_all(self.want);
        self.finish(Strategy::Rebuild(form), draft)
    }
}

/// The points that need a stone; `None` when some stone is in the way.
pub(super) fn missing_stones(board: &Board, wanted: &Board) -> Option<BTreeSet<Point>> {
    let missing =
        |(point, stone): (Point, Option<_>)| (stone.is_some() && board.at(point).is_none()).then_some(point);
    board.diff(wanted).into_iter().map(missing).collect()
}

/// Whether playing these points, in this order, is never refused and ends with the wanted board.
pub(super) fn gives(board: &Board, wanted: &Board, order: &[Point]) -> bool {
    let mut board = board.clone();
    let taken = order.iter().all(|point| {
        wanted.at(*point).is_some_and(|color| {
            let play = Move { color, vertex: Vertex::At(*point) };
            board.legality(play).is_ok() && board.execute(play).illegal.is_none()
        })
    });
    taken && board.same_stones(wanted)
}

/// An order that captures nothing and is never suicide: each chain grows from stones beside a
/// point that stays empty, so whatever part of it stands has that liberty at every moment.
pub(super) fn growing_order(wanted: &Board, missing: &BTreeSet<Point>) -> Vec<Point> {
    let beside_empty = |point: &Point| wanted.neighbours(*point).any(|beside| wanted.at(beside).is_none());
    let mut reached: Vec<Point> = wanted.stones().map(|(point, _)| point).filter(beside_empty).collect();
    let mut seen: BTreeSet<Point> = reached.iter().copied().collect();
    let mut next = 0;
    while let Some(point) = reached.get(next).copied() {
        next += 1;
        for beside in wanted.neighbours(point) {
            if wanted.at(beside) == wanted.at(point) && seen.insert(beside) {
                reached.push(beside);
            }
        }
    }
    reached.extend(missing.iter().filter(|point| !seen.contains(point)));
    reached.retain(|point| missing.contains(point));
    reached
}

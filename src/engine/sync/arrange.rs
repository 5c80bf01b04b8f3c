//! Boards without their history: only what differs, or all of it.

use super::{Abilities, Draft, Form, Plan, Strategy, Task};

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
        if !draft.place(self.want.size.points(), self.target) {
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
                draft.place(self.want.size.points(), self.target);
            }
            Form::SetPosition => draft.set_position(self.target),
            Form::LoadSgf => {
                draft.load_sgf(self.want, self.target);
                draft.tell_settings(self.want, self.can, true);
            }
        }
        draft.fix_all(self.want);
        self.finish(Strategy::Rebuild(form), draft)
    }
}

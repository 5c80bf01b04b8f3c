//! Changes that an editor offers at a place, beyond the fixes of findings.
//!
//! [`offers`] says what there is, [`edits`] works one of them out: a client asks for the second
//! only when the user has chosen.

mod charset;
mod games;
mod insert;
mod points;
mod strip;

pub use charset::state_charset;
pub use games::{append, merge, split, subtree};
pub use insert::insert_line;
pub use points::{compress, expand};
pub use strip::{StripClass, strip, strips};

use crate::go::Vertex;
use crate::sgf::{self, EditError, NodeId, Record, Span, TextEdit};

use super::Locale;
use super::place::place;
use super::stored::analysis;

/// A change, as far as its choice goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Writes the rectangles of a point list as single points. `name` is where the property's
    /// name starts.
    ExpandPoints {
        /// Offset of the property.
        name: u32,
    },
    /// Writes the points of a list as few rectangles.
    CompressPoints {
        /// Offset of the property.
        name: u32,
    },
    /// Makes the line to the node the main one.
    Promote {
        /// The end of the line.
        node: NodeId,
    },
    /// Adds the node and all behind it as a game of its own behind this one.
    SubtreeAsGame {
        /// Its first node.
        node: NodeId,
    },
    /// Adds the engine's stored line as a variation.
    InsertLine {
        /// The node that it starts behind.
        node: NodeId,
        /// Its moves.
        line: Vec<Vertex>,
    },
    /// Takes a class of properties out of one node, or out of a game.
    Strip {
        /// The node; the game's root for the whole game.
        node: NodeId,
        /// What goes.
        class: StripClass,
    },
    /// Writes what servers say in their own way as FF\[4\] has it.
    Normalise,
    /// States UTF-8 as the charset.
    ToUtf8,
}

/// The sorts of changes that LSP knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ActionGroup {
    /// `refactor.rewrite`: the same said otherwise.
    Rewrite,
    /// `refactor.move`: the order of the text changes.
    Move,
    /// `refactor.extract`: something new comes out of what is there.
    Extract,
    /// `source`: something goes.
    Clean,
}

/// A change that is offered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// What a menu says.
    pub title: String,
    /// The sort of change.
    pub group: ActionGroup,
    /// The change.
    pub action: Action,
}

/// What can be done at the start of a range.
pub fn offers(record: &Record, range: Span, locale: Locale) -> Vec<Offer> {
    let mut found = Vec::new();
    let Some(place) = place(record, range.start) else { return found };
    let node = place.node;
    let mut offer = |title: String, group, action| found.push(Offer { title, group, action });
    if let Some(property) = place.property {
        let name = property.ident_span().start;
        if expand(record, property).is_some() {
            let title = locale.pick("Write the points one by one", "展开点列表");
            offer(title.to_owned(), ActionGroup::Rewrite, Action::ExpandPoints { name });
        }
        if compress(record, property).is_some() {
            let title = locale.pick("Write the points as rectangles", "将点列表压缩为矩形");
            offer(title.to_owned(), ActionGroup::Rewrite, Action::CompressPoints { name });
        }
    }
    if record.path_of(node).steps().iter().any(|step| step.child > 0) {
        let title = locale.pick("Make this the main line", "设为主变化");
        offer(title.to_owned(), ActionGroup::Move, Action::Promote { node });
    }
    if record.parent(node).is_some() {
        let title = locale.pick("Copy from here into a game of its own", "将此后内容复制为独立棋局");
        offer(title.to_owned(), ActionGroup::Extract, Action::SubtreeAsGame { node });
    }
    let line = analysis(record, node).map(|found| found.line).unwrap_or_default();
    if insert::missing(record, node, &line).is_some() {
        let title = locale.pick("Add the engine's line as a variation", "将引擎变化加入棋谱");
        offer(title.to_owned(), ActionGroup::Extract, Action::InsertLine { node, line });
    }
    for class in strips(record, node) {
        let what = class.words(locale);
        let is_root = record.parent(node).is_none();
        let title = match (locale, is_root) {
            (Locale::English, true) => format!("Remove {what} from this game"),
            (Locale::English, false) => format!("Remove {what} from this node"),
            (Locale::Chinese, true) => format!("从本局删除{what}"),
            (Locale::Chinese, false) => format!("从本节点删除{what}"),
        };
        offer(title, ActionGroup::Clean, Action::Strip { node, class });
    }
    found
}

/// What can be done with the whole record, wherever the cursor is. Looks at all of it.
pub fn offers_for_all(record: &Record, locale: Locale) -> Vec<Offer> {
    let offer = |english: &str, chinese: &str, action| Offer {
        title: locale.pick(english, chinese).to_owned(),
        group: ActionGroup::Clean,
        action,
    };
    let mut found = Vec::new();
    if !sgf::normalise(record).is_empty() {
        found.push(offer(
            "Write the dialects of servers as FF[4] has them",
            "将服务器方言改写为 FF[4] 的写法",
            Action::Normalise,
        ));
    }
    // Lost characters have to be had again first.
    if !record.text().contains('\u{fffd}') && !state_charset(record, "UTF-8").is_empty() {
        found.push(offer(
            "State UTF-8 as the charset; save the file in it",
            "声明字符集为 UTF-8；请以 UTF-8 保存",
            Action::ToUtf8,
        ));
    }
    found
}

/// The change of the text that an action is.
///
/// # Errors
/// `UnknownNode` for an action of another record; otherwise those of [`crate::sgf`]'s edits.
pub fn edits(record: &Record, action: &Action) -> Result<Vec<TextEdit>, EditError> {
    let property = |name: u32| {
        let found = place(record, name).and_then(|place| place.property);
        found.filter(|property| property.ident_span().start == name).ok_or(EditError::UnknownNode)
    };
    match action {
        Action::ExpandPoints { name } => Ok(expand(record, property(*name)?).unwrap_or_default()),
        Action::CompressPoints { name } => Ok(compress(record, property(*name)?).unwrap_or_default()),
        Action::Promote { node } => sgf::promote(record, *node),
        Action::SubtreeAsGame { node } => games::add_subtree(record, *node),
        Action::InsertLine { node, line } => insert_line(record, *node, line),
        Action::Strip { node, class } => strip(record, *node, &[*class]),
        Action::Normalise => Ok(sgf::normalise(record)),
        Action::ToUtf8 => Ok(state_charset(record, "UTF-8")),
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;

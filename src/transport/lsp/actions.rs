//! Changes that are offered at a place.

use std::sync::Arc;

use serde_json::{Value, json};
use tower_lsp::ls_types::{CodeAction, CodeActionKind, CodeActionOrCommand, WorkspaceEdit};

use super::collections;
use super::diagnostics;
use super::text::{Judged, Text};
use crate::language::Content;
use crate::language::actions::{self, ActionGroup, Offer};
use crate::service::documents::Document;
use crate::sgf::{Record, Span};

/// What an editor asks for.
pub struct Wish {
    /// The place.
    pub range: Span,
    /// The sorts of changes; all when there are none.
    pub only: Option<Vec<CodeActionKind>>,
    /// The change itself is worked out when the user has chosen, not at once.
    pub later: bool,
    /// The editor creates files.
    pub creates: bool,
    /// The other open records.
    pub others: Vec<Arc<Document>>,
}

impl Wish {
    fn wants(&self, kind: &CodeActionKind) -> bool {
        self.only.as_ref().is_none_or(|only| only.iter().any(|asked| is_under(kind, asked)))
    }

    /// Whether what concerns the whole record is wanted: asked for by its sort, or at the root of a game.
    fn is_for_all(&self, record: &Record) -> bool {
        let asked = self.only.as_ref().is_some_and(|only| only.contains(&CodeActionKind::SOURCE));
        let node = record.node_at(self.range.start);
        asked || node.is_some_and(|node| record.parent(node).is_none())
    }
}

/// The number of the first offer for the whole record.
const ALL: usize = 1000;

/// What is offered for a wish.
pub fn offers(text: &Text, content: &Content, judged: &Judged, wish: &Wish) -> Vec<CodeActionOrCommand> {
    let mut found = diagnostics::fixes(text, content, judged, wish.range, |kind| wish.wants(kind));
    if let Content::Sgf(record) = content {
        found.extend(changes(text, record, wish));
    }
    found.into_iter().map(CodeActionOrCommand::from).collect()
}

/// The changes of a record of SGF.
fn changes(text: &Text, record: &Record, wish: &Wish) -> Vec<CodeAction> {
    let mut offers: Vec<(usize, Offer)> =
        actions::offers(record, wish.range, text.locale).into_iter().enumerate().collect();
    let for_all = wish.is_for_all(record);
    if for_all && wish.wants(&CodeActionKind::SOURCE) && !text.document.is_oversized() {
        offers.extend((ALL..).zip(actions::offers_for_all(record, text.locale)));
    }
    let action = |(index, offer): (usize, Offer)| {
        let kind = kind_of(offer.group);
        if !wish.wants(&kind) {
            return None;
        }
        let edit = match wish.later {
            true => None,
            // One that cannot be made is not offered.
            false => Some(text.workspace_edit(actions::edits(record, &offer.action).ok()?)),
        };
        Some(chosen_later(text, wish, json!(index), offer.title, kind, edit))
    };
    let mut found: Vec<CodeAction> = offers.into_iter().filter_map(action).collect();
    if for_all {
        for offer in
            collections::offers(text, record, wish).into_iter().filter(|offer| wish.wants(&offer.kind))
        {
            let edit = if wish.later {
                None
            } else {
                collections::edit(text, record, offer.name, &wish.others).ok()
            };
            if wish.later || edit.is_some() {
                found.push(chosen_later(text, wish, json!(offer.name), offer.title, offer.kind, edit));
            }
        }
    }
    found
}

/// An action that is whole, or says what [`Chosen`] needs.
fn chosen_later(
    text: &Text,
    wish: &Wish,
    index: Value,
    title: String,
    kind: CodeActionKind,
    edit: Option<WorkspaceEdit>,
) -> CodeAction {
    let about = || json!({"uri": text.uri.as_str(), "version": text.document.version, "at": wish.range.start, "index": index});
    let data = edit.is_none().then(about);
    CodeAction { title, kind: Some(kind), edit, data, ..CodeAction::default() }
}

/// What [`resolve`] needs of an action's data: which text, which version of it, where, and which
/// of the offers there.
pub struct Chosen {
    /// The text.
    pub uri: String,
    /// Its version when the action was offered.
    pub version: i32,
    at: u32,
    index: Value,
}

impl Chosen {
    /// Reads the data that [`offers`] wrote.
    pub fn read(data: Option<&Value>) -> Option<Chosen> {
        let data = data?;
        Some(Chosen {
            uri: data.get("uri")?.as_str()?.to_owned(),
            version: data.get("version")?.as_i64()?.try_into().ok()?,
            at: data.get("at")?.as_u64()?.try_into().ok()?,
            index: data.get("index")?.clone(),
        })
    }
}

/// The change behind an offer; the text must be the one it was made for.
pub fn resolve(
    text: &Text,
    record: &Record,
    chosen: &Chosen,
    others: &[Arc<Document>],
    action: CodeAction,
) -> Result<CodeAction, String> {
    if let Some(name) = chosen.index.as_str() {
        let edit = collections::edit(text, record, name, others)?;
        return Ok(CodeAction { edit: Some(edit), ..action });
    }
    let index = chosen.index.as_u64().map_or(usize::MAX, |index| index as usize);
    let offer = match index.checked_sub(ALL) {
        Some(index) => actions::offers_for_all(record, text.locale).into_iter().nth(index),
        None => actions::offers(record, Span::at(chosen.at), text.locale).into_iter().nth(index),
    };
    let offer = offer.ok_or("this action is no longer offered here")?;
    let edits = actions::edits(record, &offer.action).map_err(|error| error.to_string())?;
    Ok(CodeAction { edit: Some(text.workspace_edit(edits)), ..action })
}

fn kind_of(group: ActionGroup) -> CodeActionKind {
    match group {
        ActionGroup::Rewrite => CodeActionKind::REFACTOR_REWRITE,
        ActionGroup::Move => CodeActionKind::from("refactor.move"),
        ActionGroup::Extract => CodeActionKind::REFACTOR_EXTRACT,
        ActionGroup::Clean => CodeActionKind::SOURCE,
    }
}

/// Kinds are words with dots: `refactor` asks for all that begin so.
fn is_under(kind: &CodeActionKind, asked: &CodeActionKind) -> bool {
    let (kind, asked) = (kind.as_str(), asked.as_str());
    asked.is_empty() || kind.strip_prefix(asked).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_a_tree() {
        for (kind, asked, expected) in [
            ("refactor.rewrite", "refactor", true),
            ("refactor.rewrite", "", true),
            ("refactor.rewrite", "refactor.rewrite", true),
            ("refactor", "refactor.rewrite", false),
            ("refactoring", "refactor", false),
        ] {
            assert_eq!(is_under(&kind.into(), &asked.into()), expected, "{kind} {asked}");
        }
    }
}

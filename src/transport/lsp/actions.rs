//! Changes that are offered at a place.

use serde_json::{Value, json};
use tower_lsp::ls_types::{CodeAction, CodeActionKind, CodeActionOrCommand};

use super::diagnostics::{self, Reviewers};
use super::text::Text;
use crate::language::actions::{self, ActionGroup};
use crate::sgf::{Record, Span};

/// What is offered at a range, of the sorts that the editor asks for. The change itself is worked
/// out at once, or, with `later`, when the user has chosen.
pub fn offers(
    text: &Text,
    record: &Record,
    reviewers: &Reviewers,
    range: Span,
    only: Option<&[CodeActionKind]>,
    later: bool,
) -> Vec<CodeActionOrCommand> {
    let offers = actions::offers(record, range, text.locale).into_iter().enumerate();
    let wanted =
        |kind: &CodeActionKind| only.is_none_or(|only| only.iter().any(|asked| is_under(kind, asked)));
    let action = |(index, offer): (usize, actions::Offer)| {
        let kind = kind_of(offer.group);
        if !wanted(&kind) {
            return None;
        }
        let edit = match later {
            true => None,
            // One that cannot be made is not offered.
            false => Some(text.workspace_edit(actions::edits(record, &offer.action).ok()?)),
        };
        let data = later.then(|| {
            json!({"uri": text.uri.as_str(), "version": text.document.version, "at": range.start, "index": index})
        });
        Some(CodeAction { title: offer.title, kind: Some(kind), edit, data, ..CodeAction::default() }.into())
    };
    let fixes = diagnostics::fixes(text, record, reviewers, range, wanted).into_iter();
    let fixes = fixes.map(CodeActionOrCommand::from);
    fixes.chain(offers.filter_map(action)).collect()
}

/// What [`resolve`] needs of an action's data: which text, which version of it, where, and which
/// of the offers there.
pub struct Chosen {
    /// The text.
    pub uri: String,
    /// Its version when the action was offered.
    pub version: i32,
    at: u32,
    index: usize,
}

impl Chosen {
    /// Reads the data that [`offers`] wrote.
    pub fn read(data: Option<&Value>) -> Option<Chosen> {
        let data = data?;
        Some(Chosen {
            uri: data.get("uri")?.as_str()?.to_owned(),
            version: data.get("version")?.as_i64()?.try_into().ok()?,
            at: data.get("at")?.as_u64()?.try_into().ok()?,
            index: data.get("index")?.as_u64()?.try_into().ok()?,
        })
    }
}

/// The change behind an offer; the text must be the one it was made for.
pub fn resolve(
    text: &Text,
    record: &Record,
    chosen: &Chosen,
    action: CodeAction,
) -> Result<CodeAction, String> {
    let offer = actions::offers(record, Span::at(chosen.at), text.locale).into_iter().nth(chosen.index);
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

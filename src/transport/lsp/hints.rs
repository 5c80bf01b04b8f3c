//! What stands beside the text: inlay hints and code lenses.

use serde_json::json;
use tower_lsp::ls_types::{CodeLens, Command, InlayHint, InlayHintKind, InlayHintLabel, InlayHintTooltip};

use super::text::Text;
use crate::language::{self, HintKind};
use crate::service::positions;
use crate::sgf::{Record, Span};

/// Move numbers, win rates and losses in a range.
pub fn inlay(text: &Text, record: &Record, range: Span) -> Vec<InlayHint> {
    let hint = |hint: language::Hint| InlayHint {
        position: text.position(hint.offset),
        label: InlayHintLabel::String(hint.label),
        kind: (hint.kind == HintKind::Number).then_some(InlayHintKind::PARAMETER),
        text_edits: None,
        tooltip: (!hint.tooltip.is_empty()).then_some(InlayHintTooltip::String(hint.tooltip)),
        padding_left: Some(hint.kind == HintKind::Winrate),
        padding_right: Some(hint.kind == HintKind::Number),
        data: None,
    };
    language::hints(record, range, text.locale).into_iter().map(hint).collect()
}

/// What can be done at games and branches, of the commands that the editor knows. Each has one
/// argument `{uri, version, node, children?}`, with nodes as everywhere in kifud's protocol.
pub fn lenses(text: &Text, record: &Record, commands: &[String]) -> Vec<CodeLens> {
    let lens = |lens: language::Lens| {
        let name = lens.command.name();
        commands.iter().any(|known| known == name).then(|| {
            let mut about = json!({
                "uri": text.uri.as_str(),
                "version": text.document.version,
                "node": positions::address(record, lens.node),
            });
            if !lens.children.is_empty() {
                about["children"] =
                    lens.children.iter().map(|node| json!(positions::address(record, *node))).collect();
            }
            let command =
                Command { title: lens.title, command: name.to_owned(), arguments: Some(vec![about]) };
            CodeLens { range: text.range(lens.span), command: Some(command), data: None }
        })
    };
    language::lenses(record, text.locale).into_iter().filter_map(lens).collect()
}

//! What can be typed at a place.

use tower_lsp::ls_types::{
    CompletionItem, CompletionItemKind, CompletionList, CompletionResponse, CompletionTextEdit,
    InsertTextFormat, TextEdit,
};

use super::text::Text;
use crate::language::{self, Item, ItemKind};
use crate::sgf::Record;

/// The items at an offset. With `snippets` an item says where the cursor goes.
pub fn completion(text: &Text, record: &Record, offset: u32, snippets: bool) -> CompletionResponse {
    let items = language::completion(record, offset, text.locale);
    let items =
        items.into_iter().enumerate().map(|(index, item)| convert(text, index, item, snippets)).collect();
    CompletionList { is_incomplete: false, items }.into()
}

fn convert(text: &Text, index: usize, item: Item, snippets: bool) -> CompletionItem {
    let kind = match item.kind {
        ItemKind::Property => CompletionItemKind::PROPERTY,
        ItemKind::Point => CompletionItemKind::VALUE,
        ItemKind::Value => CompletionItemKind::ENUM_MEMBER,
        ItemKind::Record => CompletionItemKind::SNIPPET,
    };
    let inside = item.caret < item.edit.new_text.len();
    let is_snippet = snippets && inside;
    let new_text = if is_snippet { snippet(&item.edit.new_text, item.caret) } else { item.edit.new_text };
    CompletionItem {
        kind: Some(kind),
        detail: (!item.detail.is_empty()).then_some(item.detail),
        filter_text: item.filter,
        sort_text: Some(format!("{:03}{index:05}", item.rank)),
        insert_text_format: is_snippet.then_some(InsertTextFormat::SNIPPET),
        text_edit: Some(CompletionTextEdit::Edit(TextEdit { range: text.range(item.edit.span), new_text })),
        label: item.label,
        ..CompletionItem::default()
    }
}

/// LSP's snippet syntax: `$0` where the cursor goes, `$`, `}` and `\` escaped.
fn snippet(new_text: &str, caret: usize) -> String {
    let escape = |part: &str| part.replace('\\', "\\\\").replace('$', "\\$").replace('}', "\\}");
    match new_text.split_at_checked(caret) {
        Some((before, behind)) => format!("{}$0{}", escape(before), escape(behind)),
        None => escape(new_text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn snippets_are_escaped() {
        assert_eq!(snippet("C[a$}\\]", 2), r"C[$0a\$\}\\]");
        assert_eq!(snippet("棋", 1), "棋");
    }
}

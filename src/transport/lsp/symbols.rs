//! The outline of a text, and names in all open texts.

use tower_lsp::ls_types::{DocumentSymbol, DocumentSymbolResponse, SymbolInformation, SymbolKind};

use super::text::Text;
use crate::language::{self, Content, Entry, EntryKind};

/// The outline: a tree where the editor can show one, else a list.
pub fn outline(text: &Text, content: &Content, nested: bool) -> DocumentSymbolResponse {
    let entries = content.outline(text.locale);
    if nested {
        return DocumentSymbolResponse::Nested(entries.into_iter().map(|entry| tree(text, entry)).collect());
    }
    let mut flat = Vec::new();
    entries.into_iter().for_each(|entry| list(text, entry, None, &mut flat));
    DocumentSymbolResponse::Flat(flat)
}

fn kind(kind: EntryKind) -> SymbolKind {
    match kind {
        EntryKind::Game => SymbolKind::MODULE,
        EntryKind::Variation => SymbolKind::NAMESPACE,
        EntryKind::NamedNode => SymbolKind::FIELD,
    }
}

/// Entries are nested [`language::MAX_NESTING`] deep at most.
#[expect(deprecated, reason = "LSP's own type still has the old field")]
fn tree(text: &Text, entry: Entry) -> DocumentSymbol {
    let children: Vec<_> = entry.children.into_iter().map(|child| tree(text, child)).collect();
    DocumentSymbol {
        name: entry.name,
        detail: (!entry.detail.is_empty()).then_some(entry.detail),
        kind: kind(entry.kind),
        tags: None,
        deprecated: None,
        range: text.range(entry.span),
        selection_range: text.range(entry.selection),
        children: (!children.is_empty()).then_some(children),
    }
}

fn list(text: &Text, entry: Entry, container: Option<&str>, flat: &mut Vec<SymbolInformation>) {
    flat.push(information(text, entry.name.clone(), kind(entry.kind), entry.span, container));
    for child in entry.children {
        list(text, child, Some(&entry.name), flat);
    }
}

#[expect(deprecated, reason = "LSP's own type still has the old field")]
fn information(
    text: &Text,
    name: String,
    kind: SymbolKind,
    span: crate::text::Span,
    container: Option<&str>,
) -> SymbolInformation {
    let container_name = container.filter(|name| !name.is_empty()).map(str::to_owned);
    SymbolInformation {
        name,
        kind,
        tags: None,
        deprecated: None,
        location: text.location(span),
        container_name,
    }
}

/// The names of a text that hold the letters of the query in their order, whatever their case.
pub fn names(text: &Text, content: &Content, query: &str) -> Vec<SymbolInformation> {
    let kind = |kind| match kind {
        language::SymbolKind::Player => SymbolKind::CLASS,
        language::SymbolKind::Team => SymbolKind::STRUCT,
        language::SymbolKind::Event => SymbolKind::EVENT,
        language::SymbolKind::Game => SymbolKind::MODULE,
    };
    let found = content.symbols(text.locale).into_iter().filter(|symbol| fits(&symbol.name, query));
    found
        .map(|symbol| information(text, symbol.name, kind(symbol.kind), symbol.span, Some(&symbol.container)))
        .collect()
}

fn fits(name: &str, query: &str) -> bool {
    let mut letters = name.chars().flat_map(char::to_lowercase);
    query
        .chars()
        .filter(|letter| !letter.is_whitespace())
        .flat_map(char::to_lowercase)
        .all(|wanted| letters.any(|l| l == wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_fits_by_its_letters() {
        for (name, query, expected) in [
            ("Honinbo Shusaku", "", true),
            ("Honinbo Shusaku", "hosa", true),
            ("Honinbo Shusaku", "ho sa", true),
            ("Honinbo Shusaku", "sh ho", false),
            ("吴清源", "吴源", true),
            ("吴清源", "源吴", false),
        ] {
            assert_eq!(fits(name, query), expected, "{name} {query}");
        }
    }
}

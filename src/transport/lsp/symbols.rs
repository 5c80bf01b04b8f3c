//! The outline of a text, and names in all open texts and in the files of the workspace.

use tower_lsp::ls_types::{
    DocumentSymbol, DocumentSymbolResponse, Location, SymbolInformation, SymbolKind, Uri,
};

use super::text::{Text, to_lsp};
use crate::language::{self, Content, Entry, EntryKind};
use crate::service::library::Shelved;

/// The most names of a workspace that are answered; with more letters there are fewer.
pub const MAX_NAMES: usize = 1000;

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
    flat.push(information(entry.name.clone(), kind(entry.kind), text.location(entry.span), container));
    for child in entry.children {
        list(text, child, Some(&entry.name), flat);
    }
}

#[expect(deprecated, reason = "LSP's own type still has the old field")]
fn information(
    name: String,
    kind: SymbolKind,
    location: Location,
    container: Option<&str>,
) -> SymbolInformation {
    let container_name = container.filter(|name| !name.is_empty()).map(str::to_owned);
    SymbolInformation { name, kind, tags: None, deprecated: None, location, container_name }
}

fn name_kind(kind: language::SymbolKind) -> SymbolKind {
    match kind {
        language::SymbolKind::Player => SymbolKind::CLASS,
        language::SymbolKind::Team => SymbolKind::STRUCT,
        language::SymbolKind::Event => SymbolKind::EVENT,
        language::SymbolKind::Game => SymbolKind::MODULE,
    }
}

/// The names of a text that hold the letters of the query in their order, whatever their case.
pub fn names(text: &Text, content: &Content, query: &str) -> Vec<SymbolInformation> {
    let found = content.symbols(text.locale).into_iter().filter(|symbol| fits(&symbol.name, query));
    found
        .map(|symbol| {
            let location = text.location(symbol.span);
            information(symbol.name, name_kind(symbol.kind), location, Some(&symbol.container))
        })
        .collect()
}

/// The same for a file; none of one that no URI can name.
pub fn names_in_file<'a>(file: &'a Shelved, query: &'a str) -> impl Iterator<Item = SymbolInformation> + 'a {
    let uri = file.path.to_str().and_then(Uri::from_file_path);
    let found = file.names.iter().filter(|name| fits(&name.name, query));
    found.filter_map(move |name| {
        let location = Location { uri: uri.clone()?, range: to_lsp(name.range) };
        Some(information(name.name.clone(), name_kind(name.kind), location, Some(&name.container)))
    })
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

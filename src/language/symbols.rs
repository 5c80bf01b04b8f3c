//! Names in a document: players, teams, events, games.

use crate::sgf::{Record, Span, value};

use super::Locale;
use super::outline::game_title;
use super::words::shorten;

/// What a name names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SymbolKind {
    /// A player (`PB`, `PW`).
    Player,
    /// A team (`BT`, `WT`).
    Team,
    /// An event (`EV`).
    Event,
    /// A game (`GN`).
    Game,
}

/// A name and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// What it names.
    pub kind: SymbolKind,
    /// The name; never empty.
    pub name: String,
    /// The players of the game that it stands in.
    pub container: String,
    /// The value without its brackets.
    pub span: Span,
}

/// The most names that are listed.
pub const MAX_SYMBOLS: usize = 10_000;

/// Characters of a name that are shown.
const NAME: usize = 100;

/// All names in the roots of a document's games, in the order of the text.
pub fn symbols(record: &Record, locale: Locale) -> Vec<Symbol> {
    let mut found = Vec::new();
    for (index, game) in record.games().enumerate() {
        let mut title: Option<String> = None;
        for property in record.properties(game.root) {
            let kind = match property.ident().as_ref() {
                "PB" | "PW" => SymbolKind::Player,
                "BT" | "WT" => SymbolKind::Team,
                "EV" => SymbolKind::Event,
                "GN" => SymbolKind::Game,
                _ => continue,
            };
            let Some(value) = property.values().next() else { continue };
            let name = shorten(&value::simple_text(value.raw()), NAME, false);
            if name.is_empty() {
                continue;
            }
            let container = title.get_or_insert_with(|| game_title(record, index, locale)).clone();
            found.push(Symbol { kind, name, container, span: value.raw_span() });
            if found.len() >= MAX_SYMBOLS {
                return found;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_roots() {
        let record = Record::parse("(;PB[Cho\\] U]PW[]EV[ Honinbo\n]PB[];PB[x])(;GN[second]BT[T])");
        let shown: Vec<String> = symbols(&record, Locale::English)
            .iter()
            .map(|symbol| format!("{:?} {} in {}", symbol.kind, symbol.name, symbol.container))
            .collect();
        assert_eq!(
            shown,
            [
                "Player Cho] U in Cho] U – ?",
                "Event Honinbo in Cho] U – ?",
                "Game second in second",
                "Team T in second",
            ]
        );
    }
}

//! What can be done at a place, shown above it.

use crate::sgf::{GameKind, NodeId, Record, Span};

use super::Locale;
use super::outline::first_property;

/// What a lens does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LensCommand {
    /// Analyses the game that the node belongs to.
    AnalyzeGame,
    /// Starts a game at the node.
    PlayFromHere,
    /// Shows the variations behind the node.
    ShowVariations,
}

impl LensCommand {
    /// The command's name for clients.
    pub fn name(self) -> &'static str {
        match self {
            LensCommand::AnalyzeGame => "kifud.analyzeGame",
            LensCommand::PlayFromHere => "kifud.playFromHere",
            LensCommand::ShowVariations => "kifud.showVariations",
        }
    }
}

/// A line above a place of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lens {
    /// The place.
    pub span: Span,
    /// What is shown.
    pub title: String,
    /// What it does.
    pub command: LensCommand,
    /// To which node.
    pub node: NodeId,
    /// The first nodes of the variations, for `ShowVariations`.
    pub children: Vec<NodeId>,
}

/// The most lenses of a document.
pub const MAX_LENSES: usize = 2000;

/// The lenses of a document, by place: at each game of Go, and where variations start.
pub fn lenses(record: &Record, locale: Locale) -> Vec<Lens> {
    let mut found = Vec::new();
    for (index, game) in record.games().enumerate() {
        if record.kind(game.root) == GameKind::Go {
            let lens = |title: &str, command| Lens {
                span: first_property(record, game.root),
                title: title.to_owned(),
                command,
                node: game.root,
                children: Vec::new(),
            };
            found.push(lens(locale.pick("Analyse game", "分析此局"), LensCommand::AnalyzeGame));
            found.push(lens(locale.pick("Play from here", "从此处对弈"), LensCommand::PlayFromHere));
        }
        for node in record.nodes(index) {
            if found.len() >= MAX_LENSES {
                return found;
            }
            found.extend(variations(record, node, locale));
        }
    }
    found
}

fn variations(record: &Record, node: NodeId, locale: Locale) -> Option<Lens> {
    record.children(node).nth(1)?;
    let children: Vec<NodeId> = record.children(node).take(MAX_CHILDREN).collect();
    let count = record.children(node).count();
    let title = match locale {
        Locale::English => format!("{count} variations"),
        Locale::Chinese => format!("{count} 个变化"),
    };
    let span = first_property(record, node);
    Some(Lens { span, title, command: LensCommand::ShowVariations, node, children })
}

/// Variations of one node that are listed.
const MAX_CHILDREN: usize = 100;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_and_branches() {
        let text = "(;SZ[9](;B[aa])(;B[bb](;W[cc])(;W[dd])(;W[ee])))(;GM[2])";
        let shown: Vec<String> = lenses(&Record::parse(text), Locale::Chinese)
            .iter()
            .map(|lens| format!("{} {} {:?}", lens.span.slice(text), lens.title, lens.children.len()))
            .collect();
        assert_eq!(shown, ["SZ[9] 分析此局 0", "SZ[9] 从此处对弈 0", "SZ[9] 2 个变化 2", "B[bb] 3 个变化 3"]);
    }
}

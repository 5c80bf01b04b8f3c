//! Properties taken out of a record, by class.

use crate::sgf::{EditError, NodeId, Record, TextEdit, apply_edits};

use crate::language::Locale;

/// The classes of properties that Sabaki's "Clean Markup" knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum StripClass {
    /// `MA`
    Crosses,
    /// `TR`
    Triangles,
    /// `SQ`
    Squares,
    /// `CR`
    Circles,
    /// `LN`
    Lines,
    /// `AR`
    Arrows,
    /// `LB`
    Labels,
    /// `C`, `N`
    Comments,
    /// `BM`, `DO`, `IT`, `TE`, `DM`, `GB`, `GW`, `UC`
    Annotations,
    /// `HO`
    Hotspots,
    /// `SBKV`, `SBKS`, `KFCA` and the values that other programs store.
    Analysis,
}

use StripClass::*;

impl StripClass {
    /// All classes.
    pub const ALL: [StripClass; 11] = [
        Crosses,
        Triangles,
        Squares,
        Circles,
        Lines,
        Arrows,
        Labels,
        Comments,
        Annotations,
        Hotspots,
        Analysis,
    ];

    /// The class of a property.
    pub fn of(ident: &str) -> Option<StripClass> {
        Some(match ident {
            "MA" => Crosses,
            "TR" => Triangles,
            "SQ" => Squares,
            "CR" => Circles,
            "LN" => Lines,
            "AR" => Arrows,
            "LB" => Labels,
            "C" | "N" => Comments,
            "BM" | "DO" | "IT" | "TE" | "DM" | "GB" | "GW" | "UC" => Annotations,
            "HO" => Hotspots,
            "SBKV" | "SBKS" | "KFCA" | "LZ" | "LZOP" | "LZ2" | "LZOP2" | "BWWR" | "ES" | "PLYO" | "KT" => {
                Analysis
            }
            _ => return None,
        })
    }

    /// What it is called.
    pub fn words(self, locale: Locale) -> &'static str {
        let (english, chinese) = match self {
            Crosses => ("crosses", "叉号"),
            Triangles => ("triangles", "三角"),
            Squares => ("squares", "方块"),
            Circles => ("circles", "圆圈"),
            Lines => ("lines", "线段"),
            Arrows => ("arrows", "箭头"),
            Labels => ("labels", "标签"),
            Comments => ("comments", "注释"),
            Annotations => ("annotations", "评价"),
            Hotspots => ("hotspots", "热点"),
            Analysis => ("stored analysis", "已存分析"),
        };
        locale.pick(english, chinese)
    }
}

/// The nodes that a choice of a node means: a root stands for its whole game.
fn scope(record: &Record, node: NodeId) -> impl Iterator<Item = NodeId> + use<> {
    let game = record.node(node).game;
    let all = record.game(game).filter(|game| game.root == node);
    let (from, to) = all.map_or((node.0, node.0 + 1), |game| (game.root.0, game.end.0));
    (from..to).map(NodeId)
}

/// The classes of which there is something in a node; at a root, in its game.
pub fn strips(record: &Record, node: NodeId) -> Vec<StripClass> {
    let mut present = [false; StripClass::ALL.len()];
    for node in scope(record, node) {
        for class in record.properties(node).filter_map(|property| StripClass::of(&property.ident())) {
            present[class as usize] = true;
        }
    }
    StripClass::ALL.into_iter().filter(|class| present[*class as usize]).collect()
}

/// Takes all properties of some classes out of a node; at a root, out of its game. Nodes stay,
/// even empty ones.
///
/// # Errors
/// `UnclosedValue` when one of the values is never closed; `BrokenTree` where the text around is
/// so broken that it would come to mean something else.
pub fn strip(record: &Record, node: NodeId, classes: &[StripClass]) -> Result<Vec<TextEdit>, EditError> {
    let goes = |ident: &str| StripClass::of(ident).is_some_and(|class| classes.contains(&class));
    let mut edits = Vec::new();
    for node in scope(record, node) {
        let start = record.node(node).span.start;
        for property in record.properties(node).filter(|property| goes(&property.ident())) {
            if property.values().any(|value| !value.is_closed()) {
                return Err(EditError::UnclosedValue);
            }
            // A node without `;` starts with its first property, and would vanish with it.
            let new = if property.span().start == start { ";" } else { "" };
            edits.push(TextEdit::replace(property.span(), new));
        }
    }
    if edits.is_empty() || record.findings().is_empty() {
        return Ok(edits);
    }
    let after = Record::parse(apply_edits(record.text(), &edits));
    let from = scope(record, node).next().map_or(0, |first| first.0);
    let to = scope(record, node).last().map_or(0, |last| last.0 + 1);
    let same = |id: u32| {
        let id = NodeId(id);
        let stays = |ident: &str| !(from..to).contains(&id.0) || !goes(ident);
        let kept = record.properties(id).filter(|property| stays(&property.ident()));
        let kept = kept.map(|property| property.span().slice(record.text()));
        record.parent(id) == after.parent(id)
            && kept.eq(after.properties(id).map(|property| property.span().slice(after.text())))
    };
    let holds = record.node_count() == after.node_count() && (0..record.node_count() as u32).all(same);
    if holds { Ok(edits) } else { Err(EditError::BrokenTree) }
}

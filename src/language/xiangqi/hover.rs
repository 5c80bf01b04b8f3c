//! What is shown for a move, a comment or a tag.

use super::super::words::{markdown, quote, shorten};
use super::super::{Diagram, Hover, Locale};
use super::svg::Scene;
use crate::text::Span;
use crate::xiangqi::notation::{chinese, wxf};
use crate::xiangqi::record::{Game, Games, Node, NodeId, Tag};
use crate::xiangqi::status::{Status, StatusOptions, status};
use crate::xiangqi::{Move, Position, Side, ascii};

/// What is shown at an offset; nothing between moves.
pub fn hover(games: &Games, offset: u32, locale: Locale) -> Option<Hover> {
    let game = games.at(offset)?;
    let own = offset - game.start;
    if let Some(tag) = game.record.tags().iter().find(|tag| !tag.span.is_empty() && touches(tag.span, own)) {
        return Some(of_tag(&game, tag, locale));
    }
    let id = game.record.node_at(own)?;
    let node = game.record.node(id)?;
    let mut spans = std::iter::once(&node.span).chain(&node.comment_spans);
    let span = game.span(*spans.find(|span| !span.is_empty() && touches(**span, own))?);
    let (about, scene) = of_node(&game, id, locale)?;
    Some(Hover { span, markdown: about.join("\n\n"), diagram: Some(Diagram::Xiangqi(scene)) })
}

fn touches(span: Span, at: u32) -> bool {
    span.touches(Span::at(at))
}

fn of_tag(game: &Game<'_>, tag: &Tag, locale: Locale) -> Hover {
    let mut about =
        vec![format!("**{}**: {}", markdown(&tag.name), markdown(&shorten(&tag.value, 400, false)))];
    let start = game.record.start().filter(|_| tag.name.eq_ignore_ascii_case("FEN"));
    about.extend(start.map(|start| board(start, locale)));
    let scene = start.map(|start| Scene { position: start.clone(), last: None });
    Hover { span: game.span(tag.span), markdown: about.join("\n\n"), diagram: scene.map(Diagram::Xiangqi) }
}

/// Move, board, state, comment.
fn of_node(game: &Game<'_>, id: NodeId, locale: Locale) -> Option<(Vec<String>, Scene)> {
    let node = game.record.node(id)?;
    let (before, position) = match node.played {
        None => (None, game.record.start()?.clone()),
        Some(played) => {
            let before = game.record.position(game.record.parent(id)?)?;
            let after = before.after(played);
            (Some((before, played)), after)
        }
    };
    let mut about = vec![match &before {
        Some((before, played)) => headline(before, *played, node, locale),
        None => format!("**{}**", locale.pick("Start of the game", "开局")),
    }];
    about.push(board(&position, locale));
    about.push(state(&position, locale));
    about.extend(quote(&node.comment));
    Some((about, Scene { position, last: node.played }))
}

/// `**Move 3: Red 马二进三** (h0g2, H2+3), takes 炮`.
fn headline(before: &Position, played: Move, node: &Node, locale: Locale) -> String {
    let (zh, other) = (chinese(before, played), wxf(before, played));
    let (side, number) = (before.turn(), node.ply);
    let mut line = match locale {
        Locale::English => format!("**Move {number}: {} {zh}** ({played}, {other})", named(side, locale)),
        Locale::Chinese => format!("**第 {number} 着：{} {zh}**（{played}，{other}）", named(side, locale)),
    };
    line.extend(node.nags.iter().filter_map(|glyph| glyph_text(*glyph)).map(|sign| format!(" {sign}")));
    if let Some(taken) = before.piece_at(played.to) {
        let taken = match locale {
            Locale::English => format!(", takes the {} ({})", taken.kind.name(), taken.name_zh()),
            Locale::Chinese => format!("，吃{}", taken.name_zh()),
        };
        line.push_str(&taken);
    }
    line
}

/// A side in the reader's language.
pub(super) fn named(side: Side, locale: Locale) -> &'static str {
    match side {
        Side::Red => locale.pick("Red", "红方"),
        Side::Black => locale.pick("Black", "黑方"),
    }
}

fn glyph_text(glyph: u8) -> Option<&'static str> {
    ["\\!", "?", "\\!\\!", "??", "\\!?", "?\\!"].get(usize::from(glyph).checked_sub(1)?).copied()
}

fn board(position: &Position, locale: Locale) -> String {
    format!(
        "```text\n{}```\n{}",
        ascii::render(position.board()),
        locale.pick("Capitals: Red; small letters: Black", "大写为红方，小写为黑方",)
    )
}

/// Whose turn it is, check, mate.
fn state(position: &Position, locale: Locale) -> String {
    let turn = match locale {
        Locale::English => format!("{} to play", named(position.turn(), locale)),
        Locale::Chinese => format!("轮到{}", named(position.turn(), locale)),
    };
    let Status { reason, .. } = status(position, None, &StatusOptions::default());
    let over = reason.state().is_over();
    match (over, position.is_check()) {
        (true, true) => locale.pick("Checkmate", "将死").to_owned(),
        (true, false) => locale.pick("Stalemate", "困毙").to_owned(),
        (false, true) => format!("{turn} · {}", locale.pick("in check", "被将军")),
        (false, false) => turn,
    }
}

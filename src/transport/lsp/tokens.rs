//! Semantic tokens, counted from one to the next as LSP wants them.

use tower_lsp::ls_types::{
    SemanticToken, SemanticTokenModifier, SemanticTokenType, SemanticTokens, SemanticTokensLegend,
};

use super::text::Text;
use crate::go::Color;
use crate::language::{self, Token, TokenKind};
use crate::sgf::{Record, Span};

/// Standard types, so that every theme has colours for them.
const TYPES: [SemanticTokenType; 10] = [
    SemanticTokenType::PROPERTY,
    SemanticTokenType::VARIABLE,
    SemanticTokenType::FUNCTION,
    SemanticTokenType::PARAMETER,
    SemanticTokenType::DECORATOR,
    SemanticTokenType::STRING,
    SemanticTokenType::REGEXP,
    SemanticTokenType::NUMBER,
    SemanticTokenType::KEYWORD,
    SemanticTokenType::COMMENT,
];

/// Black's are `static`: two of a kind are told apart even where a theme knows nothing of Go.
const MODIFIERS: [SemanticTokenModifier; 4] = [
    SemanticTokenModifier::DEPRECATED,
    SemanticTokenModifier::STATIC,
    SemanticTokenModifier::new("black"),
    SemanticTokenModifier::new("white"),
];

/// What the numbers in the answers mean.
pub fn legend() -> SemanticTokensLegend {
    SemanticTokensLegend { token_types: TYPES.to_vec(), token_modifiers: MODIFIERS.to_vec() }
}

/// The tokens that touch a range.
pub fn tokens(text: &Text, record: &Record, range: Span) -> SemanticTokens {
    let mut last = Default::default();
    // So many that an editor would choke on them; it may ask for a range.
    let all = range.len() == record.text().len();
    if all && text.document.is_oversized() {
        return SemanticTokens::default();
    }
    let found = language::tokens(record, range);
    let data = found.iter().map(|token| relative(text, token, &mut last)).collect();
    SemanticTokens { result_id: None, data }
}

fn relative(text: &Text, token: &Token, last: &mut tower_lsp::ls_types::Position) -> SemanticToken {
    let at = text.position(token.span.start);
    let delta_line = at.line - last.line;
    let delta_start = if delta_line == 0 { at.character - last.character } else { at.character };
    *last = at;
    SemanticToken {
        delta_line,
        delta_start,
        length: text.width(token.span),
        token_type: type_of(token.kind),
        token_modifiers_bitset: modifiers(token),
    }
}

fn type_of(kind: TokenKind) -> u32 {
    match kind {
        TokenKind::Property => 0,
        TokenKind::UnknownProperty => 1,
        TokenKind::Move => 2,
        TokenKind::Setup => 3,
        TokenKind::Markup => 4,
        TokenKind::Text => 5,
        TokenKind::Escape => 6,
        TokenKind::Number => 7,
        TokenKind::Keyword => 8,
        TokenKind::Stray | TokenKind::Outside => 9,
    }
}

fn modifiers(token: &Token) -> u32 {
    let color = match token.color {
        Some(Color::Black) => 0b0110,
        Some(Color::White) => 0b1000,
        None => 0,
    };
    color | u32::from(token.old_spelling)
}

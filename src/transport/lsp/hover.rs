//! What is shown for a place of the text.

use tower_lsp::ls_types::{Hover, HoverContents, MarkupContent, MarkupKind};

use super::abilities::Abilities;
use super::text::Text;
use crate::language::{self, Content};

/// Text, board and stored analysis at an offset.
pub fn hover(text: &Text, content: &Content, offset: u32, abilities: &Abilities) -> Option<Hover> {
    let found = content.hover(offset, text.locale)?;
    let mut value = found.markdown;
    if let Some(diagram) = found.diagram.filter(|_| abilities.images && abilities.markdown) {
        value.push_str("\n\n![board](data:image/svg+xml,");
        percent_encode(&diagram.svg(), &mut value);
        value.push(')');
    }
    let contents = match abilities.markdown {
        true => MarkupContent { kind: MarkupKind::Markdown, value },
        false => MarkupContent { kind: MarkupKind::PlainText, value: language::plain(&value) },
    };
    let contents = HoverContents::Markup(contents);
    Some(Hover { contents, range: Some(text.range(found.span)) })
}

/// Everything but letters, digits and a few safe signs is escaped.
fn percent_encode(text: &str, into: &mut String) {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~/:=,;".contains(&byte) {
            into.push(char::from(byte));
        } else {
            let digit = |value: u8| char::from(HEX[usize::from(value & 15)]);
            into.extend(['%', digit(byte >> 4), digit(byte)]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_one_word() {
        let mut encoded = String::new();
        percent_encode("<svg a=\"#0 棋\"/>", &mut encoded);
        assert_eq!(encoded, "%3Csvg%20a=%22%230%20%E6%A3%8B%22/%3E");
    }
}

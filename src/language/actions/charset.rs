//! The charset that a record states.

use crate::sgf::{NewValue, Record, TextEdit, set_property};

/// States a charset in each game: where another one is named, and in the first game of a text that has more than
/// ASCII and names none.
pub fn state_charset(record: &Record, charset: &str) -> Vec<TextEdit> {
    let is_stated = |label: &str| {
        label.eq_ignore_ascii_case(charset) || (charset == "UTF-8" && label.eq_ignore_ascii_case("utf8"))
    };
    let mut edits = Vec::new();
    for (index, game) in record.games().enumerate() {
        let stated = record.property(game.root, "CA").and_then(|ca| ca.values().next());
        match stated {
            Some(value) if value.is_closed() && !is_stated(value.raw().trim()) => {
                edits.push(TextEdit::replace(value.raw_span(), charset));
            }
            None if index == 0 && !record.text().is_ascii() => {
                let new = set_property(record, game.root, "CA", &[NewValue::text(charset)]);
                edits.extend(new.unwrap_or_default());
            }
            _ => {}
        }
    }
    edits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sgf::apply_edits;

    #[test]
    fn what_is_stated() {
        for (text, expected) in [
            (
                "(;CA[gb2312]C[围];B[aa])(;CA[UTF-8])(;CA[Big5])",
                "(;CA[UTF-8]C[围];B[aa])(;CA[UTF-8])(;CA[UTF-8])",
            ),
            ("(;GM[1]C[围];B[aa])", "(;GM[1]C[围]CA[UTF-8];B[aa])"),
            ("(;GM[1]C[x];B[aa])", "(;GM[1]C[x];B[aa])"),
            ("(;CA[utf8]C[围])", "(;CA[utf8]C[围])"),
            ("(;CA[", "(;CA["),
        ] {
            assert_eq!(apply_edits(text, &state_charset(&Record::parse(text), "UTF-8")), expected, "{text}");
        }
    }
}

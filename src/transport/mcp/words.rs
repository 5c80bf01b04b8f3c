//! Answers and refusals in words, within limits.

use std::fmt::Write;

use serde_json::Value;

use super::tool::Tool;
use crate::service::error::{Audience, Error, Kind};

/// Half tokens that a character costs at most, about: two ASCII characters make one, any other is one or
/// less.
fn cost(letter: char) -> usize {
    if letter.is_ascii() { 1 } else { 2 }
}

/// A text of at most about so many tokens. What is longer is cut behind a line, and says so.
pub fn bounded(text: &str, tokens: usize, narrower: &str) -> String {
    let mut left = tokens.saturating_mul(2);
    let mut letters = text.char_indices();
    let cut = letters.find_map(|(at, letter)| match left.checked_sub(cost(letter)) {
        Some(rest) => {
            left = rest;
            None
        }
        None => Some(at),
    });
    let Some(cut) = cut else { return text.to_owned() };
    let (start, _) = text.split_at(cut);
    let start = start.rfind('\n').map_or(start, |end| &start[..=end]);
    let rest = text[start.len()..].chars().count();
    let gap = if start.ends_with('\n') { "" } else { "\n" };
    let hint = if narrower.is_empty() { String::new() } else { format!("; {narrower}") };
    format!("{start}{gap}[cut here: {rest} more characters are not shown{hint}]\n")
}

/// Why something was not done, and what to do instead.
pub fn refusal(error: &Error, tool: &Tool) -> String {
    let error = &*error.told_to(Audience::STRANGER);
    let mut said = format!("Refused: {}.", error.message.trim_end_matches('.'));
    let data = |name: &str| error.data.get(name).and_then(Value::as_str).unwrap_or_default();
    if !data("reasonZh").is_empty() {
        let _ = write!(said, " ({})", data("reasonZh"));
    }
    for candidate in error.data.get("candidates").and_then(Value::as_array).into_iter().flatten() {
        let text = |name: &str| candidate[name].as_str().unwrap_or_default();
        let _ = write!(said, "\n  {} {}", text("iccs"), text("zh"));
    }
    let advice = match error.kind {
        Kind::InvalidParams => format!("{} takes {}.", tool.shown.name, tool.arguments()),
        Kind::IllegalMove if tool.shown.name.starts_with("xiangqi_") => {
            "The position is as before. xiangqi_describe lists the legal moves.".to_owned()
        }
        Kind::AmbiguousMove => "Give one of these, in the form h2e2.".to_owned(),
        Kind::InvalidPosition => "Give another FEN, or none for the start of a game.".to_owned(),
        Kind::EngineNotFound | Kind::EngineStartFailed => {
            "list_engines tells which engines there are; `builtin` always is.".to_owned()
        }
        Kind::Internal => "This is a fault of kifud; other tools still work.".to_owned(),
        _ => String::new(),
    };
    if !advice.is_empty() {
        let _ = write!(said, "\n{advice}");
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_answers_are_cut_behind_a_line_and_say_so() {
        assert_eq!(bounded("short\n", 3, ""), "short\n");
        // Two ASCII characters or one Chinese one make a token.
        assert_eq!(bounded("ab\ncd\nef\n", 3, ""), "ab\ncd\n[cut here: 3 more characters are not shown]\n");
        assert_eq!(
            bounded("炮二\n马八\n", 3, "ask less"),
            "炮二\n[cut here: 3 more characters are not shown; ask less]\n"
        );
        assert_eq!(bounded("炮二平五", 2, ""), "炮二\n[cut here: 2 more characters are not shown]\n");
    }
}

//! Text of a record made fit to be shown.

use crate::sgf::value;

/// The first characters of a text value.
pub(super) fn first_words(raw: &str, count: usize) -> String {
    value::text(head(raw, count)).chars().take(count).collect()
}

/// The first characters of a text value in one line, with `…` when there are more.
pub(super) fn summary(raw: &str, count: usize) -> String {
    let head = head(raw, count);
    shorten(&value::text(head), count, head.len() < raw.len())
}

/// The first characters of a text in one line, with `…` when there are more.
pub(super) fn shorten(text: &str, count: usize, more: bool) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let shown: String = line.chars().take(count).collect();
    if !more && shown.len() == line.len() { shown } else { format!("{}…", shown.trim_end()) }
}

/// As much of a value as its first characters need: escaped ones are two, and space may be left out.
fn head(raw: &str, count: usize) -> &str {
    let end = raw.char_indices().nth(count.saturating_mul(4)).map_or(raw.len(), |(at, _)| at);
    raw.get(..end).unwrap_or(raw)
}

/// Text that Markdown shows as it is.
pub(super) fn markdown(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '~' | '&' | '!' => {
                shown.extend(['\\', letter]);
            }
            letter if letter.is_control() => shown.push(' '),
            letter => shown.push(letter),
        }
    }
    shown
}

/// Lines of a comment that are quoted.
const QUOTED_LINES: usize = 6;

/// Characters of a comment that are quoted.
pub(super) const QUOTED: usize = 400;

/// The first lines of a comment as a quotation in Markdown; nothing for an empty one.
pub(super) fn quote(comment: &str) -> Option<String> {
    let mut rest = QUOTED;
    let mut lines = Vec::new();
    for line in comment.lines().filter(|line| !line.trim().is_empty()).take(QUOTED_LINES) {
        let shown: String = line.chars().take(rest).collect();
        rest -= shown.chars().count();
        lines.push(format!("> {}", markdown(&shown)));
        if rest == 0 {
            break;
        }
    }
    (!lines.is_empty()).then(|| lines.join("  \n"))
}

/// Our own Markdown without its signs, for who shows plain text: bold type, fences, breaks and what
/// `markdown` escapes.
pub fn plain(markdown: &str) -> String {
    let mut shown = String::with_capacity(markdown.len());
    let mut fenced = false;
    for line in markdown.lines() {
        if line.starts_with("```") {
            fenced = !fenced;
        } else {
            match fenced {
                true => shown.push_str(line),
                false => unescape(line.trim_end(), &mut shown),
            }
            shown.push('\n');
        }
    }
    shown.pop();
    shown
}

fn unescape(line: &str, shown: &mut String) {
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => shown.extend(letters.next()),
            '*' if letters.next_if_eq(&'*').is_some() => {}
            _ => shown.push(letter),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn texts_are_cut_between_characters() {
        assert_eq!(summary("a\\]b  c\nd", 20), "a]b c d");
        assert_eq!(summary("棋棋棋棋", 3), "棋棋棋…");
        assert_eq!(shorten(" a  b ", 5, false), "a b");
        assert_eq!(markdown("*a* [x](y)\u{7}<b>"), "\\*a\\* \\[x\\](y) \\<b\\>");
    }

    #[test]
    fn plain_text_has_no_signs_of_markdown() {
        let board = "**Move 1: Black A1**, takes 1 stone\n\n```text\n X(X)\\*\n```\n\n> \\*a\\*  \n> b";
        assert_eq!(plain(board), "Move 1: Black A1, takes 1 stone\n\n X(X)\\*\n\n> *a*\n> b");
    }

    proptest! {
        #[test]
        fn what_was_escaped_is_itself_again(text in "[ -~棋]{0,40}") {
            prop_assert_eq!(plain(&markdown(&text)), text.trim_end());
        }

        #[test]
        fn any_text_is_cut(text in any::<String>(), count in 0usize..20) {
            prop_assert!(summary(&text, count).chars().count() <= count + 1);
            prop_assert!(first_words(&text, count).chars().count() <= count);
        }
    }
}

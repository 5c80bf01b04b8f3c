//! Addresses and file names in the texts of a record.

use crate::sgf::props::ValueType;
use crate::sgf::{Record, Span, value};

use super::place::{span_of, type_of};

/// Where a link leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkTarget {
    /// An address with its scheme, `http` or `https`.
    Url(String),
    /// A file with a record, by a path relative to the document.
    File(String),
}

/// A link in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The text that is the link.
    pub span: Span,
    /// Where it leads.
    pub target: LinkTarget,
}

/// The most links of a document.
pub const MAX_LINKS: usize = 5000;

const SCHEMES: [&str; 2] = ["https://", "http://"];
const RECORDS: [&str; 5] = [".sgf", ".gib", ".ngf", ".ugf", ".ugi"];

/// The longest link, in bytes.
const LONGEST: usize = 2000;

/// The links in the text values of a document, in order.
pub fn links(record: &Record) -> Vec<Link> {
    let mut found = Vec::new();
    for game in 0..record.games().len() {
        for node in record.nodes(game) {
            for property in record.properties(node) {
                let has_text = matches!(
                    type_of(&property),
                    None | Some(ValueType::Text | ValueType::SimpleText | ValueType::Other)
                );
                if !has_text {
                    continue;
                }
                for value in property.values() {
                    in_text(record, value.raw(), &mut found);
                    if found.len() >= MAX_LINKS {
                        return found;
                    }
                }
            }
        }
    }
    found
}

fn in_text(record: &Record, raw: &str, found: &mut Vec<Link>) {
    // Nearly no text has a link.
    let bytes = raw.as_bytes();
    if !memchr::memchr_iter(b'.', bytes).any(|at| has_extension(raw, at))
        && memchr::memmem::find(bytes, b"://").is_none()
    {
        return;
    }
    for word in raw.split(|letter: char| letter.is_whitespace() || is_around(letter)) {
        if found.len() >= MAX_LINKS {
            return;
        }
        let word = word.trim_end_matches(['.', ',', ':', ';', '!', '?', '\\']);
        if word.len() <= LONGEST {
            found.extend(link(record, word));
        }
    }
}

/// What stands around links and is no part of them.
fn is_around(letter: char) -> bool {
    matches!(
        letter,
        '"' | '\''
            | '<'
            | '>'
            | '('
            | ')'
            | '['
            | ']'
            | '{'
            | '}'
            | '（'
            | '）'
            | '“'
            | '”'
            | '，'
            | '。'
            | '；'
            | '、'
    )
}

fn has_extension(text: &str, at: usize) -> bool {
    let end = text.get(at..at + 4);
    end.is_some_and(|end| RECORDS.iter().any(|known| known.eq_ignore_ascii_case(end)))
}

fn link(record: &Record, word: &str) -> Option<Link> {
    let start = SCHEMES.iter().filter_map(|scheme| word.find(scheme)).min();
    if let Some(start) = start {
        let address = word.get(start..)?;
        let host = address.split_once("://")?.1;
        let good = host.starts_with(|letter: char| letter.is_alphanumeric());
        let target = LinkTarget::Url(value::simple_text(address).into_owned());
        return good.then(|| Link { span: span_of(record, address), target });
    }
    let at = word.len().checked_sub(4)?;
    let name = value::simple_text(word);
    let is_relative =
        !name.starts_with(['/', '\\']) && !name.contains(':') && !name.split('/').any(|part| part == "..");
    (at > 0 && has_extension(word, at) && is_relative)
        .then(|| Link { span: span_of(record, word), target: LinkTarget::File(name.into_owned()) })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn links_by_hand() {
        let text = "(;C[See https://example.org/a_(b)?x=1, and (http\\://go.example/棋 ).]SO[see http://x.example.]\
                    ;C[like games/other.sgf or ../up.sgf, c:\\\\x.sgf, .sgf, x.SGF!]B[aa];C[http:// ftp://x.example])";
        let record = Record::parse(text);
        let shown: Vec<_> =
            links(&record).into_iter().map(|link| (link.span.slice(text), link.target)).collect();
        let url = |text: &str| LinkTarget::Url(text.to_owned());
        let file = |text: &str| LinkTarget::File(text.to_owned());
        assert_eq!(
            shown,
            [
                ("https://example.org/a_", url("https://example.org/a_")),
                ("http://x.example", url("http://x.example")),
                ("games/other.sgf", file("games/other.sgf")),
                ("x.SGF", file("x.SGF")),
            ]
        );
    }

    proptest! {
        #[test]
        fn any_text_is_searched(text in "(https?://|\\.sgf|[a-z]|棋|\\\\|\\]| |\n|/|\\.){0,60}") {
            let text = format!("(;C[{text}])");
            for link in links(&Record::parse(text.as_str())) {
                prop_assert!(text.get(link.span.range()).is_some());
            }
        }
    }
}

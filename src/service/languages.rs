//! The languages of documents: which one a text is in.

use crate::formats::{Format, detect_text};
use crate::language::Content;
use crate::xiangqi::record::Form;

/// What a text of a file holds: xiangqi where text or name say so, else SGF.
pub fn content_of(name: &str, text: &str) -> Content {
    match form_of(&language_of("", name, text)) {
        Some(form) => Content::xiangqi(text, form, None),
        None => Content::sgf(text),
    }
}

/// The language of SGF.
pub(super) const SGF: &str = "sgf";

/// The languages of xiangqi.
const XIANGQI: [(&str, Form); 2] = [("xiangqi-pgn", Form::Pgn), ("dhtmlxq", Form::DhtmlXq)];

/// How a language writes xiangqi; `None` for any other.
pub(super) fn form_of(language: &str) -> Option<Form> {
    XIANGQI.iter().find(|(name, _)| *name == language).map(|(_, form)| *form)
}

/// The language by its id, whatever its case; where the id says nothing, by the text, and where that
/// says nothing either by the file's name. `pgn` is chess's as well.
pub(super) fn language_of(id: &str, uri: &str, text: &str) -> String {
    let id = id.to_ascii_lowercase();
    if !matches!(id.as_str(), "" | "plaintext" | "pgn") {
        return id;
    }
    let name = uri.rsplit('/').next().filter(|name| !name.is_empty() && id != "pgn");
    match detect_text(text, name).format {
        Some(Format::Pgn) => "xiangqi-pgn".to_owned(),
        Some(Format::DhtmlXq) => "dhtmlxq".to_owned(),
        _ if id == "pgn" => id,
        _ => SGF.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages() {
        let chess = "[Event \"?\"]\n\n1. e4 e5 2. Nf3 Nc6 *";
        for (id, uri, text, language) in [
            ("SGF", "", "", "sgf"),
            ("", "file:///x/a.PGN", "", "xiangqi-pgn"),
            ("", "file:///x/a.sgf", "1. 炮二平五 马8进7 2. 马二进三 车9平8", "xiangqi-pgn"),
            ("", "file:///x/a.pgn", "(;B[aa])", "sgf"),
            ("PlainText", "a", "", "sgf"),
            ("", "untitled:1", "[DhtmlXQ]\n[DhtmlXQ_title]x[/DhtmlXQ_title]", "dhtmlxq"),
            ("pgn", "a.pgn", "[Game \"Chinese Chess\"]\n*", "xiangqi-pgn"),
            ("pgn", "a.pgn", chess, "pgn"),
            ("", "a.pgn", chess, "xiangqi-pgn"),
            ("xiangqi-pgn", "", chess, "xiangqi-pgn"),
            ("Go", "", "", "go"),
        ] {
            assert_eq!(language_of(id, uri, text), language, "{id} {uri}");
        }
    }
}

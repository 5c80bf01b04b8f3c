//! What a property means, in words.

use crate::sgf::props::{KnownProperty, Place, lookup};

use super::Locale;
use super::words::markdown;

/// Where a property may stand.
pub(super) fn home(ident: &str) -> Option<Place> {
    lookup(ident).map(|known| known.place)
}

/// Meaning, type, place and origin in one line.
pub(super) fn line(known: &KnownProperty, locale: Locale) -> String {
    let mut line = known.meaning(locale).to_owned();
    for words in [known.values.words(), known.place.words()] {
        line.extend([" · ", words.get(locale)]);
    }
    if !known.by.is_empty() {
        line.extend([" · ", known.by]);
    }
    line
}

/// The same for a pointer: Markdown, with the versions of the format that lack it.
pub(super) fn paragraphs(ident: &str, locale: Locale) -> Option<String> {
    let known = lookup(ident)?;
    let (values, place) = (known.values.words(), known.place.words());
    let mut text = format!("**{ident}** — {}", markdown(known.meaning(locale)));
    text.push_str(&format!("\n\n{} · {}", markdown(values.get(locale)), place.get(locale)));
    if !known.by.is_empty() {
        text.push_str(&format!(" · {} {}", locale.pick("added by", "来自"), markdown(known.by)));
    } else if known.is_dropped() {
        text.push_str(
            locale
                .pick(" · no longer in FF[4]", " · FF[4] 已取消")
                .replace('[', "\\[")
                .replace(']', "\\]")
                .as_str(),
        );
    }
    Some(text)
}

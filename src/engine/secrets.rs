//! Passwords and tokens, and how they are kept out of what is shown.

use std::borrow::Cow;
use std::ops::Range;

/// What stands where a secret was.
pub(crate) const STARS: &str = "***";

/// Replaces every secret by `***` in what the engine says. Very short ones would turn all text into stars.
pub(crate) fn mask(text: &str, secrets: &[String]) -> String {
    let mut masked = text.to_owned();
    for secret in secrets.iter().filter(|secret| secret.len() > 3) {
        if masked.contains(secret.as_str()) {
            masked = masked.replace(secret.as_str(), STARS);
        }
    }
    masked
}

/// Replaces what a text itself calls a secret: `password=…`, `token: …`, `--secret …`, `key=…`, `Bearer …`
/// and the password in `scheme://user:…@host`.
pub(crate) fn mask_named(text: &str) -> Cow<'_, str> {
    let spans = named(text);
    if spans.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut masked = String::with_capacity(text.len());
    let mut done = 0;
    for span in spans {
        masked.push_str(text.get(done..span.start).unwrap_or_default());
        masked.push_str(STARS);
        done = span.end;
    }
    masked.push_str(text.get(done..).unwrap_or_default());
    Cow::Owned(masked)
}

/// Names after which a password follows: `-pw`, `--password`, `API_TOKEN`, `sshpass`'s `-p` is not among them.
pub(crate) fn is_secret_name(name: &str) -> bool {
    let words = ["password", "passwd", "passphrase", "token", "secret", "apikey", "api-key", "api_key"];
    let name = name.trim_start_matches('-');
    name.eq_ignore_ascii_case("pw") || words.iter().any(|word| ends_with(name, word))
}

/// Names that hold a secret when `=` follows, but are common words elsewhere.
pub(crate) fn is_key_name(name: &str) -> bool {
    let name = name.trim_start_matches('-');
    name.eq_ignore_ascii_case("key") || ends_with(name, "-key") || ends_with(name, "_key")
}

fn ends_with(name: &str, word: &str) -> bool {
    let start = name.len().checked_sub(word.len());
    start.and_then(|start| name.get(start..)).is_some_and(|end| end.eq_ignore_ascii_case(word))
}

/// Whether a text has anything that can stand before a secret. Most lines of engines have not.
fn may_name(text: &[u8]) -> bool {
    memchr::memchr3(b'=', b':', b'-', text).is_some()
        || memchr::memchr2_iter(b'b', b'B', text)
            .any(|at| text.get(at..at + 6).is_some_and(|word| word.eq_ignore_ascii_case(b"bearer")))
}

/// The places of the secrets that a text names, in order, none within another.
pub(crate) fn named(text: &str) -> Vec<Range<usize>> {
    let mut spans: Vec<Range<usize>> = Vec::new();
    if !may_name(text.as_bytes()) {
        return spans;
    }
    let mut add = |span: Range<usize>| {
        if !span.is_empty() && spans.last().is_none_or(|last| last.end <= span.start) {
            spans.push(span);
        }
    };
    // Where a flag that wants a value has ended.
    let mut flag = false;
    for word in words(text) {
        let said = text.get(word.clone()).unwrap_or_default();
        if std::mem::take(&mut flag) && !said.starts_with('-') {
            add(inside_quotes(text, word.start));
            continue;
        }
        match named_value(said) {
            Some(at) if at < said.len() => add(inside_quotes(text, word.start + at)),
            // `token: x`: the value is the next word.
            Some(_) => flag = true,
            None => {
                flag = said.starts_with('-') && is_secret_name(said) || said.eq_ignore_ascii_case("bearer");
            }
        }
        if let Some(password) = url_password(said) {
            add(word.start + password.start..word.start + password.end);
        }
    }
    spans
}

/// Where the value begins after the first `name=` or `name:` of a word that names a secret.
fn named_value(word: &str) -> Option<usize> {
    let mut name = 0..0;
    for (at, c) in word.char_indices() {
        if c.is_ascii_alphanumeric() || c == '-' || c == '_' {
            let start = if name.end == at { name.start } else { at };
            name = start..at + 1;
            continue;
        }
        // A quote may stand between: `"api_key": "x"`.
        let said = if at <= name.end + 1 { word.get(name.clone()).unwrap_or_default() } else { "" };
        if matches!(c, '=' | ':') && is_secret_name(said) || c == '=' && is_key_name(said) {
            return Some(at + 1);
        }
    }
    None
}

/// Stretches between blanks, commas, semicolons, ampersands and question marks.
fn words(text: &str) -> impl Iterator<Item = Range<usize>> {
    let ends = |c: char| c.is_whitespace() || ",;&?".contains(c);
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.get(at..)?;
        let start = at + rest.find(|c| !ends(c))?;
        let rest = text.get(start..)?;
        at = start + rest.find(ends).unwrap_or(rest.len());
        Some(start..at)
    })
}

/// A value: up to the closing quote when it begins with one, else to the end of the word.
fn inside_quotes(text: &str, start: usize) -> Range<usize> {
    let rest = text.get(start..).unwrap_or_default();
    let quote = rest.chars().next().filter(|c| "\"'".contains(*c));
    match quote {
        Some(quote) => {
            let body = rest.get(1..).unwrap_or_default();
            start + 1..start + 1 + body.find(quote).unwrap_or(body.len())
        }
        None => {
            let end = |c: char| c.is_whitespace() || ",;&\"'".contains(c);
            start..start + rest.find(end).unwrap_or(rest.len())
        }
    }
}

/// The place of `secret` in `scheme://user:secret@host`.
fn url_password(text: &str) -> Option<Range<usize>> {
    let login = text.find("://")? + 3;
    let end = login + text.get(login..)?.find('@')?;
    let start = login + text.get(login..end)?.find(':')? + 1;
    text.get(start..end).filter(|secret| !secret.contains('/')).map(|_| start..end)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_a_text_calls_a_secret_is_hidden() {
        let cases = [
            ("katago gtp -model a.bin.gz", "katago gtp -model a.bin.gz"),
            ("ssh host PASSWORD=hunter2 katago gtp", "ssh host PASSWORD=*** katago gtp"),
            ("sh -c 'API_TOKEN=\"a b\" run'", "sh -c 'API_TOKEN=\"***\" run'"),
            ("a=1,token=xyz,b=2", "a=1,token=***,b=2"),
            ("https://x.org/?key=abc&user=me", "https://x.org/?key=***&user=me"),
            ("{\"api_key\": \"abc\", \"n\": 1}", "{\"api_key\": \"***\", \"n\": 1}"),
            ("plink -pw hunter2 host", "plink -pw *** host"),
            ("run --password --verbose", "run --password --verbose"),
            ("Authorization: Bearer abc.def", "Authorization: Bearer ***"),
            ("me@host's password: ", "me@host's password: "),
            ("password: hunter2", "password: ***"),
            ("unknown key: maxVisits", "unknown key: maxVisits"),
            ("monkey=banana", "monkey=banana"),
            ("ssh://me:pass@host/x", "ssh://me:***@host/x"),
            ("时间 密码 token=秘密 的", "时间 密码 token=*** 的"),
            ("token= x", "token= ***"),
            ("a:b:token=x", "a:b:token=***"),
            ("info move D4 visits 5 pv D4 E5", "info move D4 visits 5 pv D4 E5"),
        ];
        for (text, expected) in cases {
            assert_eq!(mask_named(text), expected);
        }
    }

    proptest! {
        #[test]
        fn any_text_is_taken(text in "[-a-z=:'\", \u{e9}]{0,40}|(token|key|-pw|bearer|://|@|[=: ,'\"]|é|x){0,12}") {
            let masked = mask_named(&text);
            prop_assert!(masked.len() <= text.len() + 3 * text.len());
        }
    }
}

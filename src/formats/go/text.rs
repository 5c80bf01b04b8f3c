//! Bytes as text, and pieces of lines.

use encoding_rs::{EUC_JP, EUC_KR, Encoding, GBK, SHIFT_JIS, UTF_8};

use crate::sgf::encoding::decode;

/// The text of a file and its charset. A charset that the file names counts if the bytes fit it, else
/// the bytes decide as they do for SGF.
pub(super) fn text(file: &[u8], named: Option<&str>) -> (String, &'static str) {
    let named = named.and_then(charset).filter(|_| !file.is_ascii() && std::str::from_utf8(file).is_err());
    if let Some(charset) = named
        && let Some(text) = charset.decode_without_bom_handling_and_without_replacement(file)
    {
        return (text.into_owned(), charset.name());
    }
    let decoded = decode(file, None);
    let charset = decoded.charset();
    (decoded.text, charset)
}

/// The names that UGF uses.
fn charset(name: &str) -> Option<&'static Encoding> {
    Some(match name.trim().to_ascii_uppercase().as_str() {
        "SJIS" => SHIFT_JIS,
        "EUC" | "EUCJ" => EUC_JP,
        "UTF8" | "UTF-8" => UTF_8,
        "GB" | "GB2312" => GBK,
        "KSC" | "EUCK" => EUC_KR,
        _ => return None,
    })
}

/// The whole number that a text begins with, as programs read numbers of fields.
pub(super) fn leading_number(text: &str) -> Option<i64> {
    let text = text.trim_start();
    let digits = text.trim_start_matches(['+', '-']);
    let length = digits.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(digits.len());
    let sign = text.len() - digits.len();
    text.get(..sign + length).filter(|_| sign < 2)?.parse().ok()
}

/// A number with at most two digits behind the point and no zeros at its end; `None` if it is none.
pub(super) fn real(text: &str) -> Option<String> {
    let number: f64 =
        text.trim().parse().ok().filter(|number: &f64| number.is_finite() && number.abs() < 1e6)?;
    crate::sgf::value::two_decimals(number)
}

/// The text between `start` and the first `end` behind it.
pub(super) fn between<'a>(text: &'a str, start: &str, end: char) -> Option<&'a str> {
    let rest = &text[text.find(start)? + start.len()..];
    rest.split_once(end).map(|(inside, _)| inside)
}

//! Any bytes as a file: untouched it is written back byte for byte, an edit touches no other byte, and
//! the text as a whole goes back into its charset.
//!
//! `cargo fuzz run -s none decode`. The first byte chooses the user's charset and the edit's place.
#![no_main]

use encoding_rs::Encoding;
use kifud::sgf::encoding::{SpliceError, decode, splice};
use kifud::sgf::{Span, TextEdit};
use libfuzzer_sys::fuzz_target;

const SETTINGS: [Option<&str>; 8] = [
    None,
    Some("gb18030"),
    Some("shift_jis"),
    Some("euc-kr"),
    Some("big5"),
    Some("iso-2022-jp"),
    Some("windows-1251"),
    Some("utf-16le"),
];

fuzz_target!(|data: &[u8]| {
    let Some((choice, file)) = data.split_first() else { return };
    let decoded = decode(file, SETTINGS[usize::from(choice & 7)]);
    let text = &decoded.text;
    assert_eq!(splice(file, &decoded, &[]).as_deref(), Ok(file));

    let at = usize::from(choice >> 3) * text.len() / 31;
    let edit = TextEdit::insert(at as u32, "B[aa]");
    match splice(file, &decoded, &[edit]) {
        Err(SpliceError::Misplaced { offset }) => assert_eq!(offset, at),
        Err(error) => panic!("{error} in {}", decoded.charset()),
        Ok(longer) => {
            let front = longer.iter().zip(file).take_while(|(one, other)| one == other).count();
            let back = longer.iter().rev().zip(file.iter().rev()).take_while(|(one, other)| one == other);
            assert!(front + back.count() >= file.len(), "{file:?} {longer:?}");
        }
    }

    let whole = TextEdit::replace(Span::new(0, text.len() as u32), text.as_str());
    let charset = Encoding::for_label(decoded.charset().as_bytes()).expect("a charset of the standard");
    let is_unicode = matches!(decoded.charset(), "UTF-8" | "UTF-16LE" | "UTF-16BE");
    match splice(file, &decoded, &[whole]) {
        // A few characters of other charsets can be read, and are written otherwise or not at all.
        Ok(written) if is_unicode => assert!(written == file || decoded.is_lossy(), "{text:?}"),
        Ok(written) if decoded.charset() != "ISO-2022-JP" => {
            assert_eq!(charset.decode_without_bom_handling(&written).0, *text);
        }
        Ok(_) => {}
        Err(SpliceError::Unencodable { .. }) => assert!(!is_unicode, "{text:?}"),
        Err(error) => panic!("{error}"),
    }
});

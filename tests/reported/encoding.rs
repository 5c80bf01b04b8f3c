//! Reports about charsets.

use encoding_rs::{BIG5, EUC_JP, EUC_KR, Encoding, GB18030, SHIFT_JIS, UTF_8, WINDOWS_1251, WINDOWS_1258};
use kifud::sgf::encoding::{Note, Source, decode, splice};
use kifud::sgf::{CheckOptions, Code, NodeId, Origin, Record, apply_edits, check_with};
use kifud::xiangqi::record::binary::xqf;
use serde_json::json;

use crate::support;
use crate::{Editor, found_in_file};

fn encoded(text: &str, encoding: &'static Encoding) -> Vec<u8> {
    let (bytes, _, lossy) = encoding.encode(text);
    assert!(!lossy, "{} has {text}", encoding.name());
    bytes.into_owned()
}

fn codes(bytes: &[u8]) -> Vec<Code> {
    found_in_file(bytes).0.iter().map(|finding| finding.code).collect()
}

#[test]
pub fn e01_short_files_without_a_charset() {
    // Shift_JIS has 0x5C as the second byte of 表 and 能, right before the bracket.
    let cases: [(&str, &'static Encoding); 9] = [
        ("(;GM[1]PB[棋士甲]EV[名人戦];B[pd])", SHIFT_JIS),
        ("(;GM[1]PB[表]PW[能]EV[予選の碁];B[pd])", SHIFT_JIS),
        ("(;PB[井山裕太]PW[一力遼])", SHIFT_JIS),
        ("(;PB[이세돌]PW[박정환];B[pd])", EUC_KR),
        ("(;GM[1]PB[신진서];B[pd];W[dp])", EUC_KR),
        ("(;GM[1]PB[柯洁]PW[古力];B[pd])", GB18030),
        ("(;PB[李昌镐]PW[常昊])", GB18030),
        ("(;GM[1]PB[周俊勳]PW[王元均];B[pd])", BIG5),
        ("(;PB[Партия в го];B[pd])", WINDOWS_1251),
    ];
    for (text, encoding) in cases {
        let decoded = decode(&encoded(text, encoding), None);
        assert_eq!((decoded.text.as_str(), decoded.source), (text, Source::Detected), "{}", encoding.name());
    }
    // First CA, then UTF-8, at last Latin-1.
    let declared = encoded("(;CA[EUC-JP]PB[棋士甲])", EUC_JP);
    assert_eq!(decode(&declared, None).source, Source::Declared);
    assert_eq!(decode("(;PB[棋士甲])".as_bytes(), None).source, Source::Utf8);
    let latin = decode(b"(;PB[\xe9])", None);
    assert_eq!(latin.text, "(;PB[é])");
}

#[test]
pub fn e03_the_charset_contradicts_the_bytes() {
    let bytes = "(;CA[GB2312]PB[棋士甲]EV[名人戦])".as_bytes();
    let (findings, decoded) = found_in_file(bytes);
    assert_eq!(codes(bytes), [Code::CharsetContradiction]);
    assert_eq!(findings[0].message.en, "CA says GB2312, but the file is UTF-8");
    assert!(decoded.text.contains("棋士甲"));
    // A pair of charsets that cannot be taken for each other: never silently.
    let sample = "围棋是两个人下的游戏，黑棋先行，白棋后行，最后数子。";
    for (label, used, encoding) in
        [("UTF-8", "gb18030", GB18030), ("UTF-8", "GBK", encoding_rs::GBK), ("Big5", "UTF-8", UTF_8)]
    {
        let text = format!("(;GM[1]CA[{label}]C[{sample}];B[pd])");
        let (findings, decoded) = found_in_file(&encoded(&text, encoding));
        assert_eq!(decoded.text, text, "{label} {used}");
        assert!(findings.iter().any(|finding| finding.code == Code::CharsetContradiction), "{label} {used}");
    }
    if let Some(file) = support::shared("corpus/sgf/analyze-sgf/test/examples/t-encoding-cp949.sgf") {
        let bytes = std::fs::read(file).unwrap();
        let decoded = decode(&bytes, None);
        assert_eq!(decoded.charset(), "EUC-KR");
        assert_eq!(decoded.notes, [Note::Contradiction { declared: "UTF-8".into(), used: "EUC-KR" }]);
    }
}

#[test]
pub fn e04_an_editor_s_text_is_unicode() {
    let text = "(;GM[1]CA[GB2312]SZ[9]C[中文];B[ee])";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gb.sgf");
    std::fs::write(&path, encoded(text, GB18030)).unwrap();
    let mut editor = Editor::open(text);
    let of_file = editor.client.request("record/tree", json!({"document": {"uri": path.to_str().unwrap()}}));
    assert_eq!(editor.tree()["games"], of_file["games"]);
    let findings = editor.findings();
    let [hint] = findings.as_slice() else { panic!("{findings:?}") };
    assert_eq!(hint["code"], "editor-charset");
    assert_eq!(
        Editor::open("(;GM[1]CA[UTF-8]SZ[9]C[中文];B[ee])").findings(),
        Vec::<serde_json::Value>::new()
    );
    // An editor that took the file for UTF-8: the file reads better, and can be had again.
    let bytes = encoded("(;CA[GBK]PB[棋手])", GB18030);
    let file = decode(&bytes, None);
    let damaged = String::from_utf8_lossy(&bytes).into_owned();
    let record = Record::parse(damaged.as_str());
    let options = CheckOptions { origin: Origin::Editor(Some(&file)), ..CheckOptions::default() };
    let found = check_with(&record, &options);
    assert_eq!((found.len(), found[0].code), (1, Code::LostCharacters));
    let mended = apply_edits(&damaged, &found[0].fix.clone().unwrap().edits);
    assert!(mended.ends_with("PB[棋手])"), "{mended}");
}

#[test]
pub fn e06_xqf_in_another_code_page() {
    // Version 10 of the format is plain: its head says where the pieces stand, the title's length and bytes.
    let title = "Cờ tướng".replace('ờ', "ơ\u{300}").replace('ớ', "ơ\u{301}");
    let bytes = encoded(&title, WINDOWS_1258);
    let mut file = vec![0; 1024];
    file[..3].copy_from_slice(b"XQ\x0a");
    file[0x10..0x30].fill(0xff);
    file[0x50] = bytes.len() as u8;
    file[0x51..0x51 + bytes.len()].copy_from_slice(&bytes);
    file.extend([0x18, 0x20, 0, 0, 0, 0, 0, 0]);
    let read = xqf::read(&file, Some(WINDOWS_1258)).unwrap();
    assert_eq!(read.tag("Title"), Some(title.as_str()));
    // Taken for GBK it is still read, the file is left alone, and bytes that do not fit are told of.
    let guessed = xqf::read(&file, None).unwrap();
    assert_ne!(guessed.tag("Title"), Some(title.as_str()));
    assert!(guessed.tag("Title").is_some());
}

#[test]
pub fn e07_a_bad_byte() {
    let bytes = b"(;CA[UTF-8]PB[caf\xe9 \xe6\xa3\x8b];B[aa])";
    let (findings, decoded) = found_in_file(bytes);
    assert_eq!(codes(bytes), [Code::LostCharacters]);
    assert_eq!(findings[0].span.slice(&decoded.text), "\u{fffd}");
    assert_eq!(decoded.notes, [Note::BadBytes { offset: 17 }]);
    assert_eq!(Record::parse(decoded.text.as_str()).node_count(), 2);
    assert_eq!(splice(bytes, &decoded, &[]).unwrap(), bytes);
    // Any byte that is no UTF-8, anywhere in the comment.
    let text = "(;GM[1]FF[4]CA[UTF-8]SZ[9]C[黑棋在右下角下出了新手];B[ee];W[ge])".as_bytes();
    let comment = text.windows(2).position(|pair| pair == b"C[").unwrap() + 14;
    for at in comment..comment + 30 {
        for byte in [0x80, 0xc0, 0xe9, 0xff] {
            let mut bytes = text.to_vec();
            bytes.insert(at, byte);
            let decoded = decode(&bytes, None);
            assert_eq!(decoded.charset(), "UTF-8", "{byte:x} at {at}");
            assert_eq!(Record::parse(decoded.text.as_str()).node_count(), 3, "{byte:x} at {at}");
            assert_eq!(splice(&bytes, &decoded, &[]).unwrap(), bytes);
        }
    }
}

#[test]
pub fn e09_a_name_cut_in_the_middle() {
    let bytes = b"(;CA[UTF-8]PB[\xe4\xbd\xa0\xe5\x9b]BR[9\xe6\xae\xb5])";
    let (findings, decoded) = found_in_file(bytes);
    assert_eq!(codes(bytes), [Code::CutCharacter]);
    assert_eq!(findings.len(), 1);
    assert_eq!((decoded.charset(), decoded.text.matches('\u{fffd}').count()), ("UTF-8", 1));
    assert_eq!(splice(bytes, &decoded, &[]).unwrap(), bytes);
    // Cut at every byte of every value.
    let names = ["你好围棋", "李世石", "九段棋手"];
    for (which, name) in names.into_iter().enumerate() {
        for cut in 1..name.len() {
            let mut bytes = b"(;GM[1]CA[UTF-8]".to_vec();
            for (index, (ident, value)) in ["PB", "PW", "EV"].into_iter().zip(names).enumerate() {
                let value = if index == which { &name.as_bytes()[..cut] } else { value.as_bytes() };
                bytes.extend([ident.as_bytes(), b"[", value, b"]"].concat());
            }
            bytes.extend(b";B[ee])");
            let decoded = decode(&bytes, None);
            let record = Record::parse(decoded.text.as_str());
            assert_eq!((decoded.charset(), record.node_count()), ("UTF-8", 2), "{name} {cut}");
            assert_eq!(record.properties(NodeId(0)).len(), 5, "{name} {cut}");
            let replaced = decoded.text.matches('\u{fffd}').count();
            assert_eq!(replaced, usize::from(cut % 3 != 0), "{name} {cut}");
            assert_eq!(splice(&bytes, &decoded, &[]).unwrap(), bytes);
        }
    }
}

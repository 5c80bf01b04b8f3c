//! Bytes to text, and edited text back to bytes.
//!
//! A record is decoded as a whole before it is parsed: in Shift_JIS, Big5 and GB18030 the
//! second byte of a character may look like `]` or `\`. Who decides, first to last:
//!
//! 1. a byte order mark;
//! 2. `CA`, when the bytes fit it; but bytes that are clearly UTF-8 are UTF-8 whatever `CA`
//!    says, and the contradiction is noted;
//! 3. strict UTF-8;
//! 4. UTF-8 with a few bad bytes: servers cut names in the middle of a character;
//! 5. the `CA` of an East Asian charset, when all but a few bytes fit it: one bad byte does
//!    not make Chinese of 2000 characters Western;
//! 6. a guess over the whole file: `chardetng`, with its choice among the East Asian
//!    charsets checked against the commonest characters of each language, which may
//!    overlook a few bad bytes;
//! 7. the user's setting, then windows-1252, which fits everything.
//!
//! Writing back never touches a byte that no edit covers.

use encoding_rs::{Encoding, GB18030, GBK, ISO_2022_JP, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

use super::TextEdit;
use super::charset::{self, Guess, Reading, Utf8Evidence};

/// What decided about the charset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Source {
    /// A byte order mark.
    Bom,
    /// The record's `CA`.
    Declared,
    /// The bytes are UTF-8, all or nearly all of them.
    Utf8,
    /// A guess from the bytes.
    Detected,
    /// The user's setting.
    Setting,
    /// Nothing fitted.
    Fallback,
}

/// Something worth telling about how a file was decoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// `CA` names another charset than the bytes are in.
    Contradiction {
        /// `CA` as written.
        declared: String,
        /// The charset that was used.
        used: &'static str,
    },
    /// `CA` names no charset that is known.
    UnknownCharset {
        /// `CA` as written.
        declared: String,
    },
    /// Bytes that are no character of the charset; U+FFFD stands for them in the text.
    BadBytes {
        /// Offset of the first of them in the file.
        offset: usize,
    },
}

/// At most so many [`Note::BadBytes`] are kept.
const MAX_BAD: usize = 100;

/// A decoded file.
#[derive(Debug, Clone)]
pub struct Decoded {
    /// The text, without byte order mark.
    pub text: String,
    /// What decided.
    pub source: Source,
    /// Contradictions and losses.
    pub notes: Vec<Note>,
    encoding: &'static Encoding,
    /// Bytes of the byte order mark.
    bom: usize,
    lossy: bool,
}

impl Decoded {
    /// The charset's name, as the WHATWG encoding standard spells it.
    pub fn charset(&self) -> &'static str {
        self.encoding.name()
    }

    pub(super) fn encoding(&self) -> &'static Encoding {
        self.encoding
    }

    /// Whether some bytes were no characters; writing back keeps them as they are.
    pub fn is_lossy(&self) -> bool {
        self.lossy
    }
}

/// Decodes a file. `setting` is the charset that the user wants where nothing else decides.
pub fn decode(bytes: &[u8], setting: Option<&str>) -> Decoded {
    if let Some((encoding, bom)) = Encoding::for_bom(bytes) {
        return decode_as(bytes, encoding, bom, Source::Bom, Vec::new());
    }
    if let Some(encoding) = charset::utf16_without_mark(bytes) {
        return decode_as(bytes, encoding, 0, Source::Detected, Vec::new());
    }
    let declared = charset::declared(bytes);
    let (encoding, source) = choose(bytes, declared.as_deref(), setting);
    let mut notes = Vec::new();
    if let Some(label) = declared {
        match charset::known(&label) {
            None => notes.push(Note::UnknownCharset { declared: label }),
            Some(known) if !bytes.is_ascii() && family(known) != family(encoding) => {
                notes.push(Note::Contradiction { declared: label, used: encoding.name() });
            }
            Some(_) => {}
        }
    }
    decode_as(bytes, encoding, 0, source, notes)
}

/// GB2312 and GBK are parts of GB18030.
pub(super) fn family(encoding: &'static Encoding) -> &'static Encoding {
    if encoding == GBK { GB18030 } else { encoding }
}

fn choose(bytes: &[u8], declared: Option<&str>, setting: Option<&str>) -> (&'static Encoding, Source) {
    let fits = |encoding: &'static Encoding| {
        encoding.decode_without_bom_handling_and_without_replacement(bytes).is_some()
    };
    let evidence = Utf8Evidence::of(bytes);
    let known = declared.and_then(charset::known);
    if let Some(encoding) = known {
        let contradicted = encoding != UTF_8 && evidence.is_clearly_utf8(encoding.is_single_byte());
        if !contradicted && fits(encoding) && (encoding != UTF_8 || !evidence.is_ascii()) {
            return (encoding, Source::Declared);
        }
    }
    if evidence.bad == 0 && evidence.cut == 0 {
        return (UTF_8, Source::Utf8);
    }
    let guess = Guess::of(bytes);
    let guess_fits = fits(guess.encoding);
    // Text of other charsets has pieces of UTF-8 by chance, but no sense by chance.
    let nearly = despite_bad_bytes(bytes, known, guess_fits.then_some(guess));
    let nearly_clear = known != Some(UTF_8) && nearly.is_some_and(|(reading, _)| reading.is_clear());
    let sensible = nearly_clear || (guess_fits && guess.is_clear());
    if !sensible && evidence.is_damaged_utf8(known == Some(UTF_8)) {
        return (UTF_8, if known == Some(UTF_8) { Source::Declared } else { Source::Utf8 });
    }
    if let Some((reading, source)) = nearly {
        return (reading.encoding, source);
    }
    if guess_fits && guess.is_founded() {
        return (guess.encoding, Source::Detected);
    }
    if let Some(encoding) = setting.and_then(charset::known)
        && fits(encoding)
    {
        return (encoding, Source::Setting);
    }
    if guess_fits { (guess.encoding, Source::Detected) } else { (WINDOWS_1252, Source::Fallback) }
}

/// The East Asian charset that all but a few bytes are in. `guess` is what all bytes fit.
fn despite_bad_bytes(
    bytes: &[u8],
    declared: Option<&'static Encoding>,
    guess: Option<Guess>,
) -> Option<(Reading, Source)> {
    let declared =
        declared.and_then(|known| Reading::of(bytes, known)).map(|reading| (reading, Source::Declared));
    let best = || Reading::best(bytes).map(|reading| (reading, Source::Detected));
    let (reading, source) = declared
        .filter(|(reading, _)| reading.is_sensible())
        .or_else(best)
        .or_else(|| declared.filter(|(reading, _)| reading.is_nearly_whole()))?;
    let outdone = guess.is_some_and(|guess| reading.yields_to(&guess));
    (!outdone).then_some((reading, source))
}

fn decode_as(
    bytes: &[u8],
    encoding: &'static Encoding,
    bom: usize,
    source: Source,
    mut notes: Vec<Note>,
) -> Decoded {
    let (text, lossy) = encoding.decode_without_bom_handling(bytes.get(bom..).unwrap_or(&[]));
    let text = text.into_owned();
    if lossy {
        let offsets = bad_bytes(bytes, encoding, bom).into_iter();
        notes.extend(offsets.map(|offset| Note::BadBytes { offset }));
    }
    Decoded { text, source, notes, encoding, bom, lossy }
}

/// The offsets of the first bytes that are no characters.
fn bad_bytes(bytes: &[u8], encoding: &'static Encoding, bom: usize) -> Vec<usize> {
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let mut buffer = [0u8; 1024];
    let mut offsets = Vec::new();
    let mut at = bom;
    while offsets.len() < MAX_BAD {
        let rest = bytes.get(at..).unwrap_or(&[]);
        let (result, read, _) = decoder.decode_to_utf8_without_replacement(rest, &mut buffer, true);
        at += read;
        match result {
            encoding_rs::DecoderResult::Malformed(length, behind) => {
                offsets.push(at - usize::from(length) - usize::from(behind));
            }
            encoding_rs::DecoderResult::InputEmpty => break,
            encoding_rs::DecoderResult::OutputFull => {}
        }
    }
    offsets
}

/// Why edits cannot be written back.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SpliceError {
    /// The file's charset has no such character.
    #[error("{charset} cannot write {character:?}; convert the file to UTF-8 first")]
    Unencodable {
        /// The character.
        character: char,
        /// The file's charset.
        charset: &'static str,
    },
    /// An edit starts or ends where no character of the file does, or edits overlap.
    #[error("an edit at byte {offset} of the text does not fit the file")]
    Misplaced {
        /// Where, in the decoded text.
        offset: usize,
    },
}

/// The file after edits of its decoded text: inserted text in the file's charset, every
/// other byte as it was. The edits must be sorted and must not overlap.
pub fn splice(original: &[u8], decoded: &Decoded, edits: &[TextEdit]) -> Result<Vec<u8>, SpliceError> {
    let mut map = ByteMap::new(original, decoded);
    let mut result = Vec::with_capacity(original.len());
    let mut done = 0;
    for edit in edits {
        let range = edit.span.range();
        let start = map.byte_offset(range.start)?;
        let end = map.byte_offset(range.end)?;
        let kept = original.get(done..start).ok_or(SpliceError::Misplaced { offset: range.start })?;
        result.extend_from_slice(kept);
        encode(&edit.new_text, decoded.encoding, &mut result)?;
        done = end;
    }
    result.extend_from_slice(original.get(done..).unwrap_or(&[]));
    Ok(result)
}

fn encode(text: &str, encoding: &'static Encoding, result: &mut Vec<u8>) -> Result<(), SpliceError> {
    if encoding == UTF_16LE || encoding == UTF_16BE {
        let little = encoding == UTF_16LE;
        let units = text.encode_utf16();
        result.extend(units.flat_map(|unit| if little { unit.to_le_bytes() } else { unit.to_be_bytes() }));
        return Ok(());
    }
    let mut encoder = encoding.new_encoder();
    let mut buffer = [0u8; 1024];
    let mut rest = text;
    loop {
        let (outcome, read, written) = encoder.encode_from_utf8_without_replacement(rest, &mut buffer, true);
        result.extend_from_slice(&buffer[..written]);
        rest = &rest[read..];
        match outcome {
            encoding_rs::EncoderResult::InputEmpty => return Ok(()),
            encoding_rs::EncoderResult::OutputFull => {}
            encoding_rs::EncoderResult::Unmappable(character) => {
                return Err(SpliceError::Unencodable { character, charset: encoding.name() });
            }
        }
    }
}

/// Offsets of the text to offsets of the file, asked for in ascending order: decodes again,
/// byte by byte, as far as it is asked.
struct ByteMap<'a> {
    bytes: &'a [u8],
    bom: usize,
    /// `None` when both offsets differ by the byte order mark only.
    decoder: Option<encoding_rs::Decoder>,
    /// Whether an ASCII byte stands for itself wherever a character ends.
    ascii: bool,
    /// The bytes decoded so far, and the length of the text that they gave.
    read: usize,
    written: usize,
    /// The last place where a character ended: in the text, in the file.
    known: (usize, usize),
    length: usize,
}

impl<'a> ByteMap<'a> {
    fn new(bytes: &'a [u8], decoded: &Decoded) -> ByteMap<'a> {
        let encoding = decoded.encoding;
        let identical = encoding == UTF_8 && !decoded.lossy;
        ByteMap {
            bytes,
            bom: decoded.bom,
            decoder: (!identical).then(|| encoding.new_decoder_without_bom_handling()),
            ascii: encoding.is_ascii_compatible() && encoding != ISO_2022_JP,
            read: decoded.bom,
            written: 0,
            known: (0, decoded.bom),
            length: decoded.text.len(),
        }
    }

    fn byte_offset(&mut self, offset: usize) -> Result<usize, SpliceError> {
        if offset == self.length {
            return Ok(self.bytes.len());
        }
        if self.decoder.is_none() {
            return Ok(self.bom + offset);
        }
        while self.known.0 < offset && self.read < self.bytes.len() {
            self.step();
        }
        if self.known.0 == offset { Ok(self.known.1) } else { Err(SpliceError::Misplaced { offset }) }
    }

    /// Goes on to the next place, or into the next character.
    fn step(&mut self) {
        let byte = self.bytes[self.read];
        let between = self.known == (self.written, self.read);
        if self.ascii && between && byte.is_ascii() {
            self.read += 1;
            self.written += 1;
            self.known = (self.written, self.read);
            return;
        }
        let Some(decoder) = &mut self.decoder else { return };
        let last = self.read + 1 == self.bytes.len();
        let mut buffer = [0u8; 64];
        let (result, read, written) = decoder.decode_to_utf8_without_replacement(&[byte], &mut buffer, last);
        self.read += read;
        self.written += written;
        if let encoding_rs::DecoderResult::Malformed(_, behind) = result {
            self.written += char::REPLACEMENT_CHARACTER.len_utf8();
            self.known = (self.written, self.read - usize::from(behind));
        } else if written > 0 {
            self.known = (self.written, self.read);
        }
    }
}

/// The encoding that a label of `CA` names.
pub fn named(label: &str) -> Option<&'static Encoding> {
    charset::known(label)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{NewValue, NodeId, Record, Span, apply_edits, set_property};
    use super::*;

    fn charset_of(bytes: &[u8]) -> (&'static str, Source) {
        let decoded = decode(bytes, None);
        (decoded.charset(), decoded.source)
    }

    fn encoded(text: &str, label: &str) -> Vec<u8> {
        let encoding = charset::known(label).unwrap();
        let mut bytes = Vec::new();
        encode(text, encoding, &mut bytes).unwrap();
        bytes
    }

    /// Real names and sentences in the charsets of their countries.
    const SAMPLES: [(&str, &str); 22] = [
        ("GBK", "柯洁|古力"),
        ("GBK", "李昌镐|常昊"),
        ("GBK", "时越|芈昱廷"),
        ("GBK", "陈耀烨|唐韦星"),
        ("GBK", "围棋定式|围棋定式"),
        ("GBK", "第十届春兰杯世界职业围棋锦标赛|决赛"),
        ("GBK", "这盘棋是本届世界大赛的决赛第一局，黑棋在右下角下出了新手。|白棋应对稳健，形势两分。"),
        ("Big5", "周俊勳|王元均"),
        ("Big5", "張栩|林海峰"),
        ("Big5", "也許功蓋|許功蓋"),
        ("Big5", "這盤棋是本屆世界大賽的決賽第一局|中盤戰鬥非常激烈。"),
        ("EUC-KR", "이세돌|박정환"),
        ("EUC-KR", "신진서|변상일"),
        ("EUC-KR", "바둑대회|이창호"),
        ("EUC-KR", "이 대국은 이번 세계대회 결승 제1국으로|흑이 우하귀에서 신수를 두었고"),
        ("Shift_JIS", "井山裕太|一力遼"),
        ("Shift_JIS", "棋士甲|名人戦"),
        ("Shift_JIS", "表能|予選の碁"),
        (
            "Shift_JIS",
            "この碁は今大会の決勝第一局で、黒は右下隅で新手を打ち|白は落ち着いて応じて形勢は互角である。",
        ),
        ("EUC-JP", "この碁は今大会の決勝第一局で|白は落ち着いて応じて"),
        ("windows-1251", "Партия в го|Белые выиграли"),
        ("windows-1252", "José Muñoz|Un très beau coup, déjà préparé à l'avance"),
    ];

    fn file(label: Option<&str>, sample: &str) -> String {
        let (black, white) = sample.split_once('|').unwrap();
        let ca = label.map(|label| format!("CA[{label}]")).unwrap_or_default();
        format!("(;GM[1]FF[4]{ca}SZ[9]PB[{black}]PW[{white}];B[ee])")
    }

    #[test]
    fn declared_charsets_are_used() {
        for (label, sample) in SAMPLES {
            let text = file(Some(label), sample);
            let decoded = decode(&encoded(&text, label), None);
            assert_eq!((decoded.text.as_str(), decoded.source), (text.as_str(), Source::Declared), "{label}");
            assert_eq!(decoded.notes, []);
        }
    }

    #[test]
    fn undeclared_charsets_are_guessed() {
        let wrong: Vec<_> = SAMPLES
            .into_iter()
            .filter_map(|(label, sample)| {
                let text = file(None, sample);
                let decoded = decode(&encoded(&text, label), None);
                (decoded.text != text).then(|| format!("{label} {sample} -> {}", decoded.charset()))
            })
            .collect();
        assert_eq!(wrong, Vec::<String>::new());
    }

    #[test]
    fn labels_of_old_programs() {
        let labels = [
            ("CP1251", "windows-1251"),
            ("SHIFT-JIS", "Shift_JIS"),
            ("cp949", "EUC-KR"),
            ("cp936", "GBK"),
            ("CP932", "Shift_JIS"),
            ("cp950", "Big5"),
            ("UTF8", "UTF-8"),
            ("utf-8 ", "UTF-8"),
            ("GB2312", "GBK"),
            ("ISO8859-1", "windows-1252"),
            ("EUC", "-"),
            ("Latin1", "windows-1252"),
            ("", "-"),
            ("replacement", "-"),
        ];
        for (label, name) in labels {
            assert_eq!(charset::known(label).map_or("-", |encoding| encoding.name()), name, "{label}");
        }
    }

    #[test]
    fn a_wrong_declaration_is_noted() {
        let utf8 = "(;GM[1]FF[4]CA[GB2312]SZ[9]PB[围棋];B[ee])";
        let decoded = decode(utf8.as_bytes(), None);
        assert_eq!((decoded.text.as_str(), decoded.charset()), (utf8, "UTF-8"));
        assert_eq!(decoded.notes, [Note::Contradiction { declared: "GB2312".into(), used: "UTF-8" }]);

        let text = "(;GM[1]FF[4]CA[UTF-8]SZ[9]PB[围棋];B[ee])";
        let decoded = decode(&encoded(text, "GBK"), None);
        assert_eq!(decoded.text, text);
        assert_eq!(decoded.notes, [Note::Contradiction { declared: "UTF-8".into(), used: "GBK" }]);

        let decoded = decode("(;CA[klingon]C[é])".as_bytes(), None);
        assert_eq!(decoded.notes, [Note::UnknownCharset { declared: "klingon".into() }]);
    }

    #[test]
    fn one_bad_byte_leaves_utf8_utf8() {
        let bytes = b"(;GM[1]FF[4]CA[UTF-8]SZ[9]PB[caf\xe9 \xe5\x9b\xb4];B[ee])";
        let decoded = decode(bytes, None);
        assert_eq!(decoded.text, "(;GM[1]FF[4]CA[UTF-8]SZ[9]PB[caf\u{fffd} 围];B[ee])");
        assert_eq!((decoded.charset(), decoded.source), ("UTF-8", Source::Declared));
        assert_eq!(decoded.notes, [Note::BadBytes { offset: 32 }]);
    }

    /// The texts are those of Python's decoders with `errors="replace"`.
    #[test]
    fn a_few_bad_bytes_do_not_overrule_the_charset() {
        let table: [(&[u8], &str, &str); 12] = [
            (b"(;GM[1]CA[GBK]C[\xce\xa7\xc6\xe5\xd6\xd0\xce\xc4\xff])", "GBK", "(;GM[1]CA[GBK]C[围棋中文\u{fffd}])"),
            (b"(;GM[1]CA[GBK]C[\xce\xa7\xc6\xe5\xd6\xd0\xce\xc4\xce)])", "GBK", "(;GM[1]CA[GBK]C[围棋中文\u{fffd})])"),
            (b"(;GM[1]CA[GBK]C[\xce\xa7\xc6\xe5\xd6\xd0\xce\n])", "GBK", "(;GM[1]CA[GBK]C[围棋中\u{fffd}\n])"),
            (b"(;CA[gb18030]C[\xff\xce\xa7\xc6\xe5])", "gb18030", "(;CA[gb18030]C[\u{fffd}围棋])"),
            (b"(;GM[1]C[\xce\xa7\xc6\xe5\xd6\xd0\xce\xc4\xff ])", "GBK", "(;GM[1]C[围棋中文\u{fffd} ])"),
            (b"(;GM[1]CA[UTF-8]C[\xce\xa7\xc6\xe5\xd6\xd0\xce\xc4\xff ])", "GBK", "(;GM[1]CA[UTF-8]C[围棋中文\u{fffd} ])"),
            (b"(;CA[EUC-KR]C[\xb9\xd9\xb5\xcf\xb4\xeb\xc8\xb8\xff])", "EUC-KR", "(;CA[EUC-KR]C[바둑대회\u{fffd}])"),
            (b"(;CA[Big5]C[\xb3\x5c\xa5\x5c\xbb\x5c\xff])", "Big5", "(;CA[Big5]C[許功蓋\u{fffd}])"),
            (b"(;CA[Shift_JIS]C[\x95\x5c\x94\x5c\x97\x5c\xff])", "Shift_JIS", "(;CA[Shift_JIS]C[表能予\u{fffd}])"),
            // Western and Russian text stays what it is.
            (b"(;CA[GBK]C[Un tr\xe8s beau coup, d\xe9j\xe0 pr\xe9par\xe9])", "windows-1252", "(;CA[GBK]C[Un très beau coup, déjà préparé])"),
            (b"(;CA[GBK]C[\xcf\xe0\xf0\xf2\xe8\xff \xe2 \xe3\xee. \xc1\xe5\xeb\xfb\xe5 \xe2\xfb\xe8\xe3\xf0\xe0\xeb\xe8])", "windows-1251", "(;CA[GBK]C[Партия в го. Белые выиграли])"),
            ("(;CA[GBK]C[围棋中文\u{fffd}])".as_bytes(), "UTF-8", "(;CA[GBK]C[围棋中文\u{fffd}])"),
        ];
        for (bytes, charset, text) in table {
            let decoded = decode(bytes, None);
            assert_eq!((decoded.charset(), decoded.text.as_str()), (charset, text));
            let lossy = text.contains('\u{fffd}') && charset != "UTF-8";
            assert_eq!(decoded.is_lossy(), lossy, "{text}");
            assert_eq!(decoded.notes.iter().any(|note| matches!(note, Note::BadBytes { .. })), lossy);
        }
    }

    /// Bytes that begin or continue no character of any of these charsets, behind each sample.
    #[test]
    fn a_stray_byte_behind_any_sample() {
        for (label, sample) in SAMPLES.into_iter().filter(|(label, _)| !label.starts_with("windows")) {
            for ca in [Some(label), None] {
                let text = file(ca, &format!("{sample}\u{fffd}"));
                let bytes: Vec<_> = text
                    .split('\u{fffd}')
                    .map(|part| encoded(part, label))
                    .collect::<Vec<_>>()
                    .join(&[0xff][..]);
                let decoded = decode(&bytes, None);
                assert_eq!(decoded.text, text, "{label} {ca:?}");
                assert!(decoded.is_lossy());
                let at = decoded.text.rfind("[ee]").unwrap() as u32;
                let edit = TextEdit::replace(Span::new(at + 1, at + 3), "dd");
                let written = splice(&bytes, &decoded, &[edit]).unwrap();
                let end = bytes.len() - b"ee])".len();
                assert_eq!(written, [&bytes[..end], b"dd])"].concat());
            }
        }
        let mut long = b"(;CA[GBK]C[".to_vec();
        // Rows 0xB0 to 0xC4 of GB2312: as good as no word of Chinese.
        long.extend((0xb0..0xc5).flat_map(|row| (0xa1..0xff).flat_map(move |cell| [row, cell])));
        long.extend_from_slice(b"\xff])");
        let decoded = decode(&long, None);
        assert_eq!((decoded.charset(), decoded.source), ("GBK", Source::Declared));
        assert_eq!(decoded.notes, [Note::BadBytes { offset: long.len() - 3 }]);
    }

    #[test]
    fn a_name_cut_inside_a_character_costs_one_replacement() {
        let name = "你好围棋".as_bytes();
        for ca in ["CA[UTF-8]", ""] {
            for cut in 4..name.len() {
                let mut bytes = format!("(;GM[1]{ca}PB[").into_bytes();
                bytes.extend_from_slice(&name[..cut]);
                bytes.extend_from_slice("]BR[9段];B[ee])".as_bytes());
                let decoded = decode(&bytes, None);
                assert_eq!(decoded.charset(), "UTF-8", "{ca} {cut}");
                assert_eq!(decoded.notes.len(), usize::from(cut % 3 != 0));
                assert_eq!(Record::parse(decoded.text.as_str()).node_count(), 2);
                assert_eq!(splice(&bytes, &decoded, &[]).unwrap(), bytes);
            }
        }
    }

    #[test]
    fn marks_and_utf16() {
        let text = "(;PB[围棋😀])";
        assert_eq!(charset_of(format!("\u{feff}{text}").as_bytes()), ("UTF-8", Source::Bom));
        for (label, mark) in [("UTF-16LE", [0xff, 0xfe]), ("UTF-16BE", [0xfe, 0xff])] {
            let plain = encoded(text, label);
            let marked = [&mark[..], &plain].concat();
            let decoded = decode(&marked, None);
            assert_eq!(
                (decoded.text.as_str(), decoded.charset(), decoded.source),
                (text, label, Source::Bom)
            );
            let decoded = decode(&plain, None);
            assert_eq!(
                (decoded.text.as_str(), decoded.charset(), decoded.source),
                (text, label, Source::Detected)
            );
        }
        assert_eq!(charset_of(b"(;B[aa])"), ("UTF-8", Source::Utf8));
        assert_eq!(charset_of(b""), ("UTF-8", Source::Utf8));
    }

    #[test]
    fn the_setting_speaks_last() {
        // A lone 0xE9 tells nothing; Cyrillic is what the user expects.
        let decoded = decode(b"(;C[\xe9])", Some("windows-1251"));
        assert_eq!((decoded.charset(), decoded.source), ("windows-1251", Source::Setting));
        assert_eq!(decode(b"(;C[\xe9])", None).text, "(;C[é])");
    }

    #[test]
    fn edits_go_back_in_the_charset_of_the_file() {
        for (label, sample) in SAMPLES {
            let text = file(Some(label), sample);
            for ending in ["", "C[tail"] {
                let bytes = encoded(&format!("{text}{ending}"), label);
                let decoded = decode(&bytes, None);
                let record = Record::parse(decoded.text.as_str());
                let new = sample.split('|').next().unwrap();
                let edits = set_property(&record, NodeId(1), "C", &[NewValue::text(new)]).unwrap();
                let written = splice(&bytes, &decoded, &edits).unwrap();
                assert_eq!(written, encoded(&apply_edits(&decoded.text, &edits), label), "{label} {sample}");
            }
        }
    }

    #[test]
    fn a_character_that_the_charset_lacks_is_an_error() {
        let bytes = encoded("(;CA[Big5]PB[許])", "Big5");
        let decoded = decode(&bytes, None);
        let edit = TextEdit::insert(2, "C[😀]");
        let error = SpliceError::Unencodable { character: '😀', charset: "Big5" };
        assert_eq!(splice(&bytes, &decoded, &[edit]), Err(error));
        let inside = TextEdit::insert(decoded.text.find('許').unwrap() as u32 + 1, "x");
        assert!(matches!(splice(&bytes, &decoded, &[inside]), Err(SpliceError::Misplaced { .. })));
    }

    #[test]
    fn bad_bytes_survive_an_edit() {
        let bytes = b"(;CA[UTF-8]PB[\xe5\x9b\xe5\x9b\xb4\xff\xe5]PW[\xe5\x9b\xb4\xe6\xa3\x8b];B[aa])";
        let decoded = decode(bytes, None);
        let at = decoded.text.find("B[aa]").unwrap() as u32;
        let edit = TextEdit::replace(Span::new(at, at + 1), "W");
        let written = splice(bytes, &decoded, &[edit]).unwrap();
        let expected: Vec<u8> =
            bytes.iter().enumerate().map(|(i, b)| if i == bytes.len() - 6 { b'W' } else { *b }).collect();
        assert_eq!(written, expected);
    }

    proptest! {
        #[test]
        fn any_bytes_decode_and_come_back(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
            let decoded = decode(&bytes, None);
            prop_assert_eq!(splice(&bytes, &decoded, &[]), Ok(bytes));
        }

        #[test]
        fn untouched_bytes_stay(noise in prop::collection::vec(any::<u8>(), 0..40), pick in 0usize..22) {
            let (label, sample) = SAMPLES[pick];
            let mut bytes = encoded(&file(Some(label), sample), label);
            bytes.extend_from_slice(&noise);
            let decoded = decode(&bytes, None);
            let at = decoded.text.find("SZ[9]").unwrap() as u32;
            let byte = bytes.windows(5).position(|window| window == b"SZ[9]").unwrap();
            let written = splice(&bytes, &decoded, &[TextEdit::replace(Span::new(at + 3, at + 4), "13")]);
            prop_assert_eq!(written, Ok([&bytes[..byte + 3], b"13", &bytes[byte + 4..]].concat()));
        }
    }
}

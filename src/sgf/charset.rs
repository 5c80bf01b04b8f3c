//! Evidence about the charset of a file without byte order mark.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{
    BIG5, EUC_JP, EUC_KR, Encoding, GB18030, GBK, REPLACEMENT, SHIFT_JIS, UTF_16BE, UTF_16LE, WINDOWS_1252,
    X_USER_DEFINED,
};

/// The charset that a record declares: the text of its first `CA`.
pub(super) fn declared(bytes: &[u8]) -> Option<String> {
    let place = memchr::memmem::find_iter(bytes, b"CA").find_map(|at| {
        let letter_before = at.checked_sub(1).is_some_and(|before| bytes[before].is_ascii_alphabetic());
        let rest = bytes.get(at + 2..)?.trim_ascii_start();
        (!letter_before && rest.first() == Some(&b'[')).then(|| &rest[1..])
    })?;
    let end = place.iter().take(40).position(|byte| *byte == b']')?;
    let label = place[..end].trim_ascii();
    (!label.is_empty()).then(|| String::from_utf8_lossy(label).into_owned())
}

/// The charset of this name: the names of the WHATWG standard, and code pages as Windows
/// programs call them. A record that can be read has no 16-bit charset without its mark.
pub(super) fn known(label: &str) -> Option<&'static Encoding> {
    let label = label.trim().to_ascii_lowercase();
    let number = label.trim_start_matches(|letter: char| !letter.is_ascii_digit());
    let page = label.starts_with("cp") || label.starts_with("ms") || label.starts_with("windows");
    let encoding = match number {
        "936" if page => Some(GBK),
        "932" if page => Some(SHIFT_JIS),
        "949" if page => Some(EUC_KR),
        "950" if page => Some(BIG5),
        _ => Encoding::for_label(label.as_bytes()).or_else(|| alias(&label)),
    };
    encoding.filter(|encoding| *encoding != REPLACEMENT && *encoding != X_USER_DEFINED)
}

/// Names that other libraries than the WHATWG's use.
fn alias(label: &str) -> Option<&'static Encoding> {
    let letters: String = label.chars().filter(char::is_ascii_alphanumeric).collect();
    match letters.as_str() {
        "euccn" => Some(GBK),
        "eucjp" => Some(EUC_JP),
        "euckr" => Some(EUC_KR),
        "shiftjis" => Some(SHIFT_JIS),
        "latin1" => Some(WINDOWS_1252),
        _ => None,
    }
}

/// A record starts with `(` or white space; a zero byte beside it makes it UTF-16.
pub(super) fn utf16_without_mark(bytes: &[u8]) -> Option<&'static Encoding> {
    match bytes {
        [first, 0, _, 0, ..] if *first != 0 => Some(UTF_16LE),
        [0, first, 0, _, ..] if *first != 0 => Some(UTF_16BE),
        _ => None,
    }
}

/// How much a file looks like UTF-8.
#[derive(Debug, Default)]
pub(super) struct Utf8Evidence {
    /// Characters of two bytes: other charsets have such pairs by chance.
    two: usize,
    /// Characters of three and four bytes: hardly by chance.
    more: usize,
    /// Sequences that `]` cuts short, as servers with byte limits leave them.
    pub cut: usize,
    /// Other bytes that are not UTF-8.
    pub bad: usize,
}

impl Utf8Evidence {
    pub fn of(bytes: &[u8]) -> Utf8Evidence {
        let mut evidence = Utf8Evidence::default();
        let mut at = 0;
        for chunk in bytes.utf8_chunks() {
            for byte in chunk.valid().bytes() {
                match byte {
                    0xc0..0xe0 => evidence.two += 1,
                    0xe0.. => evidence.more += 1,
                    _ => {}
                }
            }
            at += chunk.valid().len() + chunk.invalid().len();
            match chunk.invalid() {
                [] => {}
                [0xc2..0xf5, ..] if bytes.get(at) == Some(&b']') => evidence.cut += 1,
                _ => evidence.bad += 1,
            }
        }
        evidence
    }

    pub fn is_ascii(&self) -> bool {
        self.two + self.more + self.cut + self.bad == 0
    }

    /// Whether this is UTF-8 although the record declares a charset of one byte a character
    /// (`single_byte`), or of two.
    pub fn is_clearly_utf8(&self, single_byte: bool) -> bool {
        // A pair of bytes of GBK is valid UTF-8 once in six times.
        self.bad + self.cut == 0 && (self.more > 0 || self.two >= if single_byte { 1 } else { 4 })
    }

    /// Whether this is UTF-8 with some bytes broken.
    pub fn is_damaged_utf8(&self, declared: bool) -> bool {
        let good = 3 * self.more + self.two;
        if declared { good > 2 * self.bad || self.bad == 0 } else { self.more > 0 && good >= 3 * self.bad }
    }
}

/// A guess about the charset.
#[derive(Debug, Clone, Copy)]
pub(super) struct Guess {
    pub encoding: &'static Encoding,
    /// The share of letters that make sense in it, for East Asian charsets.
    share: Option<f64>,
}

impl Guess {
    /// Guesses from the whole file.
    pub fn of(bytes: &[u8]) -> Guess {
        let escapes = memchr::memmem::find(bytes, b"\x1b$").is_some();
        let iso2022 = if escapes { Iso2022JpDetection::Allow } else { Iso2022JpDetection::Deny };
        let mut detector = EncodingDetector::new(iso2022);
        detector.feed(bytes, true);
        let encoding = detector.guess(None, Utf8Detection::Deny);
        let mut guess = Guess { encoding, share: common_share(bytes, encoding) };
        let detected_other = !EAST_ASIAN.iter().any(|(other, _)| *other == encoding);
        // Short names are valid in several of these charsets, and the detector looks at bytes
        // only. Letters that make sense decide.
        for (encoding, _) in EAST_ASIAN {
            let enough = if detected_other { CLEAR_SHARE } else { 0.0 };
            if let Some(share) = common_share(bytes, encoding)
                && share > guess.share.unwrap_or(enough)
            {
                guess = Guess { encoding, share: Some(share) };
            }
        }
        guess
    }

    /// Whether most of the text makes sense.
    pub fn is_clear(&self) -> bool {
        self.share.is_some_and(|share| share >= CLEAR_SHARE)
    }

    /// Whether this is more than a default: the detector says windows-1252 also when nothing
    /// speaks for anything.
    pub fn is_founded(&self) -> bool {
        match self.share {
            Some(share) => share >= FOUNDED_SHARE,
            None => self.encoding != WINDOWS_1252,
        }
    }
}

/// What an East Asian charset makes of a file of which some bytes are no characters of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reading {
    pub encoding: &'static Encoding,
    /// Characters beyond ASCII.
    good: usize,
    /// Sequences that are no characters.
    bad: usize,
    /// The share of letters that make sense.
    share: f64,
}

impl Reading {
    /// `None` for other charsets, and where nothing is beyond ASCII.
    pub fn of(bytes: &[u8], encoding: &'static Encoding) -> Option<Reading> {
        let common = common_letters(encoding)?;
        let (text, _) = encoding.decode_without_bom_handling(bytes);
        let bad = memchr::memmem::find_iter(text.as_bytes(), "\u{fffd}".as_bytes()).count();
        let good = text.chars().filter(|letter| !letter.is_ascii()).count() - bad;
        let share = share_of(&text, encoding, common)?;
        Some(Reading { encoding, good, bad, share })
    }

    /// The one of most sense, if its sense and its good characters are beyond chance.
    pub fn best(bytes: &[u8]) -> Option<Reading> {
        let readings = EAST_ASIAN.iter().filter_map(|(encoding, _)| Reading::of(bytes, encoding));
        readings.max_by(|one, other| one.share.total_cmp(&other.share)).filter(Reading::is_clear)
    }

    /// Whether most of the text makes sense and is whole.
    pub fn is_clear(&self) -> bool {
        self.share >= CLEAR_SHARE && self.good >= 3 * self.bad
    }

    /// Whether enough makes sense that a declaration may be believed.
    pub fn is_sensible(&self) -> bool {
        self.share >= FOUNDED_SHARE && self.good >= 2 * self.bad
    }

    /// Whether bad bytes are so rare that the others cannot fit by chance, whatever they say.
    /// Text of one byte a character has more: its words are as often of odd length as of even.
    pub fn is_nearly_whole(&self) -> bool {
        self.good >= 10 * self.bad
    }

    /// Whether this makes less sense than the guess.
    pub fn yields_to(&self, guess: &Guess) -> bool {
        guess.share.is_some_and(|share| share > self.share)
    }
}

/// From here on the letters may be more than chance.
const FOUNDED_SHARE: f64 = 0.25;

/// From here on the letters cannot be common by chance.
const CLEAR_SHARE: f64 = 0.7;

/// Characters that are looked at for [`common_share`].
const SAMPLE: usize = 4000;

/// The share of common characters of its language in what the charset makes of the bytes;
/// `None` when they do not fit it.
fn common_share(bytes: &[u8], encoding: &'static Encoding) -> Option<f64> {
    let common = common_letters(encoding)?;
    let text = encoding.decode_without_bom_handling_and_without_replacement(bytes)?;
    share_of(&text, encoding, common)
}

fn share_of(text: &str, encoding: &'static Encoding, common: &str) -> Option<f64> {
    let letters = text.chars().filter(|letter| letter.is_alphanumeric() && !letter.is_ascii());
    let (mut all, mut known) = (0u32, 0u32);
    for letter in letters.take(SAMPLE) {
        let kana = matches!(letter, '\u{3041}'..='\u{30fe}') && (encoding == SHIFT_JIS || encoding == EUC_JP);
        all += 1;
        known += u32::from(kana || common.contains(letter));
    }
    (all > 0).then(|| f64::from(known) / f64::from(all))
}

fn common_letters(encoding: &'static Encoding) -> Option<&'static str> {
    let encoding = if encoding == GB18030 { GBK } else { encoding };
    EAST_ASIAN.iter().find(|(other, _)| *other == encoding).map(|(_, common)| *common)
}

/// The charsets of two bytes a character, each with the commonest letters of its language
/// and of names and Go terms in it.
const EAST_ASIAN: [(&Encoding, &str); 5] =
    [(GBK, SIMPLIFIED), (BIG5, TRADITIONAL), (EUC_KR, HANGUL), (SHIFT_JIS, KANJI), (EUC_JP, KANJI)];

const SIMPLIFIED: &str = "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发\
    后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想\
    实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相\
    见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门任常先海通教儿原东声提立及比员解水名真论\
    处走义各入几口认条平系气题活尔更别打女变四神总何电数安少报才结反受目太量再感建务做接必场件计管期市直德资命\
    山金指克许统区保至队形社便空决治展马科司五基眼书非则听白却界达光放强即像难且权思王象完设式色路记南品住告类\
    求据程北边死张该交规万取拉格望觉术领共确传师观清今切院让识候带导争运棋围黑局段胜负九布李陈刘杨赵黄周吴徐孙\
    胡朱林郭罗郑梁谢宋唐邓冯韩曹曾彭肖蔡潘田董袁余叶蒋杜苏魏吕丁沈姚卢钟姜崔谭廖范汪陆石戴韦贾夏柯古芈昱廷檀睿尧\
    聂卫俞斌孔杰洁华伟飞龙昊越耀烨星届杯赛冠职业锦标六七八春夏秋冬兰盘右左角镐昌鹏宇泽浩辉元源文博建国志明丽";

const TRADITIONAL: &str = "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發\
    後作裡用道行所然家種事成方多經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心她本前開但因只從想\
    實日軍者意無力它與長把機十民第公此已工使情明性知全三又關點正業外將兩高間由問很最重並物手應戰向頭文體政美相\
    見被利什二等產或新己制身果加西斯月話合回特代內信表化老給世位次度門任常先海通教兒原東聲提立及比員解水名真論\
    處走義各入幾口認條平系氣題活爾更別打女變四神總何電數安少報才結反受目太量再感建務做接必場件計管期市直德資命\
    山金指克許統區保至隊形社便空決治展馬科司五基眼書非則聽白卻界達光放強即像難且權思王象完設式色路記南品住告類\
    求據程北邊死張該交規萬取拉格望覺術領共確傳師觀清今切院讓識候帶導爭運棋圍黑局段勝負九布李陳劉楊趙黃周吳徐孫\
    胡朱林郭羅鄭梁謝宋唐鄧馮韓曹曾彭蕭蔡潘田董袁余葉蔣杜蘇魏呂丁沈姚盧鍾姜崔譚廖范汪陸石戴賈夏俊勳元均峰功蓋屆杯賽\
    冠職業六七八春秋冬盤右左角鬥激烈栩豪志文博建宇浩輝源";

const KANJI: &str = "日一国人年大十二本中長出三時行見月分後前生五間上東四今金九入学高円子外八六下来気小七山話女北午百書\
    先名川千水半男西電校語土木聞食車何南万毎白天母火右読友左休父雨棋碁戦井田村藤石林黒段局勝目手橋佐伊渡辺加吉\
    口松清斎崎森池阿部内岡裕太遼力治秀趙武宮正樹坂光結城聡張栩芝野虎丸河羽根直依紀基許家元坊因圏聖位士甲乙予選決\
    表能級第回負互角形勢打落着応隅新会的対局者者解説定石布石死活問題置戸早稲明治昭和平成令法同方合多少代物世界";

const HANGUL: &str = "이다는에을를의가은하고지로한사기도인자들어리대시그나서아해여있것수었으보일정제과상전부주스면게년원조라\
    구동만장성오신위선공비유경치무국관미안학문방연소마모실세개재화진없및된할때중계입우내차회속교용발생말두적더간통\
    반님음까요되던본금거니바영백흑번돌집승패첫포박최김강윤임송홍양배허남심노길현민석환창호훈철준명희태욱규둑국귀변결\
    황유안";

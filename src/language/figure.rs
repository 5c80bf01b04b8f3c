//! `FG`: where a figure starts, its name, and how it is printed.

use crate::sgf::value::{composed, number, simple_text, trim};

use super::Locale;

/// The flags of FF\[4\] that turn something off, and what is seen then.
const FLAGS: [(i64, &str, &str); 5] = [
    (1, "without coordinates", "不显示坐标"),
    (2, "without its name", "不显示图名"),
    (4, "without a list of moves that are not shown", "不列出未显示的着法"),
    (256, "captured stones stay", "保留被提的棋子"),
    (512, "without star points", "不显示星位"),
];

/// All flags are ignored.
const DEFAULTS: i64 = 32768;

/// A figure in words; `None` where its flags are no number.
pub(super) fn decode(raw: &str, locale: Locale) -> Option<String> {
    let mut said = locale.pick("a figure starts here", "此处开始新图").to_owned();
    if trim(raw).is_empty() {
        return Some(said);
    }
    let (flags, name) = composed(raw).ok()?;
    let (flags, name) = (number(flags).ok()?, simple_text(name));
    if !name.trim().is_empty() {
        said.push_str(locale.pick(": ", "："));
        said.push_str(name.trim());
    }
    let shown: Vec<&str> = if flags & DEFAULTS != 0 {
        vec![locale.pick("with the program's own settings", "按程序自己的设置显示")]
    } else {
        let set = FLAGS.iter().filter(|(flag, ..)| flags & flag != 0);
        set.map(|(_, english, chinese)| locale.pick(english, chinese)).collect()
    };
    if !shown.is_empty() {
        said.push_str(locale.pick("; ", "；"));
        said.push_str(&shown.join(locale.pick(", ", "，")));
    }
    Some(said)
}

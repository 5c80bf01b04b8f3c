//! A value in words: what `B+R`, `1996-05,06` or `KM[375]` says.

use crate::go::{Color, Vertex};
use crate::sgf::encoding;
use crate::sgf::overtime::Overtime;
use crate::sgf::props::ValueType;
use crate::sgf::result::{GameResult, How};
use crate::sgf::value::{self, composed, simple_text, trim};
use crate::sgf::{CANDIDATES, Candidate, NodeId, Property, Record, Value, effective, overtime};

use super::place::{point_parts, type_of};
use super::{Locale, figure};

/// What a value says; `None` where the text says it all.
pub(super) fn decode(
    record: &Record,
    node: NodeId,
    property: Property<'_>,
    value: Value<'_>,
    locale: Locale,
) -> Option<String> {
    let raw = value.raw();
    let ident = property.ident();
    match ident.as_ref() {
        "KM" => komi(record, node, locale),
        "RE" => result(&simple_text(raw), locale),
        "RU" => Some(effective(record, node).rules.reason.get(locale).to_owned()),
        "DT" => dates(&simple_text(raw)),
        "TM" | "BL" | "WL" => value::real(raw).ok().map(|seconds| time(seconds, locale)),
        "OT" => overtime::parse(&simple_text(raw)).map(|found| overtime_text(found, locale)),
        "GM" => game(value::number(raw).ok()?, locale),
        "ST" => style(value::number(raw).ok()?, locale),
        "HA" => {
            let found = effective(record, node).handicap;
            let words = handicap(i64::from(found.value), locale)?;
            Some(format!("{words} ({})", found.reason.get(locale)))
        }
        "CA" => charset(raw),
        "FG" => figure::decode(raw, locale),
        "V" => value::real(raw).ok().map(|score| match score {
            0.0 => locale.pick("an even score", "双方持平").to_owned(),
            _ => lead_text(score, locale),
        }),
        "MN" => value::number(raw).ok().map(|number| match locale {
            Locale::English => format!("this move is shown with the number {number}"),
            Locale::Chinese => format!("本手的编号显示为 {number}"),
        }),
        "OB" => left(record, node, Color::Black, value::number(raw).ok()?, locale),
        "OW" => left(record, node, Color::White, value::number(raw).ok()?, locale),
        "SZ" => value::size(raw).ok().map(|size| size.to_string()),
        "AP" => {
            let (name, version) = composed(raw).ok()?;
            Some(format!("{} {}", simple_text(name), simple_text(version)))
        }
        "SBKV" => value::real(raw).ok().map(|rate| format!("{} {rate} %", locale.player(Color::Black))),
        "SBKS" => value::real(raw).ok().map(|lead| lead_text(lead, locale)),
        CANDIDATES => candidate(record, node, raw, locale),
        _ => by_type(record, node, property, value, locale),
    }
}

fn by_type(
    record: &Record,
    node: NodeId,
    property: Property<'_>,
    value: Value<'_>,
    locale: Locale,
) -> Option<String> {
    let size = record.size(node);
    let raw = value.raw();
    let spelled = |part: &str| value::point(part, size).ok().map(|point| Vertex::At(point).to_gtp(size));
    match type_of(&property)? {
        ValueType::Color => value::color(raw).ok().map(|color| locale.player(color).to_owned()),
        ValueType::Double => Some(match value::double(raw).ok()? {
            1 => locale.pick("normal", "一般").to_owned(),
            _ => locale.pick("emphasised", "强调").to_owned(),
        }),
        ValueType::Move => {
            let vertex = value::vertex(raw, size).ok()?;
            Some(locale.vertex(vertex, &vertex.to_gtp(size)))
        }
        ValueType::Points | ValueType::PointsOrNone => points(property, value, size, locale),
        ValueType::Labels => {
            let (point, text) = composed(raw).ok()?;
            Some(format!("{}: {}", spelled(point)?, simple_text(text)))
        }
        kind @ ValueType::PointPairs => match point_parts(kind, raw)[..] {
            [from, to] => Some(format!("{} → {}", spelled(from)?, spelled(to)?)),
            _ => None,
        },
        _ => None,
    }
}

/// The entry, and how many points all entries have together.
fn points(property: Property<'_>, value: Value<'_>, size: crate::go::Size, locale: Locale) -> Option<String> {
    let rectangle = value::rectangle(value.raw(), size).ok()?;
    let (from, to) = (Vertex::At(rectangle.from).to_gtp(size), Vertex::At(rectangle.to).to_gtp(size));
    let own = if from == to { from } else { format!("{from} … {to}") };
    let lists = property.values().filter_map(|value| value::rectangle(value.raw(), size).ok());
    let total: usize = lists.map(|rectangle| rectangle.area()).sum();
    Some(match (total, locale) {
        (1, _) => own,
        (_, Locale::English) => format!("{own}; {total} points in this list"),
        (_, Locale::Chinese) => format!("{own}；此列表共 {total} 点"),
    })
}

/// The komi that counts, and why.
pub(super) fn komi(record: &Record, node: NodeId, locale: Locale) -> Option<String> {
    let komi = effective(record, node).komi;
    let why = komi.reason.get(locale);
    Some(match (komi.value, locale) {
        (Some(points), Locale::English) => format!("effective komi {points} ({why})"),
        (None, _) => why.to_owned(),
        (Some(points), Locale::Chinese) => format!("实际贴目 {points}（{why}）"),
    })
}

/// The charset that a label names, by its usual name.
fn charset(raw: &str) -> Option<String> {
    encoding::named(&simple_text(raw)).map(|encoding| encoding.name().to_owned())
}

/// What is left to a player in overtime: periods, where the game has periods of one move each, else moves.
fn left(record: &Record, node: NodeId, color: Color, count: i64, locale: Locale) -> Option<String> {
    let stated = record.property(record.root_of(node), "OT");
    let overtime = stated.and_then(|property| overtime::parse(&simple_text(property.first_raw())));
    let periods = matches!(overtime, Some(Overtime::Byoyomi { .. }));
    let player = locale.player(color);
    let s = if count == 1 { "" } else { "s" };
    (count >= 0).then(|| match (periods, locale) {
        (true, Locale::English) => format!("{player} has {count} overtime period{s} left"),
        (true, Locale::Chinese) => format!("{player}还剩 {count} 次读秒"),
        (false, Locale::English) => format!("{player} has {count} move{s} left in this overtime period"),
        (false, Locale::Chinese) => format!("{player}在本读秒时段内还须下 {count} 手"),
    })
}

/// What comes behind the main time.
fn overtime_text(found: Overtime, locale: Locale) -> String {
    match (found, locale) {
        (Overtime::Byoyomi { periods, seconds }, Locale::English) => {
            format!("{periods} periods of {}", time(seconds, locale))
        }
        (Overtime::Byoyomi { periods, seconds }, Locale::Chinese) => {
            format!("读秒 {periods} 次，每次 {}", time(seconds, locale))
        }
        (Overtime::Canadian { stones, seconds }, Locale::English) => {
            format!("{stones} moves in each {}", time(seconds, locale))
        }
        (Overtime::Canadian { stones, seconds }, Locale::Chinese) => {
            format!("每 {} 须下 {stones} 手", time(seconds, locale))
        }
        (Overtime::Fischer { increment }, Locale::English) => {
            format!("each move adds {}", time(increment, locale))
        }
        (Overtime::Fischer { increment }, Locale::Chinese) => format!("每手加 {}", time(increment, locale)),
        (Overtime::Simple { seconds }, Locale::English) => format!("{} a move", time(seconds, locale)),
        (Overtime::Simple { seconds }, Locale::Chinese) => format!("每手 {}", time(seconds, locale)),
    }
}

/// A move that an engine thought of, with its numbers and how the line goes on.
fn candidate(record: &Record, node: NodeId, raw: &str, locale: Locale) -> Option<String> {
    let size = record.size(node);
    let found = Candidate::read(raw, size)?;
    let spell = |vertex: &Vertex| locale.vertex(*vertex, &vertex.to_gtp(size));
    let mut said = vec![
        format!("{} {}", found.visits, locale.pick("visits", "次计算")),
        format!("{} {} %", locale.player(Color::Black), rounded(found.winrate)),
    ];
    said.extend(found.lead.map(|lead| lead_text(lead, locale)));
    let line: Vec<String> = found.line.iter().map(spell).collect();
    Some(format!("{}: {}", line.join(" "), said.join(", ")))
}

/// Who leads by how much.
pub(super) fn lead_text(lead: f64, locale: Locale) -> String {
    let (color, points) = if lead < 0.0 { (Color::White, -lead) } else { (Color::Black, lead) };
    let player = locale.player(color);
    match locale {
        Locale::English => format!("{player} leads by {} points", rounded(points)),
        Locale::Chinese => format!("{player}领先 {} 目", rounded(points)),
    }
}

/// At most two decimals.
pub(super) fn rounded(number: f64) -> String {
    value::two_decimals(number).unwrap_or_default()
}

pub(super) fn result(text: &str, locale: Locale) -> Option<String> {
    let text = trim(text);
    let strict = GameResult::parse(text);
    let found = strict.or_else(|| GameResult::guess(text))?;
    let said = result_words(found, locale);
    let meant = locale.pick("probably", "可能是");
    Some(if strict.is_some() { said } else { format!("{meant} {found}: {said}") })
}

fn result_words(found: GameResult, locale: Locale) -> String {
    let (color, how) = match found {
        GameResult::Won(color, how) => (color, how),
        GameResult::Draw => return locale.pick("a draw", "和棋").to_owned(),
        GameResult::Void => return locale.pick("no result", "无胜负").to_owned(),
        GameResult::Unknown => return locale.pick("result unknown", "结果不明").to_owned(),
    };
    let player = locale.player(color);
    let how = match (how, locale) {
        (How::Points(points), Locale::English) => format!(" wins by {points} points"),
        (How::Points(points), Locale::Chinese) => format!("胜 {points} 目"),
        (How::Resign, _) => locale.pick(" wins by resignation", "中盘胜").to_owned(),
        (How::Time, _) => locale.pick(" wins on time", "超时胜").to_owned(),
        (How::Forfeit, _) => locale.pick(" wins by forfeit", "因对方判负而胜").to_owned(),
        (How::Unsaid, _) => locale.pick(" wins", "胜").to_owned(),
    };
    format!("{player}{how}")
}

/// Dates that are read, at most.
const DATES: usize = 20;

/// FF\[4\]'s short form written out: `1996-05-06,07` is two days. `None` when there is one date
/// only, or one that cannot be read.
fn dates(text: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    let mut shown = Vec::new();
    for piece in text.split(',').take(DATES) {
        let fields: Vec<&str> = piece.trim().split('-').collect();
        let digits = |field: &&str| field.bytes().all(|byte| byte.is_ascii_digit());
        if !fields.iter().all(|field| digits(field) && matches!(field.len(), 2 | 4)) {
            return None;
        }
        let with_year = fields.first().is_some_and(|field| field.len() == 4);
        // A piece without a year takes what it lacks from the one before it.
        let kept = match (with_year, fields.len(), parts.len()) {
            (true, 1..=3, _) => 0,
            (false, 1, 2 | 3) => parts.len() - 1,
            (false, 2, 2 | 3) => 1,
            _ => return None,
        };
        parts.truncate(kept);
        parts.extend(fields);
        shown.push(parts.join("-"));
    }
    (shown.len() > 1).then(|| shown.join(", "))
}

fn time(seconds: f64, locale: Locale) -> String {
    let whole = seconds.clamp(0.0, 1e9).round() as u64;
    let (hours, minutes, seconds) = (whole / 3600, whole / 60 % 60, whole % 60);
    let parts = [
        (hours, locale.pick("h", "小时")),
        (minutes, locale.pick("min", "分")),
        (seconds, locale.pick("s", "秒")),
    ];
    let said: Vec<String> =
        parts.iter().filter(|(count, _)| *count > 0).map(|(count, unit)| format!("{count} {unit}")).collect();
    if said.is_empty() { format!("0 {}", parts[2].1) } else { said.join(" ") }
}

pub(super) fn handicap(stones: i64, locale: Locale) -> Option<String> {
    Some(match (stones, locale) {
        (0, Locale::English) => "an even game".to_owned(),
        (0, Locale::Chinese) => "分先".to_owned(),
        (_, Locale::English) => format!("{stones} handicap stones; White moves first"),
        (_, Locale::Chinese) => format!("让 {stones} 子，白方先行"),
    })
}

fn game(number: i64, locale: Locale) -> Option<String> {
    let (english, chinese) = match number {
        1 => ("Go", "围棋"),
        2 => ("Othello", "黑白棋"),
        3 => ("Chess", "国际象棋"),
        4 => ("Gomoku and Renju", "五子棋"),
        5 => ("Nine Men's Morris", "九子棋"),
        6 => ("Backgammon", "双陆棋"),
        7 => ("Xiangqi", "象棋"),
        8 => ("Shogi", "将棋"),
        11 => ("Hex", "六贯棋"),
        _ => return None,
    };
    Some(locale.pick(english, chinese).to_owned())
}

pub(super) fn style(number: i64, locale: Locale) -> Option<String> {
    if !(0..=3).contains(&number) {
        return None;
    }
    let shown = if number & 1 == 0 {
        locale.pick("variations of the next move", "显示下一手的变化")
    } else {
        locale.pick("variations of this move", "显示本手的变化")
    };
    let marked = if number & 2 == 0 {
        locale.pick("marked on the board", "在棋盘上标出")
    } else {
        locale.pick("not marked on the board", "不在棋盘上标出")
    };
    Some(format!("{shown}{}{marked}", locale.pick(", ", "，")))
}

#[cfg(test)]
mod tests {
    use super::super::place::place;
    use super::*;

    fn decoded(property: &str, locale: Locale) -> Option<String> {
        let record = Record::parse(format!("(;SZ[19]{property})"));
        let place = place(&record, 8 + property.find('[').unwrap() as u32).unwrap();
        decode(&record, place.node, place.property.unwrap(), place.value.unwrap(), locale)
    }

    #[test]
    fn values_in_words() {
        let cases = [
            ("RE[B+R]", Some("Black wins by resignation"), Some("黑方中盘胜")),
            ("RE[W+0.5]", Some("White wins by 0.5 points"), Some("白方胜 0.5 目")),
            ("RE[0]", Some("a draw"), Some("和棋")),
            ("RE[Void]", Some("no result"), Some("无胜负")),
            ("RE[whoever]", None, None),
            ("RE[B+x]", None, None),
            // The examples of FF[4]'s page on DT.
            ("DT[1996-05,06]", Some("1996-05, 1996-06"), None),
            ("DT[1996-05-06,07,08]", Some("1996-05-06, 1996-05-07, 1996-05-08"), None),
            ("DT[1996,1997]", Some("1996, 1997"), None),
            ("DT[1996-12-27,28,1997-01-03,04]", Some("1996-12-27, 1996-12-28, 1997-01-03, 1997-01-04"), None),
            ("DT[1996-12-27,01-03]", Some("1996-12-27, 1996-01-03"), None),
            ("DT[1996-05-06]", None, None),
            ("DT[May 1996]", None, None),
            ("DT[06]", None, None),
            ("TM[3661]", Some("1 h 1 min 1 s"), Some("1 小时 1 分 1 秒")),
            ("OT[5x30 byo-yomi]", Some("5 periods of 30 s"), Some("读秒 5 次，每次 30 秒")),
            ("OT[25/600 Canadian]", Some("25 moves in each 10 min"), Some("每 10 分 须下 25 手")),
            ("OT[10 fischer]", Some("each move adds 10 s"), Some("每手加 10 秒")),
            ("OT[86400 simple]", Some("24 h a move"), Some("每手 24 小时")),
            ("OT[by hand]", None, None),
            ("TM[0]", Some("0 s"), Some("0 秒")),
            (
                "KM[375]AP[foxwq]",
                Some("effective komi 7.5 (the Fox server writes hundredths, of points or of stones)"),
                None,
            ),
            ("KM[]", Some("KM is empty: the komi is unknown"), Some("KM 为空：贴目未知")),
            ("KM[6,5]", Some("KM is no number: the komi is unknown"), None),
            ("RE[b+r]", Some("probably B+R: Black wins by resignation"), None),
            ("RE[黑中盘胜]", Some("probably B+R: Black wins by resignation"), Some("可能是 B+R: 黑方中盘胜")),
            ("RU[Chinese]", Some("RU says so: no whole position may come again, suicide is forbidden"), None),
            (
                "HA[2]",
                Some("2 handicap stones; White moves first (HA says so)"),
                Some("让 2 子，白方先行 (HA 写明)"),
            ),
            ("CA[gb2312]", Some("GBK"), None),
            ("CA[utf8]", Some("UTF-8"), None),
            ("CA[klingon]", None, None),
            ("FG[]", Some("a figure starts here"), Some("此处开始新图")),
            (
                "FG[257:Joseki]",
                Some("a figure starts here: Joseki; without coordinates, captured stones stay"),
                Some("此处开始新图：Joseki；不显示坐标，保留被提的棋子"),
            ),
            ("FG[32768:]", Some("a figure starts here; with the program's own settings"), None),
            ("FG[x:y]", None, None),
            ("V[-3.5]", Some("White leads by 3.5 points"), Some("白方领先 3.5 目")),
            ("V[2]", Some("Black leads by 2 points"), None),
            ("V[0]", Some("an even score"), Some("双方持平")),
            ("MN[7]", Some("this move is shown with the number 7"), Some("本手的编号显示为 7")),
            ("OB[5]OT[25/600 Canadian]", Some("Black has 5 moves left in this overtime period"), None),
            ("OW[1]OT[5x30 byo-yomi]", Some("White has 1 overtime period left"), Some("白方还剩 1 次读秒")),
            ("PL[W]", Some("White"), Some("白方")),
            ("GM[7]", Some("Xiangqi"), Some("象棋")),
            ("ST[2]", Some("variations of the next move, not marked on the board"), None),
            ("AP[CGoban:3]", Some("CGoban 3"), None),
            ("B[pd]", Some("Q16"), None),
            ("B[tt]", Some("pass"), Some("停着")),
            ("B[zz]", None, None),
            ("AB[aa:bb][pd]", Some("A19 … B18; 5 points in this list"), Some("A19 … B18；此列表共 5 点")),
            ("LB[pd:\\]x]", Some("Q16: ]x"), None),
            ("AR[aa:pd]", Some("A19 → Q16"), None),
            ("SBKS[-1.5]", Some("White leads by 1.5 points"), Some("白方领先 1.5 目")),
            (
                "KFCA[pd 40 53.2 1.5 pass]",
                Some("Q16 pass: 40 visits, Black 53.2 %, Black leads by 1.5 points"),
                Some("Q16 停着: 40 次计算, 黑方 53.2 %, 黑方领先 1.5 目"),
            ),
            ("KFCA[pd 40]", None, None),
            ("TE[2]", Some("emphasised"), Some("强调")),
            ("C[text]", None, None),
            ("XX[text]", None, None),
        ];
        for (property, english, chinese) in cases {
            assert_eq!(decoded(property, Locale::English).as_deref(), english, "{property}");
            if chinese.is_some() {
                assert_eq!(decoded(property, Locale::Chinese).as_deref(), chinese, "{property}");
            }
        }
    }
}

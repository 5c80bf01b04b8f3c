//! What is shown for the thing under the pointer.

use crate::go::{Color, Point, Vertex};
use crate::sgf::{NodeId, Property, Record, Span, turn, value};

use super::Locale;
use super::decode::{decode, komi, lead_text, rounded};
use super::meaning::{home_words, meaning};
use super::picture::picture;
use super::place::{Place, place, point_at, type_of};
use super::scene::{Scene, of_trace};
use super::stored::{Analysis, analysis};
use super::trace::Trace;

/// What is shown for a place of the text.
#[derive(Debug, Clone)]
pub struct Hover {
    /// The text that it is about.
    pub span: Span,
    /// Markdown. Text of the record stands in it escaped.
    pub markdown: String,
    /// The node and what there is to see at it, when the board is shown.
    pub scene: Option<(NodeId, Scene)>,
}

/// What is shown at an offset; `None` where there is nothing to say.
pub fn hover(record: &Record, offset: u32, locale: Locale) -> Option<Hover> {
    let place = place(record, offset)?;
    let Some(property) = place.property else {
        let semicolon = record.node(place.node).span.start;
        let on_it = offset == semicolon || offset == semicolon + 1;
        return if on_it { of_node(record, place.node, locale) } else { None };
    };
    let ident = property.ident();
    let mut about: Vec<String> = Vec::new();
    let mut span = property.ident_span();
    match place.value {
        None => about.extend(meaning_text(&ident, locale)),
        Some(value) => {
            span = value.span();
            // A move is named in the headline.
            let words = decode(record, place.node, property, value, locale).filter(|_| !is_move(&ident));
            about.extend(words.map(|words| format!("**{ident}**: {}", markdown(&words))));
        }
    }
    let mut scene = None;
    if shows_board(&property) && (place.value.is_some() || is_move(&ident)) {
        let pointed = point_at(record, &place, offset).map(|(point, _)| point);
        if let Some(trace) = Trace::at(record, place.node) {
            about.extend(position_text(record, &place, &trace, pointed, locale));
            scene = Some((place.node, of_trace(&trace, record, place.node)));
        }
    }
    (!about.is_empty()).then(|| Hover { span, markdown: about.join("\n\n"), scene })
}

/// What is shown for a node as a whole.
fn of_node(record: &Record, node: NodeId, locale: Locale) -> Option<Hover> {
    let start = record.node(node).span.start;
    let trace = Trace::at(record, node)?;
    let place = Place { node, property: None, value: None };
    let about = position_text(record, &place, &trace, None, locale);
    let scene = Some((node, of_trace(&trace, record, node)));
    Some(Hover { span: Span::new(start, start + 1), markdown: about.join("\n\n"), scene })
}

fn is_move(ident: &str) -> bool {
    matches!(ident, "B" | "W")
}

/// Whether the values of a property are points.
fn shows_board(property: &Property<'_>) -> bool {
    use crate::sgf::props::ValueType::*;
    matches!(type_of(property), Some(Move | Points | PointsOrNone | Labels | PointPairs))
}

fn meaning_text(ident: &str, locale: Locale) -> Option<String> {
    let known = meaning(ident, locale)?;
    let home = home_words(known.home, locale);
    Some(format!("**{ident}** — {}\n\n{} · {home}", markdown(known.what), markdown(known.values)))
}

/// Move, captures, board, stored analysis, comment.
fn position_text(
    record: &Record,
    place: &Place<'_>,
    trace: &Trace<'_>,
    pointed: Option<Point>,
    locale: Locale,
) -> Vec<String> {
    let node = place.node;
    let mut about = vec![headline(record, trace, node, locale)];
    let owner = pointed.and_then(|point| trace.stone(point)).filter(|stone| stone.node != node);
    if let Some(stone) = owner {
        let at = Vertex::At(stone.point).to_gtp(trace.board.size());
        about.push(owner_text(record, stone.color, &at, stone.node, locale));
    }
    let shown = of_trace(trace, record, node);
    about.push(format!("```text\n{}\n```", picture(&shown)));
    about.push(facts(record, trace, node, locale));
    about.extend(analysis_text(record, node, locale));
    about.extend(comment(record, node));
    about
}

fn owner_text(record: &Record, color: Color, at: &str, node: NodeId, locale: Locale) -> String {
    let number = crate::sgf::move_number(record, node);
    let played = place_is_move(record, node);
    match (played, locale) {
        (true, Locale::English) => format!("{at}: {} stone of move {number}", locale.stone(color)),
        (true, Locale::Chinese) => format!("{at}：第 {number} 手的{}子", locale.stone(color)),
        (false, Locale::English) => format!("{at}: {} stone that was set up", locale.stone(color)),
        (false, Locale::Chinese) => format!("{at}：摆放的{}子", locale.stone(color)),
    }
}

fn place_is_move(record: &Record, node: NodeId) -> bool {
    super::place::moves(record, node).next().is_some()
}

/// `Move 34: Black Q16, takes 2 stones`.
fn headline(record: &Record, trace: &Trace<'_>, node: NodeId, locale: Locale) -> String {
    let size = trace.board.size();
    let own = super::place::moves(record, node).last();
    let played = own.and_then(|(color, value)| Some((color, value::vertex(value.raw(), size).ok()?)));
    let mut line = match (played, locale) {
        (Some((color, vertex)), _) => {
            let at = locale.vertex(vertex, &vertex.to_gtp(size));
            let player = locale.player(color);
            match locale {
                Locale::English => format!("**Move {}: {player} {at}**", trace.number),
                Locale::Chinese => format!("**第 {} 手：{player} {at}**", trace.number),
            }
        }
        (None, Locale::English) => format!("**After move {}**", trace.number),
        (None, Locale::Chinese) => format!("**第 {} 手之后**", trace.number),
    };
    let taken = trace.taken.len();
    match (taken, locale) {
        (0, _) => {}
        (1, Locale::English) => line.push_str(", takes 1 stone"),
        (_, Locale::English) => line.push_str(&format!(", takes {taken} stones")),
        (_, Locale::Chinese) => line.push_str(&format!("，提 {taken} 子")),
    }
    line
}

/// Captures, ko, side to move; at a root the komi that counts.
fn facts(record: &Record, trace: &Trace<'_>, node: NodeId, locale: Locale) -> String {
    let (black, white) = (trace.board.captures(Color::Black), trace.board.captures(Color::White));
    let (to_play, _) = turn(record, node, None);
    let player = locale.player(to_play);
    let mut facts = vec![
        match locale {
            Locale::English => format!("Captures: Black {black}, White {white}"),
            Locale::Chinese => format!("提子：黑方 {black}，白方 {white}"),
        },
        match locale {
            Locale::English => format!("{player} to play"),
            Locale::Chinese => format!("轮到{player}"),
        },
    ];
    if let Some(point) = trace.board.ko() {
        let at = Vertex::At(point).to_gtp(trace.board.size());
        facts.push(format!("{} {at}", locale.pick("ko at", "劫：")));
    }
    if record.parent(node).is_none() {
        facts.extend(komi(record, node, locale));
    }
    facts.join(" · ")
}

/// The win rate that a move cost the player who made it, in percent, and the points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Loss {
    pub winrate: Option<f64>,
    pub points: Option<f64>,
}

/// What the move of a node cost, by the values stored there and before it.
pub(super) fn loss(record: &Record, node: NodeId, own: &Analysis) -> Option<Loss> {
    let (color, _) = super::place::moves(record, node).last()?;
    let before = analysis(record, record.parent(node)?)?;
    let lost = |before: Option<f64>, after: Option<f64>| {
        let change = before? - after?;
        Some(if color == Color::Black { change } else { -change })
    };
    let loss = Loss { winrate: lost(before.winrate, own.winrate), points: lost(before.lead, own.lead) };
    (loss.winrate.is_some() || loss.points.is_some()).then_some(loss)
}

fn analysis_text(record: &Record, node: NodeId, locale: Locale) -> Option<String> {
    let found = analysis(record, node)?;
    let size = record.size(node);
    let mut said = Vec::new();
    if let Some(rate) = found.winrate {
        said.push(format!("{} {} %", locale.player(Color::Black), rounded(rate)));
    }
    said.extend(found.lead.map(|lead| lead_text(lead, locale)));
    if let Some(visits) = found.visits {
        said.push(format!("{visits} {}", locale.pick("visits", "次计算")));
    }
    if let Some(loss) = loss(record, node, &found) {
        let points = loss.points.map(|points| (rounded(points), locale.pick(" points", " 目")));
        let (number, unit) = points.or(loss.winrate.map(|rate| (rounded(rate), " %")))?;
        said.push(format!("{} {number}{unit}", locale.pick("costs", "损失")));
    }
    let mut text =
        format!("{} ({}): {}", locale.pick("Stored analysis", "已存分析"), found.source, said.join(", "));
    if !found.line.is_empty() {
        let moves: Vec<String> =
            found.line.iter().take(LINE).map(|vertex| locale.vertex(*vertex, &vertex.to_gtp(size))).collect();
        text.push_str(&format!("\n\n{} {}", locale.pick("Best line:", "最佳变化："), moves.join(" ")));
    }
    Some(text)
}

/// Moves of a stored line that are shown.
const LINE: usize = 12;

/// Lines of a comment that are shown, and characters in all.
const COMMENT: (usize, usize) = (6, 400);

fn comment(record: &Record, node: NodeId) -> Option<String> {
    let raw = record.property(node, "C")?.first_raw();
    let mut rest = COMMENT.1;
    let mut lines = Vec::new();
    let text = first_words(raw, COMMENT.1 + 1);
    for line in text.lines().filter(|line| !line.trim().is_empty()).take(COMMENT.0) {
        let shown: String = line.chars().take(rest).collect();
        rest -= shown.chars().count();
        lines.push(format!("> {}", markdown(&shown)));
        if rest == 0 {
            break;
        }
    }
    (!lines.is_empty()).then(|| lines.join("  \n"))
}

/// The first characters of a text value.
fn first_words(raw: &str, count: usize) -> String {
    value::text(head(raw, count)).chars().take(count).collect()
}

/// The first characters of a text value in one line, with `…` when there are more.
pub(super) fn summary(raw: &str, count: usize) -> String {
    let head = head(raw, count);
    shorten(&value::text(head), count, head.len() < raw.len())
}

/// The first characters of a text in one line, with `…` when there are more.
pub(super) fn shorten(text: &str, count: usize, more: bool) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let shown: String = line.chars().take(count).collect();
    if !more && shown.len() == line.len() { shown } else { format!("{}…", shown.trim_end()) }
}

/// As much of a value as its first characters need: escaped ones are two, and space may be left out.
fn head(raw: &str, count: usize) -> &str {
    let end = raw.char_indices().nth(count.saturating_mul(4)).map_or(raw.len(), |(at, _)| at);
    raw.get(..end).unwrap_or(raw)
}

/// Text that Markdown shows as it is.
pub(super) fn markdown(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '~' | '&' | '!' => {
                shown.extend(['\\', letter]);
            }
            letter if letter.is_control() => shown.push(' '),
            letter => shown.push(letter),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    /// Hovers at the `|` in the text.
    fn check(marked: &str, locale: Locale, expected: Expect) {
        let offset = marked.find('|').unwrap();
        let text = marked.replacen('|', "", 1);
        let record = Record::parse(text.as_str());
        let shown = match hover(&record, offset as u32, locale) {
            Some(hover) => format!("{:?}\n{}\n", hover.span.slice(&text), hover.markdown),
            None => "-\n".to_owned(),
        };
        expected.assert_eq(&shown);
    }

    #[test]
    fn on_a_move() {
        check(
            "(;SZ[3]KM[0]AW[aa:ba]SBKV[60];B[ca]SBKV[40];W[];B[ab];W[cc]C[a *b*\n\n](c)];B[bb|]SBKV[90]SBKS[2]C[Fine, <b>bold\\]</b>\n\nsecond])",
            Locale::English,
            expect![[r#"
                "[bb]"
                **Move 5: Black B2**, takes 2 stones

                ```text
                   A B C
                 3 . . X 3
                 2 X(X). 2
                 1 . . O 1
                   A B C
                ```

                Captures: Black 2, White 0 · White to play

                Stored analysis (SBKV): Black 90 %, Black leads by 2 points

                > Fine, \<b\>bold\]\</b\>  
                > second
            "#]],
        );
        check(
            "(;SZ[3]SBKV[60]SBKS[1];W[b|b]SBKV[55]SBKS[3])",
            Locale::English,
            expect![[r#"
            "[bb]"
            **Move 1: White B2**

            ```text
               A B C
             3 . . . 3
             2 .(O). 2
             1 . . . 1
               A B C
            ```

            Captures: Black 0, White 0 · Black to play

            Stored analysis (SBKV): Black 55 %, Black leads by 3 points, costs 2 points
        "#]],
        );
        check(
            "(;SZ[3];B[ca];|W[bb]SBKV[55])",
            Locale::Chinese,
            expect![[r#"
            "W"
            **W** — White's move

            一个点，空值为停一手 · 着法

            **第 2 手：白方 B2**

            ```text
               A B C
             3 . . X 3
             2 .(O). 2
             1 . . . 1
               A B C
            ```

            提子：黑方 0，白方 0 · 轮到黑方

            已存分析 (SBKV): 黑方 55 %
        "#]],
        );
    }

    #[test]
    fn on_points_and_marks() {
        check(
            "(;SZ[3]AB[aa];B[ca];W[bb]TR[c|a])",
            Locale::English,
            expect![[r#"
            "[ca]"
            **TR**: C3

            **Move 2: White B2**

            C3: black stone of move 1

            ```text
               A B C
             3 X . X 3
             2 .(O). 2
             1 . . . 1
               A B C
            ```

            Captures: Black 0, White 0 · Black to play
        "#]],
        );
    }

    #[test]
    fn on_names_and_values() {
        check(
            "(;SZ[19]K|M[375]AP[foxwq])",
            Locale::English,
            expect![[r#"
            "KM"
            **KM** — komi

            a number · game info
        "#]],
        );
        check(
            "(;SZ[19]KM[3|75]AP[foxwq])",
            Locale::English,
            expect![[r#"
            "[375]"
            **KM**: effective komi 7.5 (the Fox server writes hundredths)
        "#]],
        );
        check(
            "(;SZ[19]RE[W+|R])",
            Locale::Chinese,
            expect![[r#"
            "[W+R]"
            **RE**: 白方中盘胜
        "#]],
        );
        check(
            "(;GM[2]B[a|1])",
            Locale::English,
            expect![[r#"
            -
        "#]],
        );
        check(
            "(;C[he|llo])",
            Locale::English,
            expect![[r#"
            -
        "#]],
        );
        check(
            "(;Z|Z[x])",
            Locale::English,
            expect![[r#"
            -
        "#]],
        );
        check(
            "head|er (;B[aa])",
            Locale::English,
            expect![[r#"
            -
        "#]],
        );
        check(
            "(;B[|",
            Locale::English,
            expect![[r#"
            "["
            **Move 1: Black pass**

            ```text
               A B C D E F G H J K L M N O P Q R S T
            19 . . . . . . . . . . . . . . . . . . . 19
            18 . . . . . . . . . . . . . . . . . . . 18
            17 . . . . . . . . . . . . . . . . . . . 17
            16 . . . + . . . . . + . . . . . + . . . 16
            15 . . . . . . . . . . . . . . . . . . . 15
            14 . . . . . . . . . . . . . . . . . . . 14
            13 . . . . . . . . . . . . . . . . . . . 13
            12 . . . . . . . . . . . . . . . . . . . 12
            11 . . . . . . . . . . . . . . . . . . . 11
            10 . . . + . . . . . + . . . . . + . . . 10
             9 . . . . . . . . . . . . . . . . . . . 9
             8 . . . . . . . . . . . . . . . . . . . 8
             7 . . . . . . . . . . . . . . . . . . . 7
             6 . . . . . . . . . . . . . . . . . . . 6
             5 . . . . . . . . . . . . . . . . . . . 5
             4 . . . + . . . . . + . . . . . + . . . 4
             3 . . . . . . . . . . . . . . . . . . . 3
             2 . . . . . . . . . . . . . . . . . . . 2
             1 . . . . . . . . . . . . . . . . . . . 1
               A B C D E F G H J K L M N O P Q R S T
            ```

            Captures: Black 0, White 0 · White to play · komi unknown (none is stated)
        "#]],
        );
    }
}

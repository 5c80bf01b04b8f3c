//! What a game was played with, and why we think so: komi, handicap, rules, side to move.

use crate::go::referee::{Ko, MoveRules};
use crate::go::{Board, Color};

use super::info::KomiSource;
use super::position::{MAX_SETUP, Turn, movers, turn};
use super::value::{self, number, simple_text};
use super::{NodeId, Property, Record, Span, Words};

/// A value and where it comes from.
#[derive(Debug, Clone, PartialEq)]
pub struct Because<T> {
    /// The value.
    pub value: T,
    /// One sentence: why.
    pub reason: Words,
    /// The property that says so.
    pub span: Option<Span>,
}

impl<T> Because<T> {
    fn new(value: T, en: impl Into<String>, zh: impl Into<String>, span: Option<Span>) -> Because<T> {
        Because { value, reason: Words::new(en.into(), zh.into()), span }
    }
}

/// What holds at a node.
#[derive(Debug, Clone, PartialEq)]
pub struct Effective {
    /// Komi in points; `None` when the record does not tell.
    pub komi: Because<Option<f64>>,
    /// Handicap stones.
    pub handicap: Because<u32>,
    /// Rules as the record names them.
    pub rules: Because<Option<String>>,
    /// Who moves next.
    pub to_play: Because<Color>,
}

/// Komi, handicap, rules and side to move at a node of a game of Go.
pub fn effective(record: &Record, node: NodeId) -> Effective {
    Effective {
        komi: komi(record, node),
        handicap: handicap(record, record.root_of(node)),
        rules: rules(record, node),
        to_play: to_play(record, node),
    }
}

fn nearest(record: &Record, node: NodeId, ident: &str) -> Option<Span> {
    let mut line = std::iter::successors(Some(node), |node| record.parent(*node));
    line.find_map(|node| record.property(node, ident)).map(|property| property.span())
}

fn komi(record: &Record, node: NodeId) -> Because<Option<f64>> {
    let komi = record.komi(node);
    let (en, zh) = match komi.source {
        KomiSource::Stated => ("KM says so", "KM 写明"),
        KomiSource::FoxHundredths => {
            ("the Fox server writes hundredths, of points or of stones", "野狐服务器以百分之一目或子为单位")
        }
        KomiSource::InKo => ("it stands in KO", "写在了 KO 中"),
        KomiSource::Missing => ("there is no KM: the komi is unknown", "没有 KM：贴目未知"),
        KomiSource::Empty => ("KM is empty: the komi is unknown", "KM 为空：贴目未知"),
        KomiSource::Unreadable => ("KM is no number: the komi is unknown", "KM 不是数字：贴目未知"),
        KomiSource::OutOfRange => ("no game has such a KM: the komi is unknown", "KM 超出可能范围：贴目未知"),
    };
    let name = if komi.source == KomiSource::InKo { "KO" } else { "KM" };
    Because::new(komi.points, en, zh, nearest(record, node, name))
}

fn rules(record: &Record, node: NodeId) -> Because<Option<String>> {
    let mut line = std::iter::successors(Some(node), |node| record.parent(*node));
    let named = line.find_map(|node| record.property(node, "RU"));
    let text = named.map(|ru| simple_text(ru.first_raw()).trim().to_owned()).filter(|text| !text.is_empty());
    let Some(text) = text else {
        return Because::new(
            None,
            "there is no RU: only what all rules forbid is taken for illegal",
            "没有 RU：只把所有规则都禁止的着法视为不合规则",
            named.map(|ru| ru.span()),
        );
    };
    let MoveRules { ko, suicide } = MoveRules::named(Some(&text));
    let (en, zh) = match ko {
        Ko::Simple => ("a ko may not be retaken at once", "不得立即回提劫"),
        Ko::Positional => ("no whole position may come again", "禁止全局同形"),
        Ko::Situational => {
            ("no whole position may come again with the same side to move", "禁止同一方行棋的全局同形")
        }
    };
    let (may, may_zh) = if suicide { ("allowed", "允许") } else { ("forbidden", "禁止") };
    let reason = format!("RU says so: {en}, suicide is {may}");
    let span = named.map(|ru| ru.span());
    Because::new(Some(text), reason, format!("RU 写明：{zh}，{may_zh}自杀"), span)
}

fn to_play(record: &Record, node: NodeId) -> Because<Color> {
    let (color, why) = turn(record, node, None);
    let (en, zh) = match why {
        Turn::Stated => ("PL says so", "PL 写明"),
        Turn::NextMove => ("the next move is theirs", "下一手是这一方"),
        Turn::LastMove => ("the other side moved last", "上一手是对方"),
        Turn::Handicap => ("Black has handicap stones", "黑方受让子"),
        Turn::Opening => ("Black begins", "黑方先行"),
    };
    let span = if why == Turn::Stated { nearest(record, node, "PL") } else { None };
    Because::new(color, en, zh, span)
}

/// The most leading moves of Black that are taken for a handicap.
const MAX_LEADING: usize = 25;

/// How the main line of a game begins: set-up before the first move, then moves of Black before
/// White's first one.
#[derive(Debug, Default)]
pub(super) struct Opening {
    /// Black and white stones set up before the first move.
    pub stones: [usize; 2],
    /// The nodes of Black's moves before White's first.
    pub leading: Vec<NodeId>,
    /// Whether these are stones on different points.
    only_stones: bool,
    /// Whether anybody moves.
    pub is_played: bool,
    /// Whether White moves behind `leading`.
    pub white_answers: bool,
}

impl Opening {
    /// Reads the main line as far as needed.
    pub fn of(record: &Record, root: NodeId) -> Opening {
        let mut opening = Opening { only_stones: true, ..Opening::default() };
        let mut taken = Vec::new();
        let size = record.size(root);
        let mut board = None;
        let mut budget = MAX_SETUP;
        for node in std::iter::successors(Some(root), |node| record.children(*node).next()) {
            for (color, property) in movers(record, node) {
                opening.is_played = true;
                opening.white_answers |= color == Color::White;
                if !opening.white_answers {
                    opening.leading.push(node);
                    let stone = value::point(property.first_raw(), size).ok();
                    opening.only_stones &= stone.is_some_and(|point| !taken.contains(&point));
                    taken.extend(stone);
                }
            }
            if opening.white_answers || opening.leading.len() > MAX_LEADING {
                break;
            }
            if !opening.is_played {
                let setup =
                    record.properties(node).filter_map(|property| Some((set_by(&property)?, property)));
                for (stone, property) in setup {
                    let board = board.get_or_insert_with(|| Board::new(size));
                    set_up(property, stone, board, &mut budget);
                }
            }
        }
        let stones = board.iter().flat_map(Board::stones);
        stones.for_each(|(_, color)| opening.stones[color as usize] += 1);
        opening
    }

    /// How many of Black's moves are handicap stones, given `HA`: Black moves several times before
    /// White does, as many times as `HA` says or where nothing else tells of a handicap.
    pub fn as_moves(&self, stated: Option<i64>) -> usize {
        let count = self.leading.len();
        let many = (2..=MAX_LEADING).contains(&count) && self.only_stones;
        let plausible = many && self.white_answers && self.stones == [0, 0];
        match stated {
            Some(stated) if stated >= 2 && stated != count as i64 => 0,
            _ if plausible => count,
            _ => 0,
        }
    }
}

/// What a property of set-up puts on its points.
fn set_by(property: &Property<'_>) -> Option<Option<Color>> {
    match property.ident().as_ref() {
        "AB" => Some(Some(Color::Black)),
        "AW" => Some(Some(Color::White)),
        "AE" => Some(None),
        _ => None,
    }
}

fn set_up(property: Property<'_>, stone: Option<Color>, board: &mut Board, budget: &mut usize) {
    for value in property.values() {
        let Ok(area) = value::rectangle(value.raw(), board.size()) else { continue };
        let Some(left) = budget.checked_sub(area.area()) else { return };
        *budget = left;
        area.points().for_each(|point| board.set(point, stone));
    }
}

fn handicap(record: &Record, root: NodeId) -> Because<u32> {
    let property = record.property(root, "HA");
    let span = property.map(|ha| ha.span());
    let stated = property.and_then(|ha| number(ha.first_raw()).ok());
    let opening = Opening::of(record, root);
    let [black, white] = opening.stones;
    let moves = opening.as_moves(stated);
    if moves > 0 {
        let (en, zh) = ("Black moves so often before White does", "白方首手之前黑方连下这么多手");
        return Because::new(moves as u32, en, zh, span);
    }
    match stated {
        Some(stones) if (2..=361).contains(&stones) => {
            Because::new(stones as u32, "HA says so", "HA 写明", span)
        }
        _ if black >= 2 && white == 0 && opening.white_answers && opening.leading.is_empty() => {
            let (en, zh) = ("Black has so many stones before White begins", "白方先行之前已摆好这么多黑子");
            Because::new(black as u32, en, zh, None)
        }
        Some(_) => Because::new(0, "HA says so", "HA 写明", span),
        None => Because::new(0, "nothing tells of a handicap", "没有让子的记载", span),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handicaps() {
        let cases = [
            ("(;HA[2]AB[dd][pp];W[aa])", 2, "HA says so"),
            ("(;HA[0];B[aa];W[bb])", 0, "HA says so"),
            ("(;B[aa];W[bb])", 0, "nothing tells of a handicap"),
            ("(;AB[dd][pp][dd];W[aa])", 2, "Black has so many stones before White begins"),
            ("(;AB[dd:ee]AW[aa];W[ab])", 0, "nothing tells of a handicap"),
            ("(;AB[dd][pp])", 0, "nothing tells of a handicap"),
            ("(;HA[2];B[aa];B[bb];W[cc])", 2, "Black moves so often before White does"),
            ("(;HA[0];;B[aa];B[bb];B[dd];W[cc])", 3, "Black moves so often before White does"),
            ("(;HA[4];B[aa];B[bb];W[cc])", 4, "HA says so"),
            ("(;B[aa];B[bb];B[cc])", 0, "nothing tells of a handicap"),
            ("(;HA[2];AB[dd][pp];W[aa])", 2, "HA says so"),
        ];
        for (text, stones, reason) in cases {
            let record = Record::parse(text);
            let found = effective(&record, NodeId(0)).handicap;
            assert_eq!((found.value, found.reason.en.as_ref()), (stones, reason), "{text}");
        }
    }

    #[test]
    fn the_rest() {
        let text = "(;KM[375]AP[foxwq]RU[Chinese]PL[W];B[aa])";
        let record = Record::parse(text);
        let found = effective(&record, NodeId(0));
        assert_eq!((found.komi.value, found.komi.span.unwrap().slice(text)), (Some(7.5), "KM[375]"));
        assert_eq!(found.rules.value.as_deref(), Some("Chinese"));
        assert_eq!(
            found.rules.reason.en,
            "RU says so: no whole position may come again, suicide is forbidden"
        );
        assert_eq!((found.to_play.value, found.to_play.span.unwrap().slice(text)), (Color::White, "PL[W]"));
        let found = effective(&record, NodeId(1));
        assert_eq!(
            (found.to_play.value, found.to_play.reason.en.as_ref()),
            (Color::White, "the other side moved last")
        );
        let none = effective(&Record::parse("(;SZ[7]KM[])"), NodeId(0));
        assert_eq!((none.komi.value, none.komi.reason.zh.as_ref()), (None, "KM 为空：贴目未知"));
        assert_eq!((none.rules.value, none.rules.span), (None, None));
    }
}

//! Moves that lost much as findings of a record. Pure.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

use super::fingerprint::{Fingerprint, fingerprints};
use super::judge::{Class, Judged, Known, judge};
use super::row::LossUnit;
use crate::go::{Color, Vertex};
use crate::language::actions::insert_line;
use crate::service::settings::Blunders;
use crate::sgf::{Finding, Fix, NodeId, Record, Words};

/// The moves of the better line that a fix inserts, at most.
const LINE: usize = 10;

/// Whose moves are judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Players {
    Both,
    One(Color),
    Nobody,
}

/// What a review has found, by positions.
pub type Positions = HashMap<Fingerprint, Arc<Known>>;

/// The findings: at most so many a game as the settings say, the worst, in no order.
pub fn verdicts(record: &Record, positions: &Positions, settings: &Blunders) -> Vec<Finding> {
    if !settings.show {
        return Vec::new();
    }
    (0..record.games().len()).flat_map(|game| of_game(record, game, positions, settings)).collect()
}

fn of_game(record: &Record, game: usize, positions: &Positions, settings: &Blunders) -> Vec<Finding> {
    let players = players(record, game, &settings.player);
    if players == Players::Nobody {
        return Vec::new();
    }
    let nodes = fingerprints(record, game);
    let first = nodes.first().map_or(0, |(node, _)| node.0);
    let known = |node: NodeId| {
        let (_, fingerprint) = nodes.get(node.0.checked_sub(first)? as usize)?;
        positions.get(fingerprint)
    };
    let judged = nodes.iter().filter_map(|(node, _)| {
        let judged = judge(record, *node, known)?;
        let counts = players == Players::Both || players == Players::One(judged.played.color);
        Some((judged.class(settings).filter(|_| counts)?, judged))
    });
    let mut bad: Vec<(Class, Judged)> = judged.collect();
    // Stable: of equal ones the earlier.
    bad.sort_by(|(one_class, one), (two_class, two)| {
        Reverse(one_class).cmp(&Reverse(two_class)).then(two.loss.amount.total_cmp(&one.loss.amount))
    });
    bad.truncate(settings.limit);
    bad.iter().filter_map(|(class, judged)| finding(record, *class, judged)).collect()
}

/// Whom the setting means in a game.
fn players(record: &Record, game: usize, wanted: &str) -> Players {
    let wanted = wanted.trim().to_lowercase();
    match wanted.as_str() {
        "" => return Players::Both,
        "black" | "b" => return Players::One(Color::Black),
        "white" | "w" => return Players::One(Color::White),
        _ => {}
    }
    let Some(info) = record.info(game) else { return Players::Nobody };
    let is = |name: &Option<String>| name.as_ref().is_some_and(|name| name.trim().to_lowercase() == wanted);
    match (is(&info.black), is(&info.white)) {
        (true, true) => Players::Both,
        (true, false) => Players::One(Color::Black),
        (false, true) => Players::One(Color::White),
        (false, false) => Players::Nobody,
    }
}

fn finding(record: &Record, class: Class, judged: &Judged) -> Option<Finding> {
    let letter = judged.played.color.letter();
    let span = record.properties(judged.node).find(|property| property.is(letter))?.span();
    let words = words(class, judged, &|vertex| vertex.to_gtp(record.size(judged.node)));
    let line = judged.line.get(..judged.line.len().min(LINE)).unwrap_or_default();
    // Nothing is offered where the record has the line already.
    let edits = insert_line(record, judged.before, line).unwrap_or_default();
    let title = Words::new("add the engine's line as a variation", "将引擎变化加入棋谱");
    let fix = (!edits.is_empty()).then_some(Fix { title, edits, safe: false });
    Some(Finding::new(class.code(), span, words.en, words.zh).with_fix(fix))
}

fn words(class: Class, judged: &Judged, spell: &dyn Fn(Vertex) -> String) -> Words {
    let (en, zh) = match class {
        Class::Inaccuracy => ("an inaccuracy", "疑问手"),
        Class::Mistake => ("a mistake", "失误"),
        Class::Blunder => ("a blunder", "恶手"),
    };
    let amount = judged.loss.amount;
    let (mut en, mut zh) = match judged.loss.unit {
        LossUnit::Points => {
            (format!("{en}: it loses {amount:.1} points"), format!("{zh}：损失 {amount:.1} 目"))
        }
        LossUnit::Percent => {
            (format!("{en}: it loses {amount:.1} % of win rate"), format!("{zh}：胜率下降 {amount:.1}%"))
        }
    };
    if let Some(best) = judged.line.first() {
        let (best_en, best_zh) = match *best {
            Vertex::Pass => ("a pass".to_owned(), "停着".to_owned()),
            at => (spell(at), format!("{} ", spell(at))),
        };
        en.push_str(&format!("; {best_en} was better"));
        zh.push_str(&format!("，{best_zh}更好"));
    }
    Words::new(en, zh)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::service::writeback::Value;
    use crate::sgf::{Severity, apply_edits};

    /// What a review would have found: for each node of a game Black's lead and the engine's line.
    fn positions(text: &str, found: &[(f64, &str)]) -> Positions {
        let record = Record::parse(text);
        let size = record.size(NodeId(0));
        let known = |(lead, line): &(f64, &str)| Known {
            value: Value::new(Color::Black, 50.0, Some(*lead)),
            line: line.split_whitespace().filter_map(|word| Vertex::parse_gtp(word, size)).collect(),
            review: 1,
        };
        let nodes = fingerprints(&record, 0).into_iter().zip(found);
        nodes.map(|((_, fingerprint), found)| (fingerprint, Arc::new(known(found)))).collect()
    }

    const GAME: &str = "(;SZ[9]PB[Lee]PW[Ke];B[ee];W[cc];B[gg];W[aa];B[gc])";

    /// Black loses 3 points with the first move, White 21.5 with the fourth, Black 5 with the last.
    fn game() -> Positions {
        positions(
            GAME,
            &[(3.0, "C3 D4"), (0.0, "C7"), (0.0, "G3"), (0.5, "F7 F3 pass D4"), (22.0, "pass"), (17.0, "A1")],
        )
    }

    fn shown(text: &str, positions: &Positions, settings: &Blunders) -> String {
        let findings = verdicts(&Record::parse(text), positions, settings);
        let line = |finding: &Finding| {
            format!("{} {} {}", finding.span.slice(text), finding.code, finding.message.en)
        };
        findings.iter().map(line).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn the_worst_come_first() {
        expect_test::expect![[r#"
            W[aa] blunder a blunder: it loses 21.5 points; F7 was better
            B[gc] mistake a mistake: it loses 5.0 points; a pass was better
            B[ee] inaccuracy an inaccuracy: it loses 3.0 points; C3 was better"#]]
        .assert_eq(&shown(GAME, &game(), &Blunders::default()));
        let findings = verdicts(&Record::parse(GAME), &game(), &Blunders::default());
        let severities: Vec<Severity> = findings.iter().map(|finding| finding.severity).collect();
        assert_eq!(severities, [Severity::Warning, Severity::Information, Severity::Hint]);
        assert_eq!(findings[1].message.zh, "失误：损失 5.0 目，停着更好");
    }

    #[test]
    fn the_fix_is_the_better_line_behind_the_node_before() {
        let record = Record::parse(GAME);
        let findings = verdicts(&record, &game(), &Blunders::default());
        let fix = findings[0].fix.as_ref().unwrap();
        assert!(!fix.safe, "a person looks at it");
        let after = apply_edits(GAME, &fix.edits);
        let line = "(;W[aa];B[gc])(;W[fc];B[fg];W[];B[df])";
        assert_eq!(after, format!("(;SZ[9]PB[Lee]PW[Ke];B[ee];W[cc];B[gg]{line})"));
        // The move is as bad as before, but there is nothing left to add.
        let findings = verdicts(&Record::parse(after), &game(), &Blunders::default());
        assert_eq!((findings.len(), findings[0].fix.as_ref()), (3, None));
    }

    #[test]
    fn players_and_numbers_are_chosen() {
        let codes = |player: &str, limit| {
            let settings = Blunders { player: player.to_owned(), limit, ..Blunders::default() };
            let findings = verdicts(&Record::parse(GAME), &game(), &settings);
            findings.iter().map(|finding| finding.code.name()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(codes("black", 9), "mistake inaccuracy");
        assert_eq!(codes(" LEE ", 1), "mistake");
        assert_eq!(codes("ke", 9), "blunder");
        assert_eq!(codes("Shin", 9), "");
        assert_eq!(codes("", 2), "blunder mistake");
        let off = Blunders { show: false, ..Blunders::default() };
        assert_eq!(verdicts(&Record::parse(GAME), &game(), &off), []);
    }

    #[test]
    fn edits_elsewhere_keep_them_and_edits_of_the_line_do_not() {
        let codes = |from: &str, to: &str| {
            let text = GAME.replacen(from, to, 1);
            let findings = verdicts(&Record::parse(text), &game(), &Blunders::default());
            findings.iter().map(|finding| finding.code.name()).collect::<Vec<_>>().join(" ")
        };
        let all = "blunder mistake inaccuracy";
        assert_eq!(codes("W[cc]", "W[cc]C[x]"), all);
        assert_eq!(codes(";B[gc]", "(;B[gc])(;B[aa])"), all);
        assert_eq!(codes("B[gc]", "B[hc]"), "blunder inaccuracy", "the last move is another one");
        assert_eq!(codes("W[cc]", "W[cd]"), "inaccuracy", "the line is another from there on");
        assert_eq!(codes("SZ[9]", "SZ[9]KM[7]"), "");
    }

    #[test]
    fn the_engines_own_choice_is_no_blunder() {
        let text = "(;SZ[9];B[ee];W[cc])";
        let found = positions(text, &[(9.0, "E5"), (0.0, ""), (9.0, "")]);
        // White's move: what was better is not known.
        assert_eq!(shown(text, &found, &Blunders::default()), "W[cc] blunder a blunder: it loses 9.0 points");
    }
}

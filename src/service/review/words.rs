//! Reports as texts for people: tables for terminals, Markdown. Pure.

use super::report::{GameReport, PartReport, PlayerReport, Source, WorstMove};
use super::row::LossUnit;
use crate::locale::Locale;
use crate::text_table::{Column, Table};

fn pick(locale: Locale, english: &'static str, chinese: &'static str) -> &'static str {
    match locale {
        Locale::English => english,
        Locale::Chinese => chinese,
    }
}

/// The headings of the numbers of a phase.
fn headings(locale: Locale) -> [&'static str; 9] {
    let words: [(&str, &str); 9] = [
        ("player", "棋手"),
        ("phase", "阶段"),
        ("moves", "手数"),
        ("points lost", "目损"),
        ("win rate lost", "胜率损失"),
        ("best moves", "首选率"),
        ("inaccuracies", "疑问手"),
        ("mistakes", "失误"),
        ("blunders", "恶手"),
    ];
    words.map(|(english, chinese)| pick(locale, english, chinese))
}

/// The headings of the list of bad moves.
fn worst_headings(locale: Locale) -> [&'static str; 6] {
    let words: [(&str, &str); 6] = [
        ("player", "棋手"),
        ("move", "手"),
        ("played", "实战"),
        ("loss", "损失"),
        ("class", "评价"),
        ("better", "更好的着法"),
    ];
    words.map(|(english, chinese)| pick(locale, english, chinese))
}

/// A table for terminals.
pub fn table(report: &GameReport, locale: Locale) -> String {
    let columns = headings(locale).map(|heading| match heading {
        "player" | "phase" | "棋手" | "阶段" => Column::left(heading),
        _ => Column::right(heading),
    });
    let mut numbers = Table::new(&columns);
    rows(report, locale).into_iter().for_each(|row| numbers.row(row));
    let columns = worst_headings(locale).map(|heading| match heading {
        "move" | "loss" | "手" | "损失" => Column::right(heading),
        _ => Column::left(heading),
    });
    let mut worst = Table::new(&columns);
    let rows = worst_rows(report, locale);
    let is_empty = rows.is_empty();
    rows.into_iter().for_each(|row| worst.row(row));
    match is_empty {
        true => numbers.to_string(),
        false => format!("{numbers}\n{worst}"),
    }
}

/// Markdown: two tables, and a line that says what they count.
pub fn markdown(report: &GameReport, locale: Locale) -> String {
    let mut text = lines(&headings(locale), rows(report, locale));
    let worst = worst_rows(report, locale);
    if !worst.is_empty() {
        text.push_str(&format!("\n{}", lines(&worst_headings(locale), worst)));
    }
    let [opening, middle] = report.phase_ends;
    let source = match report.source {
        Source::Review => pick(locale, "a review", "复盘分析"),
        Source::Record => pick(locale, "the record", "棋谱"),
    };
    text.push_str(&match locale {
        Locale::English => format!(
            "\nValues from {source}. Opening: up to move {opening}; middle game: up to move {middle}. \
             A move that gains loses nothing.\n"
        ),
        Locale::Chinese => {
            format!("\n数值来自{source}。布局：至第 {opening} 手；中盘：至第 {middle} 手。有所得的着法按无损失计。\n")
        }
    });
    text
}

fn lines(headings: &[&str], rows: Vec<Vec<String>>) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let head: Vec<String> = headings.iter().map(|heading| (*heading).to_owned()).collect();
    let rule = format!("|{}\n", "---|".repeat(headings.len()));
    let rows: String =
        rows.iter().map(|row| line(&row.iter().map(|cell| plain(cell)).collect::<Vec<_>>())).collect();
    line(&head) + &rule + &rows
}

/// A cell that Markdown shows as it is.
fn plain(cell: &str) -> String {
    let mut text = String::new();
    for character in cell.chars() {
        match character {
            '|' | '\\' | '*' | '_' | '`' | '<' | '[' | ']' | '&' => text.extend(['\\', character]),
            character if character.is_control() => text.push(' '),
            character => text.push(character),
        }
    }
    text
}

fn players(report: &GameReport, locale: Locale) -> [(String, &PlayerReport); 2] {
    let named = |color: &str, player: &PlayerReport| match &player.name {
        // Control characters would move the terminal's cursor.
        Some(name) => {
            let name: String = name.chars().filter(|character| !character.is_control()).take(40).collect();
            format!("{color} {name}").trim_end().to_owned()
        }
        None => color.to_owned(),
    };
    let (black, white) = (&report.players.black, &report.players.white);
    [
        (named(pick(locale, "Black", "黑方"), black), black),
        (named(pick(locale, "White", "白方"), white), white),
    ]
}

fn rows(report: &GameReport, locale: Locale) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    for (name, player) in players(report, locale) {
        for (phase, part) in [
            (pick(locale, "all", "全局"), &player.total),
            (pick(locale, "opening", "布局"), &player.opening),
            (pick(locale, "middle", "中盘"), &player.middle),
            (pick(locale, "endgame", "官子"), &player.endgame),
        ] {
            rows.push(row(&name, phase, part));
        }
    }
    rows
}

fn row(player: &str, phase: &str, part: &PartReport) -> Vec<String> {
    let number = |number: Option<f64>, unit: &str| number.map_or("-".to_owned(), |n| format!("{n:.1}{unit}"));
    vec![
        player.to_owned(),
        phase.to_owned(),
        part.moves.to_string(),
        number(part.mean_points, ""),
        number(part.mean_percent, "%"),
        number(part.best_rate, "%"),
        part.inaccuracies.to_string(),
        part.mistakes.to_string(),
        part.blunders.to_string(),
    ]
}

fn worst_rows(report: &GameReport, locale: Locale) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    for (name, player) in players(report, locale) {
        rows.extend(player.worst.iter().map(|worst| worst_row(&name, worst, locale)));
    }
    rows
}

fn worst_row(player: &str, worst: &WorstMove, locale: Locale) -> Vec<String> {
    let unit = match worst.loss_unit {
        LossUnit::Points => "",
        LossUnit::Percent => "%",
    };
    let class = match worst.class {
        Some("blunder") => pick(locale, "blunder", "恶手"),
        Some("mistake") => pick(locale, "mistake", "失误"),
        Some("inaccuracy") => pick(locale, "inaccuracy", "疑问手"),
        _ => "",
    };
    vec![
        player.to_owned(),
        worst.move_number.to_string(),
        worst.played.clone(),
        format!("{:.1}{unit}", worst.loss),
        class.to_owned(),
        worst.best.clone().unwrap_or_default(),
    ]
}

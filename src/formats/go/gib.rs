//! GIB, the records of Tygem.
//!
//! Sources: Sabaki's reader and files of the server; there is no specification. Lines `\[NAME=value\]`,
//! then `INI` with the handicap and `STO … colour column row` for each move, from 0 and from the top
//! left. `SKI` for a pass is what other converters say; no file with one was at hand.

use super::game::Game;
use super::text::{between, leading_number, text};
use super::{Imported, LineNote};
use crate::go::{Color, Point, Vertex};

/// Reads a file.
///
/// # Errors
/// When no line of it is one of the format's.
pub fn read_gib(file: &[u8]) -> Result<Imported, LineNote> {
    let (text, charset) = text(file, None);
    let mut game = Game::new();
    let mut known = false;
    for (index, line) in text.lines().enumerate() {
        known |= read_line(&mut game, index + 1, line.trim());
    }
    if !known {
        return Err(LineNote {
            line: 1,
            what: "no line is one of a GIB file, like \\[GAMEWHITENAME=…\\] or STO".into(),
        });
    }
    Ok(game.finish(charset))
}

/// Whether the line is one of the format's.
fn read_line(game: &mut Game, number: usize, line: &str) -> bool {
    if let Some(field) = line.strip_prefix("\\[") {
        let field = field.strip_suffix("\\]").unwrap_or(field);
        let Some((name, value)) = field.split_once('=') else { return false };
        header(game, name, value);
        return name.starts_with("GAME");
    }
    let mut words = line.split_ascii_whitespace();
    match words.next() {
        Some("INI") => game.fixed_handicap(words.nth(2).and_then(leading_number).unwrap_or(0)),
        Some("STO") => {
            let numbers: Vec<_> = words.map(leading_number).collect();
            let point = |at: usize| numbers.get(at).copied().flatten().and_then(|it| u8::try_from(it).ok());
            match (point(3), point(4)) {
                (Some(col), Some(row)) => {
                    let color = if point(2) == Some(1) { Color::Black } else { Color::White };
                    game.play(number, color, Vertex::At(Point::new(col, row)));
                }
                _ => game.note(number, "a move has a colour, a column and a row behind two numbers"),
            }
        }
        Some("SKI") => game.play(number, game.next_color(), Vertex::Pass),
        _ => return false,
    }
    true
}

fn header(game: &mut Game, name: &str, value: &str) {
    match name {
        "GAMEBLACKNAME" => player(game, value, "PB", "BR"),
        "GAMEWHITENAME" => player(game, value, "PW", "WR"),
        "GAMEPLACE" => game.info("PC", value),
        "GAMENAME" => game.info("EV", value),
        "GAMECOMMENT" => game.info("GC", value),
        "GAMEINFOMAIN" => {
            result(game, between(value, "GRLT:", ','), between(value, "ZIPSU:", ','));
            komi(game, between(value, "GONGJE:", ','));
            time(game, between(value, "GTIME:", ',').unwrap_or(""));
        }
        "GAMETAG" => {
            let date = between(value, "C", ',').unwrap_or("");
            let parts: Vec<_> = date.split(':').take(3).collect();
            let widths: Vec<_> = parts.iter().map(|part| part.len()).collect();
            if widths == [4, 2, 2] && parts.concat().bytes().all(|byte| byte.is_ascii_digit()) {
                game.info("DT", &parts.join("-"));
            }
            result(game, between(value, ",W", ','), between(value, ",Z", ','));
            komi(game, between(value, ",G", ','));
        }
        _ => {}
    }
}

/// `name (rank)`.
fn player(game: &mut Game, value: &str, name: &'static str, rank: &'static str) {
    let parts = value.trim().strip_suffix(')').and_then(|inside| inside.split_once('('));
    match parts.filter(|(player, level)| !player.trim().is_empty() && !level.contains(['(', ')'])) {
        Some((player, level)) => {
            game.info(name, player);
            game.info(rank, level);
        }
        None => game.info(name, value),
    }
}

/// The kind of result, and the margin in tenths of a point.
fn result(game: &mut Game, kind: Option<&str>, margin: Option<&str>) {
    let (Some(kind), Some(margin)) = (kind.and_then(leading_number), margin.and_then(leading_number)) else {
        return;
    };
    let points = tenths(margin);
    game.info(
        "RE",
        &match kind {
            0 => format!("B+{points}"),
            1 => format!("W+{points}"),
            3 => "B+R".into(),
            4 => "W+R".into(),
            7 => "B+T".into(),
            8 => "W+T".into(),
            _ => return,
        },
    );
}

fn komi(game: &mut Game, komi: Option<&str>) {
    if let Some(komi) = komi.and_then(leading_number) {
        game.info("KM", &tenths(komi));
    }
}

fn tenths(number: i64) -> String {
    match (number / 10, number.unsigned_abs() % 10) {
        (whole, 0) => whole.to_string(),
        (whole, tenth) => format!("{}{}.{tenth}", if number < 0 && whole == 0 { "-" } else { "" }, whole),
    }
}

/// Main time, length of a period, periods: `1200-30-3`.
fn time(game: &mut Game, value: &str) {
    let parts: Vec<_> = value.split('-').map(|part| part.parse::<u32>().ok()).collect();
    if let [Some(main), Some(period), Some(periods)] = parts[..] {
        game.info("TM", &main.to_string());
        if periods > 0 {
            game.info("OT", &format!("{periods}x{period} byo-yomi"));
        }
    }
}

//! NGF, the records of Cyberoro (wBaduk).
//!
//! Sources: Sabaki's reader and files of the server; there is no specification. Lines: title, size,
//! White and rank, Black and rank, site, handicap, …, komi, date, …, result, number of moves; then
//! `PM`, two letters for the number, `B` or `W`, column and row as letters from `B`, and both again. An
//! older form has `GI` before each of its lines and another order: title, Black, White, two more, date,
//! size, handicap, …, komi, number of moves; which player is which is a guess.

use super::game::Game;
use super::text::{leading_number, real, text};
use super::{Imported, LineNote};
use crate::go::{Color, Point, Size, Vertex};

/// Reads a file.
///
/// # Errors
/// When it has no head of twelve lines and no move.
pub fn read_ngf(file: &[u8]) -> Result<Imported, LineNote> {
    let (text, charset) = text(file, None);
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let mut game = Game::new();
    let old: Vec<&str> = lines.iter().map_while(|line| line.strip_prefix("GI")).collect();
    match old.len() {
        0 => head(&mut game, &lines),
        _ => old_head(&mut game, &old),
    }
    for (index, line) in lines.iter().enumerate() {
        if let Some(rest) = line.strip_prefix("PM") {
            play(&mut game, index + 1, rest);
        }
    }
    if game.move_count() == 0 && lines.len() < 12 {
        return Err(LineNote {
            line: lines.len().max(1),
            what: "an NGF file has twelve lines before its moves".into(),
        });
    }
    Ok(game.finish(charset))
}

fn head(game: &mut Game, lines: &[&str]) {
    let line = |at: usize| lines.get(at).copied().filter(|line| !line.starts_with("PM")).unwrap_or("");
    size(game, line(1), 2);
    game.info("EV", line(0));
    let handicap = leading_number(line(5)).unwrap_or(0);
    player(game, line(2), "PW", "WR");
    player(game, line(3), "PB", "BR");
    game.info("PC", line(4));
    date(game, line(8));
    result(game, line(10));
    komi(game, line(7), handicap);
    game.fixed_handicap(handicap);
}

fn old_head(game: &mut Game, lines: &[&str]) {
    let line = |at: usize| lines.get(at).copied().unwrap_or("").trim();
    size(game, line(6), 7);
    let handicap = leading_number(line(7)).unwrap_or(0);
    game.info("EV", line(0));
    player(game, line(1), "PB", "BR");
    player(game, line(2), "PW", "WR");
    date(game, line(5));
    komi(game, line(9), handicap);
    game.fixed_handicap(handicap);
}

fn size(game: &mut Game, text: &str, line: usize) {
    match leading_number(text).map(|side| u8::try_from(side).ok().and_then(Size::square)) {
        Some(Some(size)) => game.size = size,
        Some(None) => game.note(line, format!("{text:?} is no board size; 19 is taken")),
        None => {}
    }
}

/// A name, blanks, a rank: `ace550      7D*`. `DP` is a professional's.
fn player(game: &mut Game, text: &str, name: &'static str, rank: &'static str) {
    let mut words = text.split_ascii_whitespace();
    game.info(name, words.next().unwrap_or(""));
    let level = words.next_back().unwrap_or("");
    game.info(rank, &level.replacen("DP", "p", 1).replacen('K', "k", 1).replacen('D', "d", 1));
}

/// Whole points are written; an even game has half a point more.
fn komi(game: &mut Game, text: &str, handicap: i64) {
    let Some(komi) = leading_number(text) else { return };
    if handicap == 0 {
        game.info("KM", &real(&format!("{}", komi as f64 + 0.5)).unwrap_or_default());
    } else if komi != 0 {
        game.info("KM", &komi.to_string());
    }
}

/// `20170316 [09:37]`, or `2006-9-5`.
fn date(game: &mut Game, text: &str) {
    let day = text.split([' ', '[']).next().unwrap_or("");
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if day.len() == 8 && digits(day) {
        game.info("DT", &format!("{}-{}-{}", &day[..4], &day[4..6], &day[6..]));
    } else if let [year, month, day] = day.split('-').collect::<Vec<_>>()[..]
        && [year, month, day].into_iter().all(digits)
    {
        game.info("DT", &format!("{year}-{month:0>2}-{day:0>2}"));
    }
}

/// `White wins by  resign!`, `Black wins by 0.5!`.
fn result(game: &mut Game, text: &str) {
    let any = |words: [&str; 2]| words.iter().any(|word| text.contains(word));
    let winner = match (any(["lack win", "hite lose"]), any(["hite win", "lack lose"])) {
        (true, _) => "B",
        (false, true) => "W",
        (false, false) => return,
    };
    let margin = match text {
        _ if text.contains("resign") => "R".into(),
        _ if text.contains("time") => "T".into(),
        _ => {
            let mut numbers =
                text.split_ascii_whitespace().filter_map(|word| real(word.trim_matches(['!', '.', ','])));
            numbers.next_back().unwrap_or_default()
        }
    };
    game.info("RE", &format!("{winner}+{margin}"));
}

/// What stands behind `PM`: two letters, a colour, two letters.
fn play(game: &mut Game, number: usize, rest: &str) {
    let Some(&[_, _, color, col, row]) = rest.as_bytes().first_chunk::<5>() else {
        game.note(number, "a move has a number, a colour and a point behind PM");
        return;
    };
    let color = match color {
        b'B' => Color::Black,
        b'W' => Color::White,
        _ => {
            game.note(number, "the colour of a move is B or W");
            return;
        }
    };
    let vertex = match (col.checked_sub(b'B'), row.checked_sub(b'B')) {
        (Some(col), Some(row)) => Vertex::At(Point::new(col, row)),
        // `A` lies before the board.
        _ if (col, row) == (b'A', b'A') => Vertex::Pass,
        _ => {
            game.note(number, "a point is two letters from B on");
            return;
        }
    };
    game.play(number, color, vertex);
}

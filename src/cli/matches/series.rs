//! Which games a series consists of, and which have been played.

use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::statistics::Tally;
use crate::go::{Color, Position, Step};
use crate::service::error::{Error, Kind, Result};
use crate::sgf::{self, NodeId, Record};

/// One game that has been played.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Row {
    /// Its number, from 1.
    pub game: u32,
    /// Black's name.
    pub black: String,
    /// White's name.
    pub white: String,
    /// As records write it.
    pub result: String,
    /// What ended it: `resign`, `passes` …
    pub by: String,
    /// Its moves.
    pub moves: u32,
    /// Who has counted, when somebody did.
    pub score: Option<String>,
    /// With an illegal move: which, and why.
    pub why: Option<String>,
    /// The moves of the record's main line, as GTP writes them.
    #[serde(default)]
    pub line: String,
}

impl Row {
    /// Whether an engine has broken the rules or has failed.
    pub fn is_faulty(&self) -> bool {
        matches!(self.by.as_str(), "illegalMove" | "engineExited")
    }

    fn winner(&self) -> Option<Color> {
        self.result.split_once('+').and_then(|(side, _)| Color::parse(side))
    }
}

/// Whether the first player is Black in this game (from 0).
pub fn first_is_black(game: u32, keep_colors: bool) -> bool {
    keep_colors || game.is_multiple_of(2)
}

/// How many games differ from each other in their moves.
pub fn distinct(rows: &[Row]) -> usize {
    rows.iter().map(|row| &row.line).collect::<HashSet<_>>().len()
}

/// The moves of a record's main line.
pub fn line(text: &str) -> String {
    let record = Record::parse(text);
    let moves = record.games().next().and_then(|game| end_of_main_line(&record, game.root).ok());
    let gtp = |step: &Step, size| match step {
        Step::Play(play) => Some(play.vertex.to_gtp(size)),
        Step::Setup(_) => None,
    };
    let moves = moves.iter().flat_map(|end| end.steps.iter().filter_map(|step| gtp(step, end.size)));
    moves.collect::<Vec<_>>().join(" ")
}

/// The first player's games.
pub fn tally(rows: &[Row], keep_colors: bool) -> Tally {
    let mut tally = Tally::default();
    for row in rows {
        let first = match first_is_black(row.game.saturating_sub(1), keep_colors) {
            true => Color::Black,
            false => Color::White,
        };
        match row.winner() {
            Some(winner) if winner == first => tally.wins += 1,
            Some(_) => tally.losses += 1,
            None => tally.draws += 1,
        }
    }
    tally
}

/// The last positions of the main lines of all games in a file.
///
/// # Errors
/// `NotFound` when it cannot be read, `UnsupportedGame` for other games, `InvalidParams` when there is none.
pub fn openings(path: &Path) -> Result<Vec<Position>> {
    let bytes = std::fs::read(path)
        .map_err(|error| Error::new(Kind::NotFound, format!("{} cannot be read: {error}", path.display())))?;
    let record = Record::parse(sgf::encoding::decode(&bytes, None).text);
    let mut openings = Vec::new();
    for game in record.games() {
        let end = end_of_main_line(&record, game.root)
            .map_err(|error| Error::new(Kind::UnsupportedGame, format!("{}: {error}", path.display())))?;
        openings.push(end);
    }
    if openings.is_empty() {
        return Err(Error::new(Kind::InvalidParams, format!("{} holds no game", path.display())));
    }
    Ok(openings)
}

fn end_of_main_line(record: &Record, root: NodeId) -> std::result::Result<Position, sgf::PositionError> {
    let mut node = root;
    while let Some(child) = record.children(node).next() {
        node = child;
    }
    Ok(sgf::position(record, node)?.position)
}

/// The games of a series on disk, a line each behind a line that says which series it is.
#[derive(Debug)]
pub struct Book {
    file: Option<File>,
}

impl Book {
    /// Opens the book of a series, and gives the games in it. A line that was not finished when the machine
    /// stopped is taken away.
    ///
    /// # Errors
    /// `NotFound` when it cannot be used, `InvalidParams` when it is of another series.
    pub fn open(path: Option<&Path>, series: &serde_json::Value) -> Result<(Book, Vec<Row>)> {
        let Some(path) = path else { return Ok((Book { file: None }, Vec::new())) };
        let failed =
            |error: std::io::Error| Error::new(Kind::NotFound, format!("{}: {error}", path.display()));
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(failed(error)),
        };
        let whole = text.rfind('\n').map_or("", |end| &text[..=end]);
        let series = series.to_string();
        let mut lines = whole.lines();
        let known = lines.next();
        if known.is_some_and(|known| known != series) {
            let message = format!("{} is of a series with other engines or options", path.display());
            return Err(Error::new(Kind::InvalidParams, message));
        }
        let rows: Vec<Row> = lines.map_while(|line| serde_json::from_str(line).ok()).collect();
        let file = OpenOptions::new().create(true).append(true).open(path).map_err(failed)?;
        file.set_len(whole.len() as u64).map_err(failed)?;
        let mut book = Book { file: Some(file) };
        if known.is_none() {
            book.line(&series)?;
        }
        Ok((book, rows))
    }

    /// One more game.
    ///
    /// # Errors
    /// `NotFound` when it cannot be written.
    pub fn add(&mut self, row: &Row) -> Result<()> {
        let line =
            serde_json::to_string(row).map_err(|error| Error::new(Kind::Internal, error.to_string()))?;
        self.line(&line)
    }

    fn line(&mut self, line: &str) -> Result<()> {
        let Some(file) = &mut self.file else { return Ok(()) };
        let written = file.write_all(format!("{line}\n").as_bytes()).and_then(|()| file.sync_data());
        written.map_err(|error| Error::new(Kind::NotFound, format!("the file of --resume: {error}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn row(game: u32, result: &str) -> Row {
        Row {
            game,
            black: "a".into(),
            white: "b".into(),
            result: result.into(),
            by: "passes".into(),
            moves: 9,
            score: None,
            why: None,
            line: format!("D4 {game}"),
        }
    }

    #[test]
    fn colours_alternate_and_wins_are_the_player_s() {
        let rows = [row(1, "B+3.5"), row(2, "B+Resign"), row(3, "0"), row(4, "W+1")];
        assert_eq!(tally(&rows, false), Tally { wins: 2, draws: 1, losses: 1 });
        assert_eq!(tally(&rows, true), Tally { wins: 2, draws: 1, losses: 1 });
        assert_eq!(tally(&rows[..2], false), Tally { wins: 1, draws: 0, losses: 1 });
        assert_eq!(tally(&rows[..2], true), Tally { wins: 2, draws: 0, losses: 0 });
    }

    #[test]
    fn a_book_is_taken_up_where_it_was_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("match.jsonl");
        let series = json!({"black": "a"});
        let (mut book, rows) = Book::open(Some(&path), &series).unwrap();
        assert_eq!(rows, []);
        book.add(&row(1, "B+3.5")).unwrap();
        drop(book);
        let mut torn = OpenOptions::new().append(true).open(&path).unwrap();
        torn.write_all(b"{\"game\":2,\"bla").unwrap();
        let (mut book, rows) = Book::open(Some(&path), &series).unwrap();
        assert_eq!(rows, [row(1, "B+3.5")]);
        book.add(&row(2, "W+1")).unwrap();
        assert_eq!(Book::open(Some(&path), &series).unwrap().1, [row(1, "B+3.5"), row(2, "W+1")]);
        assert_eq!(Book::open(Some(&path), &json!({})).unwrap_err().kind, Kind::InvalidParams);
    }

    #[test]
    fn openings_are_the_ends_of_main_lines() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("openings.sgf");
        std::fs::write(&path, "(;SZ[9](;B[ee];W[cc])(;B[aa]))(;SZ[13];B[dd])").unwrap();
        let found = openings(&path).unwrap();
        let seen: Vec<_> =
            found.iter().map(|opening| (opening.size.width(), opening.move_number())).collect();
        assert_eq!(seen, [(9, 2), (13, 1)]);
    }
}

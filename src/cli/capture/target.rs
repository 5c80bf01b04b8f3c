//! The position of a cell, and the commands that bring an engine there.

use std::path::Path;

use super::matrix::{Cell, Limits, PositionEntry};
use crate::go::{Color, Move, Size, Step, Vertex};
use crate::sgf::{Record, encoding, position};

/// A position as an engine is told it.
#[derive(Debug, Clone, PartialEq)]
pub struct Target {
    pub size: Size,
    pub komi: Option<f64>,
    /// Handicap stones and moves, in order.
    pub moves: Vec<Move>,
    pub to_play: Color,
    /// Nodes from the root of the game.
    pub node: usize,
}

impl Target {
    /// Reads the position from a folder of games.
    pub fn read(games: &Path, entry: &PositionEntry) -> Result<Target, String> {
        let file = games.join(&entry.sgf);
        let bytes = std::fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        let text = encoding::decode(&bytes, None).text;
        Self::parse(&text, entry.moves).map_err(|reason| format!("{}: {reason}", file.display()))
    }

    /// The main line of the first game, its first `moves` moves.
    fn parse(text: &str, moves: Option<usize>) -> Result<Target, String> {
        let record = Record::parse(text);
        let mut node = record.game(0).ok_or("no game in it")?.root;
        let mut depth = 0;
        loop {
            let at = position(&record, node).map_err(|error| error.to_string())?.position;
            let played = at.move_number();
            let next = record.children(node).next();
            if moves.is_some_and(|wanted| played >= wanted) || next.is_none() {
                if moves.is_some_and(|wanted| played < wanted) {
                    return Err(format!("the main line has only {played} moves"));
                }
                let moves = at.steps.iter().map(told).collect::<Option<Vec<_>>>();
                let moves = moves.ok_or("it takes stones away, which no command can tell")?.concat();
                let (size, komi, to_play) = (at.size, at.komi, at.to_play);
                return Ok(Target { size, komi, moves, to_play, node: depth });
            }
            node = next.unwrap_or(node);
            depth += 1;
        }
    }

    /// `9` or `[13, 7]`.
    pub fn board_size(&self) -> serde_json::Value {
        let (width, height) = (self.size.width(), self.size.height());
        if width == height { width.into() } else { vec![width, height].into() }
    }

    /// The moves as words: `B D4`.
    pub fn move_words(&self) -> Vec<String> {
        let word = |one: &Move| format!("{} {}", one.color.letter(), one.vertex.to_gtp(self.size));
        self.moves.iter().map(word).collect()
    }

    /// All commands of a cell; the last one analyses. The komi is told after `clear_board`,
    /// which resets it in some engines.
    pub fn commands(&self, cell: &Cell<'_>, limits: &Limits) -> Vec<String> {
        let (width, height) = (self.size.width(), self.size.height());
        let mut commands = vec!["name".to_owned(), "version".to_owned()];
        let first = cell.engine.commands.split(';').map(str::trim).filter(|command| !command.is_empty());
        commands.extend(first.map(str::to_owned));
        commands.push(match width == height {
            true => format!("boardsize {width}"),
            false => format!("rectangular_boardsize {width} {height}"),
        });
        commands.push("clear_board".to_owned());
        commands.extend(self.komi.map(|komi| format!("komi {komi}")));
        commands.extend(self.move_words().iter().map(|word| format!("play {word}")));
        let more = cell.engine.arguments.get(cell.command).map_or("", String::as_str);
        let analyze = format!("{} {} {} {more}", cell.command, self.to_play.letter(), limits.interval);
        commands.push(analyze.trim_end().to_owned());
        commands
    }
}

/// A step as moves; stones that are put are played, which is the way that every engine knows.
fn told(step: &Step) -> Option<Vec<Move>> {
    match step {
        Step::Play(play) => Some(vec![*play]),
        Step::Setup(stones) => stones
            .iter()
            .map(|(point, stone)| Some(Move { color: (*stone)?, vertex: Vertex::At(*point) }))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::matrix::{EngineEntry, Kind};
    use super::*;

    fn commands(text: &str, moves: Option<usize>, more: &str) -> Result<String, String> {
        let engine = EngineEntry {
            id: "e".into(),
            kind: Kind::Gtp,
            version: "1".into(),
            bin: "e".into(),
            net: None,
            config: None,
            args: vec![],
            overrides: None,
            commands: "time_settings 0 1 1; ".into(),
            analyze_commands: vec![],
            arguments: [("kata-analyze".to_owned(), more.to_owned())].into(),
            positions: None,
        };
        let position = PositionEntry { id: "p".into(), sgf: "p.sgf".into(), moves };
        let cell = Cell { engine: &engine, position: &position, command: "kata-analyze" };
        let target = Target::parse(text, moves)?;
        Ok(target.commands(&cell, &Limits::default()).get(3..).unwrap_or_default().join(", "))
    }

    #[test]
    fn a_position_is_told_in_order() {
        let game = "(;SZ[9]KM[6.5];B[ee];W[cc](;B[])(;B[aa]))";
        let cases = [
            (
                game,
                None,
                "boardsize 9, clear_board, komi 6.5, play B E5, play W C7, play B pass, kata-analyze W 20",
            ),
            (game, Some(1), "boardsize 9, clear_board, komi 6.5, play B E5, kata-analyze W 20"),
            (game, Some(0), "boardsize 9, clear_board, komi 6.5, kata-analyze B 20"),
            (
                "(;SZ[13:7]AB[aa][bb]HA[2])",
                None,
                "rectangular_boardsize 13 7, clear_board, play B A7, play B B6, kata-analyze W 20",
            ),
        ];
        for (text, moves, expected) in cases {
            assert_eq!(commands(text, moves, "").unwrap(), expected, "{text}");
        }
        let more = commands(game, Some(0), "maxmoves 3").unwrap();
        assert!(more.ends_with("kata-analyze B 20 maxmoves 3"), "{more}");
    }

    #[test]
    fn what_cannot_be_told_is_refused() {
        let cases = [
            ("", None, "no game in it"),
            ("(;SZ[9];B[ee])", Some(2), "the main line has only 1 moves"),
            ("(;SZ[9];B[ee];AE[ee])", None, "it takes stones away, which no command can tell"),
            ("(;GM[4])", None, "GM[4] is not Go; only the structure of such a record is known"),
        ];
        for (text, moves, expected) in cases {
            assert_eq!(commands(text, moves, "").unwrap_err(), expected, "{text}");
        }
    }
}

//! The position that the engine was told, as moves rather than stones: no rules are needed to
//! find the transcript of a game's node.

use std::fmt;

use crate::go::{Color, Move, Size, Vertex};

/// Moves named in a message; of a longer game the last ones.
const SHOWN: usize = 12;

/// A game as told by set-up commands.
#[derive(Debug, Clone)]
pub struct Game {
    size: Size,
    komi: Option<f64>,
    moves: Vec<Move>,
    /// So many moves at the start are handicap stones, which `undo` cannot take back.
    fixed: usize,
}

impl Default for Game {
    fn default() -> Game {
        Game { size: Size::STANDARD, komi: None, moves: Vec::new(), fixed: 0 }
    }
}

impl Game {
    /// A game from a manifest. `None` komi stands for any.
    pub fn new(size: Size, komi: Option<f64>, moves: Vec<Move>) -> Game {
        Game { size, komi, moves, fixed: 0 }
    }

    /// Carries out a set-up command. `Err` is the text of the refusal, in KataGo's words where
    /// it has some.
    pub fn execute(&mut self, command: &str, args: &[&str]) -> Result<(), String> {
        match command {
            "boardsize" | "rectangular_boardsize" => {
                self.size = parse_size(args).ok_or("unacceptable size")?;
                self.clear();
            }
            "clear_board" => self.clear(),
            "komi" => {
                let komi = args.first().and_then(|word| word.parse::<f64>().ok());
                let komi = komi.filter(|komi| komi.is_finite());
                self.komi = Some(komi.ok_or("unacceptable komi")?);
            }
            "play" => {
                let [color, vertex] = args else {
                    return Err("expected a colour and a vertex".to_owned());
                };
                let played = parse_move(color, vertex, self.size);
                self.moves.push(played.ok_or("could not parse the move")?);
            }
            "undo" if self.moves.len() > self.fixed => {
                self.moves.pop();
            }
            "undo" => return Err("cannot undo".to_owned()),
            "set_free_handicap" => self.handicap(args)?,
            // Rules, parameters, stop: nothing that tells positions apart.
            _ => {}
        }
        Ok(())
    }

    fn clear(&mut self) {
        self.moves.clear();
        self.fixed = 0;
    }

    fn handicap(&mut self, vertices: &[&str]) -> Result<(), String> {
        if !self.moves.is_empty() {
            return Err("board is not empty".to_owned());
        }
        let stones: Option<Vec<Move>> =
            vertices.iter().map(|vertex| parse_move("b", vertex, self.size)).collect();
        self.moves = stones.filter(|stones| !stones.is_empty()).ok_or("invalid handicap placement")?;
        self.fixed = self.moves.len();
        Ok(())
    }

    /// Whether both are the same position of the same game. Handicap stones may have been given
    /// in any order, or one by one with `play`; komi matters where both know it.
    pub fn same_as(&self, other: &Game) -> bool {
        let komi = match (self.komi, other.komi) {
            (Some(one), Some(other)) => one == other,
            _ => true,
        };
        komi && self.size == other.size
            && self.moves.len() == other.moves.len()
            && sorted_runs(&self.moves) == sorted_runs(&other.moves)
    }
}

/// The moves with each run of one colour in board order.
fn sorted_runs(moves: &[Move]) -> Vec<Move> {
    let mut moves = moves.to_vec();
    for run in moves.chunk_by_mut(|one, next| one.color == next.color) {
        run.sort_by_key(|one| one.vertex);
    }
    moves
}

/// Reads `13` or `13 7`, up to GTP's 25.
fn parse_size(args: &[&str]) -> Option<Size> {
    let sides: Vec<u8> = args.iter().map(|word| word.parse().ok()).collect::<Option<_>>()?;
    let size = match sides[..] {
        [side] => Size::square(side)?,
        [width, height] => Size::new(width, height)?,
        _ => return None,
    };
    (size.width() <= 25 && size.height() <= 25).then_some(size)
}

/// Reads a colour and a vertex on a board of this size.
pub fn parse_move(color: &str, vertex: &str, size: Size) -> Option<Move> {
    Some(Move { color: Color::parse(color)?, vertex: Vertex::parse_gtp(vertex, size)? })
}

/// `9x9, komi 7, 3 moves: B E5 W C4 B pass`
impl fmt::Display for Game {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.size)?;
        if let Some(komi) = self.komi {
            write!(f, ", komi {komi}")?;
        }
        let hidden = self.moves.len().saturating_sub(SHOWN);
        match self.moves.len() {
            0 => return f.write_str(", no moves"),
            1 => f.write_str(", 1 move:")?,
            count => write!(f, ", {count} moves:")?,
        }
        if hidden > 0 {
            f.write_str(" …")?;
        }
        for Move { color, vertex } in self.moves.iter().skip(hidden) {
            write!(f, " {} {}", color.letter(), vertex.to_gtp(self.size))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(commands: &[&str]) -> Game {
        let mut game = Game::default();
        for line in commands {
            let words: Vec<&str> = line.split(' ').collect();
            game.execute(words[0], &words[1..]).unwrap();
        }
        game
    }

    #[test]
    fn commands_that_lead_to_the_same_position() {
        let one = told(&["boardsize 9", "komi 7", "play b E5", "play w C4", "play b pass"]);
        let cases: [(&[&str], bool); 7] = [
            (&["boardsize 9", "komi 7.0", "play B e5", "play white c4", "play black PASS"], true),
            (&["boardsize 9", "play b E5", "play w C4", "play b pass"], true),
            (
                &["boardsize 9 9", "komi 7", "play b E5", "play w C4", "play b D4", "undo", "play b pass"],
                true,
            ),
            (&["boardsize 9", "komi 6.5", "play b E5", "play w C4", "play b pass"], false),
            (&["boardsize 9", "komi 7", "play b E5", "play w C4", "play w pass"], false),
            (&["boardsize 9", "komi 7", "play b E5", "play w C4"], false),
            (&["boardsize 9", "komi 7", "play b E5", "clear_board"], false),
        ];
        for (commands, same) in cases {
            assert_eq!(told(commands).same_as(&one), same, "{commands:?}");
        }
    }

    #[test]
    fn handicap_in_any_order_and_form() {
        let one = told(&["set_free_handicap D4 Q16", "play w Q4"]);
        assert!(told(&["set_free_handicap Q16 D4", "play w Q4"]).same_as(&one));
        assert!(told(&["play b Q16", "play b D4", "play w Q4"]).same_as(&one));
        assert!(!told(&["set_free_handicap Q16 D5", "play w Q4"]).same_as(&one));
    }

    #[test]
    fn refused_commands_change_nothing() {
        let before = ["boardsize 9", "set_free_handicap C3 G7"];
        let mut game = told(&before);
        let cases = [
            ("undo", vec![], "cannot undo"),
            ("set_free_handicap", vec!["E5"], "board is not empty"),
            ("play", vec!["b"], "expected a colour and a vertex"),
            ("play", vec!["b", "K1"], "could not parse the move"),
            ("play", vec!["red", "A1"], "could not parse the move"),
            ("komi", vec!["nan"], "unacceptable komi"),
            ("boardsize", vec!["26"], "unacceptable size"),
            ("boardsize", vec![], "unacceptable size"),
            ("rectangular_boardsize", vec!["9", "0"], "unacceptable size"),
        ];
        for (command, args, refusal) in cases {
            assert_eq!(game.execute(command, &args), Err(refusal.to_owned()), "{command}");
            assert!(game.same_as(&told(&before)), "{command}");
        }
    }

    #[test]
    fn a_position_in_words() {
        assert_eq!(told(&[]).to_string(), "19x19, no moves");
        let game = told(&["boardsize 13 7", "komi 6.5", "play b N7"]);
        assert_eq!(game.to_string(), "13x7, komi 6.5, 1 move: B N7");
        let passes = ["play b pass"; 13];
        let text = told(&passes).to_string();
        assert!(text.starts_with("19x19, 13 moves: … B pass"), "{text}");
        assert_eq!(text.matches("pass").count(), 12);
    }
}

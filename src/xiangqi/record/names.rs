//! Names of tags in the formats, and results.
//!
//! The tree uses PGN's names (《中国象棋电脑应用规范(三) PGN文件格式》 and what programs add to it).

use std::fmt;

/// How a game ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Outcome {
    /// Red won: `1-0`.
    Red,
    /// Black won: `0-1`.
    Black,
    /// A draw: `1/2-1/2`.
    Draw,
    /// Not known, or not over: `*`.
    #[default]
    Unknown,
}

impl Outcome {
    /// All of them.
    pub const ALL: [Outcome; 4] = [Outcome::Red, Outcome::Black, Outcome::Draw, Outcome::Unknown];

    /// As PGN writes it.
    pub const fn to_pgn(self) -> &'static str {
        match self {
            Outcome::Red => "1-0",
            Outcome::Black => "0-1",
            Outcome::Draw => "1/2-1/2",
            Outcome::Unknown => "*",
        }
    }

    /// As Chinese people say it.
    pub const fn to_zh(self) -> &'static str {
        match self {
            Outcome::Red => "红胜",
            Outcome::Black => "黑胜",
            Outcome::Draw => "和棋",
            Outcome::Unknown => "未知",
        }
    }

    /// Reads PGN's form and the usual Chinese words; `None` for anything else.
    pub fn parse(text: &str) -> Option<Outcome> {
        Some(match text.trim() {
            "1-0" | "红胜" | "紅勝" | "红先胜" | "红方胜" | "黑负" => Outcome::Red,
            "0-1" | "黑胜" | "黑勝" | "红先负" | "黑方胜" | "红负" => Outcome::Black,
            "1/2-1/2" | "½-½" | "和棋" | "和局" | "红先和" | "和" => Outcome::Draw,
            "*" | "未知" | "" => Outcome::Unknown,
            _ => return None,
        })
    }

    /// The number in XQF and CBR files: 1 Red, 2 Black, 3 (and 4 in old files) a draw.
    pub(super) const fn from_number(number: u8) -> Outcome {
        match number {
            1 => Outcome::Red,
            2 => Outcome::Black,
            3 | 4 => Outcome::Draw,
            _ => Outcome::Unknown,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.to_pgn())
    }
}

/// PGN's names with DhtmlXQ's names of the same thing.
const DHTMLXQ: [(&str, &str); 20] = [
    ("Title", "title"),
    ("Event", "event"),
    ("Site", "place"),
    ("Date", "date"),
    ("Round", "round"),
    ("Group", "group"),
    ("Table", "table"),
    ("Red", "red"),
    ("RedTeam", "redteam"),
    ("RedElo", "redrating"),
    ("RedTime", "redtime"),
    ("Black", "black"),
    ("BlackTeam", "blackteam"),
    ("BlackElo", "blackrating"),
    ("BlackTime", "blacktime"),
    ("Opening", "open"),
    ("Variation", "variation"),
    ("ECCO", "ecco"),
    ("Annotator", "remark"),
    ("Author", "author"),
];

/// The name in a DhtmlXQ block; a name that is not known stays.
pub(super) fn to_dhtmlxq(name: &str) -> &str {
    DHTMLXQ.iter().find(|(pgn, _)| *pgn == name).map_or(name, |(_, other)| other)
}

/// PGN's name of a DhtmlXQ block.
pub(super) fn from_dhtmlxq(name: &str) -> &str {
    DHTMLXQ.iter().find(|(_, other)| *other == name).map_or(name, |(pgn, _)| pgn)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results() {
        for outcome in Outcome::ALL {
            assert_eq!(Outcome::parse(outcome.to_pgn()), Some(outcome));
            assert_eq!(Outcome::parse(outcome.to_zh()), Some(outcome));
        }
        assert_eq!(Outcome::parse("红先胜"), Some(Outcome::Red));
        assert_eq!(Outcome::parse("2-0"), None);
    }

    #[test]
    fn names_go_both_ways() {
        for (pgn, other) in DHTMLXQ {
            assert_eq!((to_dhtmlxq(pgn), from_dhtmlxq(other)), (other, pgn));
        }
        assert_eq!(to_dhtmlxq("Judge"), "Judge");
    }
}

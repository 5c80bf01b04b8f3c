//! Moves as two points: ICCS with ranks from 0 to 9, UCI with ranks from 1 to 10.

use crate::xiangqi::{Move, Square};

/// The move in ICCS: `h2e2`.
pub fn iccs(played: Move) -> String {
    played.to_string()
}

/// The move in UCI as Fairy-Stockfish writes it: `h3e3`, `h10g8`.
pub fn uci(played: Move) -> String {
    played.from.to_uci() + &played.to.to_uci()
}

/// Reads ICCS, also `H2-E2`. Whether anybody can move so is not asked.
pub(super) fn read_iccs(text: &[char]) -> Option<Move> {
    two_points(text, Square::from_iccs)
}

/// Reads UCI, ranks from 1 to 10, also `H3-E3`. Whether anybody can move so is not asked.
pub(super) fn read_uci(text: &[char]) -> Option<Move> {
    two_points(text, Square::from_uci)
}

/// Two points, the second from its letter on, with or without a hyphen between them.
fn two_points(text: &[char], point: fn(&str) -> Option<Square>) -> Option<Move> {
    let second = 1 + text.iter().skip(1).position(char::is_ascii_alphabetic)?;
    let (from, to) = text.split_at_checked(second)?;
    let from = from.strip_suffix(&['-']).unwrap_or(from);
    let read = |chars: &[char]| point(&chars.iter().collect::<String>());
    Some(Move::new(read(from)?, read(to)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chars(text: &str) -> Vec<char> {
        text.chars().collect()
    }

    #[test]
    fn written() {
        let knight = Move::new(Square::from_iccs("h9").unwrap(), Square::from_iccs("g7").unwrap());
        assert_eq!((iccs(knight), uci(knight)), ("h9g7".into(), "h10g8".into()));
    }

    #[test]
    fn read() {
        for text in ["h2e2", "H2-E2", "h2-e2", "H2E2"] {
            assert_eq!(read_iccs(&chars(text)).map(iccs).as_deref(), Some("h2e2"), "{text}");
        }
        for (text, want) in [("h3e3", "h2e2"), ("h10g8", "h9g7"), ("a10a9", "a9a8"), ("A9-A10", "a8a9")] {
            assert_eq!(read_uci(&chars(text)).map(iccs).as_deref(), Some(want), "{text}");
        }
        for text in
            ["", "h", "h2", "h2e", "h2e2e", "h2--e2", "-h2e2", "j2e2", "h2e22", "2hh2", "炮2e2", "h2馬2"]
        {
            assert_eq!((read_iccs(&chars(text)), read_uci(&chars(text))), (None, None), "{text}");
        }
        assert_eq!(read_iccs(&chars("h10g8")), None);
        assert_eq!(read_uci(&chars("a0a1")), None, "UCI has no rank 0");
    }
}

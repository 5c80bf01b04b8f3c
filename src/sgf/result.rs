//! The result of a game (`RE`): FF\[4\]'s forms, and what people and servers write instead.

use std::fmt;

use crate::go::Color;

/// How a game was won.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum How {
    /// By so many points.
    Points(f64),
    /// The other side resigned.
    Resign,
    /// The other side ran out of time.
    Time,
    /// The other side forfeited.
    Forfeit,
    /// It is not said.
    Unsaid,
}

/// The result of a game.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum GameResult {
    /// One side won.
    Won(Color, How),
    /// A draw.
    Draw,
    /// No result.
    Void,
    /// Unknown.
    Unknown,
}

impl fmt::Display for GameResult {
    /// As FF\[4\] writes it, in its short forms.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let GameResult::Won(color, how) = self else {
            return f.write_str(match self {
                GameResult::Draw => "0",
                GameResult::Void => "Void",
                _ => "?",
            });
        };
        write!(f, "{}+", color.letter())?;
        match how {
            How::Points(points) => write!(f, "{points}"),
            How::Resign => f.write_str("R"),
            How::Time => f.write_str("T"),
            How::Forfeit => f.write_str("F"),
            How::Unsaid => Ok(()),
        }
    }
}

impl GameResult {
    /// Reads FF\[4\]'s forms, and nothing else.
    pub fn parse(text: &str) -> Option<GameResult> {
        match text {
            "0" | "Draw" => return Some(GameResult::Draw),
            "Void" => return Some(GameResult::Void),
            "?" => return Some(GameResult::Unknown),
            _ => {}
        }
        let (color, rest) = match text.as_bytes().first()? {
            b'B' => (Color::Black, text.strip_prefix("B+")?),
            b'W' => (Color::White, text.strip_prefix("W+")?),
            _ => return None,
        };
        let how = match rest {
            "" => How::Unsaid,
            "R" | "Resign" => How::Resign,
            "T" | "Time" => How::Time,
            "F" | "Forfeit" => How::Forfeit,
            score => How::Points(points(score)?),
        };
        Some(GameResult::Won(color, how))
    }

    /// Reads what was meant, where that is plain: other case and spacing, English sentences,
    /// and the words of Chinese, Japanese and Korean records.
    pub fn guess(text: &str) -> Option<GameResult> {
        let lower = text.trim().trim_end_matches('.').to_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
        if has(&["负", "負", "패", "los"]) {
            return None;
        }
        let tight: String = lower.chars().filter(|letter| !letter.is_whitespace()).collect();
        if matches!(tight.as_str(), "draw" | "jigo" | "tie" | "持碁" | "和棋" | "和" | "무승부" | "빅")
        {
            return Some(GameResult::Draw);
        }
        if matches!(tight.as_str(), "void" | "noresult" | "无胜负" | "無勝負") {
            return Some(GameResult::Void);
        }
        let (color, rest) = winner(&lower)?;
        let how = if has(&["中盘", "中盤", "中押", "불계", "认输", "投了", "resign"]) || rest == "r"
        {
            How::Resign
        } else if has(&["超时", "超時", "时间", "時間", "시간", "time"]) || rest == "t" {
            How::Time
        } else if has(&["forfeit", "弃权", "棄權"]) || rest == "f" {
            How::Forfeit
        } else {
            How::Points(score(rest)?)
        };
        Some(GameResult::Won(color, how))
    }
}

fn points(score: &str) -> Option<f64> {
    let plain = !score.is_empty() && score.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    score.parse().ok().filter(|_| plain)
}

/// Who won, and what stands behind that: behind `b+`, or behind the one colour that is named
/// together with a win.
fn winner(lower: &str) -> Option<(Color, &str)> {
    for (letter, color) in [("b", Color::Black), ("w", Color::White)] {
        let rest = lower.strip_prefix(letter).and_then(|rest| rest.trim_start().strip_prefix('+'));
        if let Some(rest) = rest {
            return Some((color, rest.trim()));
        }
    }
    let wins = ["胜", "勝", "승", "win", "won"].iter().any(|word| lower.contains(word));
    let after = |words: &[&'static str]| {
        words.iter().find_map(|word| Some(lower.split_once(word)?.1.trim())).filter(|_| wins)
    };
    match (after(&["black", "黑", "黒", "흑"]), after(&["white", "白", "백"])) {
        (Some(rest), None) => Some((Color::Black, rest)),
        (None, Some(rest)) => Some((Color::White, rest)),
        _ => None,
    }
}

/// A number with its unit: `43.5目`, `3目半`, `半目`, `0.5집`, `5 3/4 points`, `1又1/4子` (stones of
/// area counting, two points each).
fn score(text: &str) -> Option<f64> {
    let start = text.find(|letter: char| letter.is_ascii_digit() || letter == '半')?;
    let (number, rest) = leading_number(&text[start..]);
    let mut value = if rest.starts_with('半') { number.unwrap_or(0.0) } else { number? };
    let mut rest = rest.trim_start().trim_start_matches('又').trim_start();
    if let (Some(part), after) = leading_number(rest)
        && let Some(after) = after.strip_prefix('/')
    {
        let (whole, after) = leading_number(after);
        value += part / whole.filter(|whole| *whole > 0.0)?;
        rest = after;
    } else if rest.starts_with('/') {
        let (whole, after) = leading_number(&rest[1..]);
        value /= whole.filter(|whole| *whole > 0.0)?;
        rest = after;
    }
    if rest.starts_with(['.', ',', '+', '-']) || value > 3000.0 {
        return None;
    }
    if rest.contains(['半', '반']) {
        value += 0.5;
    }
    if rest.contains('子') {
        value *= 2.0;
    }
    value.is_finite().then_some(value)
}

fn leading_number(text: &str) -> (Option<f64>, &str) {
    let end = text.find(|letter: char| !(letter.is_ascii_digit() || letter == '.')).unwrap_or(text.len());
    (points(&text[..end]), &text[end..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forms_of_ff4() {
        let cases = [
            ("0", "0"),
            ("Draw", "0"),
            ("B+", "B+"),
            ("B+64", "B+64"),
            ("W+0.5", "W+0.5"),
            ("B+R", "B+R"),
            ("W+Resign", "W+R"),
            ("B+Time", "B+T"),
            ("W+F", "W+F"),
            ("Void", "Void"),
            ("?", "?"),
        ];
        for (text, short) in cases {
            assert_eq!(GameResult::parse(text).unwrap().to_string(), short);
        }
        for bad in ["", "b+r", "B", "B+-3", "B+1e3", "B+x", "B+R.", "白胜", "B +R", "B+inf"] {
            assert_eq!(GameResult::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn what_others_write() {
        let cases = [
            ("b+r", "B+R"),
            ("B + 3.5", "B+3.5"),
            ("W+R.", "W+R"),
            ("draw", "0"),
            ("Jigo", "0"),
            ("white wins by resignation", "W+R"),
            ("black wins by 5 3/4 points", "B+5.75"),
            ("White won on time", "W+T"),
            ("白胜43.5目", "W+43.5"),
            ("黑中盘胜", "B+R"),
            ("黒番中押し勝ち", "B+R"),
            ("257手完, 黒番中押し勝ち", "B+R"),
            ("白番3目半勝", "W+3.5"),
            ("白半目勝", "W+0.5"),
            ("294수 흑0.5집승", "B+0.5"),
            ("백 불계승", "W+R"),
            ("黑胜1又1/4子", "B+2.5"),
            ("黑胜3/4子", "B+1.5"),
            ("白超时胜", "W+T"),
        ];
        for (text, expected) in cases {
            let found = GameResult::guess(text).map(|found| found.to_string());
            assert_eq!(found.as_deref(), Some(expected), "{text}");
        }
        for unclear in ["", "x", "黑负", "black and white won", "Black", "B+x", "B+3.5.2", "both lost"] {
            assert_eq!(GameResult::guess(unclear), None, "{unclear}");
        }
    }
}

//! What an engine thought of a node, in the forms that programs store.
//!
//! | form | written by | numbers are |
//! |---|---|---|
//! | `SBKV`, `SBKS` | Sabaki, kifud | Black's percent and lead |
//! | `LZ`, `LZOP`: name, win rate, playouts, lead, then `info` lines | Lizzie and its kin | win rate: of who has just moved; lead: of who moves next |
//! | `BWWR`, `ES`, `PLYO` | GoReviewPartner | `Black's%/White's%`, `B+3.5`, playouts |
//! | lines of the comment | KaTrain, analyze-sgf, Lizzie | of the player that is named |

use crate::go::{Color, Vertex};
use crate::sgf::{NodeId, Record, turn, value};

/// An engine's opinion of the position after a node.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Analysis {
    /// Black's win rate in percent.
    pub winrate: Option<f64>,
    /// Black's lead in points.
    pub lead: Option<f64>,
    /// How many visits or playouts it rests on.
    pub visits: Option<u64>,
    /// The continuation that the engine likes best.
    pub line: Vec<Vertex>,
    /// The property that it was read from.
    pub source: &'static str,
}

/// At most this much of a value is read.
const READ: usize = 8192;

/// The moves that are read of a continuation, at most.
const LINE: usize = 60;

/// What is stored in a node; the forms that say more come first.
pub fn analysis(record: &Record, node: NodeId) -> Option<Analysis> {
    let mut found = Analysis::default();
    for property in record.properties(node) {
        let raw = property.first_raw();
        match property.ident().as_ref() {
            "SBKV" => found.take(0, "SBKV", value::real(raw).ok(), None),
            "SBKS" => found.take(0, "SBKS", None, value::real(raw).ok()),
            "LZ" => found.lizzie(record, node, "LZ", raw),
            "LZOP" => found.lizzie(record, node, "LZOP", raw),
            "BWWR" => {
                let black = raw.split('/').next().and_then(percent);
                found.take(1, "BWWR", black, None);
            }
            "ES" => found.take(1, "ES", None, signed(raw).map(|(color, lead)| of_black(color, lead))),
            "PLYO" => found.visits = found.visits.or(count(raw)),
            "C" => found.comment(raw),
            _ => {}
        }
    }
    (found.winrate.is_some() || found.lead.is_some() || !found.line.is_empty()).then_some(found)
}

fn of_black(color: Color, lead: f64) -> f64 {
    if color == Color::Black { lead } else { -lead }
}

fn rate_of_black(color: Color, rate: f64) -> f64 {
    if color == Color::Black { rate } else { 100.0 - rate }
}

/// A number with or without `%`, 0 to 100.
fn percent(text: &str) -> Option<f64> {
    let number = finite(text.trim().trim_end_matches('%'))?;
    (0.0..=100.0).contains(&number).then_some(number)
}

fn finite(text: &str) -> Option<f64> {
    text.trim().parse::<f64>().ok().filter(|number| number.is_finite())
}

/// `1234`, `1.3k` or `2m`.
fn count(text: &str) -> Option<u64> {
    let text = text.trim();
    let (digits, factor) = match text.char_indices().next_back()? {
        (at, 'k' | 'K') => (&text[..at], 1e3),
        (at, 'm' | 'M') => (&text[..at], 1e6),
        _ => (text, 1.0),
    };
    finite(digits)
        .filter(|number| (0.0..1e15).contains(number))
        .map(|number| (number * factor).round() as u64)
}

/// `B+3.5`, `W 0.87` or `B 60.38%`: a player's number.
fn signed(text: &str) -> Option<(Color, f64)> {
    let text = text.trim();
    let color = match text.as_bytes().first()? {
        b'B' => Color::Black,
        b'W' => Color::White,
        _ => return None,
    };
    let number = text.get(1..)?.trim_start_matches([' ', '+']).split([' ', '(']).next()?;
    finite(number.trim_end_matches('%')).map(|number| (color, number))
}

impl Analysis {
    /// Takes numbers of Black's that are not known yet; those of `SBKV` and `SBKS` replace others.
    fn take(&mut self, rank: u8, source: &'static str, winrate: Option<f64>, lead: Option<f64>) {
        let better = |old: Option<f64>, new: Option<f64>| if rank == 0 { new.or(old) } else { old.or(new) };
        if self.source.is_empty() || (rank == 0 && !self.source.starts_with("SBK")) {
            self.source = source;
        }
        self.winrate = better(self.winrate, winrate);
        self.lead = better(self.lead, lead);
    }

    fn lizzie(&mut self, record: &Record, node: NodeId, source: &'static str, raw: &str) {
        let mut lines = start(raw, READ).lines();
        let numbers: Vec<&str> = lines.next().unwrap_or_default().split_ascii_whitespace().collect();
        let (to_play, _) = turn(record, node, None);
        let rate = numbers.get(1).and_then(|text| percent(text));
        let lead = numbers.get(3).and_then(|text| finite(text));
        self.take(
            1,
            source,
            rate.map(|rate| rate_of_black(to_play.opponent(), rate)),
            lead.map(|lead| of_black(to_play, lead)),
        );
        self.visits = self.visits.or(numbers.get(2).and_then(|text| count(text)));
        let size = record.size(node);
        let words = lines.next().unwrap_or_default().split_ascii_whitespace();
        let pv = words.skip_while(|word| *word != "pv").skip(1);
        if self.line.is_empty() {
            self.line = pv.map_while(|word| Vertex::parse_gtp(word, size)).take(LINE).collect();
        }
    }

    fn comment(&mut self, raw: &str) {
        let raw = start(raw, READ);
        if !raw.contains("inrate") && !raw.contains("in rate") {
            return;
        }
        let text = value::text(raw);
        let (mut winrate, mut lead, mut player) = (None, None, None);
        for line in text.lines() {
            let line = line.trim_start_matches(['*', ' ']);
            let Some((name, said)) = line.split_once(':') else {
                continue;
            };
            let number = || {
                let own = said.split_ascii_whitespace().next()?;
                player.zip(finite(own.trim_end_matches('%')))
            };
            match name.to_ascii_lowercase().as_str() {
                "as black" => player = Some(Color::Black),
                "as white" => player = Some(Color::White),
                "win rate" if winrate.is_none() => winrate = signed(said).or_else(number),
                "score" | "score lead" if lead.is_none() => lead = signed(said).or_else(number),
                "visits" => self.visits = self.visits.or(count(said)),
                who @ ("black's winrate" | "white's winrate") if winrate.is_none() => {
                    let color = if who.starts_with('b') { Color::Black } else { Color::White };
                    winrate =
                        said.split_ascii_whitespace().next().and_then(percent).map(|rate| (color, rate));
                }
                _ => {}
            }
        }
        let winrate = winrate.filter(|(_, rate)| (0.0..=100.0).contains(rate));
        if winrate.is_some() {
            self.take(
                1,
                "C",
                winrate.map(|(color, rate)| rate_of_black(color, rate)),
                lead.map(|(color, lead)| of_black(color, lead)),
            );
        }
    }
}

/// The start of a text, cut between characters.
fn start(text: &str, length: usize) -> &str {
    let mut end = length.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn shown(node: &str) -> String {
        let text = format!("(;SZ[19];{node})");
        let record = Record::parse(text);
        let Some(found) = analysis(&record, NodeId(1)) else {
            return "-".to_owned();
        };
        let number = |number: Option<f64>| number.map_or("?".to_owned(), |number| format!("{number:.2}"));
        let line: Vec<String> =
            found.line.iter().map(|vertex| vertex.to_gtp(record.size(NodeId(0)))).collect();
        let visits = found.visits.map_or("?".to_owned(), |visits| visits.to_string());
        format!(
            "{} {} {} {visits} [{}]",
            found.source,
            number(found.winrate),
            number(found.lead),
            line.join(" ")
        )
    }

    #[test]
    fn the_forms_of_the_world() {
        let cases = [
            // What Sabaki and kifud write.
            ("B[dd]SBKV[52.1]SBKS[-0.5]", "SBKV 52.10 -0.50 ? []"),
            // Lizzie: the win rate is Black's, who has just moved.
            (
                "B[dd]LZ[0.7.4 46.0 1.3k\nmove Q16 visits 900 winrate 5400 pv Q16 D4 pass info move D4 visits 9]",
                "LZ 46.00 ? 1300 [Q16 D4 pass]",
            ),
            ("W[dd]LZ[0.7.4 46.0 1300\n]", "LZ 54.00 ? 1300 []"),
            // Its children add White's lead, who moves next.
            (
                "B[dd]LZ[KataGo 46.0 1.3k 2.5 4.1\nmove C3 pv C3 pass E4 pvVisits 1300]",
                "LZ 46.00 -2.50 1300 [C3 pass E4]",
            ),
            // GoReviewPartner.
            ("B[dd]BWWR[45.3%/54.7%]ES[W+3.5]PLYO[200]", "BWWR 45.30 -3.50 200 []"),
            // KaTrain.
            (
                "B[dd]C[Move 1: B D16\nScore: W+1.2\nWin rate: W 55.0%\nEstimated point loss: 3.4]",
                "C 45.00 -1.20 ? []",
            ),
            // analyze-sgf, newer and older.
            (
                "B[qd]C[Move 1\n\n* Win rate: W 60.38%\n* Score lead: W 0.87\n* Win rate drop: B ⇣-0.22%\n* Visits: 1015]",
                "C 39.62 -0.87 1015 []",
            ),
            (
                "W[po]C[As White:\n* Win rate: 0.96%\n* Win rate loss: 0.08%\n* Score lead: -14.46\n* Visits: 1615]",
                "C 99.04 14.46 1615 []",
            ),
            // Lizzie's comment.
            ("B[dd]C[Black's winrate: 47.6% (-1.2%)\n(net / 1.3k playouts)]", "C 47.60 ? ? []"),
            // Sabaki's number wins over a comment, wherever it stands.
            ("C[Win rate: B 10%]SBKV[20]", "SBKV 20.00 ? ? []"),
            ("SBKV[20]C[Win rate: B 10%]", "SBKV 20.00 ? ? []"),
            // Nothing, or nothing that can be read.
            ("B[dd]C[the win rate: low]SBKV[x]", "-"),
            ("LZ[]", "-"),
        ];
        for (node, expected) in cases {
            assert_eq!(shown(node), expected, "{node}");
        }
    }

    proptest! {
        #[test]
        fn any_value_is_read(name in "LZ|LZOP|BWWR|ES|PLYO|C|SBKV", raw in "(Win rate:|Score:| |B|W|%|/|k|é|1|\\.|\n|pv|Q16|[a-z])*") {
            let record = Record::parse(format!("(;SZ[19];B[dd]{name}[{raw}])"));
            if let Some(found) = analysis(&record, NodeId(1)) {
                prop_assert!(found.winrate.is_none_or(f64::is_finite) && found.lead.is_none_or(f64::is_finite));
            }
        }
    }
}

//! What an engine thought of a node, in the forms that programs store.
//!
//! | form | written by | numbers are |
//! |---|---|---|
//! | `SBKV`, `SBKS` | Sabaki, kifud | Black's percent and lead |
//! | `KFCA`: the engine's moves | kifud | Black's percent and lead after each, see [`crate::sgf::Candidate`] |
//! | `LZ`, `LZOP`: name, win rate, playouts, lead, then `info` lines | Lizzie and its kin | win rate: of who has just moved; lead: of who moves next |
//! | `BWWR`, `ES`, `PLYO` | GoReviewPartner | `Black's%/White's%`, `B+3.5`, playouts |
//! | lines of the comment | KaTrain, analyze-sgf, Lizzie | of the player that is named |

use crate::go::{Color, Size, Vertex};
use crate::sgf::{CANDIDATES, Candidate, MAX_CANDIDATES, NodeId, Record, stored_candidates, turn, value};

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
    /// The moves that the engine thought of, its first choice first; numbers are Black's.
    pub candidates: Vec<Candidate>,
    /// The property that it was read from.
    pub source: &'static str,
}

/// At most this much of a value is read.
const READ: usize = 8192;

/// Points that no board has: a lead beyond them is none.
const MAX_LEAD: f64 = 10_000.0;

/// The moves that are read of a continuation, at most.
const LINE: usize = 60;

/// What is stored in a node; the forms that say more come first.
pub fn analysis(record: &Record, node: NodeId) -> Option<Analysis> {
    let mut found = Analysis::default();
    for property in record.properties(node) {
        let raw = property.first_raw();
        match property.ident().as_ref() {
            "SBKV" => found.take(0, "SBKV", percent(raw), None),
            "SBKS" => found.take(0, "SBKS", None, value::real(raw).ok().filter(|lead| lead.abs() < MAX_LEAD)),
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
    found.own(stored_candidates(record, node));
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
        if rank == 0 && winrate.is_none() && lead.is_none() {
            return;
        }
        let better = |old: Option<f64>, new: Option<f64>| if rank == 0 { new.or(old) } else { old.or(new) };
        if self.source.is_empty() || (rank == 0 && !self.source.starts_with("SBK")) {
            self.source = source;
        }
        self.winrate = better(self.winrate, winrate);
        self.lead = better(self.lead, lead);
    }

    /// Takes the moves of kifud's own property, which replace others.
    fn own(&mut self, candidates: Vec<Candidate>) {
        let Some(first) = candidates.first() else { return };
        if self.source.is_empty() {
            self.source = CANDIDATES;
        }
        self.line.clone_from(&first.line);
        self.visits =
            self.visits.or(Some(candidates.iter().map(|one| one.visits).fold(0, u64::saturating_add)));
        self.candidates = candidates;
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
        let moves = infos(lines.next().unwrap_or_default(), record.size(node), to_play);
        if let Some(first) = moves.first().filter(|_| self.line.is_empty()) {
            self.line.clone_from(&first.line);
            self.candidates = moves.into_iter().filter(|one| one.visits > 0).take(MAX_CANDIDATES).collect();
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

/// The moves of `move … visits … winrate … pv …`, with `info` between them; numbers are of who moves
/// next. A win rate is in hundredths of a percent, as Leela Zero prints it, or has a point and is 0 to 1.
fn infos(text: &str, size: Size, to_play: Color) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = Vec::new();
    for info in text.split("info ") {
        let mut words = info.split_ascii_whitespace();
        let (mut vertex, mut visits, mut winrate, mut lead, mut line) = (None, 0, None, None, Vec::new());
        while let Some(key) = words.next() {
            match key {
                "move" => vertex = words.next().and_then(|word| Vertex::parse_gtp(word, size)),
                "visits" => visits = words.next().and_then(count).unwrap_or(0),
                "winrate" => winrate = words.next().and_then(winrate_of),
                "scoreLead" | "scoreMean" => lead = words.next().and_then(finite),
                "pv" => {
                    line =
                        words.by_ref().map_while(|word| Vertex::parse_gtp(word, size)).take(LINE).collect();
                }
                _ => {}
            }
        }
        let vertex = vertex.or(line.first().copied());
        let Some(vertex) = vertex.filter(|vertex| found.iter().all(|known| known.vertex != *vertex)) else {
            continue;
        };
        if line.first() != Some(&vertex) {
            line = vec![vertex];
        }
        found.push(Candidate {
            vertex,
            // Without a win rate it is only a line.
            visits: if winrate.is_some() { visits } else { 0 },
            winrate: rate_of_black(to_play, winrate.unwrap_or(50.0)),
            lead: lead.map(|lead| of_black(to_play, lead)),
            line,
        });
    }
    found
}

fn winrate_of(word: &str) -> Option<f64> {
    let scale = if word.contains('.') { 100.0 } else { 0.01 };
    finite(word).map(|number| number * scale).filter(|rate| (0.0..=100.0).contains(rate))
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
            // Or what no board and no game has.
            ("B[dd]SBKV[-5]SBKS[1e308]", "-"),
            ("B[dd]SBKV[100.1]SBKS[-5]", "SBKS ? -5.00 ? []"),
        ];
        for (node, expected) in cases {
            assert_eq!(shown(node), expected, "{node}");
        }
    }

    /// The candidates of a node: vertex, visits, Black's numbers, line.
    fn candidates(node: &str) -> String {
        let record = Record::parse(format!("(;SZ[19];{node})"));
        let size = record.size(NodeId(0));
        let found = analysis(&record, NodeId(1)).unwrap();
        let shown = found.candidates.iter().map(|one| {
            let line: Vec<String> = one.line.iter().map(|vertex| vertex.to_gtp(size)).collect();
            let lead = one.lead.map_or("?".to_owned(), |lead| format!("{lead:.1}"));
            format!(
                "{} {} {:.1} {lead} [{}]",
                one.vertex.to_gtp(size),
                one.visits,
                one.winrate,
                line.join(" ")
            )
        });
        format!("{} {}", found.source, shown.collect::<Vec<_>>().join("; "))
    }

    #[test]
    fn moves_that_were_thought_of() {
        let cases = [
            (
                "B[dd]SBKV[50]KFCA[pd 30 52.5 1.5 dp pass][dp 2 40 -]",
                "SBKV Q16 30 52.5 1.5 [Q16 D4 pass]; D4 2 40.0 ? [D4]",
            ),
            ("B[dd]KFCA[pd 30 52.5 1.5]", "KFCA Q16 30 52.5 1.5 [Q16]"),
            // White moves next: 54 percent for White are 46 for Black.
            (
                "B[dd]LZ[0.7 46 1k\nmove Q16 visits 900 winrate 5400 pv Q16 D4 info move D4 visits 9 winrate 5000 pv D4]",
                "LZ Q16 900 46.0 ? [Q16 D4]; D4 9 50.0 ? [D4]",
            ),
            (
                "W[dd]LZ[KataGo 46 1k 2.5\nmove Q16 visits 1.2k winrate 0.54 scoreMean 2.5 pv Q16 pvVisits 9 info ]",
                "LZ Q16 1200 54.0 2.5 [Q16]",
            ),
            // Ours are the ones, wherever they stand.
            ("B[dd]LZ[x 46 1k\nmove Q16 visits 9 winrate 5400 pv Q16]KFCA[dp 2 40 -]", "LZ D4 2 40.0 ? [D4]"),
            // A line without numbers is no candidate.
            ("B[dd]LZ[x 46 1k\nmove Q16 pv Q16 D4]", "LZ "),
        ];
        for (node, expected) in cases {
            assert_eq!(candidates(node), expected, "{node}");
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

//! The `analyze` commands: what may be asked for, and the lines that come back.

use std::fmt::Write;

use crate::go::{Color, Size, Vertex};
use crate::mcts::{Candidate, Report};

/// How lines are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// Leela Zero's: integers, ten thousand for one.
    Lz,
    /// KataGo's.
    Kata,
    /// Sabaki's: KataGo's without what was not asked for.
    Plain,
}

/// Moves that are allowed, or that are avoided, for the first moves of a player.
#[derive(Debug, Clone, PartialEq)]
struct Filter {
    allow: bool,
    color: Color,
    vertices: Vec<Vertex>,
}

/// The arguments of an `analyze` command.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// Who is to move, where it says.
    pub color: Option<Color>,
    /// Seconds between two lines; none are written without it.
    pub interval: Option<f64>,
    max_moves: usize,
    ownership: bool,
    root_info: bool,
    pv_visits: bool,
    filters: Vec<Filter>,
}

impl Default for Request {
    fn default() -> Request {
        Request {
            color: None,
            interval: None,
            max_moves: usize::MAX,
            ownership: false,
            root_info: false,
            pv_visits: false,
            filters: Vec::new(),
        }
    }
}

impl Request {
    /// A search of this player's without any lines.
    pub fn of(color: Option<Color>) -> Request {
        Request { color, ..Request::default() }
    }

    /// Reads `[color] [interval] [key value]…`; `None` when it makes no sense.
    pub fn parse(args: &[&str], size: Size) -> Option<Request> {
        let mut request = Request::default();
        let mut rest = args;
        if let Some((color, after)) =
            rest.split_first().and_then(|(word, after)| Some((Color::parse(word)?, after)))
        {
            request.color = Some(color);
            rest = after;
        }
        if let Some((seconds, after)) =
            rest.split_first().and_then(|(word, after)| Some((centiseconds(word)?, after)))
        {
            request.interval = Some(seconds);
            rest = after;
        }
        while let [key, after @ ..] = rest {
            rest = match *key {
                "allow" | "avoid" => request.filter(*key == "allow", after, size)?,
                _ => {
                    let (value, after) = after.split_first()?;
                    request.set(key, value)?;
                    after
                }
            };
        }
        let both = |allow| request.filters.iter().any(|filter| filter.allow == allow);
        (!(both(true) && both(false))).then_some(request)
    }

    fn set(&mut self, key: &str, value: &str) -> Option<()> {
        let flag = || match value {
            "true" | "1" => Some(true),
            "false" | "0" => Some(false),
            _ => None,
        };
        match key {
            "interval" => self.interval = Some(centiseconds(value)?),
            "minmoves" => {
                value.parse::<usize>().ok()?;
            }
            "maxmoves" => self.max_moves = value.parse().ok()?,
            "ownership" => self.ownership = flag()?,
            "rootInfo" => self.root_info = flag()?,
            "pvVisits" => self.pv_visits = flag()?,
            // Known to controllers; there is nothing to say about them here.
            "pvEdgeVisits"
            | "movesOwnership"
            | "ownershipStdev"
            | "movesOwnershipStdev"
            | "noResultValue" => {
                flag()?;
            }
            _ => return None,
        }
        Some(())
    }

    /// `allow` and `avoid`: colour, vertices, and for how many moves; only the first move is looked at.
    fn filter<'a>(&mut self, allow: bool, args: &'a [&'a str], size: Size) -> Option<&'a [&'a str]> {
        let [color, vertices, moves, after @ ..] = args else { return None };
        let vertices =
            vertices.split(',').map(|text| Vertex::parse_gtp(text, size)).collect::<Option<_>>()?;
        if moves.parse::<u32>().ok()? == 0 {
            return None;
        }
        self.filters.push(Filter { allow, color: Color::parse(color)?, vertices });
        Some(after)
    }

    /// Whether a first move is to be looked at.
    pub fn allows(&self, color: Color, vertex: Vertex) -> bool {
        let mut own = self.filters.iter().filter(|filter| filter.color == color).peekable();
        match own.peek() {
            None => true,
            Some(filter) if filter.allow => own.any(|filter| filter.vertices.contains(&vertex)),
            Some(_) => !own.any(|filter| filter.vertices.contains(&vertex)),
        }
    }

    /// One line about a report, without its end; empty when there is nothing to say yet.
    pub fn line(&self, report: &Report, dialect: Dialect, size: Size) -> String {
        let mut line = String::new();
        // Moves that were not tried are not told, whatever `minmoves` says: there is nothing to tell.
        let moves = report.candidates.iter().take(self.max_moves);
        for (order, candidate) in moves.enumerate() {
            let space = if order == 0 { "" } else { " " };
            let _ = write!(line, "{space}info move {}", candidate.vertex.to_gtp(size));
            numbers(&mut line, candidate, dialect);
            let _ = write!(line, " order {order} pv");
            for vertex in &candidate.pv {
                let _ = write!(line, " {}", vertex.to_gtp(size));
            }
            if self.pv_visits {
                line.push_str(" pvVisits");
                for visits in &candidate.pv_visits {
                    let _ = write!(line, " {visits}");
                }
            }
        }
        if dialect != Dialect::Lz && !line.is_empty() {
            self.totals(&mut line, report);
        }
        line
    }

    fn totals(&self, line: &mut String, report: &Report) {
        if self.root_info {
            let lead = report.score_lead;
            let _ = write!(
                line,
                " rootInfo visits {} utility {} winrate {} scoreMean {} scoreLead {} weight {}",
                report.visits,
                six(2.0 * report.winrate - 1.0),
                six(report.winrate),
                six(lead),
                six(lead),
                report.visits
            );
        }
        if self.ownership {
            line.push_str(" ownership");
            for share in &report.ownership {
                let _ = write!(line, " {}", six(*share));
            }
        }
    }
}

fn numbers(line: &mut String, candidate: &Candidate, dialect: Dialect) {
    let Candidate { visits, winrate, lcb, prior, score_lead, .. } = candidate;
    let whole = |share: f64| (share * 10_000.0).round() as i64;
    let _ = match dialect {
        Dialect::Lz => write!(
            line,
            " visits {visits} winrate {} prior {} lcb {}",
            whole(*winrate),
            whole(*prior),
            whole(*lcb)
        ),
        Dialect::Kata => write!(
            line,
            " visits {visits} utility {} winrate {} scoreMean {} scoreLead {} prior {} lcb {} weight {visits}",
            six(2.0 * winrate - 1.0),
            six(*winrate),
            six(*score_lead),
            six(*score_lead),
            six(*prior),
            six(*lcb)
        ),
        Dialect::Plain => write!(
            line,
            " visits {visits} winrate {:.6} scoreLead {:.6} prior {:.6} lcb {:.6}",
            winrate, score_lead, prior, lcb
        ),
    };
}

/// A number with six significant digits at most.
fn six(number: f64) -> f64 {
    if number == 0.0 || !number.is_finite() {
        return 0.0;
    }
    let digits = (5 - number.abs().log10().floor() as i32).clamp(0, 12);
    let unit = 10f64.powi(digits);
    (number * unit).round() / unit
}

fn centiseconds(text: &str) -> Option<f64> {
    let number: f64 = text.parse().ok()?;
    (number.is_finite() && number >= 0.0).then_some(number / 100.0)
}

//! How an engine is asked to analyse or to move, for each family of engines. Pure.

use std::collections::BTreeSet;

use crate::engine::gtp::analyze::Dialect;
use crate::engine::request::AnalyzeRequest;
use crate::go::{Color, Size, Vertex};

/// The forms to try, best first: with options, without those that only change what is shown,
/// without the colour (old Pachi). A restriction of moves is never left out. `must_name` says
/// that the colour is not the side to move, so that it cannot be left out either.
pub(super) fn forms(
    command: &str,
    color: Color,
    size: Size,
    request: &AnalyzeRequest,
    must_name: bool,
) -> Vec<String> {
    let interval = interval(request);
    let letter = color.letter().to_ascii_lowercase();
    let restriction = restriction(&letter, size, request);
    let mut options = String::new();
    if Dialect::of_command(command) == Dialect::Kata {
        if request.root_info {
            options += " rootInfo true";
        }
        if request.ownership {
            options += " ownership true";
        }
        if let Some(max) = request.max_moves {
            options += &format!(" maxmoves {max}");
        }
    }
    let mut forms = vec![
        format!("{command} {letter} {interval}{options}{restriction}"),
        format!("{command} {letter} {interval}{restriction}"),
    ];
    if !must_name {
        forms.push(format!("{command} {interval}{restriction}"));
    }
    forms
}

/// The first of these commands that is listed. What only KataGo's form can say, ownership or fewer moves, is
/// asked for with that form where it is among them.
pub(super) fn analyze_command<'a>(
    listed: &BTreeSet<String>,
    order: &'a [String],
    says_more: bool,
) -> Option<&'a String> {
    let mut usable = order.iter().filter(|command| listed.contains(*command));
    let is_kata = |command: &&String| Dialect::of_command(command) == Dialect::Kata;
    usable.clone().find(is_kata).filter(|_| says_more).or_else(|| usable.next())
}

/// One way to ask for a move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Asking {
    /// The command.
    pub(super) line: String,
    /// The move is found, but not made: any command ends the search, and the board is untouched.
    pub(super) only_searches: bool,
}

impl Asking {
    /// The command's name.
    pub(super) fn word(&self) -> &str {
        self.line.split(' ').next().unwrap_or_default()
    }
}

/// KataGo's search with reports that can be ended early; else the same as its
/// `kata-genmove_analyze`, which cannot.
const CANCELLABLE: &str = "kata-search_analyze_cancellable";

/// The ways to ask for a move, best first: with reports, without options, without reports.
pub(super) fn askings(
    listed: &BTreeSet<String>,
    order: &[String],
    color: Color,
    interval_cs: u32,
) -> Vec<Asking> {
    let letter = color.letter().to_ascii_lowercase();
    let interval = interval_cs.max(1);
    let mut askings = Vec::new();
    if let Some(name) = order.iter().find(|command| listed.contains(*command)) {
        if Dialect::of_command(name) == Dialect::Kata {
            let options = format!("{letter} {interval} rootInfo true");
            if listed.contains(CANCELLABLE) {
                askings.push(Asking { line: format!("{CANCELLABLE} {options}"), only_searches: true });
            }
            askings.push(Asking { line: format!("{name} {options}"), only_searches: false });
        }
        askings.push(Asking { line: format!("{name} {letter} {interval}"), only_searches: false });
    }
    askings.push(Asking { line: format!("genmove {letter}"), only_searches: false });
    askings
}

/// Centiseconds between reports. A limit of visits has to be watched closely, and a short time
/// must not be over before the first report.
fn interval(request: &AnalyzeRequest) -> u32 {
    let watched = request.limit.visits.map_or(u32::MAX, |_| 5);
    let short = request.limit.seconds.map_or(u32::MAX, |seconds| (seconds * 100.0 / 4.0) as u32);
    request.interval_cs.min(watched).min(short).max(1)
}

/// `allow` and `avoid` for the first move. KataGo refuses both at once, so `avoid` is worked in.
fn restriction(letter: &str, size: Size, request: &AnalyzeRequest) -> String {
    let spelled = |vertices: &mut dyn Iterator<Item = &Vertex>| {
        vertices.map(|vertex| vertex.to_gtp(size)).collect::<Vec<_>>().join(",")
    };
    if !request.allow.is_empty() {
        let mut left = request.allow.iter().filter(|vertex| !request.avoid.contains(vertex));
        format!(" allow {letter} {} 1", spelled(&mut left))
    } else if !request.avoid.is_empty() {
        format!(" avoid {letter} {} 1", spelled(&mut request.avoid.iter()))
    } else {
        String::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::request::Limit;
    use crate::go::Point;

    #[test]
    fn reports_come_often_enough_for_the_limit() {
        let of = |visits, seconds| {
            interval(&AnalyzeRequest { limit: Limit { visits, seconds }, ..AnalyzeRequest::default() })
        };
        assert_eq!(
            [of(None, None), of(Some(9), None), of(None, Some(0.4)), of(Some(9), Some(9.0))],
            [50, 5, 10, 5]
        );
        assert_eq!([of(None, Some(0.001)), of(None, Some(1e7))], [1, 50]);
    }

    #[test]
    fn an_analysis_is_asked_for_in_the_order_given_unless_that_cannot_say_all() {
        let of = |listed: &str, order: &[&str], says_more| {
            let listed = listed.split(' ').map(str::to_owned).collect();
            let order: Vec<String> = order.iter().map(|command| (*command).to_owned()).collect();
            analyze_command(&listed, &order, says_more).cloned().unwrap_or_default()
        };
        let (usual, all) = (crate::engine::request::ANALYZE_COMMANDS, "analyze kata-analyze lz-analyze");
        assert_eq!([of(all, &usual, false), of(all, &usual, true)], ["analyze", "kata-analyze"]);
        assert_eq!(of(all, &["lz-analyze", "kata-analyze"], true), "kata-analyze");
        assert_eq!(of(all, &["lz-analyze"], true), "lz-analyze", "as it was set");
        assert_eq!(of("lz-analyze analyze", &usual, true), "analyze");
        assert_eq!(of("genmove", &usual, true), "");
    }

    #[test]
    fn a_move_is_asked_for_with_reports_where_that_works() {
        let all = |listed: &str, order: &[&str]| {
            let listed = listed.split(' ').map(str::to_owned).collect();
            let order: Vec<String> = order.iter().map(|command| (*command).to_owned()).collect();
            let lines = askings(&listed, &order, Color::White, 50);
            lines.iter().map(|asking| asking.line.clone()).collect::<Vec<_>>().join(", ")
        };
        let usual = crate::engine::request::GENMOVE_COMMANDS;
        assert_eq!(all("genmove undo", &usual), "genmove w");
        assert_eq!(all("lz-genmove_analyze genmove", &usual), "lz-genmove_analyze w 50, genmove w");
        assert_eq!(
            all("lz-genmove_analyze genmove_analyze", &usual),
            "genmove_analyze w 50, genmove w",
            "in the order of preference"
        );
        assert_eq!(
            all("kata-genmove_analyze lz-genmove_analyze", &["lz-genmove_analyze", "kata-genmove_analyze"]),
            "lz-genmove_analyze w 50, genmove w",
            "the caller's own order"
        );
        expect_test::expect![[r#"
            kata-search_analyze_cancellable w 50 rootInfo true
            kata-genmove_analyze w 50 rootInfo true
            kata-genmove_analyze w 50
            genmove w"#]]
        .assert_eq(&all("kata-genmove_analyze kata-search_analyze_cancellable", &usual).replace(", ", "\n"));
    }

    #[test]
    fn each_dialect_gets_what_it_takes() {
        let size = Size::STANDARD;
        let mut request = AnalyzeRequest { ownership: true, max_moves: Some(8), ..AnalyzeRequest::default() };
        let all = |command: &str, request: &AnalyzeRequest, must_name| {
            forms(command, Color::White, size, request, must_name).join("\n")
        };
        expect_test::expect![[r#"
            kata-analyze w 50 rootInfo true ownership true maxmoves 8
            kata-analyze w 50
            kata-analyze 50"#]]
        .assert_eq(&all("kata-analyze", &request, false));
        assert_eq!(all("lz-analyze", &request, false), "lz-analyze w 50\nlz-analyze w 50\nlz-analyze 50");
        assert_eq!(all("analyze", &request, true), "analyze w 50\nanalyze w 50");

        request.allow = vec![Vertex::At(Point::new(3, 3)), Vertex::Pass, Vertex::At(Point::new(8, 0))];
        request.avoid = vec![Vertex::Pass];
        request.limit.visits = Some(100);
        assert_eq!(
            all("lz-analyze", &request, true).lines().next(),
            Some("lz-analyze w 5 allow w D16,J19 1")
        );
        request.allow.clear();
        assert_eq!(all("lz-analyze", &request, true).lines().next(), Some("lz-analyze w 5 avoid w pass 1"));
    }
}

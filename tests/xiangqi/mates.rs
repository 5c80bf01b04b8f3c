//! The search on mate problems whose solutions are proved: `mates.jsonl.gz` of the shared folder, a
//! line each with `fen`, `mate_in` and every first move that mates so fast.
//!
//! The tests count nodes, not time. How long it takes is in the report (`--ignored --nocapture`).

use kifud::xiangqi::board::{Board, MoveList};
use kifud::xiangqi::search::{Best, Limits, Searcher};
use kifud::xiangqi::{Move, Position};
use serde_json::Value;

use super::data::{lines, position};

struct Problem {
    position: Position,
    mate_in: i32,
    key_moves: Vec<String>,
}

impl Problem {
    /// Whether a search has found a first move and the distance. (The file leaves out some endings in
    /// stalemate, so that a mate may be shorter than it says; such claims have a test of their own.)
    fn solved_by(&self, best: &Best) -> bool {
        best.mate.is_some_and(|mate| (1..=self.mate_in).contains(&mate))
            && best.played.is_some_and(|played| self.key_moves.contains(&played.to_string()))
    }
}

fn problems() -> Vec<Problem> {
    lines("mates.jsonl.gz").unwrap_or_default().iter().map(problem).collect()
}

fn problem(line: &Value) -> Problem {
    let keys = line["key_moves"].as_array().expect("moves");
    Problem {
        position: position(line),
        mate_in: line["mate_in"].as_i64().expect("a number") as i32,
        key_moves: keys.iter().map(|key| key.as_str().expect("a move").into()).collect(),
    }
}

/// The depth at which the problem is solved, with the nodes it took; the search ends there.
fn solve(searcher: &mut Searcher, problem: &Problem, nodes: u64) -> (Best, Option<u64>) {
    let mut solved = None;
    let limits = Limits { depth: None, nodes: Some(nodes) };
    let best = searcher.search(&problem.position, &[], &limits, 1, &|| false, &mut |report| {
        if solved.is_none() && report.mate.is_some_and(|mate| mate <= problem.mate_in) {
            solved = Some(report.nodes);
        }
    });
    (best, solved)
}

#[test]
fn mates_in_two_and_three() {
    let mut searcher = Searcher::new(16);
    for problem in problems().iter().filter(|problem| problem.mate_in <= 3) {
        let (best, _) = solve(&mut searcher, problem, 150_000);
        assert!(problem.solved_by(&best), "{:?} {:?} {best:?}", problem.position, problem.key_moves);
    }
}

/// A mate that is claimed is there: never shorter than the proved one, and the line ends in it.
#[test]
fn no_mate_is_claimed_too_early() {
    let mut searcher = Searcher::new(16);
    for problem in problems() {
        let limits = Limits { depth: None, nodes: Some(40_000) };
        searcher.search(&problem.position, &[], &limits, 1, &|| false, &mut |report| {
            let Some(mate) = report.mate else { return };
            if mate < problem.mate_in {
                let mut board = Board::from(&problem.position);
                assert!(mates_within(&mut board, mate), "{:?} {report:?}", problem.position);
            }
            let end = report.pv.iter().fold(problem.position.clone(), |position, &played| {
                assert!(position.is_legal(played), "{position:?} {played}");
                position.after(played)
            });
            assert_eq!(report.pv.len() as i32, 2 * mate - 1, "{:?} {report:?}", problem.position);
            assert!(end.legal_moves().is_empty(), "{end:?}");
        });
    }
}

/// Whether the side to move mates within so many moves, whatever is answered; every move is tried.
fn mates_within(board: &mut Board, moves: i32) -> bool {
    moves > 0
        && legal(board).into_iter().any(|played| {
            let undo = board.make(played);
            let mated = legal(board).into_iter().all(|answer| {
                let undo = board.make(answer);
                let mated = mates_within(board, moves - 1);
                board.unmake(answer, undo);
                mated
            });
            board.unmake(played, undo);
            mated
        })
}

fn legal(board: &Board) -> Vec<Move> {
    let mut list = MoveList::new();
    board.legal(&mut list);
    list.iter().collect()
}

fn thread_milliseconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    text.split_whitespace().next().unwrap().parse::<f64>().unwrap() / 1e6
}

/// By length of the mate: how many are solved within 300 ms of CPU time.
#[test]
#[ignore = "a report, not a test: it counts time"]
fn report_of_times() {
    let mut searcher = Searcher::new(16);
    let problems = problems();
    for mate_in in 2..=6 {
        let (mut solved, mut count, mut slowest) = (0, 0, 0.0f64);
        for problem in problems.iter().filter(|problem| problem.mate_in == mate_in) {
            count += 1;
            let start = thread_milliseconds();
            let mut took = f64::INFINITY;
            let stop = || thread_milliseconds() - start > 300.0;
            let best = searcher.search(&problem.position, &[], &Limits::default(), 1, &stop, &mut |report| {
                if report.mate.is_some_and(|mate| mate <= problem.mate_in) {
                    took = took.min(thread_milliseconds() - start);
                }
            });
            if problem.solved_by(&best) {
                solved += 1;
                slowest = slowest.max(took);
            } else {
                println!("not solved: {:?} {:?} {best:?}", problem.position, problem.key_moves);
            }
        }
        println!("mate in {mate_in}: {solved} of {count}, the slowest after {slowest:.0} ms");
    }
}

//! How fast the xiangqi core counts, beside Fairy-Stockfish on the same machine in the same minutes.
//!
//! `cargo bench --bench xiangqi_perft [-- --rounds N]` prints millions of nodes per second of CPU time,
//! the medians of the rounds: ours with the last ply counted, with it listed, and with it played; and
//! the other program's, whose `go perft` lists the last ply and takes the length. It is looked for in
//! `$FAIRY_STOCKFISH` and where Debian puts it. Last comes what a second thread is worth, which is
//! wall time and wants two idle cores.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use kifud::xiangqi::Position;
use kifud::xiangqi::board::{Board, LastPly, perft_shared, perft_with};

/// Name, FEN, depth, lines of play.
const POSITIONS: [(&str, &str, u32, u64); 4] = [
    ("start", "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w", 5, 133_312_995),
    ("middle 1", "r1ba1a3/4kn3/2n1b4/pNp1p1p1p/4c4/6P2/P1P2R2P/1CcC5/9/2BAKAB2 w", 5, 53_112_976),
    ("middle 2", "r2akab1r/3n5/4b3n/p1p1pRp1p/9/2P3P2/P3P3c/N2C3C1/4A4/1RBAK1B2 w", 5, 140_822_416),
    ("middle 3", "2b1kab2/4a4/3n3r1/2pR5/pr3C2p/3R3c1/P1P1N1p1P/2N1B1n2/4A4/4KAB2 b", 4, 6_371_439),
];

/// CPU time of this thread so far.
fn own_time() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux");
    let nanoseconds = text.split(' ').next().and_then(|first| first.parse().ok()).expect("a number");
    Duration::from_nanos(nanoseconds)
}

/// Millions of nodes per second of CPU time, over half a second or more.
fn ours(fen: &str, depth: u32, last: LastPly, want: u64) -> f64 {
    let mut board = Board::from(&Position::from_fen(fen).expect("a position"));
    let start = own_time();
    let mut nodes = 0;
    while own_time() - start < Duration::from_millis(500) {
        let count = perft_with(&mut board, depth, last, &|| false);
        assert_eq!(count, Some(want), "{fen}");
        nodes += want;
    }
    nodes as f64 / (own_time() - start).as_secs_f64() / 1e6
}

struct Fairy {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Fairy {
    fn start() -> Option<Fairy> {
        let program = std::env::var("FAIRY_STOCKFISH").unwrap_or("/usr/games/fairy-stockfish".into());
        let mut child = Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
        let (stdin, stdout) = (child.stdin.take()?, BufReader::new(child.stdout.take()?));
        let mut fairy = Fairy { child, stdin, stdout };
        fairy.send("setoption name UCI_Variant value xiangqi\nisready");
        fairy.until("readyok");
        Some(fairy)
    }

    fn send(&mut self, line: &str) {
        writeln!(self.stdin, "{line}").expect("it reads");
    }

    /// The rest of the next line that begins so.
    fn until(&mut self, start: &str) -> String {
        let mut line = String::new();
        loop {
            line.clear();
            assert!(self.stdout.read_line(&mut line).expect("it writes") > 0, "the program has ended");
            if let Some(rest) = line.strip_prefix(start) {
                return rest.trim().to_owned();
            }
        }
    }

    /// CPU time of all its threads so far, in ticks of a hundredth of a second.
    fn time(&self) -> Duration {
        let text = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).expect("Linux");
        let fields = text.rsplit(')').next().unwrap_or_default().split_whitespace();
        let ticks: u64 = fields.skip(11).take(2).map(|field| field.parse().unwrap_or(0)).sum();
        Duration::from_millis(ticks * 10)
    }

    fn count(&mut self, fen: &str, depth: u32, want: u64) -> f64 {
        let start = self.time();
        self.send(&format!("position fen {fen} - - 0 1\ngo perft {depth}"));
        let nodes = self.until("Nodes searched: ");
        assert_eq!(nodes, want.to_string(), "{fen}");
        want as f64 / (self.time() - start).as_secs_f64() / 1e6
    }
}

impl Drop for Fairy {
    fn drop(&mut self) {
        let _ = writeln!(self.stdin, "quit");
        let _ = self.child.wait();
    }
}

fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Wall seconds for the start at depth 5, the best of many, as other work on the machine only adds.
fn wall(threads: usize) -> f64 {
    let board = Board::from(&Position::start());
    let run = |work: &(dyn Fn() + Sync)| {
        std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    };
    let one = |_| {
        let start = Instant::now();
        assert_eq!(perft_shared(&board, 5, &run, &|| false), Some(POSITIONS[0].3));
        start.elapsed().as_secs_f64()
    };
    (0..30).map(one).fold(f64::INFINITY, f64::min)
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let rounds = arguments
        .windows(2)
        .find(|pair| pair[0] == "--rounds")
        .map_or(3, |pair| pair[1].parse().expect("a number of rounds"));
    let mut fairy = Fairy::start();
    println!("Mnodes per CPU second, median of {rounds} rounds");
    println!("position   depth     counted    listed    played     fairy   counted/fairy");
    for (name, fen, depth, nodes) in POSITIONS {
        let (mut counted, mut listed, mut played, mut other) = (vec![], vec![], vec![], vec![]);
        for _ in 0..rounds {
            counted.push(ours(fen, depth, LastPly::Count, nodes));
            other.extend(fairy.as_mut().map(|fairy| fairy.count(fen, depth, nodes)));
            counted.push(ours(fen, depth, LastPly::Count, nodes));
            listed.push(ours(fen, depth, LastPly::List, nodes));
            played.push(ours(fen, depth, LastPly::Play, nodes));
        }
        let [counted, listed, played, other] = [counted, listed, played, other].map(median);
        let ratio = counted / other;
        println!(
            "{name:<10} {depth:>5} {counted:>11.1} {listed:>9.1} {played:>9.1} {other:>9.2} {ratio:>15.1}"
        );
    }
    if fairy.is_none() {
        println!("fairy-stockfish is not installed: nothing to compare with");
    }
    let (one, two) = (wall(1), wall(2));
    println!("start, depth 5: {one:.3} s on one thread, {two:.3} s on two: {:.2} times", one / two);
}

//! How strong the xiangqi search plays: matches against two opponents, judged by the plain rules.
//!
//! ```text
//! xiangqi-strength yardstick [options]   material only, three plies in full, then captures
//! xiangqi-strength fairy [options]       fairy-stockfish, limited to a depth
//! xiangqi-strength speed [options]       no match: nodes a second and depth of both on 20 middle games
//!   --games N    games to play                              100; 40 against fairy-stockfish
//!   --ms N       CPU milliseconds a move for our side       100; 300
//!   --depth N    depth of fairy-stockfish                   4
//!   --seed N     of the openings                            1
//!   --out FILE   one line a game; a match goes on after the games that are there
//! ```
//!
//! Openings are six random plies that lose nothing; each is played twice, with colours changed. Time is
//! counted as CPU time where the kernel tells it, so that a busy machine weakens nobody. The program
//! fairy-stockfish is `$FAIRY_STOCKFISH`, or where Debian installs it.

use std::error::Error;
use std::fmt;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use kifud::xiangqi::board::{Board, MoveList};
use kifud::xiangqi::search::{Limits, Searcher};
use kifud::xiangqi::values::base_value;
use kifud::xiangqi::{Move, Position, Side, Square};

type Failure = Box<dyn Error>;

fn main() -> Result<(), Failure> {
    let options = Options::read(std::env::args().skip(1))?;
    if matches!(options.opponent, Opponent::Nobody) {
        return speed(&options);
    }
    let played: Vec<Game> = match fs::read_to_string(&options.out) {
        Ok(text) => text.lines().filter_map(Game::read).collect(),
        Err(_) => Vec::new(),
    };
    let mut games = played;
    for number in games.len()..options.games {
        let mut opponent: Box<dyn Player> = match options.opponent {
            Opponent::Yardstick => Box::new(Yardstick),
            Opponent::Fairy | Opponent::Nobody => Box::new(Fairy::start(options.depth)?),
        };
        let game = play(number, &options, opponent.as_mut())?;
        fs::OpenOptions::new()
            .append(true)
            .create(true)
            .open(&options.out)?
            .write_all(game.line().as_bytes())?;
        println!(
            "{:3} {} {:8} {:14} {:3} plies",
            number + 1,
            game.ours,
            game.result(),
            game.reason,
            game.plies
        );
        games.push(game);
    }
    println!("{}", Score::of(&games));
    Ok(())
}

#[derive(Clone, Copy)]
enum Opponent {
    Yardstick,
    Fairy,
    Nobody,
}

struct Options {
    opponent: Opponent,
    games: usize,
    milliseconds: u64,
    depth: u32,
    seed: u64,
    out: String,
}

const USAGE: &str =
    "usage: xiangqi-strength yardstick|fairy|speed [--games N] [--ms N] [--depth N] [--seed N] [--out FILE]";

impl Options {
    fn read(mut words: impl Iterator<Item = String>) -> Result<Options, Failure> {
        let (opponent, games, milliseconds, out) = match words.next().as_deref() {
            Some("yardstick") => (Opponent::Yardstick, 100, 100, "xiangqi-yardstick.txt"),
            Some("fairy") => (Opponent::Fairy, 40, 300, "xiangqi-fairy.txt"),
            Some("speed") => (Opponent::Nobody, 20, 300, ""),
            _ => return Err(USAGE.into()),
        };
        let mut options = Options { opponent, games, milliseconds, depth: 4, seed: 1, out: out.into() };
        while let Some(word) = words.next() {
            let value = words.next().ok_or_else(|| format!("{word} wants a value"))?;
            match word.as_str() {
                "--games" => options.games = value.parse()?,
                "--ms" => options.milliseconds = value.parse()?,
                "--depth" => options.depth = value.parse()?,
                "--seed" => options.seed = value.parse()?,
                "--out" => options.out = value,
                _ => return Err(format!("unknown option {word}").into()),
            }
        }
        Ok(options)
    }
}

/// A game that is over.
struct Game {
    ours: Side,
    /// Who won; `None` for a draw.
    winner: Option<Side>,
    reason: String,
    plies: usize,
    moves: String,
}

impl Game {
    fn result(&self) -> &'static str {
        match self.winner {
            None => "draw",
            Some(side) if side == self.ours => "win",
            Some(_) => "loss",
        }
    }

    fn line(&self) -> String {
        format!("{}\t{}\t{}\t{}\t{}\n", self.ours, self.result(), self.reason, self.plies, self.moves)
    }

    fn read(line: &str) -> Option<Game> {
        let [ours, result, reason, plies, moves] = line.split('\t').collect::<Vec<_>>().try_into().ok()?;
        let ours = Side::ALL.into_iter().find(|side| side.to_string() == ours)?;
        let winner = match result {
            "win" => Some(ours),
            "loss" => Some(ours.opposite()),
            _ => None,
        };
        Some(Game { ours, winner, reason: reason.into(), plies: plies.parse().ok()?, moves: moves.into() })
    }
}

/// The result of a match.
struct Score {
    wins: usize,
    draws: usize,
    losses: usize,
}

impl Score {
    fn of(games: &[Game]) -> Score {
        let count = |result| games.iter().filter(|game| game.result() == result).count();
        Score { wins: count("win"), draws: count("draw"), losses: count("loss") }
    }
}

/// Points, and the interval in which 95 of 100 such matches would lie, from the spread of the results.
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let games = (self.wins + self.draws + self.losses).max(1) as f64;
        let points = self.wins as f64 + self.draws as f64 / 2.0;
        let mean = points / games;
        let squares = self.wins as f64 + self.draws as f64 / 4.0;
        let error = ((squares / games - mean * mean) / games).max(0.0).sqrt();
        write!(
            f,
            "+{} ={} -{}: {points} of {games} points, {:.1}% (95%: {:.1}% to {:.1}%)",
            self.wins,
            self.draws,
            self.losses,
            100.0 * mean,
            100.0 * (mean - 1.96 * error).max(0.0),
            100.0 * (mean + 1.96 * error).min(1.0),
        )
    }
}

/// What a player sees: every position of the game, the last one to be moved in, and the moves.
struct Line {
    positions: Vec<Position>,
    moves: Vec<Move>,
}

impl Line {
    fn now(&self) -> &Position {
        &self.positions[self.positions.len() - 1]
    }

    fn play(&mut self, played: Move) {
        let next = self.now().after(played);
        self.positions.push(next);
        self.moves.push(played);
    }

    /// The ruling, if the game is over, and why.
    fn verdict(&self) -> Option<(Option<Side>, &'static str)> {
        let now = self.now();
        if now.legal_moves().is_empty() {
            let reason = if now.is_check() { "mate" } else { "stalemate" };
            return Some((Some(now.turn().opposite()), reason));
        }
        let same: Vec<usize> =
            (0..self.positions.len()).filter(|&at| self.positions[at].key() == now.key()).collect();
        if same.len() >= 3 {
            let cycle = &self.positions[same[same.len() - 2] + 1..];
            let checks =
                |side: Side| cycle.iter().filter(|after| after.turn() != side).all(Position::is_check);
            return Some(match (checks(Side::Red), checks(Side::Black)) {
                (true, false) => (Some(Side::Black), "perpetual check"),
                (false, true) => (Some(Side::Red), "perpetual check"),
                _ => (None, "repetition"),
            });
        }
        if now.halfmove() >= 120 {
            return Some((None, "no capture"));
        }
        (self.moves.len() >= 300).then_some((None, "300 plies"))
    }
}

fn play(number: usize, options: &Options, opponent: &mut dyn Player) -> Result<Game, Failure> {
    let ours = if number.is_multiple_of(2) { Side::Red } else { Side::Black };
    let mut random = Random::new(options.seed * 1_000_003 + number as u64 / 2);
    let mut line = opening(&mut random);
    let mut us =
        Ours { searcher: Searcher::new(16), milliseconds: options.milliseconds, seed: random.next() };
    let (winner, reason) = loop {
        if let Some(verdict) = line.verdict() {
            break verdict;
        }
        let chosen = if line.now().turn() == ours {
            us.choose(&line, &mut random)?
        } else {
            opponent.choose(&line, &mut random)?
        };
        if !line.now().is_legal(chosen) {
            return Err(format!("{chosen} is illegal in {}", line.now().to_fen()).into());
        }
        line.play(chosen);
    };
    let moves: Vec<String> = line.moves.iter().map(Move::to_string).collect();
    Ok(Game { ours, winner, reason: reason.into(), plies: line.moves.len(), moves: moves.join(" ") })
}

/// Six random plies after which neither side can win anything in three.
fn opening(random: &mut Random) -> Line {
    loop {
        let mut line = Line { positions: vec![Position::start()], moves: Vec::new() };
        for _ in 0..6 {
            let moves = line.now().legal_moves();
            line.play(moves[random.below(moves.len())]);
        }
        let mut board = Board::from(line.now());
        if material_search(&mut board, 3, -INFINITE, INFINITE).abs() < 100 {
            return line;
        }
    }
}

trait Player {
    fn choose(&mut self, line: &Line, random: &mut Random) -> Result<Move, Failure>;
}

/// The search under test.
struct Ours {
    searcher: Searcher,
    milliseconds: u64,
    seed: u64,
}

impl Player for Ours {
    fn choose(&mut self, line: &Line, _: &mut Random) -> Result<Move, Failure> {
        let clock = Clock::start();
        let stop = || clock.milliseconds() >= self.milliseconds;
        let (now, history) = (line.now(), &line.positions[..line.positions.len() - 1]);
        let best = self.searcher.search(now, history, &Limits::default(), self.seed, &stop, &mut |_| {});
        best.played.ok_or_else(|| "no move found".into())
    }
}

/// CPU time of this thread, or the time on the wall where that is not told.
enum Clock {
    Thread(u64),
    Wall(Instant),
}

impl Clock {
    fn start() -> Clock {
        thread_nanoseconds().map_or_else(|| Clock::Wall(Instant::now()), Clock::Thread)
    }

    fn milliseconds(&self) -> u64 {
        match self {
            Clock::Thread(start) => {
                thread_nanoseconds().unwrap_or(u64::MAX).saturating_sub(*start) / 1_000_000
            }
            Clock::Wall(start) => start.elapsed().as_millis() as u64,
        }
    }
}

fn thread_nanoseconds() -> Option<u64> {
    fs::read_to_string("/proc/thread-self/schedstat").ok()?.split_whitespace().next()?.parse().ok()
}

const INFINITE: i32 = 1_000_000;
const LOST: i32 = 100_000;

/// A fixed opponent: counts material, looks three plies ahead in full and captures to the end. Among
/// equal moves it chooses at random.
struct Yardstick;

impl Player for Yardstick {
    fn choose(&mut self, line: &Line, random: &mut Random) -> Result<Move, Failure> {
        let mut board = Board::from(line.now());
        let (mut best, mut equals) = (-INFINITE, Vec::new());
        for played in moves_of(&board, false) {
            let undo = board.make(played);
            let score = -material_search(&mut board, 2, -INFINITE, 1 - best);
            board.unmake(played, undo);
            if score > best {
                (best, equals) = (score, Vec::new());
            }
            if score == best {
                equals.push(played);
            }
        }
        equals.get(random.below(equals.len())).copied().ok_or_else(|| "no move".into())
    }
}

fn moves_of(board: &Board, captures: bool) -> Vec<Move> {
    let mut list = MoveList::new();
    if captures {
        board.captures(&mut list)
    } else {
        board.legal(&mut list)
    }
    let mut moves: Vec<Move> = list.iter().collect();
    moves.sort_by_key(|played| board.piece_at(played.to).map_or(0, |victim| -base_value(victim.kind)));
    moves
}

fn material(board: &Board) -> i32 {
    board
        .pieces()
        .map(|(_, piece)| if piece.side == board.turn() { 1 } else { -1 } * base_value(piece.kind))
        .sum()
}

fn material_search(board: &mut Board, depth: u32, mut alpha: i32, beta: i32) -> i32 {
    let mut best = -INFINITE;
    if depth == 0 {
        best = material(board);
        alpha = alpha.max(best);
        if best >= beta {
            return best;
        }
    }
    let moves = moves_of(board, depth == 0);
    if depth > 0 && moves.is_empty() {
        return -LOST - depth as i32;
    }
    for played in moves {
        let undo = board.make(played);
        let score = -material_search(board, depth.saturating_sub(1), -beta, -alpha);
        board.unmake(played, undo);
        best = best.max(score);
        alpha = alpha.max(score);
        if alpha >= beta {
            break;
        }
    }
    best
}

/// fairy-stockfish as a child process.
struct Fairy {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    depth: u32,
}

impl Fairy {
    fn start(depth: u32) -> Result<Fairy, Failure> {
        let program =
            std::env::var("FAIRY_STOCKFISH").unwrap_or_else(|_| "/usr/games/fairy-stockfish".into());
        let mut child = Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let input = child.stdin.take().ok_or("no stdin")?;
        let output = BufReader::new(child.stdout.take().ok_or("no stdout")?);
        let mut fairy = Fairy { child, input, output, depth };
        fairy.send("setoption name UCI_Variant value xiangqi")?;
        fairy.send("setoption name Threads value 1")?;
        fairy.send("setoption name Hash value 16")?;
        fairy.send("ucinewgame")?;
        Ok(fairy)
    }

    fn send(&mut self, line: &str) -> Result<(), Failure> {
        writeln!(self.input, "{line}")?;
        Ok(self.input.flush()?)
    }
}

impl Drop for Fairy {
    fn drop(&mut self) {
        let _ = self.send("quit");
        let _ = self.child.wait();
    }
}

impl Player for Fairy {
    fn choose(&mut self, line: &Line, _: &mut Random) -> Result<Move, Failure> {
        let uci = |played: &Move| format!("{}{}", played.from.to_uci(), played.to.to_uci());
        let moves: Vec<String> = line.moves.iter().map(uci).collect();
        self.send(&format!("position startpos moves {}", moves.join(" ")))?;
        self.send(&format!("go depth {}", self.depth))?;
        loop {
            let mut answer = String::new();
            if self.output.read_line(&mut answer)? == 0 {
                return Err("fairy-stockfish has gone".into());
            }
            if let Some(text) = answer.strip_prefix("bestmove ") {
                let text = text.split_whitespace().next().unwrap_or_default();
                return read_uci(text).ok_or_else(|| format!("{text} in {}", line.now().to_fen()).into());
            }
        }
    }
}

impl Fairy {
    /// Searches for so long: the nodes and the depth it reports, and the CPU time it took.
    fn measure(&mut self, position: &Position, milliseconds: u64) -> Result<Speed, Failure> {
        let before = process_seconds(self.child.id())?;
        self.send(&format!("position fen {}", position.to_fen()))?;
        self.send(&format!("go movetime {milliseconds}"))?;
        let (mut nodes, mut depth) = (0.0, 0);
        loop {
            let mut answer = String::new();
            if self.output.read_line(&mut answer)? == 0 {
                return Err("fairy-stockfish has gone".into());
            }
            let words: Vec<&str> = answer.split_whitespace().collect();
            let value = |name| words.iter().position(|&word| word == name).and_then(|at| words.get(at + 1));
            if words.first() == Some(&"bestmove") {
                return Ok(Speed { nodes, depth, seconds: process_seconds(self.child.id())? - before });
            }
            nodes = value("nodes").map_or(Ok(nodes), |text| text.parse())?;
            depth = value("depth").map_or(Ok(depth), |text| text.parse())?;
        }
    }
}

/// CPU time of another process: its main thread and all others.
fn process_seconds(process: u32) -> Result<f64, Failure> {
    let mut seconds = 0.0;
    for thread in fs::read_dir(format!("/proc/{process}/task"))? {
        let text = fs::read_to_string(thread?.path().join("schedstat"))?;
        seconds += text.split_whitespace().next().unwrap_or_default().parse::<f64>()? / 1e9;
    }
    Ok(seconds)
}

/// What a program does in a given time.
struct Speed {
    nodes: f64,
    depth: u32,
    seconds: f64,
}

/// Both programs on the same middle games: positions that shallow self-play reaches after 30 plies.
fn speed(options: &Options) -> Result<(), Failure> {
    let mut fairy = Fairy::start(options.depth)?;
    let mut searcher = Searcher::new(16);
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for number in 0..options.games as u64 {
        let mut random = Random::new(options.seed * 1_000_003 + number);
        let mut line = opening(&mut random);
        while line.moves.len() < 30 && line.verdict().is_none() {
            let limits = Limits { depth: Some(4), ..Limits::default() };
            let best = searcher.search(line.now(), &[], &limits, random.next(), &|| false, &mut |_| {});
            best.played.into_iter().for_each(|played| line.play(played));
        }
        let clock = Clock::start();
        let stop = || clock.milliseconds() >= options.milliseconds;
        let best = searcher.search(line.now(), &[], &Limits::default(), 1, &stop, &mut |_| {});
        let seconds = clock.milliseconds() as f64 / 1e3;
        ours.push(Speed { nodes: best.nodes as f64, depth: best.depth, seconds });
        theirs.push(fairy.measure(line.now(), options.milliseconds)?);
    }
    for (name, speeds) in [("kifud", &mut ours), ("fairy-stockfish", &mut theirs)] {
        let (nodes, seconds) = speeds
            .iter()
            .fold((0.0, 0.0), |(nodes, seconds), one| (nodes + one.nodes, seconds + one.seconds));
        speeds.sort_by_key(|one| one.depth);
        let depth = speeds.get(speeds.len() / 2).map_or(0, |one| one.depth);
        println!(
            "{name:16} {:8.0} nodes a CPU second, median depth {depth}, {:.0} ms CPU each",
            nodes / seconds,
            1e3 * seconds / speeds.len() as f64
        );
    }
    Ok(())
}

fn read_uci(text: &str) -> Option<Move> {
    let second = text.rfind(|letter: char| letter.is_ascii_lowercase())?;
    let (from, to) = text.split_at_checked(second)?;
    Some(Move::new(Square::from_uci(from)?, Square::from_uci(to)?))
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Random {
        Random(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let word = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ word >> 31
    }

    /// Below a bound that is not 0.
    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }
}

//! The commands and what they do.

use super::Host;
use super::handicap;
use super::searched::Searched;
use super::think::{MOST_VISITS, plan};
use super::time::Time;
use super::words::{is_id, numbers, printable, showboard};
use crate::go::{Color, Move, Point, Position, Size, Step, Vertex, referee};
use crate::mcts::Limits;

/// All commands, as `list_commands` lists them.
pub const COMMANDS: [&str; 41] = [
    "protocol_version",
    "name",
    "version",
    "known_command",
    "list_commands",
    "quit",
    "boardsize",
    "rectangular_boardsize",
    "clear_board",
    "set_position",
    "komi",
    "get_komi",
    "play",
    "undo",
    "genmove",
    "showboard",
    "fixed_handicap",
    "place_free_handicap",
    "set_free_handicap",
    "time_settings",
    "time_left",
    "final_score",
    "final_status_list",
    "loadsgf",
    "analyze",
    "lz-analyze",
    "kata-analyze",
    "kata-search_analyze",
    "kata-search_analyze_cancellable",
    "genmove_analyze",
    "lz-genmove_analyze",
    "kata-genmove_analyze",
    "kata-search",
    "kata-search_cancellable",
    "kata-list-params",
    "kata-get-param",
    "kata-set-param",
    "reg_genmove",
    "get_random_seed",
    "set_random_seed",
    "stop",
];

/// What it calls itself: nobody shall take its numbers for those of a strong engine.
pub const NAME: &str = "kifud demo engine";

/// Playouts from which dead stones are told.
const STATUS_VISITS: u32 = 2_000;
/// The most threads of one search.
const MOST_THREADS: usize = 64;
/// The one parameter that KataGo's commands get and set here.
const PARAM: &str = "maxVisits";
type Answer = Result<String, String>;

/// A GTP engine with its board.
pub struct Engine {
    pub(super) position: Position,
    pub(super) komi: f64,
    pub(super) time: Time,
    pub(super) seed: u64,
    /// Visits of a search that makes a move, in place of time.
    pub(super) visits: Option<u32>,
    /// How many threads search at once.
    pub(super) threads: usize,
    pub(super) searched: Option<Searched>,
}

impl Engine {
    /// An engine on an empty 19x19 board with a komi of 7. With the same seed and a number of visits it
    /// always answers the same.
    pub fn new(seed: u64) -> Engine {
        Engine {
            position: Position::new(Size::STANDARD),
            komi: 7.0,
            time: Time::default(),
            seed,
            visits: None,
            threads: 1,
            searched: None,
        }
    }

    /// Searches so many visits a move instead of by time.
    pub fn with_visits(mut self, visits: u32) -> Engine {
        self.visits = Some(visits.clamp(1, MOST_VISITS));
        self
    }

    /// Searches with so many threads, if the host has them. Only one alone always finds the same.
    pub fn with_threads(mut self, threads: usize) -> Engine {
        self.threads = threads.clamp(1, MOST_THREADS);
        self
    }

    /// The position on its board.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Hears one line and answers it; whether the conversation goes on.
    pub fn hear(&mut self, line: &str, host: &mut dyn Host) -> bool {
        let line: String = line.chars().filter_map(printable).collect();
        let line = line.split('#').next().unwrap_or_default();
        let words: Vec<&str> = line.split_whitespace().collect();
        let (id, words) = match words.split_first() {
            Some((first, rest)) if is_id(first) => (*first, rest),
            _ => ("", &words[..]),
        };
        let Some((command, args)) = words.split_first() else {
            if !id.is_empty() {
                host.say("? empty command\n\n");
            }
            return true;
        };
        if let Some(plan) = plan(command) {
            self.think(id, plan, args, host);
            return true;
        }
        match self.answer(command, args, host) {
            Ok(text) => host.say(&format!("={id} {text}\n\n")),
            Err(text) => host.say(&format!("?{id} {text}\n\n")),
        }
        *command != "quit"
    }

    fn answer(&mut self, command: &str, args: &[&str], host: &mut dyn Host) -> Answer {
        let done = || Ok(String::new());
        match command {
            "protocol_version" => Ok("2".to_owned()),
            "name" => Ok(NAME.to_owned()),
            "version" => Ok(env!("CARGO_PKG_VERSION").to_owned()),
            "known_command" => Ok(args.first().is_some_and(|name| COMMANDS.contains(name)).to_string()),
            "list_commands" => Ok(COMMANDS.join("\n")),
            "quit" | "stop" => done(),
            "boardsize" | "rectangular_boardsize" => self.resize(args),
            "clear_board" => {
                self.clear(self.position.size);
                done()
            }
            "set_position" => self.set_position(args),
            "komi" => self.set_komi(args),
            "get_komi" => Ok(self.komi.to_string()),
            "play" => self.play(args),
            "undo" => self.undo(),
            "showboard" => Ok(showboard(&self.position.board())),
            "fixed_handicap" => self.fixed_handicap(args),
            "place_free_handicap" => self.place_free_handicap(args),
            "set_free_handicap" => self.set_free_handicap(args),
            "time_settings" => {
                let [main, period, stones] =
                    numbers(args).ok_or("Expected three numbers for time_settings")?;
                self.time.set(main, period, stones);
                done()
            }
            "time_left" => {
                let color = self.color(args.first().copied())?;
                let [seconds, stones] = numbers(args.get(1..).unwrap_or_default())
                    .ok_or("Expected a color and two numbers for time_left")?;
                self.time.set_left(color, seconds, stones);
                done()
            }
            "final_score" => {
                let lead = f64::from(self.lead_without_dead(host)?) - self.komi;
                Ok(referee::result_text(lead))
            }
            "final_status_list" => self.final_status_list(args, host),
            "loadsgf" => self.load(args, host),
            "get_random_seed" => Ok(self.seed.to_string()),
            "set_random_seed" => self.set_seed(args),
            "kata-list-params" => Ok(PARAM.to_owned()),
            "kata-get-param" => self.get_param(args),
            "kata-set-param" => self.set_param(args),
            _ => Err("unknown command".to_owned()),
        }
    }

    pub(super) fn color(&self, word: Option<&str>) -> Result<Color, String> {
        let word = word.ok_or("Expected a color")?;
        Color::parse(word).ok_or_else(|| format!("Could not parse color: '{word}'"))
    }

    fn clear(&mut self, size: Size) {
        self.position = Position::new(size);
        self.searched = None;
    }

    fn resize(&mut self, args: &[&str]) -> Answer {
        let sides: Option<Vec<u8>> = args.iter().map(|text| text.parse().ok()).collect();
        let (width, height) = match sides.as_deref() {
            Some([side]) => (*side, *side),
            Some([width, height]) => (*width, *height),
            _ => {
                return Err(format!(
                    "Expected int argument for boardsize or pair of ints but got '{}'",
                    args.join(" ")
                ));
            }
        };
        let sides = 2..=19;
        match Size::new(width, height) {
            Some(size) if sides.contains(&width) && sides.contains(&height) => {
                self.clear(size);
                Ok(String::new())
            }
            _ => Err("unacceptable size".to_owned()),
        }
    }

    fn set_komi(&mut self, args: &[&str]) -> Answer {
        let wrong = || format!("Expected single float argument for komi but got '{}'", args.join(" "));
        let [text] = args else { return Err(wrong()) };
        let komi: f64 = text.parse().map_err(|_| wrong())?;
        if komi.is_nan() {
            return Err(wrong());
        }
        let area = self.position.size.area() as f64;
        if komi.abs() > area + 150.0 {
            return Err("unacceptable komi".to_owned());
        }
        self.komi = komi;
        Ok(String::new())
    }

    fn play(&mut self, args: &[&str]) -> Answer {
        let [color, vertex] = args else {
            return Err(format!("Expected two arguments for play but got '{}'", args.join(" ")));
        };
        let color = self.color(Some(color))?;
        let vertex = self.vertex(vertex)?;
        self.make(Move { color, vertex }).map(|()| String::new())
    }

    fn vertex(&self, text: &str) -> Result<Vertex, String> {
        Vertex::parse_gtp(text, self.position.size).ok_or_else(|| format!("Could not parse vertex: '{text}'"))
    }

    /// Makes a legal move; a ko may be retaken by whoever it does not belong to. Repetition is refused
    /// where this program chooses, not where it is told.
    pub(super) fn make(&mut self, play: Move) -> Result<(), String> {
        self.position.board().legality(play).map_err(|_| "illegal move".to_owned())?;
        self.position.steps.push(Step::Play(play));
        self.position.to_play = play.color.opponent();
        Ok(())
    }

    fn undo(&mut self) -> Answer {
        match self.position.steps.last() {
            Some(Step::Play(play)) => {
                self.position.to_play = play.color;
                self.position.steps.pop();
                Ok(String::new())
            }
            _ => Err("cannot undo".to_owned()),
        }
    }

    fn set_position(&mut self, args: &[&str]) -> Answer {
        let mut stones = Vec::new();
        for pair in args.chunks(2) {
            let [color, vertex] = pair else { return Err("Expected pairs of color and vertex".to_owned()) };
            let color = self.color(Some(color))?;
            match self.vertex(vertex)? {
                Vertex::At(point) => stones.push((point, Some(color))),
                Vertex::Pass => return Err(format!("Could not parse vertex: '{vertex}'")),
            }
        }
        self.set_up(stones, Color::Black)?;
        Ok(String::new())
    }

    /// A board with these stones alone.
    fn set_up(&mut self, stones: Vec<(Point, Option<Color>)>, to_play: Color) -> Result<(), String> {
        let mut position = Position::new(self.position.size);
        let count = stones.len();
        position.steps.push(Step::Setup(stones));
        position.to_play = to_play;
        let board = position.board();
        if board.stones().count() != count || !board.stones_without_liberties().is_empty() {
            return Err(
                "Illegal stone placements - overlapping stones or stones with no liberties?".to_owned()
            );
        }
        self.position = position;
        Ok(())
    }

    fn handicap(&mut self, points: Vec<Point>) -> Answer {
        let size = self.position.size;
        let text: Vec<_> = points.iter().map(|point| Vertex::At(*point).to_gtp(size)).collect();
        self.set_up(points.into_iter().map(|point| (point, Some(Color::Black))).collect(), Color::White)?;
        Ok(text.join(" "))
    }

    fn get_param(&self, args: &[&str]) -> Answer {
        match args {
            [PARAM] => Ok(self.visits.unwrap_or(MOST_VISITS).to_string()),
            _ => Err(format!("Expected the name of a parameter; there is {PARAM}")),
        }
    }

    /// Visits as many as a search can have leave the end to the clock.
    fn set_param(&mut self, args: &[&str]) -> Answer {
        let visits = match args {
            [PARAM, number] => number.parse::<u32>().ok().filter(|visits| *visits > 0),
            _ => return Err(format!("Expected the name of a parameter and its value; there is {PARAM}")),
        };
        let visits = visits.ok_or_else(|| format!("Expected a number of visits for {PARAM}"))?;
        self.visits = (visits < MOST_VISITS).then_some(visits);
        Ok(String::new())
    }

    /// The next search begins anew: what has been searched came of another seed.
    fn set_seed(&mut self, args: &[&str]) -> Answer {
        let seed = match args {
            [number] => number.parse().ok(),
            _ => None,
        };
        self.seed = seed.ok_or("Expected one whole number for set_random_seed")?;
        self.searched = None;
        Ok(String::new())
    }

    fn is_empty(&self) -> Result<(), String> {
        if self.position.board().is_empty() { Ok(()) } else { Err("Board is not empty".to_owned()) }
    }

    fn fixed_handicap(&mut self, args: &[&str]) -> Answer {
        self.is_empty()?;
        let stones =
            args.first().and_then(|text| text.parse().ok()).ok_or("Expected one int for fixed_handicap")?;
        let points = handicap::fixed(self.position.size, stones).ok_or("Invalid handicap")?;
        self.handicap(points)
    }

    fn place_free_handicap(&mut self, args: &[&str]) -> Answer {
        self.is_empty()?;
        let stones: usize = args
            .first()
            .and_then(|text| text.parse().ok())
            .ok_or("Expected one int for place_free_handicap")?;
        let size = self.position.size;
        let points =
            match handicap::fixed(size, stones.min(9)).or_else(|| handicap::fixed(size, stones.min(4))) {
                Some(points) if stones >= 2 => points,
                _ => return Err("Invalid handicap".to_owned()),
            };
        self.handicap(points)
    }

    fn set_free_handicap(&mut self, args: &[&str]) -> Answer {
        self.is_empty()?;
        let mut points = Vec::new();
        for text in args {
            match self.vertex(text)? {
                Vertex::At(point) => points.push(point),
                Vertex::Pass => return Err(format!("Could not parse vertex: '{text}'")),
            }
        }
        if points.is_empty() || points.len() >= self.position.size.area() {
            return Err("Invalid handicap".to_owned());
        }
        self.handicap(points).map(|_| String::new())
    }

    fn load(&mut self, args: &[&str], host: &mut dyn Host) -> Answer {
        let (path, number) = match args {
            [path] => (path, None),
            [path, number] => (path, Some(number.parse().map_err(|_| "Expected a file and a move number")?)),
            _ => return Err("Expected a file and a move number".to_owned()),
        };
        let position = host.load(path, number).map_err(|why| format!("Could not load sgf: {why}"))?;
        let (width, height) = (position.size.width(), position.size.height());
        if width.min(height) < 2 || width.max(height) > 19 {
            return Err("unacceptable size".to_owned());
        }
        self.komi = position.komi.unwrap_or(self.komi);
        self.position = position;
        Ok(String::new())
    }

    fn final_status_list(&mut self, args: &[&str], host: &dyn Host) -> Answer {
        let dead = self.dead(host)?;
        let board = self.position.board();
        let stones = board.stones().map(|(point, _)| point);
        let listed: Vec<Point> = match args {
            ["dead"] => dead,
            ["alive"] => stones.filter(|point| !dead.contains(point)).collect(),
            ["seki"] => Vec::new(),
            _ => return Err("Expected 'alive', 'seki' or 'dead'".to_owned()),
        };
        let size = self.position.size;
        Ok(listed.into_iter().map(|point| Vertex::At(point).to_gtp(size)).collect::<Vec<_>>().join(" "))
    }

    /// The stones that are the opponent's at the end of most playouts.
    fn dead(&mut self, host: &dyn Host) -> Result<Vec<Point>, String> {
        let color = self.position.to_play;
        let searched = self.tree(color)?;
        searched.prepare(&|_| true);
        let limits = Limits { visits: Some(STATUS_VISITS), ..Limits::default() };
        searched.search(limits, host, &|_| host.is_gone());
        let ownership = searched.tree.report().ownership;
        let board = self.position.board();
        let is_dead = |(point, color): (Point, Color)| {
            let share = ownership.get(board.size().index(point)).copied().unwrap_or_default();
            let own = if color == Color::Black { share } else { -share };
            (own < -0.3).then_some(point)
        };
        Ok(board.stones().filter_map(is_dead).collect())
    }

    fn lead_without_dead(&mut self, host: &dyn Host) -> Result<i32, String> {
        let dead = self.dead(host)?;
        let mut board = self.position.board();
        dead.into_iter().for_each(|point| board.set(point, None));
        let [black, white] = referee::area(&board);
        Ok(black as i32 - white as i32)
    }
}

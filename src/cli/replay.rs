//! `kifud replay`: a GTP engine that answers from recordings of a real one.
//!
//! Framing is KataGo's. A command is answered `=ID TEXT` and an empty line. An analyze command
//! is answered `=ID`, then info lines; the empty line is held back until the next input
//! arrives, which ends the analysis and is then answered itself. A `search_analyze` command
//! ends on its own with `play MOVE`, and so does a `genmove_analyze` command, which also plays it.

mod library;
mod position;

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use library::{Library, Transcript};
use position::Game;

use crate::go::Color;

/// Between two info lines.
const PERIOD: Duration = Duration::from_millis(100);

/// Commands beside the recorded ones.
const COMMANDS: [&str; 15] = [
    "protocol_version",
    "name",
    "version",
    "known_command",
    "list_commands",
    "quit",
    "boardsize",
    "rectangular_boardsize",
    "clear_board",
    "komi",
    "play",
    "undo",
    "set_free_handicap",
    "kata-set-rules",
    "stop",
];

/// What `kata-get-param maxVisits` answers: some number, since the recorded searches have their own.
const SEARCH_VISITS: &str = "50";

/// Also listed, when a search of exact length was recorded: how KataGo is told the length.
const PARAMS: [&str; 2] = ["kata-get-param", "kata-set-param"];

/// Arguments of `kifud replay`.
#[derive(Debug, Clone, clap::Args)]
pub struct ReplayArgs {
    /// A recorded transcript, or a folder whose manifest.json names one for each position
    #[arg(long, value_name = "FILE|DIR")]
    pub transcript: PathBuf,

    /// Answer this command only; a transcript without a manifest answers kata-analyze
    #[arg(long, value_name = "NAME")]
    pub analyze_command: Option<String>,
}

/// Speaks GTP on stdin and stdout until `quit` or the end of the input (exit 0). Exit 2, with
/// the reason on stderr, when the transcript is missing, unreadable or empty.
pub fn run(args: &ReplayArgs) -> ExitCode {
    let library = match Library::load(&args.transcript, args.analyze_command.as_deref()) {
        Ok(library) => library,
        Err(reason) => {
            eprintln!("kifud replay: {reason}");
            return ExitCode::from(2);
        }
    };
    match Engine::new(&library, io::stdout().lock()).serve(&super::gtp::lines()) {
        // The controller closed our stdout: nobody is left to tell.
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("kifud replay: {error}");
            ExitCode::FAILURE
        }
    }
}

/// A running engine.
struct Engine<'a, W> {
    library: &'a Library,
    output: W,
    game: Game,
    /// What is being streamed, and the number of its next line.
    streaming: Option<(&'a Transcript, usize)>,
}

/// How one command is answered.
enum Answer<'a> {
    /// `=ID TEXT`
    Done(String),
    /// `?ID TEXT`
    Failed(String),
    /// `=ID`, then lines until something else is asked, or to the recorded end.
    Stream(&'a Transcript),
    /// `=ID`, and the engine ends.
    Quit,
}

impl<'a, W: Write> Engine<'a, W> {
    fn new(library: &'a Library, output: W) -> Engine<'a, W> {
        Engine { library, output, game: Game::default(), streaming: None }
    }

    fn serve(&mut self, lines: &Receiver<Vec<u8>>) -> io::Result<()> {
        loop {
            let line = match self.streaming {
                Some(_) => lines.recv_timeout(PERIOD),
                None => lines.recv().map_err(RecvTimeoutError::from),
            };
            match line {
                Err(RecvTimeoutError::Timeout) => self.next_info()?,
                Err(RecvTimeoutError::Disconnected) => return self.stop_streaming(),
                Ok(line) => {
                    self.stop_streaming()?;
                    if !self.execute(&String::from_utf8_lossy(&line))? {
                        return Ok(());
                    }
                }
            }
        }
    }

    fn next_info(&mut self) -> io::Result<()> {
        if let Some((transcript, next)) = &mut self.streaming {
            self.output.write_all(&transcript.lines[*next])?;
            self.output.write_all(b"\n")?;
            self.output.flush()?;
            *next = (*next + 1) % transcript.lines.len();
        }
        Ok(())
    }

    fn stop_streaming(&mut self) -> io::Result<()> {
        if self.streaming.take().is_some() {
            self.output.write_all(b"\n")?;
            self.output.flush()?;
        }
        Ok(())
    }

    /// Answers one line; false when it was `quit`.
    fn execute(&mut self, line: &str) -> io::Result<bool> {
        let Some((id, words)) = split_line(line) else {
            return Ok(true);
        };
        match self.answer(&words) {
            Answer::Done(text) => write!(self.output, "={id} {text}\n\n")?,
            Answer::Failed(text) => write!(self.output, "?{id} {text}\n\n")?,
            Answer::Stream(transcript) => {
                self.begin(id, transcript)?;
                if let (Some(vertex), Some(color)) = (transcript.played(), words.get(1)) {
                    // `resign` is no move.
                    let _ = self.game.execute("play", &[color, vertex]);
                }
            }
            Answer::Quit => {
                write!(self.output, "={id} \n\n")?;
                self.output.flush()?;
                return Ok(false);
            }
        }
        self.output.flush()?;
        Ok(true)
    }

    fn begin(&mut self, id: &str, transcript: &'a Transcript) -> io::Result<()> {
        writeln!(self.output, "={id}")?;
        let Some(play) = &transcript.play else {
            self.streaming = Some((transcript, 0));
            return self.next_info();
        };
        for line in transcript.lines.iter().chain([play]) {
            self.output.write_all(line)?;
            self.output.write_all(b"\n")?;
        }
        self.output.write_all(b"\n")
    }

    fn answer(&mut self, words: &[&str]) -> Answer<'a> {
        let Some((&command, args)) = words.split_first() else {
            return Answer::Failed("empty command".to_owned());
        };
        if self.library.commands().any(|recorded| recorded == command) {
            return self.analyze(command, args);
        }
        if !self.knows(command) {
            return Answer::Failed("unknown command".to_owned());
        }
        let text = match command {
            "quit" => return Answer::Quit,
            "protocol_version" => Ok("2".to_owned()),
            "name" => Ok(self.library.name.clone()),
            "version" => Ok(self.library.version.clone()),
            "list_commands" => Ok(self.list()),
            "kata-get-param" => Ok(SEARCH_VISITS.to_owned()),
            "known_command" => Ok(args.first().is_some_and(|name| self.knows(name)).to_string()),
            _ => self.game.execute(command, args).map(|()| String::new()),
        };
        text.map_or_else(Answer::Failed, Answer::Done)
    }

    fn analyze(&self, command: &str, args: &[&str]) -> Answer<'a> {
        let color = args.first().and_then(|word| Color::parse(word));
        match self.library.find(command, &self.game, color) {
            Some(transcript) => Answer::Stream(transcript),
            None => {
                let color = color.map_or("any", Color::letter);
                Answer::Failed(format!(
                    "no {command} transcript for this position: {}, colour {color}",
                    self.game
                ))
            }
        }
    }

    fn knows(&self, command: &str) -> bool {
        self.commands().any(|known| known == command)
    }

    fn commands(&self) -> impl Iterator<Item = &str> {
        let params = self.library.has_search().then_some(PARAMS);
        COMMANDS.into_iter().chain(params.into_iter().flatten()).chain(self.library.commands())
    }

    fn list(&self) -> String {
        self.commands().collect::<Vec<_>>().join("\n")
    }
}

/// The id (digits, maybe none) and the words of a command line, comment removed. `None` for a
/// line that asks nothing.
fn split_line(line: &str) -> Option<(&str, Vec<&str>)> {
    let line = line.split('#').next().unwrap_or_default();
    let mut words: Vec<&str> = line.split_whitespace().collect();
    let first = words.first()?;
    if first.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some((words.remove(0), words));
    }
    Some(("", words))
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    #[test]
    fn lines_split_into_id_and_words() {
        let cases = [
            ("12 play b  D4\r\n", "12|play b D4"),
            ("name # who\n", "|name"),
            ("7\n", "7|"),
            ("\t\n", "nothing"),
            ("# only a remark\n", "nothing"),
            ("1a name\n", "|1a name"),
        ];
        for (line, expected) in cases {
            let found = split_line(line).map(|(id, words)| format!("{id}|{}", words.join(" ")));
            assert_eq!(found.as_deref().unwrap_or("nothing"), expected, "{line:?}");
        }
    }

    /// What the engine writes for these lines, in one go.
    fn session(library: &Library, input: &[&str]) -> String {
        let mut output = Vec::new();
        let mut engine = Engine::new(library, &mut output);
        for line in input {
            engine.stop_streaming().unwrap();
            if !engine.execute(line).unwrap() {
                break;
            }
        }
        engine.stop_streaming().unwrap();
        String::from_utf8(output).unwrap()
    }

    #[test]
    fn any_input_ends_an_analysis() {
        let library = Library::of_lines("kata-analyze", &["info move D4", "info move E5"]);
        let output = session(&library, &["1 kata-analyze b 20", "", "2 name", "stop", "quit", "name"]);
        expect![[r#"
            =1
            info move D4

            =2 replay

            = 

            = 

        "#]]
        .assert_eq(&output);
    }

    #[test]
    fn the_lines_repeat() {
        let library = Library::of_lines("lz-analyze", &["info a", "info b"]);
        let mut output = Vec::new();
        let mut engine = Engine::new(&library, &mut output);
        engine.execute("lz-analyze").unwrap();
        engine.next_info().unwrap();
        engine.next_info().unwrap();
        assert_eq!(output, b"=\ninfo a\ninfo b\ninfo a\n");
    }

    #[test]
    fn a_search_ends_by_itself() {
        let mut library = Library::of_lines("kata-search_analyze", &["info move D4"]);
        library.transcripts[0].play = Some(b"play D4".to_vec());
        let output = session(
            &library,
            &[
                "kata-get-param maxVisits",
                "kata-set-param maxVisits 50",
                "3 kata-search_analyze b 20",
                "4 known_command kata-set-param",
            ],
        );
        assert_eq!(output, "= 50\n\n= \n\n=3\ninfo move D4\nplay D4\n\n=4 true\n\n");
    }

    #[test]
    fn a_move_is_streamed_and_played() {
        let mut library = Library::of_lines("lz-genmove_analyze", &["info move D4"]);
        library.transcripts[0].play = Some(b"play D4".to_vec());
        let input = ["1 lz-genmove_analyze b 20", "2 undo", "3 undo", "4 known_command kata-set-param"];
        let output = session(&library, &input);
        assert_eq!(output, "=1\ninfo move D4\nplay D4\n\n=2 \n\n?3 cannot undo\n\n=4 false\n\n");
    }

    #[test]
    fn refusals_say_what_was_asked() {
        let library = Library::of_lines("kata-analyze", &["info move D4"]);
        let output = session(&library, &["5 genmove b", "6", "7 known_command genmove", "8 kata-set-param"]);
        assert_eq!(output, "?5 unknown command\n\n?6 empty command\n\n=7 false\n\n?8 unknown command\n\n");
    }
}

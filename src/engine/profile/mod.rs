//! Known programs: how they are recognised, started and read, and what their last words mean.
//! The knowledge is the table in `table.rs`; what is here only looks things up.

mod table;

use std::path::Path;

use super::gtp::analyze::Dialect;

pub use table::{ALL, ANY};

/// A known program.
#[derive(Debug, PartialEq, Eq)]
pub struct Profile {
    /// Its name in settings.
    pub id: &'static str,
    /// What people call it.
    pub name: &'static str,
    /// What it plays.
    pub game: &'static str,
    /// What it speaks: `gtp`, `katago-json`, `uci`, `ucci`.
    pub protocol: &'static str,
    /// How its answer to `name` begins. Longer ones are tried first.
    pub says: &'static [&'static str],
    /// What its answer to `version` contains, for programs that share a name; empty: anything.
    pub version: &'static str,
    /// File names, without folder, `.exe` and whatever follows a `-`, `_`, `.` or digit.
    pub files: &'static [&'static str],
    /// Arguments without which it does not speak its protocol.
    pub mode: &'static [&'static str],
    /// Words of which one must be among the arguments; empty: nothing is needed.
    pub mode_words: &'static [&'static str],
    /// Arguments after those, to be filled in: capital words stand for files.
    pub proposed: &'static [&'static str],
    /// How its plain `analyze` prints numbers, where it has one.
    pub dialect: Dialect,
    /// For whom its numbers are.
    pub perspective: Perspective,
    /// Where it is unlike others.
    pub quirks: &'static [Quirk],
    /// What it says when it does not start, and what that means.
    pub symptoms: &'static [Symptom],
}

/// For whom an engine's win rates and scores are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Perspective {
    /// For the side to move.
    #[default]
    SideToMove,
    /// Always for Black.
    Black,
    /// Always for White.
    White,
}

/// Where a program is unlike others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quirk {
    /// After two passes it aborts on `genmove` and says nothing when it is asked to analyse.
    OverAfterTwoPasses,
    /// It is there for demos: its numbers are shown as such, and written into a record only when they are
    /// asked for.
    Demo,
}

/// Words in a program's output before it failed, and what they mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Symptom {
    /// Any of these, letter by letter.
    pub text: &'static [&'static str],
    /// What is wrong, as the end of a sentence.
    pub wrong: &'static str,
    /// What to do.
    pub mend: &'static str,
}

/// What seems to be wrong with a program, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnosis {
    /// What is wrong, as the end of a sentence.
    pub wrong: String,
    /// What to do.
    pub mend: String,
}

impl Profile {
    /// The profile of this name in the settings.
    pub fn named(id: &str) -> Option<&'static Profile> {
        ALL.iter().find(|profile| profile.id == id)
    }

    /// The program behind a file, by its name.
    pub fn of_file(path: &Path) -> Option<&'static Profile> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        let name = name.strip_suffix(".exe").unwrap_or(&name);
        let fits = |file: &&str| {
            let rest = name.strip_prefix(*file);
            rest.is_some_and(|rest| !rest.starts_with(|next: char| next.is_ascii_alphabetic()))
        };
        // The longest name wins: `leela-zero` is not `leela`.
        let length =
            |profile: &&Profile| profile.files.iter().filter(|file| fits(file)).map(|f| f.len()).max();
        ALL.iter().filter(|profile| length(profile).is_some()).max_by_key(length)
    }

    /// The program that answers so to `name` and `version`.
    pub fn of_answers(name: &str, version: &str) -> Option<&'static Profile> {
        let length = |profile: &&Profile| {
            let fits = profile.says.iter().filter(|says| name.starts_with(**says));
            fits.map(|says| says.len()).max().filter(|_| version.contains(profile.version))
        };
        ALL.iter().filter(|profile| length(profile).is_some()).max_by_key(length)
    }

    /// The same program as it speaks another protocol, where that is known.
    pub fn speaking(&'static self, protocol: &str) -> &'static Profile {
        let other = |other: &&Profile| other.name == self.name && other.protocol == protocol;
        ALL.iter().find(other).unwrap_or(self)
    }

    /// Whether it has this quirk.
    pub fn has(&self, quirk: Quirk) -> bool {
        self.quirks.contains(&quirk)
    }

    /// Whether the arguments lack the word that makes it speak its protocol.
    pub fn lacks_mode(&self, args: &[String]) -> bool {
        !self.mode_words.is_empty()
            && !args.iter().any(|arg| {
                self.mode_words.iter().any(|word| arg == word || arg.ends_with(&format!("={word}")))
            })
    }

    /// The arguments to propose: those that it needs, and those that have to be filled in.
    pub fn proposal(&self) -> Vec<String> {
        self.mode.iter().chain(self.proposed).map(|arg| (*arg).to_owned()).collect()
    }
}

/// What a program's output before its failure means. `profile` is who it should be; others are
/// tried as well, since files can have any name. Where the output says nothing, arguments that
/// lack the word for the protocol do.
pub fn diagnose(profile: Option<&'static Profile>, args: &[String], output: &str) -> Option<Diagnosis> {
    let others = ALL.iter().filter(|other| profile != Some(other)).flat_map(|other| other.symptoms);
    let all = profile.into_iter().flat_map(|profile| profile.symptoms).chain(others).chain(ANY);
    let mut fitting = all.filter(|symptom| symptom.text.iter().any(|text| output.contains(text)));
    if let Some(symptom) = fitting.next() {
        return Some(Diagnosis { wrong: symptom.wrong.to_owned(), mend: symptom.mend.to_owned() });
    }
    let profile = profile.filter(|profile| profile.lacks_mode(args))?;
    let mode = profile.mode.join(" ");
    Some(Diagnosis {
        wrong: format!("it looks like {} started without `{mode}`", profile.name),
        mend: format!("add `{mode}` to its arguments"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_known_by_file_and_by_answer() {
        let of_file = |name: &str| Profile::of_file(Path::new(name)).map(|profile| profile.id);
        let cases = [
            ("/opt/katago/katago", Some("katago")),
            ("KataGo.exe", Some("katago")),
            ("katago-v1.16-opencl-linux", Some("katago")),
            ("/usr/games/leelaz", Some("leela-zero")),
            ("leela_0110_macOS_opencl", Some("leela")),
            ("leela-zero", Some("leela-zero")),
            ("gnugo", Some("gnugo")),
            ("gnugo-3.8", Some("gnugo")),
            ("/usr/games/pachi", Some("pachi")),
            ("ray", Some("ray")),
            ("raytracer", None),
            ("AQ.exe", Some("aq")),
            ("fairy-stockfish", Some("fairy-stockfish")),
            ("stockfish", None),
            ("sh", None),
            ("/", None),
        ];
        for (name, expected) in cases {
            assert_eq!(of_file(name), expected, "{name}");
        }
        let of_answers = |name, version| Profile::of_answers(name, version).map(|profile| profile.id);
        assert_eq!(of_answers("KataGo", "1.18.1+tinyrandom"), Some("katago"));
        assert_eq!(of_answers("Leela Zero", "0.17"), Some("leela-zero"));
        assert_eq!(of_answers("Leela", "0.11.0"), Some("leela"));
        assert_eq!(of_answers("GNU Go", "3.8"), Some("gnugo"));
        assert_eq!(of_answers("Pachi", "12.90"), Some("pachi"));
        assert_eq!(of_answers("Fake", "1.0"), None);
        let speaking = |id, protocol| Profile::named(id).map(|profile| profile.speaking(protocol).id);
        assert_eq!(speaking("katago", "katago-json"), Some("katago-json"));
        assert_eq!(speaking("katago-json", "gtp"), Some("katago"));
        assert_eq!(speaking("gnugo", "katago-json"), Some("gnugo"), "no such thing is known");
    }

    #[test]
    fn every_profile_is_found_by_its_own_names() {
        let mut ids = std::collections::HashSet::new();
        for profile in ALL {
            assert!(ids.insert(profile.id), "{} stands twice", profile.id);
            assert_eq!(Profile::named(profile.id), Some(profile));
            for file in profile.files {
                assert_eq!(
                    Profile::of_file(Path::new(file)).map(|found| found.id),
                    Some(profile.id),
                    "{file}"
                );
            }
            for says in profile.says {
                assert_eq!(
                    Profile::of_answers(says, profile.version).map(|found| found.id),
                    Some(profile.id)
                );
            }
            let args: Vec<String> = profile.mode.iter().map(|arg| (*arg).to_owned()).collect();
            assert!(!profile.lacks_mode(&args), "{}: what it proposes is enough", profile.id);
            assert_eq!(profile.lacks_mode(&[]), !profile.mode.is_empty(), "{}", profile.id);
        }
    }

    /// Words that the programs printed when they were started wrongly.
    #[test]
    fn last_words_are_understood() {
        let args = ["gtp".to_owned()];
        let about = |id: Option<&str>, output: &str| {
            diagnose(id.and_then(Profile::named), &args, output).map_or_else(String::new, |found| found.mend)
        };
        let cases = [
            (None, "Usage: ./katago SUBCOMMAND \n\ngtp : Runs GTP engine that can be plugged into", "`gtp`"),
            (Some("katago"), "Unknown subcommand: -model", "`gtp`"),
            (Some("katago-json"), "Unknown subcommand: -model", "`analysis`"),
            (Some("katago-json"), "2026-11-29 21:16:48+0000: GTP Engine starting...", "`analysis`"),
            (
                Some("katago-json"),
                "what():  Could not find key 'logAllGTPCommunication' in config file /tmp/analysis.cfg",
                "`analysis`",
            ),
            (
                Some("katago-json"),
                "what():  Could not find key 'numAnalysisThreads' in config file /tmp/bad.cfg",
                "`katago genconfig`",
            ),
            (
                Some("katago"),
                r#"{"error":"… - could not parse input line as json request: 1 name"}"#,
                "`gtp`, not",
            ),
            (
                Some("katago"),
                "what():  Could not find key 'logSearchInfo' in config file /tmp/bad.cfg",
                "`katago genconfig`",
            ),
            (
                Some("katago"),
                "'ConfigParsingError'\n  what():  Could not parse key value pair, line 1 in '/tmp/bad.cfg'",
                "`katago genconfig`",
            ),
            (Some("katago"), "what():  -model MODELFILENAME.bin.gz was not specified", "-model"),
            (Some("katago"), "Error loading or parsing model file /x.bin.gz: Could not open", "-model"),
            (Some("leela-zero"), "A network weights file is required to use the program.", "-w FILE"),
            (Some("leela-zero"), "Could not open weights file: /nonexistent", "-w"),
            (None, "Leela: = Leela Zero\n\nLeela: = 0.17", "`--gtp`"),
            (Some("gnugo"), "gnugo-gmp: Error \"System error.\" occurred.", "`--mode gtp`"),
            (Some("pachi"), "Could not Initialize SDL.\nError: No available video device", "another"),
            (Some("fairy-stockfish"), "Unknown command: name", "GTP"),
            (Some("gnugo"), "something else", ""),
        ];
        for (id, output, expected) in cases {
            let said = about(id, output);
            assert!(said.contains(expected) && said.is_empty() == expected.is_empty(), "{output}: {said:?}");
        }
        let silent = diagnose(Profile::named("leela"), &[], "").map(|found| found.wrong);
        assert_eq!(silent.as_deref(), Some("it looks like Leela started without `--gtp`"));
    }
}

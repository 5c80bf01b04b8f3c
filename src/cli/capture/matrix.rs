//! The matrix: which engines are recorded in which positions with which commands. A TOML file;
//! `fixtures/transcripts/README.md` tells its fields.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use serde::Deserialize;

/// The whole file. Relative paths in it start at its own folder.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Matrix {
    /// Where the games are.
    pub games: PathBuf,
    /// Where nets are kept that were fetched or generated.
    #[serde(default = "default_cache")]
    pub cache: PathBuf,
    #[serde(default)]
    pub capture: Limits,
    pub positions: Vec<PositionEntry>,
    pub engines: Vec<EngineEntry>,
    /// The folder of the file.
    #[serde(skip)]
    pub folder: PathBuf,
}

fn default_cache() -> PathBuf {
    PathBuf::from(".engine-cache")
}

/// How long and how much is recorded.
#[derive(Debug, Clone, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub struct Limits {
    /// Centiseconds between reports.
    pub interval: u32,
    /// How long an analysis goes on after its first line.
    pub settle_ms: u64,
    /// The hard limit from the first line, for what ends by itself.
    pub max_ms: u64,
    /// The limit from the start to the first line: a first start may compile for minutes.
    pub start_ms: u64,
    /// Lines kept of a cell, at least two: the first and the last ones.
    pub max_lines: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { interval: 20, settle_ms: 1500, max_ms: 60_000, start_ms: 300_000, max_lines: 8 }
    }
}

/// A position: a node of a game's main line.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PositionEntry {
    pub id: String,
    /// The game, in the folder of games.
    pub sgf: String,
    /// The number of moves played; all when absent.
    pub moves: Option<usize>,
}

/// An engine to record.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct EngineEntry {
    /// Names the folder of its recordings.
    pub id: String,
    pub kind: Kind,
    pub version: String,
    /// The program: a path, or a name that is looked up in `PATH`.
    pub bin: String,
    pub net: Option<Net>,
    /// KataGo's configuration.
    pub config: Option<String>,
    /// Further arguments.
    #[serde(default)]
    pub args: Vec<String>,
    /// KataGo's `-override-config`.
    pub overrides: Option<String>,
    /// GTP commands before the position is set up, separated by `;`.
    #[serde(default)]
    pub commands: String,
    pub analyze_commands: Vec<String>,
    /// What stands behind colour and interval, for the analyze commands that are named here.
    #[serde(default)]
    pub arguments: BTreeMap<String, String>,
    /// The positions it is recorded in; all when absent.
    pub positions: Option<Vec<String>>,
}

/// How the program is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// `gtp -model NET -config FILE`
    Katago,
    /// `--gtp -w NET`
    LeelaZero,
    /// With `args` alone.
    Gtp,
}

impl Kind {
    /// As it is written in the matrix.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Katago => "katago",
            Kind::LeelaZero => "leela-zero",
            Kind::Gtp => "gtp",
        }
    }
}

/// A net: a file, and how it is had when it is not there.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Net {
    /// A path; a relative one lies in the cache.
    pub file: String,
    /// Where it is fetched from.
    pub url: Option<String>,
    /// A command that writes it; the path is added as its last word.
    pub generate: Option<String>,
}

/// One recording: an engine in a position with a command.
#[derive(Debug, Clone, Copy)]
pub struct Cell<'a> {
    pub engine: &'a EngineEntry,
    pub position: &'a PositionEntry,
    pub command: &'a str,
}

impl Cell<'_> {
    /// Its name: `ENGINE/POSITION.COMMAND`.
    pub fn name(&self) -> String {
        format!("{}/{}.{}", self.engine.id, self.position.id, self.command)
    }

    /// The file of its transcript below the folder of recordings.
    pub fn file(&self) -> String {
        self.name() + ".txt"
    }

    /// Whether it is meant by an engine's id, `ENGINE/POSITION` or its whole name.
    pub fn is_meant_by(&self, only: &str) -> bool {
        let (engine, position) = (&self.engine.id, &self.position.id);
        only == engine || only == format!("{engine}/{position}") || only == self.name()
    }
}

impl Matrix {
    /// Reads a matrix. `Err` is a sentence that says what is wrong and where.
    pub fn read(file: &Path) -> Result<Matrix, String> {
        let text = std::fs::read_to_string(file).map_err(|error| {
            format!("{}: {error}; --matrix names the file that says what to record", file.display())
        })?;
        let mut matrix = Self::parse(&text).map_err(|reason| format!("{}: {reason}", file.display()))?;
        let file = std::path::absolute(file).map_err(|error| format!("{}: {error}", file.display()))?;
        matrix.folder = file.parent().map(Path::to_path_buf).unwrap_or_default();
        Ok(matrix)
    }

    fn parse(text: &str) -> Result<Matrix, String> {
        let matrix: Matrix = toml::from_str(text).map_err(|error| error.to_string().trim_end().to_owned())?;
        matrix.check()?;
        Ok(matrix)
    }

    /// Ids become names of files, so they must be fit for that, and differ.
    fn check(&self) -> Result<(), String> {
        let engines = self.engines.iter().map(|engine| ("engine", &engine.id));
        let positions = self.positions.iter().map(|position| ("position", &position.id));
        let mut seen = HashSet::new();
        for (what, id) in engines.chain(positions) {
            let plain = |c: char| c.is_ascii_alphanumeric() || "-_.+".contains(c);
            if !id.starts_with(|c: char| c.is_ascii_alphanumeric()) || !id.chars().all(plain) {
                return Err(format!("the {what} id {id:?} is no plain file name"));
            }
            if !seen.insert((what, id)) {
                return Err(format!("the {what} {id} is there twice"));
            }
        }
        for engine in &self.engines {
            let missing = |id: &&String| !self.positions.iter().any(|position| position.id == **id);
            if let Some(id) = engine.positions.iter().flatten().find(missing) {
                return Err(format!("the engine {} names a position {id} that is not there", engine.id));
            }
            for command in &engine.analyze_commands {
                if !command.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c)) {
                    return Err(format!("{command:?} is no analyze command; `arguments` adds to it"));
                }
            }
        }
        Ok(())
    }

    /// All recordings, engine by engine.
    pub fn cells(&self) -> impl Iterator<Item = Cell<'_>> {
        self.engines.iter().flat_map(|engine| {
            let wanted = |position: &&PositionEntry| {
                engine.positions.as_ref().is_none_or(|ids| ids.contains(&position.id))
            };
            self.positions.iter().filter(wanted).flat_map(move |position| {
                engine.analyze_commands.iter().map(move |command| Cell { engine, position, command })
            })
        })
    }

    /// A path of this file, variables such as `$HOME` or `${HOME}` replaced.
    pub fn path(&self, field: &str, text: &str) -> Result<PathBuf, String> {
        Ok(self.folder.join(expand(field, text, |name| std::env::var(name).ok())?))
    }
}

/// Replaces `$NAME` and `${NAME}`.
pub fn expand(field: &str, text: &str, variable: impl Fn(&str) -> Option<String>) -> Result<String, String> {
    let mut parts = text.split('$');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = match part.strip_prefix('{') {
            Some(braced) => {
                braced.split_once('}').ok_or_else(|| format!("`{field}`: {text:?} has a ${{ without }}"))?
            }
            None => part
                .split_at(part.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(part.len())),
        };
        let value =
            variable(name).ok_or_else(|| format!("`{field}`: the environment variable {name} is not set"))?;
        out += &value;
        out += rest;
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;
    use proptest::prelude::*;

    const SMALL: &str = r#"
        games = "games"
        [[positions]]
        id = "one"
        sgf = "one.sgf"
        [[positions]]
        id = "two"
        sgf = "one.sgf"
        moves = 3
        [[engines]]
        id = "kata"
        kind = "katago"
        version = "1"
        bin = "katago"
        analyzeCommands = ["kata-analyze", "lz-analyze"]
        [[engines]]
        id = "leela"
        kind = "leela-zero"
        version = "0.17"
        bin = "leelaz"
        analyzeCommands = ["lz-analyze"]
        positions = ["two"]
    "#;

    #[test]
    fn cells_are_engines_times_positions_times_commands() {
        let matrix = Matrix::parse(SMALL).unwrap();
        let names: Vec<String> = matrix.cells().map(|cell| cell.file()).collect();
        expect![[r#"
            kata/one.kata-analyze.txt
            kata/one.lz-analyze.txt
            kata/two.kata-analyze.txt
            kata/two.lz-analyze.txt
            leela/two.lz-analyze.txt"#]]
        .assert_eq(&names.join("\n"));
        let only = |text| matrix.cells().filter(|cell| cell.is_meant_by(text)).count();
        let found = ["kata", "kata/two", "kata/two.lz-analyze", "kat", "kata/tw", "two"].map(only);
        assert_eq!(found, [4, 2, 1, 0, 0, 0]);
        let renamed = Matrix::parse(&SMALL.replace("\"kata\"", "\"kata-1.2\"")).unwrap();
        assert!(!renamed.cells().any(|cell| cell.is_meant_by("kata-1")), "no part of a version");
    }

    #[test]
    fn mistakes_are_named() {
        let cases = [
            ("id = \"leela\"", "id = \"kata\"", "the engine kata is there twice"),
            ("id = \"one\"", "id = \"../one\"", "the position id \"../one\" is no plain file name"),
            ("[\"two\"]", "[\"three\"]", "the engine leela names a position three that is not there"),
            ("[\"lz-analyze\"]", "[\"a b\"]", "\"a b\" is no analyze command; `arguments` adds to it"),
            ("moves = 3", "move = 3", "unknown field `move`"),
            ("\"leela-zero\"", "\"leela\"", "unknown variant `leela`"),
        ];
        for (old, new, reason) in cases {
            let error = Matrix::parse(&SMALL.replace(old, new)).unwrap_err();
            assert!(error.contains(reason), "{error}");
        }
    }

    #[test]
    fn variables_are_replaced() {
        let variable = |name: &str| (name == "HOME").then(|| "/root".to_owned());
        let cases = [
            ("$HOME/katago", Ok("/root/katago")),
            ("a${HOME}b", Ok("a/rootb")),
            ("plain", Ok("plain")),
            ("$HOMER", Err("`bin`: the environment variable HOMER is not set")),
            ("${HOME", Err("`bin`: \"${HOME\" has a ${ without }")),
        ];
        for (text, expected) in cases {
            let found = expand("bin", text, variable);
            assert_eq!(found.as_deref().map_err(String::as_str), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_expanded_or_refused(text in "[a-z$ {}_é]{0,20}") {
            let kept = expand("bin", &text, |name| Some(format!("<{name}>")));
            if !text.contains('$') {
                prop_assert_eq!(kept.as_deref(), Ok(text.as_str()));
            } else if let Ok(kept) = kept {
                prop_assert!(!kept.contains('$') && kept.contains('<'));
            }
        }
    }
}

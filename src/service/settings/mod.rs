//! The user's settings, in layers: defaults, what is known of a program, one TOML file, `KIFUD_…`
//! variables, the command line, and above them what a session sets for itself. Engines merge by
//! name, arrays replace.

mod blunders;
mod cache;
mod commands;
mod edit;
mod engine;
mod environment;
mod layer;
mod natural;

use std::path::{Path, PathBuf};
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::error::{Error, Kind, Result};
use crate::engine::gtp::heatmap::{Measure, Scale};

pub use blunders::{Blunders, BlundersLayer, Steps};
pub use cache::{Ahead, AheadLayer, CacheLayer, CacheSettings};
pub use edit::{Change, edited};
pub use engine::{Args, BUILTIN, EngineSettings, EngineTimeouts};
pub use environment::from_environment;
pub use layer::Layer;

/// What heat map texts show.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum AnalysisType {
    /// Percent.
    #[default]
    Winrate,
    /// Points.
    ScoreLead,
}

impl From<AnalysisType> for Measure {
    fn from(kind: AnalysisType) -> Measure {
        match kind {
            AnalysisType::ScoreLead => Measure::ScoreLead,
            AnalysisType::Winrate => Measure::Winrate,
        }
    }
}

/// How heat map texts show it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum AnalysisValueType {
    /// As it is.
    #[default]
    Absolute,
    /// Against the best move, which shows 0.
    Relative,
}

impl From<AnalysisValueType> for Scale {
    fn from(kind: AnalysisValueType) -> Scale {
        match kind {
            AnalysisValueType::Relative => Scale::Relative,
            AnalysisValueType::Absolute => Scale::Absolute,
        }
    }
}

/// How editors' records are laid out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum FormatStyle {
    /// For people: short lines, a line for each variation and each commented node.
    #[default]
    Canonical,
    /// For machines: a line for each game.
    Compact,
}

/// The log of what engines say and are told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Log {
    /// Whether it is written; false by default.
    pub enabled: bool,
    /// Where; there is no default.
    pub folder: Option<PathBuf>,
    /// A file that would grow larger is followed by another, 100 MiB.
    pub max_bytes: u64,
    /// The most files of one attached engine, 10; the oldest goes first.
    pub max_files: usize,
}

impl Default for Log {
    fn default() -> Log {
        Log { enabled: false, folder: None, max_bytes: 100 * 1024 * 1024, max_files: 10 }
    }
}

/// How much one daemon takes on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Limits {
    /// Engines at once, 64. Read at the start.
    pub engines: usize,
    /// Sessions at once, 256.
    pub sessions: usize,
    /// Requests at once in a session, 512.
    pub requests: usize,
    /// Streams at once in a session, 256.
    pub streams: usize,
    /// Bytes of one document, 64 MiB.
    pub document_bytes: usize,
    /// Bytes of one document whose findings are looked for, 16 MiB; of longer ones only the structure.
    pub findings_bytes: usize,
    /// Bytes of one message on stdio and Unix sockets, 160 MiB. Read when the daemon starts to listen.
    pub message_bytes: usize,
    /// Bytes of one message from an untrusted client (TCP), 4 MiB. Read at the same time.
    pub untrusted_message_bytes: usize,
    /// Bytes of answers that wait for one client to read, 64 MiB. The next is then refused.
    pub waiting_bytes: usize,
    /// Connections of one address, 128. Read when the daemon starts to listen, as those below.
    pub connections: usize,
    /// Seconds in which the headers of a request have to come, 5.
    pub header_seconds: u64,
    /// Seconds after which a client at an address is dropped that reads nothing of what waits for it, 30.
    pub stall_seconds: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            engines: 64,
            sessions: 256,
            requests: 512,
            streams: 256,
            document_bytes: 64 << 20,
            findings_bytes: 16 << 20,
            message_bytes: 160 << 20,
            untrusted_message_bytes: 4 << 20,
            waiting_bytes: 64 << 20,
            connections: 128,
            header_seconds: 5,
            stall_seconds: 30,
        }
    }
}

/// Everything that can be set, with its value in force.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Settings {
    /// The engines that may be started by name, in the natural order of their names.
    pub engines: Vec<EngineSettings>,
    /// Commands that start an analysis, best first: analyze, kata-analyze, lz-analyze.
    pub analyze_commands: Vec<String>,
    /// Commands that analyse while they find a move, best first: genmove_analyze,
    /// kata-genmove_analyze, lz-genmove_analyze.
    pub genmove_analyze_commands: Vec<String>,
    /// Milliseconds that an engine has to quit by itself, 3000.
    pub quit_timeout_ms: u64,
    /// Milliseconds at least between two moves of a game of engines, 300.
    pub move_delay_ms: u64,
    /// Centiseconds between the reports of an analysis, 50.
    pub analysis_interval: u32,
    /// What heat maps show, `winrate`.
    pub analysis_type: AnalysisType,
    /// How heat maps show it, `absolute`.
    pub analysis_value_type: AnalysisValueType,
    /// How many of an engine's moves are written into a node beside its value (KFCA), 10; 0: none.
    pub stored_candidates: usize,
    /// Moves that a review has found to lose much, told as findings.
    pub blunders: Blunders,
    /// How editors' records are laid out, `canonical`.
    pub format_style: FormatStyle,
    /// Addresses to listen on beside those of the command line; none.
    pub listen: Vec<String>,
    /// The file with the token that TCP clients must bring; unset.
    pub token_file: Option<PathBuf>,
    /// Seconds that a shared daemon stays when its last client has left, 60.
    pub leave_after_seconds: u64,
    /// What an idle engine looks at by itself.
    pub ahead: Ahead,
    /// What is kept of what engines find.
    pub cache: CacheSettings,
    /// Seconds that an engine stays when its last client has gone, 10.
    pub keep_engines_seconds: u64,
    /// Milliseconds that a client has an engine when others wait for it, 2000. Read at the start.
    pub slice_ms: u64,
    /// The log of what engines say and are told; off.
    pub log: Log,
    /// How much the daemon takes on.
    pub limits: Limits,
    /// Where all this came from.
    #[serde(skip)]
    pub origin: Origin,
}

impl Default for Settings {
    fn default() -> Settings {
        let commands = |names: [&str; 3]| names.map(str::to_owned).to_vec();
        Settings {
            engines: Vec::new(),
            analyze_commands: commands(crate::engine::ANALYZE_COMMANDS),
            genmove_analyze_commands: commands([
                "genmove_analyze",
                "kata-genmove_analyze",
                "lz-genmove_analyze",
            ]),
            quit_timeout_ms: 3000,
            move_delay_ms: 300,
            analysis_interval: 50,
            analysis_type: AnalysisType::default(),
            analysis_value_type: AnalysisValueType::default(),
            stored_candidates: 10,
            blunders: Blunders::default(),
            format_style: FormatStyle::default(),
            listen: Vec::new(),
            token_file: None,
            leave_after_seconds: 60,
            ahead: Ahead::default(),
            cache: CacheSettings::default(),
            keep_engines_seconds: 10,
            slice_ms: 2000,
            log: Log::default(),
            limits: Limits::default(),
            origin: Origin::default(),
        }
    }
}

/// Where a daemon's settings come from, so that they can be read again.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Origin {
    /// The settings file.
    pub file: Option<PathBuf>,
    /// Whether the user has named the file: then it has to be there.
    pub named: bool,
    /// The layers above the file: variables, then the command line.
    pub above: Vec<Layer>,
}

impl Origin {
    /// Reads the file and puts the other layers on it.
    ///
    /// # Errors
    /// `NotFound` when a named file cannot be read, `InvalidParams` with line and column when it
    /// is wrong.
    pub fn read(self) -> Result<Settings> {
        let mut settings = Settings::default();
        if let Some(layer) = self.file.as_deref().map(|path| read_layer(path, self.named)).transpose()? {
            settings.put(&layer);
        }
        for layer in &self.above {
            settings.put(layer);
        }
        settings.origin = self;
        Ok(settings)
    }
}

/// The layer in a file. One that need not be there may be missing.
fn read_layer(path: &Path, named: bool) -> Result<Layer> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if !named && error.kind() == std::io::ErrorKind::NotFound => return Ok(Layer::default()),
        Err(error) => {
            return Err(Error::new(Kind::NotFound, format!("{} cannot be read: {error}", path.display())));
        }
    };
    let mut layer = Layer::parse(&text).map_err(|mut error| {
        error.message = format!("{}: {}", path.display(), error.message);
        error
    })?;
    let folder = std::path::absolute(path).ok().and_then(|path| path.parent().map(Path::to_owned));
    layer.stand_in(folder);
    Ok(layer)
}

impl Settings {
    /// Reads a settings file, which has to be there.
    ///
    /// # Errors
    /// As [`Origin::read`].
    pub fn read(path: &Path) -> Result<Settings> {
        Origin { file: Some(path.to_owned()), named: true, above: Vec::new() }.read()
    }

    /// Settings from TOML alone.
    ///
    /// # Errors
    /// `InvalidParams` with line and column.
    pub fn parse(text: &str) -> Result<Settings> {
        let mut settings = Settings::default();
        settings.put(&Layer::parse(text)?);
        Ok(settings)
    }

    /// These settings with one more layer on top.
    pub fn with(&self, layer: &Layer) -> Settings {
        let mut settings = self.clone();
        settings.put(layer);
        settings
    }

    fn put(&mut self, layer: &Layer) {
        layer.onto(self);
        self.engines.sort_by(|a, b| natural::compare(&a.name, &b.name));
    }

    /// All engines that can be had: those of the settings, then the one in the box.
    pub fn available(&self) -> impl Iterator<Item = &EngineSettings> {
        let builtin = std::iter::once(&*BUILTIN);
        let named = |name: &str| self.engines.iter().any(|engine| engine.name == name);
        self.engines.iter().chain(builtin.filter(move |builtin| !named(&builtin.name)))
    }

    /// The engine of this name.
    ///
    /// # Errors
    /// `EngineNotFound`, with the names there are.
    pub fn engine(&self, name: &str) -> Result<&EngineSettings> {
        self.available().find(|engine| engine.name == name).ok_or_else(|| {
            let names: Vec<&str> = self.available().map(|engine| engine.name.as_str()).collect();
            let known = match self.engines.is_empty() {
                true => "none but `builtin` is configured; name one in the settings file (--config FILE)"
                    .to_owned(),
                false => format!("configured are {}", names.join(", ")),
            };
            Error::new(Kind::EngineNotFound, format!("there is no engine called {name:?}; {known}"))
        })
    }

    /// How long this engine may take to quit.
    pub fn quit_timeout(&self, engine: &EngineSettings) -> Duration {
        let own = engine.timeouts.as_ref().and_then(|timeouts| timeouts.quit_ms);
        Duration::from_millis(own.unwrap_or(self.quit_timeout_ms))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_in_both_forms_of_args() {
        let settings = Settings::parse(
            r#"
            [[engines]]
            name = "GNU Go"
            path = "gnugo"
            args = "--mode gtp --level '1'"
            [[engines]]
            name = "KataGo"
            path = "./katago"
            args = ["gtp", "-model", "a b.bin.gz"]
            env = { OMP_NUM_THREADS = "1" }
            "#,
        )
        .unwrap();
        let args = |name| settings.engine(name).unwrap().spec().unwrap().args;
        assert_eq!(args("GNU Go"), ["--mode", "gtp", "--level", "1"]);
        assert_eq!(args("KataGo"), ["gtp", "-model", "a b.bin.gz"]);
        let error = settings.engine("Leela").unwrap_err();
        assert!(error.message.contains("GNU Go, KataGo"), "{error}");
    }

    /// The defaults that the documentation names.
    #[test]
    fn nothing_set_at_all() {
        let settings = serde_json::to_value(Settings::default()).unwrap();
        let expected = serde_json::json!({
            "engines": [],
            "analyzeCommands": ["analyze", "kata-analyze", "lz-analyze"],
            "genmoveAnalyzeCommands": ["genmove_analyze", "kata-genmove_analyze", "lz-genmove_analyze"],
            "quitTimeoutMs": 3000,
            "moveDelayMs": 300,
            "analysisInterval": 50,
            "analysisType": "winrate",
            "analysisValueType": "absolute",
            "storedCandidates": 10,
            "blunders": {
                "show": true, "points": [2.0, 4.0, 8.0], "percent": [5.0, 10.0, 20.0], "player": "", "limit": 200,
            },
            "formatStyle": "canonical",
            "listen": [],
            "tokenFile": null,
            "leaveAfterSeconds": 60,
            "keepEnginesSeconds": 10,
            "sliceMs": 2000,
            "ahead": {"nodes": 4, "visits": 32},
            "cache": {"enabled": true, "onDisk": true, "maxBytes": 268435456},
            "log": {"enabled": false, "folder": null, "maxBytes": 104857600, "maxFiles": 10},
            "limits": {
                "engines": 64, "sessions": 256, "requests": 512, "streams": 256,
                "documentBytes": 67108864, "findingsBytes": 16777216, "messageBytes": 167772160, "untrustedMessageBytes": 4194304,
                "waitingBytes": 67108864, "connections": 128, "headerSeconds": 5, "stallSeconds": 30,
            },
        });
        assert_eq!(settings, expected);
        assert_eq!(Settings::parse("").unwrap(), Settings::default());
    }

    #[test]
    fn layers_go_over_one_another() {
        let file = "analysisInterval = 20\nmoveDelayMs = 100\nanalyzeCommands = ['a-analyze', 'b-analyze']\n\
                    [log]\nenabled = true\nfolder = '/logs'\nmaxFiles = 3\n\
                    [[engines]]\nname = 'engine 10'\npath = 'x'\nargs = 'a b'\ncommands = 'komi 7'\n\
                    [[engines]]\nname = 'Engine 9'\npath = 'y'\n";
        let above = "analysisInterval = 5\nanalyzeCommands = ['c-analyze']\nlog.enabled = false\n\
                     engines = [{name = 'engine 10', args = ['c']}, {name = 'b', path = 'z'}]\n";
        let settings = Settings::parse(file).unwrap().with(&Layer::parse(above).unwrap());
        assert_eq!((settings.analysis_interval, settings.move_delay_ms), (5, 100));
        assert_eq!(settings.analyze_commands, ["c-analyze"]);
        assert_eq!(
            settings.log,
            Log { enabled: false, folder: Some("/logs".into()), max_files: 3, ..Log::default() }
        );
        let names: Vec<&str> = settings.engines.iter().map(|engine| engine.name.as_str()).collect();
        assert_eq!(names, ["b", "Engine 9", "engine 10"]);
        let spec = settings.engine("engine 10").unwrap().spec().unwrap();
        assert_eq!(
            (spec.path.as_str(), spec.args, spec.commands.as_str()),
            ("x", vec!["c".to_owned()], "komi 7")
        );
    }

    #[test]
    fn relative_paths_start_where_they_were_written() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("kifud.toml");
        std::fs::write(&file, "[[engines]]\nname = 'a'\npath = 'x'\n[[engines]]\nname = 'b'\npath = 'y'\n")
            .unwrap();
        let above = vec![Layer::parse("engines = [{name = 'b', path = 'z'}]").unwrap()];
        let settings = Origin { file: Some(file), named: true, above }.read().unwrap();
        assert_eq!(settings.engine("a").unwrap().base.as_deref(), Some(folder.path()));
        assert_eq!(settings.engine("b").unwrap().base, None);
    }

    #[test]
    fn only_a_named_file_has_to_be_there() {
        let file = Some(PathBuf::from("/nonexistent/kifud.toml"));
        let origin = |named| Origin { file: file.clone(), named, above: Vec::new() };
        assert_eq!(origin(false).read().unwrap().engines, []);
        assert_eq!(origin(true).read().unwrap_err().kind, Kind::NotFound);
    }
}

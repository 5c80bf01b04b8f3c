//! One layer of the settings: what a file, a variable, the command line or a session says.

use std::collections::HashSet;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    AheadLayer, AnalysisType, AnalysisValueType, BlundersLayer, CacheLayer, EngineSettings, FormatStyle,
    Settings,
};
use crate::service::error::{Error, Kind, Result};

/// Settings of one layer: what is absent stays as the layers below have it.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[schemars(rename = "Settings")]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Layer {
    /// The engines; those of the same name are merged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub engines: Vec<EngineSettings>,
    /// Commands that start an analysis, best first: `analyze`, or an engine's own such as `kata-analyze`.
    #[serde(default, deserialize_with = "super::commands::analyze")]
    pub analyze_commands: Option<Vec<String>>,
    /// Commands that analyse while they find a move, best first: `genmove_analyze`, or an engine's own.
    #[serde(default, deserialize_with = "super::commands::genmove_analyze")]
    pub genmove_analyze_commands: Option<Vec<String>>,
    /// Milliseconds that an engine has to quit by itself.
    #[serde(default, deserialize_with = "within::<0, 60_000, _, _>")]
    #[schemars(range(max = 60_000))]
    pub quit_timeout_ms: Option<u64>,
    /// Milliseconds at least between two moves of a game of engines.
    #[serde(default, deserialize_with = "within::<0, 3_600_000, _, _>")]
    #[schemars(range(max = 3_600_000))]
    pub move_delay_ms: Option<u64>,
    /// Centiseconds between the reports of an analysis.
    #[serde(default, deserialize_with = "within::<1, 100_000, _, _>")]
    #[schemars(range(min = 1, max = 100_000))]
    pub analysis_interval: Option<u32>,
    /// What heat maps show.
    pub analysis_type: Option<AnalysisType>,
    /// How heat maps show it.
    pub analysis_value_type: Option<AnalysisValueType>,
    /// How many of an engine's moves are written into a node beside its value (KFCA); 0: none.
    #[serde(default, deserialize_with = "within::<0, 20, _, _>")]
    #[schemars(range(max = 20))]
    pub stored_candidates: Option<usize>,
    /// Moves that a review has found to lose much, told as findings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blunders: Option<BlundersLayer>,
    /// How editors' records are laid out.
    pub format_style: Option<FormatStyle>,
    /// Addresses to listen on: file and command line only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub listen: Option<Vec<String>>,
    /// The file with the token that TCP clients must bring: file and command line only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_file: Option<PathBuf>,
    /// Seconds that a shared daemon stays when its last client has left: file and command line only.
    #[serde(
        default,
        deserialize_with = "within::<1, 31_536_000, _, _>",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(range(min = 1, max = 31_536_000))]
    pub leave_after_seconds: Option<u64>,
    /// What an idle engine looks at by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ahead: Option<AheadLayer>,
    /// What is kept of what engines find: file and command line only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache: Option<CacheLayer>,
    /// Seconds that an engine stays when its last client has gone: file and command line only.
    #[serde(
        default,
        deserialize_with = "within::<0, 86_400, _, _>",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(range(max = 86_400))]
    pub keep_engines_seconds: Option<u64>,
    /// Milliseconds that a client has an engine when others wait for it: file and command line only.
    #[serde(
        default,
        deserialize_with = "within::<50, 600_000, _, _>",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(range(min = 50, max = 600_000))]
    pub slice_ms: Option<u64>,
    /// The log of what engines say and are told: file and command line only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log: Option<LogLayer>,
    /// How much the daemon takes on: file and command line only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<LimitsLayer>,
}

/// The log of what engines say and are told.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[schemars(rename = "LogSettings")]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LogLayer {
    /// Whether it is written.
    pub enabled: Option<bool>,
    /// Where.
    pub folder: Option<PathBuf>,
    /// The size of a file, bytes.
    pub max_bytes: Option<u64>,
    /// The most files of one attached engine.
    pub max_files: Option<usize>,
}

/// How much the daemon takes on.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[schemars(rename = "LimitSettings")]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LimitsLayer {
    /// Engines at once.
    #[serde(default, deserialize_with = "within::<1, 4096, _, _>")]
    pub engines: Option<usize>,
    /// Sessions at once.
    #[serde(default, deserialize_with = "within::<1, 65_536, _, _>")]
    pub sessions: Option<usize>,
    /// Requests at once in a session.
    #[serde(default, deserialize_with = "within::<1, 65_536, _, _>")]
    pub requests: Option<usize>,
    /// Streams at once in a session.
    #[serde(default, deserialize_with = "within::<1, 65_536, _, _>")]
    pub streams: Option<usize>,
    /// Bytes of one document.
    #[serde(default, deserialize_with = "within::<1024, 1_073_741_824, _, _>")]
    pub document_bytes: Option<usize>,
    /// Bytes of one document whose findings are looked for; of longer ones only the structure.
    #[serde(default, deserialize_with = "within::<1024, 1_073_741_824, _, _>")]
    pub findings_bytes: Option<usize>,
    /// Bytes of one message on stdio and Unix sockets.
    #[serde(default, deserialize_with = "within::<65_536, 2_147_483_648, _, _>")]
    pub message_bytes: Option<usize>,
    /// Bytes of one message from an untrusted client (TCP).
    #[serde(default, deserialize_with = "within::<65_536, 2_147_483_648, _, _>")]
    pub untrusted_message_bytes: Option<usize>,
    /// Bytes of answers that wait for one client to read.
    #[serde(default, deserialize_with = "within::<65_536, 2_147_483_648, _, _>")]
    pub waiting_bytes: Option<usize>,
    /// Connections of one address at once.
    #[serde(default, deserialize_with = "within::<1, 65_536, _, _>")]
    pub connections: Option<usize>,
    /// Seconds in which the headers of a request have to come.
    #[serde(default, deserialize_with = "within::<1, 3600, _, _>")]
    pub header_seconds: Option<u64>,
    /// Seconds after which a client at an address is dropped that reads nothing of what waits for it.
    #[serde(default, deserialize_with = "within::<1, 86_400, _, _>")]
    pub stall_seconds: Option<u64>,
}

/// Reads a number between two bounds.
pub(super) fn within<'de, const MIN: u64, const MAX: u64, T, D>(
    deserializer: D,
) -> std::result::Result<Option<T>, D::Error>
where
    T: TryFrom<u64>,
    D: serde::Deserializer<'de>,
{
    let Some(number) = Option::<u64>::deserialize(deserializer)? else { return Ok(None) };
    let fitting = T::try_from(number).ok().filter(|_| (MIN..=MAX).contains(&number));
    match fitting {
        Some(fitting) => Ok(Some(fitting)),
        None => Err(serde::de::Error::custom(format!("{number} is not between {MIN} and {MAX}"))),
    }
}

impl Layer {
    /// Reads a whole settings file.
    ///
    /// # Errors
    /// `InvalidParams` with line and column.
    pub fn parse(text: &str) -> Result<Layer> {
        let layer: Layer = toml::from_str(text)
            .map_err(|error| at(text, error.span().map_or(0, |span| span.start), error.message()))?;
        let mut names = HashSet::new();
        for (index, engine) in layer.engines.iter().enumerate() {
            if !names.insert(&engine.name) {
                return Err(at(
                    text,
                    engine_start(text, index),
                    &format!("two engines are called {:?}", engine.name),
                ));
            }
            // A later layer need not name the program again, and a file may rely on none.
            if engine.profile.is_some() {
                engine.check().map_err(|error| at(text, engine_start(text, index), &error.message))?;
            }
        }
        Ok(layer)
    }

    /// Reads `KEY=VALUE` from the command line: TOML, or a plain text where TOML wants quotes.
    ///
    /// # Errors
    /// `InvalidParams`
    pub fn from_assignment(text: &str) -> Result<Layer> {
        let (key, value) = text
            .split_once('=')
            .ok_or_else(|| Error::new(Kind::InvalidParams, format!("--set {text}: write --set KEY=VALUE")))?;
        let plain = toml_edit::Value::from(value.trim());
        let layer = Layer::parse(text);
        let layer = match value.trim().starts_with(['"', '\'', '[', '{']) {
            true => layer,
            false => layer.or_else(|error| Layer::parse(&format!("{key} = {plain}")).map_err(|_| error)),
        };
        layer.map_err(|mut error| {
            error.message = format!("--set {text}: {}", error.message);
            error
        })
    }

    /// What a session says, in JSON: the same names. `null` is absent.
    ///
    /// # Errors
    /// `InvalidParams` for unknown names and wrong values, and for what only the file and the
    /// command line may say.
    pub fn of_session(value: serde_json::Value) -> Result<Layer> {
        let layer: Layer = serde_path_to_error::deserialize(value).map_err(|error| {
            let field = error.path().to_string();
            Error::field(&field, format!("settings, {field}: {}", error.inner()))
        })?;
        layer.check_session()?;
        Ok(layer)
    }

    /// Whether a session may say all this.
    ///
    /// # Errors
    /// `InvalidParams`
    pub fn check_session(&self) -> Result<()> {
        let reserved = [
            ("listen", self.listen.is_some()),
            ("tokenFile", self.token_file.is_some()),
            ("leaveAfterSeconds", self.leave_after_seconds.is_some()),
            ("cache", self.cache.is_some()),
            ("keepEnginesSeconds", self.keep_engines_seconds.is_some()),
            ("sliceMs", self.slice_ms.is_some()),
            ("log", self.log.is_some()),
            ("limits", self.limits.is_some()),
        ];
        match reserved.iter().find(|(_, said)| *said) {
            Some((field, _)) => Err(Error::field(
                field,
                format!("{field} comes only from the settings file or the command line"),
            )),
            None => Ok(()),
        }
    }

    /// Whether nothing is said.
    pub fn is_empty(&self) -> bool {
        *self == Layer::default()
    }

    /// Relative paths of its engines start in this folder.
    pub(super) fn stand_in(&mut self, folder: Option<PathBuf>) {
        for engine in &mut self.engines {
            engine.base.clone_from(&folder);
        }
    }

    /// Takes over what another layer says.
    pub fn put(&mut self, above: Layer) {
        merge_engines(&mut self.engines, &above.engines);
        self.analyze_commands = above.analyze_commands.or(self.analyze_commands.take());
        self.genmove_analyze_commands =
            above.genmove_analyze_commands.or(self.genmove_analyze_commands.take());
        self.quit_timeout_ms = above.quit_timeout_ms.or(self.quit_timeout_ms);
        self.move_delay_ms = above.move_delay_ms.or(self.move_delay_ms);
        self.analysis_interval = above.analysis_interval.or(self.analysis_interval);
        self.analysis_type = above.analysis_type.or(self.analysis_type);
        self.analysis_value_type = above.analysis_value_type.or(self.analysis_value_type);
        self.stored_candidates = above.stored_candidates.or(self.stored_candidates);
        if let Some(above) = above.blunders {
            self.blunders.get_or_insert_default().put(above);
        }
        if let Some(above) = above.ahead {
            self.ahead.get_or_insert_default().put(above);
        }
        self.format_style = above.format_style.or(self.format_style);
    }

    /// Puts this layer over settings.
    pub(super) fn onto(&self, settings: &mut Settings) {
        fn set<T: Clone>(value: &mut T, said: &Option<T>) {
            if let Some(said) = said {
                value.clone_from(said);
            }
        }
        merge_engines(&mut settings.engines, &self.engines);
        set(&mut settings.analyze_commands, &self.analyze_commands);
        set(&mut settings.genmove_analyze_commands, &self.genmove_analyze_commands);
        set(&mut settings.quit_timeout_ms, &self.quit_timeout_ms);
        set(&mut settings.move_delay_ms, &self.move_delay_ms);
        set(&mut settings.analysis_interval, &self.analysis_interval);
        set(&mut settings.analysis_type, &self.analysis_type);
        set(&mut settings.analysis_value_type, &self.analysis_value_type);
        set(&mut settings.stored_candidates, &self.stored_candidates);
        if let Some(blunders) = &self.blunders {
            blunders.onto(&mut settings.blunders);
        }
        set(&mut settings.format_style, &self.format_style);
        set(&mut settings.listen, &self.listen);
        settings.token_file = self.token_file.clone().or(settings.token_file.take());
        set(&mut settings.leave_after_seconds, &self.leave_after_seconds);
        if let Some(ahead) = &self.ahead {
            ahead.onto(&mut settings.ahead);
        }
        if let Some(cache) = &self.cache {
            cache.onto(&mut settings.cache);
        }
        set(&mut settings.keep_engines_seconds, &self.keep_engines_seconds);
        set(&mut settings.slice_ms, &self.slice_ms);
        if let Some(log) = &self.log {
            set(&mut settings.log.enabled, &log.enabled);
            settings.log.folder = log.folder.clone().or(settings.log.folder.take());
            set(&mut settings.log.max_bytes, &log.max_bytes);
            set(&mut settings.log.max_files, &log.max_files);
        }
        if let Some(limits) = &self.limits {
            set(&mut settings.limits.engines, &limits.engines);
            set(&mut settings.limits.sessions, &limits.sessions);
            set(&mut settings.limits.requests, &limits.requests);
            set(&mut settings.limits.streams, &limits.streams);
            set(&mut settings.limits.document_bytes, &limits.document_bytes);
            set(&mut settings.limits.findings_bytes, &limits.findings_bytes);
            set(&mut settings.limits.message_bytes, &limits.message_bytes);
            set(&mut settings.limits.untrusted_message_bytes, &limits.untrusted_message_bytes);
            set(&mut settings.limits.waiting_bytes, &limits.waiting_bytes);
            set(&mut settings.limits.connections, &limits.connections);
            set(&mut settings.limits.header_seconds, &limits.header_seconds);
            set(&mut settings.limits.stall_seconds, &limits.stall_seconds);
        }
    }
}

fn merge_engines(below: &mut Vec<EngineSettings>, above: &[EngineSettings]) {
    for engine in above {
        match below.iter_mut().find(|known| known.name == engine.name) {
            Some(known) => known.put(engine),
            None => below.push(engine.clone()),
        }
    }
}

/// An error at a byte of the file.
fn at(text: &str, offset: usize, message: &str) -> Error {
    let (line, column) = place(text, offset);
    let message = format!("line {line}, column {column}: {message}");
    Error::new(Kind::InvalidParams, message).with("line", line).with("column", column)
}

/// Where the engine of this number begins.
fn engine_start(text: &str, index: usize) -> usize {
    #[derive(Deserialize)]
    struct Names {
        engines: Vec<Name>,
    }
    #[derive(Deserialize)]
    struct Name {
        name: toml::Spanned<String>,
    }
    let names = toml::from_str::<Names>(text).map(|names| names.engines).unwrap_or_default();
    names.get(index).map_or(0, |engine| engine.name.span().start)
}

/// Line and column, from 1, of a byte offset.
fn place(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    (line, column)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_file_is_told_by_line_and_column() {
        let cases = [
            ("[[engines]]\nname = \"x\"\npth = \"y\"\n", (3, 1), "unknown field `pth`"),
            ("[[engines]]\nname='a'\npath='b'\n[[engines]]\nname='a'\npath='c'\n", (5, 6), "two engines"),
            ("analysisIntervall = 5\n", (1, 1), "unknown field"),
            ("\nanalysisInterval = 0\n", (2, 20), "0 is not between 1 and 100000"),
            ("moveDelayMs = -1\n", (1, 15), "-1"),
            ("# 围棋\nanalysisType = 'points'\n", (2, 16), "`winrate` or `scoreLead`"),
            ("[log]\nenabled = true\nfile = 'x'\n", (3, 1), "unknown field `file`"),
            ("[[engines]]\nname = 'a'\nprofile = 'kata'\n", (2, 8), "there are katago"),
            ("[[engines]]\nname = 'a'\npath = 'b'\n[engines.timeouts]\nquitMs = 70000\n", (5, 10), "60000"),
            ("[limits]\ndocumentBytes = 1000\n", (2, 17), "1000 is not between 1024 and 1073741824"),
            ("limits.messageBytes = 3_000_000_000\n", (1, 23), "2147483648"),
            ("a = \n", (1, 5), ""),
        ];
        for (text, place, words) in cases {
            let error = Layer::parse(text).unwrap_err();
            let found = (error.data["line"].as_u64().unwrap(), error.data["column"].as_u64().unwrap());
            assert_eq!(found, place, "{text}: {error}");
            assert!(error.message.contains(words), "{text}: {error}");
        }
    }

    #[test]
    fn assignments_of_the_command_line() {
        let set = |text: &str| Layer::from_assignment(text);
        assert_eq!(set("analysisInterval=20").unwrap().analysis_interval, Some(20));
        assert_eq!(set("analysisType = scoreLead").unwrap().analysis_type, Some(AnalysisType::ScoreLead));
        assert_eq!(set("log.folder=/a b").unwrap().log.unwrap().folder, Some("/a b".into()));
        assert_eq!(
            set("analyzeCommands=['x-analyze']").unwrap().analyze_commands,
            Some(vec!["x-analyze".to_owned()])
        );
        for bad in [
            "analysisInterval",
            "analysisInterval=often",
            "interval=5",
            "analyzeCommands=['analyze'",
            "analyzeCommands=['genmove']",
        ] {
            assert!(set(bad).unwrap_err().message.starts_with(&format!("--set {bad}: ")), "{bad}");
        }
    }

    #[test]
    fn a_session_says_less() {
        let of = |value| Layer::of_session(value);
        let layer = of(serde_json::json!({"analysisInterval": 20, "moveDelayMs": null})).unwrap();
        assert_eq!((layer.analysis_interval, layer.move_delay_ms), (Some(20), None));
        for (value, field) in [
            (serde_json::json!({"listen": []}), "listen"),
            (serde_json::json!({"log": {"enabled": true}}), "log"),
            (serde_json::json!({"limits": {}}), "limits"),
            (serde_json::json!({"leaveAfterSeconds": 5}), "leaveAfterSeconds"),
            (serde_json::json!({"analysisInterval": 0}), "analysisInterval"),
            (serde_json::json!({"analyzeCommands": ["quit"]}), "analyzeCommands"),
            (serde_json::json!({"genmoveAnalyzeCommands": ["printsgf"]}), "genmoveAnalyzeCommands"),
            (serde_json::json!({"engines": [{"name": "a", "args": 5}]}), "engines[0].args"),
        ] {
            assert_eq!(of(value).unwrap_err().data["field"], field);
        }
    }
}

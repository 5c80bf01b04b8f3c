//! The user's settings: one TOML file, read when the daemon starts.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::error::{Error, Kind, Result};
use crate::engine::EngineSpec;

/// Everything that can be set.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Settings {
    /// The engines that may be started by name, in the file's order.
    #[serde(default)]
    pub engines: Vec<EngineSettings>,
    /// The folder of the file; relative program paths start there.
    #[serde(skip)]
    pub folder: Option<PathBuf>,
}

/// One engine.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EngineSettings {
    /// How people call it; unique.
    pub name: String,
    /// The program: a path, or a bare name that is looked up in PATH.
    pub path: String,
    /// Arguments: a list, or one string that is split like a shell does.
    pub args: Option<Args>,
    /// Working folder; by default the program's folder, or the client's workspace for a bare name.
    pub cwd: Option<PathBuf>,
    /// More environment variables.
    pub env: Option<BTreeMap<String, String>>,
    /// Commands sent after the start, separated by `;`.
    pub commands: Option<String>,
    /// `gtp` (default).
    pub protocol: Option<String>,
}

/// Arguments of a program, split.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Args(pub Vec<String>);

impl<'de> Deserialize<'de> for Args {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Args;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a list of strings, or one string")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> std::result::Result<Args, E> {
                shell_words::split(text).map(Args).map_err(|_| E::custom("a quote is not closed"))
            }

            fn visit_seq<A: serde::de::SeqAccess<'de>>(
                self,
                mut seq: A,
            ) -> std::result::Result<Args, A::Error> {
                let mut args = Vec::new();
                while let Some(arg) = seq.next_element()? {
                    args.push(arg);
                }
                Ok(Args(args))
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

impl JsonSchema for Args {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Args".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "A list of arguments, or one string that is split like a shell does.",
            "oneOf": [{"type": "array", "items": {"type": "string"}}, {"type": "string"}]
        })
    }
}

impl EngineSettings {
    /// What the engine floor needs to start it.
    ///
    /// # Errors
    /// `InvalidParams` for a protocol other than GTP.
    pub fn spec(&self) -> Result<EngineSpec> {
        let protocol = self.protocol.as_deref().unwrap_or("gtp");
        if protocol != "gtp" {
            let message = format!("engine {:?}: protocol {protocol:?} is not known; gtp is", self.name);
            return Err(Error::field("protocol", message));
        }
        Ok(EngineSpec {
            name: self.name.clone(),
            path: self.path.clone(),
            args: self.args.clone().unwrap_or_default().0,
            cwd: self.cwd.clone(),
            env: self.env.clone().unwrap_or_default(),
            commands: self.commands.clone().unwrap_or_default(),
            protocol: Some(protocol.to_owned()),
        })
    }
}

impl Settings {
    /// Reads a settings file.
    ///
    /// # Errors
    /// `NotFound` when it cannot be read, `InvalidParams` with line and column when it is wrong.
    pub fn read(path: &Path) -> Result<Settings> {
        let text = std::fs::read_to_string(path).map_err(|error| {
            Error::new(Kind::NotFound, format!("{} cannot be read: {error}", path.display()))
        })?;
        let mut settings = Self::parse(&text).map_err(|mut error| {
            error.message = format!("{}: {}", path.display(), error.message);
            error
        })?;
        settings.folder = std::path::absolute(path).ok().and_then(|path| path.parent().map(Path::to_owned));
        Ok(settings)
    }

    /// Reads settings from TOML.
    ///
    /// # Errors
    /// `InvalidParams` with line and column.
    pub fn parse(text: &str) -> Result<Settings> {
        let settings: Settings = toml::from_str(text).map_err(|error| {
            let (line, column) = place(text, error.span().map_or(0, |span| span.start));
            let message = format!("line {line}, column {column}: {}", error.message());
            Error::new(Kind::InvalidParams, message).with("line", line).with("column", column)
        })?;
        let mut names = std::collections::HashSet::new();
        match settings.engines.iter().find(|engine| !names.insert(&engine.name)) {
            Some(twice) => Err(Error::field("engines", format!("two engines are called {:?}", twice.name))),
            None => Ok(settings),
        }
    }

    /// The engine of this name.
    ///
    /// # Errors
    /// `EngineNotFound`, with the names there are.
    pub fn engine(&self, name: &str) -> Result<&EngineSettings> {
        self.engines.iter().find(|engine| engine.name == name).ok_or_else(|| {
            let names: Vec<&str> = self.engines.iter().map(|engine| engine.name.as_str()).collect();
            let known = match names.is_empty() {
                true => "no engine is configured; start kifud with --config FILE".to_owned(),
                false => format!("configured are {}", names.join(", ")),
            };
            Error::new(Kind::EngineNotFound, format!("there is no engine called {name:?}; {known}"))
        })
    }
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

    #[test]
    fn a_bad_file_is_told_by_line_and_column() {
        let error = Settings::parse("[[engines]]\nname = \"x\"\npth = \"y\"\n").unwrap_err();
        assert_eq!(
            (error.data["line"].as_u64(), error.data["column"].as_u64()),
            (Some(3), Some(1)),
            "{error}"
        );
        let twice = "[[engines]]\nname='a'\npath='b'\n[[engines]]\nname='a'\npath='c'\n";
        assert!(Settings::parse(twice).unwrap_err().message.contains("two engines"));
    }
}

//! One engine in the settings.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::layer::within;
use crate::engine::profile::{self, Profile};
use crate::engine::{EngineSpec, Patience, Protocol};
use crate::service::error::{Error, Result};

/// One engine. Whatever is absent comes from the layer below, at last from its profile.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EngineSettings {
    /// How people call it; unique.
    pub name: String,
    /// The program: a path, or a bare name that is looked up in PATH. The profile's when absent.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// Arguments: a list, or one string that is split like a shell does. When absent, those
    /// that make a known program speak GTP.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub args: Option<Args>,
    /// Working folder; by default the program's folder, or the client's workspace for a bare name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<PathBuf>,
    /// More environment variables.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub env: Option<BTreeMap<String, String>>,
    /// Commands sent after the start, separated by `;`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commands: Option<String>,
    /// `gtp` (default), `katago-json` for KataGo's analysis engine (`katago analysis`), or `builtin` for
    /// kifud's own Go engine, which needs no path; its arguments are those of `kifud gtp`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol: Option<String>,
    /// How many searches a `katago-json` engine is given at once; by default twice the positions that
    /// it says it analyses in parallel.
    #[serde(default, deserialize_with = "within::<1, 32, _, _>", skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 32))]
    pub capacity: Option<u64>,
    /// The known program that it is, such as `katago`; else it is recognised.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// For whom its win rates and scores are; by default for the side to move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub perspective: Option<Perspective>,
    /// Whether clients may share one process of it; false by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shared: Option<bool>,
    /// Where it needs another patience than all others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeouts: Option<EngineTimeouts>,
    /// The folder that its relative paths start from.
    #[serde(skip)]
    pub base: Option<PathBuf>,
}

/// For whom an engine's numbers are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum Perspective {
    /// The side to move.
    SideToMove,
    /// Always Black.
    Black,
    /// Always White.
    White,
}

/// How long to wait for one engine.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EngineTimeouts {
    /// Milliseconds for an answer while it starts, 60000; renewed by each line it prints.
    #[serde(
        default,
        deserialize_with = "within::<1, 3_600_000, _, _>",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(range(min = 1, max = 3_600_000))]
    pub handshake_ms: Option<u64>,
    /// Milliseconds for the answer to a command, 30000. Moves and scores have no limit.
    #[serde(
        default,
        deserialize_with = "within::<1, 3_600_000, _, _>",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(range(min = 1, max = 3_600_000))]
    pub command_ms: Option<u64>,
    /// Milliseconds to quit by itself; as `quitTimeoutMs` when absent.
    #[serde(
        default,
        deserialize_with = "within::<0, 60_000, _, _>",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(range(max = 60_000))]
    pub quit_ms: Option<u64>,
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

/// The engine in the box, which needs no settings.
pub static BUILTIN: LazyLock<EngineSettings> = LazyLock::new(|| EngineSettings {
    name: Protocol::Builtin.name().to_owned(),
    protocol: Some(Protocol::Builtin.name().to_owned()),
    ..EngineSettings::default()
});

impl EngineSettings {
    /// Whether it can stand alone: it has a program, and its profile exists.
    ///
    /// # Errors
    /// `InvalidParams`
    pub fn check(&self) -> Result<()> {
        if self.name.trim().is_empty() {
            return Err(Error::field("name", "an engine needs a name"));
        }
        if let Some(id) = self.profile.as_deref().filter(|id| Profile::named(id).is_none()) {
            let ids: Vec<&str> = profile::ALL.iter().map(|profile| profile.id).collect();
            let message =
                format!("engine {:?}: no profile is called {id:?}; there are {}", self.name, ids.join(", "));
            return Err(Error::field("profile", message));
        }
        if self.path.is_empty() && self.profile.is_none() && !self.is_builtin() {
            return Err(Error::field("path", format!("engine {:?} has no path", self.name)));
        }
        Ok(())
    }

    /// The known program that it is: the named one, else the one of its file's name.
    pub fn profile(&self) -> Option<&'static Profile> {
        let named = self.profile.as_deref().and_then(Profile::named);
        let profile = named.or_else(|| Profile::of_file(std::path::Path::new(&self.path)));
        profile.map(|profile| match &self.protocol {
            Some(protocol) => profile.speaking(&protocol.to_ascii_lowercase()),
            None => profile,
        })
    }

    /// Whether it is the engine in the box, which no file is needed for.
    pub fn is_builtin(&self) -> bool {
        self.protocol.as_deref().and_then(Protocol::named) == Some(Protocol::Builtin)
    }

    /// The program: its path, else the usual name of its profile's file.
    pub fn program(&self) -> &str {
        let usual = || {
            let files = |profile: &Profile| profile.files.first().copied();
            self.profile().and_then(|profile| files(profile).or_else(|| files(profile.speaking("gtp"))))
        };
        match self.path.as_str() {
            "" if self.is_builtin() => Protocol::Builtin.name(),
            "" => usual().unwrap_or_default(),
            path => path,
        }
    }

    /// What it speaks: as set, else as its profile says.
    pub fn protocol(&self) -> &str {
        let usual = || self.profile().map_or("gtp", |profile| profile.protocol);
        self.protocol.as_deref().unwrap_or_else(usual)
    }

    /// Takes over what another layer says of the same engine.
    pub(super) fn put(&mut self, above: &EngineSettings) {
        fn put<T: Clone>(below: &mut Option<T>, above: &Option<T>) {
            if above.is_some() {
                below.clone_from(above);
            }
        }
        if !above.path.is_empty() {
            self.path.clone_from(&above.path);
            self.base.clone_from(&above.base);
        }
        put(&mut self.args, &above.args);
        put(&mut self.cwd, &above.cwd);
        put(&mut self.env, &above.env);
        put(&mut self.commands, &above.commands);
        put(&mut self.protocol, &above.protocol);
        put(&mut self.capacity, &above.capacity);
        put(&mut self.profile, &above.profile);
        put(&mut self.perspective, &above.perspective);
        put(&mut self.shared, &above.shared);
        put(&mut self.timeouts, &above.timeouts);
    }

    /// What the engine floor needs to start it: these settings over those of its profile.
    ///
    /// # Errors
    /// `InvalidParams` for a protocol that kifud does not speak, an unknown profile, no path at all.
    pub fn spec(&self) -> Result<EngineSpec> {
        self.check()?;
        let mut spec = EngineSpec {
            name: self.name.clone(),
            path: self.program().to_owned(),
            cwd: self.cwd.clone(),
            env: self.env.clone().unwrap_or_default(),
            commands: self.commands.clone().unwrap_or_default(),
            profile: self.profile.clone(),
            perspective: self.perspective.map(Into::into),
            patience: self.timeouts.as_ref().map(EngineTimeouts::patience).unwrap_or_default(),
            ..EngineSpec::default()
        };
        let profile = self.profile();
        spec.args = match &self.args {
            Some(args) => args.0.clone(),
            None => profile
                .map(|profile| profile.mode)
                .unwrap_or_default()
                .iter()
                .map(|arg| (*arg).to_owned())
                .collect(),
        };
        let protocol = self.protocol();
        let Some(known) = Protocol::named(protocol) else {
            let names = Protocol::names();
            let message = format!("engine {:?}: protocol {protocol:?} is not known; {names} are", self.name);
            return Err(Error::field("protocol", message));
        };
        spec.protocol = Some(known.name().to_owned());
        spec.capacity = self.capacity.and_then(|capacity| usize::try_from(capacity).ok());
        Ok(spec)
    }
}

impl EngineTimeouts {
    fn patience(&self) -> Patience {
        Patience {
            handshake: self.handshake_ms.map(Duration::from_millis),
            command: self.command_ms.map(Duration::from_millis),
        }
    }
}

impl From<Perspective> for profile::Perspective {
    fn from(perspective: Perspective) -> profile::Perspective {
        match perspective {
            Perspective::SideToMove => profile::Perspective::SideToMove,
            Perspective::Black => profile::Perspective::Black,
            Perspective::White => profile::Perspective::White,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn engine(toml: &str) -> EngineSettings {
        toml::from_str(&format!("name = 'x'\n{toml}")).unwrap()
    }

    #[test]
    fn a_profile_fills_what_is_absent() {
        let spec = |toml: &str| {
            let spec = engine(toml).spec().unwrap();
            (spec.path, spec.args.join(" "))
        };
        let expect = |path: &str, args: &str| (path.to_owned(), args.to_owned());
        assert_eq!(spec("profile = 'gnugo'"), expect("gnugo", "--mode gtp"));
        assert_eq!(spec("path = '/usr/games/leelaz'"), expect("/usr/games/leelaz", "--gtp"));
        assert_eq!(spec("path = '/opt/katago'\nargs = []"), expect("/opt/katago", ""));
        assert_eq!(spec("path = 'wrapper.sh'\nprofile = 'katago'"), expect("wrapper.sh", "gtp"));
        assert_eq!(spec("path = 'wrapper.sh'"), expect("wrapper.sh", ""));
        assert_eq!(spec("path = '/opt/katago'\nprotocol = 'katago-json'"), expect("/opt/katago", "analysis"));
        assert_eq!(spec("profile = 'katago-json'"), expect("katago", "analysis"));
        assert_eq!(spec("profile = 'katago'\nprotocol = 'Katago-JSON'"), expect("katago", "analysis"));
    }

    #[test]
    fn what_cannot_be_started_is_refused() {
        let refused = |toml: &str| engine(toml).spec().unwrap_err().message;
        assert_eq!(refused(""), "engine \"x\" has no path");
        assert!(refused("profile = 'gnu go'").contains("there are katago, katago-json, leela-zero"));
        assert!(refused("path = 'fairy-stockfish'").contains("\"uci\""));
        let other = refused("path = 'katago'\nprotocol = 'json'");
        assert_eq!(other, "engine \"x\": protocol \"json\" is not known; gtp, katago-json and builtin are");
    }
}

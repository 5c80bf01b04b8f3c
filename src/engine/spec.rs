//! What to start, and how a command is found.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::error::{EngineError, ErrorKind};
use super::host::Timeouts;
use super::profile::{Perspective, Profile};
pub(crate) use super::secrets::mask;
use super::secrets::{STARS, is_key_name, is_secret_name, mask_named, named};

/// An engine as a person configures it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EngineSpec {
    /// Its name for people.
    pub name: String,
    /// The program: a path, or a bare name that is looked up in `PATH`.
    pub path: String,
    /// Its arguments. [`EngineSpec::split_args`] makes them from one string.
    pub args: Vec<String>,
    /// Working directory; else the program's folder, or the workspace for a bare name.
    pub cwd: Option<PathBuf>,
    /// Variables added to kifud's own environment.
    pub env: BTreeMap<String, String>,
    /// GTP commands after the handshake, separated by `;`.
    pub commands: String,
    /// The name of a [`Protocol`]; `gtp` when absent.
    pub protocol: Option<String>,
    /// How many searches it takes at once, where its protocol allows more than one; else as it says.
    pub capacity: Option<usize>,
    /// The known program that it is, by id; else it is recognised.
    pub profile: Option<String>,
    /// For whom its numbers are; else as its profile says.
    pub perspective: Option<Perspective>,
    /// The analyze commands of which one makes it an engine that can analyse; the usual ones when empty.
    pub analyze_commands: Vec<String>,
    /// Variables of kifud's own environment that it does not get.
    pub unset: Vec<String>,
    /// Where it needs another patience than all others.
    pub patience: Patience,
}

/// What kifud can speak with an engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Protocol {
    /// The Go Text Protocol, version 2.
    #[default]
    Gtp,
    /// KataGo's analysis engine (`katago analysis`): a JSON object a line.
    KatagoJson,
    /// The engine in the box: GTP as well, with a thread of this process.
    Builtin,
}

impl Protocol {
    /// All of them.
    pub const ALL: [Protocol; 3] = [Protocol::Gtp, Protocol::KatagoJson, Protocol::Builtin];

    /// Its name in settings.
    pub fn name(self) -> &'static str {
        match self {
            Protocol::Gtp => "gtp",
            Protocol::KatagoJson => "katago-json",
            Protocol::Builtin => "builtin",
        }
    }

    /// The protocol of this name, in any case.
    pub fn named(name: &str) -> Option<Protocol> {
        Protocol::ALL.into_iter().find(|protocol| protocol.name().eq_ignore_ascii_case(name))
    }

    /// All names, for a message.
    pub fn names() -> String {
        let [first, middle, last] = Protocol::ALL.map(Protocol::name);
        format!("{first}, {middle} and {last}")
    }
}

/// How long to wait for one engine, where that differs from [`Timeouts`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Patience {
    /// As [`Timeouts::handshake`].
    pub handshake: Option<Duration>,
    /// As [`Timeouts::command`].
    pub command: Option<Duration>,
}

impl Patience {
    /// The host's timeouts with these in place of its own.
    pub fn over(&self, host: &Timeouts) -> Timeouts {
        let mut timeouts = host.clone();
        timeouts.handshake = self.handshake.unwrap_or(timeouts.handshake);
        timeouts.handshake_max = timeouts.handshake_max.max(timeouts.handshake);
        timeouts.command = self.command.unwrap_or(timeouts.command);
        timeouts
    }
}

/// Where the client stands when it starts an engine.
#[derive(Debug, Clone, Default)]
pub struct StartIn {
    /// The client's workspace: working directory of programs named without a folder.
    pub workspace: Option<PathBuf>,
    /// The folder that relative paths start from (a settings file's); else the current one.
    pub base: Option<PathBuf>,
    /// The client's `PATH`; else kifud's own.
    pub path: Option<OsString>,
}

impl EngineSpec {
    /// Splits arguments like a shell (quotes and backslashes; no expansion).
    ///
    /// # Errors
    /// `EngineStartFailed` when a quote is left open.
    pub fn split_args(text: &str) -> Result<Vec<String>, EngineError> {
        shell_words::split(text).map_err(|_| {
            EngineError::new(
                ErrorKind::EngineStartFailed,
                "the engine's arguments cannot be split: a quote is left open",
            )
            .cause("arguments")
        })
    }

    /// What it speaks.
    ///
    /// # Errors
    /// `EngineUnsupported` for a word that names no protocol of kifud.
    pub fn speaks(&self) -> Result<Protocol, EngineError> {
        let Some(name) = &self.protocol else { return Ok(Protocol::Gtp) };
        Protocol::named(name).ok_or_else(|| {
            let message = format!("engines that speak {name:?} are not supported; {} are", Protocol::names());
            EngineError::new(ErrorKind::EngineUnsupported, message).cause("protocol")
        })
    }

    /// The known program that this should be: the named one, else the one of the file's name.
    pub fn profile(&self) -> Option<&'static Profile> {
        let profile = match &self.profile {
            Some(id) => Profile::named(id),
            None => Profile::of_file(Path::new(&self.path)),
        };
        profile.map(|profile| profile.speaking(self.speaks().unwrap_or_default().name()))
    }

    /// The initial commands: split at `;` and line ends, trimmed, empty ones left out.
    pub fn initial_commands(&self) -> impl Iterator<Item = &str> {
        self.commands.split([';', '\n', '\r']).map(str::trim).filter(|command| !command.is_empty())
    }

    /// The command line for people and logs: secrets masked.
    pub fn command_line(&self) -> String {
        let mut words = vec![self.path.clone()];
        let args = self.masked_args();
        let repeats = |arg: &str| args.iter().any(|(_, secrets)| secrets.iter().any(|secret| secret == arg));
        words.extend(args.iter().map(|(arg, _)| if repeats(arg) { "***".to_owned() } else { arg.clone() }));
        shell_words::join(words)
    }

    /// Values in the arguments and the environment that must not be shown to anybody.
    pub fn secrets(&self) -> Vec<String> {
        let from_env = self
            .env
            .iter()
            .filter(|(key, _)| is_secret_name(key) || is_key_name(key))
            .map(|(_, value)| value.clone());
        let from_args = self.masked_args().into_iter().flat_map(|(_, secrets)| secrets);
        let mut secrets: Vec<String> =
            from_args.chain(from_env).filter(|secret| !secret.is_empty()).collect();
        // The longest first, so that no secret is cut by a shorter one inside it.
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        secrets
    }

    /// Each argument as it may be shown, and the secrets that were in it.
    fn masked_args(&self) -> Vec<(String, Vec<String>)> {
        let mut after_flag = false;
        let mut masked = Vec::new();
        for arg in &self.args {
            let is_value = std::mem::take(&mut after_flag);
            let within = named(arg).into_iter().filter_map(|span| arg.get(span)).map(str::to_owned);
            masked.push(match arg.split_once('=') {
                _ if is_value => (STARS.to_owned(), vec![arg.clone()]),
                Some((key, value)) if is_secret_name(key) || is_key_name(key) => {
                    // One long password, or a shell's line that begins with one.
                    (format!("{key}={STARS}"), within.chain([value.to_owned()]).collect())
                }
                _ => {
                    after_flag = arg.starts_with('-') && is_secret_name(arg);
                    (mask_named(arg).into_owned(), within.collect())
                }
            });
        }
        masked
    }
}

/// What the operating system is asked to start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// The file.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Its working directory.
    pub cwd: Option<PathBuf>,
}

/// The parts of kifud's environment that matter for finding a program.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    /// `PATH`.
    pub path: OsString,
    /// Whether kifud runs inside a Flatpak sandbox.
    pub flatpak: bool,
    /// The current folder.
    pub current: PathBuf,
}

impl Surroundings {
    /// As this process sees them, but for the client's own `PATH`.
    pub fn of(start: &StartIn) -> Surroundings {
        let here = Surroundings::here();
        Surroundings { path: start.path.clone().unwrap_or(here.path), ..here }
    }

    /// As this process sees them.
    pub fn here() -> Surroundings {
        Surroundings {
            path: std::env::var_os("PATH").unwrap_or_default(),
            flatpak: std::env::var_os("FLATPAK_ID").is_some(),
            current: std::env::current_dir().unwrap_or_default(),
        }
    }
}

/// Finds the program.
///
/// A path that exists is made absolute: from the folder that relative paths start from, then
/// from the workspace. Else a bare name is looked up in `PATH`. The working directory is the
/// configured one; else the program's own folder when a path named it; else the workspace.
/// Inside Flatpak the program is started on the host by `flatpak-spawn`.
///
/// # Errors
/// `EngineStartFailed`, cause `not-found` or `not-executable`, with what was tried.
pub fn resolve(spec: &EngineSpec, start: &StartIn, around: &Surroundings) -> Result<Program, EngineError> {
    let fail = |cause, message: String| {
        EngineError::new(ErrorKind::EngineStartFailed, message).cause(cause).command(spec.command_line())
    };
    if spec.path.is_empty() {
        return Err(fail("not-found", "the engine has no path".to_owned()));
    }
    let base = start.base.as_deref().map_or_else(|| around.current.clone(), |b| around.current.join(b));
    let named = Path::new(&spec.path);
    let mut tried = vec![base.join(named)];
    tried.extend(start.workspace.iter().map(|w| around.current.join(w).join(named)));
    let bare = !spec.path.contains(std::path::is_separator);
    let by_path = tried.iter().find(|candidate| candidate.is_file()).cloned();
    let found = match by_path {
        Some(path) => path,
        None if around.flatpak => named.to_path_buf(),
        None if bare => look_up(named, &around.path).ok_or_else(|| {
            let folders = std::env::split_paths(&around.path).map(|p| p.display().to_string());
            let folders = folders.collect::<Vec<_>>().join(", ");
            fail(
                "not-found",
                format!("{:?} is neither in {} nor in PATH ({folders})", spec.path, base.display()),
            )
        })?,
        None => {
            tried.dedup();
            if let Some(folder) = tried.iter().find(|candidate| candidate.is_dir()) {
                return Err(fail(
                    "not-executable",
                    format!("{} is a folder, not a program", folder.display()),
                ));
            }
            let tried = tried.iter().map(|p| p.display().to_string()).collect::<Vec<_>>().join(", ");
            return Err(fail("not-found", format!("no such program: tried {tried}")));
        }
    };
    // Inside the sandbox the host's files cannot be looked at.
    if !around.flatpak && found.is_absolute() && !is_executable(&found) {
        return Err(fail("not-executable", format!("{} is not executable", found.display())));
    }
    let through_path = tried.iter().all(|candidate| *candidate != found);
    let folder = if through_path { start.workspace.clone() } else { found.parent().map(Path::to_path_buf) };
    let cwd = spec.cwd.clone().map(|cwd| base.join(cwd)).or(folder);
    let args = spec.args.iter().map(OsString::from).collect();
    let program = Program { program: found, args, cwd };
    Ok(if around.flatpak { on_flatpak_host(program, spec) } else { program })
}

/// The first executable file of this name in the folders of `PATH`.
fn look_up(name: &Path, path: &OsStr) -> Option<PathBuf> {
    std::env::split_paths(path)
        .filter(|folder| !folder.as_os_str().is_empty())
        .map(|folder| folder.join(name))
        .find(|candidate| candidate.is_file() && is_executable(candidate))
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|meta| meta.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(_path: &Path) -> bool {
    true
}

/// The same program, started outside the sandbox; its variables have to be handed over by name.
fn on_flatpak_host(inner: Program, spec: &EngineSpec) -> Program {
    let mut args = vec![OsString::from("--host"), OsString::from("--watch-bus")];
    if let Some(cwd) = &inner.cwd {
        let mut directory = OsString::from("--directory=");
        directory.push(cwd);
        args.push(directory);
    }
    args.extend(spec.env.iter().map(|(key, value)| OsString::from(format!("--env={key}={value}"))));
    args.extend(spec.unset.iter().map(|key| OsString::from(format!("--unset-env={key}"))));
    args.push(inner.program.into_os_string());
    args.extend(inner.args);
    Program { program: PathBuf::from("flatpak-spawn"), args, cwd: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(path: &str) -> EngineSpec {
        EngineSpec { path: path.to_owned(), args: vec!["gtp".into()], ..EngineSpec::default() }
    }

    /// `DIR/bin/engine` (executable) and `DIR/notes` (not).
    #[cfg(unix)]
    fn folder() -> tempfile::TempDir {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("bin")).unwrap();
        let engine = dir.path().join("bin/engine");
        std::fs::write(&engine, "").unwrap();
        std::fs::set_permissions(&engine, std::fs::Permissions::from_mode(0o755)).unwrap();
        std::fs::write(dir.path().join("notes"), "").unwrap();
        dir
    }

    #[cfg(unix)]
    #[test]
    fn programs_are_found_by_path_then_by_name() {
        let dir = folder();
        let engine = dir.path().join("bin/engine");
        let work = StartIn { workspace: Some(PathBuf::from("/work space")), ..StartIn::default() };
        let around = |path: &Path| Surroundings {
            path: path.as_os_str().to_owned(),
            flatpak: false,
            current: dir.path().to_path_buf(),
        };
        let nowhere = around(Path::new("/nonexistent"));

        let relative = resolve(&spec("bin/engine"), &work, &nowhere).unwrap();
        assert_eq!(relative.program, engine);
        assert_eq!(relative.cwd.as_deref(), Some(dir.path().join("bin").as_path()));

        let bare = resolve(&spec("engine"), &work, &around(&dir.path().join("bin"))).unwrap();
        assert_eq!(bare.program, engine);
        assert_eq!(bare.cwd.as_deref(), Some(Path::new("/work space")));

        let configured = EngineSpec { cwd: Some("notes.d".into()), ..spec("bin/engine") };
        let configured = resolve(&configured, &work, &nowhere).unwrap();
        assert_eq!(configured.cwd.as_deref(), Some(dir.path().join("notes.d").as_path()));

        let missing = resolve(&spec("engine"), &work, &nowhere).unwrap_err();
        assert_eq!(missing.evidence.cause, Some("not-found"));
        assert!(missing.message.contains("/nonexistent"), "{missing}");
        let missing = resolve(&spec("bin/other"), &work, &nowhere).unwrap_err();
        assert_eq!(missing.evidence.cause, Some("not-found"));
        assert!(missing.message.contains("/work space/bin/other"), "{missing}");
        let plain = resolve(&spec("./notes"), &work, &nowhere).unwrap_err();
        assert_eq!(plain.evidence.cause, Some("not-executable"));
    }

    #[cfg(unix)]
    #[test]
    fn inside_flatpak_the_host_starts_it() {
        let dir = folder();
        let around = Surroundings { flatpak: true, current: dir.path().to_path_buf(), ..Default::default() };
        let mut spec = spec("bin/engine");
        spec.env.insert("A".into(), "b".into());
        let program = resolve(&spec, &StartIn::default(), &around).unwrap();
        let words: Vec<_> = program.args.iter().map(|arg| arg.to_string_lossy().into_owned()).collect();
        let bin = dir.path().join("bin");
        let expected = [
            "--host",
            "--watch-bus",
            &format!("--directory={}", bin.display()),
            "--env=A=b",
            &bin.join("engine").display().to_string(),
            "gtp",
        ];
        assert_eq!(program.program, Path::new("flatpak-spawn"));
        assert_eq!(words, expected);
        // The host's files cannot be seen from inside.
        let hidden = EngineSpec { path: "/host/only/engine".into(), unset: vec!["DISPLAY".into()], ..spec };
        let program = resolve(&hidden, &StartIn::default(), &around).unwrap();
        let words: Vec<_> = program.args.iter().map(|arg| arg.to_string_lossy().into_owned()).collect();
        let [.., unset, path, _] = words.as_slice() else { panic!("{words:?}") };
        assert_eq!((unset.as_str(), path.as_str()), ("--unset-env=DISPLAY", "/host/only/engine"));
        assert!(words.contains(&"--directory=/host/only".to_owned()), "{words:?}");
    }

    #[test]
    fn secrets_are_masked() {
        let args = "-pw hunter2 --password=geheim ssh://me:pass@host -l lz.txt --token t0k -password";
        let spec = EngineSpec {
            path: "plink".into(),
            args: EngineSpec::split_args(args).unwrap(),
            env: BTreeMap::from([("API_TOKEN".into(), "xyzzy".into())]),
            ..EngineSpec::default()
        };
        let expected =
            "plink -pw '***' '--password=***' 'ssh://me:***@host' -l lz.txt --token '***' -password";
        assert_eq!(spec.command_line(), expected);
        assert_eq!(mask("login with hunter2 and xyzzy", &spec.secrets()), "login with *** and ***");

        let args = vec!["-c".into(), "TOKEN=hunter2 katago gtp; echo PASSWORD='open sesame' x".into()];
        let shell = EngineSpec { path: "sh".into(), args, ..EngineSpec::default() };
        assert_eq!(shell.command_line(), "sh -c 'TOKEN=***'");
        assert_eq!(mask("hunter2, open sesame, katago", &shell.secrets()), "***, ***, katago");
    }

    #[test]
    fn arguments_and_initial_commands_are_split() {
        assert_eq!(EngineSpec::split_args(r#"gtp -model "my net.bin" 'a b'"#).unwrap().len(), 4);
        assert_eq!(EngineSpec::split_args("'open").unwrap_err().kind, ErrorKind::EngineStartFailed);
        let spec = EngineSpec { commands: "time_settings 0 10 1; ;komi 7;\n".into(), ..spec("x") };
        assert_eq!(spec.initial_commands().collect::<Vec<_>>(), ["time_settings 0 10 1", "komi 7"]);
    }
}

//! Which engine a result is from: the program, how it was started, and the files that it was given.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::UNIX_EPOCH;

use crate::engine::{EngineSpec, Info, StartIn, Surroundings, resolve};
use crate::fnv::Fnv;

/// Commands after which an engine finds what it would have found before: questions, and what a sync sets
/// anew. Any other may change its mind.
const HARMLESS: &str = "name version protocol_version known_command list_commands showboard list_stones \
    final_score final_status_list get_komi kata-get-rules kata-get-param kata-list-params kata-get-models \
    kata-raw-nn kata-raw-human-nn heatmap printsgf last_move move_history move_number cputime \
    gomill-cpu_time gomill-describe_engine lz-memory_report clear_cache echo quit boardsize \
    rectangular_boardsize clear_board komi play undo genmove reg_genmove loadsgf set_position \
    fixed_handicap place_free_handicap set_free_handicap time_settings time_left kgs-time_settings \
    kata-time_settings kata-list_time_settings";

/// The identity of one attached engine.
#[derive(Debug)]
pub struct Identity {
    /// How it is set up, beyond its command line.
    setup: u128,
    /// The program and the files that its arguments name.
    files: BTreeSet<PathBuf>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// The process that is meant; none before it is asked for the first time.
    process: Option<u32>,
    /// The files as they were when it was started.
    files: u128,
    /// What it was told since that changes its mind.
    told: Fnv,
}

impl Identity {
    /// To be taken before the engine is started: files that change while it runs do not change what it has
    /// read. `setup` names how it is set up beyond its command line.
    pub fn new(setup: u128, spec: &EngineSpec, start: &StartIn) -> Identity {
        let files = files(spec, start);
        let state = State { process: None, files: digest(&files), told: Fnv::START };
        Identity { setup, files, state: Mutex::new(state) }
    }

    /// The engine was sent a command of its user's own.
    pub fn told(&self, command: &str) {
        let command = command.trim();
        let word = command.split_whitespace().next().unwrap_or_default();
        if !HARMLESS.split_whitespace().any(|harmless| harmless == word) {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            state.told = state.told.text(command);
        }
    }

    /// The number that stands for it now. A program that was started again has read its files anew.
    pub fn of(&self, info: &Info) -> u128 {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.process.replace(info.process).is_some_and(|process| process != info.process) {
            (state.files, state.told) = (digest(&self.files), Fnv::START);
        }
        let profile = info.profile.map_or("", |profile| profile.id);
        let hash = Fnv::START.text(&info.program).text(&info.version).text(&info.command_line);
        let hash = hash.text(&info.protocol).text(profile).bytes(&self.setup.to_le_bytes());
        hash.bytes(&state.files.to_le_bytes()).bytes(&state.told.0.to_le_bytes()).0
    }
}

/// The program, and all files among its arguments: whole, behind a `=`, or in a list.
fn files(spec: &EngineSpec, start: &StartIn) -> BTreeSet<PathBuf> {
    // One that cannot be found is told so when it is started.
    let Ok(program) = resolve(spec, start, &Surroundings::of(start)) else { return BTreeSet::new() };
    let folder = program.cwd.or_else(|| std::env::current_dir().ok()).unwrap_or_default();
    let mut found = BTreeSet::from([program.program]);
    for arg in &spec.args {
        let parts = arg.split(|letter: char| letter == '=' || letter == ',' || letter.is_whitespace());
        let paths = std::iter::once(arg.as_str()).chain(parts).filter(|part| !part.is_empty());
        found.extend(paths.map(|path| folder.join(path)).filter(|path| path.is_file()));
    }
    found
}

/// Names, sizes and times of files.
fn digest(files: &BTreeSet<PathBuf>) -> u128 {
    files
        .iter()
        .fold(Fnv::START, |hash, path| {
            let hash = hash.bytes(path.as_os_str().as_encoded_bytes()).bytes(b"\0");
            let (size, time) = size_and_time(path);
            hash.bytes(&size.to_le_bytes()).bytes(&time.to_le_bytes())
        })
        .0
}

/// Bytes, and nanoseconds since 1970; nothing for a file that is gone.
fn size_and_time(path: &Path) -> (u64, u128) {
    let Ok(data) = path.metadata() else { return (0, 0) };
    let time = data.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    (data.len(), time.unwrap_or_default().as_nanos())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;
    use std::time::{Duration, SystemTime};

    /// A folder with a program and two networks.
    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for name in ["engine", "net", "other"] {
            std::fs::write(folder.path().join(name), name).unwrap();
        }
        let executable = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(folder.path().join("engine"), executable).unwrap();
        folder
    }

    fn identity(folder: &Path, args: &[&str]) -> Identity {
        let args = args.iter().map(|arg| (*arg).to_owned()).collect();
        let spec = EngineSpec { path: "./engine".to_owned(), args, ..EngineSpec::default() };
        Identity::new(7, &spec, &StartIn { base: Some(folder.to_owned()), ..StartIn::default() })
    }

    fn info(process: u32) -> Info {
        Info { process, program: "KataGo".to_owned(), ..Info::default() }
    }

    #[test]
    fn files_are_found_among_the_arguments() {
        let folder = folder();
        let names = |args: &[&str]| {
            let found = identity(folder.path(), args).files;
            let name = |path: PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
            found.into_iter().map(name).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(names(&["gtp", "-model", "missing"]), "engine");
        assert_eq!(names(&["gtp", "-model", "net"]), "engine net");
        assert_eq!(names(&["gtp", "--weights=net"]), "engine net");
        assert_eq!(names(&["gtp", "-config", "net,other"]), "engine net other");
        assert_eq!(names(&["-c", "engine gtp -model ./other"]), "engine other");
        assert_eq!(names(&[&folder.path().join("net").display().to_string()]), "engine net");
    }

    #[test]
    fn a_file_that_changes_makes_another_engine_when_it_is_started() {
        let folder = folder();
        let fresh = || identity(folder.path(), &["net"]).of(&info(1));
        let before = fresh();
        assert_eq!(fresh(), before);
        let running = identity(folder.path(), &["net"]);
        assert_eq!(running.of(&info(1)), before);

        let net = folder.path().join("net");
        std::fs::write(&net, "larger").unwrap();
        let larger = fresh();
        assert_ne!(larger, before, "size");
        let file = std::fs::File::options().write(true).open(&net).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(5)).unwrap();
        let older = fresh();
        assert_ne!(older, larger, "time");
        assert_eq!(running.of(&info(1)), before, "it runs with what it has read");
        assert_eq!(running.of(&info(2)), older, "started again, it has read it anew");
        std::fs::remove_file(&net).unwrap();
        assert_ne!(fresh(), older);
        assert_ne!(identity(folder.path(), &["other"]).of(&info(1)), before, "another file");
    }

    #[test]
    fn what_it_says_and_what_it_is_told_count() {
        let folder = folder();
        let engine = || identity(folder.path(), &[]);
        let plain = engine().of(&info(1));
        let newer = Info { version: "1.2".to_owned(), ..info(1) };
        let started = Info { command_line: "engine -x".to_owned(), ..info(1) };
        for other in [newer, started] {
            assert_ne!(engine().of(&other), plain);
        }
        let told = |commands: &[&str]| {
            let engine = engine();
            engine.of(&info(1));
            commands.iter().for_each(|command| engine.told(command));
            engine
        };
        assert_eq!(told(&["showboard", " play B D4", "undo", "komi 7"]).of(&info(1)), plain);
        let set = "kata-set-param playoutDoublingAdvantage 1";
        assert_ne!(told(&[set]).of(&info(1)), plain);
        assert_eq!(told(&[set]).of(&info(1)), told(&["showboard", set]).of(&info(1)));
        assert_eq!(told(&[set]).of(&info(2)), plain, "a new program knows nothing of it");
    }
}

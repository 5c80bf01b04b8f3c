//! Which engine a result is from: the program, how it was started, and the files that it was given.

use std::collections::BTreeSet;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
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

/// What an engine makes of a position, as far as that depends on the engine. Two that are equal, one taken
/// before a search was asked for and one after it, say that the engine was the same all the while.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mind {
    /// The number that stands for it.
    pub number: u128,
    changes: u64,
}

/// What has become of a command of the user's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// The engine has answered it.
    Answered,
    /// It was refused before the engine was told.
    Unsent,
    /// The engine may have been told, or not.
    Unknown,
}

#[derive(Debug)]
struct State {
    /// The process that is meant; none before it is asked for the first time.
    process: Option<u32>,
    /// The files as they were when it was started.
    files: u128,
    /// What it was told since that changes its mind.
    told: Fnv,
    /// Commands of which nobody knows yet whether the engine has been told.
    on_the_way: usize,
    /// Whether one of them began before another had ended: their order is not known.
    in_between: bool,
    /// Counts what may have changed its mind.
    changes: u64,
}

impl Identity {
    /// To be taken before the engine is started: files that change while it runs do not change what it has
    /// read. `setup` names how it is set up beyond its command line.
    pub fn new(setup: u128, spec: &EngineSpec, start: &StartIn) -> Identity {
        let files = files(spec, start);
        let state = State {
            process: None,
            files: digest(&files),
            told: Fnv::START,
            on_the_way: 0,
            in_between: false,
            changes: 0,
        };
        Identity { setup, files, state: Mutex::new(state) }
    }

    /// Whether a command may change an engine's mind. Such ones are told of by [`Identity::begin`] and
    /// [`Identity::end`].
    pub fn counts(command: &str) -> bool {
        let word = command.split_whitespace().next().unwrap_or_default();
        !HARMLESS.split_whitespace().any(|harmless| harmless == word)
    }

    /// A command is about to be sent to this process, or to the one that is started after it.
    pub fn begin(&self, process: u32) {
        let mut state = self.state(process);
        state.in_between |= state.on_the_way > 0;
        state.on_the_way += 1;
    }

    /// It has ended; `began` is what [`Identity::begin`] was given. When it is not clear what this process
    /// was told, it is like no other, and what it finds is found again only as long as it lives.
    pub fn end(&self, command: &str, fate: Fate, began: u32, process: u32) {
        let mut state = self.state(process);
        state.on_the_way = state.on_the_way.saturating_sub(1);
        if fate != Fate::Unsent {
            let clear = fate == Fate::Answered && began == process && !state.in_between;
            let told = state.told.text(command.trim());
            state.told = if clear { told } else { told.bytes(&like_no_other().to_le_bytes()) };
            state.changes += 1;
        }
        state.in_between &= state.on_the_way > 0;
    }

    /// What it makes of things now; `None` while a command is on its way that may change that.
    pub fn mind(&self, info: &Info) -> Option<Mind> {
        let state = self.state(info.process);
        let profile = info.profile.map_or("", |profile| profile.id);
        let hash = Fnv::START.text(&info.program).text(&info.version).text(&info.command_line);
        let hash = hash.text(&info.protocol).text(profile).bytes(&self.setup.to_le_bytes());
        let hash = hash.bytes(&state.files.to_le_bytes()).bytes(&state.told.0.to_le_bytes());
        (state.on_the_way == 0).then_some(Mind { number: hash.0, changes: state.changes })
    }

    /// The state of this process. A program that was started again has read its files anew, and was told
    /// nothing.
    fn state(&self, process: u32) -> MutexGuard<'_, State> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.process.replace(process).is_some_and(|before| before != process) {
            (state.files, state.told) = (digest(&self.files), Fnv::START);
        }
        state
    }
}

/// A number that does not come again.
fn like_no_other() -> u64 {
    RandomState::new().build_hasher().finish()
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
        let fresh = || number(&identity(folder.path(), &["net"]), 1);
        let before = fresh();
        assert_eq!(fresh(), before);
        let running = identity(folder.path(), &["net"]);
        assert_eq!(number(&running, 1), before);

        let net = folder.path().join("net");
        std::fs::write(&net, "larger").unwrap();
        let larger = fresh();
        assert_ne!(larger, before, "size");
        let file = std::fs::File::options().write(true).open(&net).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(5)).unwrap();
        let older = fresh();
        assert_ne!(older, larger, "time");
        assert_eq!(number(&running, 1), before, "it runs with what it has read");
        assert_eq!(number(&running, 2), older, "started again, it has read it anew");
        std::fs::remove_file(&net).unwrap();
        assert_ne!(fresh(), older);
        assert_ne!(number(&identity(folder.path(), &["other"]), 1), before, "another file");
    }

    fn number(engine: &Identity, process: u32) -> u128 {
        engine.mind(&info(process)).unwrap().number
    }

    #[test]
    fn what_it_says_and_what_it_is_told_count() {
        let folder = folder();
        let engine = || identity(folder.path(), &[]);
        let plain = number(&engine(), 1);
        let newer = Info { version: "1.2".to_owned(), ..info(1) };
        let started = Info { command_line: "engine -x".to_owned(), ..info(1) };
        for other in [newer, started] {
            assert_ne!(engine().mind(&other).unwrap().number, plain);
        }
        let harmless = ["showboard", " play B D4", "undo", "komi 7"];
        assert_eq!(harmless.map(Identity::counts), [false; 4]);
        assert!(Identity::counts(SET));
        let told = || tell(engine(), &[(Fate::Answered, 1, 1)]);
        assert_ne!(number(&told(), 1), plain);
        assert_eq!(number(&told(), 1), number(&told(), 1));
        assert_eq!(number(&told(), 2), plain, "a new program knows nothing of it");
    }

    const SET: &str = "kata-set-param playoutDoublingAdvantage 1";

    /// Told in this way, when this process was there and then this one.
    fn tell(engine: Identity, told: &[(Fate, u32, u32)]) -> Identity {
        for (fate, began, process) in told {
            engine.begin(*began);
            engine.end(SET, *fate, *began, *process);
        }
        engine
    }

    #[test]
    fn a_command_counts_for_the_process_that_got_it() {
        use Fate::{Answered, Unknown, Unsent};
        let folder = folder();
        let engine = || identity(folder.path(), &[]);
        let of = |told: &[(Fate, u32, u32)], process: u32| number(&tell(engine(), told), process);
        let (plain, set) = (number(&engine(), 1), of(&[(Answered, 1, 1)], 1));
        assert_eq!(of(&[(Unsent, 1, 1)], 1), plain);
        assert_eq!(of(&[(Answered, 1, 1), (Answered, 2, 2)], 2), set, "told after the restart");
        for unclear in [[(Unknown, 1, 1)], [(Answered, 1, 2)]] {
            let process = unclear[0].2;
            let one = tell(engine(), &unclear);
            assert_eq!(number(&one, process), number(&one, process), "{unclear:?}");
            assert_ne!(number(&one, process), of(&unclear, process), "{unclear:?}: like no other");
            assert_eq!(number(&one, 3), plain, "{unclear:?}");
        }
    }

    #[test]
    fn a_search_across_a_command_is_of_neither_mind() {
        let folder = folder();
        let engine = identity(folder.path(), &[]);
        let before = engine.mind(&info(1));
        engine.begin(1);
        assert_eq!(engine.mind(&info(1)), None, "nobody knows which is first");
        engine.end(SET, Fate::Unsent, 1, 1);
        assert_eq!(engine.mind(&info(1)), before);
        let engine = tell(engine, &[(Fate::Answered, 1, 1)]);
        assert_ne!(engine.mind(&info(1)), before);
        let engine = tell(engine, &[(Fate::Answered, 2, 2)]);
        let again = engine.mind(&info(3)).unwrap();
        assert_eq!(again.number, before.unwrap().number);
        assert_ne!(Some(again), before, "there and back is not the same all the while");
    }

    #[test]
    fn nobody_knows_the_order_of_two_at_once() {
        let folder = folder();
        let both = || {
            let engine = identity(folder.path(), &[]);
            engine.begin(1);
            engine.begin(1);
            engine.end("kata-set-param x 1", Fate::Answered, 1, 1);
            engine.end("kata-set-param x 2", Fate::Answered, 1, 1);
            engine
        };
        assert_ne!(number(&both(), 1), number(&both(), 1));
        let next = tell(both(), &[(Fate::Answered, 2, 2)]);
        let one = tell(identity(folder.path(), &[]), &[(Fate::Answered, 2, 2)]);
        assert_eq!(number(&next, 2), number(&one, 2), "the next process is told one");
    }
}

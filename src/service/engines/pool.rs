//! The programs that run, and who uses them. Sessions that want the same of an engine that is configured
//! as shared use one program; one that nobody uses any more stays for a while, for those who come back.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use super::Place;
use crate::engine::{EngineSpec, Keeper, StartIn, State, Surroundings, resolve};
use crate::service::recall::Results;
use crate::service::recorder::Ears;

/// What decides whether two clients want the same program. Names do not.
#[derive(Debug, Clone, PartialEq)]
pub struct Key {
    /// The file, its arguments and its folder; none for the engine in the box.
    command: Option<(PathBuf, Vec<OsString>, Option<PathBuf>)>,
    /// All that is set besides, without its name and where the command was looked for.
    rest: EngineSpec,
}

impl Key {
    /// `None` for what cannot be started anyway.
    pub fn of(spec: &EngineSpec, start_in: &StartIn) -> Option<Key> {
        let mut rest = EngineSpec { name: String::new(), ..spec.clone() };
        rest.commands = spec.initial_commands().collect::<Vec<_>>().join(";");
        let command = match spec.speaks().ok()? {
            crate::engine::Protocol::Builtin => None,
            _ => {
                let program = resolve(spec, start_in, &Surroundings::of(start_in)).ok()?;
                (rest.path, rest.args, rest.cwd) = (String::new(), Vec::new(), None);
                Some((program.program, program.args, program.cwd))
            }
        };
        Some(Key { command, rest })
    }
}

/// All programs of a daemon.
#[derive(Default)]
pub struct Pool {
    programs: Mutex<Vec<Arc<Program>>>,
    /// Held while a program that may be shared is started, so that who wants the same waits for it.
    gates: Mutex<Vec<(Key, Weak<tokio::sync::Mutex<()>>)>>,
}

/// A program that runs.
pub struct Program {
    key: Option<Key>,
    keeper: Keeper,
    ears: Arc<Ears>,
    results: Results,
    /// How long it stays when nobody uses it.
    linger: Duration,
    use_: Mutex<Use>,
    /// Free again once it has ended.
    place: Mutex<Option<Place>>,
}

#[derive(Debug)]
struct Use {
    /// How many sessions use it.
    users: usize,
    /// Whether it may be more than one.
    shared: bool,
    /// Counts them, so that who waits for its end sees that somebody has come meanwhile.
    visits: u64,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Pool {
    /// Lets one at a time look for a program and start it.
    pub fn gate(&self, key: &Key) -> Arc<tokio::sync::Mutex<()>> {
        let mut gates = lock(&self.gates);
        gates.retain(|(_, gate)| gate.strong_count() > 0);
        let found = gates.iter().find(|(other, _)| other == key).and_then(|(_, gate)| gate.upgrade());
        found.unwrap_or_else(|| {
            let gate = Arc::default();
            gates.push((key.clone(), Arc::downgrade(&gate)));
            gate
        })
    }

    /// A program that runs already and that may be used: one that nobody uses, or one that is shared.
    pub fn find(self: &Arc<Self>, key: &Key, shared: bool) -> Option<Share> {
        let programs = lock(&self.programs);
        let usable = programs.iter().find(|program| program.is_for(key) && program.take(shared))?;
        Some(Share { pool: self.clone(), program: usable.clone() })
    }

    /// Adds a program that was just started.
    pub fn add(
        self: &Arc<Self>,
        key: Option<Key>,
        shared: bool,
        keeper: Keeper,
        (ears, results): (Arc<Ears>, Results),
        linger: Duration,
        place: Place,
    ) -> Share {
        let use_ = Mutex::new(Use { users: 1, shared, visits: 1 });
        let program =
            Arc::new(Program { key, keeper, ears, results, linger, use_, place: Mutex::new(Some(place)) });
        lock(&self.programs).push(program.clone());
        Share { pool: self.clone(), program }
    }

    /// Ends a program that nobody uses, for one that somebody wants; whether there was one.
    pub async fn make_room(&self) -> bool {
        let unused = {
            let mut programs = lock(&self.programs);
            let place = programs.iter().position(|program| lock(&program.use_).users == 0);
            place.map(|place| programs.remove(place))
        };
        match unused {
            Some(program) => program.end(Duration::ZERO).await,
            None => return false,
        }
        true
    }
}

impl Program {
    /// Whether it is what somebody wants, and fit for it.
    fn is_for(&self, key: &Key) -> bool {
        self.key.as_ref() == Some(key)
            && !self.keeper.is_altered()
            && !self.keeper.is_stuck()
            && !matches!(self.keeper.state(), State::Failed | State::Stopped)
    }

    fn take(&self, shared: bool) -> bool {
        let mut used = lock(&self.use_);
        if used.users > 0 && !(used.shared && shared) {
            return false;
        }
        (used.users, used.shared, used.visits) = (used.users + 1, shared, used.visits + 1);
        true
    }

    async fn end(&self, patience: Duration) {
        self.ears.to_all();
        self.keeper.detach(patience).await;
        drop(lock(&self.place).take());
    }
}

/// A session's part in a program.
pub struct Share {
    pool: Arc<Pool>,
    program: Arc<Program>,
}

impl Share {
    /// The program's engine.
    pub fn keeper(&self) -> &Keeper {
        &self.program.keeper
    }

    /// Who hears what it says.
    pub fn ears(&self) -> &Arc<Ears> {
        &self.program.ears
    }

    /// Where what it finds goes.
    pub fn results(&self) -> &Results {
        &self.program.results
    }

    /// Whether others may use it as well.
    pub fn is_shared(&self) -> bool {
        lock(&self.program.use_).shared
    }

    /// The session does not use it any more. When nobody else does, it ends, with so much patience.
    pub async fn let_go(&self, patience: Duration) {
        if let Some(visits) = self.leave()
            && self.retire(visits)
        {
            self.program.end(patience).await;
        }
    }

    /// The session has gone. When nobody else uses the program, it ends after a while.
    pub fn abandon(&self, patience: Duration) -> impl Future<Output = ()> + Send + 'static {
        let left = self.leave();
        let share = Share { pool: self.pool.clone(), program: self.program.clone() };
        async move {
            let Some(visits) = left else { return };
            tokio::time::sleep(share.program.linger).await;
            if share.retire(visits) {
                share.program.end(patience).await;
            }
        }
    }

    /// One user less; how many visits there have been when it was the last.
    fn leave(&self) -> Option<u64> {
        let mut used = lock(&self.program.use_);
        used.users = used.users.saturating_sub(1);
        (used.users == 0).then_some(used.visits)
    }

    /// Takes the program out of the pool, unless somebody has come since.
    fn retire(&self, visits: u64) -> bool {
        let mut programs = lock(&self.pool.programs);
        let used = lock(&self.program.use_);
        let unused = used.users == 0 && used.visits == visits;
        if unused {
            programs.retain(|program| !Arc::ptr_eq(program, &self.program));
        }
        unused
    }
}

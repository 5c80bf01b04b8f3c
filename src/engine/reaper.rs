//! The reaper: a small helper process that outlives kifud by a moment.
//!
//! kifud may be killed so that none of its code runs any more. The helper is this same
//! program, started as `kifud reaper` in a process group of its own, with a pipe on its
//! stdin. kifud writes `+PGID` for every engine's process group and `-PGID` when the group is
//! gone. When the pipe ends, in whatever way kifud died, the helper ends what is left.

use std::collections::BTreeSet;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::process::{Signal, group_alive, signal_group};

/// Between SIGTERM and SIGKILL, once kifud is gone.
const GRACE: Duration = Duration::from_millis(400);

/// kifud's end of the pipe. The helper is started with the first engine.
#[derive(Debug)]
pub struct Reaper {
    program: PathBuf,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    helper: Option<Child>,
    groups: BTreeSet<u32>,
}

impl Reaper {
    /// A reaper that will run `program reaper`.
    pub fn new(program: impl AsRef<Path>) -> Reaper {
        Reaper { program: program.as_ref().to_path_buf(), state: Mutex::default() }
    }

    /// Puts a process group under watch.
    pub fn watch(&self, group: u32) {
        let mut state = self.lock();
        state.groups.insert(group);
        if !state.tell(&format!("+{group}\n")) {
            state.restart(&self.program);
        }
    }

    /// The group is gone; its number may be given to others from now on.
    pub fn forget(&self, group: u32) {
        let mut state = self.lock();
        if state.groups.remove(&group) && !state.tell(&format!("-{group}\n")) {
            state.restart(&self.program);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Whether the helper took the line. The pipe holds thousands of them: this does not wait.
    fn tell(&mut self, line: &str) -> bool {
        let stdin = self.helper.as_mut().and_then(|helper| helper.stdin.as_mut());
        stdin.is_some_and(|stdin| stdin.write_all(line.as_bytes()).is_ok())
    }

    /// Starts a helper in place of one that never ran or has died, and tells it everything.
    fn restart(&mut self, program: &Path) {
        if let Some(mut dead) = self.helper.take() {
            drop(dead.stdin.take());
            let _ = dead.kill();
            let _ = dead.wait();
        }
        let mut command = Command::new(program);
        command.arg("reaper").stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        match command.spawn() {
            Ok(helper) => {
                self.helper = Some(helper);
                let all: String = self.groups.iter().map(|group| format!("+{group}\n")).collect();
                self.tell(&all);
            }
            Err(error) => tracing::warn!(%error, "no reaper: engines may survive if kifud is killed"),
        }
    }
}

impl Drop for State {
    fn drop(&mut self) {
        if let Some(mut helper) = self.helper.take() {
            drop(helper.stdin.take());
            // It ends at once unless groups are left; nobody has to wait for it.
            std::thread::spawn(move || helper.wait());
        }
    }
}

/// The helper's own program: reads until the pipe ends, then ends what is left.
pub fn main() {
    let mut groups = BTreeSet::new();
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        let number = |text: &str| text.parse::<u32>().ok().filter(|group| *group > 1);
        if let Some(group) = line.strip_prefix('+').and_then(number) {
            groups.insert(group);
        } else if let Some(group) = line.strip_prefix('-').and_then(number) {
            groups.remove(&group);
        }
    }
    for group in &groups {
        signal_group(*group, Signal::Terminate);
    }
    let mut waited = Duration::ZERO;
    while waited < GRACE && groups.iter().any(|group| group_alive(*group)) {
        let step = Duration::from_millis(20);
        std::thread::sleep(step);
        waited += step;
    }
    for group in &groups {
        signal_group(*group, Signal::Kill);
    }
}

//! The log's line for each process that is started, for whom it is.

use std::path::Path;

use super::session::Session;

/// Where these lines are in the log, whatever else it leaves out.
pub const TARGET: &str = "kifud::audit";

/// For whom an engine's processes are started.
#[derive(Debug)]
pub struct Audit {
    session: u64,
    trusted: bool,
    name: String,
}

impl Audit {
    /// For a session's engine of this name.
    pub fn new(session: &Session, name: &str) -> Audit {
        Audit { session: session.id, trusted: session.trusted(), name: name.to_owned() }
    }

    /// Notes a process; `command` is the one that named it, without secrets.
    pub fn started(&self, process: u32, program: &Path, command: &str) {
        let Audit { session, trusted, name } = self;
        let program = program.display();
        tracing::info!(target: TARGET, session, trusted, name, process, %program, command, "a process was started");
    }
}

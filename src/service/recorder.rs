//! What an engine says and does, passed on to the session's events and to the GTP log.

use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use super::audit::Audit;
use super::engines::Seat;
use super::error::Result;
use super::events::{Body, Direction, EngineChange, Hub, OutputLine, Topic, is_report};
use super::gtp_log::{EngineLog, shown};
use super::table::Cx;
use crate::engine::{Ear, EngineSpec, State, Way};

/// What events tell of a line, bytes; the log has all of it.
const TOLD: usize = 16 * 1024;
/// Read beyond that, so that no secret is cut in two.
const BEYOND: usize = 1024;

/// Hears one engine.
#[derive(Debug)]
pub struct Recorder {
    audit: Audit,
    id: Arc<str>,
    name: String,
    secrets: Vec<String>,
    events: Arc<Hub>,
    log: Option<EngineLog>,
}

impl Recorder {
    /// Begins to record an engine that is about to be started.
    ///
    /// # Errors
    /// `NotFound` when the folder of the log cannot be used.
    pub fn begin(cx: &Cx, seat: &Seat, spec: &EngineSpec) -> Result<Recorder> {
        let secrets = spec.secrets();
        let log = cx.service.gtp_log.begin(&cx.service.settings().log, &seat.name, secrets.clone())?;
        let events = cx.session.events.clone();
        events.remember(&seat.id);
        let audit = Audit::new(&cx.session, &seat.name);
        Ok(Recorder { audit, id: seat.id.clone(), name: seat.name.clone(), secrets, events, log })
    }

    /// A remark of kifud.
    pub fn remark(&self, remark: &str) {
        self.line(Way::Meta, remark.as_bytes());
    }

    fn told(&self, way: Way, line: &[u8]) -> Body {
        let head = line.get(..TOLD + BEYOND).unwrap_or(line);
        let mut text = shown(way, head, &self.secrets);
        let cut = line.len().saturating_sub(TOLD);
        if cut > 0 {
            text.truncate(text.floor_char_boundary(TOLD));
        }
        let direction = match way {
            Way::In => Direction::In,
            Way::Out => Direction::Out,
            Way::Err => Direction::Err,
            Way::Meta => Direction::Meta,
        };
        let cut = (cut > 0).then_some(cut as u64);
        Body::Output(OutputLine { name: self.name.clone(), direction, text, cut })
    }
}

impl Ear for Recorder {
    fn line(&self, way: Way, line: &[u8]) {
        // Reports of an analysis are many, and nobody asks for them later.
        let told = self.events.wants(Topic::Output) || way != Way::Out || !is_report(line);
        if !told && self.log.is_none() {
            return;
        }
        let at = SystemTime::now();
        if let Some(log) = &self.log {
            log.line(at, way, line);
        }
        if told {
            self.events.publish_at(at, Some(&self.id), self.told(way, line));
        }
    }

    fn state(&self, state: State) {
        let change = EngineChange { name: self.name.clone(), state: state.into() };
        self.events.publish(Some(&self.id), Body::Engine(change));
    }

    fn started(&self, process: u32, program: &Path, command: &str) {
        self.audit.started(process, program, command);
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.events.forget(&self.id);
    }
}

//! The last lines of an engine, for those who subscribe later.

use std::collections::VecDeque;
use std::sync::Arc;

use super::{Direction, Happening, OutputLine};

/// Lines that are kept of an engine.
const LINES: usize = 500;
/// Memory for them, bytes.
const BYTES: usize = 256 * 1024;

/// Whether a line is worth keeping. Reports of an analysis are not: they would push out everything else
/// within seconds, and to copy each of them would cost even when nobody listens.
pub(super) fn keeps(line: &OutputLine) -> bool {
    line.direction != Direction::Out || !is_report(line.text.as_bytes())
}

/// Whether a line of an engine is a report of a running analysis.
pub(crate) fn is_report(line: &[u8]) -> bool {
    line.starts_with(b"info ")
}

#[derive(Debug, Default)]
pub(super) struct Past {
    lines: VecDeque<Arc<Happening>>,
    bytes: usize,
}

impl Past {
    pub(super) fn push(&mut self, line: Arc<Happening>) {
        self.bytes += line.size();
        self.lines.push_back(line);
        while self.lines.len() > LINES || self.bytes > BYTES {
            let Some(oldest) = self.lines.pop_front() else { return };
            self.bytes -= oldest.size();
        }
    }

    pub(super) fn lines(&self) -> impl Iterator<Item = &Arc<Happening>> {
        self.lines.iter()
    }
}

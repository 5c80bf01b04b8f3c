//! The life of the program behind an engine: started again after an end, ended with the engine.

use std::sync::PoisonError;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use super::super::error::{EngineError, ErrorKind, Exit};
use super::super::handle::State;
use super::super::host::{Leave, Timeouts};
use super::super::process::Input;
use super::super::slot::EndReason;
use super::super::spec::mask;
use super::wait::{Halt, detached, gone};
use super::{Actor, Link, Talk, refuse};

/// What is remembered of earlier ends.
#[derive(Debug, Default)]
pub(super) struct Life {
    /// Ends and failed starts in a row.
    pub(super) failures: u32,
    /// The last of them, and when it was.
    last: Option<(EngineError, Instant)>,
    /// When the program was started that runs now.
    pub(super) started: Option<Instant>,
}

impl Life {
    /// The program has ended, or did not start.
    pub(super) fn failed(&mut self, error: &EngineError, timeouts: &Timeouts) {
        // One that has lived long enough does not count as one that cannot live.
        if self.started.take().is_some_and(|started| started.elapsed() > timeouts.restart_max) {
            self.failures = 0;
        }
        self.failures += 1;
        self.last = Some((error.clone(), Instant::now()));
    }

    /// It has done what it was asked for.
    pub(super) fn worked(&mut self) {
        self.failures = 0;
    }

    /// When to start it again: later each time, and not for ever.
    fn restart_at(&self, timeouts: &Timeouts) -> Option<Instant> {
        if self.failures > timeouts.restarts {
            return None;
        }
        let doubled = timeouts.restart.saturating_mul(1 << self.failures.saturating_sub(1).min(16));
        let last = self.last.as_ref().map_or_else(Instant::now, |(_, last)| *last);
        Some(last + doubled.min(timeouts.restart_max))
    }

    /// Why it is not started any more.
    fn gave_up(&self) -> EngineError {
        let message =
            format!("the engine ended {} times in a row; detach it and attach it again", self.failures);
        let error = EngineError::new(ErrorKind::EngineExited, message);
        let error = match &self.last {
            Some((last, _)) => EngineError { evidence: last.evidence.clone(), ..error },
            None => error,
        };
        error.cause("gave-up")
    }
}

impl<T: Talk> Actor<T> {
    /// When the program will be started again; `None` while it runs, and once it is given up.
    pub(super) fn restart_at(&self) -> Option<Instant> {
        if self.link.is_some() {
            return None;
        }
        self.life.restart_at(&self.setting.timeouts)
    }

    /// Starts the program again for a request, not before its time.
    pub(super) async fn restart(&mut self) -> Result<(), EngineError> {
        let Some(until) = self.restart_at() else { return Err(self.life.gave_up()) };
        let withdrawn = &mut self.withdrawn;
        let halt = tokio::select! {
            biased;
            _ = self.leave.changed() => Some(Halt::Leaving),
            () = gone(withdrawn) => Some(Halt::Withdrawn),
            () = sleep_until(until) => None,
        };
        if let Some(halt) = halt {
            return Err(self.halted(halt, "").await);
        }
        self.show(State::Starting);
        self.start().await?;
        self.show(State::Thinking);
        Ok(())
    }

    /// Starts the program again while nobody asks for it, and brings it to where it was.
    pub(super) async fn revive(&mut self) {
        self.show(State::Starting);
        let back = match self.start().await {
            Ok(()) => T::come_back(self).await,
            Err(error) => Err(error),
        };
        if let Err(error) = back {
            tracing::info!(%error, engine = self.setting.spec.name, "starting the engine again");
        }
    }

    /// A request was served: the engine works.
    pub(super) fn well_done(&mut self) {
        self.life.worked();
    }

    /// The engine is gone: all who wait are told why, once each.
    pub(super) async fn bury(&mut self, end: Input) -> EngineError {
        let Some(mut link) = self.link.take() else {
            return EngineError::new(ErrorKind::EngineExited, "the engine does not run");
        };
        let exit = match end {
            Input::Exited(exit) => Some(exit),
            _ => None,
        };
        let tail = mask(&link.process().stderr_tail().await, &self.secrets);
        // Also ends what the program has left behind in its group.
        let killed = link.process().kill().await;
        let (cause, message) = match (end, exit) {
            (Input::Closed, _) => (
                "closed-stdout",
                "the engine closed its output but went on running; it was killed".to_owned(),
            ),
            (Input::Flood, _) => {
                ("flood", "the engine printed without end of line; it was killed".to_owned())
            }
            (Input::Silent, _) => {
                ("silent", "the engine said nothing any more while it was asked; it was killed".to_owned())
            }
            (_, Some(exit)) => ("exited", format!("the engine ended: {exit}")),
            (_, None) => ("exited", "the engine ended".to_owned()),
        };
        let exit: Option<Exit> = exit.or(killed);
        let error = EngineError::new(ErrorKind::EngineExited, message).cause(cause).exit(exit).stderr(tail);
        *self.shared.exit.lock().unwrap_or_else(PoisonError::into_inner) = exit;
        self.life.failed(&error, &self.setting.timeouts);
        T::buried(self);
        self.show(if self.restart_at().is_some() { State::Restarting } else { State::Failed });
        self.finish(EndReason::EngineExited, Some(error.clone()));
        self.desk.fail(EndReason::EngineExited, Some(&error), &error);
        link.fail(&error);
        while let Ok(job) = self.queue.try_recv() {
            refuse(job.ask, &error);
        }
        error
    }

    /// Leaves: the analysis gets its last event, waiting requests their answer, the engine its end.
    pub(super) async fn quit(&mut self) {
        let leave = self.leave.borrow().unwrap_or_else(|| Leave::detach(Duration::from_secs(3)));
        let reason = if leave.shutdown { EndReason::Shutdown } else { EndReason::Stopped };
        self.finish(reason, None);
        self.queue.close();
        let error = detached();
        self.desk.fail(reason, None, &error);
        while let Ok(job) = self.queue.try_recv() {
            refuse(job.ask, &error);
        }
        let Some(mut link) = self.link.take() else { return };
        link.fail(&error);
        let mut hurry = self.shared.leave.subscribe();
        // The daemon's own end does not wait for a slow detach.
        let hurried = tokio::select! {
            exit = link.process().stop(T::Link::GOODBYE, leave.term, leave.kill) => Ok(exit),
            _ = hurry.wait_for(|now| now.is_some_and(|now| now.shutdown && !leave.shutdown)) => Err(()),
        };
        let exit = match hurried {
            Ok(exit) => exit,
            Err(()) => link.process().kill().await,
        };
        *self.shared.exit.lock().unwrap_or_else(PoisonError::into_inner) = exit;
    }
}

//! Heavy computation (searches, perft) off the async threads, in fair turns.
//!
//! No more jobs compute at one moment than there are cores, less one for the daemon itself. A job
//! asks every now and then whether it shall stop; when others wait and it has had its slice, it
//! stands in line again inside that question. So a search of ten minutes delays one of 300 ms by a
//! slice, not by ten minutes.

use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::error::{Error, Kind, Result};

/// How long a job computes while others wait.
const SLICE: Duration = Duration::from_millis(20);

/// The most jobs at once, computing or waiting for their turn; each holds a thread.
const MAX_JOBS: usize = 32;

/// The pool.
pub struct Workers {
    line: Arc<Line>,
}

/// Who computes and who waits.
struct Line {
    state: Mutex<State>,
    moved: Condvar,
    places: usize,
}

#[derive(Default)]
struct State {
    computing: usize,
    waiting: VecDeque<u64>,
    next: u64,
    jobs: usize,
}

impl Default for Workers {
    fn default() -> Workers {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Workers::with_places(cores.saturating_sub(1).max(1))
    }
}

impl Workers {
    fn with_places(places: usize) -> Workers {
        let line = Line { state: Mutex::default(), moved: Condvar::new(), places };
        Workers { line: Arc::new(line) }
    }

    /// Runs a job on a thread of its own. The job asks [`Turn::stop`] often. Dropping the future
    /// (the request was cancelled) makes the answer `true`.
    ///
    /// # Errors
    /// `LimitExceeded` when too many jobs are there already; `Internal` when the job panics.
    pub async fn run<R: Send + 'static>(&self, job: impl FnOnce(&Turn) -> R + Send + 'static) -> Result<R> {
        let place = Place::take(&self.line)?;
        let stop = Arc::new(AtomicBool::new(false));
        let _on_drop = StopOnDrop(stop.clone());
        let (answer, done) = tokio::sync::oneshot::channel();
        let work = move || {
            let place = place;
            let turn = Turn { line: place.0.clone(), stop, since: Mutex::new(None) };
            turn.wait();
            let result = std::panic::catch_unwind(AssertUnwindSafe(|| job(&turn)));
            drop(turn);
            drop(place);
            if let Ok(result) = result {
                let _ = answer.send(result);
            }
        };
        let failed = |what: &str| Error::new(Kind::Internal, format!("the computation {what}"));
        std::thread::Builder::new()
            .name("kifud-work".into())
            .spawn(work)
            .map_err(|error| failed(&format!("found no thread: {error}")))?;
        done.await.map_err(|_| failed("failed inside kifud; the log has the place. Please report it."))
    }
}

/// A job's place among at most [`MAX_JOBS`].
struct Place(Arc<Line>);

impl Place {
    fn take(line: &Arc<Line>) -> Result<Place> {
        let mut state = line.lock();
        if state.jobs >= MAX_JOBS {
            let message = format!("{MAX_JOBS} computations are running or waiting; try again later");
            return Err(Error::new(Kind::LimitExceeded, message));
        }
        state.jobs += 1;
        Ok(Place(line.clone()))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.lock().jobs -= 1;
    }
}

struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Line {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until it is this job's turn, first come, first served.
    fn enter(&self) {
        let mut state = self.lock();
        let ticket = state.next;
        state.next += 1;
        state.waiting.push_back(ticket);
        while state.computing >= self.places || state.waiting.front() != Some(&ticket) {
            state = self.moved.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.waiting.pop_front();
        state.computing += 1;
        drop(state);
        self.moved.notify_all();
    }

    fn leave(&self) {
        self.lock().computing -= 1;
        self.moved.notify_all();
    }

    fn crowded(&self) -> bool {
        !self.lock().waiting.is_empty()
    }
}

/// A job's right to compute.
pub struct Turn {
    line: Arc<Line>,
    stop: Arc<AtomicBool>,
    since: Mutex<Option<Instant>>,
}

impl Turn {
    /// Whether the job shall stop. Lets others compute first, when it has had its slice.
    pub fn stop(&self) -> bool {
        if self.stop.load(Ordering::Relaxed) {
            return true;
        }
        let had_its_slice = self.since().is_some_and(|since| since.elapsed() >= SLICE);
        if had_its_slice && self.line.crowded() {
            *self.since() = None;
            self.line.leave();
            self.wait();
        }
        self.stop.load(Ordering::Relaxed)
    }

    fn wait(&self) {
        self.line.enter();
        *self.since() = Some(Instant::now());
    }

    /// Since when it computes; nothing while it waits.
    fn since(&self) -> MutexGuard<'_, Option<Instant>> {
        self.since.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if self.since().is_some() {
            self.line.leave();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_long_job_lets_a_short_one_pass() {
        let workers = Arc::new(Workers::with_places(1));
        let (started, begun) = tokio::sync::oneshot::channel();
        let pool = workers.clone();
        let long = tokio::spawn(async move {
            let job = move |turn: &Turn| {
                let _ = started.send(());
                while !turn.stop() {
                    std::hint::spin_loop();
                }
            };
            pool.run(job).await
        });
        begun.await.unwrap();
        assert_eq!(workers.run(|_| 7).await, Ok(7), "while the long job still runs");
        assert!(!long.is_finished());
        long.abort();
        // Its thread stops by itself, and its place is free again.
        while workers.line.lock().jobs > 0 {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn a_panic_is_an_error_and_frees_the_place() {
        let workers = Workers::with_places(1);
        let failed = workers.run(|_| -> u8 { panic!("on purpose") }).await.unwrap_err();
        assert_eq!(failed.kind, Kind::Internal);
        assert_eq!(workers.run(|_| 1).await, Ok(1));
    }

    #[tokio::test]
    async fn there_is_a_limit() {
        let workers = Workers::with_places(1);
        let _places: Vec<_> = (0..MAX_JOBS).map(|_| Place::take(&workers.line).unwrap()).collect();
        assert_eq!(workers.run(|_| 1).await.unwrap_err().kind, Kind::LimitExceeded);
    }
}

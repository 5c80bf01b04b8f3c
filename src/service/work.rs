//! Heavy computation (searches, perft) off the async threads, in fair turns.
//!
//! No more jobs compute at one moment than there are cores, less one for the daemon itself. A job
//! asks every now and then whether it shall stop; when others wait and it has had its slice, it
//! stands in line again inside that question. Who comes new goes to the front. So a search of ten
//! minutes delays one of 300 ms by a slice, not by ten minutes.

use std::collections::{HashMap, VecDeque};
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::error::{Error, Kind, Result};

/// How long a job computes while others wait.
const SLICE: Duration = Duration::from_millis(20);

/// The most jobs at once, computing or waiting for their turn; each holds a thread.
const MAX_JOBS: usize = 32;

/// The most jobs of one session, so that nobody takes all places.
const MAX_JOBS_A_SESSION: usize = 16;

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
    /// How many jobs each session has.
    jobs: HashMap<u64, usize>,
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

    /// Runs a job of a session on a thread of its own. The job asks [`Turn::stop`] often. Dropping the
    /// future (the request was cancelled) makes the answer `true`, and frees the job's place at once.
    ///
    /// # Errors
    /// `LimitExceeded` when too many jobs are there already; `Internal` when the job panics.
    pub async fn run<R: Send + 'static>(
        &self,
        session: u64,
        job: impl FnOnce(&Turn) -> R + Send + 'static,
    ) -> Result<R> {
        let job_guard = Job { place: Place::take(&self.line, session)?, stop: Arc::default() };
        let turn = Turn {
            line: self.line.clone(),
            stop: job_guard.stop.clone(),
            now: Mutex::new(Now { since: None, end: None }),
        };
        let (answer, done) = tokio::sync::oneshot::channel();
        let work = move || {
            turn.wait(Arrival::New);
            let result = std::panic::catch_unwind(AssertUnwindSafe(|| job(&turn)));
            drop(turn);
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

/// A job as its request holds it: when the request goes, the job has to stop.
struct Job {
    place: Place,
    stop: Arc<AtomicBool>,
}

impl Drop for Job {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        // Under the lock, so that none is between its look at the flag and its wait.
        drop(self.place.line.lock());
        self.place.line.moved.notify_all();
    }
}

/// A job's place among the jobs of all and of its session.
struct Place {
    line: Arc<Line>,
    session: u64,
}

impl Place {
    fn take(line: &Arc<Line>, session: u64) -> Result<Place> {
        let mut state = line.lock();
        let refuse = |most: usize, whose: &str| {
            let message = format!("{most} computations{whose} are running or waiting; try again later");
            Err(Error::new(Kind::LimitExceeded, message))
        };
        if state.jobs.get(&session).is_some_and(|&jobs| jobs >= MAX_JOBS_A_SESSION) {
            return refuse(MAX_JOBS_A_SESSION, " of this session");
        }
        if state.jobs.values().sum::<usize>() >= MAX_JOBS {
            return refuse(MAX_JOBS, "");
        }
        *state.jobs.entry(session).or_default() += 1;
        Ok(Place { line: line.clone(), session })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut state = self.line.lock();
        if let Some(jobs) = state.jobs.get_mut(&self.session) {
            *jobs -= 1;
            if *jobs == 0 {
                state.jobs.remove(&self.session);
            }
        }
    }
}

/// Who stands in line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Arrival {
    /// A job that has not computed yet.
    New,
    /// One that has had a slice.
    Again,
}

impl Line {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until it is this job's turn; false when it shall stop, or its time is over, before.
    fn enter(&self, arrival: Arrival, stop: &AtomicBool, end: Option<Instant>) -> bool {
        let mut state = self.lock();
        let ticket = state.next;
        state.next += 1;
        match arrival {
            Arrival::New => state.waiting.push_front(ticket),
            Arrival::Again => state.waiting.push_back(ticket),
        }
        let entered = loop {
            if stop.load(Ordering::Relaxed) || end.is_some_and(|end| Instant::now() >= end) {
                break false;
            }
            if state.computing < self.places && state.waiting.front() == Some(&ticket) {
                state.computing += 1;
                break true;
            }
            state = match end {
                None => self.moved.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(end) => {
                    let rest = end.saturating_duration_since(Instant::now());
                    self.moved.wait_timeout(state, rest).unwrap_or_else(PoisonError::into_inner).0
                }
            };
        };
        state.waiting.retain(|&waiting| waiting != ticket);
        drop(state);
        self.moved.notify_all();
        entered
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
    now: Mutex<Now>,
}

/// Where a job is.
#[derive(Clone, Copy)]
struct Now {
    /// Since when it computes; nothing while it waits.
    since: Option<Instant>,
    /// When its time is over.
    end: Option<Instant>,
}

impl Turn {
    /// The job's time is over so long after now.
    pub fn give(&self, time: Duration) {
        self.now().end = Instant::now().checked_add(time);
    }

    /// Whether the job shall stop: it was cancelled, or its time is over. Lets others compute first,
    /// when it has had its slice.
    pub fn stop(&self) -> bool {
        let Now { since, end } = *self.now();
        if self.stop.load(Ordering::Relaxed) || end.is_some_and(|end| Instant::now() >= end) {
            return true;
        }
        match since {
            Some(since) if since.elapsed() < SLICE => false,
            Some(_) if !self.line.crowded() => false,
            Some(_) => {
                self.now().since = None;
                self.line.leave();
                !self.wait(Arrival::Again)
            }
            None => true,
        }
    }

    fn wait(&self, arrival: Arrival) -> bool {
        let end = self.now().end;
        let entered = self.line.enter(arrival, &self.stop, end);
        self.now().since = entered.then(Instant::now);
        entered
    }

    fn now(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if self.now().since.is_some() {
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
            pool.run(1, job).await
        });
        begun.await.unwrap();
        assert_eq!(workers.run(2, |_| 7).await, Ok(7), "while the long job still runs");
        assert!(!long.is_finished());
        long.abort();
        assert!(long.await.unwrap_err().is_cancelled());
        // Its thread stops by itself, and nobody computes any more.
        while workers.line.lock().computing > 0 {
            tokio::task::yield_now().await;
        }
        assert!(workers.line.lock().jobs.is_empty());
    }

    #[tokio::test]
    async fn a_panic_is_an_error_and_frees_the_place() {
        let workers = Workers::with_places(1);
        let failed = workers.run(1, |_| -> u8 { panic!("on purpose") }).await.unwrap_err();
        assert_eq!(failed.kind, Kind::Internal);
        assert_eq!(workers.run(1, |_| 1).await, Ok(1));
    }

    #[tokio::test]
    async fn there_is_a_limit() {
        let workers = Workers::with_places(1);
        let take = |session, count: usize| -> Vec<Place> {
            (0..count).map(|_| Place::take(&workers.line, session).unwrap()).collect()
        };
        let _mine = take(1, MAX_JOBS_A_SESSION);
        assert_eq!(workers.run(1, |_| 1).await.unwrap_err().kind, Kind::LimitExceeded);
        assert_eq!(workers.run(2, |_| 1).await, Ok(1), "another session");
        let _theirs = take(2, MAX_JOBS - MAX_JOBS_A_SESSION);
        assert_eq!(workers.run(3, |_| 1).await.unwrap_err().kind, Kind::LimitExceeded);
    }

    /// A cancelled job that waits for its turn leaves the line, and its place is free at once.
    #[tokio::test]
    async fn who_is_cancelled_waits_no_longer() {
        let workers = Arc::new(Workers::with_places(0));
        for _ in 0..3 * MAX_JOBS {
            let pool = workers.clone();
            let waiting = tokio::spawn(async move { pool.run(1, |_| ()).await });
            tokio::task::yield_now().await;
            waiting.abort();
            assert!(waiting.await.unwrap_err().is_cancelled());
            assert!(workers.line.lock().jobs.is_empty());
        }
        while !workers.line.lock().waiting.is_empty() {
            tokio::task::yield_now().await;
        }
    }

    /// A job whose time is over does not wait for another turn.
    #[tokio::test]
    async fn time_goes_on_while_others_compute() {
        let workers = Arc::new(Workers::with_places(1));
        let ended = workers.run(1, |turn| {
            turn.give(Duration::ZERO);
            turn.stop()
        });
        assert_eq!(ended.await, Ok(true));
    }
}

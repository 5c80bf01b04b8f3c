//! Queries and answers matched by id, over one running program.

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use super::super::reply;
use crate::engine::client::Client;
use crate::engine::error::EngineError;
use crate::engine::handle::Answer as Sender;
use crate::engine::katago_json::{self, Action, Answer, Query};
use crate::engine::process::{Input, Process};
use crate::engine::request::{Search, SearchRequest, Synced};
use crate::engine::sync::Whole;
use crate::go::{Color, Size};

/// Centiseconds between signs of life of a search that nobody watches.
const SIGN_OF_LIFE: u32 = 1500;

/// What arrived next.
#[derive(Debug)]
pub(in crate::engine::actor) enum Msg {
    Answer(Answer),
    /// A line that is no answer.
    Noise,
    /// A caller has given up its search.
    Withdrawn,
}

/// A search that was put aside until its answer comes.
#[derive(Debug)]
pub(super) struct Wanted {
    /// Who asks.
    pub(super) client: Arc<Client>,
    pub(super) request: SearchRequest,
    pub(super) color: Color,
    pub(super) whole: Whole,
    pub(super) synced: Synced,
    pub(super) answer: Sender<Search>,
    /// It is asked for the second time.
    pub(super) again: bool,
}

/// Who wants the answers to a query.
#[derive(Debug)]
pub(super) enum Asker {
    Search(Box<Wanted>),
    /// The analysis that runs, or begins.
    Analysis,
    /// Nobody any more; it was terminated.
    Nobody,
}

/// A query in the pipe.
#[derive(Debug)]
struct Open {
    id: u32,
    size: Size,
    asker: Asker,
    /// How often it is to be heard of.
    every: Duration,
    /// The engine has said something about it.
    lives: bool,
}

/// A program that is talked to in JSON.
#[derive(Debug)]
pub(in crate::engine::actor) struct Link {
    process: Process,
    /// Searches that may be in the pipe at once.
    pub(super) capacity: usize,
    /// Silence while queries are open that is taken for a hang.
    patience: Duration,
    asked: Instant,
    id: u32,
    speaks: bool,
    /// Reports that were not read since a newer one was there already.
    outdated: u64,
    /// Queries without their last answer, oldest first.
    open: VecDeque<Open>,
    /// Searches that wait for a place in the pipe.
    waiting: VecDeque<Wanted>,
}

impl Link {
    pub(super) fn new(process: Process, patience: Duration) -> Link {
        Link {
            process,
            capacity: 1,
            patience,
            asked: Instant::now(),
            id: 0,
            speaks: false,
            outdated: 0,
            open: VecDeque::new(),
            waiting: VecDeque::new(),
        }
    }

    /// Sends a request that is no query; its number.
    pub(super) fn act(&mut self, action: Action) -> u32 {
        let id = self.next_id();
        self.write(katago_json::action(id, action));
        id
    }

    /// Sends the query of an analysis; its number.
    pub(super) fn ask(&mut self, query: &Query) -> u32 {
        self.send(query, Asker::Analysis)
    }

    /// How many searches of a client wait for a place.
    pub(super) fn waiting(&self, client: u64) -> usize {
        self.waiting.iter().filter(|wanted| wanted.client.id == client).count()
    }

    /// Takes a search; it is sent as soon as there is a place in the pipe.
    pub(super) fn put_aside(&mut self, wanted: Wanted) {
        self.waiting.push_back(wanted);
        self.fill();
    }

    /// Sends searches that wait, as far as there is room.
    pub(super) fn fill(&mut self) {
        let searches = |open: &&Open| !matches!(open.asker, Asker::Analysis);
        while self.open.iter().filter(searches).count() < self.capacity
            && let Some(wanted) = self.next_waiting()
        {
            let whole = wanted.whole.clone();
            let query = Query {
                whole: &whole,
                to_move: wanted.color,
                visits: Some(wanted.request.visits),
                every_cs: Some(SIGN_OF_LIFE),
                ownership: wanted.request.ownership,
                allow: &[],
                avoid: &[],
                priority: 0,
            };
            self.send(&query, Asker::Search(Box::new(wanted)));
        }
    }

    /// Of the searches that wait, one of the client that has the fewest in the pipe.
    fn next_waiting(&mut self) -> Option<Wanted> {
        let in_pipe = |client: u64| {
            let of_client = |open: &&Open| matches!(&open.asker, Asker::Search(w) if w.client.id == client);
            self.open.iter().filter(of_client).count()
        };
        let waiting = self.waiting.iter().enumerate();
        let (place, _) =
            waiting.min_by_key(|(place, wanted)| (in_pipe(wanted.client.id), wanted.client.batch, *place))?;
        self.waiting.remove(place)
    }

    /// Terminates the searches whose callers have given up.
    pub(super) fn let_go(&mut self) {
        self.waiting.retain(|wanted| !wanted.answer.is_closed());
        let given_up = |open: &&Open| matches!(&open.asker, Asker::Search(w) if w.answer.is_closed());
        let ids: Vec<u32> = self.open.iter().filter(given_up).map(|open| open.id).collect();
        ids.into_iter().for_each(|id| self.terminate(id));
    }

    /// Ends a query. Its last answer is still to come, and belongs to nobody.
    pub(super) fn terminate(&mut self, id: u32) {
        if let Some(open) = self.open.iter_mut().find(|open| open.id == id) {
            open.asker = Asker::Nobody;
            self.act(Action::Terminate(id));
        }
    }

    /// Lines left out since this was asked last.
    pub(super) fn take_skipped(&mut self) -> u64 {
        std::mem::take(&mut self.outdated) + self.process.take_dropped()
    }

    /// The engine has begun with a query.
    pub(super) fn lives(&mut self, id: u32) {
        if let Some(open) = self.open.iter_mut().find(|open| open.id == id) {
            open.lives = true;
        }
    }

    /// Whether the last answer to a query is still to come.
    pub(super) fn has(&self, id: u32) -> bool {
        self.open.iter().any(|open| open.id == id)
    }

    /// The last answer to a query has come: who wants it.
    pub(super) fn close(&mut self, id: u32) -> Option<Asker> {
        let place = self.open.iter().position(|open| open.id == id)?;
        self.open.remove(place).map(|open| open.asker)
    }

    /// An error without an id, about a line that could not be read: the queries that fail for it. Any of
    /// which nothing was heard may be the one. A single one it must be; several searches are asked
    /// once more, so that none waits for ever and none fails for another.
    pub(super) fn blame(&mut self) -> Vec<(u32, Asker)> {
        let silent = |open: &&Open| !open.lives && !matches!(open.asker, Asker::Nobody);
        let suspects: Vec<u32> = self.open.iter().filter(silent).map(|open| open.id).collect();
        let mut guilty = Vec::new();
        // Backwards, so that they wait in their old order.
        for id in suspects.iter().rev() {
            let Some(asker) = self.close(*id) else { continue };
            // Should it be searched nevertheless, nobody listens.
            self.act(Action::Terminate(*id));
            match asker {
                Asker::Search(mut wanted) if suspects.len() > 1 && !wanted.again => {
                    wanted.again = true;
                    self.waiting.push_front(*wanted);
                }
                asker => guilty.push((*id, asker)),
            }
        }
        guilty
    }

    fn send(&mut self, query: &Query, asker: Asker) -> u32 {
        let id = self.next_id();
        let every = Duration::from_millis(u64::from(query.every_cs.unwrap_or_default()) * 10);
        self.open.push_back(Open { id, size: query.whole.stones.size(), asker, every, lives: false });
        self.write(query.line(id));
        id
    }

    fn write(&mut self, line: String) {
        self.asked = Instant::now();
        self.process.write((line + "\n").into_bytes());
    }

    fn next_id(&mut self) -> u32 {
        self.id = self.id.wrapping_add(1);
        self.id
    }

    fn read(&mut self) -> Msg {
        let line = self.process.line().trim_ascii_end();
        if self.process.waiting_line().is_some_and(|next| katago_json::is_outdated(line, next)) {
            self.outdated += 1;
            return Msg::Noise;
        }
        let size = |id| self.open.iter().find(|open| open.id == id).map_or(Size::STANDARD, |open| open.size);
        let Some(answer) = katago_json::read(line, size) else { return Msg::Noise };
        self.speaks = true;
        Msg::Answer(answer)
    }

    /// When silence has lasted too long; never while nothing is asked.
    fn hangs_at(&self) -> Option<Instant> {
        let often = self.open.iter().map(|open| open.every).max()?;
        // A search that nobody watches gives its signs of life before patience is over.
        let often = often.saturating_sub(Duration::from_millis(u64::from(SIGN_OF_LIFE) * 10));
        Some(self.process.last_heard().max(self.asked) + self.patience + often)
    }
}

impl super::super::Link for Link {
    type Msg = Msg;

    const GOODBYE: &str = r#"{"id":"goodbye","action":"terminate_all"}"#;

    fn process(&mut self) -> &mut Process {
        &mut self.process
    }

    fn speaks(&self) -> bool {
        self.speaks
    }

    async fn next(&mut self) -> Result<Msg, Input> {
        loop {
            let hangs_at = self.hangs_at();
            let Link { process, open, waiting, .. } = self;
            let input = tokio::select! {
                biased;
                () = given_up(open, waiting) => return Ok(Msg::Withdrawn),
                input = process.next() => input,
                () = sleep_until(hangs_at.unwrap_or_else(Instant::now)), if hangs_at.is_some() => {
                    // Something may have been printed on stderr meanwhile.
                    match self.hangs_at() {
                        Some(at) if at <= Instant::now() => return Err(Input::Silent),
                        _ => continue,
                    }
                }
            };
            return match input {
                Input::Line => Ok(self.read()),
                end => Err(end),
            };
        }
    }

    fn works(&self) -> bool {
        let search = |open: &Open| matches!(open.asker, Asker::Search(_));
        !self.waiting.is_empty() || self.open.iter().any(search)
    }

    fn fail(&mut self, error: &EngineError) {
        for open in self.open.drain(..) {
            if let Asker::Search(wanted) = open.asker {
                reply(wanted.answer, Err(error.clone()));
            }
        }
        for wanted in self.waiting.drain(..) {
            reply(wanted.answer, Err(error.clone()));
        }
    }
}

/// Resolves when a caller has given up its search.
async fn given_up(open: &mut VecDeque<Open>, waiting: &mut VecDeque<Wanted>) {
    std::future::poll_fn(|context| {
        let asked = open.iter_mut().filter_map(|open| match &mut open.asker {
            Asker::Search(wanted) => Some(wanted.as_mut()),
            _ => None,
        });
        let mut gone = false;
        // All are polled: each has to wake this task.
        for wanted in asked.chain(waiting.iter_mut()) {
            gone |= wanted.answer.poll_closed(context).is_ready();
        }
        if gone { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}

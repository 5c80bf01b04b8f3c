//! Commands and answers matched by id, over one running program.

use std::collections::VecDeque;

use super::talk::ABORT;
use crate::engine::error::EngineError;
use crate::engine::gtp::codec::{Decoder, Event, encode, next_id};
use crate::engine::process::{Input, Process};

/// What arrived next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::engine::actor) enum Msg {
    /// The answer to a command begins.
    Open { id: u32, ok: bool, text: String },
    /// A further line of it; [`Link::line`] is its text.
    Line { id: u32 },
    /// It is complete.
    Close { id: u32 },
    /// A later command was answered: this one never will be.
    Missed { id: u32 },
    /// An abandoned command was answered.
    Late,
    /// A line outside any answer.
    Noise,
}

#[derive(Debug)]
struct Sent {
    id: u32,
    command: String,
    wanted: bool,
}

/// A program that is talked to in GTP.
#[derive(Debug)]
pub(in crate::engine::actor) struct Link {
    pub(super) process: Process,
    decoder: Decoder,
    id: u32,
    /// Commands without a complete answer, oldest first.
    sent: VecDeque<Sent>,
    /// Whose answer is being read; `None` while an answer to nothing is skipped.
    current: Option<u32>,
    /// Whether the engine repeats ids, learnt from its first answer. One that does not is matched
    /// by order; from one that does, an answer without id belongs to nothing that was sent.
    repeats_ids: Option<bool>,
    pending: VecDeque<Msg>,
}

impl Link {
    pub(super) fn new(process: Process) -> Link {
        Link {
            process,
            decoder: Decoder::default(),
            id: 0,
            sent: VecDeque::new(),
            current: None,
            repeats_ids: None,
            pending: VecDeque::new(),
        }
    }

    /// Sends a (clean) command; the answer will carry the id.
    pub(super) fn send(&mut self, command: &str) -> u32 {
        self.id = next_id(self.id);
        self.sent.push_back(Sent { id: self.id, command: command.to_owned(), wanted: true });
        self.process.write(encode(self.id, command));
        self.id
    }

    /// Nobody wants the answers to what was sent so far.
    pub(super) fn abandon(&mut self) {
        self.sent.iter_mut().for_each(|sent| sent.wanted = false);
        self.pending.clear();
    }

    /// Asks for a sign of life behind all that is unanswered, unless that was done already.
    pub(super) fn probe(&mut self) {
        if self.sent.back().is_none_or(|sent| sent.command != ABORT) {
            self.send(ABORT);
            self.abandon();
        }
    }

    /// The oldest command without an answer.
    pub(super) fn unanswered(&self) -> Option<&str> {
        self.sent.front().map(|sent| sent.command.as_str())
    }

    /// The line of the last [`Msg::Line`] or [`Msg::Noise`], trailing blanks cut off.
    pub(super) fn line(&self) -> &[u8] {
        self.process.line().trim_ascii_end()
    }

    /// Whether the present line begins an answer that is waited for, while one that nobody waits for
    /// has not ended: rubbish that looks like an answer must not swallow the real ones behind it.
    fn breaks_in(&self) -> bool {
        let line = self.process.line();
        if self.current.is_some() || !self.decoder.is_open() || !matches!(line.first(), Some(b'=' | b'?')) {
            return false;
        }
        let header = Decoder::default().feed(line);
        matches!(header, Some(Event::Open { id: Some(id), .. }) if self.sent.iter().any(|sent| sent.id == id))
    }

    fn take_line(&mut self) {
        if self.breaks_in() {
            self.decoder = Decoder::default();
        }
        let msg = match self.decoder.feed(self.process.line()) {
            None => return,
            Some(Event::Noise(_)) => Msg::Noise,
            Some(Event::Open { ok, id, text }) => {
                let text = String::from_utf8_lossy(text).into_owned();
                return self.open(ok, id, text);
            }
            Some(Event::Line(_)) => match self.current {
                Some(id) if self.is_wanted(id) => Msg::Line { id },
                _ => return,
            },
            Some(Event::Close) => {
                let Some(id) = self.current.take() else { return };
                let wanted = self.is_wanted(id);
                self.sent.pop_front();
                if wanted { Msg::Close { id } } else { Msg::Late }
            }
        };
        self.pending.push_back(msg);
    }

    /// An answer begins. Only one to a command that waits counts: Leela Zero answers some
    /// commands twice. Commands before it that have no answer by now get none.
    fn open(&mut self, ok: bool, id: Option<u32>, text: String) {
        self.current = None;
        let place = match id {
            Some(id) => self.sent.iter().position(|sent| sent.id == id),
            None if self.repeats_ids == Some(true) => None,
            None => (!self.sent.is_empty()).then_some(0),
        };
        let Some(place) = place else { return };
        self.repeats_ids.get_or_insert(id.is_some());
        for missed in self.sent.drain(..place) {
            self.pending.push_back(if missed.wanted { Msg::Missed { id: missed.id } } else { Msg::Late });
        }
        let Some(front) = self.sent.front() else { return };
        self.current = Some(front.id);
        if front.wanted {
            self.pending.push_back(Msg::Open { id: front.id, ok, text });
        }
    }

    fn is_wanted(&self, id: u32) -> bool {
        self.sent.front().is_some_and(|sent| sent.id == id && sent.wanted)
    }
}

impl super::super::Link for Link {
    type Msg = Msg;

    const GOODBYE: &str = "quit";

    fn process(&mut self) -> &mut Process {
        &mut self.process
    }

    fn speaks(&self) -> bool {
        self.repeats_ids.is_some()
    }

    async fn next(&mut self) -> Result<Msg, Input> {
        loop {
            if let Some(msg) = self.pending.pop_front() {
                return Ok(msg);
            }
            match self.process.next().await {
                Input::Line => self.take_line(),
                end => return Err(end),
            }
        }
    }

    /// Every request is answered before the next one is served.
    fn works(&self) -> bool {
        false
    }

    fn fail(&mut self, _: &EngineError) {}
}

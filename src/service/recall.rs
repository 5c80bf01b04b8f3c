//! What was found before, for those who look at a position again.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::engines::Attached;
use crate::cache::{Cache, Fate, Identity, Key, Mind, Subject, options};
use crate::engine::gtp::analyze::Report;
use crate::engine::{AnalyzeRequest, EngineError, EngineSpec, ErrorKind, Limit, Reply, Running};
use crate::engine::{Search, StartIn, Synced};
use crate::fnv::Fnv;
use crate::go::{Color, Position};

/// While an analysis runs, what it finds is kept this often; a crash costs no more than that.
const PAUSE: Duration = Duration::from_secs(5);

/// Where the results of an engine go.
pub struct Results {
    cache: Arc<Cache>,
    identity: Identity,
}

impl Results {
    /// Of an engine that is about to be started.
    pub fn new(cache: Arc<Cache>, setup: u128, spec: &EngineSpec, start: &StartIn) -> Results {
        cache.open();
        Results { cache, identity: Identity::new(setup, spec, start) }
    }
}

/// Sends the engine a command of its user's own, and takes note of it: it may find something else then.
///
/// # Errors
/// Those of [`Engine::send`](crate::engine::Engine::send).
pub async fn send(
    attached: &Attached,
    command: &str,
    if_revision: Option<u64>,
) -> Result<Reply, EngineError> {
    let telling = Identity::counts(command).then(|| Telling::begin(attached, command));
    let reply = attached.engine.send(command, if_revision).await;
    if let Some(mut telling) = telling {
        telling.fate = match &reply {
            Ok(_) => Fate::Answered,
            Err(error) => match error.kind {
                ErrorKind::EngineTimeout | ErrorKind::EngineExited | ErrorKind::Cancelled => Fate::Unknown,
                _ => Fate::Unsent,
            },
        };
    }
    reply
}

/// A command on its way; it ends when this is dropped, also when nobody waits for the answer any more.
struct Telling<'a> {
    attached: &'a Attached,
    command: &'a str,
    process: u32,
    fate: Fate,
}

impl<'a> Telling<'a> {
    fn begin(attached: &'a Attached, command: &'a str) -> Telling<'a> {
        let process = attached.engine.info().process;
        attached.results().identity.begin(process);
        Telling { attached, command, process, fate: Fate::Unknown }
    }
}

impl Drop for Telling<'_> {
    fn drop(&mut self) {
        let process = self.attached.engine.info().process;
        self.attached.results().identity.end(self.command, self.fate, self.process, process);
    }
}

/// What the engine makes of things now. To be taken before a search is asked for: it is kept only if the
/// engine was of the same mind all the while.
pub fn mind(attached: &Attached) -> Option<Mind> {
    attached.results().identity.mind(&attached.engine.info())
}

/// What an engine is asked, wherever it is put.
#[derive(Clone)]
pub struct Asked {
    attached: Arc<Attached>,
    request: AnalyzeRequest,
}

impl Asked {
    /// This, of this engine.
    pub fn new(attached: Arc<Attached>, request: &AnalyzeRequest) -> Asked {
        Asked { attached, request: AnalyzeRequest { position: None, ..request.clone() } }
    }

    /// The engine.
    pub fn attached(&self) -> &Arc<Attached> {
        &self.attached
    }

    /// The same question ahead of anybody who asks, of other positions; `None` when that would be for
    /// nothing.
    pub fn ahead(&self) -> Option<Asked> {
        let worth = self.attached.results().cache.is_on() && !self.attached.engine.info().is_demo();
        let (allow, avoid) = (Vec::new(), Vec::new());
        let request = AnalyzeRequest { color: None, allow, avoid, if_revision: None, ..self.request.clone() };
        worth.then(|| Asked { attached: self.attached.clone(), request })
    }

    /// The same question about a position, as a request.
    pub fn about(&self, position: Position, limit: Limit) -> AnalyzeRequest {
        AnalyzeRequest { position: Some(position), limit, ..self.request.clone() }
    }

    /// Looks up what is known of another position of a game, before the engine is brought there.
    pub async fn again(&self, position: &Position, before: &Recall) -> Option<Recall> {
        let (_, synced) = before.place.as_ref().filter(|(place, _)| {
            (place.komi, &place.rules, place.size) == (position.komi, &position.rules, position.size)
        })?;
        Some(self.at(self.mind(), position, None, synced).await)
    }

    /// See [`mind`].
    pub fn mind(&self) -> Option<Mind> {
        mind(&self.attached)
    }

    /// Looks up what is known of a position that the engine was brought to; `mind` is from before that.
    pub async fn at(
        &self,
        mind: Option<Mind>,
        position: &Position,
        color: Option<Color>,
        synced: &Synced,
    ) -> Recall {
        let Some(mind) = mind else { return Recall::default() };
        let results = self.attached.results();
        let attached = &self.attached;
        let key = |request: &AnalyzeRequest| key(attached, mind, request, position, color, synced);
        // What a review has found will do until there is more, but is no answer to another question.
        let plain = AnalyzeRequest {
            allow: self.request.allow.clone(),
            avoid: self.request.avoid.clone(),
            ..AnalyzeRequest::default()
        };
        let (exact, plain) = (key(&self.request), key(&plain));
        let keys = [&exact, &plain];
        let keys = if exact == plain { &keys[..1] } else { &keys };
        let found = results.cache.find(keys, position.size).await;
        let answers = found.as_ref().is_some_and(|(index, _)| *index == 0);
        let known = found.map(|(_, known)| Running {
            report: self.shortened(known.report),
            revision: synced.revision,
            color: color.unwrap_or(position.to_play),
            size: position.size,
            visits: known.visits,
            received: tokio::time::Instant::now(),
            skipped: 0,
        });
        Recall {
            key: Some((exact, mind)),
            answers,
            attached: Some(self.attached.clone()),
            place: Some((Position { steps: Vec::new(), ..position.clone() }, synced.clone())),
            known,
            kept: Instant::now(),
        }
    }

    /// A report with no more moves than were asked for.
    fn shortened(&self, report: Arc<Report>) -> Arc<Report> {
        let most = self.request.max_moves.and_then(|most| usize::try_from(most).ok()).unwrap_or(usize::MAX);
        if report.moves.len() <= most {
            return report;
        }
        let mut report = Arc::unwrap_or_clone(report);
        report.moves.sort_by_key(|info| info.order);
        report.moves.truncate(most);
        Arc::new(report)
    }
}

fn key(
    attached: &Attached,
    mind: Mind,
    request: &AnalyzeRequest,
    position: &Position,
    color: Option<Color>,
    synced: &Synced,
) -> Key {
    let options = Fnv(options(request, position.size));
    // An engine that could not be told all of a position finds something else.
    let lost = synced.lost.iter().filter(|lost| !matches!(lost.what, "komi" | "rules"));
    let subject = Subject {
        engine: mind.number,
        trusted: attached.trusted(),
        position,
        color: color.unwrap_or(position.to_play),
        komi: synced.komi,
        rules: synced.rules.as_deref(),
        options: lost.fold(options, |hash, lost| hash.text(lost.what)).0,
    };
    subject.key()
}

/// What is known of the position that an analysis is about, and where what it finds is kept. The default
/// knows and keeps nothing.
pub struct Recall {
    key: Option<(Key, Mind)>,
    attached: Option<Arc<Attached>>,
    /// The position without its steps, and how the engine was brought there.
    place: Option<(Position, Synced)>,
    known: Option<Running>,
    /// Whether it is the answer to what was asked, and not to a plainer question.
    answers: bool,
    /// When something was kept, or when it began.
    kept: Instant,
}

impl Default for Recall {
    fn default() -> Recall {
        Recall { key: None, attached: None, place: None, known: None, answers: false, kept: Instant::now() }
    }
}

impl Recall {
    /// What helps to find other positions of the same game.
    pub fn elsewhere(&self) -> Recall {
        Recall { place: self.place.clone(), ..Recall::default() }
    }

    /// What was known when the analysis came here.
    pub fn known(&self) -> Option<&Running> {
        self.known.as_ref()
    }

    /// Whether that is it.
    pub fn is_known(&self, running: &Running) -> bool {
        self.known.as_ref().is_some_and(|known| Arc::ptr_eq(&known.report, &running.report))
    }

    /// Whether what was asked is known already, with so many visits.
    pub fn suffices(&self, limit: Limit) -> bool {
        let known = self.known.as_ref().filter(|_| self.answers).map(|known| known.visits);
        limit.visits.is_some_and(|visits| known >= Some(visits))
    }

    /// Whether a report says more than what is known: it has more visits, or tells who owns what.
    pub fn is_outdone_by(&self, running: &Running) -> bool {
        let owned = |running: &Running| running.report.ownership.is_some();
        self.known.as_ref().is_none_or(|known| {
            known.visits < running.visits || (!self.answers && owned(running) && !owned(known))
        })
    }

    /// Takes note of a report; now and then it is kept.
    pub fn note(&mut self, running: &Running) {
        if self.kept.elapsed() >= PAUSE {
            self.keep(running);
        }
    }

    /// Keeps a report that the engine has made now, unless it has changed its mind.
    pub fn keep(&mut self, running: &Running) {
        if !self.is_known(running)
            && let (Some((key, before)), Some(attached)) = (&self.key, &self.attached)
        {
            keep(attached, *before, key, (&running.report, running.visits));
        }
        self.kept = Instant::now();
    }
}

fn keep(attached: &Attached, before: Mind, key: &Key, (report, visits): (&Report, u64)) {
    if mind(attached) == Some(before) {
        let durable = !attached.engine.info().is_demo();
        attached.results().cache.keep(key, report, visits, durable);
    }
}

/// Keeps what a search has found, unless the engine has changed its mind since it was asked for.
pub fn keep_search(attached: &Attached, before: Option<Mind>, position: &Position, search: &Search) {
    let Some(before) = before else { return };
    let key = key(attached, before, &AnalyzeRequest::default(), position, Some(search.color), &search.synced);
    keep(attached, before, &key, (&search.report, search.visits));
}

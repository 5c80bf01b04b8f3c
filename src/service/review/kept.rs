//! What the reviews of a session have found, for as long as it lasts: by document and position, so that
//! edits cost only the nodes that they change.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use super::fingerprint::{Fingerprint, fingerprints};
use super::found::Finding as Found;
use super::judge::Known;
use super::verdicts::{Positions, verdicts};
use crate::language::named;
use crate::service::documents::Document;
use crate::service::settings::Blunders;
use crate::service::uris::key;
use crate::sgf::{NodeId, Record, shown};
use crate::text::{Finding, Levels};

/// The most positions of all documents of a session.
const MAX_POSITIONS: usize = 200_000;

/// The moves of an engine's line that are kept, at most.
const LINE: usize = 30;

/// The reviews of one session.
pub struct Reviews {
    kept: Mutex<Kept>,
    /// Counts what changes in what is to be shown; `None` when the session is over.
    news: watch::Sender<Option<u64>>,
}

impl Default for Reviews {
    fn default() -> Reviews {
        Reviews { kept: Mutex::default(), news: watch::Sender::new(Some(0)) }
    }
}

#[derive(Default)]
struct Kept {
    documents: HashMap<Vec<u8>, Reviewed>,
    /// The number of the last review.
    review: u64,
}

/// What is known of one document.
#[derive(Default)]
struct Reviewed {
    positions: Arc<Positions>,
    /// The last review that found something.
    review: u64,
    shown: Option<Shown>,
}

/// What was made of it for one version of the text.
struct Shown {
    document: u64,
    settings: Blunders,
    levels: Levels,
    positions: Arc<Positions>,
    findings: Arc<[Finding]>,
}

impl Reviews {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of a review that begins.
    pub fn begin(&self) -> u64 {
        let mut kept = self.kept();
        kept.review += 1;
        kept.review
    }

    /// Notes what a review found at a position. Texts that came with the request have no name to find
    /// it by: nothing is noted of them.
    pub(super) fn note(&self, document: &Document, review: u64, at: Fingerprint, found: &Found) {
        let (Some(uri), Some(value)) = (&document.uri, found.value) else { return };
        let line = found.line.iter().copied().take(LINE).collect();
        let known = Arc::new(Known { value, line, review });
        let mut kept = self.kept();
        let uri = key(uri);
        kept.make_room(&uri);
        let reviewed = kept.documents.entry(uri).or_default();
        reviewed.review = review;
        if reviewed.positions.len() < MAX_POSITIONS || reviewed.positions.contains_key(&at) {
            Arc::make_mut(&mut reviewed.positions).insert(at, known);
            drop(kept);
            self.touch();
        }
    }

    /// What is to be shown may be another: settings have changed, or there is news.
    pub fn touch(&self) {
        self.news.send_modify(|news| *news = news.map(|count| count + 1));
    }

    /// Nobody will look any more.
    pub fn close(&self) {
        self.news.send_replace(None);
    }

    /// Hears of news; `None` is the end.
    pub fn news(&self) -> watch::Receiver<Option<u64>> {
        self.news.subscribe()
    }

    /// Whether anything is known of a document.
    pub fn know(&self, uri: &str) -> bool {
        self.kept().documents.contains_key(&key(uri))
    }

    fn positions(&self, document: &Document) -> Option<Arc<Positions>> {
        let kept = self.kept();
        Some(kept.documents.get(&key(document.uri.as_deref()?))?.positions.clone())
    }

    /// What is known of the nodes of a game; `None` when that is nothing.
    pub(super) fn of_game(
        &self,
        document: &Document,
        record: &Record,
        game: usize,
    ) -> Option<HashMap<NodeId, Arc<Known>>> {
        let positions = self.positions(document)?;
        let nodes = fingerprints(record, game).into_iter();
        let found: HashMap<_, _> =
            nodes.filter_map(|(node, at)| Some((node, positions.get(&at)?.clone()))).collect();
        (!found.is_empty()).then_some(found)
    }

    /// The findings of a document: worked out once for each version, settings and state of its reviews.
    pub fn findings(
        &self,
        document: &Document,
        record: &Record,
        settings: impl FnOnce() -> (Blunders, Levels),
    ) -> Arc<[Finding]> {
        let Some(positions) = self.positions(document) else { return Arc::default() };
        let (settings, levels) = settings();
        let is_of = |shown: &&Shown| {
            shown.document == document.id
                && shown.settings == settings
                && shown.levels == levels
                && Arc::ptr_eq(&shown.positions, &positions)
        };
        let uri = key(document.uri.as_deref().unwrap_or_default());
        let known =
            self.kept().documents.get(&uri).and_then(|reviewed| {
                reviewed.shown.as_ref().filter(is_of).map(|shown| shown.findings.clone())
            });
        if let Some(known) = known {
            return known;
        }
        let found = verdicts(record, &positions, &settings);
        let findings: Arc<[Finding]> = named(shown(record, &levels, found)).into();
        if let Some(reviewed) = self.kept().documents.get_mut(&uri) {
            let findings = findings.clone();
            reviewed.shown = Some(Shown { document: document.id, settings, levels, positions, findings });
        }
        findings
    }
}

impl Kept {
    /// Forgets the documents whose reviews are the oldest while there are too many positions.
    fn make_room(&mut self, but: &[u8]) {
        let count = |kept: &Kept| kept.documents.values().map(|one| one.positions.len()).sum::<usize>();
        while count(self) >= MAX_POSITIONS {
            let others = self.documents.iter().filter(|(uri, _)| *uri != but);
            let Some(oldest) = others.min_by_key(|(_, one)| one.review).map(|(uri, _)| uri.clone()) else {
                return;
            };
            self.documents.remove(&oldest);
        }
    }
}

//! Requests that ask for one answer: a search, a command of the caller's own.

use super::super::look::{Reading, Subject};
use super::super::wait::Halt;
use super::link::Msg;
use super::talk::ABORT;
use super::{Actor, Gtp};
use crate::engine::clock;
use crate::engine::error::{EngineError, ErrorKind};
use crate::engine::gtp::codec;
use crate::engine::profile::Quirk;
use crate::engine::request::{AnalyzeRequest, Limit, Reply, Search, SearchRequest, Synced};
use crate::engine::slot;
use crate::engine::spec::mask;
use crate::engine::sync::Entry;
use crate::go::Vertex;

/// Commands after which the engine's board is as it was.
const HARMLESS: &str = "name version protocol_version known_command list_commands showboard list_stones \
    final_score final_status_list get_komi time_settings time_left kgs-time_settings kata-time_settings \
    kata-list_time_settings kata-get-rules kata-get-param kata-set-param kata-list-params kata-get-models \
    kata-raw-nn kata-raw-human-nn heatmap printsgf last_move move_history move_number cputime \
    gomill-cpu_time gomill-describe_engine lz-memory_report lz-setoption clear_cache echo";

/// Of these, the ones that change how it works.
const ALTERING: &str = "time_settings kgs-time_settings kata-time_settings kata-set-param lz-setoption";

/// Commands that change nothing but the board, and what is told with it.
const BOARD: &str = "boardsize rectangular_boardsize clear_board komi play undo gg-undo genmove reg_genmove \
    kgs-genmove_cleanup fixed_handicap place_free_handicap set_free_handicap set_position loadsgf \
    genmove_analyze lz-genmove_analyze kata-genmove_analyze kata-search kata-search_analyze \
    kata-search_cancellable kata-search_analyze_cancellable";

impl Actor<Gtp> {
    /// After two passes some engines (Leela Zero) abort when they are asked to move, and never say
    /// anything when they are asked to analyse.
    pub(super) fn refuse_after_two_passes(&self) -> Result<(), EngineError> {
        let Some(known) = &self.talk.known else { return Ok(()) };
        let passed = |entry: &Entry| matches!(entry, Entry::Play(play) if play.vertex == Vertex::Pass);
        let over = known.history.len() >= 2 && known.history.iter().rev().take(2).all(passed);
        let silent = self.info.profile.filter(|profile| profile.has(Quirk::OverAfterTwoPasses));
        if let Some(profile) = silent.filter(|_| over) {
            let message = format!("the game is over (two passes), and {} has no answer then", profile.name);
            return Err(EngineError::new(ErrorKind::EngineRefused, message).cause("two-passes"));
        }
        Ok(())
    }

    /// The request `search`.
    pub(super) async fn search(&mut self, request: SearchRequest) -> Result<Search, EngineError> {
        let exact = self.info.supports.exact_visits && self.info.commands.contains("kata-get-param");
        if !exact {
            self.choose(&request.order, request.ownership)?;
        }
        self.free_engine().await?;
        self.make_ready().await?;
        let synced = self.bring(&request.position).await?;
        self.refuse_after_two_passes()?;
        let found = if exact { self.search_exactly(&request, &synced).await? } else { None };
        let found = match found {
            Some(found) => found,
            None => self.search_watched(&request, &synced).await?,
        };
        self.well_done();
        let slot::Running { report, color, visits, .. } = found;
        Ok(Search { synced, color, report, visits })
    }

    /// KataGo can be told how many visits to spend. `None`: this engine cannot, after all.
    async fn search_exactly(
        &mut self,
        request: &SearchRequest,
        synced: &Synced,
    ) -> Result<Option<slot::Running>, EngineError> {
        let before = self.exchange("kata-get-param maxVisits", self.patience()).await?;
        if !before.ok || before.text.parse::<u64>().is_err() {
            return Ok(None);
        }
        let set = format!("kata-set-param maxVisits {}", request.visits.max(1));
        if !self.exchange(&set, self.patience()).await?.ok {
            return Ok(None);
        }
        let subject = self.subject("kata-search_analyze", request.color, synced.revision);
        let letter = subject.color.letter().to_ascii_lowercase();
        let ownership = if request.ownership { " ownership true" } else { "" };
        let command = format!("kata-search_analyze {letter} 50 rootInfo true{ownership}");
        let id = self.post(&command);
        let result = self.read_search(id, subject).await;
        let restore = format!("kata-set-param maxVisits {}", before.text);
        match result {
            Ok(Ok(found)) => {
                self.exchange(&restore, self.patience()).await?;
                Ok(Some(found))
            }
            Ok(Err(reply)) => {
                self.exchange(&restore, self.patience()).await?;
                Err(self.no_report(&command, &reply).await)
            }
            Err(halt) => {
                let error = self.halted(halt, &command).await;
                // The search goes on for a while; its limit is put back once it is done.
                self.post(&restore);
                if let Some(link) = &mut self.link {
                    link.abandon();
                }
                Err(error)
            }
        }
    }

    /// The last report of a search that ends by itself, or what the engine said instead.
    async fn read_search(
        &mut self,
        id: u32,
        subject: Subject,
    ) -> Result<Result<slot::Running, String>, Halt> {
        let mut reading = Reading::default();
        let mut refusal = String::new();
        loop {
            // It prints twice a second; a long silence is not thinking.
            let until = tokio::time::Instant::now() + self.setting.timeouts.first_report;
            match self.next(Some(until)).await? {
                Msg::Line { id: line } if line == id => {
                    reading.read(&mut self.link, subject);
                }
                Msg::Open { id: open, text, .. } if open == id => refusal = text,
                Msg::Close { id: close } if close == id => return Ok(reading.last.ok_or(refusal)),
                Msg::Missed { id: missed } if missed == id => return Err(Halt::Missed),
                _ => {}
            }
        }
    }

    /// Any other engine is watched closely and stopped.
    async fn search_watched(
        &mut self,
        request: &SearchRequest,
        synced: &Synced,
    ) -> Result<slot::Running, EngineError> {
        let name = self.choose(&request.order, request.ownership)?;
        let subject = self.subject(&name, request.color, synced.revision);
        let analyze = AnalyzeRequest {
            limit: Limit { visits: Some(request.visits), seconds: None },
            ownership: request.ownership,
            ..AnalyzeRequest::default()
        };
        let id = self.open_analysis(&name, subject, &analyze).await?;
        let (patience, stall) = (self.setting.timeouts.first_report, self.setting.timeouts.stall);
        let mut reading = Reading::default();
        // An engine with a limit of its own may go on printing without searching any further.
        let (mut most, mut until) = (0, tokio::time::Instant::now() + patience);
        loop {
            match self.next(Some(until)).await {
                Ok(Msg::Line { id: line }) if line == id => {
                    reading.read(&mut self.link, subject);
                    let now = tokio::time::Instant::now();
                    let visits = reading.last.as_ref().map_or(0, |found| found.visits);
                    if visits > most {
                        (most, until) = (visits, now + stall);
                    }
                    let enough = visits >= request.visits || most > 0 && now >= until;
                    if let Some(found) = reading.last.take_if(|_| enough) {
                        self.silence().await?;
                        return Ok(found);
                    }
                }
                // It has a limit of its own, or nothing to search.
                Ok(Msg::Close { id: close }) if close == id => {
                    return match reading.last {
                        Some(found) => Ok(found),
                        None => Err(self.no_report(&name, "").await),
                    };
                }
                Ok(_) => {}
                Err(Halt::Timeout) => {
                    self.silence().await?;
                    return match reading.last {
                        Some(found) => Ok(found),
                        None => Err(self.no_report(&name, "").await),
                    };
                }
                Err(Halt::Withdrawn) => {
                    // This one can be stopped: any command does.
                    self.post(ABORT);
                    return Err(self.halted(Halt::Withdrawn, &name).await);
                }
                Err(halt) => return Err(self.halted(halt, &name).await),
            }
        }
    }

    async fn no_report(&mut self, command: &str, reply: &str) -> EngineError {
        let message = "the engine has nothing to say about this position";
        self.refused(ErrorKind::EngineRefused, message, command, reply).await.cause("no-report")
    }

    /// A command that does more than to change the board changes the engine for all who share it, so only
    /// an engine that nobody shares takes it, and is not shared from then on. A game may set the clock.
    fn may_alter(&self, word: &str, leased: bool) -> Result<(), EngineError> {
        let listed = |words: &str| words.split_whitespace().any(|listed| listed == word);
        if listed(BOARD) || listed(HARMLESS) && !listed(ALTERING) {
            return Ok(());
        }
        if !self.shared.is_shared_beside(self.client.party) {
            self.shared.alter();
            return Ok(());
        }
        if leased && clock::sets_time(word) {
            return Ok(());
        }
        let message = format!(
            "{word} would change the engine for other clients that share it; attach one of your own (shared: false)"
        );
        Err(EngineError::new(ErrorKind::EngineBusy, message).cause("shared").holder("other clients"))
    }

    /// The request `send`.
    pub(super) async fn raw(
        &mut self,
        command: &str,
        if_revision: Option<u64>,
    ) -> Result<Reply, EngineError> {
        let unsupported = |why: &str| EngineError::new(ErrorKind::EngineUnsupported, why).cause("command");
        let command = codec::clean(command).map_err(|bad| unsupported(bad.why()))?;
        let word = codec::word(command);
        let searches = word.contains("genmove") || word.contains("search");
        if word.ends_with("analyze") && !searches {
            return Err(unsupported("an analysis never ends by itself; use analyze"));
        }
        self.check_revision(if_revision)?;
        self.may_alter(word, self.shared.holder().is_some())?;
        self.free_engine().await?;
        self.make_ready().await?;
        self.come_back().await?;
        let slow = searches || ["final_", "loadsgf", "benchmark"].iter().any(|slow| word.contains(slow));
        let patience = if slow { None } else { self.patience() };
        let response = self.exchange(command, patience).await?;
        if response.ok && clock::sets_time(command) {
            // Part of what it is told again when it is started again.
            self.talk.time = Some((command.to_owned(), self.client.party));
        }
        if !HARMLESS.split_whitespace().any(|harmless| harmless == word) {
            self.forget_board();
        }
        Ok(Reply { ok: response.ok, text: mask(&response.text, &self.secrets), revision: self.revision() })
    }
}

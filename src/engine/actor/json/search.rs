//! The request `search`: put aside until its answer comes, many at once.

use std::sync::Arc;

use super::link::Wanted;
use super::{Actor, Json};
use crate::engine::actor::reply;
use crate::engine::error::{EngineError, ErrorKind};
use crate::engine::gtp::analyze::Report;
use crate::engine::handle::{Answer, QUEUE};
use crate::engine::request::{Search, SearchRequest};

impl Actor<Json> {
    /// The position that the engine stands on is not touched, nor is the analysis that runs, unless the
    /// engine works on one position at a time.
    pub(super) async fn search(&mut self, request: SearchRequest, answer: Answer<Search>) {
        if let Err(error) = self.make_ready().await {
            return reply(answer, Err(error));
        }
        if self.talk.alone
            && let Err(error) = self.free_engine().await
        {
            return reply(answer, Err(error));
        }
        let color = request.color.unwrap_or(request.position.to_play);
        let told = self.told(&request.position, color);
        let Some(link) = &mut self.link else { return };
        match told {
            Err(error) => reply(answer, Err(error)),
            Ok(_) if link.waiting(self.client.id) >= QUEUE => {
                let message = format!("{QUEUE} searches wait for this engine already");
                reply(answer, Err(EngineError::new(ErrorKind::EngineBusy, message).cause("queue")));
            }
            Ok((whole, synced)) => {
                link.put_aside(Wanted {
                    client: self.client.clone(),
                    request,
                    color,
                    whole,
                    synced,
                    answer,
                    again: false,
                });
            }
        }
    }

    /// The last answer to a search.
    pub(super) async fn found(&mut self, wanted: Wanted, report: Option<Report>) {
        let Wanted { color, synced, answer, .. } = wanted;
        let said = report.filter(|report| !report.moves.is_empty() || report.root.is_some());
        let result = match said {
            Some(report) => Ok(Search { synced, color, visits: report.visits(), report: Arc::new(report) }),
            None => {
                let message = "the engine has nothing to say about this position";
                Err(self.refused(ErrorKind::EngineRefused, message, "", "").await.cause("no-report"))
            }
        };
        reply(answer, result);
    }
}

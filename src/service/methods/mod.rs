//! The methods, one file a namespace. This page is their table of contents.

pub mod analysis;
pub mod document;
pub mod engine;
pub mod kifud;
pub mod record;

use super::error::Kind::*;
use super::table::Access::{Session, Stateless, Trusted};
use super::table::Table;

/// Every method that kifud answers.
pub fn table() -> Table {
    let mut t = Table::default();
    const TEXT: &[super::error::Kind] =
        &[NotFound, NotTrusted, StaleDocument, LimitExceeded, UnsupportedGame];
    const ENGINE: &[super::error::Kind] =
        &[EngineNotFound, EngineStartFailed, EngineExited, EngineTimeout, EngineRefused, EngineBusy];
    const SYNC: &[super::error::Kind] = &[
        EngineNotFound,
        EngineExited,
        EngineTimeout,
        EngineRefused,
        EngineBusy,
        EngineUnsupported,
        SyncFailed,
        BoardTooLarge,
        InvalidPosition,
        UnsupportedGame,
        NotFound,
        NotTrusted,
        StaleDocument,
    ];

    t.call("rpc.discover", Stateless, &[], "This table as an OpenRPC document.", kifud::discover);
    t.call("kifud/status", Stateless, &[], "Version, uptime and what is running.", kifud::status);
    t.call("kifud/cancel", Session, &[], "Cancels a running request of this session.", kifud::cancel);
    t.call("kifud/unsubscribe", Session, &[], "Ends a stream of this session.", kifud::unsubscribe);

    t.call("session/open", Session, &[], "Names the client and how its columns count.", document::session);
    t.call("document/open", Session, &[LimitExceeded], "Opens a document.", document::open);
    t.call(
        "document/change",
        Session,
        &[NotFound, StaleDocument, LimitExceeded],
        "Changes an open document, one change after the other.",
        document::change,
    );
    t.call("document/close", Session, &[NotFound], "Closes a document.", document::close);

    t.call("record/tree", Stateless, TEXT, "The nodes of a record and their properties.", record::tree);
    t.call("record/board", Stateless, TEXT, "The board at a node.", record::board);
    t.call("record/nodeAt", Stateless, TEXT, "The node at a place of the text.", record::node_at);

    t.call("engine/list", Stateless, &[], "The engines that are configured and attached.", engine::list);
    t.call("engine/attach", Session, ENGINE, "Starts an engine.", engine::attach);
    t.call(
        "engine/detach",
        Session,
        &[EngineNotFound],
        "Lets an engine go: quit, then force.",
        engine::detach,
    );
    t.call("engine/sync", Session, SYNC, "Puts an engine on a position.", engine::sync);
    t.call("engine/genmove", Session, SYNC, "Lets an engine play a move.", engine::genmove);
    t.call("engine/send", Trusted, ENGINE, "Sends a command as it stands.", engine::send);
    t.call("engine/stop", Session, &[EngineNotFound, NotFound], "Stops an analysis.", analysis::stop);
    t.stream(
        "engine/analyze",
        "analysis/update",
        Session,
        SYNC,
        "Analyses a position until it is stopped or a limit is reached.",
        analysis::analyze,
    );
    t.call(
        "analysis/retarget",
        Session,
        SYNC,
        "Moves a running analysis to another position; afterwards it tells only of that one.",
        analysis::retarget,
    );
    t.stream(
        "analysis/game",
        "analysis/row",
        Session,
        SYNC,
        "Analyses every node of a game with the same number of visits, a row a node.",
        analysis::game,
    );
    t
}

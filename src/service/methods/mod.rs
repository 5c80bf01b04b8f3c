//! The methods, one file a namespace. This page is their table of contents.

pub mod analysis;
pub mod document;
pub mod engine;
pub mod events;
pub mod game;
pub mod kifud;
pub mod record;
pub mod xiangqi;

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
    t.call("kifud/sessions", Stateless, &[], "Who is there, and what runs for them.", kifud::sessions);
    t.call(
        "kifud/configure",
        Session,
        &[NotTrusted, NotFound, EngineNotFound, StaleDocument],
        "The settings: asked for, set for this session, or engines changed in the user's file.",
        kifud::configure,
    );
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
    t.call(
        "document/share",
        Trusted,
        &[NotFound, LimitExceeded],
        "Lets untrusted sessions read a file, for as long as this session is there.",
        document::share,
    );
    t.call("document/text", Stateless, TEXT, "The text of a document as the daemon has it.", document::text);

    t.call("record/tree", Stateless, TEXT, "The nodes of a record and their properties.", record::tree);
    t.call("record/board", Stateless, TEXT, "The board at a node.", record::board);
    t.call(
        "record/play",
        Stateless,
        &[
            NotFound,
            NotTrusted,
            StaleDocument,
            LimitExceeded,
            UnsupportedGame,
            InvalidPosition,
            IllegalMove,
            AmbiguousMove,
        ],
        "A move at a node: the change of the text for the client to make. Xiangqi takes any notation and writes that of the game.",
        record::play,
    );
    t.call(
        "record/edit",
        Stateless,
        &[
            NotFound,
            NotTrusted,
            StaleDocument,
            LimitExceeded,
            UnsupportedGame,
            InvalidPosition,
            IllegalMove,
            AmbiguousMove,
        ],
        "Changes of properties, nodes and variations: the smallest change of the text, for the client to make.",
        record::edit,
    );
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
        "Moves a running analysis to another position, once no newer retarget has come for 250 ms; afterwards it tells only of that one. The older ones are answered Cancelled.",
        analysis::retarget,
    );
    t.stream(
        "analysis/game",
        "analysis/row",
        Session,
        SYNC,
        "Analyses every node of a game, a row a node; then, where asked for, once more and deeper where a move lost much or the values swing. A later row of a node takes the place of its earlier ones.",
        analysis::game,
    );
    t.call(
        "analysis/report",
        Stateless,
        TEXT,
        "A reviewed game in numbers: what each player lost in each phase, and the worst moves. From what reviews of this session have found; when there are none, from the values that the record has.",
        analysis::report,
    );
    t.stream(
        "events/subscribe",
        "events/event",
        Session,
        &[EngineNotFound],
        "Tells what happens in this session: engines, their output, analyses, games, documents, progress.",
        events::subscribe,
    );
    game_methods(&mut t);
    xiangqi_methods(&mut t);
    t
}

fn game_methods(t: &mut Table) {
    const START: &[super::error::Kind] = &[
        EngineNotFound,
        EngineStartFailed,
        EngineExited,
        EngineTimeout,
        EngineUnsupported,
        EngineBusy,
        InvalidPosition,
        UnsupportedGame,
        LimitExceeded,
        NotFound,
        NotTrusted,
        StaleDocument,
    ];
    const SEAT: &[super::error::Kind] = &[
        NotFound,
        LimitExceeded,
        EngineNotFound,
        EngineStartFailed,
        EngineExited,
        EngineTimeout,
        EngineUnsupported,
        EngineBusy,
    ];
    const ASK: &[super::error::Kind] = &[NotFound, LimitExceeded];
    const PLAY: &[super::error::Kind] = &[NotFound, LimitExceeded, IllegalMove];

    t.stream(
        "game/start",
        "game/update",
        Session,
        START,
        "Plays a game of engines and people from a position, or takes up one that was left; its record grows move by move.",
        game::start,
    );
    t.call(
        "game/list",
        Session,
        &[],
        "The games of the session, and those that were left unfinished.",
        game::list,
    );
    t.call("game/play", Session, PLAY, "A person's move, pass or resignation in a game.", game::play);
    t.call(
        "game/pause",
        Session,
        ASK,
        "Stops the clocks of a game and takes an engine's turn back.",
        game::pause,
    );
    t.call("game/resume", Session, ASK, "Goes on: the side to move begins its turn anew.", game::resume);
    t.call(
        "game/stop",
        Session,
        &[NotFound, LimitExceeded, EngineBusy],
        "Ends a game without a result; throws an unfinished one away.",
        game::stop,
    );
    t.call(
        "game/setPlayers",
        Session,
        SEAT,
        "Lets others play on: take over, hand over, swap.",
        game::set_players,
    );
}

fn xiangqi_methods(t: &mut Table) {
    const POSITION: &[super::error::Kind] = &[InvalidPosition];
    const MOVE: &[super::error::Kind] = &[InvalidPosition, IllegalMove, AmbiguousMove];
    const GAME: &[super::error::Kind] = &[InvalidPosition, IllegalMove, LimitExceeded];
    const PLAY: &[super::error::Kind] = &[InvalidPosition, IllegalMove, AmbiguousMove, LimitExceeded];
    const COUNT: &[super::error::Kind] = &[InvalidPosition, LimitExceeded];

    t.call(
        "xiangqi/position",
        Stateless,
        POSITION,
        "Reads a position and gives it in every form.",
        xiangqi::position,
    );
    t.call("xiangqi/moves", Stateless, POSITION, "The legal moves, in every notation.", xiangqi::moves);
    t.call("xiangqi/move", Stateless, PLAY, "Makes a move and tells the state after it.", xiangqi::play);
    t.call("xiangqi/status", Stateless, GAME, "The state of a game, with its reason.", xiangqi::status);
    t.call("xiangqi/parse", Stateless, MOVE, "Finds the legal move that a text names.", xiangqi::parse);
    t.call("xiangqi/format", Stateless, MOVE, "Writes a move in every notation.", xiangqi::format);
    t.call("xiangqi/describe", Stateless, GAME, "Tells a position in words.", xiangqi::describe);
    t.call(
        "xiangqi/evaluate",
        Stateless,
        POSITION,
        "Evaluates a position by rules of thumb, item by item.",
        xiangqi::evaluate,
    );
    t.call("xiangqi/search", Stateless, GAME, "Looks for the best move.", xiangqi::search);
    t.stream(
        "xiangqi/think",
        "xiangqi/update",
        Session,
        GAME,
        "Looks for the best move and tells every iteration.",
        xiangqi::think,
    );
    t.call("xiangqi/perft", Stateless, COUNT, "Counts lines of play.", xiangqi::perft);
    t.call("xiangqi/square", Stateless, POSITION, "What there is to know about a point.", xiangqi::square);
}

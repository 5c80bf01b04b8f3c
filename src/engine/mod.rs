//! Engines: programs that are driven over pipes, each owned by one actor.
//!
//! A [`Host`] starts them; an [`Engine`] is a handle to one. The actor behind the handle owns
//! the process, the queue of requests and the belief about the engine's board. It works one
//! request at a time, in order, and never waits for a client.

mod actor;
mod body;
pub mod builtin;
mod client;
pub mod clock;
pub mod environment;
mod error;
pub mod gtp;
mod handle;
mod host;
pub mod katago_json;
mod lines;
pub mod os;
pub(crate) mod process;
pub mod profile;
pub mod reaper;
mod request;
pub(crate) mod secrets;
mod slot;
mod spec;
pub mod sync;
mod tap;
mod turns;

pub use client::FIRST_PARTY;
pub use error::{EngineError, ErrorKind, Evidence, Exit};
pub use handle::{Engine, Info, Keeper, Lease, State, Supports};
pub use host::{Host, Timeouts};
pub use request::{
    ANALYZE_COMMANDS, AnalyzeRequest, GENMOVE_COMMANDS, Genmove, GenmovePlay, GenmoveRequest, Limit, Reply,
    Search, SearchRequest, Synced,
};
pub use slot::{Analysis, AnalysisEvent, AnalysisEvents, AnalysisId, EndReason, Ended, Running};
pub use spec::{EngineSpec, Patience, Program, Protocol, StartIn, Surroundings, resolve};
pub use tap::{Ear, Tap, Way};

//! Engines: programs that are driven over pipes, each owned by one actor.

pub mod gtp;
pub mod sync;

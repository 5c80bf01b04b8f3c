//! kifud: the engine back end for board games of the 棋 family.
//!
//! `ARCHITECTURE.md` is the map. From the inside out: [`go`] and [`sgf`] are the games, pure;
//! [`engine`] drives programs; [`service`] is the table of methods; [`transport`] and [`cli`] are
//! the doors.

pub mod cli;
pub mod engine;
pub mod go;
pub mod service;
pub mod sgf;
pub mod transport;

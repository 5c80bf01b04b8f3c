//! kifud: the engine back end for board games of the 棋 family.
//!
//! `ARCHITECTURE.md` is the map. From the inside out: [`go`] and [`sgf`] are the games, pure;
//! [`engine`] drives programs; [`service`] is the table of methods; [`transport`] and [`cli`] are
//! the doors.
//!
//! The two lower floors are useful by themselves. A record is read without ever failing, and every
//! node has a position:
//!
//! ```
//! use kifud::go::{Color, Vertex};
//! use kifud::sgf::{self, NodeId, Record};
//!
//! let record = Record::parse("(;SZ[9]KM[6.5];B[ee](;W[cc])(;W[gg]");
//! assert_eq!(record.findings().len(), 1, "a parenthesis is missing");
//! let found = sgf::position(&record, NodeId(3)).unwrap();
//! assert_eq!(found.position.to_play, Color::Black);
//! assert_eq!(found.position.last_move().unwrap().vertex.to_gtp(found.position.size), "G3");
//! ```
//!
//! The planner says what an engine has to be told to stand on it, before anything is sent:
//!
//! ```
//! # use kifud::sgf::{self, NodeId, Record};
//! use kifud::engine::sync::{Abilities, Command, Strategy, plan};
//!
//! let record = Record::parse("(;SZ[9]KM[6.5];B[ee];W[cc])");
//! let wanted = sgf::position(&record, NodeId(2)).unwrap().position;
//! let plan = plan(None, &wanted, &Abilities::default(), &[]).unwrap();
//! assert_eq!(plan.strategy, Strategy::Replay);
//! let lines: Vec<_> = plan.commands.iter().filter_map(|command| match command {
//!     Command::Essential(line) => Some(line.as_str()),
//!     _ => None,
//! }).collect();
//! assert_eq!(lines, ["boardsize 9", "clear_board", "komi 6.5", "play B E5", "play W C7"]);
//! ```

pub mod cache;
pub mod cli;
pub mod engine;
mod fnv;
pub mod formats;
pub mod go;
pub mod gtp_engine;
pub mod language;
pub mod locale;
pub mod mcts;
pub mod paths;
pub mod replace;
pub mod service;
pub mod sgf;
pub mod text;
mod text_table;
pub mod transport;
pub mod xiangqi;

//! Xiangqi (象棋): a complete rules engine, pure.
//!
//! A [`Position`] is made from a [`Setup`] or a FEN by one door that lists every reason against it;
//! it never changes, a move gives a new one.
//!
//! ```
//! use kifud::xiangqi::{Move, Position};
//!
//! let start = Position::start();
//! assert_eq!(start.legal_moves().len(), 44);
//! let cannon = Move::from_code(70 | 67 << 7).unwrap();
//! assert_eq!(cannon.to_string(), "h2e2");
//! assert!(start.is_legal(cannon));
//! assert_eq!(start.after(cannon).halfmove(), 1);
//! ```
#![doc = include_str!("reference.md")]

pub mod ascii;
pub mod board;
pub mod describe;
pub mod evaluate;
pub mod fault;
pub mod fen;
pub mod legality;
mod moves;
pub mod notation;
mod piece;
mod position;
pub mod record;
pub mod repetition;
pub mod rules;
pub mod search;
mod set;
mod setup;
mod square;
pub mod status;
pub mod values;
mod words;

pub use describe::{DescribeOptions, describe};
pub use evaluate::{Evaluation, evaluate};
pub use fault::{Fault, Faults};
pub use fen::START_FEN;
pub use legality::Illegal;
pub use moves::Move;
pub use piece::{Kind, Piece, Side};
pub use position::Position;
pub use set::SquareSet;
pub use setup::Setup;
pub use square::{COLS, ROWS, SQUARES, Square};
pub use status::{Status, StatusOptions, status};
pub use words::Placed;

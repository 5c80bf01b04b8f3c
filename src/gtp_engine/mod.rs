//! The built-in Go engine as a GTP program: a line comes in, an answer goes out, framed as KataGo frames
//! it. Pure: clock, files and pipes are the [`Host`]'s.
//!
//! ```
//! use kifud::go::Position;
//! use kifud::gtp_engine::{Engine, Host};
//!
//! struct Text(String);
//! impl Host for Text {
//!     fn say(&mut self, text: &str) {
//!         self.0.push_str(text);
//!     }
//!     fn seconds(&self) -> f64 {
//!         0.0
//!     }
//!     fn is_wanted(&self) -> bool {
//!         false
//!     }
//!     fn load(&self, _path: &str, _moves: Option<usize>) -> Result<Position, String> {
//!         Err("no files here".to_owned())
//!     }
//! }
//!
//! let mut host = Text(String::new());
//! let mut engine = Engine::new(1);
//! for line in ["1 boardsize 9", "2 play b C4", "3 play w C4"] {
//!     engine.hear(line, &mut host);
//! }
//! assert_eq!(host.0, "=1 \n\n=2 \n\n?3 illegal move\n\n");
//! ```

mod analyze;
mod commands;
mod handicap;
mod searched;
mod think;
mod time;
mod words;

pub use commands::{COMMANDS, Engine, NAME};

use crate::go::Position;

/// Work for a thread of its own.
pub type Job<'a> = Box<dyn FnOnce() + Send + 'a>;

/// What the engine needs of the world.
pub trait Host {
    /// Writes text as it is.
    fn say(&mut self, text: &str);
    /// Seconds since some moment that stays the same.
    fn seconds(&self) -> f64;
    /// Whether another line waits, or the input is closed: an analysis ends then.
    fn is_wanted(&self) -> bool;
    /// Whether nobody hears the engine any more: everything ends then.
    fn is_gone(&self) -> bool {
        false
    }
    /// Does the first job and meanwhile, a thread each, the others. They end when it has ended. Without
    /// threads the first one is enough.
    fn together(&self, first: &mut dyn FnMut(), others: Vec<Job<'_>>) {
        drop(others);
        first();
    }
    /// Reads a record and goes to a position of its main line: the last one, or that before a move's
    /// number as GTP counts them (1 is the first).
    ///
    /// # Errors
    /// Why it cannot be read, in words.
    fn load(&self, path: &str, moves: Option<usize>) -> Result<Position, String>;
}

#[cfg(test)]
mod tests;

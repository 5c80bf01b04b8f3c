//! The command line.

pub mod replay;

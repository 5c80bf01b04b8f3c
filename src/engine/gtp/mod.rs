//! The Go Text Protocol.
pub mod analyze;

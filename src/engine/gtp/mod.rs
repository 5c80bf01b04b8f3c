//! The Go Text Protocol.

pub mod analyze;
pub mod codec;
pub mod heatmap;

//! The Go Text Protocol.

//! The doors: how bytes come and go. Nothing here knows what a method does.

pub mod framing;
pub mod lsp;
pub mod outbox;
pub mod socket;
pub mod stdio;
pub mod streams;

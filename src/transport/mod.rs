//! The doors: how bytes come and go. Nothing here knows what a method does.

pub mod address;
pub mod bridge;
pub mod conversation;
pub mod framing;
pub mod guard;
pub mod json;
pub mod local;
pub mod lsp;
pub mod mcp;
pub mod outbox;
pub mod page;
pub mod post;
pub mod socket;
pub mod stdio;
pub mod streams;
pub mod token;
pub mod websocket;
pub mod wire;

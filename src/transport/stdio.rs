//! One client on a pair of byte streams, in LSP's framing.

use std::sync::Arc;

use tokio::io::{AsyncBufRead, AsyncWrite};

use super::conversation::converse;
pub use super::conversation::{End, Limits};
use super::framing::{Framing, Reader};
use super::outbox::Outbox;
use crate::service::Service;
use crate::service::session::Session;

/// Speaks with one client until it leaves.
///
/// # Errors
/// Only those of reading; a client that cannot be written to has left.
pub async fn serve(
    service: Arc<Service>,
    session: Arc<Session>,
    input: &mut (impl AsyncBufRead + Unpin + Send),
    output: &mut (impl AsyncWrite + Unpin),
    limits: Limits,
) -> std::io::Result<End> {
    let outbox = Arc::new(Outbox::new(Framing::ContentLength, limits.outbox));
    let mut frames = Reader::new(input, limits.message);
    converse(service, session, &mut frames, outbox, output).await
}

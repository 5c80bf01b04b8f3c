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
    let outbox = Arc::new(Outbox::new(Framing::ContentLength, limits.outbox).holding(limits.answers));
    let mut frames = Reader::new(input, limits.message);
    converse(service, session, &mut frames, outbox, output).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Host, Timeouts};
    use crate::service::settings::Settings;

    #[tokio::test]
    async fn a_client_that_reads_no_more_has_left_also_while_it_still_writes() {
        let service = Service::new(Settings::default(), Host::new(Timeouts::default(), "kifud"));
        let session = service.open_session(true).unwrap();
        let (mut output, far) = tokio::io::duplex(64);
        drop(far);
        let (mut near, mut input) = tokio::io::duplex(1024);
        let body = r#"{"jsonrpc":"2.0","id":1,"method":"kifud/status"}"#;
        let request = format!("Content-Length: {}\r\n\r\n{body}", body.len());
        tokio::io::AsyncWriteExt::write_all(&mut near, request.as_bytes()).await.unwrap();
        let mut input = tokio::io::BufReader::new(&mut input);
        let end = serve(service, session, &mut input, &mut output, Limits::default()).await;
        assert_eq!(end.unwrap(), End::Abrupt);
    }
}

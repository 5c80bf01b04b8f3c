//! Any bytes as frames of the protocol: reading ends, and stores no more than the limit.
//!
//! `cargo +nightly fuzz run frames`.
#![no_main]

use kifud::transport::framing::{Frame, Frames, Reader};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(async {
        let mut frames = Reader::new(data, 1000);
        loop {
            match frames.next().await.expect("memory cannot fail") {
                Frame::Body(body) => assert!(body.len() <= 1000),
                Frame::Bad { .. } => {}
                Frame::End => return,
            }
        }
    });
});

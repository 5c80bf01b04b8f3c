//! Any bytes as frames of the protocol: reading ends, and stores no more than the limit.
//!
//! `cargo +nightly fuzz run frames`.
#![no_main]

use kifud::transport::framing::{Frame, read_frame};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(async {
        let mut input = data;
        loop {
            match read_frame(&mut input, 1000).await.expect("memory cannot fail") {
                Frame::Body(body) => assert!(body.len() <= 1000),
                Frame::Bad { .. } => {}
                Frame::End => return,
            }
        }
    });
});

//! Any bytes as a record: nothing is lost, every node has its board, an edit changes what it says.
//!
//! `cargo +nightly fuzz run record`.
#![no_main]

use kifud::sgf::{self, NewValue, NodeId, Record, apply_edits, encoding};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let decoded = encoding::decode(data, None);
    let untouched = encoding::splice(data, &decoded, &[]).expect("no edit, no error");
    assert_eq!(untouched, data);
    let record = Record::parse(decoded.text.as_str());
    for finding in sgf::check(&record) {
        assert!(finding.span.slice(record.text()).len() == finding.span.len());
    }
    for index in (0..record.node_count()).take(50) {
        let id = NodeId(index as u32);
        assert_eq!(record.find(record.node(id).game, &record.path_of(id)), Some(id));
        if let Ok(found) = sgf::position(&record, id) {
            let _ = found.position.board();
        }
        if let Ok(edits) = sgf::set_property(&record, id, "SBKV", &[NewValue::text("50")]) {
            let edited = Record::parse(apply_edits(record.text(), &edits));
            assert_eq!(edited.node_count(), record.node_count());
        }
    }
});

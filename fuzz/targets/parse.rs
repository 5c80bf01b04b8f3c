//! Any bytes as a record: the tokens are the text, the nodes stand in it in order, each has its board
//! and its path, findings and fixes are about what is there, an edit changes what it says.
//!
//! `cargo fuzz run -s none parse`.
#![no_main]

use kifud::claims::{apply_cleanly, are_sound, is_piece};
use kifud::sgf::{self, NewValue, NodeId, Record, lexer::Lexer};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let text = String::from_utf8_lossy(data);
    let written: String = Lexer::new(&text).map(|token| token.span.slice(&text)).collect();
    assert_eq!(written, text);
    let record = Record::parse(&*text);
    assert_eq!(record.text(), text);
    are_sound(&record, &sgf::check(&record));
    let mut end = 0;
    for id in (0..record.node_count() as u32).map(NodeId) {
        let node = record.node(id);
        assert!(end <= node.span.start, "{id:?} of {text:?}");
        assert!(node.parent.is_none_or(|parent| parent < id));
        end = node.span.start;
        for property in record.properties(id) {
            assert!(end <= property.span().start, "{property:?} of {text:?}");
            end = property.span().end;
            property.values().for_each(|value| is_piece(&text, value.raw_span()));
        }
        assert_eq!(end.max(node.span.end), node.span.end);
    }
    let last = record.node_count().saturating_sub(1) as u32;
    for id in [0, last / 2, last].map(NodeId).into_iter().filter(|id| id.0 < record.node_count() as u32) {
        assert_eq!(record.find(record.node(id).game, &record.path_of(id)), Some(id));
        if let Ok(found) = sgf::position(&record, id) {
            let _ = found.position.board();
        }
        if let Ok(edits) = sgf::set_property(&record, id, "SBKV", &[NewValue::text("50")]) {
            let edited = Record::parse(apply_cleanly(&text, &edits));
            assert_eq!(edited.node_count(), record.node_count());
        }
    }
});

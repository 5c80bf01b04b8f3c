use crate::sgf::{self, Finding, Record, Span, TextEdit, apply_edits};

/// The span is a piece of the text: inside it, and not inside a character.
pub fn is_piece(text: &str, span: Span) {
    assert!(span.start <= span.end && text.get(span.range()).is_some(), "{span:?} of {text:?}");
}

/// The edits are sorted, do not overlap, and each replaces a piece of the text.
pub fn apply_cleanly(text: &str, edits: &[TextEdit]) -> String {
    edits.iter().for_each(|edit| is_piece(text, edit.span));
    let apart = edits.windows(2).all(|pair| pair[0].span.end <= pair[1].span.start);
    assert!(apart, "{edits:?} of {text:?}");
    apply_edits(text, edits)
}

/// Findings are about pieces of the text, in their order, and their fixes change it; so do all safe
/// ones at once. The text is the record's.
pub fn are_sound(record: &Record, findings: &[Finding]) {
    let text = record.text();
    let own = findings.iter().filter(|finding| finding.code != sgf::Code::MoreFindings);
    assert!(own.map(|finding| finding.span.start).is_sorted(), "{findings:?}");
    for finding in findings {
        is_piece(text, finding.span);
        finding.related.iter().for_each(|related| is_piece(text, related.span));
        if let Some(fix) = &finding.fix {
            assert_ne!(apply_cleanly(text, &fix.edits), text, "{finding:?}");
        }
    }
    let bulk = sgf::bulk_edits(findings);
    let safe = findings.iter().any(|finding| finding.fix.as_ref().is_some_and(|fix| fix.safe));
    assert_eq!(bulk.is_empty(), !safe);
    apply_cleanly(text, &bulk);
}

/// What a record says: for each node its parent, its names and its values as they are written.
pub fn said(record: &Record) -> Vec<(Option<sgf::NodeId>, Vec<(&str, Vec<&str>)>)> {
    let nodes = (0..record.node_count() as u32).map(sgf::NodeId);
    nodes
        .map(|node| {
            let properties = record.properties(node).map(|property| {
                (property.written_ident(), property.values().map(|value| value.raw()).collect())
            });
            (record.parent(node), properties.collect())
        })
        .collect()
}

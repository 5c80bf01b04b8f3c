//! Ranges of a text that belong together: folds, selections, highlights, definitions, links.

use tower_lsp::ls_types::{
    DocumentHighlight, DocumentHighlightKind, DocumentLink, FoldingRange, FoldingRangeKind,
    GotoDefinitionResponse, Location, LocationLink, SelectionRange, Uri,
};

use super::text::Text;
use crate::language::{self, Content, FoldKind, LinkTarget, UseKind};
use crate::sgf::Record;

/// What can be folded away. Lines only: every editor takes those.
pub fn folding(text: &Text, content: &Content) -> Vec<FoldingRange> {
    let fold = |fold: language::Fold| {
        let range = text.range(fold.span);
        FoldingRange {
            start_line: range.start.line,
            start_character: Some(range.start.character),
            end_line: range.end.line,
            end_character: Some(range.end.character),
            kind: Some(if fold.kind == FoldKind::Comment {
                FoldingRangeKind::Comment
            } else {
                FoldingRangeKind::Region
            }),
            collapsed_text: None,
        }
    };
    content.folding().into_iter().map(fold).collect()
}

/// The most ranges of one growing selection: each is a value in a value, and readers of JSON take some 120 of them.
const MOST_GROWN: usize = 100;

/// Growing selections around each place; of very many ranges the innermost, and the whole text.
pub fn selections(text: &Text, content: &Content, offsets: &[u32]) -> Vec<SelectionRange> {
    let around = |offset: &u32| {
        let mut grown = content.selection(*offset);
        if grown.len() > MOST_GROWN {
            grown.drain(MOST_GROWN - 1..grown.len() - 1);
        }
        let outer = grown
            .into_iter()
            .rev()
            .fold(None, |parent, span| Some(Box::new(SelectionRange { range: text.range(span), parent })));
        outer.map_or_else(|| SelectionRange { range: Default::default(), parent: None }, |outer| *outer)
    };
    offsets.iter().map(around).collect()
}

/// What to highlight for the point at an offset.
pub fn highlights(text: &Text, content: &Content, offset: u32) -> Vec<DocumentHighlight> {
    let kind = |kind| match kind {
        UseKind::Move | UseKind::Setup | UseKind::Capture => DocumentHighlightKind::WRITE,
        UseKind::Captured => DocumentHighlightKind::READ,
        UseKind::Mark => DocumentHighlightKind::TEXT,
    };
    let found = content.highlight(offset).into_iter();
    found
        .map(|found| DocumentHighlight { range: text.range(found.span), kind: Some(kind(found.kind)) })
        .collect()
}

/// All moves and set-up at the point.
pub fn references(text: &Text, content: &Content, offset: u32) -> Vec<Location> {
    content.references(offset).into_iter().map(|found| text.location(found.span)).collect()
}

/// Where the thing at an offset comes from.
pub fn definition(
    text: &Text,
    content: &Content,
    offset: u32,
    links: bool,
) -> Option<GotoDefinitionResponse> {
    let targets = content.definition(offset);
    if targets.is_empty() {
        return None;
    }
    if !links {
        return Some(targets.iter().map(|target| text.location(target.selection)).collect::<Vec<_>>().into());
    }
    let link = |target: language::Target| LocationLink {
        origin_selection_range: None,
        target_uri: text.uri.clone(),
        target_range: text.range(target.span),
        target_selection_range: text.range(target.selection),
    };
    Some(targets.into_iter().map(link).collect::<Vec<_>>().into())
}

/// Addresses, and files beside this one.
pub fn links(text: &Text, record: &Record) -> Vec<DocumentLink> {
    let link = |link: language::Link| {
        let target: Option<Uri> = match link.target {
            LinkTarget::Url(url) => url.parse().ok(),
            LinkTarget::File(path) => beside(&text.uri, &path),
        };
        target.map(|target| DocumentLink {
            range: text.range(link.span),
            target: Some(target),
            tooltip: None,
            data: None,
        })
    };
    language::links(record).into_iter().filter_map(link).collect()
}

/// A file named relative to a text.
fn beside(text: &Uri, path: &str) -> Option<Uri> {
    let own = text.to_file_path()?;
    Uri::from_file_path(own.parent()?.join(path))
}

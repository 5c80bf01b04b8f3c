//! Changes of a record as the fewest replacements of its text.
//!
//! An edit never rewrites what it does not concern: other properties, order, white space,
//! point-list form and line ends keep their bytes.

use crate::go::{Color, Point, Vertex};

use super::lexer::is_space;
use super::record::{NONE, TreeData};
use super::value::{escape, escape_part, point_text, two_decimals};
use super::{NodeId, Property, Record, Span, TextEdit, apply_edits};

/// Why a record cannot be edited so.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The node is not in the record.
    #[error("the record has no such node")]
    UnknownNode,
    /// Not a name of a property: capital letters, then digits.
    #[error("{0:?} is not a property's name; names are capital letters")]
    BadIdent(String),
    /// A raw value that would end too early or never.
    #[error("the value {0:?} has a `]` without a backslash before it, or ends with a backslash")]
    BadValue(String),
    /// The place lies behind a value that is never closed.
    #[error("a value before this place is never closed; put its `]` first")]
    UnclosedValue,
    /// Too many or too few `)` around the place.
    #[error("the parentheses around this node do not fit; repair them first")]
    BrokenTree,
}

/// A value ready to be written between brackets: always closed by its own bracket only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewValue(String);

impl NewValue {
    /// A text. Line breaks are written as the document's.
    pub fn text(text: &str) -> NewValue {
        NewValue(escape(text))
    }

    /// Two texts with a colon between them.
    pub fn composed(first: &str, second: &str) -> NewValue {
        NewValue(format!("{}:{}", escape_part(first), escape_part(second)))
    }

    /// Text that is escaped already.
    pub fn raw(raw: &str) -> Result<NewValue, EditError> {
        let mut escaped = false;
        let ends_early = raw.bytes().any(|byte| {
            let end = byte == b']' && !escaped;
            escaped = byte == b'\\' && !escaped;
            end
        });
        if ends_early || escaped {
            return Err(EditError::BadValue(raw.chars().take(40).collect()));
        }
        Ok(NewValue(raw.to_owned()))
    }

    /// A point; `None` beyond 52 columns or rows.
    pub fn point(point: Point) -> Option<NewValue> {
        point_text(point).map(NewValue)
    }

    /// A move; a pass is written as the empty value.
    pub fn vertex(vertex: Vertex) -> Option<NewValue> {
        match vertex {
            Vertex::Pass => Some(NewValue(String::new())),
            Vertex::At(point) => NewValue::point(point),
        }
    }

    /// `B` or `W`.
    pub fn color(color: Color) -> NewValue {
        NewValue(color.letter().to_owned())
    }

    /// A number with at most two decimals; `None` when it is not finite.
    pub fn real(number: f64) -> Option<NewValue> {
        two_decimals(number).map(NewValue)
    }

    /// What stands between the brackets.
    pub fn as_raw(&self) -> &str {
        &self.0
    }
}

/// A property to write: its name and values.
pub type NewProperty<'a> = (&'a str, &'a [NewValue]);

impl Record {
    /// The line break of the document: its first one, `\n` when it has none.
    pub fn line_break(&self) -> &'static str {
        let bytes = self.text.as_bytes();
        match memchr::memchr2(b'\n', b'\r', bytes) {
            Some(at) if bytes[at] == b'\r' && bytes.get(at + 1) == Some(&b'\n') => "\r\n",
            Some(at) if bytes[at] == b'\r' => "\r",
            _ => "\n",
        }
    }

    fn written(&self, (ident, values): NewProperty<'_>) -> Result<String, EditError> {
        check_ident(ident)?;
        Ok(format!("{ident}{}", self.bracketed(values)))
    }

    fn bracketed(&self, values: &[NewValue]) -> String {
        let empty = [NewValue(String::new())];
        let values = if values.is_empty() { &empty } else { values };
        let line_break = self.line_break();
        values.iter().map(|value| format!("[{}]", with_line_breaks(&value.0, line_break))).collect()
    }
}

/// Any line break becomes the document's.
fn with_line_breaks(text: &str, line_break: &str) -> String {
    let unix = text.replace("\r\n", "\n").replace('\r', "\n");
    if line_break == "\n" { unix } else { unix.replace('\n', line_break) }
}

fn check_ident(ident: &str) -> Result<(), EditError> {
    let good = ident.starts_with(|letter: char| letter.is_ascii_uppercase())
        && ident.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    if good { Ok(()) } else { Err(EditError::BadIdent(ident.chars().take(40).collect())) }
}

/// Gives a node's property these values (none = one empty value). A property that is there
/// keeps its name as written and the values that stay; written twice, it becomes one; a new
/// one is put behind the others. No edits when nothing changes.
pub fn set_property(
    record: &Record,
    node: NodeId,
    ident: &str,
    values: &[NewValue],
) -> Result<Vec<TextEdit>, EditError> {
    check_ident(ident)?;
    record.data(node).ok_or(EditError::UnknownNode)?;
    let mut same = record.properties(node).filter(|property| property.is(ident));
    let Some(first) = same.next() else {
        let place = property_place(record, node);
        let edits = vec![TextEdit::insert(place, record.written((ident, values))?)];
        return proven(record, edits, |after| same_but_property(record, after, node, ident, Some(values)));
    };
    let mut edits = change_values(record, first, values)?;
    for again in same {
        edits.push(delete(record, node, again)?);
    }
    proven(record, edits, |after| same_but_property(record, after, node, ident, Some(values)))
}

/// Takes a property away, however often it is written. No edits when it is not there.
pub fn remove_property(record: &Record, node: NodeId, ident: &str) -> Result<Vec<TextEdit>, EditError> {
    record.data(node).ok_or(EditError::UnknownNode)?;
    let same = record.properties(node).filter(|property| property.is(ident));
    let edits = same.map(|property| delete(record, node, property)).collect::<Result<_, _>>()?;
    proven(record, edits, |after| same_but_property(record, after, node, ident, None))
}

/// A value that is never closed reaches to the end of the text: nothing can change in it.
fn check_whole(property: Property<'_>) -> Result<(), EditError> {
    if property.values().any(|value| !value.is_closed()) {
        return Err(EditError::UnclosedValue);
    }
    Ok(())
}

fn delete(record: &Record, node: NodeId, property: Property<'_>) -> Result<TextEdit, EditError> {
    check_whole(property)?;
    // A node without `;` starts with its first property, and would vanish with it.
    let starts_node = property.span().start == record.node(node).span.start;
    Ok(TextEdit::replace(property.span(), if starts_node { ";" } else { "" }))
}

/// The replacement of the values between the first and the last one that differ.
fn change_values(
    record: &Record,
    property: Property<'_>,
    values: &[NewValue],
) -> Result<Vec<TextEdit>, EditError> {
    check_whole(property)?;
    let empty = [NewValue(String::new())];
    let values = if values.is_empty() { &empty } else { values };
    let line_break = record.line_break();
    let wanted: Vec<String> = values.iter().map(|value| with_line_breaks(&value.0, line_break)).collect();
    let present: Vec<_> = property.values().collect();
    let head = present.iter().zip(&wanted).take_while(|(old, new)| old.raw() == new.as_str()).count();
    let tail = present[head..].iter().rev().zip(wanted[head..].iter().rev());
    let tail = tail.take_while(|(old, new)| old.raw() == new.as_str()).count();
    let old = &present[head..present.len() - tail];
    let new = &values[head..values.len() - tail];
    if old.is_empty() && new.is_empty() {
        return Ok(Vec::new());
    }
    if let ([old], [_]) = (old, new) {
        return Ok(vec![TextEdit::replace(old.raw_span(), wanted[head].clone())]);
    }
    let before = match head.checked_sub(1) {
        Some(last) => present[last].span().end,
        None => property.ident_span().end,
    };
    // White space between values that go, goes with them.
    let span = match (old.first(), old.last()) {
        (Some(_), Some(last)) if new.is_empty() => Span::new(before, last.span().end),
        (Some(first), Some(last)) => Span::new(first.span().start, last.span().end),
        _ => Span::at(before),
    };
    let text = if new.is_empty() { String::new() } else { record.bracketed(new) };
    Ok(vec![TextEdit::replace(span, text)])
}

/// Where a new property of a node goes: behind its last one that is whole, else right behind
/// its `;`.
fn property_place(record: &Record, node: NodeId) -> u32 {
    let whole = |property: &Property<'_>| property.values().next_back().is_some_and(|last| last.is_closed());
    match record.properties(node).rev().find(whole) {
        Some(last) => last.span().end,
        None => {
            let start = record.node(node).span.start;
            start + u32::from(has_semicolon(record, start))
        }
    }
}

pub(super) fn has_semicolon(record: &Record, node: u32) -> bool {
    record.text().as_bytes().get(node as usize) == Some(&b';')
}

/// Adds a node behind `parent`: its first child when it has none, else one more variation
/// behind the others. Where the only continuation stands without parentheses, it gets them.
///
/// # Errors
/// `UnknownNode`, `BadIdent`; `UnclosedValue` and `BrokenTree` where the text around is broken.
pub fn add_node(
    record: &Record,
    parent: NodeId,
    properties: &[NewProperty<'_>],
) -> Result<Vec<TextEdit>, EditError> {
    add_line(record, parent, &[properties])
}

/// Adds a line of nodes behind `parent` as [`add_node`] adds one. No edits for a line without nodes.
///
/// # Errors
/// Those of [`add_node`].
pub fn add_line(
    record: &Record,
    parent: NodeId,
    line: &[&[NewProperty<'_>]],
) -> Result<Vec<TextEdit>, EditError> {
    record.data(parent).ok_or(EditError::UnknownNode)?;
    if line.is_empty() {
        return Ok(Vec::new());
    }
    let mut node = String::new();
    for properties in line {
        node.push(';');
        for property in *properties {
            node.push_str(&record.written(*property)?);
        }
    }
    let span = record.node(parent).span;
    let Some(last) = record.children(parent).last() else {
        if record.properties(parent).any(|property| property.values().any(|value| !value.is_closed())) {
            return Err(EditError::UnclosedValue);
        }
        let node = format!("{}{node}", line_start(record, span.start));
        let edits = vec![TextEdit::insert(span.end, node)];
        return proven(record, edits, |after| same_but_new_line(record, after, parent, span.end, line.len()));
    };
    let child = record.node(last).span;
    let (own, around) = (tree_of(record, child.start)?, tree_of(record, span.start)?);
    let in_line = own == around;
    let (place, missing) = tree_end(record, own, in_line)?;
    let variation = format!("{}({node})", line_start(record, open_of(record, own, child.start, in_line)));
    let mut edits = Vec::new();
    if in_line {
        // A node without `;` would not make a tree.
        let open = if has_semicolon(record, child.start) { "(" } else { "(;" };
        edits.push(TextEdit::insert(child.start, open));
    }
    edits.push(TextEdit::insert(place, format!("{}{variation}", ")".repeat(missing))));
    proven(record, edits, |after| same_but_new_line(record, after, parent, place, line.len()))
}

/// In a record without syntax errors edits do what they say. In a broken one the text around
/// an edit may come to mean something else, so there the result is read before it is given.
pub(super) fn proven(
    record: &Record,
    edits: Vec<TextEdit>,
    holds: impl FnOnce(&Record) -> bool,
) -> Result<Vec<TextEdit>, EditError> {
    if record.findings().is_empty() || edits.is_empty() {
        return Ok(edits);
    }
    let after = Record::parse(apply_edits(record.text(), &edits));
    if holds(&after) { Ok(edits) } else { Err(EditError::BrokenTree) }
}

/// A node's properties, names and values as written, without those named `but`.
pub(super) fn content<'r>(record: &'r Record, node: NodeId, but: &str) -> Vec<(&'r str, Vec<&'r str>)> {
    let others = record.properties(node).filter(|property| !property.is(but));
    others
        .map(|property| (property.written_ident(), property.values().map(|value| value.raw()).collect()))
        .collect()
}

/// No property's name.
pub(super) const NO_IDENT: &str = "-";

/// Whether nothing but one property of one node differs, and has these values.
fn same_but_property(
    before: &Record,
    after: &Record,
    node: NodeId,
    ident: &str,
    values: Option<&[NewValue]>,
) -> bool {
    let written: String =
        after.values_of(node, ident).map(|value| value.span().slice(after.text())).collect();
    let wanted = values.map_or(String::new(), |values| before.bracketed(values));
    let same_node = |id: u32| {
        let id = NodeId(id);
        let but = if id == node { ident } else { NO_IDENT };
        before.parent(id) == after.parent(id) && content(before, id, but) == content(after, id, but)
    };
    written == wanted
        && before.node_count() == after.node_count()
        && (0..before.node_count() as u32).all(same_node)
}

/// Whether nothing but a new line of `count` nodes behind `parent` differs, written at `place` of the
/// text before.
fn same_but_new_line(before: &Record, after: &Record, parent: NodeId, place: u32, count: usize) -> bool {
    let new = before.nodes.partition_point(|node| node.start < place) as u32;
    let count = count as u32;
    let moved = |id: NodeId| NodeId(if id.0 >= new { id.0 + count } else { id.0 });
    let same_node = |id: u32| {
        let id = NodeId(id);
        before.parent(id).map(moved) == after.parent(moved(id))
            && content(before, id, NO_IDENT) == content(after, moved(id), NO_IDENT)
    };
    let before_it = |id: u32| if id == new { parent } else { NodeId(id - 1) };
    before.node_count() + count as usize == after.node_count()
        && (new..new + count).all(|id| after.parent(NodeId(id)) == Some(before_it(id)))
        && (0..before.node_count() as u32).all(same_node)
}

/// Where the sibling of a new variation starts.
fn open_of(record: &Record, tree: u32, child: u32, in_line: bool) -> u32 {
    match record.trees.get(tree as usize) {
        Some(tree) if !in_line => tree.open,
        _ => child,
    }
}

/// A line break when `offset` is the first thing in its line: what comes beside it gets a
/// line too.
fn line_start(record: &Record, offset: u32) -> &'static str {
    let before = record.text().get(..offset as usize).unwrap_or("");
    let before = before.trim_end_matches([' ', '\t']);
    if before.ends_with(['\n', '\r']) { record.line_break() } else { "" }
}

/// The innermost tree around the node that starts at `offset`.
pub(super) fn tree_of(record: &Record, offset: u32) -> Result<u32, EditError> {
    let behind = record.trees.partition_point(|tree| tree.open <= offset);
    let mut tree = behind.checked_sub(1).map_or(NONE, |last| last as u32);
    loop {
        match record.trees.get(tree as usize) {
            Some(TreeData { close, .. }) if *close != NONE && *close < offset => {
                tree = record.trees[tree as usize].parent;
            }
            Some(tree_data) if tree_data.is_opened(record.text()) => return Ok(tree),
            _ => return Err(EditError::BrokenTree),
        }
    }
}

/// Where a variation behind this tree goes, or behind the line in it; and how many `)` are
/// missing there.
pub(super) fn tree_end(record: &Record, tree: u32, in_line: bool) -> Result<(u32, usize), EditError> {
    let own = usize::from(in_line);
    let close = record.trees.get(tree as usize).ok_or(EditError::BrokenTree)?.close;
    let bytes = record.text().as_bytes();
    let trimmed = |mut end: usize| {
        while end > 0 && is_space(bytes[end - 1]) {
            end -= 1;
        }
        end as u32
    };
    if close != NONE {
        return Ok((if in_line { trimmed(close as usize) } else { close + 1 }, own));
    }
    if record.unclosed_value {
        return Err(EditError::UnclosedValue);
    }
    // Trees that are open at the end of the text lie in one another.
    let open = record.trees[tree as usize + 1..].iter().filter(|tree| tree.close == NONE);
    let end = trimmed(bytes.len());
    if open.clone().any(|tree| !tree.is_opened(record.text())) {
        return Err(EditError::BrokenTree);
    }
    Ok((end, open.count() + 1))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn raw(values: &[&str]) -> Vec<NewValue> {
        values.iter().map(|value| NewValue::raw(value).unwrap()).collect()
    }

    fn set(text: &str, node: u32, ident: &str, values: &[&str]) -> String {
        let record = Record::parse(text);
        apply_edits(text, &set_property(&record, NodeId(node), ident, &raw(values)).unwrap())
    }

    fn add(text: &str, parent: u32) -> String {
        let record = Record::parse(text);
        let edits = add_node(&record, NodeId(parent), &[("W", &raw(&["ee"]))]).unwrap();
        apply_edits(text, &edits)
    }

    #[test]
    fn properties_change_in_place() {
        let cases = [
            ("(;B[aa] ;W[bb])", 0, "(;B[aa]X[1] ;W[bb])"),
            ("(;)", 0, "(;X[1])"),
            ("(;B[aa]\n X [0]  C[x])", 0, "(;B[aa]\n X [1]  C[x])"),
            ("(;x[0]X[2]B[aa])", 0, "(;x[1]B[aa])"),
            ("(;XX)", 0, "(;X[1]XX)"),
            ("(;C[open", 0, "(;X[1]C[open"),
            ("(B[aa])", 0, "(B[aa]X[1])"),
            ("(;US[a[3d]]B[aa])", 0, "(;US[a[3d]]B[aa]X[1])"),
        ];
        for (before, node, after) in cases {
            assert_eq!(set(before, node, "X", &["1"]), after);
        }
    }

    #[test]
    fn only_values_that_differ_change() {
        let text = "(;AB [aa]\n[bb] [cc]\n[dd])";
        let edits = |values: &[&str]| {
            let record = Record::parse(text);
            let edits = set_property(&record, NodeId(0), "AB", &raw(values)).unwrap();
            edits
                .iter()
                .map(|edit| (edit.span.slice(text).to_owned(), edit.new_text.clone()))
                .collect::<Vec<_>>()
        };
        let pair = |old: &str, new: &str| vec![(old.to_owned(), new.to_owned())];
        assert_eq!(edits(&["aa", "bb", "cc", "dd"]), []);
        assert_eq!(edits(&["aa", "xx", "cc", "dd"]), pair("bb", "xx"));
        assert_eq!(edits(&["aa", "bb", "cc", "dd", "ee"]), pair("", "[ee]"));
        assert_eq!(edits(&["aa", "dd"]), pair("\n[bb] [cc]", ""));
        assert_eq!(edits(&["cc", "dd"]), pair(" [aa]\n[bb]", ""));
        assert_eq!(edits(&["aa", "x", "y", "dd"]), pair("[bb] [cc]", "[x][y]"));
        assert_eq!(edits(&[]), pair("[aa]\n[bb] [cc]\n[dd]", "[]"));
    }

    #[test]
    fn nodes_are_added_behind_what_is_there() {
        let cases = [
            ("(;B[aa])", 0, "(;B[aa];W[ee])"),
            ("(;B[aa]\n)", 0, "(;B[aa];W[ee]\n)"),
            ("(;SZ[9]\r\n;B[aa]\r\n)", 1, "(;SZ[9]\r\n;B[aa]\r\n;W[ee]\r\n)"),
            ("(;B[aa];W[bb];B[cc])", 0, "(;B[aa](;W[bb];B[cc])(;W[ee]))"),
            ("(;SZ[9]\n;B[aa]\n;W[bb]\n)\n", 0, "(;SZ[9]\n(;B[aa]\n;W[bb])\n(;W[ee])\n)\n"),
            ("(;B[aa](;W[bb])(;W[cc]))", 0, "(;B[aa](;W[bb])(;W[cc])(;W[ee]))"),
            ("(;B[aa]\n(;W[bb])\n(;W[cc])\n)", 0, "(;B[aa]\n(;W[bb])\n(;W[cc])\n(;W[ee])\n)"),
            ("(;B[aa];W[bb](;B[cc])(;B[dd]))", 0, "(;B[aa](;W[bb](;B[cc])(;B[dd]))(;W[ee]))"),
            ("(;B[aa](;W[bb]);W[cc])", 0, "(;B[aa](;W[bb])(;W[cc])(;W[ee]))"),
            ("(;B[aa](;W[bb](;B[cc]", 0, "(;B[aa](;W[bb](;B[cc]))(;W[ee])"),
            ("(;B[aa];W[bb](;B[cc]", 0, "(;B[aa](;W[bb](;B[cc]))(;W[ee])"),
            ("(;B[aa]) (;B[bb])", 1, "(;B[aa]) (;B[bb];W[ee])"),
        ];
        for (before, parent, after) in cases {
            assert_eq!(add(before, parent), after);
        }
    }

    #[test]
    fn a_line_is_added_in_one_piece() {
        let add = |text: &str, parent, moves: &[&str]| {
            let values: Vec<Vec<NewValue>> = moves.iter().map(|at| raw(&[at])).collect();
            let nodes: Vec<[NewProperty<'_>; 1]> = values.iter().map(|value| [("W", &value[..])]).collect();
            let line: Vec<&[NewProperty<'_>]> = nodes.iter().map(|node| &node[..]).collect();
            add_line(&Record::parse(text), NodeId(parent), &line).map(|edits| apply_edits(text, &edits))
        };
        let cases = [
            ("(;B[aa])", 0, "(;B[aa];W[ee];W[ff])"),
            ("(;B[aa];W[bb];B[cc])", 0, "(;B[aa](;W[bb];B[cc])(;W[ee];W[ff]))"),
            // Broken, so the result is read before it is given.
            ("(;B[aa](;W[bb](;B[cc]", 0, "(;B[aa](;W[bb](;B[cc]))(;W[ee];W[ff])"),
            ("(;B[aa],;W[bb])", 1, "(;B[aa],;W[bb];W[ee];W[ff])"),
        ];
        for (before, parent, after) in cases {
            assert_eq!(add(before, parent, &["ee", "ff"]).as_deref(), Ok(after));
            assert_eq!(add(before, parent, &[]).as_deref(), Ok(before));
        }
        assert_eq!(add("(;B[aa]);W[bb]", 0, &["ee", "ff"]), Err(EditError::BrokenTree));
    }

    #[test]
    fn what_cannot_be_done_is_told() {
        let refused = |text: &str, parent| add_node(&Record::parse(text), NodeId(parent), &[]).unwrap_err();
        assert_eq!(refused("(;C[open", 0), EditError::UnclosedValue);
        assert_eq!(refused("(;B[aa];C[open", 0), EditError::UnclosedValue);
        assert_eq!(refused("(;B[aa]);W[bb]", 0), EditError::BrokenTree);
        assert_eq!(refused("(;)", 1), EditError::UnknownNode);
        let record = Record::parse("(;)");
        for ident in ["", "b", "B b", "1", "B["] {
            let error = set_property(&record, NodeId(0), ident, &[]).unwrap_err();
            assert_eq!(error, EditError::BadIdent(ident.to_owned()));
        }
        for bad in ["]", "a]b", "\\", "\\\\]", "x\\\\\\"] {
            assert_eq!(NewValue::raw(bad), Err(EditError::BadValue(bad.to_owned())));
        }
    }

    #[test]
    fn line_breaks_of_values_are_the_documents() {
        let record = Record::parse("(;GM[1]\r\n)");
        let edits = set_property(&record, NodeId(0), "C", &[NewValue::text("a]\nb\r\nc:\\")]).unwrap();
        assert_eq!(edits[0].new_text, "C[a\\]\r\nb\r\nc:\\\\]");
    }

    #[derive(Debug, Clone, PartialEq)]
    struct Tree {
        properties: Vec<(String, Vec<String>)>,
        children: Vec<Tree>,
    }

    /// The tree of a record; `at` collects the way to each node.
    fn tree(record: &Record, node: NodeId) -> Tree {
        let property = |property: Property<'_>| {
            (property.ident().into_owned(), property.values().map(|value| value.raw().to_owned()).collect())
        };
        Tree {
            properties: record.properties(node).map(property).collect(),
            children: record.children(node).map(|child| tree(record, child)).collect(),
        }
    }

    fn trees(record: &Record) -> Vec<Tree> {
        record.games().map(|game| tree(record, game.root)).collect()
    }

    /// The node of the model that stands where `node` stands.
    fn model_node<'m>(record: &Record, model: &'m mut [Tree], node: NodeId) -> &'m mut Tree {
        let mut place = &mut model[record.node(node).game];
        for step in record.path_of(node).steps() {
            for _ in 0..step.times {
                place = &mut place.children[step.child as usize];
            }
        }
        place
    }

    const CLEAN: &str = "(\\(;|\\)|;B\\[aa\\]|;| |\n|C\\[x\\]|C\\[y\\]\n\\[z\\]|AB\\[bb\\]){0,25}";
    const BROKEN: &str = "(\\(;|\\)|\\(|;B\\[aa\\]|;|C|C\\[x\\]|\\[y\\]|cD\\[z\\]|\\]|,|\n){0,25}";

    fn check(text: &str, pick: usize, values: &[&str]) -> Result<(), TestCaseError> {
        let record = Record::parse(text);
        if record.node_count() == 0 {
            return Ok(());
        }
        let node = NodeId((pick % record.node_count()) as u32);
        let values = raw(values);
        let written: Vec<String> = values.iter().map(|value| value.as_raw().to_owned()).collect();
        let written = if written.is_empty() { vec![String::new()] } else { written };

        if let Ok(edits) = set_property(&record, node, "C", &values) {
            let mut model = trees(&record);
            let properties = &mut model_node(&record, &mut model, node).properties;
            match properties.iter().position(|(ident, _)| ident == "C") {
                Some(at) => {
                    properties[at].1 = written.clone();
                    let mut index = 0;
                    properties.retain(|(ident, _)| (ident != "C" || index <= at, index += 1).0);
                    let again = set_property(&Record::parse(apply_edits(text, &edits)), node, "C", &values);
                    prop_assert_eq!(again, Ok(Vec::new()));
                }
                None => {
                    let whole = record
                        .properties(node)
                        .rposition(|p| p.values().next_back().is_some_and(|v| v.is_closed()));
                    properties.insert(whole.map_or(0, |at| at + 1), ("C".to_owned(), written.clone()));
                }
            }
            let after = apply_edits(text, &edits);
            prop_assert_eq!(trees(&Record::parse(after.as_str())), model, "set: {:?}", after);
        }
        if let Ok(edits) = remove_property(&record, node, "C") {
            let mut model = trees(&record);
            model_node(&record, &mut model, node).properties.retain(|(ident, _)| ident != "C");
            let after = apply_edits(text, &edits);
            prop_assert_eq!(trees(&Record::parse(after.as_str())), model, "remove: {:?}", after);
        }
        if let Ok(edits) = add_node(&record, node, &[("C", &values)]) {
            let mut model = trees(&record);
            let new = Tree { properties: vec![("C".to_owned(), written)], children: Vec::new() };
            model_node(&record, &mut model, node).children.push(new);
            let after = apply_edits(text, &edits);
            prop_assert_eq!(trees(&Record::parse(after.as_str())), model, "add: {:?}", after);
        }
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        #[test]
        fn an_edited_clean_record_is_the_edited_tree(text in CLEAN, pick in any::<usize>(), two in any::<bool>()) {
            let text = format!("(;{text}");
            check(&text, pick, if two { &["x", "q"] } else { &["x"] })?;
        }

        #[test]
        fn an_edited_broken_record_is_the_edited_tree(text in BROKEN, pick in any::<usize>()) {
            check(&text, pick, &[])?;
        }
    }
}

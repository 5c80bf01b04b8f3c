//! Changes of a game in its text. Each is proved: what the text says after it is read again, and is what
//! was wanted.

use std::collections::HashMap;

use super::pgn::EditError;
use super::{Form, Game, NodeId, Outcome, Record, dhtmlxq, pgn};
use crate::text::{Severity, Span, TextEdit, apply_edits};
use crate::xiangqi::Move;

/// A change of a text: the edits, and the node it is about, as it is called after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Edits of the whole text; none when it says so already.
    pub edits: Vec<TextEdit>,
    /// The node of the game.
    pub node: NodeId,
}

impl Game<'_> {
    /// Adds a move behind a node, as the main line where none goes on, else as the last variation; in the
    /// notation of the game. A move that is there already is the answer.
    ///
    /// # Errors
    /// [`EditError::Illegal`], [`EditError::UnknownNode`], [`EditError::NoStart`]; [`EditError::Unsafe`]
    /// where the text around is broken.
    pub fn add_move(&self, parent: NodeId, played: Move) -> Result<Change, EditError> {
        let mut wanted = self.record.clone();
        let count = wanted.node_count();
        let node = match wanted.add(parent, played) {
            Ok(node) => node,
            Err(Some(why)) => return Err(EditError::Illegal(why)),
            Err(None) if self.record.start().is_none() => return Err(EditError::NoStart),
            Err(None) => return Err(EditError::UnknownNode),
        };
        if wanted.node_count() == count {
            return Ok(Change { edits: Vec::new(), node });
        }
        let edits = match self.form {
            Form::Pgn => {
                pgn::add_move(self.record, self.text, parent, played, pgn::style_of(self.record, self.text))
                    .map(|edit| vec![edit])
            }
            Form::DhtmlXq => dhtmlxq::add_move(self.record, self.text, parent, played),
        };
        let path = wanted.path_of(node);
        self.proved_or_rewritten(edits, &wanted, |after| after.find(path.iter().copied()))
    }

    /// Sets the comment on a node; an empty one is taken away.
    ///
    /// # Errors
    /// [`EditError::UnknownNode`], [`EditError::BadText`]; [`EditError::Unsafe`].
    pub fn set_comment(&self, id: NodeId, comment: &str) -> Result<Change, EditError> {
        let mut wanted = self.record.clone();
        let comment = super::tree::trim(comment).replace("\r\n", "\n").replace('\r', "\n");
        wanted.set_comment(id, comment.as_str());
        let edits = match self.form {
            Form::Pgn if comment.is_empty() => pgn::remove_comment(self.record, id),
            Form::Pgn => pgn::set_comment(self.record, id, &self.lines(comment)),
            Form::DhtmlXq => dhtmlxq::set_comment(self.record, self.text, id, &comment),
        };
        self.proved(edits?, &wanted, |_| Some(id))
    }

    /// Sets a tag, or takes it away.
    ///
    /// # Errors
    /// [`EditError::BadName`], [`EditError::BadText`]; [`EditError::Unsafe`].
    pub fn set_tag(&self, name: &str, value: Option<&str>) -> Result<Change, EditError> {
        let mut wanted = self.record.clone();
        let edits = match (self.form, value) {
            (_, None) => {
                wanted.remove_tag(name);
                self.without_tag(name)
            }
            (Form::Pgn, Some(value)) => {
                wanted.set_tag(name, value);
                vec![pgn::set_tag(self.record, name, value)?]
            }
            (Form::DhtmlXq, Some(value)) => {
                let outcome = Outcome::parse(value).filter(|_| name == "Result");
                wanted.set_tag(
                    name,
                    outcome.map_or_else(|| value.to_owned(), |outcome| outcome.to_pgn().to_owned()),
                );
                dhtmlxq::set_tag(self.record, self.text, name, value)?
            }
        };
        self.proved(edits, &wanted, |_| Some(NodeId::ROOT))
    }

    /// A tag and the line that it fills.
    fn without_tag(&self, name: &str) -> Vec<TextEdit> {
        let tags = self.record.tags().iter().filter(|tag| tag.name == name && tag.span.start > 0);
        let (open, close) = match self.form {
            Form::Pgn => ("[", "]"),
            Form::DhtmlXq => ("[DhtmlXQ_", "]"),
        };
        let edit = |span: Span| {
            let start = self.text.get(..span.start as usize)?.rfind(open)?;
            let behind = self.text.get(span.end as usize..)?;
            let end = span.end as usize + behind.find(close)? + 1;
            let rest = self.text.get(end..)?;
            let line = if rest.starts_with("\r\n") { 2 } else { usize::from(rest.starts_with('\n')) };
            Some(TextEdit::replace(Span::new(start as u32, (end + line) as u32), ""))
        };
        tags.filter_map(|tag| edit(tag.span)).collect()
    }

    /// Takes a node and all behind it away; the answer is the node before it.
    ///
    /// # Errors
    /// [`EditError::UnknownNode`], also for the start; [`EditError::Unsafe`] where the text says more than
    /// could be read.
    pub fn remove(&self, id: NodeId) -> Result<Change, EditError> {
        let parent = self.record.parent(id).ok_or(EditError::UnknownNode)?;
        let path = self.record.path_of(parent);
        let wanted = rebuilt(self.record, |node, _| node != id);
        let edits = match self.form {
            Form::Pgn => pgn::remove(self.record, self.text, id),
            Form::DhtmlXq => Err(EditError::Unsafe),
        };
        self.proved_or_rewritten(edits, &wanted, |after| after.find(path.iter().copied()))
    }

    /// Makes the line to a node the main one; the variations that stood before it come behind it.
    ///
    /// # Errors
    /// As [`Game::remove`].
    pub fn promote(&self, id: NodeId) -> Result<Change, EditError> {
        self.record.node(id).ok_or(EditError::UnknownNode)?;
        let path = self.record.path_of(id);
        if path.iter().all(|(child, _)| *child == 0) {
            return Ok(Change { edits: Vec::new(), node: id });
        }
        let line: std::collections::HashSet<NodeId> =
            std::iter::successors(Some(id), |node| self.record.parent(*node)).collect();
        let wanted = rebuilt(self.record, |node, children| {
            children.sort_by_key(|child| !line.contains(child));
            let _ = node;
            true
        });
        let depth = path.iter().map(|(_, times)| times).sum();
        self.rewritten(&wanted, |after| after.find([(0, depth)]))
    }

    /// A text with the line breaks of the game.
    fn lines(&self, text: String) -> String {
        if self.text.contains("\r\n") { text.replace('\n', "\r\n") } else { text }
    }

    fn proved(
        &self,
        edits: Vec<TextEdit>,
        wanted: &Record,
        node: impl FnOnce(&Record) -> Option<NodeId>,
    ) -> Result<Change, EditError> {
        let text = apply_edits(self.text, &edits);
        let mut games = match self.form {
            Form::Pgn => pgn::read(&text),
            Form::DhtmlXq => dhtmlxq::read(&text),
        };
        let after = games.pop().filter(|after| games.is_empty() && same(after, wanted));
        let node = after.as_ref().and_then(node).ok_or(EditError::Unsafe)?;
        Ok(Change { edits: self.edits(edits), node })
    }

    fn proved_or_rewritten(
        &self,
        edits: Result<Vec<TextEdit>, EditError>,
        wanted: &Record,
        node: impl Fn(&Record) -> Option<NodeId>,
    ) -> Result<Change, EditError> {
        let proved = edits.and_then(|edits| self.proved(edits, wanted, &node));
        proved.or_else(|error| self.rewritten(wanted, node).map_err(|_| error))
    }

    /// The moves of the game written anew, where all that the text says is in the record.
    fn rewritten(
        &self,
        wanted: &Record,
        node: impl FnOnce(&Record) -> Option<NodeId>,
    ) -> Result<Change, EditError> {
        let broken = self.record.findings().iter().any(|found| found.severity == Severity::Error);
        if broken || !self.record.unread().is_empty() {
            return Err(EditError::Unsafe);
        }
        let (span, new) = match self.form {
            Form::Pgn => pgn::moves_anew(self.record, self.text, wanted).ok_or(EditError::Unsafe)?,
            Form::DhtmlXq => dhtmlxq::anew(self.record, self.text, wanted),
        };
        self.proved(vec![smallest(self.text, span, &new)], wanted, node)
    }
}

/// A replacement without what stays at both ends.
fn smallest(text: &str, span: Span, new: &str) -> TextEdit {
    let old = span.slice(text);
    let pairs = || old.char_indices().zip(new.chars());
    let head = pairs().find(|((_, a), b)| a != b).map_or(old.len().min(new.len()), |((at, _), _)| at);
    let (old, new) = (&old[head..], &new[head..]);
    let tail: usize =
        old.chars().rev().zip(new.chars().rev()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
    let start = span.start + head as u32;
    TextEdit::replace(Span::new(start, span.end - tail as u32), &new[..new.len() - tail])
}

/// The same record with other children. `keep` is asked of each node, with the children to be kept in the
/// order that it gives them.
fn rebuilt(record: &Record, keep: impl Fn(NodeId, &mut Vec<NodeId>) -> bool) -> Record {
    let mut new = record.clone();
    new.clear_moves();
    let mut known: HashMap<NodeId, NodeId> = HashMap::from([(NodeId::ROOT, NodeId::ROOT)]);
    let mut waiting = vec![NodeId::ROOT];
    while let Some(id) = waiting.pop() {
        let mut children: Vec<NodeId> = record.children(id).collect();
        if !keep(id, &mut children) {
            continue;
        }
        if let (Some(parent), Some(node)) = (record.parent(id), record.node(id))
            && let (Some(parent), Some(played)) = (known.get(&parent), node.played)
            && let Some(copy) = new.push(*parent, played, Span::at(0))
        {
            new.copy_words(copy, node);
            known.insert(id, copy);
        }
        waiting.extend(children.into_iter().rev());
    }
    new
}

/// Whether two records say the same: tags, moves and their order, comments, glyphs, result.
fn same(one: &Record, other: &Record) -> bool {
    let tags = |record: &Record| -> Vec<(String, String)> {
        record.tags().iter().map(|tag| (tag.name.clone(), tag.value.clone())).collect()
    };
    if one.node_count() != other.node_count()
        || one.start() != other.start()
        || tags(one) != tags(other)
        || one.outcome() != other.outcome()
    {
        return false;
    }
    let mut waiting = vec![(NodeId::ROOT, NodeId::ROOT)];
    while let Some((a, b)) = waiting.pop() {
        let (Some(left), Some(right)) = (one.node(a), other.node(b)) else { return false };
        let words = left.comment == right.comment && left.nags == right.nags;
        let (mut children, mut others) = (one.children(a), other.children(b));
        if left.played != right.played || !words {
            return false;
        }
        loop {
            match (children.next(), others.next()) {
                (Some(a), Some(b)) => waiting.push((a, b)),
                (None, None) => break,
                _ => return false,
            }
        }
    }
    true
}

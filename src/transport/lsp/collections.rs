//! Collections taken apart into files, and put together of open records.

use std::collections::HashMap;
use std::sync::Arc;

use tower_lsp::ls_types::{
    CodeActionKind, CreateFile, CreateFileOptions, DocumentChangeOperation, DocumentChanges, OneOf,
    OptionalVersionedTextDocumentIdentifier, Range, ResourceOp, TextDocumentEdit, TextEdit, Uri,
    WorkspaceEdit,
};

use super::actions::Wish;
use super::text::Text;
use crate::language::actions;
use crate::locale::Locale;
use crate::service::documents::Document;
use crate::sgf::Record;

/// The most files that a collection is taken apart into.
const MAX_FILES: usize = 1000;

/// The most bytes of a change that is worked out before the user has chosen it.
const MAX_EARLY: usize = 256 << 10;

/// A change of files that is offered.
pub struct FileOffer {
    /// Which.
    pub name: &'static str,
    /// What a menu says.
    pub title: String,
    /// The sort.
    pub kind: CodeActionKind,
}

/// What can be done with the record as a collection.
pub fn offers(text: &Text, record: &Record, wish: &Wish) -> Vec<FileOffer> {
    let mut found = Vec::new();
    let games = record.games().len();
    let fits = |bytes: usize| wish.later || bytes <= MAX_EARLY;
    let stem = stem(text.uri.as_str());
    if wish.creates && (2..=MAX_FILES).contains(&games) && stem.is_some() && fits(record.text().len()) {
        let title = text.locale.pick("Copy each game into a file of its own", "将每局复制为单独文件");
        found.push(FileOffer {
            name: "split",
            title: title.to_owned(),
            kind: CodeActionKind::REFACTOR_EXTRACT,
        });
    }
    let bytes: usize = wish.others.iter().map(|other| other.text.len()).sum();
    if !wish.others.is_empty() && fits(bytes) {
        let count = wish.others.len();
        let title = match text.locale {
            Locale::English => format!("Add the games of the other open records ({count})"),
            Locale::Chinese => format!("并入其他 {count} 份已打开棋谱中的棋局"),
        };
        found.push(FileOffer { name: "merge", title, kind: CodeActionKind::REFACTOR_INLINE });
    }
    found
}

/// The change behind an offer.
///
/// # Errors
/// A sentence.
pub fn edit(
    text: &Text,
    record: &Record,
    name: &str,
    others: &[Arc<Document>],
) -> Result<WorkspaceEdit, String> {
    match name {
        "split" => split(text, record),
        "merge" => {
            let others: Result<Vec<&Record>, _> = others.iter().map(|other| other.record()).collect();
            let others = others.map_err(|error| error.message)?;
            let edits = actions::append(record, &others).map_err(|error| error.to_string())?;
            Ok(text.workspace_edit(edits))
        }
        _ => Err("there is no such action".to_owned()),
    }
}

/// New files beside the text's, one a game; the text itself stays. Files that are there already make the editor refuse.
fn split(text: &Text, record: &Record) -> Result<WorkspaceEdit, String> {
    let (stem, end) = stem(text.uri.as_str()).ok_or("the text has no file name")?;
    let games = actions::split(record);
    let digits = games.len().to_string().len();
    let mut operations = Vec::new();
    for (index, game) in games.into_iter().enumerate() {
        let uri: Uri =
            format!("{stem}-{:0digits$}{end}", index + 1).parse().map_err(|_| "a bad file name")?;
        let options = CreateFileOptions { overwrite: Some(false), ignore_if_exists: Some(false) };
        operations.push(DocumentChangeOperation::Op(ResourceOp::Create(CreateFile {
            uri: uri.clone(),
            options: Some(options),
            annotation_id: None,
        })));
        let whole =
            TextEdit { range: Range::default(), new_text: game.trim_end().to_owned() + record.line_break() };
        operations.push(DocumentChangeOperation::Edit(TextDocumentEdit {
            text_document: OptionalVersionedTextDocumentIdentifier { uri, version: None },
            edits: vec![OneOf::Left(whole)],
        }));
    }
    Ok(WorkspaceEdit {
        document_changes: Some(DocumentChanges::Operations(operations)),
        changes: None::<HashMap<_, _>>,
        ..WorkspaceEdit::default()
    })
}

/// A URI without and with the end of its file name.
fn stem(uri: &str) -> Option<(&str, &str)> {
    let name = uri.rfind('/').map_or(0, |slash| slash + 1);
    let dot = uri.get(name..)?.rfind('.').map_or(uri.len(), |dot| name + dot);
    (dot > name).then(|| uri.split_at(dot))
}

//! Leaves out of answers what the editor cannot take.

use tower_lsp::ls_types::{
    CodeAction, CodeActionOrCommand, Diagnostic, DocumentChanges, DocumentDiagnosticReport,
    DocumentDiagnosticReportResult, OneOf, OptionalVersionedTextDocumentIdentifier, TextDocumentEdit, Uri,
    WorkspaceEdit,
};

use super::abilities::Abilities;

/// Findings, sent or asked for.
pub fn diagnostics(found: &mut [Diagnostic], abilities: &Abilities) {
    if !abilities.related_findings {
        found.iter_mut().for_each(|diagnostic| diagnostic.related_information = None);
    }
}

/// The answer to an editor that asks for findings.
pub fn report(
    mut report: DocumentDiagnosticReportResult,
    abilities: &Abilities,
) -> DocumentDiagnosticReportResult {
    if let DocumentDiagnosticReportResult::Report(DocumentDiagnosticReport::Full(full)) = &mut report {
        diagnostics(&mut full.full_document_diagnostic_report.items, abilities);
    }
    report
}

/// What can be done at a place.
pub fn actions(
    mut offered: Vec<CodeActionOrCommand>,
    (uri, version): (&Uri, i32),
    abilities: &Abilities,
) -> Vec<CodeActionOrCommand> {
    for offer in &mut offered {
        if let CodeActionOrCommand::CodeAction(action) = offer {
            fit_action(action, (uri, version), abilities);
        }
    }
    offered
}

/// One that was chosen.
pub fn action(mut action: CodeAction, text: (&Uri, i32), abilities: &Abilities) -> CodeAction {
    fit_action(&mut action, text, abilities);
    action
}

fn fit_action(action: &mut CodeAction, text: (&Uri, i32), abilities: &Abilities) {
    if !abilities.preferred_actions {
        action.is_preferred = None;
    }
    if let Some(found) = &mut action.diagnostics {
        diagnostics(found, abilities);
    }
    if abilities.versioned_edits {
        action.edit = action.edit.take().map(|edit| versioned(edit, text));
    }
}

/// A change that is refused when the text has changed meanwhile.
fn versioned(edit: WorkspaceEdit, (uri, version): (&Uri, i32)) -> WorkspaceEdit {
    let WorkspaceEdit { changes: Some(changes), document_changes: None, change_annotations } = edit else {
        return edit;
    };
    let document = |(changed, edits): (Uri, Vec<_>)| TextDocumentEdit {
        text_document: OptionalVersionedTextDocumentIdentifier {
            version: (changed == *uri).then_some(version),
            uri: changed,
        },
        edits: edits.into_iter().map(OneOf::Left).collect(),
    };
    let documents = changes.into_iter().map(document).collect();
    WorkspaceEdit {
        changes: None,
        document_changes: Some(DocumentChanges::Edits(documents)),
        change_annotations,
    }
}

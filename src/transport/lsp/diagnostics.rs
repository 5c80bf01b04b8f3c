//! Findings as diagnostics: sent after a moment of quiet, or handed out when asked for.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokio::sync::Mutex;
use tower_lsp::Client;
use tower_lsp::ls_types::{
    CodeAction, CodeActionKind, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity,
    DocumentDiagnosticReport, DocumentDiagnosticReportResult, FullDocumentDiagnosticReport, NumberOrString,
    RelatedFullDocumentDiagnosticReport, RelatedUnchangedDocumentDiagnosticReport,
    UnchangedDocumentDiagnosticReport, Uri,
};

use super::abilities::Abilities;
use super::fit;
use super::text::Text;
use crate::service::session::Session;
use crate::sgf::{self, Finding, Record, Severity, Span};

/// While keys are pressed, findings wait for so long a quiet.
const QUIET: Duration = Duration::from_millis(100);

/// Sends findings of the texts of one editor.
#[derive(Clone)]
pub struct Publisher {
    session: Arc<Session>,
    client: Client,
    abilities: Arc<OnceLock<Arc<Abilities>>>,
    /// Held from the last look at a text until its findings are on their way, so that no older ones
    /// follow.
    turn: Arc<Mutex<()>>,
}

impl Publisher {
    /// For the texts of this session.
    pub fn new(session: Arc<Session>, client: Client, abilities: Arc<OnceLock<Arc<Abilities>>>) -> Publisher {
        Publisher { session, client, abilities, turn: Arc::default() }
    }

    /// The text is new or another: its findings follow, unless it changes again before.
    pub fn changed(&self, uri: Uri) {
        let publisher = self.clone();
        tokio::spawn(async move {
            let Some(text) = Text::open(&publisher.session, &uri) else { return };
            let document = text.document.clone();
            tokio::time::sleep(QUIET).await;
            let is_current = || {
                let now = publisher.session.documents.get(uri.as_str());
                now.is_some_and(|now| Arc::ptr_eq(&now, &document))
            };
            if !is_current() {
                return;
            }
            let Some(mut found) = text.work(diagnostics).await else { return };
            if let Some(abilities) = publisher.abilities.get() {
                fit::diagnostics(&mut found, abilities);
            }
            let _turn = publisher.turn.lock().await;
            if is_current() {
                publisher.client.publish_diagnostics(uri.clone(), found, Some(document.version)).await;
            }
        });
    }

    /// The text was closed: what was sent of it goes.
    pub fn closed(&self, uri: Uri) {
        let publisher = self.clone();
        tokio::spawn(async move {
            let _turn = publisher.turn.lock().await;
            if publisher.session.documents.get(uri.as_str()).is_none() {
                publisher.client.publish_diagnostics(uri, Vec::new(), None).await;
            }
        });
    }
}

/// All findings of a text.
pub fn diagnostics(text: &Text, record: &Record) -> Vec<Diagnostic> {
    text.findings(record).iter().map(|finding| diagnostic(text, finding)).collect()
}

/// The answer to an editor that asks for findings; short when it knows them already.
pub fn report(text: &Text, record: &Record, known: Option<&str>) -> DocumentDiagnosticReportResult {
    // A version has one text only while it is open; it may come again after closing.
    let result_id = format!("{}-{}", text.document.version, text.document.id);
    let report = if known == Some(&result_id) {
        DocumentDiagnosticReport::Unchanged(RelatedUnchangedDocumentDiagnosticReport {
            related_documents: None,
            unchanged_document_diagnostic_report: UnchangedDocumentDiagnosticReport { result_id },
        })
    } else {
        DocumentDiagnosticReport::Full(RelatedFullDocumentDiagnosticReport {
            related_documents: None,
            full_document_diagnostic_report: FullDocumentDiagnosticReport {
                result_id: Some(result_id),
                items: diagnostics(text, record),
            },
        })
    };
    report.into()
}

fn diagnostic(text: &Text, finding: &Finding) -> Diagnostic {
    let related = finding.related.iter().map(|related| DiagnosticRelatedInformation {
        location: text.location(related.span),
        message: related.words.get(text.locale).to_owned(),
    });
    let related: Vec<_> = related.collect();
    Diagnostic {
        range: text.range(finding.span),
        severity: Some(match finding.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
            Severity::Information => DiagnosticSeverity::INFORMATION,
            Severity::Hint => DiagnosticSeverity::HINT,
        }),
        code: Some(NumberOrString::String(finding.code.name().to_owned())),
        source: Some("kifud".to_owned()),
        message: finding.message.get(text.locale).to_owned(),
        related_information: (!related.is_empty()).then_some(related),
        ..Diagnostic::default()
    }
}

/// The fixes of what is found in a range, and one for all that may be fixed unseen; those of the
/// wanted kinds. An editor asks at each move of its cursor.
pub fn fixes(
    text: &Text,
    record: &Record,
    range: Span,
    wanted: impl Fn(&CodeActionKind) -> bool,
) -> Vec<CodeAction> {
    let findings = text.findings(record);
    let quick = wanted(&CodeActionKind::QUICKFIX);
    let here = findings.iter().filter(|finding| quick && finding.span.touches(range));
    let fix = |finding: &Finding| {
        let fix = finding.fix.as_ref()?;
        Some(CodeAction {
            title: fix.title.get(text.locale).to_owned(),
            kind: Some(CodeActionKind::QUICKFIX),
            diagnostics: Some(vec![diagnostic(text, finding)]),
            edit: Some(text.workspace_edit(fix.edits.clone())),
            is_preferred: Some(fix.safe),
            ..CodeAction::default()
        })
    };
    let mut actions: Vec<_> = here.filter_map(fix).collect();
    let all = match wanted(&CodeActionKind::SOURCE_FIX_ALL) {
        true => sgf::bulk_edits(findings),
        false => Vec::new(),
    };
    if !all.is_empty() {
        let title = match text.locale {
            crate::locale::Locale::English => "Fix all that can be fixed safely",
            crate::locale::Locale::Chinese => "修复所有可安全修复的问题",
        };
        actions.push(CodeAction {
            title: title.to_owned(),
            kind: Some(CodeActionKind::SOURCE_FIX_ALL),
            edit: Some(text.workspace_edit(all)),
            ..CodeAction::default()
        });
    }
    actions
}

//! Findings as diagnostics: sent after a moment of quiet, or handed out when asked for.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, OnceLock, PoisonError};
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
use super::text::{Judged, Text};
use crate::language::Content;
use crate::service::Service;
use crate::service::documents::Document;
use crate::service::session::Session;
use crate::sgf::{Code, Record};
use crate::text::{Finding, Levels, Severity, Span, bulk_edits};

/// While keys are pressed, findings wait for so long a quiet.
const QUIET: Duration = Duration::from_millis(100);

/// While a review runs, its news are collected for so long.
const COLLECTED: Duration = Duration::from_millis(500);

/// How long an editor may take to say that it will ask.
const ANSWER: Duration = Duration::from_secs(5);

/// Where to find what reviews say of texts.
#[derive(Clone)]
pub struct Reviewers {
    /// The settings of findings.
    pub service: Arc<Service>,
    /// The reviews.
    pub session: Arc<Session>,
}

impl Reviewers {
    /// Moves of a text that lost much.
    pub fn findings(&self, document: &Document, record: &Record, levels: &Levels) -> Arc<[Finding]> {
        self.session.reviews.findings(document, record, || {
            (self.service.settings_of(&self.session).blunders.clone(), levels.clone())
        })
    }
}

/// Sends findings of the texts of one editor.
#[derive(Clone)]
pub struct Publisher {
    service: Arc<Service>,
    session: Arc<Session>,
    client: Client,
    abilities: Arc<OnceLock<Arc<Abilities>>>,
    /// Held from the last look at a text until its findings are on their way, so that no older ones
    /// follow.
    turn: Arc<Mutex<()>>,
    /// The number of the last look at each text that is under way: what an earlier one finds is not sent, since
    /// reviews and settings may have changed meanwhile.
    looks: Arc<std::sync::Mutex<HashMap<Uri, u64>>>,
}

impl Publisher {
    /// For the texts of this session.
    pub fn new(
        service: Arc<Service>,
        session: Arc<Session>,
        client: Client,
        abilities: Arc<OnceLock<Arc<Abilities>>>,
    ) -> Publisher {
        Publisher { service, session, client, abilities, turn: Arc::default(), looks: Arc::default() }
    }

    /// Where its findings come from, beside the texts themselves.
    pub fn reviewers(&self) -> Reviewers {
        Reviewers { service: self.service.clone(), session: self.session.clone() }
    }

    /// Tells what running reviews find, until the session is over: by sending it, or to an editor that
    /// asks for findings by asking it to ask, where it can be asked.
    pub fn follow_reviews(&self, asks: bool, can_be_asked: bool) {
        let (session, publisher) = (self.session.clone(), self.clone());
        let mut news = session.reviews.news();
        tokio::spawn(async move {
            while news.changed().await.is_ok() {
                tokio::time::sleep(COLLECTED).await;
                if news.borrow_and_update().is_none() {
                    return;
                }
                let open = session.documents.all().into_iter().filter_map(|document| document.uri.clone());
                let reviewed: Vec<Uri> =
                    open.filter(|uri| session.reviews.know(uri)).filter_map(|uri| uri.parse().ok()).collect();
                match asks {
                    false => reviewed.into_iter().for_each(|uri| publisher.changed(uri)),
                    true if can_be_asked && !reviewed.is_empty() => {
                        let asked = publisher.client.workspace_diagnostic_refresh();
                        // An editor that does not answer is asked again with the next news.
                        let _ = tokio::time::timeout(ANSWER, asked).await;
                    }
                    true => {}
                }
            }
        });
    }

    /// The text is new or another: its findings follow, unless it changes again before.
    pub fn changed(&self, uri: Uri) {
        let publisher = self.clone();
        // The text of this moment: of many changes in one breath only the last one is current later.
        let Some(text) = Text::open(&self.session, &uri) else { return };
        let look = self.look(&uri);
        tokio::spawn(async move {
            let document = text.document.clone();
            tokio::time::sleep(QUIET).await;
            let is_current = || {
                let now = publisher.session.documents.get(uri.as_str());
                now.is_some_and(|now| Arc::ptr_eq(&now, &document))
                    && publisher.looks().get(&uri) == Some(&look)
            };
            if !is_current() {
                return;
            }
            let found = text.judge(publisher.reviewers(), |text, _, judged| diagnostics(text, judged));
            let Some(mut found) = found.await else { return };
            if let Some(abilities) = publisher.abilities.get() {
                fit::diagnostics(&mut found, abilities);
            }
            let _turn = publisher.turn.lock().await;
            if is_current() {
                publisher.client.publish_diagnostics(uri.clone(), found, Some(document.version)).await;
            }
        });
    }

    fn looks(&self) -> std::sync::MutexGuard<'_, HashMap<Uri, u64>> {
        self.looks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins another look at a text.
    fn look(&self, uri: &Uri) -> u64 {
        let mut looks = self.looks();
        let look = looks.entry(uri.clone()).or_default();
        *look += 1;
        *look
    }

    /// The text was closed: what was sent of it goes.
    pub fn closed(&self, uri: Uri) {
        self.looks().remove(&uri);
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
fn diagnostics(text: &Text, judged: &Judged) -> Vec<Diagnostic> {
    judged.all().map(|finding| diagnostic(text, finding)).collect()
}

/// The same for the same verdicts of reviews; nothing when there are none.
fn mark(reviewed: &[Finding]) -> String {
    if reviewed.is_empty() {
        return String::new();
    }
    let mut hasher = DefaultHasher::new();
    for finding in reviewed {
        (finding.code, finding.severity, finding.span, &finding.message.en).hash(&mut hasher);
    }
    format!("-{:x}", hasher.finish())
}

/// The answer to an editor that asks for findings; short when it knows them already.
pub fn report(text: &Text, judged: &Judged, known: Option<&str>) -> DocumentDiagnosticReportResult {
    // A version has one text only while it is open; it may come again after closing.
    let (document, verdicts) = (&text.document, mark(&judged.reviewed));
    let result_id = format!("{}-{}-{}{verdicts}", document.version, document.id, judged.around.id);
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
                items: diagnostics(text, judged),
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
        code: Some(NumberOrString::String(finding.code.to_owned())),
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
    content: &Content,
    judged: &Judged,
    range: Span,
    wanted: impl Fn(&CodeActionKind) -> bool,
) -> Vec<CodeAction> {
    let findings = &judged.findings;
    let quick = wanted(&CodeActionKind::QUICKFIX);
    let here = judged.all().filter(|finding| quick && finding.span.touches(range));
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
        // There may be some behind those that are shown.
        true if findings.iter().any(|finding| finding.code == Code::MoreFindings.name()) => {
            bulk_edits(&content.safe_fixes(&text.document.check_options(&judged.around)))
        }
        true => bulk_edits(findings),
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

//! How other programs failed on records and in editors: every report of our collection, by its
//! number, as a test with the input and the expectation that the report names.
//!
//! The collection lies beside the checkout, or where `KIFUD_SHARED` says; the tests do not need it.

mod editor;
mod encoding;
mod engine;
mod semantics;
#[path = "../support/mod.rs"]
mod support;
mod syntax;
mod write;

use std::collections::BTreeSet;

use kifud::sgf::{
    CheckOptions, Code, Finding, Origin, Record, Severity, apply_edits, check, check_with,
    encoding as charsets,
};
use serde_json::{Value, json};
use support::Conversation;

/// A report's number and its tests.
type Report = (&'static str, &'static [fn()]);

/// Reports and their tests.
const TESTS: &[Report] = &[
    ("P01", &[syntax::p01_backslashes_before_a_bracket]),
    ("P03", &[syntax::p03_ranks_in_chat]),
    ("P04", &[syntax::p04_a_rank_that_is_not_escaped]),
    ("P06", &[syntax::p06_mail_header_and_long_names]),
    ("P07", &[syntax::p07_copyright_of_pandanet]),
    ("P09", &[syntax::p09_a_property_twice]),
    ("P10", &[syntax::p10_three_bytes]),
    ("P12", &[syntax::p12_a_large_joseki_dictionary]),
    ("P13", &[syntax::p13_text_by_the_book]),
    ("P15", &[syntax::p15_cut_off]),
    ("P16", &[syntax::p16_no_semicolon]),
    ("P18", &[syntax::p18_undo_as_a_branch]),
    ("P19", &[syntax::p19_doubled_brackets]),
    ("P21", &[syntax::p21_empty_komi]),
    ("P22", &[syntax::p22_every_finding_says_what_and_where]),
    ("P24", &[syntax::p24_a_bracket_in_a_comment]),
    ("E01", &[encoding::e01_short_files_without_a_charset]),
    ("E03", &[encoding::e03_the_charset_contradicts_the_bytes]),
    ("E04", &[encoding::e04_an_editor_s_text_is_unicode]),
    ("E06", &[encoding::e06_xqf_in_another_code_page]),
    ("E07", &[encoding::e07_a_bad_byte]),
    ("E09", &[encoding::e09_a_name_cut_in_the_middle]),
    ("S01", &[semantics::s01_who_moves]),
    ("S03", &[semantics::s03_passes_by_size]),
    ("S04", &[engine::s04_tt_is_told_as_a_pass]),
    ("S06", &[engine::s06_set_up_in_mid_game]),
    ("S07", &[semantics::s07_set_up_above_variations]),
    ("S09", &[engine::s09_a_diagram_without_moves]),
    ("S10", &[semantics::s10_the_fox_server_s_komi, engine::s10_the_engine_is_told_the_effective_komi]),
    ("S12", &[semantics::s12_no_komi, engine::s12_the_assumed_komi_is_said]),
    ("S13", &[engine::s13_handicap_stones_are_those_of_the_file]),
    ("S15", &[semantics::s15_white_after_a_handicap]),
    ("S16", &[semantics::s16_suicide]),
    ("S18", &[engine::s18_an_illegal_ko]),
    ("S19", &[semantics::s19_repetition]),
    ("S21", &[semantics::s21_large_boards]),
    ("S22", &[semantics::s22_every_point_of_every_size]),
    ("S24", &[semantics::s24_clocks]),
    ("W01", &[write::w01_brackets_are_escaped]),
    ("W03", &[write::w03_two_hundred_edits]),
    ("W04", &[write::w04_variations_keep_their_parentheses]),
    ("W06", &[write::w06_what_is_not_edited_stays]),
    ("W07", &[write::w07_set_up_is_edited_in_place]),
    ("W09", &[write::w09_what_is_written_loads_clean]),
    ("W13", &[write::w13_the_other_games_of_a_collection]),
    ("R01", &[editor::r01_it_ends_with_its_editor]),
    ("R02", &[editor::r02_the_editor_s_process_is_watched]),
    ("R04", &[editor::r04_shutdown_and_exit]),
    ("R05", &[editor::r05_shutdown_at_once]),
    ("R07", &[editor::r07_a_burst_of_changes]),
    ("R08", &[editor::r08_changes_one_after_the_other]),
    ("R10", &[editor::r10_columns_inside_characters]),
    ("R11", &[editor::r11_ranges_behind_chinese_and_emoji]),
    ("R13", &[editor::r13_line_ends_of_the_document]),
    ("R14", &[editor::r14_only_messages_on_stdout]),
    ("R16", &[editor::r16_lengths_are_bytes]),
    ("R17", &[editor::r17_one_answer_for_a_cancelled_request]),
    ("R19", &[editor::r19_one_file_among_many]),
];

/// Reports whose expectation is not met, and why it is not ours.
const NOT_MET: &[(&str, &str)] = &[
    (
        "W10",
        "TB and TW tell which stones the players agreed to be dead, and no engine tells kifud that: a game ends \
         with the count of an engine or of the area, as RE. Marks that are written are kept and shown.",
    ),
    (
        "W12",
        "Two games in one tree have one size and one komi, and their players stand at the node where they part, \
         where hardly any program looks for them. Games are put together as a collection, and none loses a byte: \
         `write::w12_games_are_put_together`.",
    ),
];

#[test]
fn every_report_has_its_test() {
    let known: Vec<&str> = TESTS.iter().map(|test| test.0).chain(NOT_MET.iter().map(|one| one.0)).collect();
    let set: BTreeSet<&str> = known.iter().copied().collect();
    assert_eq!(set.len(), known.len(), "each report once");
    assert!(NOT_MET.len() <= 5);
    let Some(file) = support::shared("reports.jsonl") else { return };
    let text = std::fs::read_to_string(file).unwrap();
    let reports: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let is_said = |report: &Value, field: &str| report[field].as_str().is_some_and(|text| !text.is_empty());
    let wanted: BTreeSet<&str> = reports
        .iter()
        .filter(|report| {
            let area = report["area"].as_str().unwrap();
            area.starts_with("sgf-") || area.starts_with("lsp-")
        })
        .filter(|report| is_said(report, "input") && is_said(report, "expected"))
        .map(|report| report["id"].as_str().unwrap())
        .collect();
    let without: Vec<_> = wanted.difference(&set).collect();
    let unknown: Vec<_> = set.difference(&wanted).collect();
    assert!(
        without.is_empty() && unknown.is_empty(),
        "without a test: {without:?}; not reported: {unknown:?}"
    );
}

/// Codes and places of all findings of a text, hints included: `code:text`.
fn found(text: &str) -> Vec<String> {
    let findings = check(&Record::parse(text));
    findings.iter().map(|finding| format!("{}:{}", finding.code, finding.span.slice(text))).collect()
}

/// The text after the fix of its first finding of this kind.
fn fixed(text: &str, code: Code) -> String {
    let findings = check(&Record::parse(text));
    let fix =
        findings.into_iter().find(|finding| finding.code == code).and_then(|finding| finding.fix).unwrap();
    apply_edits(text, &fix.edits)
}

fn is_clean(text: &str) -> bool {
    check(&Record::parse(text)).iter().all(|finding| finding.severity > Severity::Warning)
}

fn nodes(text: &str) -> usize {
    Record::parse(text).node_count()
}

/// A file as opened from the disk.
fn found_in_file(bytes: &[u8]) -> (Vec<Finding>, charsets::Decoded) {
    let decoded = charsets::decode(bytes, None);
    let record = Record::parse(decoded.text.as_str());
    let options = CheckOptions { origin: Origin::File(&decoded), ..CheckOptions::default() };
    (check_with(&record, &options), decoded)
}

/// An editor with one text open.
struct Editor {
    client: Conversation,
    text: String,
}

const URI: &str = "file:///reported.sgf";

impl Editor {
    fn open(text: &str) -> Editor {
        Editor::with(json!({"textDocument": {"diagnostic": {}}}), text)
    }

    fn with(capabilities: Value, text: &str) -> Editor {
        let mut editor = Editor {
            client: Conversation::lsp(&[], json!({"capabilities": capabilities})),
            text: text.to_owned(),
        };
        editor.client.notify(
            "textDocument/didOpen",
            json!({"textDocument": {"uri": URI, "languageId": "sgf", "version": 1, "text": text}}),
        );
        editor
    }

    fn findings(&mut self) -> Vec<Value> {
        let report = self.client.request("textDocument/diagnostic", json!({"textDocument": {"uri": URI}}));
        report["items"].as_array().unwrap().clone()
    }

    fn tree(&mut self) -> Value {
        self.client.request("record/tree", json!({"document": {"uri": URI}}))
    }

    /// The text of a range, columns in UTF-16.
    fn slice(&self, range: &Value) -> &str {
        &self.text[support::offset(&self.text, &range["start"])..support::offset(&self.text, &range["end"])]
    }

    /// The text after the only quick fix of this title's beginning at a finding.
    fn fixed(&mut self, finding: &Value) -> String {
        let actions = self.client.request(
            "textDocument/codeAction",
            json!({"textDocument": {"uri": URI}, "range": finding["range"],
                   "context": {"diagnostics": [finding], "only": ["quickfix"]}}),
        );
        let edits = actions[0]["edit"]["changes"][URI].clone();
        assert!(edits.is_array(), "a quick fix of {finding}: {actions}");
        support::apply(&self.text, &edits)
    }
}

//! The analysis parser over recorded sessions of real engines, against a plain reading of the
//! same lines by `split` and `str::parse`. The recordings lie beside the checkout or where
//! `KIFUD_SHARED` says; without them there is nothing to test.

use kifud::engine::gtp::analyze::{Dialect, Keep, Report, is_report_line, parse_line, parse_line_with};
use kifud::go::Size;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Sessions of KataGo with `gtpForceMaxNNSize` on a small board: it prints memory never filled.
const UNFILLED: [&str; 3] = ["kata_basic", "kata_own_force", "eigen_own"];

/// Recorded standard outputs by name; empty, and said so, when the folder is absent.
fn recordings() -> BTreeMap<String, Vec<u8>> {
    let shared = std::env::var_os("KIFUD_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    let folder = shared.join("engines/transcripts");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        eprintln!("SKIPPED: no recordings in {}", folder.display());
        return BTreeMap::new();
    };
    let mut found = BTreeMap::new();
    for path in entries.map(|entry| entry.unwrap().path()) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if let Some(name) = name.strip_suffix(".stdout") {
            found.insert(name.to_owned(), std::fs::read(&path).unwrap());
        } else if let Some(name) = name.strip_suffix(".stdout.gz") {
            match Command::new("gzip").arg("-dc").arg(&path).output() {
                Ok(output) => drop(found.insert(name.to_owned(), output.stdout)),
                Err(error) => eprintln!("SKIPPED: {name}: no gzip ({error})"),
            }
        }
    }
    found
}

fn reports(recording: &[u8]) -> impl Iterator<Item = &[u8]> {
    recording.split(|byte| *byte == b'\n').filter(|line| is_report_line(line))
}

/// KataGo prints a utility in its own dialect and for `analyze`; nobody else does here.
fn dialect(line: &str) -> Dialect {
    if line.contains(" utility ") { Dialect::Kata } else { Dialect::Lz }
}

/// The values printed behind each occurrence of a key, up to the first word that is no number.
fn arrays<'a>(line: &'a str, key: &'a str) -> impl Iterator<Item = Vec<f64>> + 'a {
    let tokens: Vec<&str> = line.split_whitespace().collect();
    let starts: Vec<usize> = (0..tokens.len()).filter(|index| tokens[*index] == key).collect();
    starts
        .into_iter()
        .map(move |start| tokens[start + 1..].iter().map_while(|token| token.parse().ok()).collect())
}

/// The board, told from the length of the ownership; any size that holds all vertices otherwise.
fn size(line: &str) -> Size {
    match arrays(line, "ownership").chain(arrays(line, "movesOwnership")).next().map(|values| values.len()) {
        Some(81) => Size::square(9).unwrap(),
        Some(91) => Size::new(13, 7).unwrap(),
        Some(361) | None => Size::STANDARD,
        Some(length) => panic!("ownership of {length} points"),
    }
}

fn numbers(line: &str, key: &str) -> Vec<f64> {
    arrays(line, key).map(|values| values[0]).collect()
}

fn assert_equals_plain_reading(line: &str, report: &Report) {
    let kata = dialect(line) == Dialect::Kata;
    let moves = line.split(" rootInfo ").next().unwrap();
    let scale = if kata { 100.0 } else { 0.01 };
    let close = |ours: f64, theirs: f64| assert!((ours - theirs * scale).abs() < 1e-9, "{ours} {theirs}");
    let own = |key| numbers(moves, key);

    assert_eq!(report.moves.len(), moves.split_whitespace().filter(|token| *token == "info").count());
    let visits: Vec<f64> = report.moves.iter().map(|info| info.visits as f64).collect();
    assert_eq!(visits, own("visits"));
    let order: Vec<f64> = report.moves.iter().map(|info| f64::from(info.order)).collect();
    assert_eq!(order, own("order"));
    report.moves.iter().zip(own("winrate")).for_each(|(info, winrate)| close(info.winrate, winrate));
    report
        .moves
        .iter()
        .filter_map(|info| info.lcb)
        .zip(own("lcb"))
        .for_each(|(ours, theirs)| close(ours, theirs));
    let leads: Vec<f64> = report.moves.iter().filter_map(|info| info.score_lead).collect();
    assert_eq!(leads, own("scoreLead"));
    assert_eq!(
        leads.len(),
        if kata { report.moves.len() } else { 0 },
        "kata lines have leads, lz lines have none"
    );
    for info in &report.moves {
        assert!((0.0..=100.0).contains(&info.winrate));
        assert_eq!(info.pv.first(), Some(&info.vertex), "every recorded variation starts with its move");
    }
    assert_eq!(report.root.is_some(), line.contains(" rootInfo "));
}

#[test]
fn recorded_lines_are_read_as_printed() {
    let mut lines = 0;
    for (name, recording) in recordings() {
        // A megabyte a line: two such lines tell as much as twelve.
        let (long, short): (Vec<&[u8]>, Vec<&[u8]>) =
            reports(&recording).partition(|line| line.len() > 500_000);
        for line in short.into_iter().chain(long.into_iter().take(2)) {
            let text = std::str::from_utf8(line).unwrap();
            let size = size(text);
            let report = parse_line(line, dialect(text), size);
            assert_equals_plain_reading(text, &report);

            // Only memory that the engine never filled is refused.
            let garbage =
                |key| arrays(text, key).flatten().filter(|value| !(-1.0..=1.0).contains(value)).count();
            let garbage = garbage("ownership") + garbage("movesOwnership");
            assert_eq!(report.skipped as usize, garbage, "{name}");
            assert!(garbage == 0 || UNFILLED.contains(&name.as_str()), "{name}");
            for (info, values) in report.moves.iter().zip(arrays(text, "movesOwnership")) {
                let sound = values.iter().all(|value| (-1.0..=1.0).contains(value));
                let expected = sound.then(|| values.iter().map(|value| *value as f32).collect::<Vec<_>>());
                assert_eq!(info.moves_ownership, expected, "{name}");
            }

            let thin = parse_line_with(line, dialect(text), size, Keep::MOVES);
            assert_eq!((thin.moves.len(), thin.skipped), (report.moves.len(), 0));
            lines += 1;
        }
    }
    eprintln!("{lines} recorded reports");
}

#[test]
fn recorded_lines_cut_at_every_byte_are_read_without_panic() {
    for (name, recording) in recordings() {
        // The shortest line of each session, its beginning if it is long.
        let Some(line) = reports(&recording).min_by_key(|line| line.len()) else { continue };
        let line = &line[..line.len().min(4000)];
        let text = std::str::from_utf8(line).unwrap();
        let (dialect, size) = (dialect(text), Size::STANDARD);
        let whole = parse_line(line, dialect, size).moves.len();
        for cut in 0..line.len() {
            let report = parse_line(&line[..cut], dialect, size);
            assert!(report.moves.len() <= whole, "{name} cut at {cut}");
            assert!(parse_line(&line[cut..], dialect, size).moves.len() <= whole, "{name} from {cut}");
        }
    }
}

//! The rules of the house, held by looking at the source.

use std::path::{Path, PathBuf};

fn sources(folder: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut found = Vec::new();
    let mut waiting = vec![root];
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            waiting.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn relative(path: &Path) -> String {
    path.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap().to_string_lossy().into_owned()
}

/// The code of a file without comments and tests.
fn code(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap();
    let name = relative(path);
    if name.ends_with("tests.rs") || name.contains("/tests/") {
        return String::new();
    }
    let text = text.split("#[cfg(test)]\nmod ").next().unwrap_or_default();
    text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}

/// Modules of the two lower floors.
const PURE: [&str; 12] = [
    "src/formats/",
    "src/go/",
    "src/gtp_engine/",
    "src/mcts/",
    "src/sgf/",
    "src/text/",
    "src/xiangqi/",
    "src/language/",
    "src/engine/sync/",
    "src/engine/gtp/analyze/",
    "src/engine/gtp/codec.rs",
    "src/engine/gtp/heatmap.rs",
];

fn is_pure(path: &str) -> bool {
    PURE.iter().any(|prefix| path.starts_with(prefix))
}

#[test]
fn the_lower_floors_know_nothing_of_the_world() {
    let forbidden = [
        "tokio",
        "serde",
        "std::fs",
        "std::net",
        "std::process",
        "std::time",
        "std::env",
        "std::thread",
        "jsonrpsee",
        "tower",
    ];
    let mut seen = 0;
    for path in sources("src") {
        let name = relative(&path);
        if !is_pure(&name) {
            continue;
        }
        seen += 1;
        let code = code(&path);
        for word in forbidden {
            assert!(!code.contains(word), "{name} uses {word}");
        }
        for line in code.lines().filter(|line| line.contains("std::{")) {
            for word in ["fs", "net", "process", "time", "env", "thread"] {
                let found = line.split(['{', '}', ',', ' ', ':', ';']).any(|part| part == word);
                assert!(!found, "{name} uses std::{word}: {line}");
            }
        }
    }
    assert!(seen > 20, "the lower floors are where this test looks: {seen} files");
}

#[test]
fn arrows_point_inward() {
    // Each floor, and the floors above it that it must not name.
    let floors: [(&str, &[&str]); 12] = [
        (
            "src/text/",
            &["go", "sgf", "xiangqi", "language", "formats", "engine", "service", "transport", "cli"],
        ),
        (
            "src/go/",
            &["text", "sgf", "xiangqi", "language", "formats", "engine", "service", "transport", "cli"],
        ),
        ("src/sgf/", &["xiangqi", "language", "formats", "engine", "service", "transport", "cli"]),
        ("src/xiangqi/", &["go", "sgf", "language", "formats", "engine", "service", "transport", "cli"]),
        ("src/language/", &["formats", "engine", "service", "transport", "cli"]),
        ("src/mcts/", &["gtp_engine", "language", "formats", "engine", "service", "transport", "cli"]),
        ("src/gtp_engine/", &["language", "formats", "engine", "service", "transport", "cli"]),
        ("src/formats/", &["engine", "service", "transport", "cli"]),
        ("src/engine/", &["cache", "service", "transport", "cli"]),
        ("src/cache/", &["service", "transport", "cli"]),
        ("src/service/", &["transport", "cli"]),
        ("src/transport/", &["cli"]),
    ];
    for path in sources("src") {
        let name = relative(&path);
        for (_, above) in floors.iter().filter(|(floor, _)| name.starts_with(floor)) {
            for module in *above {
                assert!(!code(&path).contains(&format!("crate::{module}")), "{name} reaches up to {module}");
            }
        }
    }
}

#[test]
fn unsafe_code_is_where_architecture_md_says() {
    let listed =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("ARCHITECTURE.md")).unwrap();
    for path in sources("src") {
        let name = relative(&path);
        let text = std::fs::read_to_string(&path).unwrap();
        if text.contains("allow(unsafe_code)") {
            assert!(
                listed.contains(&format!("`{name}`")),
                "{name} allows unsafe code; ARCHITECTURE.md does not list it"
            );
        }
    }
}

#[test]
fn stdout_belongs_to_the_protocol() {
    for path in sources("src").into_iter().filter(|path| !relative(path).starts_with("src/cli/")) {
        for word in ["println!", "print!(", "dbg!"] {
            let code = code(&path).replace("eprintln!", "").replace("eprint!(", "");
            assert!(!code.contains(word), "{} prints to stdout", relative(&path));
        }
    }
}

#[test]
fn every_dependency_has_a_reason() {
    let manifest = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml")).unwrap();
    let reasons =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("ARCHITECTURE.md")).unwrap();
    let mut inside = false;
    let mut seen = 0;
    for line in manifest.lines() {
        if line.starts_with('[') {
            inside = line == "[dependencies]" || line == "[dev-dependencies]";
        } else if let Some((name, _)) = line.split_once('=').filter(|_| inside) {
            seen += 1;
            assert!(
                reasons.contains(&format!("`{}`", name.trim())),
                "ARCHITECTURE.md does not say why {}",
                name.trim()
            );
        }
    }
    assert!(seen > 15, "{seen}");
}

#[test]
fn files_stay_within_a_screenful_of_ideas() {
    for path in sources("src") {
        let lines = std::fs::read_to_string(&path).unwrap().lines().count();
        assert!(lines <= 700, "{} has {lines} lines; split it by noun", relative(&path));
    }
}

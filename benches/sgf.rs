//! Reading records: speed beside `sgf-parse` on the same files, and memory beside the text.
//!
//! `cargo bench --bench sgf` prints a line a set of files. Each file is read by `sgf-parse`, as structure
//! alone, and with all findings (board replay included), one after the other; the best times count, and
//! only the ratios of one run can be compared. The sets are generated, the fixtures, and a corpus where it lies
//! beside the checkout or where `KIFUD_SHARED` says; files that `sgf-parse` refuses are left out.
//!
//! Memory is that of a fresh process, by Linux's counters, text included.

use kifud::sgf::{self, Record, encoding};
use std::fmt::Write;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

mod records;

const ROUNDS: usize = 25;

struct Set {
    name: &'static str,
    texts: Vec<String>,
}

/// All records below a folder that `sgf-parse` takes.
fn files(folder: &Path) -> Vec<String> {
    let (mut waiting, mut texts) = (vec![folder.to_owned()], Vec::new());
    while let Some(path) = waiting.pop() {
        if let Ok(entries) = std::fs::read_dir(&path) {
            waiting.extend(entries.flatten().map(|entry| entry.path()));
        } else if path.extension().is_some_and(|end| end.eq_ignore_ascii_case("sgf")) {
            let bytes = std::fs::read(&path).expect("a file");
            texts.push(encoding::decode(&bytes, None).text);
        }
    }
    texts.retain(|text| text.len() < 1 << 20 && sgf_parse::parse(text).is_ok());
    texts
}

fn sets() -> Vec<Set> {
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR"));
    let shared = std::env::var_os("KIFUD_SHARED").map_or_else(|| checkout.join("../shared"), PathBuf::from);
    let sets = [
        Set { name: "fixtures", texts: files(&checkout.join("fixtures")) },
        Set { name: "corpus", texts: files(&shared.join("corpus/sgf")) },
        Set { name: "bare games", texts: (0..20).map(records::bare_game).collect() },
        Set { name: "commented games", texts: (0..20).map(records::commented_game).collect() },
        Set { name: "tree of 37000", texts: vec![records::tree(37_000)] },
        Set { name: "line of 3000", texts: vec![records::line(3000)] },
    ];
    sets.into_iter().filter(|set| !set.texts.is_empty()).collect()
}

/// Megabytes a second of each reader, by its best time for each file. A reader's rounds follow each
/// other, so that it finds the heap as it left it, not as another one did.
fn speeds(texts: &[String], readers: [fn(&str); 3]) -> [f64; 3] {
    let mut seconds = [0.0; 3];
    for text in texts {
        for (reader, sum) in readers.iter().zip(&mut seconds) {
            let times = (0..ROUNDS).map(|_| {
                let start = Instant::now();
                reader(black_box(text));
                start.elapsed().as_secs_f64()
            });
            *sum += times.fold(f64::MAX, f64::min);
        }
    }
    let bytes: usize = texts.iter().map(String::len).sum();
    seconds.map(|seconds| bytes as f64 / 1e6 / seconds)
}

fn speed(set: &Set) {
    let peer = |text: &str| drop(black_box(sgf_parse::parse(text)));
    let structure = |text: &str| drop(black_box(Record::parse(text)));
    let findings = |text: &str| drop(black_box(sgf::check(&Record::parse(text))));
    let [peer, structure, findings] = speeds(&set.texts, [peer, structure, findings]);
    println!(
        "{}: {} files; sgf-parse {peer:.1} MB/s; structure {structure:.0} MB/s, {:.1} times; with findings {findings:.0} MB/s, {:.1} times",
        set.name,
        set.texts.len(),
        structure / peer,
        findings / peer
    );
}

/// A counter of this process, in bytes.
fn counter(name: &str) -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    kib.unwrap_or(f64::NAN) * 1024.0
}

/// In a process of its own: what the reading of a set's texts, as one of some megabytes, takes.
fn memory(set: &Set) {
    let empty = counter("VmRSS");
    let mut all = String::new();
    while all.len() < 4_000_000 {
        set.texts.iter().for_each(|text| all.push_str(text));
    }
    let text: Arc<str> = all.into();
    let length = text.len() as f64;
    // Makes the highest resident size so far the present one.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    let mut said = String::new();
    let mut record = None;
    for (name, findings) in [("structure", false), ("with findings", true)] {
        let record = record.get_or_insert_with(|| Record::parse(text.clone()));
        let found = if findings { sgf::check(record) } else { Vec::new() };
        let (peak, kept) = (counter("VmHWM") - empty, counter("VmRSS") - empty);
        let _ = write!(said, "; {name}: peak {:.1}, kept {:.1}", peak / length, kept / length);
        black_box(found);
    }
    println!("{}: memory in times of a text of {:.1} MB{said}", set.name, length / 1e6);
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    // `cargo test --benches` only wants to know that it builds.
    if arguments.iter().any(|argument| argument == "--test") {
        return;
    }
    if let Some(at) = arguments.iter().position(|argument| argument == "--memory") {
        let wanted = arguments.get(at + 1).expect("a set");
        return sets().iter().filter(|set| set.name == wanted).for_each(memory);
    }
    let own = std::env::current_exe().expect("a program");
    for set in sets() {
        speed(&set);
        let child = Command::new(&own).args(["--memory", set.name]).status().expect("it starts");
        assert!(child.success());
    }
}

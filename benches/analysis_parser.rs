//! Throughput of the analysis parser, in bytes of report a second, beside a plain parser that
//! splits the line and looks keys up in a map: the ratio within one run is what can be compared.
//!
//! `cargo bench --bench analysis_parser`. Lines are generated in KataGo's shape; recorded ones
//! join in when they lie beside the checkout or where `KIFUD_SHARED` says.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use kifud::engine::gtp::analyze::{Dialect, Keep, is_report_line, parse_line_with};
use kifud::go::{Size, Vertex};
use std::collections::HashMap;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Reports of one kind, with what they need to be read.
struct Input {
    name: String,
    lines: Vec<String>,
    dialect: Dialect,
    size: Size,
}

/// A small generator of numbers (a multiplicative congruence), so that all runs read the same.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    /// A decimal in -1..1 with six places, as KataGo prints ownership.
    fn share(&mut self) -> String {
        let sign = if self.below(2) == 0 { "-" } else { "" };
        format!("{sign}0.{:06}", self.below(1_000_000))
    }

    fn vertex(&mut self, size: Size) -> String {
        Vertex::At(size.point(self.below(size.area() as u64) as usize)).to_gtp(size)
    }

    fn ownership(&mut self, key: &str, size: Size) -> String {
        let values: Vec<String> = (0..size.area()).map(|_| self.share()).collect();
        format!("{key} {}", values.join(" "))
    }
}

/// A report in the shape of `kata-analyze`.
fn kata_line(numbers: &mut Numbers, size: Size, moves: usize, moves_ownership: bool) -> String {
    let mut fields = Vec::new();
    for order in 0..moves {
        let pv: Vec<String> = (0..1 + numbers.below(12)).map(|_| numbers.vertex(size)).collect();
        fields.push(format!("info move {} visits {} edgeVisits 9", pv[0], numbers.below(5000)));
        fields.push(format!("utility {} winrate 0.{:06}", numbers.share(), numbers.below(1_000_000)));
        fields.push(
            "scoreMean -1.25371 scoreStdev 13.9574 scoreLead -1.25371 scoreSelfplay -1.30672".to_owned(),
        );
        fields.push(format!("prior 0.0{:05} lcb {}", numbers.below(100_000), numbers.share()));
        fields.push(format!(
            "utilityLcb {} weight 131.203 order {order} pv {}",
            numbers.share(),
            pv.join(" ")
        ));
        if moves_ownership {
            fields.push(numbers.ownership("movesOwnership", size));
        }
    }
    fields.push(
        "rootInfo visits 9000 utility 0.0414586 winrate 0.520385 scoreLead -0.0758634 weight 46.9".to_owned(),
    );
    fields.push(numbers.ownership("ownership", size));
    fields.join(" ")
}

fn generated(name: &str, moves: usize, moves_ownership: bool, count: usize) -> Input {
    let size = Size::STANDARD;
    let mut numbers = Numbers(1);
    let lines = (0..count).map(|_| kata_line(&mut numbers, size, moves, moves_ownership)).collect();
    Input { name: format!("generated/{name}"), lines, dialect: Dialect::Kata, size }
}

/// Reports of one recorded session, up to about eight megabytes; `None` when it is not there.
fn recorded(session: &str, dialect: Dialect, size: Size) -> Option<Input> {
    let shared = std::env::var_os("KIFUD_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    let file = shared.join("engines/transcripts").join(session);
    let bytes = if session.ends_with(".gz") {
        Command::new("gzip").arg("-dc").arg(&file).output().ok()?.stdout
    } else {
        std::fs::read(&file).ok()?
    };
    let mut left = 8 << 20;
    let lines: Vec<String> = bytes
        .split(|byte| *byte == b'\n')
        .filter(|line| is_report_line(line))
        .map(|line| String::from_utf8_lossy(line).into_owned())
        .skip_while(|line| session.ends_with(".gz") && line.len() < 100_000)
        .take_while(|line| {
            left -= line.len() as i64;
            left > 0
        })
        .collect();
    (!lines.is_empty()).then(|| Input { name: format!("recorded/{session}"), lines, dialect, size })
}

/// What the plain parser gives for one move.
struct PlainMove {
    vertex: String,
    visits: u64,
    winrate: f64,
    score_lead: Option<f64>,
    pv: Vec<String>,
    ownership: Option<Vec<f64>>,
}

/// The parser one writes first: split at `info`, then at blanks, gather each key's values in a
/// map, convert what is wanted. It trusts the line; scale as in `kata-analyze`.
fn plain_parse(line: &str) -> Vec<PlainMove> {
    let mut moves = Vec::new();
    for record in line.split("info ").skip(1) {
        let mut fields: HashMap<&str, Vec<&str>> = HashMap::new();
        let mut key = "";
        for token in record.split_whitespace() {
            if token.len() > 2 && token.bytes().all(|byte| byte.is_ascii_alphabetic()) && token != "pass"
                || token == "pv"
            {
                key = token;
            }
            let values = fields.entry(key).or_default();
            if key != token {
                values.push(token);
            }
        }
        let first = |name: &str| fields.get(name).and_then(|values| values.first().copied());
        let (Some(vertex), Some(visits), Some(winrate)) = (first("move"), first("visits"), first("winrate"))
        else {
            continue;
        };
        let (Ok(visits), Ok(winrate)) = (visits.parse(), winrate.parse::<f64>()) else { continue };
        moves.push(PlainMove {
            vertex: vertex.to_owned(),
            visits,
            winrate: winrate * 100.0,
            score_lead: first("scoreLead").and_then(|text| text.parse().ok()),
            pv: fields.get("pv").into_iter().flatten().map(|text| (*text).to_owned()).collect(),
            ownership: fields
                .get("movesOwnership")
                .map(|values| values.iter().filter_map(|text| text.parse().ok()).collect()),
        });
    }
    moves
}

fn throughput(criterion: &mut Criterion) {
    let nine = Size::square(9).expect("a size");
    let inputs = [
        Some(generated("moves", 40, false, 50)),
        Some(generated("moves_ownership", 40, true, 10)),
        recorded("kata_size.stdout.gz", Dialect::Kata, Size::STANDARD),
        recorded("ci_run1.stdout", Dialect::Kata, nine),
        recorded("kata_own_exact.stdout", Dialect::Kata, nine),
        recorded("eof_lz.stdout", Dialect::Lz, Size::STANDARD),
    ];
    for input in inputs.into_iter().flatten() {
        let mut group = criterion.benchmark_group(&input.name);
        group.throughput(Throughput::Bytes(input.lines.iter().map(|line| line.len() as u64).sum()));
        group
            .sample_size(20)
            .warm_up_time(Duration::from_millis(500))
            .measurement_time(Duration::from_secs(2));
        for (name, keep) in [("all", Keep::ALL), ("moves only", Keep::MOVES)] {
            group.bench_function(name, |bencher| {
                bencher.iter(|| {
                    for line in &input.lines {
                        black_box(parse_line_with(
                            black_box(line.as_bytes()),
                            input.dialect,
                            input.size,
                            keep,
                        ));
                    }
                });
            });
        }
        group.bench_function("plain", |bencher| {
            bencher.iter(|| {
                for line in &input.lines {
                    for info in plain_parse(black_box(line)) {
                        black_box((
                            info.vertex,
                            info.visits,
                            info.winrate,
                            info.score_lead,
                            info.pv,
                            info.ownership,
                        ));
                    }
                }
            });
        });
        group.finish();
    }
}

criterion_group!(benches, throughput);
criterion_main!(benches);

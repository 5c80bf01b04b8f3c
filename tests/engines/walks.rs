//! Random walks over real records: after every sync the engine's own board must equal ours, and
//! every refusal must be one that follows from the position itself.
//!
//! Runs when `KIFUD_ENGINES` names the folder that `tests/engines/setup.sh` filled, and the shared
//! records are there. `KIFUD_WALKS` = number of walks, `KIFUD_WALK_ENGINE` = gnugo or katago,
//! `KIFUD_WALK_FROM` = first seed.

#[path = "../support/mod.rs"]
mod support;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use support::{Conversation, Random, katago_rows};

/// Jumps in one walk.
const JUMPS: usize = 20;

fn records(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            waiting.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.extension().is_some_and(|end| end == "sgf") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// A setting of the run.
fn setting(name: &str, default: usize) -> usize {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// The board as rows of `.`, `X`, `O`, asked from the engine itself.
fn engine_board(client: &mut Conversation, engine: &Engine, width: usize, height: usize) -> Vec<String> {
    if engine.lists_stones {
        let mut rows = vec![vec!['.'; width]; height];
        for (color, mark) in [("black", 'X'), ("white", 'O')] {
            let text = client.gtp(&engine.id, &format!("list_stones {color}"));
            for vertex in text.split_whitespace() {
                let col = vertex.as_bytes()[0] - b'A';
                let col = usize::from(if vertex.as_bytes()[0] > b'I' { col - 1 } else { col });
                let row = height - vertex[1..].parse::<usize>().unwrap();
                rows[row][col] = mark;
            }
        }
        return rows.into_iter().map(String::from_iter).collect();
    }
    katago_rows(&client.gtp(&engine.id, "showboard"), width)
}

struct Engine {
    id: Value,
    lists_stones: bool,
    rectangular: bool,
}

/// Why an engine must refuse this position, from the position alone.
fn must_refuse(board: &Value, engine: &Engine) -> Option<&'static str> {
    let (width, height) = size(board);
    if width > 19 || height > 19 || width.min(height) < 2 && !engine.lists_stones {
        return Some("BoardTooLarge");
    }
    if width != height && !engine.rectangular {
        return Some("BoardTooLarge");
    }
    let rows: Vec<&[u8]> =
        board["stones"].as_array().unwrap().iter().map(|row| row.as_str().unwrap().as_bytes()).collect();
    has_stones_without_liberties(&rows).then_some("InvalidPosition")
}

fn has_stones_without_liberties(rows: &[&[u8]]) -> bool {
    let (height, width) = (rows.len(), rows.first().map_or(0, |row| row.len()));
    let mut breathing = vec![vec![false; width]; height];
    // Breath spreads from empty points through stones of one colour, until nothing changes.
    loop {
        let mut changed = false;
        for y in 0..height {
            for x in 0..width {
                if rows[y][x] == b'.' || breathing[y][x] {
                    continue;
                }
                let near = [(0, 1), (0, -1), (1, 0), (-1, 0)].iter().any(|(dx, dy)| {
                    let (nx, ny) = (x as isize + dx, y as isize + dy);
                    if nx < 0 || ny < 0 || nx >= width as isize || ny >= height as isize {
                        return false;
                    }
                    let (nx, ny) = (nx as usize, ny as usize);
                    rows[ny][nx] == b'.' || rows[ny][nx] == rows[y][x] && breathing[ny][nx]
                });
                changed |= near;
                breathing[y][x] = near;
            }
        }
        if !changed {
            break;
        }
    }
    (0..height).any(|y| (0..width).any(|x| rows[y][x] != b'.' && !breathing[y][x]))
}

fn size(board: &Value) -> (usize, usize) {
    match &board["size"] {
        Value::Array(sides) => (sides[0].as_u64().unwrap() as usize, sides[1].as_u64().unwrap() as usize),
        side => (side.as_u64().unwrap() as usize, side.as_u64().unwrap() as usize),
    }
}

#[test]
fn every_board_of_every_walk_is_the_engine_s_own() {
    let Some(engines) = std::env::var_os("KIFUD_ENGINES").map(PathBuf::from) else {
        eprintln!(
            "SKIPPED: walks against real engines; KIFUD_ENGINES names the folder of tests/engines/setup.sh"
        );
        return;
    };
    let Some(folder) = support::shared("corpus/sgf") else { return };
    let name = std::env::var("KIFUD_WALK_ENGINE").unwrap_or_else(|_| "gnugo".to_owned());
    let (from, walks) = (setting("KIFUD_WALK_FROM", 0), setting("KIFUD_WALKS", 20));
    let files = records(&folder);
    let config = engines.join("kifud.toml");
    let mut client = Conversation::start(&["--config", config.to_str().unwrap()]);
    let attached = client.request("engine/attach", json!({"name": name}))["engine"].clone();
    let lists =
        |command: &str| attached["commands"].as_array().unwrap().iter().any(|listed| listed == command);
    let engine = Engine {
        id: attached["id"].clone(),
        lists_stones: lists("list_stones"),
        rectangular: lists("rectangular_boardsize"),
    };
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for seed in from..from + walks {
        walk(&mut client, &engine, &files, seed as u64, &mut counts);
    }
    println!("{walks} walks of {JUMPS} jumps against {name}, seeds {from} to {}:", from + walks - 1);
    for (what, count) in &counts {
        println!("  {what}: {count}");
    }
    println!("  differences: 0");
    client.request("engine/detach", json!({"engineId": engine.id}));
}

fn walk(
    client: &mut Conversation,
    engine: &Engine,
    files: &[PathBuf],
    seed: u64,
    counts: &mut BTreeMap<String, usize>,
) {
    let mut random = Random(seed);
    let file = &files[random.index(files.len())];
    let document = json!({"uri": file.to_str().unwrap()});
    let tree = client.request("record/tree", json!({"document": document, "paths": true}));
    let nodes: Vec<Value> = tree["games"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|game| {
            let nodes = game["nodes"].as_array().unwrap();
            nodes.iter().map(|node| json!({"game": game["game"], "path": node["path"]})).collect::<Vec<_>>()
        })
        .collect();
    if nodes.is_empty() {
        *counts.entry("files without a node".to_owned()).or_default() += 1;
        return;
    }
    for jump in 0..JUMPS {
        let node = &nodes[random.index(nodes.len())];
        let place = format!("seed {seed}, jump {jump}, {} {node}", file.display());
        let position = json!({"document": document, "node": node});
        let board = client.call("record/board", position.clone());
        let synced = client.call("engine/sync", json!({"engineId": engine.id, "position": position}));
        let refusal = synced["error"]["data"]["kind"].as_str();
        let predicted = match board["error"]["data"]["kind"].as_str() {
            Some(kind) => Some(kind),
            None => must_refuse(&board["result"], engine),
        };
        assert_eq!(refusal, predicted, "{place}: {synced}");
        if let Some(kind) = refusal {
            *counts.entry(format!("refused, as predicted: {kind}")).or_default() += 1;
            continue;
        }
        let strategy = synced["result"]["strategy"].as_str().unwrap();
        *counts.entry(format!("strategy {strategy}")).or_default() += 1;
        let (width, height) = size(&board["result"]);
        let ours: Vec<&str> =
            board["result"]["stones"].as_array().unwrap().iter().map(|row| row.as_str().unwrap()).collect();
        let theirs = engine_board(client, engine, width, height);
        assert_eq!(theirs, ours, "{place}: {synced}");
    }
}

//! Positions and engines by which values are found again: the same number for the same thing, in every
//! run of every version. Pure.

use crate::engine::profile::Perspective;
use crate::engine::{EngineSpec, Info};
use crate::fnv::Fnv;
use crate::go::Color;
use crate::sgf::{self, NodeId, Record};

/// What names a position: board, set-up and moves in their order, komi, rules, whose turn it is.
pub type Fingerprint = u128;

/// As it stands in files.
pub fn spelled(fingerprint: Fingerprint) -> String {
    format!("{fingerprint:032x}")
}

/// Read from a file.
pub fn read(text: &str) -> Option<Fingerprint> {
    (text.len() == 32).then(|| u128::from_str_radix(text, 16).ok())?
}

/// What decides about a position.
const DECIDING: [&str; 8] = ["AB", "AE", "AW", "B", "KM", "PL", "RU", "W"];

/// The fingerprints of all nodes of a game, from its root on; takes one pass.
pub fn fingerprints(record: &Record, game: usize) -> Vec<(NodeId, Fingerprint)> {
    let first = record.game(game).map_or(0, |game| game.root.0);
    let mut lines: Vec<Fnv> = Vec::new();
    let mut found = Vec::new();
    for node in record.nodes(game) {
        let before = match record.parent(node) {
            Some(parent) => lines.get(parent.0.wrapping_sub(first) as usize).copied().unwrap_or(Fnv::START),
            None => Fnv::START.text(&record.size(node).to_string()).text(if by_fox(record, node) {
                "fox"
            } else {
                ""
            }),
        };
        let line = step(record, node, before);
        lines.push(line);
        let turn = match sgf::turn(record, node, None).0 {
            Color::Black => "B",
            Color::White => "W",
        };
        found.push((node, line.text(turn).0));
    }
    found
}

/// Fox counts komi in its own way.
fn by_fox(record: &Record, root: NodeId) -> bool {
    record.values_of(root, "AP").any(|ap| ap.raw().to_ascii_lowercase().contains("foxwq"))
}

fn step(record: &Record, node: NodeId, mut line: Fnv) -> Fnv {
    for property in record.properties(node) {
        let ident = property.ident();
        if DECIDING.contains(&ident.as_ref()) {
            line = line.text(&ident);
            line = property.values().fold(line, |line, value| line.text(value.raw()));
        }
    }
    line
}

/// Names how an engine is set up, beyond its command line: for whom its numbers are, what it is told at
/// first, where and in what environment it runs.
pub fn setup(spec: &EngineSpec) -> Fingerprint {
    let perspective = match spec.perspective {
        None => "",
        Some(Perspective::SideToMove) => "side to move",
        Some(Perspective::Black) => "black",
        Some(Perspective::White) => "white",
    };
    let cwd = spec.cwd.as_ref().map(|cwd| cwd.to_string_lossy()).unwrap_or_default();
    let line = Fnv::START.text(perspective).text(&cwd);
    let line = spec.initial_commands().fold(line.text("commands"), Fnv::text);
    let line = spec.env.iter().fold(line.text("env"), |line, (name, value)| line.text(name).text(value));
    spec.unset.iter().fold(line.text("unset"), |line, name| line.text(name)).0
}

/// Names an engine: its program, its version, what was started and how it is set up.
pub fn engine(info: &Info, setup: Fingerprint) -> Fingerprint {
    let profile = info.profile.map_or("", |profile| profile.id);
    let line = Fnv::START.text(&info.program).text(&info.version).text(&info.command_line);
    line.text(profile).bytes(&setup.to_le_bytes()).0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, node: usize) -> Fingerprint {
        fingerprints(&Record::parse(text), 0)[node].1
    }

    #[test]
    fn the_same_position_has_the_same_fingerprint_and_no_other() {
        let game = "(;SZ[9]KM[7];B[aa];W[bb])";
        let same = [
            ("a comment", "(;SZ[9]KM[7]C[x];B[aa]C[y];W[bb])", 2),
            ("values", "(;SZ[9]KM[7];B[aa]SBKV[50];W[bb])", 2),
            ("a variation before it", "(;SZ[9]KM[7];B[aa](;W[cc])(;W[bb]))", 3),
            ("moves behind it", "(;SZ[9]KM[7];B[aa];W[bb];B[cc];W[dd])", 2),
            ("a node without a step", "(;SZ[9]KM[7];B[aa];C[x];W[bb])", 3),
            ("another program", "(;AP[x:1]SZ[9]KM[7];B[aa];W[bb])", 2),
        ];
        for (what, text, node) in same {
            assert_eq!(of(text, node), of(game, 2), "{what}");
        }
        let others = [
            ("another move", "(;SZ[9]KM[7];B[aa];W[cc])", 2),
            ("another move before it", "(;SZ[9]KM[7];B[ab];W[bb])", 2),
            ("another komi", "(;SZ[9]KM[6.5];B[aa];W[bb])", 2),
            ("no komi", "(;SZ[9];B[aa];W[bb])", 2),
            ("another board", "(;SZ[13]KM[7];B[aa];W[bb])", 2),
            ("rules", "(;SZ[9]KM[7]RU[Japanese];B[aa];W[bb])", 2),
            ("set-up", "(;SZ[9]KM[7]AB[cc];B[aa];W[bb])", 2),
            ("somebody else's turn", "(;SZ[9]KM[7];B[aa];W[bb]PL[W])", 2),
            ("the other's move next", "(;SZ[9]KM[7];B[aa];W[bb];W[cc])", 2),
            ("the node before", game, 1),
            ("the same written by Fox", "(;AP[foxwq]SZ[9]KM[7];B[aa];W[bb])", 2),
        ];
        for (what, text, node) in others {
            assert_ne!(of(text, node), of(game, 2), "{what}");
        }
        let second = Record::parse("(;SZ[13])(;SZ[9]KM[7];B[aa];W[bb])");
        assert_eq!(fingerprints(&second, 1)[2].1, of(game, 2), "wherever the game stands");
    }

    #[test]
    fn fingerprints_are_written_and_read() {
        assert_eq!(spelled(255), "000000000000000000000000000000ff");
        assert_eq!(read(&spelled(u128::MAX)), Some(u128::MAX));
        for bad in ["", "ff", "zz0000000000000000000000000000ff", "+0000000000000000000000000000000f"] {
            assert_ne!(read(bad), Some(255), "{bad}");
        }
    }

    #[test]
    fn an_engine_is_its_program_version_and_command() {
        let info = |program: &str, version: &str, command_line: &str| {
            let info = Info {
                program: program.to_owned(),
                version: version.to_owned(),
                command_line: command_line.to_owned(),
                ..Info::default()
            };
            engine(&info, 0)
        };
        let katago = info("KataGo", "1.15", "katago gtp");
        assert_eq!(katago, info("KataGo", "1.15", "katago gtp"));
        for other in [
            info("KataGo", "1.16", "katago gtp"),
            info("KataGo", "1.15", "katago gtp -model x"),
            info("KataGo1", ".15", "katago gtp"),
        ] {
            assert_ne!(katago, other);
        }
        let profile = crate::engine::profile::Profile::named("katago");
        assert!(profile.is_some());
        let info = Info { profile, ..Info::default() };
        assert_ne!(engine(&info, 0), engine(&Info::default(), 0), "another profile");
        assert_ne!(engine(&info, 0), engine(&info, 1), "set up in another way");
    }

    #[test]
    fn a_setup_is_all_that_changes_the_numbers() {
        let spec =
            |perspective, cwd: &str, commands: &str, env: &[(&str, &str)], unset: &[&str]| EngineSpec {
                perspective,
                cwd: (!cwd.is_empty()).then(|| cwd.into()),
                commands: commands.to_owned(),
                env: env.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
                unset: unset.iter().map(|name| (*name).to_owned()).collect(),
                ..EngineSpec::default()
            };
        let named = EngineSpec { name: "x".into(), capacity: Some(3), ..EngineSpec::default() };
        assert_eq!(setup(&named), setup(&EngineSpec::default()), "what does not matter");
        let same = [" a; b", "a\nb;"].map(|commands| setup(&spec(None, "", commands, &[], &[])));
        assert_eq!(same[0], same[1], "the same commands");
        let all = [
            spec(None, "", "", &[], &[]),
            spec(Some(Perspective::SideToMove), "", "", &[], &[]),
            spec(Some(Perspective::Black), "", "", &[], &[]),
            spec(Some(Perspective::White), "", "", &[], &[]),
            spec(None, "/a", "", &[], &[]),
            spec(None, "", "a", &[], &[]),
            spec(None, "", "a;b", &[], &[]),
            spec(None, "", "", &[("a", "b")], &[]),
            spec(None, "", "", &[("a", "c")], &[]),
            spec(None, "", "", &[("b", "b")], &[]),
            spec(None, "", "", &[], &["a"]),
        ];
        let different: std::collections::HashSet<Fingerprint> = all.iter().map(setup).collect();
        assert_eq!(different.len(), all.len());
    }
}

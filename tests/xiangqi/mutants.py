#!/usr/bin/env python3
"""Breaks one rule of the fast xiangqi core at a time and asks whether its tests notice.

    tests/xiangqi/mutants.py [WORD]      only the mutants whose name contains the word

Each mutant is a text replaced in a copy of src/xiangqi, in a crate of its own that compiles in
seconds. The unchanged copy must pass, every mutant must fail. Exit 1 if one does not.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]

MANIFEST = """
[package]
name = "kifud"
version = "0.0.0"
edition = "2024"
[dev-dependencies]
expect-test = "1"
proptest = { version = "1", default-features = false, features = ["std"] }
[workspace]
"""

# (the broken rule, file below src/xiangqi/board, what is there, what stands there instead)
MUTANTS = [
    ("of a cannon's two screens, one may take the other", "count.rs",
     "{ between & !screens } else { between }", "{ between } else { between }"),
    ("stepping before a bare cannon is allowed", "king.rs",
     "pins.closed |= between;", "pins.closed |= 0;"),
    ("pins by a cannon with two screens are ignored", "king.rs",
     "(seen.first | seen.third) & cannons", "seen.first & cannons"),
    ("pins by a rook are ignored", "king.rs",
     "seen.second & rooks | (seen.first | seen.third)", "(seen.first | seen.third)"),
    ("pins on a horse's leg are ignored", "king.rs",
     "leg_pin |= leg & self.all(M::US) != 0;", "leg_pin |= false;"),
    ("two horses on one leg: taking one is enough", "count.rs",
     "if legs[0] == legs[1] {", "if false {"),
    ("a rook on a leg may not take the horse", "count.rs",
     "count += rook | pawn as u32;", "count += pawn as u32;"),
    ("a pawn on a leg may not take the horse", "count.rs",
     "count += rook | pawn as u32;", "count += rook;"),
    ("of two pins of one piece only the last counts", "count.rs",
     "allowed &= open | 1 << danger;", "allowed = open | 1 << danger;"),
    ("the screen of a checking cannon never steps away", "generate.rs",
     "if screen != 0 {", "if false {"),
    ("the leg of a checking horse cannot be blocked", "generate.rs",
     "Targets::one(horse).or(Targets::one(leg))", "Targets::one(horse)"),
    ("a captured rook or cannon still attacks", "king.rs",
     ".without_sliders(reached)", ""),
    ("a captured horse still attacks", "king.rs",
     "horse == to || ", ""),
    ("a king that steps along a line still blocks it", "king.rs",
     "on_column.occupied() & !left_row", "on_column.occupied()"),
    ("kings may face each other", "tables.rs",
     "matches!(kind, Kind::King | Kind::Rook)", "matches!(kind, Kind::Rook)"),
    ("a king may step beside an enemy pawn", "king.rs",
     "self.pawns(M::THEM) & pawns_attacking(M::THEM, to) == 0", "true"),
    ("a pinned pawn may not step forward", "count.rs",
     "allowed & ahead != 0", "false"),
    ("nothing may step between king and checker", "generate.rs",
     "between & !line.occupied() | 1 << checker", "1 << checker"),
    ("pawns near the palace go unseen", "king.rs",
     "self.pawns(M::THEM) & PAWNS_NEAR[M::US] != 0", "false"),
    ("the board forgets what a move captured", "state.rs",
     "self.squares[captured] = if captured == EMPTY { NOWHERE } else { to } as u8;",
     "self.squares[captured] = NOWHERE as u8;"),
    ("the key leaves out what was captured", "key.rs",
     " ^ key_of(self.slot_at(to), to)", ""),
    ("quiet moves count as captures in the list of captures", "generate.rs",
     "self.generate::<M>(enemies, list);", "self.generate::<M>(Targets::ALL, list);"),
    ("a king on the edge of check steps as it likes", "king.rs",
     "on_column.attacks(along_column, M::THEM) | on_row.attacks(along_row, M::THEM)",
     "on_column.attacks(along_column, M::THEM)"),
]


def test(crate):
    """The names of the tests that fail, or None if the copy does not compile."""
    run = subprocess.run(["cargo", "test", "--offline", "--lib", "xiangqi::board"], cwd=crate,
                         capture_output=True, text=True)
    if "running " not in run.stdout:
        print(run.stderr[-2000:], file=sys.stderr)
        return None
    failed = re.findall(r"^test xiangqi::board::tests::(\S+) \.\.\. FAILED", run.stdout, re.MULTILINE)
    return failed if run.returncode == 0 or failed else ["(the run ended)"]


def main():
    chosen = [mutant for mutant in MUTANTS if len(sys.argv) < 2 or sys.argv[1] in mutant[0]]
    unnoticed = 0
    with tempfile.TemporaryDirectory() as folder:
        crate = pathlib.Path(folder)
        (crate / "Cargo.toml").write_text(MANIFEST)
        shutil.copy(ROOT / "Cargo.lock", crate)
        shutil.copytree(ROOT / "src" / "xiangqi", crate / "src" / "xiangqi")
        (crate / "src" / "lib.rs").write_text("pub mod xiangqi;\n")
        if test(crate) != []:
            sys.exit("the unchanged sources do not pass")
        for name, file, old, new in chosen:
            path = crate / "src" / "xiangqi" / "board" / file
            source = path.read_text()
            if old not in source:
                sys.exit(f"{name}: {file} has no {old!r}")
            path.write_text(source.replace(old, new))
            failed = test(crate)
            path.write_text(source)
            if failed is None:
                sys.exit(f"{name}: does not compile")
            unnoticed += not failed
            print(f"{name}: {', '.join(failed) or 'NOT NOTICED'}", flush=True)
    print(f"{len(chosen) - unnoticed} of {len(chosen)} noticed")
    sys.exit(unnoticed > 0)


if __name__ == "__main__":
    main()

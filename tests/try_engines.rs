//! `kifud engines`: what is found, what works, and what is said about what does not.
#![cfg(unix)]

mod support;

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use support::{example, fixture, kifud};

/// The folder with the real engines, when they are there. Says so loudly when they are not.
fn real() -> Option<PathBuf> {
    let folder =
        std::env::var_os("KIFUD_ENGINES").map(PathBuf::from).filter(|folder| folder.join("READY").exists());
    if folder.is_none() {
        eprintln!("SKIPPED: real engines; run tests/engines/setup.sh DIR and set KIFUD_ENGINES=DIR");
    }
    folder
}

fn write(path: &Path, text: &str, mode: u32) -> String {
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    path.to_str().unwrap().to_owned()
}

fn engine(name: &str, path: &str, more: &str) -> String {
    format!("[[engines]]\nname = {name:?}\npath = {path:?}\n{more}\n")
}

/// Runs `kifud engines` with these settings. Nothing but what they name is in PATH.
fn engines(folder: &Path, settings: &str, args: &[&str]) -> Output {
    let config = write(&folder.join("kifud.toml"), settings, 0o644);
    let mut command = Command::new(kifud());
    command.args(["--config", &config, "engines"]).args(args);
    command
        .env("HOME", folder)
        .env_remove("XDG_DATA_HOME")
        .env("PATH", "/usr/bin:/bin")
        .env("DISPLAY", ":7")
        .output()
        .unwrap()
}

/// The configured rows of `--json`.
fn rows(output: &Output) -> Vec<Value> {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let rows = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    rows.filter(|row| row["source"] == "settings").collect()
}

fn row<'a>(rows: &'a [Value], name: &str) -> &'a Value {
    rows.iter().find(|row| row["name"] == name).unwrap_or_else(|| panic!("no {name} in {rows:?}"))
}

/// Three that are the same for real engines and for fakes: a script that prints rubbish, a file
/// without execute permission, and a name that does not exist.
fn hopeless(folder: &Path) -> String {
    let rubbish = write(
        &folder.join("rubbish"),
        "#!/bin/sh\nwhile read line; do echo \"beg your pardon?\"; done\n",
        0o755,
    );
    let data = write(&folder.join("data"), "#!/bin/sh\n", 0o644);
    engine("rubbish", &rubbish, "")
        + &engine("no permission", &data, "")
        + &engine("no such", "no-such-engine", "")
}

fn check_hopeless(rows: &[Value]) {
    for (name, cause, problem, mend) in [
        ("rubbish", "garbage", "something that is not GTP", "no GTP engine"),
        ("no permission", "not-executable", "is not executable", "chmod +x"),
        ("no such", "not-found", "PATH", "correct its path"),
    ] {
        let row = row(rows, name);
        assert_eq!((&row["works"], &row["cause"]), (&Value::Bool(false), &cause.into()), "{row}");
        assert!(row["problem"].as_str().unwrap().contains(problem), "{row}");
        assert!(row["mend"].as_str().unwrap().contains(mend), "{row}");
    }
}

fn check_failed(row: &Value, cause: &str, problem: &[&str], mend: &str) {
    assert_eq!((&row["works"], &row["cause"]), (&Value::Bool(false), &cause.into()), "{row}");
    for words in problem {
        assert!(row["problem"].as_str().unwrap().contains(words), "{row}");
    }
    assert!(row["mend"].as_str().unwrap().contains(mend), "{row}");
}

fn check_works(row: &Value, program: &str, analysis: bool) {
    assert_eq!((&row["works"], &row["analysis"]), (&Value::Bool(true), &Value::Bool(analysis)), "{row}");
    assert_eq!(row["program"], program);
    assert!(row["version"].as_str().is_some_and(|version| !version.is_empty()), "{row}");
    assert!(row["startMs"].is_u64() && row.get("problem").is_none(), "{row}");
}

#[test]
fn seven_engines_seven_explanations() {
    let Some(real) = real() else { return };
    let at = |name: &str| real.join(name).to_str().unwrap().to_owned();
    let folder = tempfile::tempdir().unwrap();
    let tiny = std::fs::read_to_string(real.join("tiny.cfg")).unwrap();
    let broken: String = tiny
        .lines()
        .filter(|line| !line.contains("logSearchInfo"))
        .map(|line| line.to_owned() + "\n")
        .collect();
    let broken = write(&folder.path().join("broken.cfg"), &broken, 0o644);
    let settings = engine("gnugo", "/usr/games/gnugo", "")
        + &engine(
            "leelaz",
            "/usr/games/leelaz",
            &format!("args = ['--gtp', '--cpu-only', '-w', '{}']", at("leelaz.txt")),
        )
        + &engine("leelaz without net", "/usr/games/leelaz", "args = ['--gtp', '--cpu-only']")
        + &engine(
            "katago",
            &at("katago"),
            &format!("args = ['gtp', '-model', '{}', '-config', '{broken}']", at("tiny.bin.gz")),
        )
        + &hopeless(folder.path());
    let output = engines(folder.path(), &settings, &["--try", "--json"]);
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    let rows = rows(&output);
    assert_eq!(rows.len(), 7, "{rows:?}");
    check_works(row(&rows, "gnugo"), "GNU Go", false);
    check_works(row(&rows, "leelaz"), "Leela Zero", true);
    check_failed(row(&rows, "leelaz without net"), "exited", &["has no network", "exit status 1"], "-w FILE");
    check_failed(
        row(&rows, "katago"),
        "exited",
        &["configuration file", "Could not find key 'logSearchInfo'"],
        "-config",
    );
    check_hopeless(&rows);
    // Started in ways that do not lead to GTP, each without its word for it.
    let settings = engine("gnugo", "/usr/games/gnugo", "args = ['--level', '1']")
        + &engine(
            "leelaz",
            "/usr/games/leelaz",
            &format!("args = ['--cpu-only', '-w', '{}']", at("leelaz.txt")),
        )
        + &engine("katago", &at("katago"), "args = []")
        + &engine("katago, options only", &at("katago"), "args = '-model x -config y'");
    let rows = self::rows(&engines(folder.path(), &settings, &["--try", "--json"]));
    check_failed(row(&rows, "gnugo"), "silent", &["GNU Go started without `--mode gtp`"], "--mode gtp");
    check_failed(row(&rows, "leelaz"), "garbage", &["started without `--gtp`"], "--gtp");
    check_failed(row(&rows, "katago"), "exited", &["KataGo started without `gtp`"], "`gtp`");
    check_failed(row(&rows, "katago, options only"), "exited", &["KataGo started without `gtp`"], "`gtp`");
}

/// The same explanations from programs that say what the real ones say.
#[test]
fn seven_fakes_seven_explanations() {
    let folder = tempfile::tempdir().unwrap();
    let say =
        |name: &str, script: &str| write(&folder.path().join(name), &format!("#!/bin/sh\n{script}\n"), 0o755);
    let fake = example("fake-engine");
    let script = |name: &str| format!("args = [{:?}]\nprofile = \"ray\"", fixture("engines").join(name));
    let leelaz = say("leelaz", "echo 'A network weights file is required to use the program.'; exit 1");
    let katago = "echo \"terminate called after throwing an instance of 'IOError'\" >&2\n\
                  echo \"  what():  Could not find key 'x' in config file /y\" >&2\nkill -ABRT $$";
    let settings = engine("gnugo", fake.to_str().unwrap(), &script("gnu-go.script"))
        + &engine("leelaz", fake.to_str().unwrap(), &script("leela-zero.script"))
        + &engine("leelaz without net", &leelaz, "")
        + &engine("katago", &say("katago", katago), "")
        + &hopeless(folder.path());
    let output = engines(folder.path(), &settings, &["--try", "--json"]);
    let rows = rows(&output);
    assert_eq!(rows.len(), 7, "{rows:?}");
    check_works(row(&rows, "gnugo"), "GNU Go", false);
    check_works(row(&rows, "leelaz"), "Leela Zero", true);
    check_failed(row(&rows, "leelaz without net"), "exited", &["has no network", "exit status 1"], "-w FILE");
    check_failed(
        row(&rows, "katago"),
        "exited",
        &["configuration file", "Could not find key 'x'"],
        "-config",
    );
    check_hopeless(&rows);
    // People get the same as a table.
    let table = engines(folder.path(), &settings, &["--try", "no such", "leelaz"]);
    let text = String::from_utf8_lossy(&table.stdout).into_owned();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 3, "{text}");
    assert!(
        lines[0].starts_with("name ")
            && lines[1].starts_with("no such ")
            && lines[2].contains("Leela Zero 0.17"),
        "{text}"
    );
    assert_eq!(engines(folder.path(), &settings, &["--try", "leelaz"]).status.code(), Some(0));
    assert_eq!(engines(folder.path(), &settings, &["nobody"]).status.code(), Some(1));
}

/// Debian's package `pachi` is another game; it and everything else on trial gets no display.
#[test]
fn the_other_pachi_and_no_display() {
    let folder = tempfile::tempdir().unwrap();
    let script =
        "#!/bin/sh\n[ -z \"$DISPLAY\" ] && echo 'Could not Initialize SDL.' && exit 1\nexec sleep 1000\n";
    let pachi = write(&folder.path().join("pachi"), script, 0o755);
    let rows = rows(&engines(folder.path(), &engine("pachi", &pachi, ""), &["--try", "--json"]));
    check_failed(
        row(&rows, "pachi"),
        "exited",
        &["another game", "platform game with a window"],
        "github.com/pasky/pachi",
    );
}

#[test]
fn known_programs_are_found_in_path() {
    let folder = tempfile::tempdir().unwrap();
    let programs = folder.path().join("programs");
    std::fs::create_dir(&programs).unwrap();
    let [katago, gnugo] = ["katago", "gnugo"].map(|name| write(&programs.join(name), "#!/bin/sh\n", 0o755));
    let config = write(&folder.path().join("kifud.toml"), &engine("mine", &gnugo, ""), 0o644);
    let mut command = Command::new(kifud());
    let output =
        command.args(["--config", &config, "engines", "--json"]).env("PATH", &programs).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let text = String::from_utf8(output.stdout).unwrap();
    let rows: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(row(&rows, "mine")["profile"], "gnugo");
    let found = row(&rows, "KataGo");
    assert_eq!(
        (&found["source"], &found["path"]),
        (&"found".into(), &std::fs::canonicalize(katago).unwrap().to_str().unwrap().into())
    );
    assert_eq!(found["proposedArgs"].as_array().unwrap()[0], "gtp");
    assert!(
        rows.iter().all(|row| row["path"] != gnugo.as_str() || row["source"] == "settings"),
        "listed once: {text}"
    );
}

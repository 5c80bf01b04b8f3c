//! `kifud check`, `fmt` and `convert` at the shell: output, files and exit codes.

mod support;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use encoding_rs::{BIG5, EUC_JP, EUC_KR, GB18030, GBK, SHIFT_JIS};
use serde_json::Value;
use support::{fixture, kifud};
use tempfile::TempDir;

/// Runs kifud in a folder with this stdin.
fn piped(folder: &Path, args: &[&str], stdin: &[u8]) -> Output {
    let mut child = Command::new(kifud())
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Who has refused does not read.
    let _ = std::io::Write::write_all(&mut child.stdin.take().unwrap(), stdin);
    child.wait_with_output().unwrap()
}

fn run(folder: &Path, args: &[&str]) -> Output {
    piped(folder, args, b"")
}

/// A folder with these files. It is a repository, so that no settings from outside count.
fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join(".git")).unwrap();
    for (name, bytes) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
    folder
}

#[track_caller]
fn expect(output: &Output, code: i32, stdout: &str, stderr: &str) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert_eq!(text(&output.stdout), stdout);
    assert_eq!(text(&output.stderr), stderr);
    assert_eq!(output.status.code(), Some(code));
}

#[track_caller]
fn holds(folder: &TempDir, name: &str, bytes: &[u8]) {
    let found = std::fs::read(folder.path().join(name)).unwrap();
    assert_eq!(String::from_utf8_lossy(&found), String::from_utf8_lossy(bytes));
    assert_eq!(found, bytes);
}

#[cfg(unix)]
fn read_only(path: PathBuf) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o444)).unwrap();
}

/// What is wrong with `KM[6,5]` at the start of a text.
const COMMA: &str = "error[bad-number]: KM: \"6,5\" has a decimal comma; SGF writes a point: \"6.5\"";

#[test]
fn findings_with_their_lines() {
    let folder = folder(&[
        ("good.sgf", b"(;SZ[9];B[aa])"),
        ("b/bad.sgf", "(;SZ[9]C[围棋]\r\nKM[6,5])".as_bytes()),
        ("b/other.txt", b"no game"),
    ]);
    let good = run(folder.path(), &["check", "good.sgf"]);
    expect(&good, 0, "1 file: nothing found\n", "");
    let all = run(folder.path(), &["check", "good.sgf", "b"]);
    let shown = format!(
        "b/bad.sgf:2:3: {COMMA}\n2 | KM[6,5])\n  |   ^^^^^\n  = fix: write a decimal point\n2 files: 1 error, 1 for --fix\n"
    );
    expect(&all, 1, &shown, "");
    let chinese = run(folder.path(), &["check", "--locale", "zh", "good.sgf"]);
    expect(&chinese, 0, "1 个文件：没有问题\n", "");
}

#[test]
fn findings_as_lines_of_json() {
    let folder = folder(&[("a.sgf", "(;SZ[9]C[围棋]KM[6,5];B[zz])".as_bytes())]);
    let output = run(folder.path(), &["check", "--json", "a.sgf"]);
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    // Characters: (1 ;2 SZ[9] 3-7 C[围棋] 8-12 KM 13-14 [6,5] 15-19 ;20 B21 [zz] 22-25.
    let short: Vec<String> = (lines.iter())
        .map(|line| {
            let number = |key: &str| line[key].as_u64().unwrap();
            let [line_at, column, end_line, end_column] =
                ["line", "column", "endLine", "endColumn"].map(number);
            let [file, code, severity] = ["file", "code", "severity"].map(|key| line[key].as_str().unwrap());
            format!("{file} {line_at}:{column}-{end_line}:{end_column} {code} {severity} {}", line["fix"])
        })
        .collect();
    let expected = [
        "a.sgf 1:15-1:20 bad-number error \"write a decimal point\"",
        "a.sgf 1:22-1:26 off-board error null",
    ];
    assert_eq!(short, expected);
    let clean = piped(folder.path(), &["check", "--json", "-"], b"(;SZ[9];B[aa])");
    expect(&clean, 0, "", "");
}

#[test]
fn broken_files_are_found_broken() {
    for (name, code) in [
        ("unclosed-value", "unclosed-value"),
        ("unescaped-bracket", "unescaped-bracket"),
        ("extra-close", "extra-close"),
        ("node-after-variations", "node-after-variations"),
        ("empty", "no-game"),
    ] {
        let path = fixture(&format!("sgf/{name}.sgf"));
        let output = run(Path::new("."), &["check", "--json", path.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(1), "{name}");
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains(&format!("\"code\":\"{code}\"")), "{name}: {text}");
    }
}

#[test]
fn fixes_keep_the_charset_and_every_other_byte() {
    let gbk = |text: &str| GB18030.encode(text).0.into_owned();
    let text = |komi: &str| gbk(&format!("(;CA[gbk]SZ[9]KM[{komi}]\r\n  C[围棋规则，黑先]  ;B[aa])\n"));
    let untouched = b"(;SZ[9];B[aa])";
    let folder = folder(&[("a.sgf", &text("6,5")), ("b.sgf", untouched)]);
    #[cfg(unix)]
    read_only(folder.path().join("b.sgf"));
    let output = run(folder.path(), &["check", "--fix", "a.sgf", "b.sgf"]);
    // (;CA[gbk] are 9 characters, SZ[9] 5, KM 2.
    let shown = format!(
        "a.sgf:1:17: fixed[bad-number]: {}: write a decimal point\n2 files: nothing found, 1 fixed\n",
        COMMA.split_once(": ").unwrap().1
    );
    expect(&output, 0, &shown, "");
    holds(&folder, "a.sgf", &text("6.5"));
    holds(&folder, "b.sgf", untouched);
    let again = run(folder.path(), &["check", "--fix", "a.sgf"]);
    expect(&again, 0, "1 file: nothing found\n", "");
}

#[test]
fn fixes_go_on_until_none_is_left() {
    // More than are found at once, on one line.
    let text = |komi: &str| format!("(;SZ[9]KM[{komi}])").repeat(450);
    let folder = folder(&[("a.sgf", text("6,5").as_bytes())]);
    let output = run(folder.path(), &["check", "--fix", "a.sgf"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&output.stdout).ends_with("1 file: nothing found, 450 fixed\n"));
    holds(&folder, "a.sgf", text("6.5").as_bytes());
}

#[test]
fn fixes_stand_behind_more_findings_than_are_shown() {
    // 300 moves off the board, which nobody can put right, before one number that can be.
    let text = |komi: &str| format!("(;SZ[9]{})(;KM[{komi}])", ";B[zz]".repeat(300));
    let folder = folder(&[("a.sgf", text("6,5").as_bytes())]);
    let output = run(folder.path(), &["check", "--fix", "a.sgf"]);
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(shown.ends_with("1 fixed\n"), "{shown}");
    holds(&folder, "a.sgf", text("6.5").as_bytes());
}

#[test]
fn each_charset_keeps_its_bytes() {
    let texts = [
        (GBK, "gbk", "围棋规则，黑先", "吴清源"),
        (EUC_KR, "EUC-KR", "이세돌 구단 대국", "박정환"),
        (SHIFT_JIS, "Shift_JIS", "囲碁の対局、黒先。ソ表能", "武宮正樹"),
        (BIG5, "Big5", "圍棋規則，黑先。許功蓋", "吳清源"),
        (EUC_JP, "EUC-JP", "囲碁の対局、黒先。", "武宮正樹"),
    ];
    for (charset, label, comment, name) in texts {
        for declared in [true, false] {
            let ca = if declared { format!("CA[{label}]") } else { String::new() };
            let text = |komi: &str| {
                let text = format!("(;{ca}SZ[9]PB[{name}]KM[{komi}]\r\nC[{comment}]  ;B[aa])\n");
                charset.encode(&text).0.into_owned()
            };
            let folder = folder(&[("a.sgf", &text("6,5"))]);
            let output = run(folder.path(), &["check", "--fix", "a.sgf"]);
            let shown = String::from_utf8_lossy(&output.stdout).into_owned();
            assert!(shown.ends_with(", 1 fixed\n"), "{label}: {shown}");
            holds(&folder, "a.sgf", &text("6.5"));
            let piped = piped(folder.path(), &["check", "--fix", "-"], &text("6,5"));
            assert_eq!(piped.stdout, text("6.5"), "{label}");
            expect(&run(folder.path(), &["fmt", "--compact", "a.sgf"]), 0, "", "");
            let laid_out = format!("(;{ca}SZ[9]PB[{name}]KM[6.5]C[{comment}];B[aa])\r\n");
            holds(&folder, "a.sgf", &charset.encode(&laid_out).0);
        }
    }
}

#[test]
fn comments_hide_findings() {
    let text = b"(;SZ[9];B[zz]C[so it was\nkifud: allow off-board];W[zz])";
    let folder = folder(&[("a.sgf", text), ("b.sgf", b"(;SZ[9]C[kifud: allow-game off-board];B[zz];W[zz])")]);
    let output = run(folder.path(), &["check", "--json", "a.sgf", "b.sgf"]);
    let text = String::from_utf8(output.stdout).unwrap();
    let found: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let [finding] = found.as_slice() else { panic!("{text}") };
    assert_eq!(
        (&finding["file"], &finding["code"], &finding["line"]),
        (&"a.sgf".into(), &"off-board".into(), &2.into())
    );
}

#[test]
fn patterns_that_no_shell_has_read() {
    let folder = folder(&[
        ("a1.sgf", b"(;KM[6,5])"),
        ("a2.sgf", b"(;B[aa])"),
        ("x/y/a3.sgf", b"(;KM[6,5])"),
        ("b.sgf", b"(;"),
    ]);
    for (pattern, files) in
        [("a*.sgf", 2), ("a?.sgf", 2), ("**/a*.sgf", 3), ("x/*/*.sgf", 1), ("a[12].sgf", 2)]
    {
        let output = run(folder.path(), &["check", pattern]);
        let shown = String::from_utf8_lossy(&output.stdout).into_owned();
        let start = format!("{files} file");
        assert!(shown.lines().last().unwrap().starts_with(&start), "{pattern}: {shown}");
    }
    let none = run(folder.path(), &["check", "z*.sgf"]);
    expect(&none, 1, "", "kifud: z*.sgf fits no file\n");
}

#[test]
fn sgf_in_another_charset() {
    let gbk = |text: &str| GBK.encode(text).0.into_owned();
    let folder = folder(&[
        ("a.sgf", &gbk("( ;CA[gb2312] PB[吴清源]XX[y]\r\n;B[aa])")),
        ("c.sgf", b"(;C[\xe5\x9b\xe5\x9b\xb4\xe6\xa3\x8b])"),
    ]);
    let there = "kifud: a.sgf is there already; --force overwrites it\n";
    expect(&run(folder.path(), &["convert", "a.sgf"]), 1, "", there);
    expect(&run(folder.path(), &["convert", "--force", "a.sgf"]), 0, "", "");
    holds(&folder, "a.sgf", "( ;CA[UTF-8] PB[吴清源]XX[y]\r\n;B[aa])".as_bytes());
    expect(&run(folder.path(), &["convert", "--charset", "gbk", "a.sgf", "--out", "b.sgf"]), 0, "", "");
    holds(&folder, "b.sgf", &gbk("( ;CA[GB18030] PB[吴清源]XX[y]\r\n;B[aa])"));
    let lossy = run(folder.path(), &["convert", "c.sgf", "--out", "-"]);
    expect(
        &lossy,
        0,
        "(;C[\u{fffd}围棋]CA[UTF-8])",
        "c.sgf: bytes that are no characters of UTF-8 were lost\n",
    );
}

#[cfg(unix)]
#[test]
fn what_cannot_be_written_is_refused() {
    let folder = folder(&[("a.sgf", b"(;SZ[9]KM[6,5])"), ("b.gib", b"\\HS\r\n\\[GAMENAME=x\\]\r\n\\GS\r\n")]);
    read_only(folder.path().join("a.sgf"));
    let shown = format!(
        "a.sgf:1:10: {COMMA}\n1 | (;SZ[9]KM[6,5])\n  |          ^^^^^\n  = fix: write a decimal point\n1 file: 1 error, 1 for --fix\n"
    );
    let output = run(folder.path(), &["check", "--fix", "a.sgf", "none.sgf", "b.gib"]);
    let refused = "kifud: a.sgf: it is read-only; it stays as it is\n\
                   kifud: none.sgf cannot be read: No such file or directory (os error 2)\n\
                   kifud: b.gib is gib, not SGF, PGN or DhtmlXQ; see kifud convert\n";
    expect(&output, 1, &shown, refused);
    holds(&folder, "a.sgf", b"(;SZ[9]KM[6,5])");
    let output = run(folder.path(), &["fmt", "a.sgf"]);
    expect(&output, 1, "", "kifud: a.sgf: it is read-only; it stays as it is\n");
}

#[test]
fn pipes() {
    let folder = folder(&[]);
    let gbk = |text: &str| GB18030.encode(text).0.into_owned();
    let output = piped(folder.path(), &["check", "--fix", "-"], &gbk("(;CA[gbk]C[围棋]KM[6,5];B[zz])"));
    assert_eq!(output.stdout, gbk("(;CA[gbk]C[围棋]KM[6.5];B[zz])"));
    let report = String::from_utf8(output.stderr).unwrap();
    assert!(report.starts_with("-:1:17: fixed[bad-number]: KM: "), "{report}");
    assert!(report.contains("-:1:24: error[off-board]: "), "{report}");
    assert!(report.ends_with("1 file: 1 error, 1 fixed\n"), "{report}");
    assert_eq!(output.status.code(), Some(1));
    let same = piped(folder.path(), &["check", "--fix", "-"], b"(;SZ[9];B[aa])");
    expect(&same, 0, "(;SZ[9];B[aa])", "1 file: nothing found\n");
    let format = piped(folder.path(), &["fmt", "-"], b"( ;SZ[9] GM[1] ;B[aa] )");
    expect(&format, 0, "(;SZ[9]\nGM[1]\n;B[aa])\n", "");
}

#[test]
fn levels() {
    let folder = folder(&[
        (".kifud.toml", b"[findings]\noff-board = \"off\"\nbad-number = \"hint\"\n"),
        ("a.sgf", b"(;SZ[9]KM[6,5];B[zz])"),
        ("deep/er/a.sgf", b"(;SZ[9];B[zz])"),
        ("wrong/.kifud.toml", b"# ours\n[findings]\nof-board = \"off\"\n"),
        ("wrong/a.sgf", b"(;SZ[9];B[zz])"),
        ("wrong/b.sgf", b"(;SZ[9];B[zz])"),
    ]);
    let output = run(folder.path(), &["check", "a.sgf", "deep"]);
    let hint = COMMA.replace("error", "hint");
    let shown = format!(
        "a.sgf:1:10: {hint}\n1 | (;SZ[9]KM[6,5];B[zz])\n  |          ^^^^^\n  = fix: write a decimal point\n2 files: 1 hint, 1 for --fix\n"
    );
    expect(&output, 0, &shown, "");
    let output = run(folder.path(), &["check", "wrong"]);
    let file = folder.path().canonicalize().unwrap().join("wrong/.kifud.toml");
    let told =
        format!("kifud: {}: line 3, column 1: there is no finding called \"of-board\"\n", file.display());
    expect(&output, 2, "", &told);
}

#[test]
fn usage() {
    let folder = folder(&[]);
    for args in [
        &["check"][..],
        &["check", "--locale", "fr", "a"],
        &["fmt"],
        &["convert", "--to", "xqf", "a"],
        &["convert", "a.gib", "b.gib", "--out", "c.sgf"],
    ] {
        assert_eq!(run(folder.path(), args).status.code(), Some(2), "{args:?}");
    }
    assert_eq!(run(folder.path(), &["check", "."]).status.code(), Some(1), "nothing to check");
}

#[test]
fn layouts() {
    let folder = folder(&[("a.sgf", b"( ;SZ[9]\r\n GM[1] ;B[aa];W[bb] )"), ("b.sgf", b"(;SZ[9];B[aa])\n")]);
    let check = run(folder.path(), &["fmt", "--check", "--compact", "a.sgf", "b.sgf"]);
    expect(&check, 1, "a.sgf: would be laid out\n", "");
    holds(&folder, "a.sgf", b"( ;SZ[9]\r\n GM[1] ;B[aa];W[bb] )");
    expect(&run(folder.path(), &["fmt", "."]), 0, "", "");
    holds(&folder, "a.sgf", b"(;SZ[9]\r\nGM[1]\r\n;B[aa];W[bb])\r\n");
    expect(&run(folder.path(), &["fmt", "--check", "a.sgf"]), 0, "", "");
    expect(&run(folder.path(), &["fmt", "--compact", "a.sgf"]), 0, "", "");
    holds(&folder, "a.sgf", b"(;SZ[9]GM[1];B[aa];W[bb])\r\n");
}

const PGN: &str = "[Game \"Chinese Chess\"]\n[Red \"许银川\"]\n\n1. 炮二平五 马8进7! 2. 马一进二 1-0\n";

#[test]
fn conversions() {
    let gib = EUC_KR
        .encode("\\HS\r\n\\[GAMEBLACKNAME=이세돌 (9D)\\]\r\n\\HE\r\n\\GS\r\nSTO 0 2 1 3 15\r\n\\GE\r\n")
        .0;
    let folder = folder(&[("a.gib", &gib), ("x.pgn", PGN.as_bytes())]);
    expect(&run(folder.path(), &["convert", "a.gib"]), 0, "", "");
    let sgf = std::fs::read_to_string(folder.path().join("a.sgf")).unwrap();
    assert!(sgf.contains("PB[이세돌]BR[9D]") && sgf.contains(";B[dp]"), "{sgf}");
    // What is there stays, unless it may go.
    std::fs::write(folder.path().join("a.sgf"), "mine").unwrap();
    let there = "kifud: a.sgf is there already; --force overwrites it\n";
    expect(&run(folder.path(), &["convert", "a.gib"]), 1, "", there);
    holds(&folder, "a.sgf", b"mine");
    expect(&run(folder.path(), &["convert", "--force", "a.gib"]), 0, "", "");
    holds(&folder, "a.sgf", sgf.as_bytes());
    let piped = piped(folder.path(), &["convert", "-"], &gib);
    assert_eq!(piped.stdout, sgf.as_bytes());
    // Two records never share a result.
    std::fs::create_dir(folder.path().join("b")).unwrap();
    std::fs::copy(folder.path().join("a.gib"), folder.path().join("b/a.gib")).unwrap();
    let both = run(folder.path(), &["convert", "--force", "a.gib", "b/a.gib", "--out", "new/"]);
    expect(&both, 1, "", "kifud: new/a.sgf is there already; --force overwrites it\n");
    expect(
        &run(folder.path(), &["convert", "a.gib", "--to", "pgn"]),
        1,
        "",
        "kifud: a.gib: gib is not converted to Pgn\n",
    );
}

#[test]
fn conversions_say_what_they_lose() {
    let folder = folder(&[("x.pgn", PGN.as_bytes())]);
    let output =
        run(folder.path(), &["convert", "x.pgn", "--to", "dhtmlxq", "--charset", "gbk", "--out", "-"]);
    assert_eq!(output.status.code(), Some(0));
    let text = GB18030.decode(&output.stdout).0.into_owned();
    assert!(text.contains("许银川"), "{text}");
    let losses = String::from_utf8(output.stderr).unwrap();
    // The second move of Red, who has no horse there, and the answer with a glyph.
    assert!(losses.lines().any(|line| line.starts_with("x.pgn:4:18: not converted: ")), "{losses}");
    assert!(losses.contains("x.pgn:4:9: the format has no annotation glyphs"), "{losses}");
}

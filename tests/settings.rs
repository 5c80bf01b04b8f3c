//! Settings from outside: where they come from, who may change them, and what they change.

mod support;

use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};
use support::{Conversation, example, kifud};

/// `kifud rpc METHOD PARAMS` with a home of its own.
fn rpc(home: &Path, set: &[(&str, &str)], args: &[&str]) -> Output {
    let mut command = Command::new(kifud());
    command.env("HOME", home).env_remove("XDG_CONFIG_HOME").env_remove("KIFUD_CONFIG");
    command.envs(set.iter().copied()).args(args).output().unwrap()
}

fn answer(output: &Output) -> Value {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A folder with a settings file, and the path of that.
fn file(text: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kifud.toml");
    std::fs::write(&path, text).unwrap();
    let path = path.to_str().unwrap().to_owned();
    (folder, path)
}

fn fake(name: &str, args: &[&str]) -> String {
    format!("[[engines]]\nname = {name:?}\npath = {:?}\nargs = {args:?}\n", example("fake-engine"))
}

/// Variables, further arguments, and words of what is said.
type Case<'a> = (&'a [(&'a str, &'a str)], &'a [&'a str], &'a str);

const GET: [&str; 3] = ["rpc", "kifud/configure", r#"{"get": ["analysisInterval", "moveDelayMs"]}"#];

#[test]
fn each_layer_goes_over_the_one_before() {
    let home = tempfile::tempdir().unwrap();
    let of = |set: &[(&str, &str)], more: &[&str]| {
        let answer = answer(&rpc(home.path(), set, &[more, &GET].concat()));
        let number = |key: &str| answer["settings"][key].as_u64().unwrap();
        (number("analysisInterval"), number("moveDelayMs"))
    };
    assert_eq!(of(&[], &[]), (50, 300), "no file at all");
    let folder = home.path().join(".config/kifud");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("kifud.toml"), "analysisInterval = 40\nmoveDelayMs = 200\n").unwrap();
    assert_eq!(of(&[], &[]), (40, 200), "the file in the home");
    let (_other, config) = file("analysisInterval = 30\n");
    assert_eq!(of(&[("KIFUD_CONFIG", &config)], &[]), (30, 300), "another file");
    assert_eq!(of(&[], &["--config", &config]), (30, 300));
    let variable = [("KIFUD_ANALYSIS_INTERVAL", "20")];
    assert_eq!(of(&variable, &["--config", &config]), (20, 300));
    assert_eq!(of(&variable, &["--set", "analysisInterval=10"]), (10, 200));
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let home = tempfile::tempdir().unwrap();
    let (_folder, config) = file("moveDelayMs = 1\n[log]\nfile = 'x'\n");
    let cases: [Case; 4] = [
        (&[], &["--config", &config], "line 3, column 1: unknown field `file`"),
        (&[("KIFUD_CONFIG", "/no/such.toml")], &[], "/no/such.toml cannot be read"),
        (&[("KIFUD_MOVE_DELAY_MS", "soon")], &[], "KIFUD_MOVE_DELAY_MS: "),
        (&[], &["--set", "moveDelay=1"], "--set moveDelay=1: "),
    ];
    for (set, more, words) in cases {
        let output = rpc(home.path(), set, &[more, &GET].concat());
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(words), "{said}");
    }
}

#[test]
fn engines_are_changed_in_the_users_file() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join(".config/kifud/kifud.toml");
    let configure = |params: Value| rpc(home.path(), &[], &["rpc", "kifud/configure", &params.to_string()]);
    let added = answer(&configure(json!({"addEngine": {"name": "fake", "path": "/bin/cat"}})));
    assert_eq!(added["file"], path.to_str().unwrap());
    assert_eq!(added["settings"]["engines"], json!([{"name": "fake", "path": "/bin/cat"}]));
    let text = format!("# mine\n\n{}\n# the last\n", std::fs::read_to_string(&path).unwrap());
    std::fs::write(&path, &text).unwrap();
    answer(&configure(
        json!({"editEngine": {"name": "fake", "engine": {"name": "fake", "path": "/bin/ls"}}}),
    ));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text.replace("/bin/cat", "/bin/ls"));
    answer(&configure(json!({"removeEngine": {"name": "fake"}})));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "# mine\n\n\n# the last\n");
    let refused = configure(json!({"removeEngine": {"name": "fake"}}));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("EngineNotFound"));
    let two = configure(json!({"removeEngine": {"name": "a"}, "set": {}}));
    assert!(String::from_utf8_lossy(&two.stderr).contains("give one of"));
}

#[test]
fn many_changes_at_once_come_one_after_the_other() {
    let (_folder, config) = file("");
    let mut client = Conversation::start(&["--config", &config]);
    let names: Vec<String> = (10..30).map(|number| format!("engine {number}")).collect();
    let add = |name: &String| json!({"addEngine": {"name": name, "path": "/bin/cat"}});
    let asked: Vec<i64> = names.iter().map(|name| client.ask("kifud/configure", add(name))).collect();
    for id in asked {
        let answer = client.answer(id);
        assert!(answer.get("error").is_none(), "{answer}");
    }
    let settings = client.request("kifud/configure", json!({}));
    let there = settings["settings"]["engines"].as_array().unwrap();
    assert_eq!(there.iter().map(|engine| engine["name"].clone()).collect::<Vec<_>>(), names);
}

#[test]
fn a_changed_engine_is_there_at_once_and_attached_ones_stay() {
    let (_folder, config) = file(&fake("one", &[]));
    let mut client = Conversation::start(&["--config", &config]);
    let engine = client.request("engine/attach", json!({"name": "one"}))["engine"]["id"].clone();
    let two = json!({"name": "two", "path": example("fake-engine"), "args": ["name Two"]});
    client.request("kifud/configure", json!({"addEngine": two}));
    let second = client.request("engine/attach", json!({"name": "two"}));
    assert_eq!(second["engine"]["program"], "Two");
    client.request("kifud/configure", json!({"removeEngine": {"name": "one"}}));
    assert_eq!(client.refused("engine/attach", json!({"name": "one"}))["data"]["kind"], "EngineNotFound");
    assert_eq!(client.gtp(&engine, "name"), "Fake");
}

#[test]
fn an_untrusted_session_changes_no_file_and_sees_no_arguments() {
    let (_folder, config) = file(&fake("one", &["name Secret"]));
    let options = json!({"initializationOptions": {"trusted": false, "analysisInterval": 7}});
    let mut client = Conversation::lsp(&["--config", &config], options);
    let settings = client.request("kifud/configure", json!({}));
    assert_eq!(settings["settings"]["engines"], json!([{"name": "one"}]));
    assert_eq!(settings["settings"]["analysisInterval"], 7);
    assert_eq!(settings.get("file"), None);
    let before = std::fs::read_to_string(&config).unwrap();
    for change in [
        json!({"addEngine": {"name": "x", "path": "/bin/sh"}}),
        json!({"removeEngine": {"name": "one"}}),
        json!({"set": {"engines": [{"name": "one", "path": "/bin/sh"}]}}),
    ] {
        assert_eq!(client.refused("kifud/configure", change)["data"]["kind"], "NotTrusted");
    }
    assert_eq!(std::fs::read_to_string(&config).unwrap(), before);
    assert_eq!(client.leave(), 0);
}

/// What an editor sends may come from the folder that it has opened.
#[test]
fn a_workspace_adds_and_changes_programs_only_when_the_client_trusts_it() {
    let (_folder, config) = file(&fake("one", &["name Mine"]));
    let other = json!([{"name": "one", "args": ["name Theirs"]}, {"name": "evil", "path": "/bin/sh"}]);
    let program = |client: &mut Conversation| {
        let attached = client.request("engine/attach", json!({"name": "one"}));
        attached["engine"]["program"].clone()
    };
    for said in [json!({}), json!({"trusted": false})] {
        let mut options = said;
        options["engines"] = other.clone();
        options["moveDelayMs"] = 5.into();
        let mut client = Conversation::lsp(&["--config", &config], json!({"initializationOptions": options}));
        let told = client.wait("a warning", |message| message["method"] == "window/showMessage");
        assert!(told["params"]["message"].as_str().unwrap().contains("trusts the workspace"), "{told}");
        assert_eq!(
            client.request("kifud/configure", json!({}))["settings"]["moveDelayMs"],
            5,
            "the rest is taken"
        );
        // Whether it can be trusted is not the workspace's to say.
        let settings = json!({"kifud": {"trusted": true, "engines": other}});
        client.notify("workspace/didChangeConfiguration", json!({"settings": settings}));
        assert_eq!(
            client.refused("engine/attach", json!({"name": "evil"}))["data"]["kind"],
            "EngineNotFound"
        );
        let set = client.refused("kifud/configure", json!({"set": {"engines": other}}));
        assert_eq!(set["data"]["kind"], "NotTrusted");
        assert_eq!(program(&mut client), "Mine");
        assert_eq!(client.leave(), 0);
    }
    let options = json!({"initializationOptions": {"trusted": true, "engines": other}});
    let mut client = Conversation::lsp(&["--config", &config], options);
    assert_eq!(program(&mut client), "Theirs");
    // The next settings stand in place of the ones before.
    client.notify("workspace/didChangeConfiguration", json!({"settings": {"moveDelayMs": 9}}));
    assert_eq!(program(&mut client), "Mine");
    assert_eq!(client.leave(), 0);
}

#[test]
fn a_session_keeps_its_settings_to_itself() {
    let (_folder, config) = file("analysisInterval = 30\n");
    let mut client = Conversation::start(&["--config", &config]);
    let mut set = |value: Value| client.request("kifud/configure", json!({"set": value}))["settings"].clone();
    assert_eq!(set(json!({"moveDelayMs": 5}))["analysisInterval"], 30);
    let both = set(json!({"analysisInterval": 7}));
    assert_eq!((&both["analysisInterval"], &both["moveDelayMs"]), (&json!(7), &json!(5)));
    for (value, field) in
        [(json!({"listen": []}), "listen"), (json!({"analysisIntervall": 1}), "set.analysisIntervall")]
    {
        let error = client.refused("kifud/configure", json!({"set": value}));
        assert_eq!(error["data"]["field"], field, "{error}");
    }
    // The file stays below the session's own settings.
    std::fs::write(&config, "analysisInterval = 20\nmoveDelayMs = 20\nquitTimeoutMs = 20\n").unwrap();
    let end = std::time::Instant::now() + support::PATIENCE;
    loop {
        let settings = client.request("kifud/configure", json!({}))["settings"].clone();
        if settings["quitTimeoutMs"] == 20 {
            assert_eq!((&settings["analysisInterval"], &settings["moveDelayMs"]), (&json!(7), &json!(5)));
            break;
        }
        assert!(std::time::Instant::now() < end, "the change has not been seen");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
}

#[test]
fn a_bad_change_is_shown_in_the_editor() {
    let (_folder, config) = file("moveDelayMs = 5\n");
    let mut client = Conversation::lsp(&["--config", &config], json!({}));
    std::fs::write(&config, "moveDelayMs = 6\nfoo = 1\n").unwrap();
    let told = client.wait("an error", |message| message["method"] == "window/showMessage");
    let message = told["params"]["message"].as_str().unwrap();
    assert!(message.contains("line 2, column 1") && message.contains("the old settings stay"), "{message}");
    assert_eq!(client.request("kifud/configure", json!({}))["settings"]["moveDelayMs"], 5);
    assert_eq!(client.leave(), 0);
}

#[test]
fn sizes_are_limited_as_the_file_says() {
    let (_folder, config) = file("limits = { documentBytes = 2000, messageBytes = 65536 }\n");
    let mut client = Conversation::start(&["--config", &config]);
    let document = |bytes: usize| json!({"uri": "file:///a.sgf", "version": 1, "text": "x".repeat(bytes)});
    let too_large = client.refused("document/open", document(2001));
    assert_eq!(too_large["data"]["kind"], "LimitExceeded");
    assert!(too_large["message"].as_str().unwrap().contains("2000"), "{too_large}");
    client.request("document/open", document(2000));
    // A change is in force at once for documents, and for messages at the next start. The edit of the engines makes
    // the file be read.
    std::fs::write(&config, "limits = { documentBytes = 100_000, messageBytes = 1_000_000 }\n").unwrap();
    client.request("kifud/configure", json!({"addEngine": {"name": "a", "path": "b"}}));
    client.request("document/open", document(50_000));
    client.ask("document/open", document(70_000));
    let refused = client.wait("the refusal of a message", |message| message["id"].is_null());
    assert!(refused["error"]["message"].as_str().unwrap().contains("65536"), "{refused}");
    let mut client = Conversation::start(&["--config", &config]);
    client.request("document/open", document(70_000));
}

/// What reaches the engine.
#[test]
fn settings_are_used() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let more = format!("env = {{ FAKE_LOG = {log:?} }}\n");
    let engine = fake("one", &["commands +kata-analyze +own-analyze", "visits 100"]) + &more;
    let (_folder, config) =
        file(&format!("analyzeCommands = ['own-analyze', 'kata-analyze']\nanalysisInterval = 33\n{engine}"));
    let mut client = Conversation::start(&["--config", &config]);
    let attached = client.request("engine/attach", json!({"name": "one"}));
    assert_eq!(attached["engine"]["supports"]["analyze"], true);
    let position = json!({"boardSize": 9, "komi": 7, "moves": []});
    let mut analyze = |more: Value| {
        let mut params = json!({"position": position, "heatmap": true});
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let stream = client.request("engine/analyze", params);
        let event = client.event_in(&stream, "running");
        client.request("engine/stop", json!({"subscription": stream}));
        client.event_in(&stream, "ended");
        event["heatmap"][0]["text"].as_str().unwrap().to_owned()
    };
    let absolute = analyze(json!({}));
    analyze(json!({"interval": 12}));
    assert_eq!(absolute, "50.0");
    client.request(
        "kifud/configure",
        json!({"set": {"analyzeCommands": ["kata-analyze"], "analysisValueType": "relative"}}),
    );
    let mut analyze = |more: Value| {
        let stream = client.request("engine/analyze", more);
        let event = client.event_in(&stream, "running");
        event["heatmap"]
            .as_array()
            .unwrap()
            .iter()
            .map(|cell| cell["text"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let relative = analyze(json!({"position": position, "heatmap": true}));
    assert!(relative.iter().any(|text| text.starts_with('0')), "{relative:?}");
    let said = std::fs::read_to_string(&log).unwrap();
    let commands: Vec<&str> = said
        .lines()
        .filter(|line| line.contains("-analyze b"))
        .filter_map(|line| line.split_once(' '))
        .map(|(_, c)| c)
        .collect();
    assert_eq!(commands, ["own-analyze b 33", "own-analyze b 12", "kata-analyze b 33 rootInfo true"]);
}

/// A value that an engine reports for Black is turned for White.
#[test]
fn the_perspective_of_an_engine() {
    let engine = fake("one", &["commands +kata-analyze", "keys scoreLead 2.5"]) + "perspective = \"black\"\n";
    let (_folder, config) = file(&engine);
    let mut client = Conversation::start(&["--config", &config]);
    client.request("engine/attach", json!({"name": "one"}));
    let mut white = |color: &str| {
        let position = json!({"boardSize": 9, "moves": [{"color": "B", "vertex": "E5"}]});
        let stream = client.request("engine/analyze", json!({"position": position, "color": color}));
        let event = client.event_in(&stream, "running");
        client.request("engine/stop", json!({"subscription": stream}));
        (event["winrate"].clone(), event["scoreLead"].clone(), event["black"]["winrate"].clone())
    };
    // The fake says 50 % and 0.01 % more for each stone, and a lead of 2.5.
    assert_eq!(white("B"), (json!(50.01), json!(2.5), json!(50.01)));
    assert_eq!(white("W"), (json!(49.99), json!(-2.5), json!(50.01)));
}

/// Inside a Flatpak the host starts the program, in its folder.
#[cfg(unix)]
#[test]
fn inside_flatpak_the_host_starts_the_program() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let spawn = folder.path().join("flatpak-spawn");
    let log = folder.path().join("log");
    let script = format!(
        "#!/bin/sh\nprintf '%s\\n' \"$@\" > {log:?}\nwhile case $1 in --*) true;; *) false;; esac; do shift; done\nexec \"$@\"\n"
    );
    std::fs::write(&spawn, script).unwrap();
    std::fs::set_permissions(&spawn, std::fs::Permissions::from_mode(0o755)).unwrap();
    let (_folder, config) = file(&(fake("one", &["name Outside"]) + "env = { A = \"b\" }\n"));
    let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap());
    let mut command = Command::new(kifud());
    command.args(["--config", &config]).env("FLATPAK_ID", "org.example.kifud").env("PATH", path);
    let mut client = Conversation::spawn(command);
    let attached = client.request("engine/attach", json!({"name": "one"}));
    assert_eq!(attached["engine"]["program"], "Outside");
    let engine = example("fake-engine");
    let said = std::fs::read_to_string(&log).unwrap();
    let expected = [
        "--host",
        "--watch-bus",
        &format!("--directory={}", engine.parent().unwrap().display()),
        "--env=A=b",
        engine.to_str().unwrap(),
        "name Outside",
    ];
    assert_eq!(said.lines().collect::<Vec<_>>(), expected);
}

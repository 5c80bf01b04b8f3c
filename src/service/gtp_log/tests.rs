use std::fs;

use super::*;

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// What the log says, file by file, without the moments.
fn texts(folder: &Path) -> Vec<Vec<String>> {
    let text = |name: &String| fs::read_to_string(folder.join(name)).unwrap();
    let lines = |text: String| text.lines().map(|line| line.get(26..).unwrap().to_owned()).collect();
    names(folder).iter().map(text).map(lines).collect()
}

fn on(folder: &Path) -> GtpLog {
    let log = GtpLog::default();
    log.set(Some(LogSettings::in_folder(folder)));
    log
}

fn flush(log: &GtpLog) {
    log.flush(Duration::from_secs(30));
}

#[test]
fn each_engine_has_a_file_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let log = on(folder.path());
    let first = log.begin(&Log::default(), "A", vec!["hunter2".into()]).unwrap().unwrap();
    let second = log.begin(&Log::default(), "B", Vec::new()).unwrap().unwrap();
    let now = SystemTime::now();
    first.line(now, Way::Meta, b"starting x -pw hunter2");
    second.line(now, Way::In, b"1 name");
    first.line(now, Way::Out, b"=1 hunter2");
    second.line(now, Way::Err, b"secret=x");
    flush(&log);
    assert_eq!(
        texts(folder.path()),
        [
            vec!["<A>   (meta) : starting x -pw ***", "<A>   (out) : =1 ***"],
            vec!["<B>   (in) : 1 name", "<B>   (err) : secret=***"],
        ]
    );
    let process = format!("_{}.log", std::process::id());
    assert!(names(folder.path()).iter().all(|name| name.starts_with("kifud_20") && name.ends_with(&process)));
}

#[test]
fn nothing_is_written_when_it_is_off() {
    let log = GtpLog::default();
    assert!(log.begin(&Log::default(), "A", Vec::new()).unwrap().is_none());
    flush(&log);
    assert!(log.writer.lock().unwrap().is_none(), "no thread either");
}

#[test]
fn a_full_file_is_followed_by_another_and_the_oldest_goes() {
    let folder = tempfile::tempdir().unwrap();
    let log = GtpLog::default();
    let settings = Log { enabled: true, folder: Some(folder.path().into()), max_bytes: 200, max_files: 3 };
    let engine = log.begin(&settings, "A", Vec::new()).unwrap().unwrap();
    // Each line is 26 + 14 + 2 bytes long: four go into 200.
    (10..31).for_each(|n| engine.line(SystemTime::now(), Way::Out, n.to_string().as_bytes()));
    engine.line(SystemTime::now(), Way::Out, &[b'x'; 500]);
    engine.line(SystemTime::now(), Way::Out, b"31");
    flush(&log);
    let said: Vec<Vec<String>> = texts(folder.path())
        .into_iter()
        .map(|lines| lines.iter().map(|line| line.replace("<A>   (out) : ", "")).collect())
        .collect();
    let long = "x".repeat(500);
    assert_eq!(said, [vec!["30"], vec![long.as_str()], vec!["31"]]);
}

#[test]
fn what_cannot_be_used_as_folder_is_told_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let mut cases = vec![
        (folder.path().join("missing"), "does not exist"),
        (file.clone(), "is not a folder"),
        (file.join("below"), "cannot be used"),
    ];
    if cfg!(target_os = "linux") {
        // Not even root can make files there.
        cases.push(("/proc".into(), "no file can be made"));
    }
    for (folder, expected) in cases {
        let settings = LogSettings::in_folder(&folder);
        let log = GtpLog::default();
        log.set(Some(settings.clone()));
        for error in [settings.check().unwrap_err(), log.begin(&Log::default(), "A", Vec::new()).unwrap_err()]
        {
            assert_eq!(error.kind, Kind::NotFound);
            assert!(error.message.contains(expected), "{error}");
            assert!(error.message.contains("name another folder"), "{error}");
            assert!(error.message.contains(&*folder.display().to_string()), "{error}");
        }
    }
    let unset = Log { enabled: true, ..Log::default() };
    assert!(check(&unset).unwrap_err().message.contains("set log.folder"));
    assert!(check(&Log { folder: Some("missing".into()), ..Log::default() }).is_ok(), "it is off");
    assert!(LogSettings::in_folder(folder.path()).check().is_ok());
    assert_eq!(names(folder.path()), ["file"], "trying leaves nothing behind");
}

#[test]
fn what_does_not_fit_is_counted_in_the_log() {
    let folder = tempfile::tempdir().unwrap();
    let log = on(folder.path());
    let engine = log.begin(&Log::default(), "A", Vec::new()).unwrap().unwrap();
    // The writer is held up at the first line.
    let held = engine.file.hold();
    (0..LINES + 1000).for_each(|_| engine.line(SystemTime::now(), Way::Out, b"x"));
    drop(held);
    drop(engine);
    let mut said = Vec::new();
    while said.len() < LINES {
        flush(&log);
        said = texts(folder.path()).remove(0);
    }
    let lines = said.iter().filter(|line| line.ends_with(": x")).count();
    let missing: usize = said
        .iter()
        .filter_map(|line| line.strip_prefix("<A>   (meta) : ")?.split_once(" lines are missing here"))
        .map(|(count, _)| count.parse::<usize>().unwrap())
        .sum();
    assert_eq!(lines + missing, LINES + 1000);
    assert!((900..=1000).contains(&missing), "{missing}");
}

#[test]
fn huge_lines_are_bounded_in_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let log = on(folder.path());
    let engine = log.begin(&Log::default(), "A", Vec::new()).unwrap().unwrap();
    let line = vec![b'x'; 1_390_000];
    let held = engine.file.hold();
    for _ in 0..100 {
        engine.line(SystemTime::now(), Way::Out, &line);
        assert!(engine.writer.waiting.load(Ordering::Relaxed) <= BYTES);
    }
    drop(held);
    flush(&log);
    // 24 of them fit into 32 MiB.
    let said = texts(folder.path()).remove(0);
    assert_eq!(said.iter().filter(|line| line.len() > line.len().min(1_390_000)).count(), 24);
    assert_eq!(engine.writer.waiting.load(Ordering::Relaxed), 0);
}

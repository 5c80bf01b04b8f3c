use super::*;
use expect_test::expect;

/// A host without files, whose clock goes on a tenth of a second whenever it is looked at.
struct Script {
    said: String,
    seconds: std::cell::Cell<f64>,
    /// Looks at the clock after which another line waits.
    patience: u32,
    looks: std::cell::Cell<u32>,
}

impl Script {
    fn new(patience: u32) -> Script {
        Script { said: String::new(), seconds: Default::default(), patience, looks: Default::default() }
    }
}

impl Host for Script {
    fn say(&mut self, text: &str) {
        self.said.push_str(text);
    }

    fn seconds(&self) -> f64 {
        self.looks.set(self.looks.get() + 1);
        self.seconds.set(self.seconds.get() + 0.1);
        self.seconds.get()
    }

    fn is_wanted(&self) -> bool {
        self.looks.get() >= self.patience
    }

    fn load(&self, path: &str, _moves: Option<usize>) -> Result<Position, String> {
        Err(format!("no file {path}"))
    }
}

fn talk(lines: &str) -> String {
    let mut engine = Engine::new(1).with_visits(100);
    let mut host = Script::new(40);
    for line in lines.lines() {
        host.looks.set(0);
        engine.hear(line, &mut host);
    }
    host.said
}

#[test]
fn answers_are_framed_as_katago_frames_them() {
    // Questions of the transcripts of KataGo 1.18.1; its answers.
    let said = talk(
        "1 protocol_version\nboardsize 9\n10 play b d4\n2 play w D4\n4 play b I5\n7 play x A1\n8 play b\n\
         15 undo\n22 undo\n23 komi abc\n24 komi 1000\n26 komi -200\n28 boardsize 0\n30 boardsize 2\n\
         34 boardsize 13 7\n37 boardsize abc\n38 boardsize 9\n40 set_position b d4 w e5\n\
         41 set_position b d4 w d4\n42 set_position b a1 w a2 w b1\n43 set_position\n44 set_free_handicap D4 F6\n\
         45 set_free_handicap D4 F6\n72 bogus\n\n# nothing\n",
    );
    expect![[r#"
        =1 2

        = 

        =10 

        ?2 illegal move

        ?4 Could not parse vertex: 'I5'

        ?7 Could not parse color: 'x'

        ?8 Expected two arguments for play but got 'b'

        =15 

        ?22 cannot undo

        ?23 Expected single float argument for komi but got 'abc'

        ?24 unacceptable komi

        =26 

        ?28 unacceptable size

        =30 

        =34 

        ?37 Expected int argument for boardsize or pair of ints but got 'abc'

        =38 

        =40 

        ?41 Illegal stone placements - overlapping stones or stones with no liberties?

        ?42 Illegal stone placements - overlapping stones or stones with no liberties?

        =43 

        =44 

        ?45 Board is not empty

        ?72 unknown command

    "#]]
    .assert_eq(&said);
}

#[test]
fn wrong_analysis_arguments_are_refused_in_katagos_words() {
    let said = talk(
        "boardsize 9\n24 kata-analyze w 20 allow w C3 1 avoid w A1 1\n25 kata-analyze w 20 foo true\n\
         26 kata-analyze 20 w\n27 kata-analyze q 20\n28 kata-analyze w -5",
    );
    for (id, args) in [
        (24, "w 20 allow w C3 1 avoid w A1 1"),
        (25, "w 20 foo true"),
        (26, "20 w"),
        (27, "q 20"),
        (28, "w -5"),
    ] {
        let answer =
            format!("?{id} Could not parse analyze arguments or arguments out of range: '{args}'\n\n");
        assert!(said.contains(&answer), "{said}");
    }
}

#[test]
fn an_analysis_is_a_head_lines_and_an_empty_line() {
    let said =
        talk("boardsize 5\nkomi 0\n7 kata-analyze b 20 rootInfo true ownership true maxmoves 2\n8 name");
    let block = said.split("=7\n").nth(1).unwrap();
    let (lines, rest) = block.split_once("\n\n").unwrap();
    assert_eq!(rest, "=8 kifud demo engine\n\n");
    for line in lines.lines() {
        assert!(line.starts_with("info move "), "{line}");
        assert!((1..=2).contains(&line.matches("info move ").count()), "{line}");
        let ownership = line.split(" ownership ").nth(1).unwrap();
        assert_eq!(ownership.split(' ').filter(|number| number.parse::<f64>().is_ok()).count(), 25);
        assert!(line.contains(" rootInfo visits "));
    }
    assert!(lines.lines().count() > 1, "{lines}");
}

#[test]
fn only_allowed_moves_are_told() {
    let said = talk("boardsize 5\n7 lz-analyze b 20 allow b A1,B2 1");
    let line = said.lines().find(|line| line.starts_with("info")).unwrap();
    let moves: Vec<_> = line.split("info move ").skip(1).filter_map(|part| part.split(' ').next()).collect();
    assert!(!moves.is_empty() && moves.iter().all(|text| ["A1", "B2"].contains(text)), "{line}");
    let said = talk("boardsize 5\n7 kata-search_analyze_cancellable b 20 avoid b C3 1");
    assert!(said.contains("\nplay ") && !said.contains("play C3"), "{said}");
}

#[test]
fn moves_are_made_or_only_told() {
    let said = talk(
        "boardsize 5\n1 genmove b\n2 undo\n3 undo\n4 kata-search b\n5 undo\n6 lz-genmove_analyze b 20\n7 undo",
    );
    let answers: Vec<_> = said.split("\n\n").collect();
    assert_eq!(answers[1], "=1 C3");
    assert_eq!(answers[2..4], ["=2 ", "?3 cannot undo"]);
    assert_eq!(answers[4..6], ["=4 C3", "?5 cannot undo"]);
    assert!(answers[6].starts_with("=6\ninfo move ") && answers[6].ends_with("\nplay C3"), "{}", answers[6]);
    assert_eq!(answers[7], "=7 ");
}

#[test]
fn dead_stones_and_the_score() {
    let stones =
        "b A5 b B5 b C5 b D5 b E5 b A4 b C4 b E4 b A3 b B3 b C3 b D3 b E3 w A2 w B2 w C2 w D2 w E2 w C1";
    let said = talk(&format!(
        "boardsize 5\nkomi 1\nset_position {stones} b D1\n1 final_status_list dead\n2 final_score"
    ));
    // Black has three rows, White two: fifteen to ten.
    assert!(said.ends_with("=1 D1\n\n=2 B+4\n\n"), "{said}");
}

#[test]
fn time_is_saved_where_the_choice_is_clear() {
    let stones = "b A3 b B3 b C3 b D3 b E3 b B5 b D5 w A2 w B2 w C2 w D2 w E2 w C1";
    let mut engine = Engine::new(1);
    let mut host = Script::new(u32::MAX);
    for line in ["boardsize 5", "komi 0", &format!("set_position {stones}"), "time_settings 0 100 1"] {
        engine.hear(line, &mut host);
    }
    engine.hear("genmove b", &mut host);
    // The clock goes on by a tenth of a second for eight playouts.
    let used = host.seconds.get();
    assert!((10.0..50.0).contains(&used), "{used}");
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(48))]

    #[test]
    fn whatever_is_said_is_answered(lines in proptest::collection::vec(line(), 1..30)) {
        let mut engine = Engine::new(1).with_visits(3);
        let mut host = Script::new(4);
        engine.hear("boardsize 5", &mut host);
        for line in &lines {
            host.said.clear();
            host.looks.set(0);
            engine.hear(line, &mut host);
            proptest::prop_assert!(host.said.is_empty() || host.said.ends_with("\n\n") || host.said == "\n");
        }
    }
}

fn line() -> impl proptest::strategy::Strategy<Value = String> {
    use proptest::prelude::*;
    let word = prop_oneof![
        prop::sample::select(COMMANDS.to_vec()).prop_map(str::to_owned),
        prop::sample::select(vec![
            "b", "w", "A1", "C3", "E5", "pass", "resign", "2", "5", "19", "-1", "nan", "1e9", "true"
        ])
        .prop_map(str::to_owned),
        prop::sample::select(vec![
            "allow",
            "avoid",
            "maxmoves",
            "minmoves",
            "ownership",
            "rootInfo",
            "interval"
        ])
        .prop_map(str::to_owned),
        "[ -~]{0,6}",
    ];
    let play = prop_oneof![Just("play b ".to_owned()), Just("play w ".to_owned())];
    let vertex = "[A-E][1-5]";
    prop_oneof![
        (prop::sample::select(COMMANDS.to_vec()), prop::collection::vec(word, 0..5))
            .prop_map(|(command, words)| format!("{command} {}", words.join(" "))),
        (play, vertex).prop_map(|(play, vertex)| play + &vertex),
        "\\PC{0,20}",
    ]
}

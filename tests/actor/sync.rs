//! Boards, moves, and what is believed about them.

use kifud::engine::sync::Strategy;
use kifud::engine::{ErrorKind, GenmovePlay, GenmoveRequest, SearchRequest};
use kifud::go::{Color, Point, Position, Size, Step, Vertex};

use crate::support::*;

fn drawn(position: &Position) -> String {
    let board = position.board();
    let mut text = String::new();
    for point in board.size().points() {
        text.push_str(if point.col == 0 { "\n" } else { " " });
        text.push(match board.at(point) {
            Some(Color::Black) => 'X',
            Some(Color::White) => 'O',
            None => '.',
        });
    }
    text.trim_start().to_owned()
}

async fn stands_on(fake: &Fake, position: &Position) {
    assert_eq!(fake.showboard().await.trim_start(), drawn(position));
}

#[tokio::test]
async fn the_cheapest_way_is_taken() {
    let fake = Fake::start("").await;
    let steps = [
        ("E5 C3", Strategy::Replay),
        ("E5 C3", Strategy::None),
        ("E5 C3 G7", Strategy::Extend),
        ("E5 C3 D4", Strategy::Undo),
    ];
    let mut revision = fake.engine.revision();
    for (moves, strategy) in steps {
        let synced = patiently(fake.engine.sync(game(9, moves))).await.unwrap();
        assert_eq!(synced.strategy, strategy, "{moves}");
        let changed = u64::from(strategy != Strategy::None);
        assert_eq!(synced.revision, revision + changed, "{moves}");
        assert_eq!(synced.revision, fake.engine.revision());
        revision = synced.revision;
        stands_on(&fake, &game(9, moves)).await;
    }
}

#[tokio::test]
async fn the_answer_names_komi_rules_and_what_was_lost() {
    let fake = Fake::start("").await;
    let mut position = game(9, "E5");
    position.rules = Some("Japanese".into());
    let synced = patiently(fake.engine.sync(position.clone())).await.unwrap();
    assert_eq!((synced.komi, &synced.rules), (Some(7.5), &None));
    assert!(synced.lost.iter().any(|lost| lost.what == "rules"));

    let fake = Fake::start("commands +kata-set-rules\non kata-set-rules: refuse never heard").await;
    let synced = patiently(fake.engine.sync(position.clone())).await.unwrap();
    assert_eq!(synced.rules, None);
    assert!(synced.lost.iter().any(|lost| lost.what == "rules" && lost.why.contains("never heard")));

    let fake = Fake::start("commands +kata-set-rules").await;
    let synced = patiently(fake.engine.sync(position)).await.unwrap();
    assert_eq!(synced.rules.as_deref(), Some("Japanese"));
}

#[tokio::test]
async fn rectangular_boards_only_where_listed() {
    let mut position = Position::new(Size::new(13, 7).unwrap());
    position.komi = Some(0.0);
    let fake = Fake::start("").await;
    let error = patiently(fake.engine.sync(position.clone())).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::BoardTooLarge);
    assert!(!fake.received().iter().any(|line| line.starts_with("boardsize")));
    let fake = Fake::start("commands +rectangular_boardsize").await;
    patiently(fake.engine.sync(position.clone())).await.unwrap();
    stands_on(&fake, &position).await;
}

#[tokio::test]
async fn refused_size_and_komi_keep_the_engine() {
    let fake = Fake::start("board 19\non komi 1000: refuse unacceptable komi").await;
    let error = patiently(fake.engine.sync(game(9, ""))).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::BoardTooLarge);
    assert_eq!(error.evidence.command.as_deref(), Some("boardsize 9"));
    assert_eq!(error.evidence.reply.as_deref(), Some("unacceptable size"));
    let mut position = game(19, "");
    position.komi = Some(1000.0);
    let error = patiently(fake.engine.sync(position)).await.unwrap_err();
    assert_eq!(
        (error.kind, error.evidence.reply.as_deref()),
        (ErrorKind::EngineRefused, Some("unacceptable komi"))
    );
    patiently(fake.engine.sync(game(19, "Q16"))).await.unwrap();
    stands_on(&fake, &game(19, "Q16")).await;
}

#[tokio::test]
async fn commands_that_are_not_listed_are_not_sent() {
    let fake = Fake::start("commands -undo -set_free_handicap").await;
    let mut handicap = game(19, "");
    let stones = [Point::new(3, 3), Point::new(15, 15)].map(|point| (point, Some(Color::Black)));
    handicap.steps.push(Step::Setup(stones.to_vec()));
    patiently(fake.engine.sync(game(9, "E5 C3"))).await.unwrap();
    patiently(fake.engine.sync(game(9, "E5"))).await.unwrap();
    patiently(fake.engine.sync(handicap.clone())).await.unwrap();
    stands_on(&fake, &handicap).await;
    let unlisted = ["undo", "set_free_handicap", "loadsgf", "set_position", "stop"];
    assert!(fake.received().iter().all(|line| !unlisted.contains(&line.split(' ').next().unwrap())));
}

#[tokio::test]
async fn a_refused_handicap_is_played() {
    // KataGo takes one stone, GNU Go none below two; some refuse what they list.
    let fake = Fake::start("on set_free_handicap: refuse invalid handicap").await;
    let mut handicap = game(19, "");
    let stones = [Point::new(3, 3), Point::new(15, 15)].map(|point| (point, Some(Color::Black)));
    handicap.steps.push(Step::Setup(stones.to_vec()));
    patiently(fake.engine.sync(handicap.clone())).await.unwrap();
    stands_on(&fake, &handicap).await;
}

#[tokio::test]
async fn a_refused_undo_leads_to_a_full_sync() {
    let fake = Fake::start("on undo @2: refuse cannot undo").await;
    patiently(fake.engine.sync(game(9, "E5 C3 G7 C7 G3 D4 F6 D6 F4"))).await.unwrap();
    let synced = patiently(fake.engine.sync(game(9, "E5 C3 G7 C7 G3 D4"))).await.unwrap();
    assert_eq!(synced.strategy, Strategy::Replay);
    stands_on(&fake, &game(9, "E5 C3 G7 C7 G3 D4")).await;
}

#[tokio::test]
async fn refusals_are_not_matched_on_text() {
    for text in ["illegal move", "Error Illegal move: D4 not EMPTY", "", "= 1", "syntax not understood"] {
        let fake = Fake::start(&format!("on play b G7 @1: refuse {text}")).await;
        patiently(fake.engine.sync(game(9, "E5 C3"))).await.unwrap();
        let synced = patiently(fake.engine.sync(game(9, "E5 C3 G7"))).await.unwrap();
        assert_eq!(synced.strategy, Strategy::Replay, "{text}");
        stands_on(&fake, &game(9, "E5 C3 G7")).await;
    }
}

#[tokio::test]
async fn an_arrangement_that_the_engine_never_takes() {
    let fake = Fake::start("commands +lz-analyze\non play b G7: refuse no").await;
    let error = patiently(fake.engine.sync(game(9, "E5 C3 G7"))).await.unwrap_err();
    assert_eq!((error.kind, error.evidence.command.as_deref()), (ErrorKind::SyncFailed, Some("play B G7")));
    assert_eq!(error.evidence.reply.as_deref(), Some("no"));
    // Nothing is shown of a board that is not the one asked for.
    assert!(patiently(fake.engine.analyze(at(game(9, "E5 C3 G7")))).await.is_err());
    assert!(patiently(fake.engine.analyze(at(game(9, "E5 C3")))).await.is_ok());
}

#[tokio::test]
async fn larger_than_gtp_can_say() {
    let fake = Fake::start("").await;
    let error = patiently(fake.engine.sync(Position::new(Size::square(26).unwrap()))).await.unwrap_err();
    assert_eq!(error.kind, ErrorKind::BoardTooLarge);
}

fn move_at(position: Position) -> GenmoveRequest {
    GenmoveRequest { position: Some(position), ..GenmoveRequest::default() }
}

#[tokio::test]
async fn a_move_stands_on_the_engines_board() {
    let fake = Fake::start("").await;
    let before = game(9, "E5 C3 G7");
    let moved = patiently(fake.engine.genmove(move_at(before.clone()))).await.unwrap();
    assert_eq!(moved.color, Color::White);
    assert_eq!(moved.revision, fake.engine.revision());
    let GenmovePlay::Play(vertex) = moved.play else { panic!("it resigned") };
    let mut after = before;
    after.steps.push(Step::Play(kifud::go::Move { color: Color::White, vertex }));
    after.to_play = Color::Black;
    let synced = patiently(fake.engine.sync(after.clone())).await.unwrap();
    assert_eq!(synced.strategy, Strategy::None, "the engine has made the move itself");
    stands_on(&fake, &after).await;
}

#[tokio::test]
async fn captures_of_a_move_are_counted() {
    let fake = Fake::start("").await;
    // On 2x2, Black stands on A2 and White on B2: A1, the first free point, takes A2.
    let mut position = game(2, "A2 B2 pass");
    position.to_play = Color::White;
    let moved = patiently(fake.engine.genmove(move_at(position))).await.unwrap();
    assert_eq!((moved.play, moved.captured), (GenmovePlay::Play(Vertex::At(Point::new(0, 1))), 1));
}

#[tokio::test]
async fn move_pass_or_resign() {
    let script = "on genmove b @1: reply PASS\non genmove w @1: reply resign\non genmove b @2: reply resign";
    let fake = Fake::start(script).await;
    let first = patiently(fake.engine.genmove(move_at(game(9, "")))).await.unwrap();
    assert_eq!(first.play, GenmovePlay::Play(Vertex::Pass));
    let second = patiently(fake.engine.genmove(GenmoveRequest::default())).await.unwrap();
    assert_eq!((second.play, second.color), (GenmovePlay::Resign, Color::White));
    // Some engines keep a resignation as a move: the next sync starts from an empty board.
    let synced = patiently(fake.engine.sync(game(9, "E5"))).await.unwrap();
    assert_eq!(synced.strategy, Strategy::Replay);
}

#[tokio::test]
async fn answers_that_are_no_move_here() {
    for answer in ["E5", "T19", "I5", "nonsense", ""] {
        let fake = Fake::start(&format!("on genmove: reply {answer}")).await;
        let error = patiently(fake.engine.genmove(move_at(game(9, "E5")))).await.unwrap_err();
        assert_eq!(
            (error.kind, error.evidence.cause),
            (ErrorKind::EngineRefused, Some("illegal-move")),
            "{answer}"
        );
        assert_eq!(error.evidence.reply.as_deref(), Some(answer));
        let synced = patiently(fake.engine.sync(game(9, "E5"))).await.unwrap();
        assert_eq!(synced.strategy, Strategy::Replay);
    }
    let fake = Fake::start("on genmove: refuse no idea").await;
    let error = patiently(fake.engine.genmove(move_at(game(9, "")))).await.unwrap_err();
    assert_eq!(error.evidence.reply.as_deref(), Some("no idea"));
}

#[tokio::test]
async fn leela_zero_is_not_asked_after_two_passes() {
    let fake =
        Fake::start("name Leela Zero\ncommands +lz-analyze\non genmove: abort\non lz-analyze: silence").await;
    let error = patiently(fake.engine.genmove(move_at(game(19, "Q16 pass pass")))).await.unwrap_err();
    assert_eq!((error.kind, error.evidence.cause), (ErrorKind::EngineRefused, Some("two-passes")));
    let error =
        patiently(fake.engine.search(SearchRequest::new(game(19, "Q16 pass pass"), 10))).await.unwrap_err();
    assert_eq!(error.evidence.cause, Some("two-passes"));
    assert!(!fake.received().iter().any(|line| line.starts_with("genmove") || line.starts_with("lz-")));
    assert!(fake.showboard().await.contains('X'));
}

#[tokio::test]
async fn nowhere_to_move() {
    let fake = Fake::start("").await;
    let error = fake.engine.genmove(GenmoveRequest::default()).await.unwrap_err();
    assert_eq!((error.kind, error.evidence.cause), (ErrorKind::InvalidPosition, Some("no-position")));
}

#[tokio::test]
async fn a_withdrawn_genmove_makes_the_board_unknown() {
    let fake = Fake::start("on genmove @1: sleep 400; default").await;
    patiently(fake.engine.sync(game(9, "E5"))).await.unwrap();
    let before = fake.engine.revision();
    {
        let genmove = fake.engine.genmove(GenmoveRequest::default());
        tokio::pin!(genmove);
        let started = until("it is asked", || fake.received().contains(&"genmove w".to_owned()));
        tokio::select! {
            _ = &mut genmove => panic!("it sleeps"),
            () = started => {}
        }
    }
    let synced = patiently(fake.engine.sync(game(9, "E5"))).await.unwrap();
    assert_eq!(synced.strategy, Strategy::Replay);
    assert!(synced.revision > before);
    stands_on(&fake, &game(9, "E5")).await;
}

#[tokio::test]
async fn an_engine_that_cannot_be_interrupted_is_busy() {
    let fake = Fake::start_on(impatient(2000), "on genmove: hang").await;
    patiently(fake.engine.sync(game(9, "E5"))).await.unwrap();
    let limit = std::time::Duration::from_millis(50);
    assert!(tokio::time::timeout(limit, fake.engine.genmove(GenmoveRequest::default())).await.is_err());
    let error = patiently(fake.engine.sync(game(9, ""))).await.unwrap_err();
    assert_eq!((error.kind, error.evidence.command.as_deref()), (ErrorKind::EngineBusy, Some("genmove w")));
}

#[tokio::test]
async fn commands_of_the_callers_own() {
    let fake = Fake::start("commands +my-own").await;
    let synced = patiently(fake.engine.sync(game(9, "E5"))).await.unwrap();
    let reply = patiently(fake.engine.send("list_stones black", None)).await.unwrap();
    assert_eq!((reply.ok, reply.text.as_str(), reply.revision), (true, "E5", synced.revision));
    let reply = patiently(fake.engine.send("bogus", Some(synced.revision))).await.unwrap();
    assert_eq!((reply.ok, reply.text.as_str()), (false, "unknown command"));
    assert_eq!(reply.revision, synced.revision + 1);
    let stale = patiently(fake.engine.send("name", Some(synced.revision))).await.unwrap_err();
    assert_eq!(stale.evidence.cause, Some("revision"));
    let synced = patiently(fake.engine.sync(game(9, "E5"))).await.unwrap();
    assert_eq!(synced.strategy, Strategy::Replay);
}

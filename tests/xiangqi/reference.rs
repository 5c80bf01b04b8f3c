//! Everything that the JavaScript engine library exports, tried through the names of the table in the
//! documentation of `kifud::xiangqi`. The values are those its manual gives, or follow from the
//! coordinates and rules that it defines.

use kifud::xiangqi::board::{Board, MoveList};
use kifud::xiangqi::legality::{REJECT_TEXTS, explain, from_indices};
use kifud::xiangqi::notation::{self, Notation, ReadError, numerals};
use kifud::xiangqi::repetition::{self, History, RuleSet, Verdict};
use kifud::xiangqi::search::{self, Limits};
use kifud::xiangqi::status::MOVE_LIMIT;
use kifud::xiangqi::{
    COLS, DescribeOptions, Kind, Move, Piece, Position, ROWS, SQUARES, START_FEN, Setup, Side, Square,
    StatusOptions, ascii, describe, evaluate, fen, rules, status, values,
};

const TABLE: &str = include_str!("../../src/xiangqi/reference.md");

/// What the manual names: types, functions and constants.
const EXPORTS: &str = "
    Position Move Piece PositionError
    initialPosition positionFromFen positionToFen clonePosition isValidPosition positionKeyOf fenKeyOf START_FEN
    generateMoves pseudoLegalMoves isLegalMove moveRejectReason moveRejectCode applyMove
    collectLegalMoves collectPseudoMoves encodeMoveCode decodeMoveFrom decodeMoveTo
    gameStatus isInCheck countRepetition findPerpetualChecker FIFTY_MOVE_HALFMOVES
    moveToIccs iccsToMove formatChinese parseChinese parseAnyMove zhMoveParts
    describePosition evaluate legalMoveCatalog materialDiffZh renderAsciiBoard
    searchBestMove
    squareToIccs iccsToSquare rcToIdx idxToRow idxToCol isOnBoard colToFileNumber fileNumberToCol
    fileNumberText countText zhDigitValue hasCrossedRiver isInPalace oppositeSide colorOfPiece pieceNameZh
    sideNameZh isPieceChar normalizeFenDialect kingsFaceOnBoard isSquareAttacked isSquareAttackedBy
    findKingIndex horseLegIndex makeMoveOnBoard unmakeMoveOnBoard toMoveObjects
    BOARD_SIZE BOARD_ROWS BOARD_COLS RED_SIDE BLACK_SIDE PIECE_BASE_VALUE MOVE_REJECT_ZH SEARCH_LIMITS
    BOARD_LEGEND";

fn position(fen: &str) -> Position {
    Position::from_fen(fen).unwrap()
}

fn at(text: &str) -> Square {
    Square::from_iccs(text).unwrap()
}

fn played(text: &str) -> Move {
    Move::new(at(&text[..2]), at(&text[2..]))
}

#[test]
fn the_table_has_every_name_once() {
    let mut listed: Vec<&str> = TABLE
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split(" | ").next())
        .flat_map(|names| names.split(", ").map(|name| name.trim_matches('`')))
        .collect();
    let mut named: Vec<&str> = EXPORTS.split_whitespace().collect();
    listed.sort_unstable();
    named.sort_unstable();
    assert_eq!(listed, named);
}

#[test]
fn positions() {
    let start = Position::start();
    assert_eq!(START_FEN, "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1");
    assert_eq!((start.to_fen().as_str(), start.clone()), (START_FEN, position(START_FEN)));
    let other = "rheakaehr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RHEAKAEHR w - - 0 1";
    assert_eq!((position(other), fen::normalize_dialect(other).as_str()), (start.clone(), START_FEN));
    let (turn, halfmove, fullmove) = (start.turn(), start.halfmove(), start.fullmove());
    assert_eq!((turn, halfmove, fullmove), (Side::Red, 0, 1));
    assert_eq!(start.board()[70], Piece::from_fen_char('C'));

    assert_eq!(Position::from_fen("").unwrap_err().0[0].code(), "empty");
    assert!(start.setup().faults().is_empty());
    assert!(!Setup::empty().faults().is_empty() && Position::new(Setup::empty()).is_err());

    let again = format!("{} w - - 7 30", START_FEN.split(' ').next().unwrap());
    assert_eq!(fen::key(&again), Some(start.key()));
    assert_eq!(fen::key("nine files"), None);
    assert_ne!(start.key(), start.after(played("h2e2")).key());
}

#[test]
fn moves() {
    let start = Position::start();
    assert_eq!((start.legal_moves().len(), start.pseudo_legal_moves().len()), (44, 44));
    let cannon = from_indices(70, 67).unwrap();
    assert!(start.is_legal(cannon) && !start.is_legal(played("h9h2")));
    assert_eq!((cannon.code(), Move::from_code(cannon.code())), (70 | 67 << 7, Some(cannon)));
    assert_eq!((cannon.from.index(), cannon.to.index()), (70, 67));

    let next = start.after(cannon);
    assert_eq!((start.play(cannon).as_ref(), next.turn(), next.halfmove()), (Ok(&next), Side::Black, 1));
    assert_eq!(start.to_fen(), START_FEN, "the old position is as it was");

    let blocked = explain(&start, played("a0a5")).unwrap();
    assert_eq!(blocked.code(), "blocked-path");
    assert!(blocked.reason_zh().contains("a3 的红兵"));
    assert_eq!(explain(&start, played("h2h7")).unwrap().code(), "cannon-screen-missing");
    assert_eq!(explain(&start, cannon), None);
    assert!(REJECT_TEXTS.iter().any(|(code, zh, _)| *code == "horse-leg" && *zh == "蹩马腿"));
}

#[test]
fn moves_on_a_board() {
    let start = Position::start();
    let mut board = Board::new(start.board(), start.turn());
    let mut list = MoveList::new();
    board.legal(&mut list);
    let mut moves: Vec<Move> = list.iter().collect();
    moves.sort_unstable();
    assert_eq!(moves, start.legal_moves());
    let targets =
        rules::pieces(start.board(), Side::Red).map(|from| rules::targets(start.board(), from).len());
    assert_eq!(targets.sum::<usize>(), 44);

    let (key, capture) = (board.key(), played("h2h9"));
    let undo = board.make(capture);
    assert_eq!((undo.captured(), board.turn()), (Some(Kind::Horse), Side::Black));
    assert_eq!(board.piece_at(at("h9")), Piece::from_fen_char('C'));
    board.unmake(capture, undo);
    assert_eq!((board.key(), board.piece_at(at("h9"))), (key, Piece::from_fen_char('n')));
}

#[test]
fn state_of_the_game() {
    let options = StatusOptions::default();
    let state = |fen: &str| {
        let status = status(&position(fen), None, &options);
        (status.state.name(), status.winner)
    };
    assert_eq!(state(START_FEN), ("playing", None));
    assert_eq!(state("3k5/9/9/9/9/9/9/9/4p4/5K3 w"), ("stalemate", Some(Side::Black)), "困毙判负");
    assert_eq!(state("3k5/9/9/9/9/9/9/9/9/R3K4 w - - 120 80"), ("draw-fifty", None));
    assert_eq!(MOVE_LIMIT, 120);

    let checked = position("4k4/9/9/4r4/9/9/9/9/9/4K4 w");
    assert!(checked.is_check() && checked.in_check(Side::Red) && !checked.in_check(Side::Black));

    // 长将判负: the pawn checks with every move.
    let start = position("3k5/9/9/9/9/5p3/9/5p3/5K3/5C3 w");
    let moves = ["f1e1", "f2e2", "e1f1", "e2f2"].repeat(2).into_iter().map(played).collect();
    let history = History::new(start, moves).unwrap();
    let found = repetition::judge(&history, RuleSet::Basic, 3);
    assert_eq!(found.repetitions, 3);
    assert_eq!(found.verdict, Some(Verdict::PerpetualCheck { offender: Some(Side::Black) }));
    let cycle = found.cycle.unwrap();
    assert!(cycle.always_checks(Side::Black) && !cycle.always_checks(Side::Red));
    let ended = status(history.end(), Some(&history), &options);
    assert_eq!((ended.state.name(), ended.winner), ("draw-perpetual-check", Some(Side::Red)));
}

#[test]
fn notations() {
    let start = Position::start();
    let cannon = played("h2e2");
    assert_eq!((notation::iccs(cannon), cannon.to_string()), ("h2e2".into(), "h2e2".into()));
    assert_eq!(notation::chinese(&start, cannon), "炮二平五");
    assert_eq!(notation::read(&start, "炮二平五", Some(Notation::Chinese)), Ok(cannon));
    for text in ["炮二平五", "炮 二 平 五。", "h2e2", "Ｈ２-E2"] {
        assert_eq!(notation::read(&start, text, None), Ok(cannon), "{text}");
    }
    let black = start.after(cannon);
    assert_eq!(notation::read(&black, "馬８進７", None), Ok(played("h9g7")));
    let digits = notation::read(&start, "炮2平5", None);
    assert_eq!(digits, Err(ReadError::RedDigits { meant: Some("炮二平五".into()) }));
    assert!(notation::read(&start, "h2h0", Some(Notation::Iccs)).is_err(), "by the rules, not by shape");
    let pawns = position("3k5/9/9/2P1P4/9/2P1P4/9/9/9/5K3 w");
    let several = notation::read(&pawns, "前兵平六", Some(Notation::Chinese));
    assert_eq!(several, Err(ReadError::Ambiguous { candidates: vec![played("c6d6"), played("e6d6")] }));

    let parts = notation::parts(&start, cannon).unwrap();
    assert_eq!((parts.piece.name_zh(), parts.file, parts.action.text(), parts.target), ("炮", 2, "平", 5));

    let entries = notation::catalog(&start);
    let cannon = entries.iter().find(|entry| entry.zh == "炮二平五").unwrap();
    assert_eq!((entries.len(), cannon.iccs.as_str(), cannon.captured), (44, "h2e2", None));
}

#[test]
fn texts_and_search() {
    let start = Position::start();
    let text = describe(&start, &DescribeOptions::default());
    let order = ["第 1 回合", "楚河", "大写是红方", "FEN：", "上一手：无", "状态：", "合法着法共 44 种"];
    let found: Vec<_> = order.map(|part| text.find(part).unwrap()).into();
    assert!(found.is_sorted(), "{text}");
    assert!(ascii::render(start.board()).contains("九 八 七 六 五 四 三 二 一"));
    assert!(ascii::BOARD_LEGEND.contains("ICCS"));

    let evaluation = evaluate(&start);
    let sum: i32 = evaluation.breakdown.iter().map(|item| item.score).sum();
    assert_eq!((evaluation.score, sum), (0, 0), "both sides have the same");
    assert_eq!(kifud::xiangqi::evaluate::material_diff_zh(start.board()), "双方子力相等");
    let values = [Kind::Rook, Kind::Cannon, Kind::Horse, Kind::Pawn].map(values::base_value);
    assert!(values.is_sorted_by(|more, less| more > less));

    let limits = Limits { depth: Some(2), ..Limits::default() };
    let search = |fen: &str| search::search(&position(fen), &[], &limits, 7, &|| false, &mut |_| {});
    let best = search(START_FEN);
    assert!(best.played.is_some_and(|played| start.is_legal(played)));
    assert_eq!((best.depth, search(START_FEN).played), (2, best.played), "the same seed, the same move");
    let mated = search("3k5/9/9/9/9/9/9/9/3r5/3K1r3 w");
    assert_eq!((mated.played, mated.depth), (None, 0));
    assert_eq!((search::DEFAULT_DEPTH, search::DEFAULT_TIME_MS), (4, 300));
    assert_eq!((search::MAX_DEPTH, search::MAX_TIME_MS), (64, 600_000));
}

#[test]
fn points() {
    assert_eq!((SQUARES, ROWS, COLS), (90, 10, 9));
    assert_eq!((at("h2").index(), at("h2").to_string()), (70, "h2".into()));
    let square = Square::at(7, 7).unwrap();
    assert_eq!((square.index(), square.row(), square.col()), (70, 7, 7));
    assert_eq!((Square::new(90), Square::at(10, 0), Square::at(0, 9)), (None, None, None));
    assert_eq!((at("a9").offset(-1, 0), at("a9").offset(0, -1)), (None, None));

    assert_eq!(
        (numerals::file_number(8, Side::Red), numerals::file_number(0, Side::Red)),
        (Some(1), Some(9))
    );
    assert_eq!((numerals::file_number(0, Side::Black), at("i0").file_number(Side::Black)), (Some(1), 9));
    assert_eq!(
        (numerals::file_column(2, Side::Red), numerals::file_column(2, Side::Black)),
        (Some(7), Some(1))
    );
    assert_eq!(
        (numerals::file_number_text(7, Side::Red), numerals::file_number_text(7, Side::Black)),
        ("二", "8")
    );
    assert_eq!((numerals::count_text(5, Side::Red), numerals::count_text(5, Side::Black)), ("五", "5"));
    assert_eq!(['九', '9', '９', '十'].map(numerals::digit_value), [Some(9), Some(9), Some(9), None]);

    assert!(at("e5").crossed_river(Side::Red) && !at("e5").crossed_river(Side::Black));
    assert!(at("d2").in_palace(Side::Red) && !at("d3").in_palace(Side::Red));
}

#[test]
fn pieces_and_attacks() {
    let horse = Piece::from_fen_char('h').unwrap();
    assert_eq!((horse.side, horse.to_fen_char(), horse.name_zh()), (Side::Black, 'n', "马"));
    assert_eq!((Side::Red.opposite(), Side::Black.opposite()), (Side::Black, Side::Red));
    assert_eq!((Side::Red.name_zh(), Side::Black.name_zh()), ("红方", "黑方"));
    let names = |side| Kind::ALL.map(|kind| Piece::new(side, kind).name_zh()).concat();
    assert_eq!((names(Side::Red), names(Side::Black)), ("帅仕相马车炮兵".into(), "将士象马车炮卒".into()));
    assert_eq!(Piece::from_fen_char('x'), None);

    let start = Position::start();
    assert_eq!(rules::king(start.board(), Side::Red).map(Square::index), Some(85));
    assert_eq!(rules::king(start.board(), Side::Black).map(Square::index), Some(4));
    assert_eq!(rules::horse_leg(at("b0"), at("c2")), Some(at("b1")));
    assert_eq!(rules::horse_leg(at("b0"), at("b2")), None);
    assert!(!rules::kings_face(start.board()));
    let facing = Setup::from_fen("4k4/9/9/9/9/9/9/9/9/4K4 w").unwrap();
    assert!(rules::kings_face(&facing.board));
    // Red's cannon looks over Black's at the horse behind it.
    let attackers = rules::attackers(start.board(), at("h9"), Side::Red);
    assert_eq!(attackers.into_iter().collect::<Vec<_>>(), [at("h2")]);
    assert!(rules::attackers(start.board(), at("e5"), Side::Red).is_empty());
    assert!(rules::attackers(start.board(), at("e4"), Side::Red).contains(at("e3")));
}

//! Size, komi, rules and whole boards as commands, and what cannot be said.

use super::{Abilities, Known, Lost, Refusal};
use crate::go::{Board, Color, Position, Size, Vertex};

/// The largest side that GTP has letters for (GTP version 2, section 2.11: no `I`, up to 25).
const GTP_MAX: u8 = 25;

/// Whether engines can be told this size at all. A plain `boardsize 13 7` is no way out: GNU Go
/// and Pachi accept it and make a 13x13 board.
pub(super) fn check_size(size: Size, can: &Abilities) -> Result<(), Refusal> {
    let why = if size.width() > GTP_MAX || size.height() > GTP_MAX {
        "GTP engines play on boards up to 25x25."
    } else if !size.is_square() && !can.rectangular_boardsize {
        "This engine plays on square boards only."
    } else {
        return Ok(());
    };
    Err(Refusal::Size { size, why: why.to_owned() })
}

pub(super) fn size_command(size: Size, can: &Abilities) -> String {
    if size.is_square() || !can.rectangular_boardsize {
        format!("boardsize {}", size.width())
    } else {
        format!("rectangular_boardsize {} {}", size.width(), size.height())
    }
}

/// The komi that is sent: the record's, 0 when it names none; in half points for an engine that
/// refuses finer ones.
pub(super) fn komi_to_tell(want: &Position, can: &Abilities) -> f64 {
    let komi = want.komi.filter(|komi| komi.is_finite()).unwrap_or(0.0);
    let halves = (komi * 2.0).round() / 2.0;
    let told = if can.kata_set_rules && halves.is_finite() { halves } else { komi };
    // Adding zero turns -0 into 0.
    told + 0.0
}

/// `kata-set-rules`, when the record names rules and the engine has the command.
pub(super) fn rules_command(want: &Position, can: &Abilities) -> Option<String> {
    let name = katago_rules(want.rules.as_deref()?)?;
    can.kata_set_rules.then(|| format!("kata-set-rules {name}"))
}

/// KataGo's name for a record's rules. SGF's own names are `AGA`, `GOE`, `Japanese` and `NZ`;
/// one that is a single plain word is passed on for the engine to judge.
pub(super) fn katago_rules(rules: &str) -> Option<String> {
    let name = rules.trim().to_ascii_lowercase().replace(['_', ' '], "-");
    let plain = |b: u8| b.is_ascii_alphanumeric() || b == b'-';
    match name.as_str() {
        "nz" | "newzealand" => Some("new-zealand".to_owned()),
        "tt" | "tromptaylor" => Some("tromp-taylor".to_owned()),
        _ if !name.is_empty() && name.len() <= 40 && name.bytes().all(plain) => Some(name),
        _ => None,
    }
}

pub(super) fn set_position_command(board: &Board) -> String {
    let mut line = "set_position".to_owned();
    for (point, color) in board.stones() {
        line = line + " " + color.letter() + " " + &Vertex::At(point).to_gtp(board.size());
    }
    line
}

/// A record with this board set up in its root and nothing else: what `loadsgf` is given.
pub(super) fn sgf(want: &Position, board: &Board) -> String {
    let size = board.size();
    let sides = if size.is_square() {
        size.width().to_string()
    } else {
        format!("{}:{}", size.width(), size.height())
    };
    let komi = komi_to_tell(want, &Abilities::default());
    let mut text = format!("(;FF[4]GM[1]SZ[{sides}]KM[{komi}]PL[{}]", want.to_play.letter());
    // SGF counts columns and rows from `a`; no side is beyond 25 here.
    let letter = |number: u8| char::from(b'a'.saturating_add(number));
    for color in Color::ALL {
        let mut points = board.stones().filter(|(_, stone)| *stone == color).peekable();
        if points.peek().is_some() {
            text = text + "A" + color.letter();
        }
        for (point, _) in points {
            text.extend(['[', letter(point.col), letter(point.row), ']']);
        }
    }
    text + ")\n"
}

/// What the engine does not know, or has otherwise than the record.
pub(super) fn lost(want: &Position, target: &Board, can: &Abilities, after: &Known) -> Vec<Lost> {
    let all =
        [lost_komi(want, can), lost_rules(want, can, after), lost_history(after), lost_ko(target, after)];
    all.into_iter().flatten().collect()
}

pub(super) fn lost_komi(want: &Position, can: &Abilities) -> Option<Lost> {
    let told = komi_to_tell(want, can);
    let why = match want.komi.filter(|komi| komi.is_finite()) {
        None => "The record names no komi; the engine was told 0.".to_owned(),
        Some(komi) if komi == told => return None,
        Some(komi) => format!("The engine takes komi in half points: {komi} became {told}."),
    };
    Some(Lost { what: "komi", why })
}

fn lost_rules(want: &Position, can: &Abilities, after: &Known) -> Option<Lost> {
    let short = |text: &str| text.chars().take(40).collect::<String>();
    let why = match (&want.rules, &after.rules) {
        (None, None) => return None,
        (None, Some(kept)) => format!("The record names no rules; the engine keeps \"{}\".", short(kept)),
        (Some(rules), _) if !can.kata_set_rules => {
            format!("The engine cannot be told rules; the record names \"{}\".", short(rules))
        }
        (Some(rules), told) if told.as_ref() != Some(rules) => {
            format!("The engine does not know the rules \"{}\".", short(rules))
        }
        (Some(_), _) => return None,
    };
    Some(Lost { what: "rules", why })
}

fn lost_history(after: &Known) -> Option<Lost> {
    (!after.in_order).then(history_is_lost)
}

pub(super) fn history_is_lost() -> Lost {
    let why = "The engine knows the stones; it was not told every move in order.";
    Lost { what: "history", why: why.to_owned() }
}

pub(super) fn lost_ko(target: &Board, after: &Known) -> Option<Lost> {
    let name = |board: &Board| board.ko().map(|point| Vertex::At(point).to_gtp(board.size()));
    let why = match (name(target), name(&after.board)) {
        (Some(ko), told) if told.as_ref() != Some(&ko) => {
            format!("The engine does not know that {ko} may not be retaken.")
        }
        (None, Some(ko)) => format!("The engine thinks that {ko} may not be retaken."),
        _ => return None,
    };
    Some(Lost { what: "ko", why })
}

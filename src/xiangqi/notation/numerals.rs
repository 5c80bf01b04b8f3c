//! Numbers as the two sides write them: Red in Chinese numerals, Black in digits, both counting the
//! files from their own right.
//!
//! Source: 《象棋竞赛规则 2020》 1.1.

use crate::xiangqi::{COLS, Side};

const CHINESE: [&str; COLS] = ["一", "二", "三", "四", "五", "六", "七", "八", "九"];
const DIGITS: [&str; COLS] = ["1", "2", "3", "4", "5", "6", "7", "8", "9"];

/// A number from 1 to 9 as a side writes it: `五` for Red, `5` for Black; empty for any other number.
pub fn count_text(count: u8, side: Side) -> &'static str {
    let texts = if side == Side::Red { CHINESE } else { DIGITS };
    texts.get(usize::from(count).wrapping_sub(1)).copied().unwrap_or_default()
}

/// A number from 1 to 9 as a Chinese numeral, which is how both sides write which of their pawns it
/// is; empty for any other number.
pub fn chinese_numeral(count: u8) -> &'static str {
    count_text(count, Side::Red)
}

/// The number, 1 to 9, of a column, 0 to 8 from the left of the board, as a side counts from its own
/// right; `None` beyond the board.
pub fn file_number(col: usize, side: Side) -> Option<u8> {
    let col = u8::try_from(col).ok().filter(|&col| usize::from(col) < COLS)?;
    Some(if side == Side::Red { COLS as u8 - col } else { col + 1 })
}

/// The column, 0 to 8 from the left of the board, of a file as a side counts it, 1 to 9 from its own
/// right; `None` for any other number.
pub fn file_column(number: u8, side: Side) -> Option<usize> {
    let number = usize::from(number);
    let number = Some(number).filter(|number| (1..=COLS).contains(number))?;
    Some(if side == Side::Red { COLS - number } else { number - 1 })
}

/// The number of a column as a side writes it: column 8 is `一` for Red and `9` for Black; empty
/// beyond the board.
pub fn file_number_text(col: usize, side: Side) -> &'static str {
    file_number(col, side).map_or("", |number| count_text(number, side))
}

/// The value, 1 to 9, of a Chinese numeral (`一`), a digit (`1`) or a full width digit (`１`).
pub fn digit_value(character: char) -> Option<u8> {
    let value = match character {
        '一' => 1,
        '二' => 2,
        '三' => 3,
        '四' => 4,
        '五' => 5,
        '六' => 6,
        '七' => 7,
        '八' => 8,
        '九' => 9,
        '1'..='9' => character as u32 - '0' as u32,
        '１'..='９' => character as u32 - '０' as u32,
        _ => return None,
    };
    u8::try_from(value).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_counted_from_the_own_right() {
        assert_eq!((file_number(8, Side::Red), file_number(0, Side::Red)), (Some(1), Some(9)));
        assert_eq!((file_number(8, Side::Black), file_number(0, Side::Black)), (Some(9), Some(1)));
        assert_eq!(file_number(9, Side::Red), None);
        assert_eq!(file_number(usize::MAX, Side::Black), None);
        for side in Side::ALL {
            for col in 0..COLS {
                let number = file_number(col, side).unwrap();
                assert_eq!(file_column(number, side), Some(col));
            }
            assert_eq!((file_column(0, side), file_column(10, side)), (None, None));
        }
    }

    #[test]
    fn texts() {
        assert_eq!((file_number_text(7, Side::Red), file_number_text(7, Side::Black)), ("二", "8"));
        assert_eq!((count_text(9, Side::Red), count_text(9, Side::Black)), ("九", "9"));
        assert_eq!((count_text(0, Side::Red), count_text(10, Side::Black)), ("", ""));
        assert_eq!((file_number_text(9, Side::Red), chinese_numeral(3)), ("", "三"));
    }

    #[test]
    fn digits_of_three_scripts() {
        for (index, text) in ["一1１", "二2２", "三3３", "四4４", "五5５", "六6６", "七7７", "八8８", "九9９"]
            .into_iter()
            .enumerate()
        {
            for character in text.chars() {
                assert_eq!(digit_value(character).map(usize::from), Some(index + 1), "{character}");
            }
        }
        for character in ['0', '０', '十', '〇', '壹', 'a', '²', '٣'] {
            assert_eq!(digit_value(character), None, "{character}");
        }
    }
}

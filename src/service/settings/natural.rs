//! The order in which people expect names: numbers by their value, letters without regard to case.

use std::cmp::Ordering;

/// Compares two names: `b2` < `B10`. Names that differ only in case or leading zeros are put in
/// the order of their characters, so that different names are never equal.
pub fn compare(a: &str, b: &str) -> Ordering {
    let (mut left, mut right) = (pieces(a), pieces(b));
    loop {
        let order = match (left.next(), right.next()) {
            (None, None) => return a.cmp(b),
            (None, Some(_)) => Ordering::Less,
            (Some(_), None) => Ordering::Greater,
            (Some(left), Some(right)) => left.cmp(&right),
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

/// A part of a name. Numbers stand before letters; a longer number is a greater one.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Piece<'a> {
    Number(usize, &'a str),
    Letter(char),
}

fn pieces(text: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        if let Some((number, after)) = rest.split_at_checked(digits).filter(|_| digits > 0) {
            rest = after;
            let number = number.trim_start_matches('0');
            return Some(Piece::Number(number.len(), number));
        }
        let mut chars = rest.chars();
        let letter = chars.next()?;
        rest = chars.as_str();
        Some(Piece::Letter(letter.to_lowercase().next().unwrap_or(letter)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_count_and_case_does_not() {
        let sorted = [
            "",
            "9x9",
            "19x19",
            "aq",
            "Engine",
            "engine 2",
            "Engine 002b",
            "engine 10",
            "katago",
            "KataGo b18",
            "Ökö",
            "围棋",
        ];
        for pair in sorted.windows(2) {
            assert_eq!(compare(pair[0], pair[1]), Ordering::Less, "{pair:?}");
            assert_eq!(compare(pair[1], pair[0]), Ordering::Greater, "{pair:?}");
        }
        assert_eq!(compare("a", "A"), Ordering::Greater);
        assert_eq!(compare("a1", "a1"), Ordering::Equal);
    }

    proptest::proptest! {
        #[test]
        fn it_is_an_order(a in "[a-bA1-20]{0,5}", b in "[a-bA1-20]{0,5}", c in "[a-bA1-20]{0,5}") {
            proptest::prop_assert_eq!(compare(&a, &b), compare(&b, &a).reverse());
            if compare(&a, &b).is_le() && compare(&b, &c).is_le() {
                proptest::prop_assert!(compare(&a, &c).is_le());
            }
            proptest::prop_assert_eq!(compare(&a, &b).is_eq(), a == b);
        }
    }
}

//! Overtime as servers write it into `OT`; FF\[4\] leaves the form open.
//!
//! Read are the forms of KGS and OGS: `5x30 byo-yomi`, `25/600 Canadian`, `10 fischer`,
//! `86400 simple`. Anything else is only text.

/// What comes behind the main time (`TM`), in seconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Overtime {
    /// Periods; a move within one gives it back whole.
    Byoyomi {
        /// How many, at least 1.
        periods: u32,
        /// The length of one.
        seconds: f64,
    },
    /// So many moves in a stretch of time, again and again.
    Canadian {
        /// Moves, at least 1.
        stones: u32,
        /// The stretch.
        seconds: f64,
    },
    /// Each move adds to the time that is left.
    Fischer {
        /// What it adds.
        increment: f64,
    },
    /// Each move has so much.
    Simple {
        /// Time of one move.
        seconds: f64,
    },
}

/// Reads the text of `OT`; `None` for forms that are not known.
pub fn parse(text: &str) -> Option<Overtime> {
    let lower = text.trim().to_ascii_lowercase();
    let (amount, kind) = lower.rsplit_once(' ')?;
    let pair = |sign| {
        let (count, seconds) = amount.split_once(sign)?;
        let count = count.trim().parse().ok().filter(|count| *count > 0)?;
        Some((count, time(seconds)?))
    };
    match kind {
        "byo-yomi" | "byoyomi" => pair('x').map(|(periods, seconds)| Overtime::Byoyomi { periods, seconds }),
        "canadian" => pair('/').map(|(stones, seconds)| Overtime::Canadian { stones, seconds }),
        "fischer" => time(amount).map(|increment| Overtime::Fischer { increment }),
        "simple" => time(amount).map(|seconds| Overtime::Simple { seconds }),
        _ => None,
    }
}

fn time(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|seconds: &f64| seconds.is_finite() && *seconds > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_servers() {
        let cases = [
            ("5x30 byo-yomi", Some(Overtime::Byoyomi { periods: 5, seconds: 30.0 })),
            (" 3 x 60  Byo-Yomi ", Some(Overtime::Byoyomi { periods: 3, seconds: 60.0 })),
            ("25/600 Canadian", Some(Overtime::Canadian { stones: 25, seconds: 600.0 })),
            ("7.5 fischer", Some(Overtime::Fischer { increment: 7.5 })),
            ("86400 simple", Some(Overtime::Simple { seconds: 86400.0 })),
        ];
        for (text, expected) in cases {
            assert_eq!(parse(text), expected, "{text}");
        }
        for text in ["", "byo-yomi", "5x byo-yomi", "-5x30 byo-yomi", "0/600 canadian", "nan simple", "10分"]
        {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}

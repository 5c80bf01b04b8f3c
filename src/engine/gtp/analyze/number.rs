//! Numbers as engines print them: integers, decimals, exponents, `nan`, `inf`.
//!
//! Reports are mostly short decimals, and those need no general parser: `digits / 10^n` with
//! `digits < 2^53` and `n <= 22` has two exact operands, so one division rounds correctly
//! (Clinger, "How to read floating point numbers accurately", 1990). All else goes to `std`.

/// Powers of ten that a double holds exactly.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];

/// The number `±digits * 10^exponent`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Decimal {
    negative: bool,
    digits: u64,
    exponent: i32,
    /// Printed without decimal point and exponent.
    integer: bool,
}

impl Decimal {
    /// Reads a decimal at the start of `bytes` and says how many bytes it takes.
    /// `None` when there is none, or one of more than 19 digits.
    #[inline]
    pub(super) fn read(bytes: &[u8]) -> Option<(Decimal, usize)> {
        let negative = bytes.first() == Some(&b'-');
        let start = usize::from(negative || bytes.first() == Some(&b'+'));
        let mut digits = 0;
        let whole = take_digits(bytes.get(start..)?, &mut digits);
        let mut end = start + whole;
        let mut fraction = 0;
        let mut integer = true;
        if bytes.get(end) == Some(&b'.') {
            integer = false;
            fraction = take_digits(bytes.get(end + 1..)?, &mut digits);
            end += 1 + fraction;
        }
        if whole + fraction == 0 || whole + fraction > 19 {
            return None;
        }
        let mut exponent = -(fraction as i32);
        if let Some(b'e' | b'E') = bytes.get(end) {
            integer = false;
            let (power, length) = read_exponent(bytes.get(end + 1..)?)?;
            exponent += power;
            end += 1 + length;
        }
        Some((Decimal { negative, digits, exponent, integer }, end))
    }

    /// The double nearest to `self * 10^shift`, where the short way is exact.
    #[inline]
    pub(super) fn to_f64(self, shift: i32) -> Option<f64> {
        if self.digits >= 1 << 53 {
            return None;
        }
        let exponent = self.exponent + shift;
        let power = *POWERS.get(exponent.unsigned_abs() as usize)?;
        let digits = self.digits as f64;
        let value = if exponent < 0 { digits / power } else { digits * power };
        Some(if self.negative { -value } else { value })
    }
}

/// Appends the decimal digits at the start of `bytes` to `digits`; says how many there are.
#[inline]
fn take_digits(bytes: &[u8], digits: &mut u64) -> usize {
    let mut count = 0;
    for byte in bytes {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        *digits = digits.wrapping_mul(10).wrapping_add(u64::from(digit));
        count += 1;
    }
    count
}

/// The part after `e`: its value and its length; `None` beyond four digits.
fn read_exponent(bytes: &[u8]) -> Option<(i32, usize)> {
    let negative = bytes.first() == Some(&b'-');
    let start = usize::from(negative || bytes.first() == Some(&b'+'));
    let mut power = 0;
    let length = take_digits(bytes.get(start..)?, &mut power);
    if length == 0 || length > 4 {
        return None;
    }
    let power = power as i32;
    Some((if negative { -power } else { power }, start + length))
}

/// Reads a whole token times `10^shift`; with shift 0 it is what `str::parse::<f64>` says of it.
/// Infinities and NaN are numbers here. `None` when it is no number.
pub(in crate::engine) fn number(token: &[u8], shift: i32) -> Option<f64> {
    let short = Decimal::read(token).filter(|(_, length)| *length == token.len());
    match short.and_then(|(decimal, _)| decimal.to_f64(shift)) {
        Some(value) => Some(value),
        None => std::str::from_utf8(token).ok()?.parse::<f64>().ok().map(|value| value * 10f64.powi(shift)),
    }
}

/// Reads a count: a number that is not negative, its fraction dropped.
pub(super) fn count(token: &[u8]) -> Option<u64> {
    match Decimal::read(token) {
        Some((Decimal { negative: false, digits, integer: true, .. }, length)) if length == token.len() => {
            Some(digits)
        }
        _ => number(token, 0).filter(|value| value.is_finite() && *value >= 0.0).map(|value| value as u64),
    }
}

/// Whether a token stands where a number belongs. It need not be readable: `-nan(ind)` is one
/// way to print no number.
#[inline]
pub(super) fn looks_numeric(token: &[u8]) -> bool {
    match token.first() {
        Some(b'0'..=b'9' | b'-' | b'+' | b'.') => true,
        Some(b'n' | b'N' | b'i' | b'I') => {
            [&b"nan"[..], b"inf", b"infinity"].iter().any(|name| token.eq_ignore_ascii_case(name))
        }
        _ => false,
    }
}

/// Whether a number is printed as an integer.
pub(super) fn is_integer(token: &[u8]) -> bool {
    !token.iter().any(|byte| matches!(byte, b'.' | b'e' | b'E'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn standard(token: &str) -> Option<f64> {
        token.parse().ok()
    }

    fn same(token: &str) {
        let (ours, theirs) = (number(token.as_bytes(), 0), standard(token));
        let bits =
            |value: Option<f64>| value.map(|v| if v.is_nan() { f64::NAN.to_bits() } else { v.to_bits() });
        assert_eq!(bits(ours), bits(theirs), "{token:?}: {ours:?} and {theirs:?}");
    }

    #[test]
    fn odd_spellings_are_read_as_std_reads_them() {
        for token in [
            "0",
            "-0",
            "+1",
            "1.",
            ".5",
            "-.5",
            ".",
            "",
            "+",
            "-",
            "e5",
            "1e",
            "1e+",
            "1e5",
            "1E-5",
            "1.5e+3",
            "--1",
            "1x",
            "1e400",
            "1e-400",
            "1e99999",
            "nan",
            "NaN",
            "-nan",
            "inf",
            "-inf",
            "Infinity",
            "-nan(ind)",
            "0x10",
            "9007199254740993",
            "9007199254740992",
            "18446744073709551616",
            "0.1234567890123456789",
            "1_0",
            "4.85318e-05",
            "-3.60924e+227",
            "5.58294e-322",
            "00000000000000000000001",
            "1 ",
            "1e22",
            "1e23",
        ] {
            same(token);
        }
    }

    proptest! {
        #[test]
        fn printed_doubles_are_read_as_std_reads_them(value in any::<f64>(), places in 0usize..9) {
            same(&format!("{value}"));
            same(&format!("{value:e}"));
            same(&format!("{value:.places$}"));
        }

        #[test]
        fn short_decimals_are_read_as_std_reads_them(token in "[-+]?[0-9]{0,12}[.]?[0-9]{0,12}([eE][-+]?[0-9]{0,3})?") {
            same(&token);
        }

        #[test]
        fn any_text_is_read_as_std_reads_it(token in "[-+.eE0-9nainf]{0,12}|\\PC{0,8}") {
            same(&token);
        }

        #[test]
        fn a_shift_moves_the_decimal_point(digits in 0u32..=10_000) {
            // 5213 hundredths of a percent and 0.5213 are both the double that is written 52.13.
            let percent: f64 = format!("{}.{:02}", digits / 100, digits % 100).parse().unwrap();
            prop_assert_eq!(number(digits.to_string().as_bytes(), -2), Some(percent));
            let probability = format!("{}.{:04}", digits / 10_000, digits % 10_000);
            prop_assert_eq!(number(probability.as_bytes(), 2), Some(percent));
        }
    }

    #[test]
    fn counts() {
        let cases: [(&str, Option<u64>); 9] = [
            ("0", Some(0)),
            ("1200", Some(1200)),
            ("18446744073709551615", Some(u64::MAX)),
            ("20.7", Some(20)),
            ("1e6", Some(1_000_000)),
            ("-1", None),
            ("nan", None),
            ("inf", None),
            ("D4", None),
        ];
        for (token, expected) in cases {
            assert_eq!(count(token.as_bytes()), expected, "{token}");
        }
    }
}

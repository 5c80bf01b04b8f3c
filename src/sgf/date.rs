//! Dates of games (`DT`): FF\[4\]'s form, and what people and servers write instead.

/// Whether this is FF\[4\]'s form: `YYYY-MM-DD`, `YYYY-MM` or `YYYY`, several with commas; later
/// ones may leave out what the one before has (`1996-05-06,07,08`, `1996-12-27,1997-01`).
pub fn is_date_list(text: &str) -> bool {
    text.split(',').enumerate().all(|(index, part)| is_date(part.trim(), index > 0))
}

fn is_date(text: &str, shortened: bool) -> bool {
    let mut parts = text.split('-');
    let (first, second, third) = (parts.next(), parts.next(), parts.next());
    if parts.next().is_some() {
        return false;
    }
    match (first.and_then(year), second, third) {
        (Some(_), None, None) => true,
        (Some(_), Some(month), None) => in_range(month, 12),
        (Some(_), Some(month), Some(day)) => in_range(month, 12) && in_range(day, 31),
        (None, None, None) => shortened && first.is_some_and(|day| in_range(day, 31)),
        (None, Some(day), None) => {
            shortened && first.is_some_and(|month| in_range(month, 12)) && in_range(day, 31)
        }
        _ => false,
    }
}

fn year(text: &str) -> Option<u32> {
    (text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok())?
}

fn in_range(text: &str, greatest: u32) -> bool {
    text.len() == 2 && text.parse().is_ok_and(|number: u32| (1..=greatest).contains(&number))
}

/// The one date that was meant, in FF\[4\]'s form, and whether nothing of the text is lost:
/// `2001/2/3`, `2001.02.03`, `2001年2月3日`, `20010203`, each also with a time of day behind it.
pub fn guess(text: &str) -> Option<(String, bool)> {
    let text = text.trim();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 8 && text.len() == 8 {
        return written(text.get(..4)?, text.get(4..6)?, text.get(6..)?).map(|date| (date, true));
    }
    let mut parts = text.splitn(3, ['-', '/', '.', '年', '月']);
    let (year, month, rest) = (parts.next()?, parts.next()?, parts.next()?);
    let rest = rest.trim_start();
    let end = rest.bytes().take_while(u8::is_ascii_digit).count();
    let date = written(year, month, rest.get(..end)?)?;
    let behind = rest.get(end..)?.trim_start_matches('日').trim_start();
    let is_time = behind.starts_with(|letter: char| letter.is_ascii_digit() || letter == 'T');
    let whole = behind.is_empty();
    (whole || (is_time && behind.contains(':'))).then_some((date, whole))
}

fn written(year_text: &str, month: &str, day: &str) -> Option<String> {
    let number = |text: &str| text.trim().parse::<u32>().ok().filter(|_| text.trim().len() <= 2);
    let date = format!("{:04}-{:02}-{:02}", year(year_text.trim())?, number(month)?, number(day)?);
    is_date(&date, false).then_some(date)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_ff4() {
        // The format's own examples among them.
        for good in [
            "1996",
            "1996-05",
            "1996-05-06",
            "1996-05,06",
            "1996-05-06,07,08",
            "1996,1997",
            "1996-12-27,28,1997-01-03,04",
            "1996-05,06-01",
            "1996-05-06, 07",
        ] {
            assert!(is_date_list(good), "{good}");
        }
        for bad in ["", "96-05-06", "1996-13", "1996-00-01", "1996-5-6", "1996/05/06", "05-06", "x", "1996-"]
        {
            assert!(!is_date_list(bad), "{bad}");
        }
    }

    #[test]
    fn dates_of_others() {
        let cases = [
            ("2001/2/3", Some(("2001-02-03", true))),
            ("2001.02.03", Some(("2001-02-03", true))),
            ("2001年12月3日", Some(("2001-12-03", true))),
            ("20010203", Some(("2001-02-03", true))),
            ("2001-2-3 12:45:00", Some(("2001-02-03", false))),
            ("2001-02-03T12:45", Some(("2001-02-03", false))),
            ("3/2/2001", None),
            ("2001-2", None),
            ("2001-13-1", None),
            ("12th and 13th march 94", None),
            ("", None),
        ];
        for (text, expected) in cases {
            let expected = expected.map(|(date, whole)| (date.to_owned(), whole));
            assert_eq!(guess(text), expected, "{text}");
        }
    }
}

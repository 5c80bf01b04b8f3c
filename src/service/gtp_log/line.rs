//! How a line of the log is written.

use std::time::SystemTime;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::engine::Way;
use crate::engine::secrets::{mask, mask_named};
use crate::service::events::is_report;

/// The moment as the log writes it.
const MOMENT: &str = "%Y-%m-%d %H:%M:%S%.3f";
/// The moment in the name of a file.
const IN_NAME: &str = "%Y-%m-%dT%H-%M-%S-%3f";

/// `[YYYY-MM-DD HH:mm:ss.SSS] <engine>   (in|out|err|meta) : text` and a line end. What could be taken
/// for a line end, or moves a terminal's cursor, is spelled out.
pub(super) fn format(zone: &TimeZone, at: SystemTime, engine: &str, way: Way, text: &str) -> String {
    let way = match way {
        Way::In => "in",
        Way::Out => "out",
        Way::Err => "err",
        Way::Meta => "meta",
    };
    let mut line = String::with_capacity(text.len() + engine.len() + 48);
    line.push('[');
    line.push_str(&moment(zone, at, MOMENT));
    line.push_str("] <");
    push_plain(&mut line, engine);
    line.push_str(">   (");
    line.push_str(way);
    line.push_str(") : ");
    push_plain(&mut line, text);
    line.push('\n');
    line
}

/// `kifud_<moment>_<process>.log`
pub(super) fn file_name(zone: &TimeZone, at: SystemTime, process: u32) -> String {
    format!("kifud_{}_{process}.log", moment(zone, at, IN_NAME))
}

/// A line as it may be shown: readable, and without secrets.
pub(crate) fn shown(way: Way, line: &[u8], secrets: &[String]) -> String {
    let text = mask(&String::from_utf8_lossy(line), secrets);
    // Reports are long and many, and are all moves and numbers.
    if way == Way::Out && is_report(line) { text } else { mask_named(&text).into_owned() }
}

fn moment(zone: &TimeZone, at: SystemTime, format: &str) -> String {
    let at = Timestamp::try_from(at).unwrap_or_default();
    at.to_zoned_datetime(zone.clone()).strftime(format).to_string()
}

fn push_plain(line: &mut String, text: &str) {
    let hidden = |byte: &u8| *byte < b' ' && *byte != b'\t' || *byte == 0x7f;
    if !text.as_bytes().iter().any(hidden) {
        line.push_str(text);
        return;
    }
    for c in text.chars() {
        match c {
            '\t' => line.push('\t'),
            c if c.is_control() => line.extend(c.escape_default()),
            c => line.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use jiff::tz::Offset;

    use super::*;

    fn at(seconds: u64, milliseconds: u64) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_millis(seconds * 1000 + milliseconds)
    }

    #[test]
    fn lines() {
        // 1700000000 is 2023-11-14 22:13:20 UTC.
        let zone = TimeZone::fixed(Offset::constant(8));
        let cases = [
            (Way::In, "1 name", "[2023-11-15 06:13:20.007] <GNU Go 2>   (in) : 1 name\n"),
            (Way::Out, "", "[2023-11-15 06:13:20.007] <GNU Go 2>   (out) : \n"),
            (
                Way::Err,
                "50%\r51%\x1b[2K\t完",
                "[2023-11-15 06:13:20.007] <GNU Go 2>   (err) : 50%\\r51%\\u{1b}[2K\t完\n",
            ),
            (Way::Meta, "starting gnugo", "[2023-11-15 06:13:20.007] <GNU Go 2>   (meta) : starting gnugo\n"),
        ];
        for (way, text, expected) in cases {
            assert_eq!(format(&zone, at(1_700_000_000, 7), "GNU Go 2", way, text), expected);
        }
        let twisted = format(&TimeZone::UTC, at(0, 0), "a\nb", Way::In, "x");
        assert_eq!(twisted, "[1970-01-01 00:00:00.000] <a\\nb>   (in) : x\n");
        assert_eq!(file_name(&zone, at(1_700_000_000, 7), 42), "kifud_2023-11-15T06-13-20-007_42.log");
    }

    #[test]
    fn shown_lines_have_no_secrets() {
        let secrets = ["hunter2".to_owned()];
        let cases: [(Way, &[u8], &str); 4] = [
            (Way::Err, b"login hunter2, token=abc", "login ***, token=***"),
            (Way::Out, b"info move D4 hunter2", "info move D4 ***"),
            (Way::Out, b"= token: abc", "= token: ***"),
            (Way::Out, b"\xff", "\u{fffd}"),
        ];
        for (way, line, expected) in cases {
            assert_eq!(shown(way, line, &secrets), expected);
        }
    }
}

//! Commands out, responses in (GTP version 2, draft 2: `[id] command args` and
//! `=[id] text` / `?[id] text`, ended by an empty line). Pure.

/// Why a command cannot be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BadCommand {
    /// Nothing but blanks, or a comment: engines give no answer to it.
    Empty,
    /// It has a line end or another control character in it.
    Control,
    /// It starts with a number, which would be taken for its id.
    Number,
}

impl BadCommand {
    /// One sentence.
    pub fn why(self) -> &'static str {
        match self {
            BadCommand::Empty => "a GTP command may not be empty or a comment",
            BadCommand::Control => "a GTP command is one line without control characters",
            BadCommand::Number => "a GTP command may not start with a number",
        }
    }
}

/// Tidies a command: blanks trimmed, a comment cut off.
///
/// # Errors
/// When nothing that an engine would answer is left.
pub fn clean(command: &str) -> Result<&str, BadCommand> {
    if command.trim().chars().any(|c| c.is_control() && c != '\t') {
        return Err(BadCommand::Control);
    }
    let command = command.split('#').next().unwrap_or_default().trim();
    match command.split_whitespace().next() {
        None => Err(BadCommand::Empty),
        Some(word) if word.bytes().all(|b| b.is_ascii_digit()) => Err(BadCommand::Number),
        Some(_) => Ok(command),
    }
}

/// The first word of a command.
pub fn word(command: &str) -> &str {
    command.split_whitespace().next().unwrap_or_default()
}

/// The line to write, LF included. Ids are 1 to 2^31 - 1: real engines wrap around above that.
pub fn encode(id: u32, command: &str) -> Vec<u8> {
    format!("{id} {command}\n").into_bytes()
}

/// The id after this one.
pub fn next_id(id: u32) -> u32 {
    if id >= i32::MAX as u32 { 1 } else { id + 1 }
}

/// What one line of an engine's output means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event<'a> {
    /// The first line of a response.
    Open {
        /// `=` rather than `?`.
        ok: bool,
        /// Its id, when it has one that fits.
        id: Option<u32>,
        /// The rest of the line.
        text: &'a [u8],
    },
    /// A further line of the response.
    Line(&'a [u8]),
    /// The response is complete.
    Close,
    /// A line outside any response. Blank lines there mean nothing and give no event.
    Noise(&'a [u8]),
}

/// Sorts lines into responses.
#[derive(Debug, Clone, Copy, Default)]
pub struct Decoder {
    open: bool,
}

impl Decoder {
    /// Whether a response has begun and not ended.
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// Takes one line without its LF; CR and trailing blanks are cut off here.
    pub fn feed<'a>(&mut self, line: &'a [u8]) -> Option<Event<'a>> {
        let line = line.trim_ascii_end();
        if line.is_empty() {
            return std::mem::take(&mut self.open).then_some(Event::Close);
        }
        if self.open {
            return Some(Event::Line(line));
        }
        let ok = match line.first() {
            Some(b'=') => true,
            Some(b'?') => false,
            _ => return Some(Event::Noise(line)),
        };
        let rest = line.get(1..).unwrap_or_default();
        // A ruler of `=====` in a banner is no header.
        if rest.first().is_some_and(|byte| !byte.is_ascii_alphanumeric() && !byte.is_ascii_whitespace()) {
            return Some(Event::Noise(line));
        }
        self.open = true;
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (number, text) = rest.split_at(digits);
        let id = std::str::from_utf8(number).ok().and_then(|number| number.parse().ok());
        Some(Event::Open { ok, id, text: text.trim_ascii() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The events of a whole output, one a line.
    fn read(output: &str) -> String {
        let mut decoder = Decoder::default();
        let mut events = String::new();
        for line in output.split('\n') {
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            match decoder.feed(line.as_bytes()) {
                None => {}
                Some(Event::Open { ok, id, text: t }) => {
                    events += &format!("open {ok} {id:?} {:?}\n", text(t));
                }
                Some(Event::Line(line)) => events += &format!("line {:?}\n", text(line)),
                Some(Event::Close) => events += "close\n",
                Some(Event::Noise(line)) => events += &format!("noise {:?}\n", text(line)),
            }
        }
        events
    }

    #[test]
    fn responses_as_engines_print_them() {
        // Pachi's `=ID ` with a blank, CRLF, multi-line text, an error without id, noise around.
        let output = "banner\n==== v1 ====\n\n=1 KataGo\r\n\r\n=2 \n\n=38\ninfo move D4  \n\n? empty command\n\n\
                      ?14 illegal move\n\n=14 D4\n\nlate\n=99999999999 x\n\n";
        expect_test::expect![[r#"
            noise "banner"
            noise "==== v1 ===="
            open true Some(1) "KataGo"
            close
            open true Some(2) ""
            close
            open true Some(38) ""
            line "info move D4"
            close
            open false None "empty command"
            close
            open false Some(14) "illegal move"
            close
            open true Some(14) "D4"
            close
            noise "late"
            open true None "x"
            close
        "#]]
        .assert_eq(&read(output));
    }

    #[test]
    fn a_blank_line_inside_a_response_makes_the_rest_noise() {
        expect_test::expect![[r#"
            open true Some(7) "(;GM[1]"
            close
            noise "C[second paragraph])"
            open true Some(8) ""
            close
        "#]]
        .assert_eq(&read("=7 (;GM[1]\n\nC[second paragraph])\n\n=8\n\n"));
    }

    #[test]
    fn commands_are_cleaned() {
        assert_eq!(clean("  name\t# what else  "), Ok("name"));
        assert_eq!(clean("play b D4\n"), Ok("play b D4"));
        assert_eq!(clean("  "), Err(BadCommand::Empty));
        assert_eq!(clean("# nothing"), Err(BadCommand::Empty));
        assert_eq!(clean("name\nquit"), Err(BadCommand::Control));
        assert_eq!(clean("31 # x"), Err(BadCommand::Number));
        assert_eq!(encode(7, "name"), b"7 name\n");
        assert_eq!(next_id(i32::MAX as u32), 1);
    }

    proptest! {
        #[test]
        fn any_output_is_read(output in "[=?a-z0-9 \r\n]{0,200}") {
            let mut decoder = Decoder::default();
            let mut open = 0_i32;
            for line in output.split('\n') {
                match decoder.feed(line.as_bytes()) {
                    Some(Event::Open { .. }) => open += 1,
                    Some(Event::Close) => open -= 1,
                    _ => {}
                }
                prop_assert!((0..=1).contains(&open));
                prop_assert_eq!(open == 1, decoder.is_open());
            }
        }

        #[test]
        fn a_response_comes_back(id in 1..=i32::MAX as u32, ok: bool, lines in prop::collection::vec("[a-z][a-z ]{0,20}[a-z]", 1..5)) {
            let sign = if ok { '=' } else { '?' };
            let printed = format!("{sign}{id} {}", lines.join("\n"));
            let mut decoder = Decoder::default();
            let mut back = Vec::new();
            for line in printed.split('\n') {
                match decoder.feed(line.as_bytes()) {
                    Some(Event::Open { ok: k, id: i, text }) => {
                        prop_assert_eq!((k, i), (ok, Some(id)));
                        back.push(String::from_utf8_lossy(text).into_owned());
                    }
                    Some(Event::Line(line)) => back.push(String::from_utf8_lossy(line).into_owned()),
                    other => prop_assert!(false, "{other:?}"),
                }
            }
            prop_assert_eq!(back, lines);
            prop_assert_eq!(decoder.feed(b""), Some(Event::Close));
        }
    }
}

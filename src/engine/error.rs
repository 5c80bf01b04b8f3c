//! What can go wrong with an engine, told apart, with the evidence.

use std::fmt;

use super::profile::Diagnosis;

/// The kinds of engine errors; their names are part of the protocol (`data.kind`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The program could not be started, or does not behave as a GTP engine.
    EngineStartFailed,
    /// The program ended (or had to be ended) while it was needed.
    EngineExited,
    /// No answer in time.
    EngineTimeout,
    /// The engine answered `?`, or something that cannot be used.
    EngineRefused,
    /// The engine does not list a command that is needed.
    EngineUnsupported,
    /// Too many requests wait already, or an older command is still unanswered.
    EngineBusy,
    /// No way leads the engine to the position.
    SyncFailed,
    /// The engine or GTP cannot play on a board of this size.
    BoardTooLarge,
    /// The position itself is impossible, or none was given.
    InvalidPosition,
    /// The request was withdrawn, or the engine was detached meanwhile.
    Cancelled,
}

impl ErrorKind {
    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            ErrorKind::EngineStartFailed => "EngineStartFailed",
            ErrorKind::EngineExited => "EngineExited",
            ErrorKind::EngineTimeout => "EngineTimeout",
            ErrorKind::EngineRefused => "EngineRefused",
            ErrorKind::EngineUnsupported => "EngineUnsupported",
            ErrorKind::EngineBusy => "EngineBusy",
            ErrorKind::SyncFailed => "SyncFailed",
            ErrorKind::BoardTooLarge => "BoardTooLarge",
            ErrorKind::InvalidPosition => "InvalidPosition",
            ErrorKind::Cancelled => "Cancelled",
        }
    }
}

/// A failed request: its kind, one sentence for people, and what was seen.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct EngineError {
    /// Which kind.
    pub kind: ErrorKind,
    /// One sentence, secrets masked.
    pub message: String,
    /// What was seen.
    pub evidence: Box<Evidence>,
}

/// What an error rests on. Secrets from the command line are masked in all of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Evidence {
    /// A finer, stable word for the cause: `not-found`, `not-executable`, `exited`, `silent`,
    /// `garbage`, `flood`, `closed-stdout`, `wrong-protocol`, `revision` …
    pub cause: Option<&'static str>,
    /// The GTP command, or the program's command line when it did not start.
    pub command: Option<String>,
    /// The engine's answer to it.
    pub reply: Option<String>,
    /// How the program ended.
    pub exit_status: Option<Exit>,
    /// The last lines that it printed on stderr.
    pub stderr_tail: Option<String>,
    /// Who has the engine.
    pub holder: Option<String>,
    /// What its last words mean, where that is known.
    pub diagnosis: Option<Diagnosis>,
}

impl EngineError {
    /// An error without evidence.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> EngineError {
        EngineError { kind, message: message.into(), evidence: Box::default() }
    }

    /// Adds the finer cause.
    pub fn cause(mut self, cause: &'static str) -> EngineError {
        self.evidence.cause = Some(cause);
        self
    }

    /// Adds the command.
    pub fn command(mut self, command: impl Into<String>) -> EngineError {
        self.evidence.command = Some(command.into());
        self
    }

    /// Adds the engine's answer.
    pub fn reply(mut self, reply: impl Into<String>) -> EngineError {
        self.evidence.reply = Some(reply.into());
        self
    }

    /// Adds who has the engine.
    pub fn holder(mut self, holder: impl Into<String>) -> EngineError {
        self.evidence.holder = Some(holder.into());
        self
    }

    /// Adds the end of stderr, unless it is empty.
    pub fn stderr(mut self, tail: String) -> EngineError {
        self.evidence.stderr_tail = (!tail.is_empty()).then_some(tail);
        self
    }

    /// Adds what the program's last words mean, to the message as well.
    pub fn diagnosis(mut self, diagnosis: Option<Diagnosis>) -> EngineError {
        if let Some(Diagnosis { wrong, mend }) = &diagnosis {
            self.message = format!("{}; {wrong}: {mend}", self.message);
        }
        self.evidence.diagnosis = diagnosis;
        self
    }

    /// Adds how the program ended.
    pub fn exit(mut self, exit: Option<Exit>) -> EngineError {
        self.evidence.exit_status = exit;
        self
    }
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exit {
    /// Its exit status, when it ended by itself.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
}

impl From<std::process::ExitStatus> for Exit {
    fn from(status: std::process::ExitStatus) -> Exit {
        #[cfg(unix)]
        let signal = std::os::unix::process::ExitStatusExt::signal(&status);
        #[cfg(not(unix))]
        let signal = None;
        Exit { code: status.code(), signal }
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.code, self.signal) {
            (_, Some(signal)) => write!(f, "killed by {}", signal_name(signal)),
            (Some(126), _) => f.write_str("exit status 126: found, but cannot be executed"),
            (Some(127), _) => f.write_str("exit status 127: command or shared library not found"),
            (Some(code @ 129..=159), _) => {
                write!(f, "exit status {code}: its shell says killed by {}", signal_name(code - 128))
            }
            (Some(code), _) if code as u32 == 0xC000_0005 => f.write_str("access violation (0xC0000005)"),
            (Some(code), _) if code as u32 == 0xC000_0135 => f.write_str("a DLL was not found (0xC0000135)"),
            (Some(code), _) => write!(f, "exit status {code}"),
            (None, None) => f.write_str("ended in an unknown way"),
        }
    }
}

/// `SIGABRT (6)`; Linux's numbers.
fn signal_name(signal: i32) -> String {
    let name = match signal {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL, an instruction that this processor does not know",
        6 => "SIGABRT",
        7 => "SIGBUS",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        15 => "SIGTERM",
        24 => "SIGXCPU",
        31 => "SIGSYS",
        _ => return format!("signal {signal}"),
    };
    format!("{name} ({signal})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exits_are_decoded() {
        let code = |code| Exit { code: Some(code), signal: None }.to_string();
        assert_eq!(code(0), "exit status 0");
        assert_eq!(code(127), "exit status 127: command or shared library not found");
        assert_eq!(code(134), "exit status 134: its shell says killed by SIGABRT (6)");
        assert_eq!(code(3_221_226_505_u32 as i32), "exit status -1073740791");
        assert_eq!(code(0xC000_0135_u32 as i32), "a DLL was not found (0xC0000135)");
        let signal = |signal| Exit { code: None, signal: Some(signal) }.to_string();
        assert_eq!(signal(6), "killed by SIGABRT (6)");
        assert_eq!(signal(9), "killed by SIGKILL (9)");
        assert_eq!(signal(40), "killed by signal 40");
    }
}

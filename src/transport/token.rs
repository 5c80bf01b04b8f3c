//! The token that clients of a TCP door must bring: 256 bits in a file that only its owner can read.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::replace::{self, ReplaceError};

/// Characters of 256 bits in base 64 without padding; in hexadecimal they are 64.
const SHORTEST: usize = 43;
/// A longer file is something else.
const LONGEST: usize = 256;

/// What clients must bring.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// The token in a file. Where there is no file one is made, with a fresh token.
    ///
    /// # Errors
    /// A sentence: the file cannot be read or made, is a link or another user's, others may read
    /// it, or what is in it is no token.
    pub fn of_file(path: &Path) -> Result<Token, String> {
        let told = |why: String| format!("{}: {why}", path.display());
        let file = match open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                create(path).map_err(told)?;
                open(path)
            }
            opened => opened,
        };
        let file = file.map_err(|error| match path.is_symlink() {
            true => told("is a symbolic link; name the file itself".to_owned()),
            false => told(format!("cannot be read: {error}")),
        })?;
        check_owner(&file).map_err(told)?;
        let mut text = String::new();
        file.take(LONGEST as u64 + 1)
            .read_to_string(&mut text)
            .map_err(|error| told(format!("cannot be read: {error}")))?;
        Token::parse(text.trim()).map_err(told)
    }

    fn parse(text: &str) -> Result<Token, String> {
        let letter = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        if !(SHORTEST..=LONGEST).contains(&text.len()) || !text.bytes().all(letter) {
            return Err(format!(
                "holds no token: {SHORTEST} to {LONGEST} letters, digits, - and _; remove the file for a new one"
            ));
        }
        Ok(Token(text.to_owned()))
    }

    /// Whether a client has brought it. Takes as long however much was right.
    pub fn is(&self, given: &str) -> bool {
        let (own, given) = (self.0.as_bytes(), given.as_bytes());
        own.len() == given.len() && own.iter().zip(given).fold(0, |differ, (a, b)| differ | (a ^ b)) == 0
    }
}

/// Opens what stands at the path itself. A pipe is not waited for.
fn open(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32);
    }
    options.open(path)
}

/// Two that do so at once end with the same file.
fn create(path: &Path) -> Result<(), String> {
    use std::fmt::Write;
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| format!("there is no randomness for a token: {error}"))?;
    let mut text = String::with_capacity(65);
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    text.push('\n');
    match replace::create(path, text.as_bytes()) {
        Ok(()) | Err(ReplaceError::Changed) => Ok(()),
        Err(error) => Err(error.to_string()),
    }
}

#[cfg(unix)]
fn check_owner(file: &File) -> Result<(), String> {
    use std::os::unix::fs::MetadataExt;
    let found = file.metadata().map_err(|error| format!("cannot be looked at: {error}"))?;
    if !found.is_file() {
        return Err("is not a file".to_owned());
    }
    if found.uid() != crate::paths::user() {
        return Err(format!("belongs to another user ({}), who knows the token", found.uid()));
    }
    if found.mode() & 0o077 != 0 {
        return Err("is open to other users; chmod 600 it".to_owned());
    }
    Ok(())
}

#[cfg(not(unix))]
fn check_owner(_: &File) -> Result<(), String> {
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn what_is_not_there_is_made_and_then_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/token");
        let made = Token::of_file(&path).unwrap();
        assert_eq!(made.0.len(), 64, "256 bits, four a character");
        assert!(Token::of_file(&path).unwrap().is(&made.0));
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let other = Token::of_file(&folder.path().join("other")).unwrap();
        assert!(!made.is(&other.0));
    }

    #[test]
    fn files_that_others_can_read_or_choose_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let good = Token::of_file(&path("good")).unwrap().0;
        symlink(path("good"), path("link")).unwrap();
        symlink(path("nowhere"), path("dangling")).unwrap();
        let write = |name: &str, text: &str, mode| {
            std::fs::write(path(name), text).unwrap();
            std::fs::set_permissions(path(name), PermissionsExt::from_mode(mode)).unwrap();
        };
        write("group", &good, 0o640);
        write("short", &good[..42], 0o600);
        write("odd", &format!("{good}\u{e9}"), 0o600);
        write("long", &"x".repeat(257), 0o600);
        write("base64", &good[..43], 0o400);
        for (name, why) in [
            ("link", "is a symbolic link"),
            ("dangling", "is a symbolic link"),
            ("group", "is open to other users"),
            ("short", "holds no token"),
            ("odd", "holds no token"),
            ("long", "holds no token"),
            (".", "is not a file"),
        ] {
            let error = Token::of_file(&path(name)).err().unwrap();
            assert!(error.contains(why), "{name}: {error}");
        }
        assert!(!path("nowhere").exists(), "nothing is made behind a link");
        assert!(Token::of_file(&path("base64")).is_ok());
    }

    #[test]
    fn only_the_whole_token_is_right() {
        let token = Token::parse(&"a".repeat(43)).unwrap();
        assert!(token.is(&"a".repeat(43)));
        for wrong in [String::new(), "a".repeat(42), "a".repeat(44), "a".repeat(42) + "b"] {
            assert!(!token.is(&wrong), "{wrong}");
        }
    }
}

//! Patterns of file names, for shells that do not read them: `*`, `?`, `[a-z]`, and `**` for folders in between.

use std::path::{Path, PathBuf};

/// Whether an argument is a pattern.
pub fn is_pattern(argument: &Path) -> bool {
    argument.to_string_lossy().contains(['*', '?', '['])
}

/// The files that a pattern fits, in the order of their names. Hidden files and folders have to be named, and links
/// to folders are not entered by `**`.
pub fn files(pattern: &Path) -> Vec<PathBuf> {
    let text = pattern.to_string_lossy();
    let absolute = if text.starts_with('/') { "/" } else { "" };
    let parts: Vec<&str> = text.split('/').filter(|part| !part.is_empty()).collect();
    let mut found = Vec::new();
    let mut waiting = vec![(PathBuf::from(absolute), 0)];
    while let Some((folder, at)) = waiting.pop() {
        let Some(part) = parts.get(at) else {
            if folder.is_file() {
                found.push(folder);
            }
            continue;
        };
        if *part == "**" {
            waiting.push((folder.clone(), at + 1));
        } else if !is_pattern(Path::new(part)) {
            waiting.push((folder.join(part), at + 1));
            continue;
        }
        let here = if folder.as_os_str().is_empty() { Path::new(".") } else { &folder };
        for entry in std::fs::read_dir(here).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let hidden = name.starts_with('.') && !part.starts_with('.');
            let below = folder.join(entry.file_name());
            if *part == "**" {
                if !hidden && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    waiting.push((below, at));
                }
            } else if !hidden && fits(part, &name) {
                waiting.push((below, at + 1));
            }
        }
    }
    found.sort();
    found.dedup();
    found
}

/// Whether a name fits a pattern without folders.
fn fits(pattern: &str, name: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let name: Vec<char> = name.chars().collect();
    let (mut at, mut read) = (0, 0);
    // Where the last star stood, and what it has taken: only that one need be tried again.
    let mut star = None;
    while read < name.len() {
        let step = match pattern.get(at) {
            Some('*') => {
                star = Some((at, read));
                at += 1;
                continue;
            }
            Some('?') => Some(1),
            Some('[') => one_of(&pattern[at..], name[read]),
            Some(letter) => (*letter == name[read]).then_some(1),
            None => None,
        };
        match (step, star) {
            (Some(step), _) => (at, read) = (at + step, read + 1),
            (None, Some((place, taken))) => {
                star = Some((place, taken + 1));
                (at, read) = (place + 1, taken + 1);
            }
            (None, None) => return false,
        }
    }
    pattern[at..].iter().all(|letter| *letter == '*')
}

/// How long a set is, when the letter is in it. One without end is a plain bracket.
fn one_of(pattern: &[char], letter: char) -> Option<usize> {
    let not = matches!(pattern.get(1), Some('!' | '^'));
    let first = 1 + usize::from(not);
    let Some(end) = pattern.iter().skip(first + 1).position(|other| *other == ']').map(|at| at + first + 1)
    else {
        return (letter == '[').then_some(1);
    };
    let mut set = &pattern[first..end];
    let mut is_in = false;
    while let [from, rest @ ..] = set {
        (is_in, set) = match rest {
            ['-', to, rest @ ..] => (is_in || (*from..=*to).contains(&letter), rest),
            _ => (is_in || *from == letter, rest),
        };
    }
    (is_in != not).then_some(end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As `sh` has it (POSIX, Shell Command Language, 2.13).
    #[test]
    fn names() {
        for (pattern, name, expected) in [
            ("*.sgf", "a.sgf", true),
            ("*.sgf", "a.sgfx", false),
            ("a*b*c", "aXbYbZc", true),
            ("a*b*c", "aXbYbZ", false),
            ("?.sgf", "围.sgf", true),
            ("?.sgf", ".sgf", false),
            ("[a-c1].sgf", "b.sgf", true),
            ("[a-c1].sgf", "1.sgf", true),
            ("[!a-c].sgf", "b.sgf", false),
            ("[]x]", "]", true),
            ("a[", "a[", true),
            ("*", "", true),
            ("**", "x", true),
        ] {
            assert_eq!(fits(pattern, name), expected, "{pattern} {name}");
        }
    }
}

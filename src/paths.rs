//! Where things are on this machine.

use std::path::PathBuf;

/// The user's settings file: `kifud/kifud.toml` in `$XDG_CONFIG_HOME` or `~/.config`, on macOS
/// also in `~/Library/Application Support` if it is there already, on Windows in `%APPDATA%`.
/// `None` when the user has no home.
pub fn settings_file() -> Option<PathBuf> {
    settings_file_for(|name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from))
}

fn settings_file_for(get: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    let file = |folder: PathBuf| folder.join("kifud").join("kifud.toml");
    let home = || get(if cfg!(windows) { "USERPROFILE" } else { "HOME" });
    // The XDG specification: a relative path is as if it were not there.
    if let Some(folder) = get("XDG_CONFIG_HOME").filter(|folder| folder.is_absolute()) {
        return Some(file(folder));
    }
    if cfg!(windows) {
        return get("APPDATA").map(file);
    }
    if cfg!(target_os = "macos") {
        let library = home().map(|home| file(home.join("Library/Application Support")));
        if let Some(path) = library.filter(|path| path.exists()) {
            return Some(path);
        }
    }
    Some(file(home()?.join(".config")))
}

/// The folder for what has to outlive a crash: `kifud` in `$XDG_STATE_HOME` or `~/.local/state`, on
/// Windows in `%LOCALAPPDATA%`. `None` when the user has no home.
pub fn state_folder() -> Option<PathBuf> {
    state_folder_for(|name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from))
}

fn state_folder_for(get: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    let folder = match get("XDG_STATE_HOME").filter(|folder| folder.is_absolute()) {
        Some(folder) => folder,
        None if cfg!(windows) => get("LOCALAPPDATA")?,
        None => get("HOME")?.join(".local/state"),
    };
    Some(folder.join("kifud"))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn the_xdg_folder_or_the_one_in_the_home() {
        let of = |set: &[(&str, &str)]| {
            settings_file_for(|name| {
                set.iter().find(|(key, _)| *key == name).map(|(_, value)| PathBuf::from(value))
            })
        };
        let home = ("HOME", "/home/me");
        assert_eq!(of(&[home, ("XDG_CONFIG_HOME", "/c")]), Some("/c/kifud/kifud.toml".into()));
        assert_eq!(of(&[home, ("XDG_CONFIG_HOME", "c")]), Some("/home/me/.config/kifud/kifud.toml".into()));
        assert_eq!(of(&[home]), Some("/home/me/.config/kifud/kifud.toml".into()));
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn the_state_folder_is_found_the_same_way() {
        let of = |set: &[(&str, &str)]| {
            state_folder_for(|name| {
                set.iter().find(|(key, _)| *key == name).map(|(_, value)| PathBuf::from(value))
            })
        };
        assert_eq!(of(&[("HOME", "/home/me"), ("XDG_STATE_HOME", "/s")]), Some("/s/kifud".into()));
        assert_eq!(
            of(&[("HOME", "/home/me"), ("XDG_STATE_HOME", "s")]),
            Some("/home/me/.local/state/kifud".into())
        );
        assert_eq!(of(&[]), None);
    }
}

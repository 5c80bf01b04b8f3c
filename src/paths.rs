//! Where things are on this machine.

use std::path::{Path, PathBuf};

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

/// The folder for what can be found again: `kifud` in `$XDG_CACHE_HOME` or `~/.cache`, on Windows in
/// `%LOCALAPPDATA%`. `None` when the user has no home.
pub fn cache_folder() -> Option<PathBuf> {
    cache_folder_for(|name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from))
}

fn cache_folder_for(get: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    let folder = match get("XDG_CACHE_HOME").filter(|folder| folder.is_absolute()) {
        Some(folder) => folder,
        None if cfg!(windows) => return Some(get("LOCALAPPDATA")?.join("kifud").join("cache")),
        None => get("HOME")?.join(".cache"),
    };
    Some(folder.join("kifud"))
}

/// The folder for the sockets of this user: `kifud` in `$XDG_RUNTIME_DIR`, else `kifud-UID` in the
/// folder for temporary files.
pub fn runtime_folder() -> PathBuf {
    runtime_folder_for(|name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from))
}

fn runtime_folder_for(get: impl Fn(&str) -> Option<PathBuf>) -> PathBuf {
    match get("XDG_RUNTIME_DIR").filter(|folder| folder.is_absolute()) {
        Some(folder) => folder.join("kifud"),
        None => std::env::temp_dir().join(format!("kifud-{}", user())),
    }
}

/// The number of the user that this process works for.
#[cfg(unix)]
pub fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Users have no numbers here.
#[cfg(not(unix))]
pub fn user() -> u32 {
    0
}

/// Makes a folder that only this user can enter, unless it is there.
///
/// # Errors
/// It cannot be made, or what is there is no folder, is another user's, or is open to others.
#[cfg(unix)]
pub fn make_private(folder: &Path) -> Result<(), String> {
    use std::os::unix::fs::{DirBuilderExt, MetadataExt};
    let at = folder.display();
    match std::fs::DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
            return Err(format!("{at} cannot be made: {error}"));
        }
        _ => {}
    }
    let found = std::fs::symlink_metadata(folder).map_err(|error| format!("{at}: {error}"))?;
    if !found.is_dir() {
        return Err(format!("{at} is not a folder; remove it"));
    }
    if found.uid() != user() {
        return Err(format!("{at} belongs to another user ({}), who could listen there", found.uid()));
    }
    if found.mode() & 0o077 != 0 {
        return Err(format!("{at} is open to other users; chmod 700 it"));
    }
    Ok(())
}

/// Makes a folder, unless it is there.
///
/// # Errors
/// It cannot be made.
#[cfg(not(unix))]
pub fn make_private(folder: &Path) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(|error| format!("{} cannot be made: {error}", folder.display()))
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

    #[test]
    fn so_is_the_cache_folder() {
        let of = |set: &[(&str, &str)]| {
            cache_folder_for(|name| {
                set.iter().find(|(key, _)| *key == name).map(|(_, value)| PathBuf::from(value))
            })
        };
        let home = ("HOME", "/home/me");
        assert_eq!(of(&[home, ("XDG_CACHE_HOME", "/c")]), Some("/c/kifud".into()));
        assert_eq!(of(&[home, ("XDG_CACHE_HOME", "c")]), Some("/home/me/.cache/kifud".into()));
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn the_runtime_folder_is_the_session_s_or_the_user_s_own() {
        let of = |set: Option<&str>| runtime_folder_for(|_| set.map(PathBuf::from));
        assert_eq!(of(Some("/run/user/1000")), PathBuf::from("/run/user/1000/kifud"));
        let own = std::env::temp_dir().join(format!("kifud-{}", user()));
        assert_eq!(of(Some("run")), own);
        assert_eq!(of(None), own);
    }

    #[test]
    fn a_private_folder_is_nobody_else_s() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let home = tempfile::tempdir().unwrap();
        let path = |name: &str| home.path().join(name);
        assert_eq!(make_private(&path("new")), Ok(()));
        assert_eq!(make_private(&path("new")), Ok(()), "it is there");
        assert_eq!(std::fs::metadata(path("new")).unwrap().permissions().mode() & 0o777, 0o700);
        std::fs::write(path("file"), "").unwrap();
        symlink(path("new"), path("link")).unwrap();
        std::fs::create_dir(path("open")).unwrap();
        std::fs::set_permissions(path("open"), PermissionsExt::from_mode(0o770)).unwrap();
        for (name, why) in [
            ("file", "is not a folder"),
            ("link", "is not a folder"),
            ("open", "is open to other users"),
            ("no/where", "cannot be made"),
        ] {
            let error = make_private(&path(name)).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
        assert!(make_private(Path::new("/")).unwrap_err().contains(if user() == 0 {
            "open"
        } else {
            "another user"
        }));
    }
}

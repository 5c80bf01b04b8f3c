//! Known programs on this machine.

use std::path::{Path, PathBuf};

use crate::engine::profile::{ALL, Profile};
use crate::engine::{EngineSpec, StartIn, Surroundings, resolve};
use crate::service::settings::EngineSettings;

/// Where Debian puts games; not in the `PATH` of root and of many services.
const GAMES: [&str; 2] = ["/usr/games", "/usr/local/games"];

/// The files of known programs in `PATH` and in the folders for games, each once, in the order of
/// the profiles.
pub fn known_programs() -> Vec<(PathBuf, &'static Profile)> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).chain(GAMES.map(PathBuf::from)).collect();
    search(&folders)
}

fn search(folders: &[PathBuf]) -> Vec<(PathBuf, &'static Profile)> {
    let mut found: Vec<(PathBuf, &'static Profile)> = Vec::new();
    for profile in ALL {
        let names = profile.files.iter().map(|file| format!("{file}{}", std::env::consts::EXE_SUFFIX));
        for name in names.collect::<Vec<_>>() {
            for folder in folders.iter().filter(|folder| folder.is_absolute()) {
                let Some(path) = file(&folder.join(&name)) else { continue };
                if found.iter().all(|(known, _)| *known != path) {
                    found.push((path, profile));
                }
            }
        }
    }
    found
}

/// The file that a configured engine starts, as [`known_programs`] would name it.
pub fn program(engine: &EngineSettings) -> Option<PathBuf> {
    if engine.is_builtin() {
        return None;
    }
    let start = StartIn { workspace: std::env::current_dir().ok(), base: engine.base.clone(), path: None };
    let spec =
        engine.spec().unwrap_or_else(|_| EngineSpec { path: engine.path.clone(), ..EngineSpec::default() });
    file(&resolve(&spec, &start, &Surroundings::here()).ok()?.program)
}

/// An executable file without detours over symbolic links.
fn file(path: &Path) -> Option<PathBuf> {
    let path = std::fs::canonicalize(path).ok()?;
    let spec = EngineSpec { path: path.to_string_lossy().into_owned(), ..EngineSpec::default() };
    let around = Surroundings { flatpak: false, ..Surroundings::here() };
    resolve(&spec, &StartIn::default(), &around).ok().map(|program| program.program)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn each_program_once_and_only_what_can_be_started() {
        let folder = tempfile::tempdir().unwrap();
        let [one, two] = ["one", "two"].map(|name| folder.path().join(name));
        for (folder, name, mode) in
            [(&one, "gnugo", 0o755), (&one, "leelaz", 0o644), (&two, "katago", 0o755), (&two, "other", 0o755)]
        {
            std::fs::create_dir_all(folder).unwrap();
            std::fs::write(folder.join(name), "").unwrap();
            std::fs::set_permissions(folder.join(name), std::fs::Permissions::from_mode(mode)).unwrap();
        }
        std::os::unix::fs::symlink(one.join("gnugo"), two.join("gnugo")).unwrap();
        std::fs::create_dir(two.join("pachi")).unwrap();
        let found = search(&[one.clone(), two.clone(), PathBuf::from(".")]);
        let real = |path: PathBuf| std::fs::canonicalize(path).unwrap();
        let ids: Vec<_> = found.iter().map(|(path, profile)| (path.clone(), profile.id)).collect();
        assert_eq!(ids, [(real(two.join("katago")), "katago"), (real(one.join("gnugo")), "gnugo")]);
    }
}

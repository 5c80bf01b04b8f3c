//! How an engine of the matrix is started: its net, its configuration, its arguments.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use tokio::process::Command;

use super::matrix::{EngineEntry, Kind, Matrix, Net};
use crate::engine::{EngineSpec, Program, StartIn, Surroundings, resolve};

/// The program that is this one.
const OWN: &str = "kifud";

/// Finds the program and all it needs. `Err` is a sentence that names the field to mend.
pub async fn prepare(matrix: &Matrix, engine: &EngineEntry) -> Result<Program, String> {
    let bin = matrix.path("bin", &engine.bin)?;
    // A bare name that is no file beside the matrix is looked up in PATH.
    let bare = !engine.bin.contains(['/', '$']);
    let path = match engine.bin.as_str() {
        OWN => text(std::env::current_exe().map_err(|error| format!("`bin`: {error}"))?),
        name if bare => name.to_owned(),
        _ => text(bin),
    };
    let mut spec = EngineSpec { name: engine.id.clone(), path, ..EngineSpec::default() };
    let start = StartIn { workspace: None, base: Some(matrix.folder.clone()), path: None };
    let around = Surroundings::here();
    let found = resolve(&spec, &start, &around).map_err(|error| format!("`bin`: {error}"))?;
    spec.args = arguments(matrix, engine, &found.program).await?;
    resolve(&spec, &start, &around).map_err(|error| format!("`bin`: {error}"))
}

async fn arguments(matrix: &Matrix, engine: &EngineEntry, program: &Path) -> Result<Vec<String>, String> {
    let net = match (&engine.net, engine.kind) {
        (Some(net), _) => Some(text(provide(matrix, net).await?)),
        (None, Kind::Gtp) => None,
        (None, kind) => return Err(format!("`net` is missing: {} needs a net", kind.name())),
    };
    let mut args = match engine.kind {
        Kind::Katago => {
            let config = text(config(matrix, engine, program)?);
            let mut args = vec!["gtp".to_owned(), "-model".to_owned()];
            args.extend(net);
            args.extend(["-config".to_owned(), config]);
            if let Some(overrides) = &engine.overrides {
                args.extend(["-override-config".to_owned(), overrides.clone()]);
            }
            args
        }
        Kind::LeelaZero => ["--gtp".to_owned(), "-w".to_owned()].into_iter().chain(net).collect(),
        Kind::Gtp => Vec::new(),
    };
    args.extend(engine.args.iter().cloned());
    Ok(args)
}

fn text(path: PathBuf) -> String {
    path.to_string_lossy().into_owned()
}

/// The configuration named, else the example that KataGo's releases and packages bring along.
fn config(matrix: &Matrix, engine: &EngineEntry, program: &Path) -> Result<PathBuf, String> {
    if let Some(config) = &engine.config {
        let path = matrix.path("config", config)?;
        let missing = format!("`config`: {} is no file", path.display());
        return path.is_file().then_some(path).ok_or(missing);
    }
    let program = program.canonicalize().unwrap_or_else(|_| program.to_path_buf());
    let folder = program.parent().unwrap_or(Path::new("."));
    let places = ["gtp_example.cfg", "default_gtp.cfg", "../share/katago/configs/gtp_example.cfg"];
    let found = places.map(|place| folder.join(place)).into_iter().find(|path| path.is_file());
    found.ok_or_else(|| {
        format!(
            "no KataGo configuration near {}; set `config` to a GTP configuration file",
            program.display()
        )
    })
}

/// The net's file. One that is not there is fetched or generated, once.
async fn provide(matrix: &Matrix, net: &Net) -> Result<PathBuf, String> {
    let named = matrix.path("net.file", &net.file)?;
    let plain = Path::new(&net.file).is_relative() && !net.file.contains('$');
    let file = if plain { matrix.folder.join(&matrix.cache).join(&net.file) } else { named };
    let how = if file.is_file() {
        "there"
    } else {
        make(matrix, net, &file).await?;
        if net.url.is_some() { "fetched" } else { "generated" }
    };
    let file = file.canonicalize().unwrap_or(file);
    let bytes = file.metadata().map(|meta| meta.len()).unwrap_or_default();
    eprintln!("net {}: {how}, {} KiB", file.display(), bytes.div_ceil(1024));
    Ok(file)
}

/// Writes the net beside its place, and moves it there when it is whole.
async fn make(matrix: &Matrix, net: &Net, file: &Path) -> Result<(), String> {
    let unwritable = |error: std::io::Error| format!("{}: {error}", file.display());
    let folder = file.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(unwritable)?;
    let part = tempfile::Builder::new().prefix(".part-").tempfile_in(folder).map_err(unwritable)?;
    let words = match (&net.url, &net.generate) {
        (Some(url), _) => ["curl", "--fail", "--location", "--silent", "--show-error", url, "--output"]
            .map(str::to_owned)
            .to_vec(),
        (None, Some(command)) => EngineSpec::split_args(command).map_err(|error| error.to_string())?,
        (None, None) => {
            return Err(format!(
                "`net.file`: {} is not there; put it there, or set `net.url` or `net.generate`",
                file.display()
            ));
        }
    };
    let (program, args) = words.split_first().ok_or("`net.generate` is empty")?;
    let mut command = Command::new(program);
    command.args(args).arg(part.path()).current_dir(&matrix.folder).kill_on_drop(true);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let output = command.output().await.map_err(|error| format!("{program} cannot be started: {error}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("`net`: {program} failed ({}): {}", output.status, said.trim()));
    }
    part.persist(file).map_err(|error| unwritable(error.error))?;
    Ok(())
}

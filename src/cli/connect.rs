//! `kifud connect`: an editor's stdio, bridged to the daemon that it shares with others.

use std::process::ExitCode;
use std::sync::Arc;

use tokio::io::BufReader;

use super::shared::Given;
use super::{REFUSED, runtime, service};
use crate::paths;
use crate::service::error::Error;
use crate::service::settings::Settings;
use crate::transport::bridge::{self, Alone, Shared};
use crate::transport::framing::Reader;
use crate::transport::local;
use crate::transport::stdio::{End, Limits};
use crate::transport::streams;

/// The bridge.
pub fn run(given: &Given, settings: Settings) -> ExitCode {
    let limits = Limits::of(&settings.limits, true);
    let table = given.table;
    bridge(given, limits, Box::new(move || service(settings.clone(), table())), None)
}

/// The bridge while the settings are broken: to a daemon that runs already, and goes on with those that it has;
/// `None` when there is none.
pub fn run_without_settings(given: &Given, error: &Error) -> Option<ExitCode> {
    let place = given.place();
    runtime().ok()?.block_on(local::look(&place)).ok()??;
    let why = error.message.clone();
    let warning = format!("{why}; the shared daemon goes on with the settings that it has");
    let alone = Box::new(move || Err(std::io::Error::other(why.clone())));
    Some(bridge(given, Limits::default(), alone, Some(warning)))
}

fn bridge(given: &Given, limits: Limits, alone: Alone, warning: Option<String>) -> ExitCode {
    let (runtime, program) = match (runtime(), std::env::current_exe()) {
        (Ok(runtime), Ok(program)) => (runtime, program),
        (Err(error), _) | (_, Err(error)) => {
            eprintln!("kifud: cannot start: {error}");
            return ExitCode::from(REFUSED);
        }
    };
    let table = given.table;
    let mut daemons = Shared {
        place: given.place(),
        program,
        args: given.arguments(),
        state: paths::state_folder(),
        cwd: std::env::current_dir().ok(),
        limits,
        alone,
        warning,
        failures: 0,
    };
    let code = runtime.block_on(async {
        let (input, mut output) = match (streams::stdin(), streams::stdout()) {
            (Ok(input), Ok(output)) => (input, output),
            (Err(error), _) | (_, Err(error)) => {
                eprintln!("kifud: stdio cannot be used: {error}");
                return REFUSED;
            }
        };
        let mut frames = Reader::new(BufReader::with_capacity(64 * 1024, input), limits.message);
        match bridge::run(&mut daemons, Arc::new(table()), &mut frames, &mut output).await {
            End::Clean => 0,
            End::Abrupt => REFUSED,
        }
    });
    // A blocking read of stdin cannot be interrupted; nobody waits for it.
    runtime.shutdown_background();
    ExitCode::from(code)
}

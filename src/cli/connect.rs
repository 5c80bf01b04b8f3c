//! `kifud connect`: an editor's stdio, bridged to the daemon that it shares with others.

use std::process::ExitCode;
use std::sync::Arc;

use tokio::io::BufReader;

use super::shared::Given;
use super::{REFUSED, runtime, service};
use crate::paths;
use crate::service::settings::Settings;
use crate::transport::bridge::{self, Shared};
use crate::transport::framing::Reader;
use crate::transport::stdio::{End, Limits};
use crate::transport::streams;

pub fn run(given: &Given, settings: Settings) -> ExitCode {
    let (runtime, program) = match (runtime(), std::env::current_exe()) {
        (Ok(runtime), Ok(program)) => (runtime, program),
        (Err(error), _) | (_, Err(error)) => {
            eprintln!("kifud: cannot start: {error}");
            return ExitCode::from(REFUSED);
        }
    };
    let (limits, table) = (Limits::of(&settings.limits, true), given.table);
    let mut daemons = Shared {
        place: given.place(),
        program,
        args: given.arguments(),
        state: paths::state_folder(),
        cwd: std::env::current_dir().ok(),
        limits,
        alone: Box::new(move || service(settings.clone(), table())),
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

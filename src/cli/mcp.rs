//! `kifud mcp`: the door for language models.

use std::path::PathBuf;
use std::process::ExitCode;

use super::{REFUSED, USAGE, complain, start};
use crate::service::methods;
use crate::service::settings::Settings;
use crate::transport::mcp::{self, Limits, Roots};
use crate::transport::streams;

#[derive(clap::Args)]
pub struct Args {
    /// A folder whose records may be read, with all that is in it. May be given more than once. Default: the
    /// current folder.
    #[arg(long = "root", value_name = "DIR")]
    roots: Vec<PathBuf>,
    /// About so many tokens at most in one answer; longer ones are cut, and say so.
    #[arg(long, value_name = "N", default_value_t = 4000, value_parser = clap::value_parser!(u32).range(200..=1_000_000))]
    tokens: u32,
}

pub fn run(settings: Settings, args: &Args) -> ExitCode {
    let here = [PathBuf::from(".")];
    let roots = match Roots::new(if args.roots.is_empty() { &here } else { &args.roots }) {
        Ok(roots) => roots,
        Err(error) => return complain(&error, USAGE),
    };
    let (runtime, service) = match start(settings, methods::table()) {
        Ok(started) => started,
        Err(code) => return code,
    };
    // Nothing but the roots is read for a model, and no program started that the settings do not name.
    let session = match service.open_session(false) {
        Ok(session) => session,
        Err(error) => return complain(&error, REFUSED),
    };
    let limits = Limits { tokens: args.tokens as usize };
    let outcome = runtime.block_on(async {
        let streams = (streams::stdin(), streams::stdout());
        let outcome = match streams {
            (Ok(input), Ok(output)) => {
                mcp::serve(service.clone(), session, roots, limits, (input, output)).await
            }
            (Err(error), _) | (_, Err(error)) => Err(format!("stdio cannot be used: {error}")),
        };
        service.shutdown().await;
        outcome
    });
    // A blocking read of stdin cannot be interrupted; nobody waits for it.
    runtime.shutdown_background();
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("kifud: {why}");
            ExitCode::from(REFUSED)
        }
    }
}

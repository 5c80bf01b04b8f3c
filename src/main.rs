//! The `kifud` program.

use std::process::ExitCode;

use clap::Parser;
use kifud::cli::replay::{self, ReplayArgs};

#[derive(Parser)]
#[command(name = "kifud", version)]
enum Command {
    /// A GTP engine that replays recorded transcripts.
    Replay(ReplayArgs),
}

fn main() -> ExitCode {
    let Command::Replay(args) = Command::parse();
    replay::run(&args)
}

//! The `kifud` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    kifud::cli::main()
}

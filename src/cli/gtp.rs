//! `kifud gtp`: the engine in the box as a GTP program.

use std::io::{self, BufRead, Read};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

use crate::engine::builtin::{self, Options};

/// Longest input line in bytes; the rest is read as another line.
const MAX_LINE: u64 = 1 << 20;

/// Lines read ahead of the one being answered.
const QUEUE: usize = 64;

/// Arguments of `kifud gtp`.
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    #[command(flatten)]
    options: Options,
}

/// Speaks GTP on stdin and stdout until `quit` or the end of the input.
pub fn run(args: &Args) -> ExitCode {
    builtin::serve(&args.options, lines(), io::stdout().lock(), &AtomicBool::new(false));
    ExitCode::SUCCESS
}

/// The lines of stdin, read beside the work. The channel closes at the end of the input.
pub(super) fn lines() -> Receiver<Vec<u8>> {
    let (sender, receiver) = sync_channel(QUEUE);
    thread::spawn(move || {
        let mut input = io::stdin().lock();
        let mut line = Vec::new();
        while matches!(input.by_ref().take(MAX_LINE).read_until(b'\n', &mut line), Ok(1..)) {
            if sender.send(std::mem::take(&mut line)).is_err() {
                return;
            }
        }
    });
    receiver
}

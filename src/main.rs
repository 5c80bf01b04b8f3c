//! The `kifud` program.

fn main() {
    if std::env::args().nth(1).as_deref() == Some("reaper") {
        kifud::engine::reaper::main();
    }
}

//! The `kifud` program.

fn main() {}

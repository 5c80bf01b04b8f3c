//! Xiangqi from outside: the library against oracle data, the methods through the door, the commands
//! at the shell.

mod data;
mod legality;
mod mates;
mod methods;
mod notation;
mod oracle;
mod reference;
mod repetition;
mod shell;
#[path = "../support/mod.rs"]
mod support;

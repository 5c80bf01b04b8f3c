//! `kifud::xiangqi` without the rest of kifud: the module is pure and needs nothing of it.

#[path = "../../src/xiangqi/mod.rs"]
pub mod xiangqi;

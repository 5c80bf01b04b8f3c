//! `kifud::xiangqi` and the pure floors that it stands on, without the rest of kifud.

#[path = "../../src/formats/mod.rs"]
pub mod formats;
#[path = "../../src/go/mod.rs"]
pub mod go;
#[path = "../../src/locale.rs"]
pub mod locale;
#[path = "../../src/sgf/mod.rs"]
pub mod sgf;
#[path = "../../src/text/mod.rs"]
pub mod text;
#[path = "../../src/xiangqi/mod.rs"]
pub mod xiangqi;

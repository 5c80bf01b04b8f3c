//! The pure floors of kifud, without the rest of it.

#[path = "../src/engine"]
pub mod engine {
    pub mod gtp;
    pub mod katago_json;
    pub mod sync;
}
#[path = "../src/formats/mod.rs"]
pub mod formats;
#[path = "../src/go/mod.rs"]
pub mod go;
#[path = "../src/gtp_engine/mod.rs"]
pub mod gtp_engine;
#[path = "../src/language/mod.rs"]
pub mod language;
#[path = "../src/locale.rs"]
pub mod locale;
#[path = "../src/mcts/mod.rs"]
pub mod mcts;
#[path = "../src/sgf/mod.rs"]
pub mod sgf;
#[path = "../src/text/mod.rs"]
pub mod text;
#[path = "../src/xiangqi/mod.rs"]
pub mod xiangqi;

/// What every target may ask of findings and changes.
pub mod claims;

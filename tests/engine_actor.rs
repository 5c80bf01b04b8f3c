//! The engine actor against scripted programs: what real engines do, and what bad ones do.
#![cfg(target_os = "linux")]

#[path = "actor/support.rs"]
mod support;

#[path = "actor/analysis.rs"]
mod analysis;
#[path = "actor/ends.rs"]
mod ends;
#[path = "actor/genmove.rs"]
mod genmove;
#[path = "actor/in_the_box.rs"]
mod in_the_box;
#[path = "actor/json.rs"]
mod json;
#[path = "actor/points.rs"]
mod points;
#[path = "actor/protocol.rs"]
mod protocol;
#[path = "actor/real.rs"]
mod real;
#[path = "actor/real_points.rs"]
mod real_points;
#[path = "actor/start.rs"]
mod start;
#[path = "actor/sync.rs"]
mod sync;

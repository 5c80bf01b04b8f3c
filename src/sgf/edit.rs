//! tmp
use super::*;
/// tmp
pub fn set_property(_: &Record, _: NodeId, _: &str, _: &[String]) -> Vec<TextEdit> {
    vec![]
}

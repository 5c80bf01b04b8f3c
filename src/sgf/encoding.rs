//! tmp
use std::sync::Arc;
/// tmp
pub struct Decoded {
    pub text: Arc<str>,
}
/// tmp
pub fn decode(bytes: &[u8], _: Option<&str>) -> Decoded {
    Decoded { text: String::from_utf8_lossy(bytes).into() }
}

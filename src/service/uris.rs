//! What the names of documents mean: paths, and one key for all spellings of one name.

/// The path behind a `file:` URI or a bare absolute path.
pub fn file_path(uri: &str) -> Option<std::path::PathBuf> {
    if uri.starts_with('/') {
        return Some(uri.into());
    }
    let path = uri.strip_prefix("file://")?;
    let path = path.strip_prefix("localhost").unwrap_or(path);
    let bytes = percent_decode(path);
    bytes.starts_with(b"/").then(|| os_path(bytes))?
}

/// File names are bytes, and not always UTF-8.
#[cfg(unix)]
fn os_path(bytes: Vec<u8>) -> Option<std::path::PathBuf> {
    Some(<std::ffi::OsString as std::os::unix::ffi::OsStringExt>::from_vec(bytes).into())
}

#[cfg(not(unix))]
fn os_path(bytes: Vec<u8>) -> Option<std::path::PathBuf> {
    String::from_utf8(bytes).ok().map(Into::into)
}

/// By what a document is found again: one for all spellings of a URI.
pub(super) fn key(uri: &str) -> Vec<u8> {
    percent_decode(uri)
}

/// What a URI means: one text for one resource, however it is escaped.
pub fn percent_decode(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let escaped = (byte == b'%')
            .then(|| text.get(at + 1..at + 3))
            .flatten()
            .filter(|hex| hex.bytes().all(|byte| byte.is_ascii_hexdigit()))
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        out.push(escaped.unwrap_or(byte));
        at += if escaped.is_some() { 3 } else { 1 };
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn file_names_are_bytes() {
        use std::os::unix::ffi::OsStrExt;
        assert_eq!(file_path("file:///a%FF").unwrap().as_os_str().as_bytes(), b"/a\xff");
    }

    #[test]
    fn file_uris() {
        assert_eq!(file_path("file:///tmp/%E5%9B%B4%20x.sgf"), Some("/tmp/围 x.sgf".into()));
        assert_eq!(file_path("untitled:1"), None);
        assert_eq!(file_path("file://server/x.sgf"), None);
    }
}

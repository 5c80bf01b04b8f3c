//! The SGF document language: text in, a lossless tree and typed values out.

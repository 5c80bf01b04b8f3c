//! Tests of whole lines.

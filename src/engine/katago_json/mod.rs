//! What is said with KataGo's analysis engine: queries written, answers read. No I/O.
//!
//! Each side writes one JSON object a line (KataGo's `docs/Analysis_Engine.md`). A query carries a
//! whole position and an `id`; its answers carry the same id and come in any order:
//!
//! ```text
//! → {"id":"7","moves":[["B","D4"]],"rules":"japanese","komi":6.5,"boardXSize":9,…,"maxVisits":50}
//! ← {"id":"7","isDuringSearch":false,"moveInfos":[{"move":"E5","visits":20,…}],"rootInfo":{…}}
//! → {"id":"8","action":"terminate","terminateId":"7"}
//! ← {"error":"…","field":"komi","id":"7"}
//! ```

mod answer;
mod object;
mod query;
#[cfg(test)]
mod tests;

pub use answer::{Answer, is_outdated, read};
pub use query::{Action, Query, action};

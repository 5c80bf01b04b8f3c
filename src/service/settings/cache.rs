//! What is kept of what engines find, and what they look at by themselves.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::layer::within;

/// Results that are shown again when a position is looked at again. Read at the start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CacheSettings {
    /// Whether any are kept; true by default.
    pub enabled: bool,
    /// Whether they are kept on disk as well, for the next time; true by default.
    pub on_disk: bool,
    /// The most room that they take there, in bytes, 256 MiB; what was not used for the longest time goes
    /// first.
    pub max_bytes: u64,
}

impl Default for CacheSettings {
    fn default() -> CacheSettings {
        CacheSettings { enabled: true, on_disk: true, max_bytes: 256 << 20 }
    }
}

/// What a layer says of it.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[schemars(rename = "CacheSettings")]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CacheLayer {
    /// Whether results are kept, to be shown when a position is looked at again.
    pub enabled: Option<bool>,
    /// Whether they are kept on disk as well.
    pub on_disk: Option<bool>,
    /// The most room that they take there, in bytes, at least 1 MiB.
    #[serde(default, deserialize_with = "within::<1_048_576, 1_099_511_627_776, _, _>")]
    #[schemars(range(min = 1_048_576, max = 1_099_511_627_776_u64))]
    pub max_bytes: Option<u64>,
}

impl CacheLayer {
    /// Puts this layer over settings.
    pub(super) fn onto(&self, cache: &mut CacheSettings) {
        cache.enabled = self.enabled.unwrap_or(cache.enabled);
        cache.on_disk = self.on_disk.unwrap_or(cache.on_disk);
        cache.max_bytes = self.max_bytes.unwrap_or(cache.max_bytes);
    }
}

/// Once the position under the cursor is done, an engine with nothing else to do looks at those that
/// come next in the record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Ahead {
    /// At how many nodes, 4; 0: none.
    pub nodes: usize,
    /// Visits of each, 32.
    pub visits: u64,
}

impl Default for Ahead {
    fn default() -> Ahead {
        Ahead { nodes: 4, visits: 32 }
    }
}

/// What a layer says of it.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[schemars(rename = "AheadSettings")]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AheadLayer {
    /// At how many nodes an idle engine looks ahead; 0: none.
    #[serde(default, deserialize_with = "within::<0, 50, _, _>")]
    #[schemars(range(max = 50))]
    pub nodes: Option<usize>,
    /// Visits of each.
    #[serde(default, deserialize_with = "within::<1, 10_000, _, _>")]
    #[schemars(range(min = 1, max = 10_000))]
    pub visits: Option<u64>,
}

impl AheadLayer {
    /// Takes over what another layer says.
    pub(super) fn put(&mut self, above: AheadLayer) {
        self.nodes = above.nodes.or(self.nodes);
        self.visits = above.visits.or(self.visits);
    }

    /// Puts this layer over settings.
    pub(super) fn onto(&self, ahead: &mut Ahead) {
        ahead.nodes = self.nodes.unwrap_or(ahead.nodes);
        ahead.visits = self.visits.unwrap_or(ahead.visits);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Layer, Settings};
    use super::*;

    #[test]
    fn layers_go_over_one_another() {
        let file = "[cache]\nmaxBytes = 2_000_000\n[ahead]\nnodes = 2\n";
        let above = Layer::from_assignment("cache.onDisk=false").unwrap();
        let settings = Settings::parse(file).unwrap().with(&above);
        assert_eq!(settings.cache, CacheSettings { enabled: true, on_disk: false, max_bytes: 2_000_000 });
        let mut own = Layer::of_session(serde_json::json!({"ahead": {"visits": 9}})).unwrap();
        own.put(Layer::of_session(serde_json::json!({"ahead": {"nodes": 0}})).unwrap());
        assert_eq!(settings.with(&own).ahead, Ahead { nodes: 0, visits: 9 });
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for (bad, words) in [
            ("[cache]\nmaxBytes = 1000", "between 1048576"),
            ("[cache]\nfolder = 'x'", "unknown field"),
            ("[ahead]\nnodes = 51", "between 0 and 50"),
            ("[ahead]\nvisits = 0", "between 1 and 10000"),
        ] {
            let error = Settings::parse(&format!("{bad}\n")).unwrap_err();
            assert!(error.message.contains(words), "{bad}: {error}");
        }
        let error = Layer::of_session(serde_json::json!({"cache": {"enabled": false}})).unwrap_err();
        assert_eq!(error.data["field"], "cache");
    }
}

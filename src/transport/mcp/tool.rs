//! What a tool is: its name, its words for models, its arguments, its work.

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use rmcp::model::{JsonObject, ToolAnnotations};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::caller::Caller;
use crate::service::error::{Error, Result};

type Run = Box<dyn Fn(Caller, JsonObject) -> BoxFuture<'static, Result<String>> + Send + Sync>;

/// A tool.
pub struct Tool {
    /// As models see it.
    pub shown: rmcp::model::Tool,
    /// How to ask for less, when an answer was cut.
    pub narrower: &'static str,
    /// Its work: the answer as a text.
    pub run: Run,
}

impl Tool {
    /// A tool with these arguments. All of them only read.
    pub fn new<P, F, Fut>(name: &'static str, title: &str, what: &'static str, work: F) -> Tool
    where
        P: DeserializeOwned + JsonSchema + Send + 'static,
        F: Fn(Caller, P) -> Fut + Clone + Send + Sync + 'static,
        Fut: Future<Output = Result<String>> + Send + 'static,
    {
        let hints = ToolAnnotations::with_title(title).read_only(true).idempotent(true).open_world(false);
        let run = move |caller, arguments| {
            let work = work.clone();
            async move { work(caller, read(arguments)?).await }.boxed()
        };
        let shown =
            rmcp::model::Tool::new(name, what, schema::<P>()).with_title(title).with_annotations(hints);
        Tool { shown, narrower: "", run: Box::new(run) }
    }

    /// The same tool with words that say how to ask for less.
    pub fn narrower(self, narrower: &'static str) -> Tool {
        Tool { narrower, ..self }
    }

    /// The names of its arguments, required ones first.
    pub fn arguments(&self) -> String {
        let schema = &self.shown.input_schema;
        let required: Vec<&str> = schema
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let fields = schema.get("properties").and_then(Value::as_object);
        let others = fields.into_iter().flatten().map(|(name, _)| name.as_str());
        let others = others.filter(|name| !required.contains(name)).map(str::to_owned);
        let names: Vec<String> =
            required.iter().map(|name| format!("{name} (required)")).chain(others).collect();
        if names.is_empty() { "no arguments".to_owned() } else { names.join(", ") }
    }
}

/// The arguments' schema, whole in itself.
fn schema<P: JsonSchema>() -> JsonObject {
    let mut settings = SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    let schema = settings.into_generator().into_root_schema_for::<P>();
    let mut schema = schema.as_object().cloned().unwrap_or_default();
    for name in ["$schema", "title", "description"] {
        schema.remove(name);
    }
    schema
}

fn read<P: DeserializeOwned>(arguments: JsonObject) -> Result<P> {
    serde_path_to_error::deserialize(Value::Object(arguments)).map_err(|error| {
        let path = error.path().to_string();
        let reason: String = error.into_inner().to_string().chars().take(400).collect();
        let place = if path == "." { String::new() } else { format!("{path}: ") };
        Error::field(&path, format!("{place}{reason}"))
    })
}

//! The contract, written from the types: OpenRPC, JSON Schemas, TypeScript, and a check that no
//! change breaks clients unnoticed.

use std::collections::BTreeMap;

use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::PROTOCOL;
use super::error::Kind;
use super::table::{Access, Method, Table};

/// The OpenRPC document of a table.
pub fn openrpc(table: &Table) -> Value {
    let mut settings = SchemaSettings::draft07();
    settings.definitions_path = "/components/schemas".into();
    let mut generator = settings.into_generator();
    let methods: Vec<Value> = table.methods().map(|method| describe(method, &mut generator)).collect();
    let mut errors = Map::new();
    for kind in Kind::ALL {
        errors.insert(kind.name(), json!({"code": kind.code(), "message": kind.name()}));
    }
    let mut schemas = generator.take_definitions(true);
    schemas.sort_keys();
    json!({
        "openrpc": "1.3.2",
        "info": {
            "title": "kifud",
            "version": PROTOCOL,
            "description": "The engine back end for board games of the 棋 family."
        },
        "methods": methods,
        "components": {"schemas": schemas, "errors": errors}
    })
}

fn describe(method: &Method, generator: &mut SchemaGenerator) -> Value {
    let errors: Vec<Value> = method
        .errors
        .iter()
        .map(|kind| json!({"$ref": format!("#/components/errors/{}", kind.name())}))
        .collect();
    let mut entry = json!({
        "name": method.name,
        "summary": method.doc,
        "paramStructure": "by-name",
        "params": [{"name": "params", "required": true, "schema": (method.params)(generator)}],
        "result": {"name": "result", "schema": (method.result)(generator)},
        "errors": errors,
        "x-access": match method.access {
            Access::Stateless => "stateless",
            Access::Session => "session",
            Access::Trusted => "trusted",
        }
    });
    if let Some(events) = &method.events {
        entry["x-stream"] = json!({"event": events.name, "schema": (events.schema)(generator)});
    }
    entry
}

/// What clients of the old document would miss in the new one; empty when nothing breaks.
///
/// Breaking: a method gone; a field of a params object that became required or vanished or whose
/// type changed; a field of a result that vanished, may now be missing, or whose type changed;
/// an enum value of params that vanished. New methods, new optional params and new result fields
/// are fine.
pub fn breaking(old: &Value, new: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let by_name = |document: &Value| -> Map<String, Value> {
        let methods = document["methods"].as_array().cloned().unwrap_or_default();
        methods.into_iter().filter_map(|m| Some((m["name"].as_str()?.to_owned(), m))).collect()
    };
    let new_methods = by_name(new);
    for (name, before) in by_name(old) {
        let Some(after) = new_methods.get(&name) else {
            found.push(format!("method {name} is gone"));
            continue;
        };
        let mut compare = |what: &str, pointer: &str, direction| {
            let (a, b) = (before.pointer(pointer), after.pointer(pointer));
            if let (Some(a), Some(b)) = (a, b) {
                let place = format!("{name} {what}");
                Comparison { old, new, direction, depth: 0 }.schemas(&place, a, b, &mut found);
            } else if a.is_some() {
                found.push(format!("{name} has no {what} any more"));
            }
        };
        compare("params", "/params/0/schema", Direction::ToServer);
        compare("result", "/result/schema", Direction::ToClient);
        compare("event", "/x-stream/schema", Direction::ToClient);
    }
    found
}

#[derive(Clone, Copy, PartialEq)]
enum Direction {
    ToServer,
    ToClient,
}

struct Comparison<'a> {
    old: &'a Value,
    new: &'a Value,
    direction: Direction,
    depth: usize,
}

/// Schemas nest; recursion through references ends here.
const MAX_DEPTH: usize = 12;

impl Comparison<'_> {
    fn schemas(&self, place: &str, before: &Value, after: &Value, found: &mut Vec<String>) {
        if self.depth > MAX_DEPTH || before == after && self.old == self.new {
            return;
        }
        let (before, after) = (follow(self.old, before), follow(self.new, after));
        let deeper = Comparison { depth: self.depth + 1, ..*self };
        // A type may go by another name.
        if let (Some(before), Some(after)) = (or_null(before), or_null(after)) {
            return deeper.schemas(place, before, after, found);
        }
        if before.get("type") != after.get("type") {
            found.push(format!("{place}: type {} became {}", before["type"], after["type"]));
            return;
        }
        for word in ["oneOf", "anyOf", "allOf", "enum", "const"] {
            self.choices(place, word, before, after, found);
        }
        if let (Some(a), Some(b)) = (before.get("items"), after.get("items")) {
            deeper.schemas(&format!("{place}[]"), a, b, found);
        }
        let empty = Map::new();
        let fields =
            |schema: &Value| schema["properties"].as_object().cloned().unwrap_or_else(|| empty.clone());
        let required = |schema: &Value, name: &str| {
            schema["required"].as_array().is_some_and(|list| list.iter().any(|field| field == name))
        };
        let after_fields = fields(after);
        for (name, a) in fields(before) {
            match after_fields.get(&name) {
                None => found.push(format!("{place}.{name} is gone")),
                Some(b) => deeper.schemas(&format!("{place}.{name}"), &a, b, found),
            }
            if self.direction == Direction::ToClient && required(before, &name) && !required(after, &name) {
                found.push(format!("{place}.{name} may now be missing"));
            }
        }
        if self.direction == Direction::ToServer {
            for name in after_fields.keys().filter(|name| required(after, name) && !required(before, name)) {
                found.push(format!("{place}.{name} is now required"));
            }
        }
    }

    fn choices(&self, place: &str, word: &str, before: &Value, after: &Value, found: &mut Vec<String>) {
        let list = |schema: &Value| match &schema[word] {
            Value::Array(items) => items.clone(),
            Value::Null => Vec::new(),
            other => vec![other.clone()],
        };
        let strip = |item: &Value| {
            let mut item = item.clone();
            if let Some(map) = item.as_object_mut() {
                map.remove("description");
            }
            item
        };
        let (before, after): (Vec<_>, Vec<_>) =
            (list(before).iter().map(strip).collect(), list(after).iter().map(strip).collect());
        let missing = before.iter().filter(|item| !after.contains(item));
        found.extend(missing.map(|item| format!("{place}: {word} lost {item}")));
    }
}

/// What stands beside `null` where nothing else does.
fn or_null(schema: &Value) -> Option<&Value> {
    let null = |item: &&Value| item["type"] == "null";
    match schema["anyOf"].as_array().map(Vec::as_slice) {
        Some([item, other] | [other, item]) if null(&other) => Some(item),
        _ => None,
    }
}

/// What a reference leads to; one with words of its own is a list of one.
fn follow<'a>(document: &'a Value, schema: &'a Value) -> &'a Value {
    let schema = match schema["allOf"].as_array().map(Vec::as_slice) {
        Some([one]) => one,
        _ => schema,
    };
    let reference = schema["$ref"].as_str().and_then(|reference| reference.strip_prefix('#'));
    reference.and_then(|pointer| document.pointer(pointer)).unwrap_or(schema)
}

/// TypeScript types of all schemas, and one interface of all methods.
pub fn typescript(document: &Value) -> String {
    let mut out = String::from("// Written by `kifud schema`. Do not edit.\n");
    out.push_str(&format!("\nexport const protocol = {};\n", document["info"]["version"]));
    if let Some(schemas) = document.pointer("/components/schemas").and_then(Value::as_object) {
        for (name, schema) in schemas {
            doc_comment(&mut out, "", schema);
            out.push_str(&format!("export type {name} = {};\n", type_of(schema, 0)));
        }
    }
    out.push_str("\n/** Every method: its params and its result; streams also their event. */\nexport interface Methods {\n");
    for method in document["methods"].as_array().into_iter().flatten() {
        if let Some(summary) = method["summary"].as_str() {
            out.push_str(&format!("  /** {} */\n", summary.replace("*/", "* /")));
        }
        let params = type_of(&method["params"][0]["schema"], 1);
        let result = type_of(&method["result"]["schema"], 1);
        let event = match method.get("x-stream") {
            Some(stream) => {
                format!("; eventMethod: {}; event: {}", stream["event"], type_of(&stream["schema"], 1))
            }
            None => String::new(),
        };
        out.push_str(&format!("  {}: {{ params: {params}; result: {result}{event} }};\n", method["name"]));
    }
    out.push_str("}\n");
    out
}

fn doc_comment(out: &mut String, indent: &str, schema: &Value) {
    if let Some(text) = schema["description"].as_str() {
        let text = text.replace("*/", "* /").replace('\n', &format!("\n{indent} * "));
        out.push_str(&format!("\n{indent}/** {text} */\n"));
    }
}

fn type_of(schema: &Value, depth: usize) -> String {
    if let Some(reference) = schema["$ref"].as_str() {
        return reference.rsplit('/').next().unwrap_or("unknown").to_owned();
    }
    if let Some(value) = schema.get("const") {
        return value.to_string();
    }
    if let Some(values) = schema["enum"].as_array() {
        return values.iter().map(Value::to_string).collect::<Vec<_>>().join(" | ");
    }
    for (word, join) in [("oneOf", " | "), ("anyOf", " | "), ("allOf", " & ")] {
        if let Some(items) = schema[word].as_array() {
            return items.iter().map(|item| type_of(item, depth)).collect::<Vec<_>>().join(join);
        }
    }
    match &schema["type"] {
        Value::String(name) => simple_type(name, schema, depth),
        Value::Array(names) => {
            let types = names.iter().filter_map(Value::as_str).map(|name| simple_type(name, schema, depth));
            types.collect::<Vec<_>>().join(" | ")
        }
        _ => "unknown".to_owned(),
    }
}

fn simple_type(name: &str, schema: &Value, depth: usize) -> String {
    match name {
        "integer" | "number" => "number".to_owned(),
        "string" | "boolean" | "null" => name.to_owned(),
        "array" => match &schema["items"] {
            Value::Array(items) => {
                let types: Vec<_> = items.iter().map(|item| type_of(item, depth)).collect();
                format!("[{}]", types.join(", "))
            }
            items => {
                let inner = type_of(items, depth);
                if inner.contains(' ') { format!("({inner})[]") } else { format!("{inner}[]") }
            }
        },
        "object" => object_type(schema, depth),
        _ => "unknown".to_owned(),
    }
}

fn object_type(schema: &Value, depth: usize) -> String {
    let Some(fields) = schema["properties"].as_object().filter(|fields| !fields.is_empty()) else {
        return match schema.get("additionalProperties") {
            Some(values @ Value::Object(_)) => format!("Record<string, {}>", type_of(values, depth)),
            _ => "Record<string, never>".to_owned(),
        };
    };
    let indent = "  ".repeat(depth + 1);
    let mut out = String::from("{\n");
    for (name, field) in fields {
        let required = schema["required"].as_array().is_some_and(|list| list.iter().any(|item| item == name));
        if let Some(text) = field["description"].as_str() {
            out.push_str(&format!("{indent}/** {} */\n", text.replace("*/", "* /").replace('\n', " ")));
        }
        let mark = if required { "" } else { "?" };
        out.push_str(&format!("{indent}{name}{mark}: {};\n", type_of(field, depth + 1)));
    }
    out.push_str(&format!("{}}}", "  ".repeat(depth)));
    out
}

/// The method reference for people, with the examples of each method.
pub fn markdown(document: &Value, examples: &BTreeMap<&str, Vec<String>>) -> String {
    let mut out = format!(
        "# Methods of kifud, protocol {}\n\nWritten by `kifud schema` from the code and from `examples/`. The shapes \
         stand in `schemas.json` and `types.ts`.\nA stream answers with its subscription's id; its events follow as \
         notifications `{{subscription, result}}`.\n\nIn the examples `→` is what the client sends and `←` what comes \
         back; all of it has `\"jsonrpc\": \"2.0\"` besides. `…` is\nleft out, `<name>` is chosen by the daemon. Reports \
         of streams between the first and the last are mostly left out.\n",
        document["info"]["version"].as_str().unwrap_or_default()
    );
    for method in document["methods"].as_array().into_iter().flatten() {
        let name = method["name"].as_str().unwrap_or_default();
        out.push_str(&format!("\n## {name}\n\n{}\n\n", method["summary"].as_str().unwrap_or_default()));
        out.push_str(&format!("- access: {}\n", method["x-access"].as_str().unwrap_or_default()));
        out.push_str(&format!("- params: `{}`\n", link(&method["params"][0]["schema"])));
        fields(&mut out, document, &method["params"][0]["schema"]);
        match method.get("x-stream") {
            Some(stream) => {
                let event = stream["event"].as_str().unwrap_or_default();
                out.push_str(&format!("- stream of `{event}`: `{}`\n", link(&stream["schema"])));
                fields(&mut out, document, &stream["schema"]);
            }
            None => {
                out.push_str(&format!("- result: `{}`\n", link(&method["result"]["schema"])));
                fields(&mut out, document, &method["result"]["schema"]);
            }
        }
        let errors: Vec<&str> = method["errors"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|error| error["$ref"].as_str()?.rsplit('/').next())
            .collect();
        if !errors.is_empty() {
            out.push_str(&format!("- errors: {}\n", errors.join(", ")));
        }
        for example in examples.get(name).into_iter().flatten() {
            out.push_str(&format!("\n```\n{example}```\n"));
        }
    }
    out.push_str("\n## Errors\n\n| kind | code |\n|---|---|\n");
    for (name, error) in document["components"]["errors"].as_object().into_iter().flatten() {
        out.push_str(&format!("| {name} | {} |\n", error["code"]));
    }
    out
}

fn link(schema: &Value) -> String {
    type_of(schema, 0).replace('\n', " ")
}

fn fields(out: &mut String, document: &Value, schema: &Value) {
    let schema = follow(document, schema);
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        let required = schema["required"].as_array().is_some_and(|list| list.iter().any(|item| item == name));
        let mark = if required { "" } else { "?" };
        let doc = field["description"].as_str().unwrap_or_default().replace('\n', " ");
        out.push_str(&format!("  - `{name}{mark}`: `{}` {doc}\n", link(field)));
    }
}

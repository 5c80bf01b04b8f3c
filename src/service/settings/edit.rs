//! Changes of the engines in a settings file. Everything else in it stays as it was written:
//! comments, order, spaces, line ends.

use serde_json::{Map, Value as Json};
use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, TableLike, Value};

use super::{Args, EngineSettings, Layer, natural};
use crate::service::error::{Error, Kind, Result};

/// What shall be different.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// One engine more, at its place in the natural order of names.
    Add(EngineSettings),
    /// The engine of this name becomes this one; a new name takes it to its new place.
    Edit(String, EngineSettings),
    /// The engine of this name goes, with the comments that stand directly before it.
    Remove(String),
}

/// The text of a settings file after a change.
///
/// # Errors
/// `InvalidParams` when the file is wrong (with line and column), the engine is wrong, its name is
/// taken, or the file lists its engines in another form than `[[engines]]`; `EngineNotFound`.
pub fn edited(text: &str, change: &Change) -> Result<String> {
    Layer::parse(text)?;
    // The editing library writes LF only.
    let crlf = text.contains("\r\n");
    let (mark, body) = text.strip_prefix('\u{feff}').map_or(("", text), |body| ("\u{feff}", body));
    let mut document: DocumentMut = body.replace("\r\n", "\n").parse().map_err(|error| {
        Error::new(Kind::InvalidParams, format!("the settings file cannot be edited: {error}"))
    })?;
    let mut engines = Engines::take(&mut document)?;
    match change {
        Change::Add(engine) => engines.add(engine)?,
        Change::Edit(name, engine) => engines.edit(name, engine)?,
        Change::Remove(name) => _ = engines.remove(name)?,
    }
    engines.put_back(&mut document);
    let out = document.to_string();
    let out = format!("{mark}{}", if crlf { out.replace('\n', "\r\n") } else { out });
    Layer::parse(&out)?;
    Ok(out)
}

/// The tables of a file's engines, in its order, and comments that have lost their table.
struct Engines {
    tables: Vec<Table>,
    left_over: String,
    /// Whether anything stands before the first of them.
    alone: bool,
}

impl Engines {
    fn take(document: &mut DocumentMut) -> Result<Engines> {
        let alone = document.as_table().is_empty();
        let tables = match document.get_mut("engines") {
            None => Vec::new(),
            Some(Item::ArrayOfTables(tables)) => std::mem::take(tables).into_iter().collect(),
            Some(_) => {
                let message = "the settings file lists its engines in one line; write a [[engines]] table for each, \
                               then they can be changed from here";
                return Err(Error::field("engines", message));
            }
        };
        Ok(Engines { tables, left_over: String::new(), alone })
    }

    fn put_back(self, document: &mut DocumentMut) {
        if self.tables.is_empty() {
            document.remove("engines");
        } else {
            let mut tables = ArrayOfTables::new();
            self.tables.into_iter().for_each(|table| tables.push(table));
            document["engines"] = Item::ArrayOfTables(tables);
        }
        if !self.left_over.is_empty() {
            let rest = document.trailing().as_str().unwrap_or_default();
            let whole = format!("{}{rest}", self.left_over);
            document.set_trailing(whole);
        }
    }

    fn find(&self, name: &str) -> Result<usize> {
        self.tables.iter().position(|table| name_of(table) == name).ok_or_else(|| {
            let message = format!("the settings file has no engine called {name:?}");
            Error::new(Kind::EngineNotFound, message)
        })
    }

    fn must_be_free(&self, name: &str) -> Result<()> {
        match self.find(name) {
            Ok(_) => Err(Error::field("name", format!("there is an engine called {name:?} already"))),
            Err(_) => Ok(()),
        }
    }

    fn add(&mut self, engine: &EngineSettings) -> Result<()> {
        engine.check()?;
        self.must_be_free(&engine.name)?;
        let mut table = Table::new();
        update(&mut table, &fields(engine)?);
        if !(self.tables.is_empty() && self.alone) {
            table.decor_mut().set_prefix("\n");
        }
        self.insert(table, &engine.name);
        Ok(())
    }

    /// Before the first engine whose name comes later.
    fn insert(&mut self, mut table: Table, name: &str) {
        let later = |other: &Table| natural::compare(name_of(other), name).is_gt();
        let index = self.tables.iter().position(later).unwrap_or(self.tables.len());
        if let Some(first) = self.tables.first_mut().filter(|_| index == 0) {
            // What stands at the head of the file stays there.
            let (heading, own) = split_prefix(first);
            let above = prefix(&table).trim_start_matches('\n').to_owned();
            first.decor_mut().set_prefix(format!("\n{own}"));
            table.decor_mut().set_prefix(format!("{heading}{above}"));
        }
        // Without a place of its own it is printed behind the one before it.
        table.set_position(None);
        self.tables.insert(index, table);
    }

    fn edit(&mut self, name: &str, engine: &EngineSettings) -> Result<()> {
        engine.check()?;
        let index = self.find(name)?;
        let fields = fields(engine)?;
        if name == engine.name {
            if let Some(table) = self.tables.get_mut(index) {
                update(table, &fields);
            }
            return Ok(());
        }
        self.must_be_free(&engine.name)?;
        let mut table = self.remove(name)?;
        update(&mut table, &fields);
        let own = format!("\n{}", prefix(&table).trim_start_matches('\n'));
        table.decor_mut().set_prefix(own);
        // Its own sub-tables go with it.
        table
            .iter_mut()
            .filter_map(|(_, item)| item.as_table_mut())
            .for_each(|table| table.set_position(None));
        self.insert(table, &engine.name);
        Ok(())
    }

    /// Takes a table out; a comment that only stands before it by chance stays.
    fn remove(&mut self, name: &str) -> Result<Table> {
        let index = self.find(name)?;
        let mut table = self.tables.remove(index);
        let (heading, own) = split_prefix(&table);
        table.decor_mut().set_prefix(own);
        if index == 0 || !heading.trim().is_empty() {
            match self.tables.get_mut(index) {
                Some(next) => {
                    let rest = prefix(next).trim_start_matches('\n').to_owned();
                    next.decor_mut().set_prefix(format!("{heading}{rest}"));
                }
                None => self.left_over = heading,
            }
        }
        Ok(table)
    }
}

fn name_of(table: &Table) -> &str {
    table.get("name").and_then(Item::as_str).unwrap_or_default()
}

fn prefix(table: &Table) -> &str {
    table.decor().prefix().and_then(|prefix| prefix.as_str()).unwrap_or_default()
}

/// What stands before a table: up to the last empty line, and directly before it.
fn split_prefix(table: &Table) -> (String, String) {
    let prefix = prefix(table);
    let end = prefix
        .rfind("\n\n")
        .map_or_else(|| prefix.len() - prefix.trim_start_matches('\n').len(), |at| at + 2);
    let (heading, own) = prefix.split_at_checked(end).unwrap_or(("", prefix));
    (heading.to_owned(), own.to_owned())
}

fn fields(engine: &EngineSettings) -> Result<Map<String, Json>> {
    match serde_json::to_value(engine) {
        Ok(Json::Object(fields)) => Ok(fields),
        _ => Err(Error::new(Kind::Internal, "an engine cannot be written down")),
    }
}

/// Makes a table say this. What says it already is not touched.
fn update(table: &mut dyn TableLike, fields: &Map<String, Json>) {
    let gone: Vec<String> =
        table.iter().map(|(key, _)| key.to_owned()).filter(|key| !fields.contains_key(key)).collect();
    for key in gone {
        table.remove(&key);
    }
    for (key, wanted) in fields {
        match (table.get_mut(key), wanted) {
            (Some(item), wanted) if says(key, item, wanted) => {}
            (Some(item), Json::Object(inner)) if item.is_table_like() => {
                if let Some(table) = item.as_table_like_mut() {
                    update(table, inner);
                }
            }
            (Some(Item::Value(old)), wanted) => {
                let decor = old.decor().clone();
                *old = value(wanted);
                *old.decor_mut() = decor;
            }
            (_, wanted) => _ = table.insert(key, Item::Value(value(wanted))),
        }
    }
}

/// Whether an item means this already. Arguments may be written as one string.
fn says(key: &str, item: &Item, wanted: &Json) -> bool {
    match (item.as_str(), wanted) {
        (Some(text), Json::Array(_)) if key == "args" => {
            let args = serde_json::from_value::<Args>(Json::String(text.to_owned()));
            args.is_ok_and(|args| serde_json::to_value(args).is_ok_and(|args| args == *wanted))
        }
        _ => item.as_value().is_some_and(|found| plain(found) == *wanted),
    }
}

fn value(json: &Json) -> Value {
    match json {
        Json::Bool(bool) => Value::from(*bool),
        Json::Number(number) => match number.as_i64() {
            Some(integer) => Value::from(integer),
            None => Value::from(number.as_f64().unwrap_or_default()),
        },
        Json::String(text) => Value::from(text.as_str()),
        Json::Array(items) => Value::Array(items.iter().map(value).collect::<Array>()),
        Json::Object(fields) => Value::InlineTable(
            fields.iter().map(|(key, field)| (key.as_str(), value(field))).collect::<InlineTable>(),
        ),
        Json::Null => Value::from(""),
    }
}

fn plain(value: &Value) -> Json {
    match value {
        Value::String(text) => Json::from(text.value().as_str()),
        Value::Integer(integer) => Json::from(*integer.value()),
        Value::Float(float) => Json::from(*float.value()),
        Value::Boolean(bool) => Json::from(*bool.value()),
        Value::Datetime(date) => Json::from(date.value().to_string()),
        Value::Array(items) => items.iter().map(plain).collect(),
        Value::InlineTable(fields) => {
            fields.iter().map(|(key, field)| (key.to_owned(), plain(field))).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    fn engine(json: serde_json::Value) -> EngineSettings {
        serde_json::from_value(json).unwrap()
    }

    fn named(name: &str) -> EngineSettings {
        engine(serde_json::json!({"name": name, "path": "x"}))
    }

    const FILE: &str = "\
# My settings

analysisInterval = 20   # often

# weak
[[engines]]
name = 'gnugo' # the old one
path = \"gnugo\"
args = '--mode gtp --level 1'

# strong
[[engines]]
name = \"katago 9\"
path = \"katago\"

[engines.env]
OMP = \"1\" # one thread

# the end
[log]
enabled = false
";

    #[test]
    fn an_engine_is_added_at_its_place() {
        let engine = serde_json::json!({"name": "Katago 10", "path": "/k", "args": ["gtp", "-model", "a b"],
            "env": {"A": "1"}, "timeouts": {"quitMs": 5}});
        let out = edited(FILE, &Change::Add(self::engine(engine))).unwrap();
        let (before, after) = FILE.split_once("\n# the end").unwrap();
        assert!(out.starts_with(before) && out.ends_with(&format!("\n# the end{after}")), "{out}");
        expect![[r#"

            [[engines]]
            name = "Katago 10"
            path = "/k"
            args = ["gtp", "-model", "a b"]
            env = { A = "1" }
            timeouts = { quitMs = 5 }
        "#]]
        .assert_eq(&out[before.len()..out.len() - after.len() - "\n# the end".len()]);
        let first = edited(FILE, &Change::Add(named("aq"))).unwrap();
        assert_eq!(first, FILE.replace("# weak\n", "[[engines]]\nname = \"aq\"\npath = \"x\"\n\n# weak\n"));
        let middle = edited(FILE, &Change::Add(named("h"))).unwrap();
        assert_eq!(
            middle,
            FILE.replace("\n# strong\n", "\n[[engines]]\nname = \"h\"\npath = \"x\"\n\n# strong\n")
        );
    }

    #[test]
    fn the_first_engine_of_a_file() {
        let line = "[[engines]]\nname = \"a\"\npath = \"x\"\n";
        assert_eq!(edited("", &Change::Add(named("a"))).unwrap(), line);
        let out = edited("# mine\r\nmoveDelayMs = 5\r\n", &Change::Add(named("a"))).unwrap();
        assert_eq!(out, format!("# mine\nmoveDelayMs = 5\n\n{line}").replace('\n', "\r\n"));
    }

    #[test]
    fn an_edit_touches_only_what_is_different() {
        let same =
            serde_json::json!({"name": "gnugo", "path": "gnugo", "args": ["--mode", "gtp", "--level", "1"]});
        assert_eq!(edited(FILE, &Change::Edit("gnugo".into(), engine(same))).unwrap(), FILE);
        let other = serde_json::json!({"name": "katago 9", "path": "/k", "env": {"OMP": "2", "B": "3"}, "shared": true});
        let out = edited(FILE, &Change::Edit("katago 9".into(), engine(other))).unwrap();
        let expected = FILE
            .replace("path = \"katago\"\n", "path = \"/k\"\nshared = true\n")
            .replace("\"1\" # one", "\"2\" # one")
            .replace("thread\n", "thread\nB = \"3\"\n");
        assert_eq!(out, expected);
    }

    #[test]
    fn a_new_name_takes_it_to_its_new_place() {
        let renamed = serde_json::json!({"name": "z", "path": "gnugo", "args": "--mode gtp --level 1"});
        let out = edited(FILE, &Change::Edit("gnugo".into(), engine(renamed))).unwrap();
        expect![[r#"
            # My settings

            analysisInterval = 20   # often

            # strong
            [[engines]]
            name = "katago 9"
            path = "katago"

            [engines.env]
            OMP = "1" # one thread

            # weak
            [[engines]]
            name = "z" # the old one
            path = "gnugo"
            args = '--mode gtp --level 1'

            # the end
            [log]
            enabled = false
        "#]]
        .assert_eq(&out);
    }

    #[test]
    fn an_engine_goes_with_its_own_comment() {
        let out = edited(FILE, &Change::Remove("gnugo".into())).unwrap();
        let (before, rest) = FILE.split_once("# weak").unwrap();
        let (_, after) = rest.split_once("# strong").unwrap();
        assert_eq!(out, format!("{before}# strong{after}"));
        let head = "# Engines of this machine\n\n# weak\n[[engines]]\nname = 'a'\npath = 'b'\n";
        assert_eq!(edited(head, &Change::Remove("a".into())).unwrap(), "# Engines of this machine\n\n");
    }

    #[test]
    fn what_cannot_be_done_is_said() {
        let refused = |text: &str, change: Change| edited(text, &change).unwrap_err();
        assert!(refused(FILE, Change::Add(named("gnugo"))).message.contains("already"));
        assert!(refused(FILE, Change::Edit("gnugo".into(), named("katago 9"))).message.contains("already"));
        assert_eq!(refused(FILE, Change::Remove("x".into())).kind, Kind::EngineNotFound);
        assert!(
            refused("engines = [{name = 'a', path = 'b'}]", Change::Add(named("b")))
                .message
                .contains("[[engines]]")
        );
        assert_eq!(refused("a = 1", Change::Add(named("b"))).data["line"], 1);
        assert_eq!(refused("", Change::Add(EngineSettings::default())).data["field"], "name");
    }

    proptest::proptest! {
        /// Adding and removing leaves the file as it was, wherever the engine goes.
        #[test]
        fn removing_undoes_adding(name in "[a-z 0-9]{1,6}x") {
            let added = edited(FILE, &Change::Add(named(&name))).unwrap();
            proptest::prop_assert_eq!(edited(&added, &Change::Remove(name)).unwrap(), FILE);
        }
    }
}

//! The specification of expressions, kept as tables in `expressions/*.txt`; how to read them is
//! told in `expressions/README.txt`. Every row runs against a server of its own file, and all
//! rows that do not hold are reported together.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

#[path = "support/notation.rs"]
mod notation;
mod support;

use notation::Notation;
use serde_json::{Map, Value, json};
use std::{fmt::Write as _, fs, path::Path};
use support::Server;

type Members = Map<String, Value>;
/// What was wrong, in words.
type Outcome<T> = Result<T, String>;

#[test]
fn every_row_holds() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/expressions");
    let mut files: Vec<_> = fs::read_dir(directory).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    let tables = files.iter().filter(|path| !path.ends_with("README.txt"));
    let running: Vec<_> =
        tables.cloned().map(|path| std::thread::spawn(move || run(&path))).collect();
    let (mut rows, mut failures) = (0, String::new());
    for (count, failed) in running.into_iter().map(|thread| thread.join().unwrap()) {
        rows += count;
        failures += &failed;
    }
    println!("{rows} rows");
    assert!(rows > 0, "no rows were found");
    assert!(failures.is_empty(), "of {rows} rows, these do not hold:\n{failures}");
}

fn run(path: &Path) -> (usize, String) {
    let name = path.file_name().unwrap().to_string_lossy();
    let text = fs::read_to_string(path).unwrap();
    let mut page = Page::new();
    let (mut rows, mut failures) = (0, String::new());
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line == "#" || line.starts_with("# ") {
            continue;
        }
        let columns: Vec<String> = line.split(" | ").map(|c| expanded(c.trim())).collect();
        let done = match columns.as_slice() {
            [directive] => page.directive(directive),
            [left, outcome] => page.row(left, "", outcome),
            [left, placeholders, outcome] => page.row(left, placeholders, outcome),
            _ => Err("a row has two or three columns".into()),
        };
        rows += usize::from(columns.len() > 1);
        if let Err(problem) = done {
            let problem: String = problem.chars().take(600).collect();
            writeln!(failures, "{name}:{}: {}\n    {problem}", number + 1, line).unwrap();
        }
    }
    (rows, failures)
}

/// `{{3 times a%,}}` is `a0,a1,a2,`; a backslash with `n` or `t` is a line end or a tab.
fn expanded(text: &str) -> String {
    let text = text.replace("\\n", "\n").replace("\\t", "\t");
    let mut done = String::new();
    let mut rest = text.as_str();
    while let Some((before, after)) = rest.split_once("{{") {
        let (inside, after) = after.split_once("}}").unwrap();
        let (count, repeated) = inside.split_once(" times ").unwrap();
        done += before;
        for n in 0..count.parse().unwrap() {
            done += &repeated.replace('%', &usize::to_string(&n));
        }
        rest = after;
    }
    done + rest
}

/// One file on its way: the table, the stored item and the kind of rows.
struct Page {
    server: Server,
    tables: usize,
    keys: Vec<String>,
    key: Members,
    stored: Option<Members>,
    kind: String,
    shared: Vec<(String, Value)>,
}

impl Page {
    fn new() -> Page {
        let mut page = Page {
            server: Server::new(),
            tables: 0,
            keys: Vec::new(),
            key: Map::new(),
            stored: None,
            kind: String::new(),
            shared: Vec::new(),
        };
        page.create_table("p:S");
        page
    }

    fn directive(&mut self, line: &str) -> Outcome<()> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "table" => self.create_table(rest),
            "item" | "absent" => {
                let item = Notation(rest).attributes()?;
                self.key =
                    item.clone().into_iter().filter(|(k, _)| self.keys.contains(k)).collect();
                self.stored = (word == "item").then_some(item);
                self.restore()?;
            }
            "let" => self.shared = Notation(rest).placeholders()?,
            "check" => rest.clone_into(&mut self.kind),
            _ => return Err("neither a row nor a directive".into()),
        }
        Ok(())
    }

    /// `p:S, s:N; gsi by_g g:S, x:N include a b; lsi by_l l:S all`
    fn create_table(&mut self, definition: &str) {
        let mut parts = definition.split(';');
        let mut defined = Vec::new();
        let mut schema = |keys: &str| -> Vec<Value> {
            let kinds = ["HASH", "RANGE"].iter();
            let element = |(key, kind): (&str, &&str)| {
                let (name, of) = key.trim().split_once(':').unwrap();
                let definition = json!({"AttributeName": name, "AttributeType": of});
                if !defined.contains(&definition) {
                    defined.push(definition);
                }
                json!({"AttributeName": name, "KeyType": kind})
            };
            keys.split(',').zip(kinds).map(element).collect()
        };
        let keys = schema(parts.next().unwrap());
        let (mut global, mut local) = (Vec::new(), Vec::new());
        for part in parts {
            let mut words = part.split_whitespace();
            let (kind, name) = (words.next().unwrap(), words.next().unwrap());
            let mut index_keys = String::new();
            let mut projection = json!({"ProjectionType": "KEYS_ONLY"});
            while let Some(word) = words.next() {
                match word {
                    "all" => projection = json!({"ProjectionType": "ALL"}),
                    "keys" => {}
                    "include" => {
                        let names: Vec<&str> = words.by_ref().collect();
                        projection = json!({"ProjectionType": "INCLUDE", "NonKeyAttributes": names})
                    }
                    key => index_keys += key,
                }
            }
            if kind == "lsi" {
                let hash = definition.split([',', ';']).next().unwrap();
                index_keys = format!("{hash},{index_keys}");
            }
            let index = json!({
                "IndexName": name, "KeySchema": schema(&index_keys), "Projection": projection,
            });
            if kind == "lsi" { &mut local } else { &mut global }.push(index);
        }
        self.tables += 1;
        self.keys = keys.iter().map(|k| k["AttributeName"].as_str().unwrap().into()).collect();
        let mut request = json!({
            "TableName": self.table(), "KeySchema": keys, "AttributeDefinitions": defined,
            "BillingMode": "PAY_PER_REQUEST",
        });
        for (member, indexes) in
            [("GlobalSecondaryIndexes", global), ("LocalSecondaryIndexes", local)]
        {
            if !indexes.is_empty() {
                request[member] = indexes.into();
            }
        }
        self.server.ok("CreateTable", request);
    }

    fn table(&self) -> String {
        format!("table-{}", self.tables)
    }

    /// Puts the stored item back as it was.
    fn restore(&self) -> Outcome<()> {
        let table = self.table();
        let done = match &self.stored {
            Some(item) => self.server.call("PutItem", &json!({"TableName": table, "Item": item})),
            None => self.server.call("DeleteItem", &json!({"TableName": table, "Key": self.key})),
        };
        done.map(drop).map_err(|error| format!("the stored item: {}", said(error)))
    }

    fn read(&self) -> Outcome<Option<Value>> {
        let request = json!({"TableName": self.table(), "Key": self.key, "ConsistentRead": true});
        let answer = self.server.call("GetItem", &request).map_err(said)?;
        Ok(answer.get("Item").cloned().map(sorted))
    }

    fn before(&self) -> Option<Value> {
        self.stored.clone().map(|item| sorted(item.into()))
    }

    fn row(&self, left: &str, placeholders: &str, outcome: &str) -> Outcome<()> {
        let given = Notation(placeholders).placeholders()?;
        match self.kind.as_str() {
            "conditions" => {
                let members = self.expressions(&[("ConditionExpression", left)], &given);
                self.condition(&members, &full(outcome, "Condition"))
            }
            "expected" => self.condition(&Notation(left).expected()?, outcome),
            "updates" => {
                let (operation, members) = self.action(left, &given)?;
                self.update(operation, members, &full(outcome, "Update"))
            }
            "attribute updates" => {
                let members =
                    json!({"Key": self.key, "AttributeUpdates": Notation(left).updates()?});
                self.update("UpdateItem", members.as_object().unwrap().clone(), outcome)
            }
            "projections" => {
                let mut members = self.expressions(&[("ProjectionExpression", left)], &given);
                members.insert("Key".into(), self.key.clone().into());
                self.restore()?;
                self.member("GetItem", members, "Item", &full(outcome, "Projection"))
            }
            "returns" => {
                let (values, action) =
                    left.split_once(' ').ok_or("ReturnValues, then an action")?;
                let (operation, mut members) = self.action(action, &given)?;
                members.insert("ReturnValues".into(), values.into());
                self.restore()?;
                self.member(operation, members, "Attributes", &full(outcome, "Update"))
            }
            "capacity" => self.capacity(left, &given, outcome),
            "requests" => self.request(left, outcome),
            _ => Err("`check` says what rows are".into()),
        }
    }

    /// Expressions with the placeholders given for them, and the shared ones they mention.
    fn expressions(&self, expressions: &[(&str, &str)], given: &[(String, Value)]) -> Members {
        let mut members = Map::new();
        for (member, text) in expressions {
            let text = if *text == "\"\"" { "" } else { text };
            members.insert((*member).into(), text.into());
        }
        let known = |name: &str| given.iter().any(|(other, _)| other == name);
        let mentioned = |name: &str| {
            expressions.iter().any(|(_, text)| {
                text.match_indices(name).any(|(at, _)| {
                    !text[at + name.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_')
                })
            })
        };
        let shared = self.shared.iter().filter(|(name, _)| !known(name) && mentioned(name));
        for (name, value) in given.iter().chain(shared) {
            let member = match name.as_bytes().first() {
                Some(b'#') => "ExpressionAttributeNames",
                _ => "ExpressionAttributeValues",
            };
            let map = members.entry(member).or_insert_with(|| json!({}));
            let value = if name.starts_with('#') { value["S"].clone() } else { value.clone() };
            map.as_object_mut().unwrap().insert(name.clone(), value);
        }
        members
    }

    /// `put {..}`, `delete`, an update expression or `-` for none; then perhaps ` if condition`.
    fn action(&self, text: &str, given: &[(String, Value)]) -> Outcome<(&'static str, Members)> {
        let (action, condition) = match text.split_once(" if ") {
            Some((action, condition)) => (action, Some(("ConditionExpression", condition))),
            None => (text, None),
        };
        let mut expressions: Vec<_> = condition.into_iter().collect();
        let (operation, member, value) = if let Some(item) = action.strip_prefix("put ") {
            ("PutItem", "Item", Notation(item).attributes()?)
        } else if action == "delete" {
            ("DeleteItem", "Key", self.key.clone())
        } else {
            if action != "-" {
                expressions.push(("UpdateExpression", action));
            }
            ("UpdateItem", "Key", self.key.clone())
        };
        let mut members = self.expressions(&expressions, given);
        members.insert(member.into(), value.into());
        Ok((operation, members))
    }

    fn call(&self, operation: &str, mut members: Members) -> Outcome<Value> {
        members.entry("TableName").or_insert_with(|| self.table().into());
        self.server.call(operation, &members.into()).map_err(said)
    }

    /// The same condition on each kind of write, which must leave the item alone if it refuses.
    fn condition(&self, members: &Members, expected: &str) -> Outcome<()> {
        let item = self.stored.clone().unwrap_or_else(|| self.key.clone());
        for (operation, member, value) in [
            ("PutItem", "Item", &item),
            ("UpdateItem", "Key", &self.key),
            ("DeleteItem", "Key", &self.key),
        ] {
            self.restore()?;
            let mut members = members.clone();
            members.insert(member.into(), value.clone().into());
            let found = match self.call(operation, members) {
                Ok(_) => "yes".to_owned(),
                Err(text) => text,
            };
            let trouble = |text| Err(format!("{operation}: {text}"));
            if !agrees(&found, expected) {
                return trouble(format!("found {found}"));
            }
            if found != "yes" && self.read()? != self.before() {
                return trouble(format!("{found}, and yet the item changed"));
            }
        }
        Ok(())
    }

    fn update(&self, operation: &str, members: Members, expected: &str) -> Outcome<()> {
        self.restore()?;
        let answer = self.call(operation, members);
        let found = self.read()?;
        match answer {
            Err(text) if found != self.before() => {
                Err(format!("{text}, and yet the item is {}", shown(&found)))
            }
            Err(text) if agrees(&text, expected) => Ok(()),
            Err(text) => Err(format!("found {text}")),
            Ok(_) if refusal(expected) => Err(format!("found no error, and {}", shown(&found))),
            Ok(_) => {
                let mut item = self.stored.clone().unwrap_or_else(|| self.key.clone());
                let wanted = match expected {
                    "none" => None,
                    "same" if self.stored.is_none() => None,
                    "same" | "bare" => Some(item),
                    changes => {
                        Notation(changes).changes(&mut item)?;
                        Some(item)
                    }
                };
                let wanted = wanted.map(|item| sorted(item.into()));
                if wanted == found { Ok(()) } else { Err(difference(&wanted, &found)) }
            }
        }
    }

    /// One member of the answer: attributes, JSON, or `nothing`.
    fn member(&self, operation: &str, of: Members, name: &str, expected: &str) -> Outcome<()> {
        match self.call(operation, of) {
            Err(text) if agrees(&text, expected) => Ok(()),
            Err(text) => Err(format!("found {text}")),
            Ok(answer) => {
                let found = answer.get(name).map(|value| sorted(value.clone()));
                let wanted = match expected {
                    "nothing" => None,
                    text if refusal(text) => return Err(format!("found {answer}")),
                    text if matches!(name, "Item" | "Attributes") => {
                        Some(sorted(Notation(text).attributes()?.into()))
                    }
                    text => Some(serde_json::from_str(text).map_err(|e| e.to_string())?),
                };
                if found == wanted { Ok(()) } else { Err(format!("found {}", shown(&found))) }
            }
        }
    }

    /// Units, as in `table 1, by_g 2`.
    fn capacity(&self, action: &str, given: &[(String, Value)], expected: &str) -> Outcome<()> {
        let (operation, mut members) = self.action(action, given)?;
        members.insert("ReturnConsumedCapacity".into(), "INDEXES".into());
        self.restore()?;
        let answer = self.call(operation, members)?;
        let consumed = &answer["ConsumedCapacity"];
        let mut parts = vec![("table".to_owned(), consumed["Table"]["CapacityUnits"].clone())];
        for kind in ["GlobalSecondaryIndexes", "LocalSecondaryIndexes"] {
            for (name, units) in consumed[kind].as_object().into_iter().flatten() {
                parts.push((name.clone(), units["CapacityUnits"].clone()));
            }
        }
        let total: f64 = parts.iter().map(|(_, units)| units.as_f64().unwrap()).sum();
        let text: Vec<_> = parts
            .iter()
            .map(|(name, units)| format!("{name} {}", units.as_f64().unwrap()))
            .collect();
        let found = text.join(", ");
        if found == expected && consumed["CapacityUnits"].as_f64() == Some(total) {
            return Ok(());
        }
        Err(format!("found {consumed}"))
    }

    /// `Operation Member=value ..` gives `yes`, `no`, an error or `Member=value` of the answer.
    fn request(&self, text: &str, outcome: &str) -> Outcome<()> {
        let (operation, rest) = text.split_once(' ').unwrap_or((text, ""));
        let item = self.stored.clone().unwrap_or_else(|| self.key.clone());
        let mut members = match operation {
            "PutItem" => Map::from_iter([("Item".to_owned(), item.into())]),
            _ => Map::from_iter([("Key".to_owned(), self.key.clone().into())]),
        };
        members.extend(Notation(rest).members()?);
        self.restore()?;
        if let Some((name, value)) = outcome.split_once('=')
            && name.chars().all(char::is_alphanumeric)
        {
            return self.member(operation, members, name, value);
        }
        let found = self.call(operation, members).map_or_else(|text| text, |_| "yes".into());
        if agrees(&found, outcome) { Ok(()) } else { Err(format!("found {found}")) }
    }
}

/// `no` for a failed condition, `error text` for a ValidationException, else the whole error.
fn said((name, text): (String, String)) -> String {
    match (name.as_str(), text.as_str()) {
        ("ConditionalCheckFailedException", "The conditional request failed") => "no".into(),
        ("ValidationException", text) => format!("error {text}"),
        (name, text) => format!("error {name}: {text}"),
    }
}

/// `invalid ..` is an error of the expression that the rows are about.
fn full(outcome: &str, expression: &str) -> String {
    match outcome.strip_prefix("invalid ") {
        Some(text) => format!("error Invalid {expression}Expression: {text}"),
        None => outcome.into(),
    }
}

fn refusal(outcome: &str) -> bool {
    outcome == "no" || outcome.starts_with("error ")
}

/// An expectation that ends in `...` is a beginning.
fn agrees(found: &str, expected: &str) -> bool {
    match expected.strip_suffix("...") {
        Some(beginning) => found.starts_with(beginning),
        None => found == expected,
    }
}

fn shown(value: &Option<Value>) -> String {
    value.as_ref().map_or_else(|| "nothing".into(), Value::to_string)
}

/// The attributes in which two items differ.
fn difference(wanted: &Option<Value>, found: &Option<Value>) -> String {
    let only = |item: &Option<Value>, other: &Option<Value>| {
        let (Some(Value::Object(item)), Some(Value::Object(other))) = (item, other) else {
            return shown(item);
        };
        let differs = |(name, value): &(&String, &Value)| other.get(*name) != Some(value);
        let kept = item.iter().filter(differs).map(|(name, value)| (name.clone(), value.clone()));
        Value::Object(kept.collect()).to_string()
    };
    format!("expected {}, found {}", only(wanted, found), only(found, wanted))
}

/// The same value with its sets in one order.
fn sorted(value: Value) -> Value {
    match value {
        Value::Array(values) => values.into_iter().map(sorted).collect(),
        Value::Object(members) => members
            .into_iter()
            .map(|(name, value)| match value {
                Value::Array(mut values) if matches!(name.as_str(), "SS" | "NS" | "BS") => {
                    values.sort_by_key(Value::to_string);
                    (name, values.into())
                }
                value => (name, sorted(value)),
            })
            .collect(),
        other => other,
    }
}

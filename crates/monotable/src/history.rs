//! `monotable history`: the versions of one item, newest first.

use crate::{
    client::EndpointOption,
    line::{DIM, Event, Images, Look, PLAIN, TIME_TO_LIVE, Text, finished},
    output,
    restore::{Image, instead, moment, plural},
    table_key::{KeyValueError, TableKey},
};
use clap::Args;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::{
    error::Error,
    io::{self, ErrorKind, Write},
};

/// The options of `history`.
#[derive(Debug, Args)]
pub struct HistoryOptions {
    /// The table
    #[arg(value_name = "TABLE")]
    table: String,

    /// The item's partition key; Base64 if it is binary
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    pk: String,

    /// The item's sort key, if the table has one
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    sk: Option<String>,

    /// Show that many versions at most
    #[arg(
        long,
        short,
        value_name = "COUNT",
        default_value_t = 100,
        value_parser = clap::value_parser!(u32).range(1..=1000)
    )]
    limit: u32,

    /// Print versions as JSON, one a line
    #[arg(long, conflicts_with = "full")]
    json: bool,

    /// Do not shorten lines to the width of the terminal
    #[arg(long)]
    full: bool,

    #[command(flatten)]
    endpoint: EndpointOption,
}

/// A key that is not the table's.
#[derive(Debug, thiserror::Error)]
enum KeyError {
    #[error("'{table}' has a sort key, {name}; give its value with --sk")]
    NoSortKey { table: String, name: String },
    #[error("'{0}' has no sort key; leave --sk away")]
    SortKey(String),
    #[error(transparent)]
    Value(#[from] KeyValueError),
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Answer {
    #[serde(default)]
    versions: Vec<Value>,
    before: Option<Image>,
    #[serde(default)]
    more: bool,
}

/// A change of the item.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Version {
    date_time: f64,
    event_name: String,
    user_identity: Option<Identity>,
    /// What the change left.
    item: Option<Image>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Identity {
    principal_id: String,
}

/// Prints the versions.
pub fn run(options: &HistoryOptions) -> Result<(), Box<dyn Error>> {
    let mut client = options.endpoint.client()?;
    let table = TableKey::find(&mut client, &options.table)?;
    let key = key(&table, &options.pk, options.sk.as_deref())?;
    let request = json!({ "TableName": options.table, "Key": key, "Limit": options.limit });
    let answer: Result<Answer, _> = client.call("DescribeItemHistory", &request);
    let answer = answer.map_err(|error| instead(error, &options.table, &options.endpoint))?;
    let lines = if options.json {
        answer.versions.iter().map(Value::to_string).collect()
    } else {
        let look = Look::of_output(table.names(), options.full);
        lines(&answer, &look).map_err(|_| client.misanswer("a history of something else"))?
    };
    match print(&lines) {
        // Whoever read this has seen enough.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => return Ok(()),
        printed => printed?,
    }
    if answer.more {
        let shown = plural(u64::from(options.limit), "version");
        output::note(&format!("there are older ones than these {shown}; --limit shows more"));
    } else if answer.versions.is_empty() {
        output::note(match answer.before {
            Some(_) => "the item has not changed as far back as is recorded",
            None => "there is no such item, and there was none as far back as is recorded",
        });
    }
    Ok(())
}

fn print(lines: &[String]) -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for line in lines {
        writeln!(out, "{line}")?;
    }
    out.flush()
}

fn key(table: &TableKey, pk: &str, sk: Option<&str>) -> Result<Value, KeyError> {
    let mut key = Map::new();
    key.insert(table.partition.name.clone(), table.partition.value(pk)?);
    match (&table.sort, sk) {
        (Some(sort), Some(sk)) => {
            key.insert(sort.name.clone(), sort.value(sk)?);
        }
        (Some(sort), None) => {
            let (table, name) = (table.table.clone(), sort.name.clone());
            return Err(KeyError::NoSortKey { table, name });
        }
        (None, Some(_)) => return Err(KeyError::SortKey(table.table.clone())),
        (None, None) => {}
    }
    Ok(Value::Object(key))
}

/// A line a version, and one for what was there before the oldest, unless that says it.
fn lines(answer: &Answer, look: &Look) -> Result<Vec<String>, serde_json::Error> {
    let versions = answer.versions.iter().map(Version::deserialize);
    let versions: Vec<Version> = versions.collect::<Result<_, _>>()?;
    let mut lines = Vec::with_capacity(versions.len() + 1);
    for (at, version) in versions.iter().enumerate() {
        let before = match versions.get(at + 1) {
            Some(older) => older.item.as_ref(),
            None => answer.before.as_ref(),
        };
        lines.push(line(version, before, look));
    }
    let says_it = versions.last().is_some_and(|oldest| oldest.item.is_none());
    if let Some(before) = answer.before.as_ref().filter(|_| !says_it) {
        let text = if versions.is_empty() { "unchanged" } else { "before that" };
        let images = Images { new: Some(before), ..Images::default() };
        lines.push(finished(Text::default().with(DIM, text), images, look));
    }
    Ok(lines)
}

fn line(version: &Version, before: Option<&Image>, look: &Look) -> String {
    let mut line = Text::default().with(DIM, moment(version.date_time)).with(PLAIN, " ");
    match Event::named(&version.event_name) {
        Some(event) => line.push(event.style(), event.name()),
        None => line.push(PLAIN, version.event_name.clone()),
    }
    let who = match version.user_identity.as_ref().map(|who| who.principal_id.as_str()) {
        None => "request",
        Some(TIME_TO_LIVE) => "time to live",
        Some(other) => other,
    };
    line.push(PLAIN, format!(" by {who}"));
    let images = Images { old: before, new: version.item.as_ref(), before_old: "" };
    finished(line, images, look)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table_key::{KeyAttribute, KeyKind};

    fn item(n: u32) -> Value {
        json!({"PK": {"S": "a"}, "n": {"N": n.to_string()}, "kept": {"S": "k"}})
    }

    fn version(event: &str, item: Value) -> Value {
        json!({"DateTime": 1_769_860_805.125, "EventName": event, "Item": item})
    }

    fn shown(answer: Value) -> Vec<String> {
        let look = Look { colour: false, width: None, key: vec!["PK".to_owned()] };
        lines(&serde_json::from_value(answer).unwrap(), &look).unwrap()
    }

    #[test]
    fn versions_show_what_changed_and_the_oldest_all() {
        let mut removed = version("REMOVE", Value::Null);
        removed["UserIdentity"] =
            json!({"PrincipalId": "dynamodb.amazonaws.com", "Type": "Service"});
        let modified = version("MODIFY", item(2));
        let inserted = version("INSERT", item(1));
        let time = "2026-01-31T12:00:05.125Z";
        let expect = [
            format!("{time} REMOVE by time to live  kept: \"k\", n: 2"),
            format!("{time} MODIFY by request  n: 1 -> 2"),
            format!("{time} INSERT by request  kept: \"k\", n: 1"),
        ];
        assert_eq!(shown(json!({"Versions": [removed, modified, inserted]})), expect);
        let partly = shown(json!({"Versions": [removed, modified], "Before": item(1)}));
        assert_eq!(partly[..2], expect[..2]);
        assert_eq!(partly[2..], ["before that  kept: \"k\", n: 1"]);
        // The removal says what was there.
        assert_eq!(shown(json!({"Versions": [removed], "Before": item(2)})), expect[..1]);
        let unchanged = shown(json!({"Versions": [], "Before": item(1)}));
        assert_eq!(unchanged, ["unchanged  kept: \"k\", n: 1"]);
        assert!(shown(json!({"Versions": []})).is_empty());
    }

    #[test]
    fn keys_are_those_of_the_table() {
        let sort = KeyAttribute { name: "SK".to_owned(), kind: KeyKind::N };
        let mut table = TableKey {
            table: "t".to_owned(),
            partition: KeyAttribute { name: "PK".to_owned(), kind: KeyKind::S },
            sort: Some(sort),
        };
        let text = |found: Result<Value, KeyError>| found.map_err(|error| error.to_string());
        assert_eq!(
            text(key(&table, "a", Some("-5"))),
            Ok(json!({"PK": {"S": "a"}, "SK": {"N": "-5"}}))
        );
        assert_eq!(
            text(key(&table, "a", None)),
            Err("'t' has a sort key, SK; give its value with --sk".to_owned())
        );
        assert!(text(key(&table, "a", Some("x"))).unwrap_err().contains("SK is a number"));
        table.sort = None;
        assert_eq!(text(key(&table, "a", None)), Ok(json!({"PK": {"S": "a"}})));
        assert!(text(key(&table, "a", Some("5"))).unwrap_err().contains("no sort key"));
    }
}

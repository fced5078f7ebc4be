//! Everything a server says of its data: each answer under a name.

use crate::{
    dynamo::{self, RequestError},
    http::{Connection, Endpoint},
};
use serde_json::{Map, Value, json};
use std::{collections::BTreeMap, time::Duration};

/// The longest that an answer may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// The tables, with the indexes of each.
pub const TABLES: [(&str, &[&str]); 4] = [
    ("orders", &["by_total", "by_state", "by_day"]),
    ("users", &["by_mail"]),
    ("plain", &[]),
    ("restored", &["by_total", "by_state", "by_day"]),
];

/// Answers by what was asked for; an error as the server put it.
pub type Answers = BTreeMap<String, Result<Value, String>>;

/// Asks a server for everything. Gives nothing if it does not answer at all.
pub fn ask_everything(endpoint: &Endpoint) -> Result<Answers, String> {
    let mut asker = Asker { endpoint: endpoint.clone(), connection: None, answers: Answers::new() };
    for (table, indexes) in TABLES {
        asker.ask(format!("scan of {table}"), |c| scan(c, table, None))?;
        asker.ask(format!("items of {table}"), |c| items(c, table))?;
        asker.ask(format!("counts of {table}"), |c| counts(c, table))?;
        for index in indexes {
            asker.ask(format!("scan of {table}.{index}"), |c| scan(c, table, Some(index)))?;
        }
    }
    asker.ask("query of orders".to_owned(), query)?;
    asker.ask("tables".to_owned(), |c| dynamo::ask(c, "ListTables", "{}"))?;
    asker.ask("backups".to_owned(), |c| dynamo::ask(c, "ListBackups", "{}"))?;
    asker.ask("streams".to_owned(), streams)?;
    Ok(asker.answers)
}

struct Asker {
    endpoint: Endpoint,
    connection: Option<Connection>,
    answers: Answers,
}

impl Asker {
    /// Asks one thing. An error answer is an answer; no answer ends it all.
    fn ask(
        &mut self,
        name: String,
        request: impl FnOnce(&mut Connection) -> Result<Value, RequestError>,
    ) -> Result<(), String> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => Connection::open(&self.endpoint, PATIENCE)
                .map_err(|error| format!("{name}: {error}"))?,
        };
        match request(&mut connection) {
            Ok(answer) => {
                self.answers.insert(name, Ok(answer));
            }
            Err(RequestError::Call(error)) => return Err(format!("{name}: {error}")),
            Err(error) => {
                self.answers.insert(name, Err(error.to_string()));
                return Ok(());
            }
        }
        self.connection = Some(connection);
        Ok(())
    }
}

fn scan(
    connection: &mut Connection,
    table: &str,
    index: Option<&&str>,
) -> Result<Value, RequestError> {
    let mut request = Map::from_iter([("TableName".to_owned(), json!(table))]);
    if let Some(index) = index {
        request.insert("IndexName".to_owned(), json!(index));
    }
    dynamo::all_pages(connection, "Scan", request).map(Value::Array)
}

/// Queries of one partition through the table and an index, both ways round.
fn query(connection: &mut Connection) -> Result<Value, RequestError> {
    let mut found = Vec::new();
    for (index, forward) in [(None, true), (None, false), (Some("by_total"), true)] {
        let mut request = Map::from_iter([
            ("TableName".to_owned(), json!("orders")),
            ("KeyConditionExpression".to_owned(), json!("PK = :p")),
            ("ExpressionAttributeValues".to_owned(), json!({":p": {"S": "customer-3"}})),
            ("ScanIndexForward".to_owned(), json!(forward)),
        ]);
        if let Some(index) = index {
            request.insert("IndexName".to_owned(), json!(index));
        }
        found.push(Value::Array(dynamo::all_pages(connection, "Query", request)?));
    }
    Ok(Value::Array(found))
}

/// Every item that may be there, by its key.
fn items(connection: &mut Connection, table: &str) -> Result<Value, RequestError> {
    let mut found = Vec::new();
    for keys in super::originals::keys(table).chunks(50) {
        let body = json!({"RequestItems": {table: {"Keys": keys, "ConsistentRead": true}}});
        let mut answer = dynamo::ask(connection, "BatchGetItem", &body.to_string())?;
        let unprocessed = answer.get("UnprocessedKeys").and_then(Value::as_object);
        if unprocessed.is_some_and(|left| !left.is_empty()) {
            return Err(RequestError::Unexpected("some keys were left"));
        }
        let items = answer.get_mut("Responses").and_then(|all| all.get_mut(table));
        let mut items = match items.map(Value::take) {
            Some(Value::Array(items)) => items,
            _ => Vec::new(),
        };
        items.sort_by_cached_key(Value::to_string);
        found.extend(items);
    }
    Ok(Value::Array(found))
}

fn counts(connection: &mut Connection, table: &str) -> Result<Value, RequestError> {
    let description = dynamo::describe(connection, table)?.unwrap_or_default();
    let counts = |of: &Value| {
        json!([of.get("ItemCount"), of.get("TableSizeBytes"), of.get("IndexSizeBytes")])
    };
    let mut all = vec![counts(&description)];
    for kind in ["LocalSecondaryIndexes", "GlobalSecondaryIndexes"] {
        let indexes = description.get(kind).and_then(Value::as_array).into_iter().flatten();
        all.extend(indexes.map(counts));
    }
    Ok(Value::Array(all))
}

/// Every record of every stream.
fn streams(connection: &mut Connection) -> Result<Value, RequestError> {
    let mut ask =
        |operation: &str, body: Value| dynamo::ask(connection, operation, &body.to_string());
    let listed = ask("ListStreams", json!({}))?;
    let mut all = Vec::new();
    for stream in listed.get("Streams").and_then(Value::as_array).into_iter().flatten() {
        let arn = stream.get("StreamArn").cloned().unwrap_or_default();
        let described = ask("DescribeStream", json!({"StreamArn": arn}))?;
        let shards = described.pointer("/StreamDescription/Shards").and_then(Value::as_array);
        for shard in shards.into_iter().flatten() {
            let id = shard.get("ShardId").cloned().unwrap_or_default();
            let from =
                json!({"StreamArn": arn, "ShardId": id, "ShardIteratorType": "TRIM_HORIZON"});
            let mut iterator = ask("GetShardIterator", from)?.get("ShardIterator").cloned();
            while let Some(at) = iterator.take() {
                let mut page = ask("GetRecords", json!({"ShardIterator": at}))?;
                let records = match page.get_mut("Records").map(Value::take) {
                    Some(Value::Array(records)) => records,
                    _ => Vec::new(),
                };
                // An open shard has no end.
                if !records.is_empty() {
                    iterator = page.get("NextShardIterator").cloned();
                }
                all.extend(records);
            }
            all.push(shard.clone());
        }
        all.push(stream.clone());
    }
    Ok(Value::Array(all))
}

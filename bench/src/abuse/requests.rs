//! Good requests of every operation, to be spoilt.

use crate::{
    Failure,
    dynamo::{RequestError, ask, send, settle},
    http::Connection,
    random::Random,
};
use serde_json::{Value, json};
use std::time::Duration;

const REQUESTS: &str = include_str!("requests.json");
const SETTLED: Duration = Duration::from_secs(30);
/// Items of the table that requests are about.
const ITEMS: usize = 100;
/// Operations on items are the most of what clients send, so they are the most of what is spoilt.
const OFTEN: [&str; 13] = [
    "PutItem",
    "GetItem",
    "UpdateItem",
    "DeleteItem",
    "BatchGetItem",
    "BatchWriteItem",
    "TransactGetItems",
    "TransactWriteItems",
    "Query",
    "Scan",
    "ExecuteStatement",
    "BatchExecuteStatement",
    "ExecuteTransaction",
];

/// An operation and a body for it.
pub struct Request {
    /// The operation.
    pub operation: String,
    /// A good body.
    pub body: Value,
    /// Whether it is about items.
    often: bool,
}

/// All of them.
pub struct Requests {
    often: Vec<Request>,
    seldom: Vec<Request>,
}

impl Requests {
    /// Makes what the requests are about, and fills in what the server chose for it.
    pub fn prepare(connection: &mut Connection) -> Result<Requests, Failure> {
        let mut requests = read()?;
        let body_of = |requests: &[Request], operation: &str| {
            let found = requests.iter().find(|request| request.operation == operation);
            found.map(|request| request.body.clone()).ok_or("a request is missing")
        };
        let mut table = body_of(&requests, "CreateTable")?;
        if let Some(table) = table.as_object_mut() {
            table.insert("TableName".to_owned(), json!("abuse"));
            table.remove("OnDemandThroughput");
        }
        create(connection, &table)?;
        create(
            connection,
            &json!({
                "TableName": "abuse-other",
                "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
                "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
                "BillingMode": "PAY_PER_REQUEST",
            }),
        )?;
        let recovery = json!({"TableName": "abuse", "PointInTimeRecoverySpecification":
                              {"PointInTimeRecoveryEnabled": true}});
        ask(connection, "UpdateContinuousBackups", &recovery.to_string())?;
        let put = body_of(&requests, "PutItem")?;
        for index in 0..ITEMS {
            let mut item = put.get("Item").cloned().unwrap_or_default();
            if let Some(item) = item.as_object_mut() {
                item.insert("pk".to_owned(), json!({"S": format!("p{}", index % 10)}));
                item.insert("sk".to_owned(), json!({"S": format!("s{}", index / 10)}));
            }
            let put = json!({"TableName": "abuse", "Item": item});
            send(connection, "PutItem", &put.to_string())?;
        }
        let known = known(connection)?;
        for request in &mut requests {
            fill(&mut request.body, &known);
        }
        let (often, seldom) = requests.into_iter().partition(|request| request.often);
        Ok(Requests { often, seldom })
    }

    /// One of them.
    pub fn any(&self, random: &mut Random) -> &Request {
        let from = if random.percent(70) { &self.often } else { &self.seldom };
        pick(from, random).or(self.often.first()).unwrap_or(&NONE)
    }
}

static NONE: Request = Request { operation: String::new(), body: Value::Null, often: false };

/// One out of several.
pub fn pick<'a, T>(from: &'a [T], random: &mut Random) -> Option<&'a T> {
    let index = random.between(0, from.len() as u64);
    from.get(usize::try_from(index).ok()?)
}

fn read() -> Result<Vec<Request>, Failure> {
    let Value::Object(all) = serde_json::from_str(REQUESTS)? else {
        return Err("the requests are no object".into());
    };
    let mut requests = Vec::new();
    for (operation, bodies) in all {
        let Value::Array(bodies) = bodies else { return Err("no list of bodies".into()) };
        let often = OFTEN.contains(&operation.as_str());
        let of = |body| Request { operation: operation.clone(), body, often };
        requests.extend(bodies.into_iter().map(of));
    }
    Ok(requests)
}

fn create(connection: &mut Connection, table: &Value) -> Result<(), Failure> {
    send(connection, "CreateTable", &table.to_string())?;
    let name = table.get("TableName").and_then(Value::as_str).unwrap_or_default();
    if settle(connection, name, true, SETTLED)? {
        Ok(())
    } else {
        Err("a table did not become active".into())
    }
}

/// What the server chose: names in the requests, and what stands for them.
fn known(connection: &mut Connection) -> Result<Vec<(&'static str, String)>, RequestError> {
    let mut known = Vec::new();
    let text = |value: &Value, path: &str| {
        value.pointer(path).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let backup = json!({"TableName": "abuse", "BackupName": "first"}).to_string();
    let backup = ask(connection, "CreateBackup", &backup)?;
    known.push(("$backup", text(&backup, "/BackupDetails/BackupArn")));
    let restore = json!({"TableName": "abuse", "RestoreDateTime": 4_102_444_800_i64}).to_string();
    // A moment that is not there yet: the answer is a refusal, and any id will do.
    let restore = ask(connection, "RestoreItems", &restore).unwrap_or_default();
    known.push(("$restore", text(&restore, "/RestoreId")));
    let table = ask(connection, "DescribeTable", r#"{"TableName":"abuse"}"#)?;
    let stream = text(&table, "/Table/LatestStreamArn");
    let description = json!({"StreamArn": stream}).to_string();
    let description = ask(connection, "DescribeStream", &description)?;
    let shard = text(&description, "/StreamDescription/Shards/0/ShardId");
    let iterator =
        json!({"StreamArn": stream, "ShardId": shard, "ShardIteratorType": "TRIM_HORIZON"});
    let iterator = ask(connection, "GetShardIterator", &iterator.to_string())?;
    known.push(("$iterator", text(&iterator, "/ShardIterator")));
    known.push(("$stream", stream));
    known.push(("$shard", shard));
    Ok(known)
}

fn fill(value: &mut Value, known: &[(&str, String)]) {
    match value {
        Value::String(text) => {
            if let Some((_, stands)) = known.iter().find(|(name, _)| name == text) {
                text.clone_from(stands);
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|value| fill(value, known)),
        Value::Object(members) => members.values_mut().for_each(|value| fill(value, known)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_operation_of_the_model_has_a_request() {
        let models = [
            include_str!("../../../crates/api/model/dynamodb.json"),
            include_str!("../../../crates/api/model/dynamodbstreams.json"),
            include_str!("../../../crates/api/model/monotable.json"),
        ];
        let requests = read().unwrap();
        let have: BTreeSet<&str> = requests.iter().map(|r| r.operation.as_str()).collect();
        let mut want = BTreeSet::new();
        for model in models {
            let model: Value = serde_json::from_str(model).unwrap();
            want.extend(model["operations"].as_object().unwrap().keys().cloned());
        }
        assert_eq!(have, want.iter().map(String::as_str).collect());
        assert!(OFTEN.iter().all(|operation| have.contains(operation)));
    }
}

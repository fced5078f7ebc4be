//! The table that is measured: a single-table schema with one global index. Orders of users, ten
//! to a partition; the index has them by day, ten to a day.

use super::{Extra, Plan, Target, zipf::spread};
use crate::{
    Failure,
    dynamo::{RequestError, ask, named, send, settle},
    http::Connection,
    random::Random,
};
use serde_json::{Value, json};
use std::{
    fmt::Write,
    thread,
    time::{Duration, Instant},
};

/// No request takes this long.
pub const PATIENCE: Duration = Duration::from_secs(30);
/// Items with the same partition key, in the table and in the index.
pub const TOGETHER: u64 = 10;
/// Items in one BatchWriteItem: the most there may be.
pub const BATCH: u64 = 25;
/// The index.
pub const INDEX: &str = "gsi1";
/// The longest that filling a table may take.
const FILLING: Duration = Duration::from_secs(600);
/// Connections that fill it.
const FILLERS: u64 = 8;

/// The request that makes the table.
fn create(target: &Target) -> String {
    let attribute = |name: &str| json!({"AttributeName": name, "AttributeType": "S"});
    let keys = |partition: &str, sort: &str| {
        json!([{"AttributeName": partition, "KeyType": "HASH"},
               {"AttributeName": sort, "KeyType": "RANGE"}])
    };
    let attributes = ["pk", "sk", "gsi1pk", "gsi1sk"].map(attribute);
    let mut request = json!({
        "TableName": target.table(),
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": attributes,
        "KeySchema": keys("pk", "sk"),
        "GlobalSecondaryIndexes": [{
            "IndexName": INDEX,
            "KeySchema": keys("gsi1pk", "gsi1sk"),
            "Projection": {"ProjectionType": "ALL"},
        }],
    });
    if let Some(members) = request.as_object_mut().filter(|_| target.extra == Extra::Stream) {
        let stream = json!({"StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES"});
        members.insert("StreamSpecification".to_owned(), stream);
    }
    request.to_string()
}

/// Makes the table with all its items; one that is there goes first.
pub fn make(target: &Target, plan: &Plan) -> Result<(), Failure> {
    let (mut connection, name) = (open(target)?, target.table());
    match send(&mut connection, "DeleteTable", &named(name)) {
        Ok(()) => {}
        Err(error) if error.is_not_found() => {}
        Err(error) => return Err(error.into()),
    }
    if !settle(&mut connection, name, false, PATIENCE)? {
        return Err("the table of a run before does not go away".into());
    }
    send(&mut connection, "CreateTable", &create(target))?;
    if !settle(&mut connection, name, true, PATIENCE)? {
        return Err("the table does not become active".into());
    }
    if target.extra == Extra::Recovery {
        let recovery = json!({"PointInTimeRecoveryEnabled": true});
        let request = json!({"TableName": name, "PointInTimeRecoverySpecification": recovery});
        send(&mut connection, "UpdateContinuousBackups", &request.to_string())?;
    }
    fill(target, plan)
}

fn fill(target: &Target, plan: &Plan) -> Result<(), Failure> {
    let deadline = Instant::now() + FILLING;
    let fill_part = &|part: u64| -> Result<(), String> {
        let mut connection = open(target)?;
        let (mut body, mut note) = (String::new(), String::new());
        for batch in (part..plan.keys.div_ceil(BATCH)).step_by(FILLERS as usize) {
            if Instant::now() > deadline {
                return Err(format!("filling the table takes more than {FILLING:?}"));
            }
            // The same in every server: it depends on nothing but the number of the item.
            let numbers = batch * BATCH..((batch + 1) * BATCH).min(plan.keys);
            begin_batch(&mut body, target.table());
            for number in numbers {
                note.clear();
                Random::stream(number, 1).letters(plan.item_bytes, &mut note);
                add_to_batch(&mut body, number, plan.keys, &note);
            }
            end_batch(&mut body);
            let answer = ask(&mut connection, "BatchWriteItem", &body);
            check_batch(&answer.map_err(|error: RequestError| error.to_string())?)?;
        }
        Ok(())
    };
    thread::scope(|scope| {
        let parts: Vec<_> = (0..FILLERS).map(|part| scope.spawn(move || fill_part(part))).collect();
        for part in parts {
            part.join().map_err(|_| "a thread panicked")??;
        }
        Ok(())
    })
}

/// Whether a BatchWriteItem did all it was asked to.
pub fn check_batch(answer: &Value) -> Result<(), String> {
    match answer.get("UnprocessedItems").and_then(Value::as_object) {
        Some(left) if left.is_empty() => Ok(()),
        _ => Err(format!("not all of a batch was written: {answer}")),
    }
}

/// Connects to a target.
pub fn open(target: &Target) -> Result<Connection, String> {
    let connection = Connection::open(&target.endpoint, PATIENCE);
    connection.map_err(|error| format!("{} at {}: {error}", target.name, target.endpoint))
}

/// Writes an item's primary key, without braces.
pub fn add_key(body: &mut String, number: u64) {
    // Writing to a string cannot fail.
    let _ = write!(
        body,
        r#""pk":{{"S":"USER#{:07}"}},"sk":{{"S":"ORDER#{:02}"}}"#,
        number / TOGETHER,
        number % TOGETHER
    );
}

/// Writes an item. All have the same number of bytes.
pub fn add_item(body: &mut String, number: u64, items: u64, note: &str) {
    let place = spread(number, items);
    body.push('{');
    add_key(body, number);
    let _ = write!(
        body,
        r#","gsi1pk":{{"S":"DAY#{:07}"}},"gsi1sk":{{"S":"ORDER#{:02}"}},"visits":{{"N":"0"}},"note":{{"S":"{note}"}}}}"#,
        place / TOGETHER,
        place % TOGETHER
    );
}

/// Writes the request that puts an item.
pub fn put_body(body: &mut String, table: &str, number: u64, items: u64, note: &str) {
    body.clear();
    let _ = write!(body, r#"{{"TableName":"{table}","Item":"#);
    add_item(body, number, items, note);
    body.push('}');
}

/// Writes the beginning of a request that puts several items.
pub fn begin_batch(body: &mut String, table: &str) {
    body.clear();
    let _ = write!(body, r#"{{"RequestItems":{{"{table}":["#);
}

/// Adds an item to it.
pub fn add_to_batch(body: &mut String, number: u64, items: u64, note: &str) {
    if !body.ends_with('[') {
        body.push(',');
    }
    body.push_str(r#"{"PutRequest":{"Item":"#);
    add_item(body, number, items, note);
    body.push_str("}}");
}

/// Ends it.
pub fn end_batch(body: &mut String) {
    body.push_str("]}}");
}

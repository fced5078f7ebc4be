//! The table: made, filled, changed a little, and read whole.

use super::{digest::Digest, item};
use crate::{
    Failure,
    dynamo::{ask, send},
    expiry::connect,
    http::Endpoint,
};
use serde_json::{Value, json};
use std::{
    fmt::Write,
    ops::Range,
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::Instant,
};

/// The table's name.
pub const NAME: &str = "single-table";
/// As many as BatchWriteItem takes.
const BATCH: u64 = 25;
/// Parts that are read at the same time.
const SEGMENTS: u64 = 4;

/// How a table is made, by CreateTable or by an import.
pub fn definition(name: &str) -> Value {
    let attribute = |name: &str| json!({"AttributeName": name, "AttributeType": "S"});
    let attributes = ["PK", "SK", "GSI1PK", "GSI1SK"].map(attribute);
    let key = |hash: &str, range: &str| json!([{"AttributeName": hash, "KeyType": "HASH"}, {"AttributeName": range, "KeyType": "RANGE"}]);
    json!({
        "TableName": name,
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": attributes,
        "KeySchema": key("PK", "SK"),
        "GlobalSecondaryIndexes": [{
            "IndexName": "GSI1",
            "KeySchema": key("GSI1PK", "GSI1SK"),
            "Projection": {"ProjectionType": "ALL"},
        }],
    })
}

/// Makes the table, with point-in-time recovery on.
pub fn create(endpoint: &Endpoint) -> Result<(), Failure> {
    let mut connection = connect(endpoint)?;
    send(&mut connection, "CreateTable", &definition(NAME).to_string())?;
    let recovery = json!({"PointInTimeRecoveryEnabled": true});
    let request = json!({"TableName": NAME, "PointInTimeRecoverySpecification": recovery});
    Ok(send(&mut connection, "UpdateContinuousBackups", &request.to_string())?)
}

/// Puts all items; gives the items per second.
pub fn fill(endpoint: &Endpoint, items: u64, connections: u32) -> Result<f64, Failure> {
    let started = Instant::now();
    put(endpoint, items, connections, &|body, numbers| {
        for number in numbers {
            body.push_str(r#"{"PutRequest":{"Item":{"#);
            item::write(body, number);
            body.push_str("}}},");
        }
    })?;
    Ok(items as f64 / started.elapsed().as_secs_f64())
}

/// Puts something else over every hundredth item, and as many besides.
pub fn change(endpoint: &Endpoint, items: u64, connections: u32) -> Result<(), Failure> {
    put(endpoint, items / 100, connections, &|body, numbers| {
        for number in numbers.start * 100..numbers.end * 100 {
            if number % 100 == 0 {
                body.push_str(r#"{"PutRequest":{"Item":{"#);
                item::write(body, number);
                body.push_str(r#","changed":{"BOOL":true}}}},"#);
            }
        }
    })
}

type Requests<'a> = &'a (dyn Fn(&mut String, Range<u64>) + Sync);

fn put(
    endpoint: &Endpoint,
    count: u64,
    connections: u32,
    requests: Requests<'_>,
) -> Result<(), Failure> {
    let next = &AtomicU64::new(0);
    let part = &|| -> Result<(), String> {
        let mut connection = connect(endpoint)?;
        let mut body = String::new();
        loop {
            let first = next.fetch_add(BATCH, Ordering::Relaxed);
            if first >= count {
                return Ok(());
            }
            body.clear();
            let _ = write!(body, r#"{{"RequestItems":{{"{NAME}":["#);
            requests(&mut body, first..(first + BATCH).min(count));
            // The comma behind the last one.
            body.pop();
            body.push_str("]}}");
            let answer = ask(&mut connection, "BatchWriteItem", &body);
            let answer = answer.map_err(|error| error.to_string())?;
            let rest = answer.get("UnprocessedItems").and_then(Value::as_object);
            if rest.is_some_and(|rest| !rest.is_empty()) {
                return Err("items were left unprocessed".to_owned());
            }
        }
    };
    thread::scope(|scope| -> Result<(), Failure> {
        let parts: Vec<_> = (0..connections).map(|_| scope.spawn(part)).collect();
        for part in parts {
            part.join().map_err(|_| "a thread panicked")??;
        }
        Ok(())
    })
}

/// The digest of all items of a table.
pub fn read(endpoint: &Endpoint, name: &str) -> Result<Digest, Failure> {
    let part = |segment: u64| -> Result<Digest, String> {
        let mut connection = connect(endpoint)?;
        let mut digest = Digest::default();
        let mut request = json!({"TableName": name, "Segment": segment, "TotalSegments": SEGMENTS});
        loop {
            let answer = ask(&mut connection, "Scan", &request.to_string());
            let mut answer = answer.map_err(|error| error.to_string())?;
            for item in answer.get("Items").and_then(Value::as_array).into_iter().flatten() {
                digest.add(item);
            }
            match (answer.get_mut("LastEvaluatedKey"), request.as_object_mut()) {
                (Some(key), Some(request)) => {
                    request.insert("ExclusiveStartKey".to_owned(), key.take());
                }
                _ => return Ok(digest),
            }
        }
    };
    thread::scope(|scope| {
        let part = &part;
        let threads: Vec<_> =
            (0..SEGMENTS).map(|segment| scope.spawn(move || part(segment))).collect();
        let mut all = Digest::default();
        for thread in threads {
            all.merge(thread.join().map_err(|_| "a thread panicked")??);
        }
        Ok(all)
    })
}

/// The digest that the table has to have.
pub fn wanted(items: u64) -> Result<Digest, Failure> {
    let mut digest = Digest::default();
    let mut body = String::new();
    for number in 0..items {
        body.clear();
        body.push('{');
        item::write(&mut body, number);
        body.push('}');
        digest.add(&serde_json::from_str(&body)?);
    }
    Ok(digest)
}

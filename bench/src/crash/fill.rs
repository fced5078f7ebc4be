//! Makes the table with its indexes, its stream, expiry and point-in-time recovery, and fills it.

use crate::{
    changes::{
        request::Chooser,
        table::{self, EXPIRES, Key, TABLE},
    },
    dynamo::{RequestError, describe, send},
    http::Connection,
    random::Random,
};
use serde_json::{Value, json};
use std::{cell::Cell, collections::HashMap};

/// A table that was made.
pub struct Made {
    /// Its ARN.
    pub arn: String,
    /// That of its stream.
    pub stream: String,
}

/// Makes the table and puts all its items once. Each takes a tick.
pub fn make(
    connection: &mut Connection,
    random: &mut Random,
    keys: u64,
    tick: &mut u64,
) -> Result<Made, RequestError> {
    let recover = json!({
        "TableName": TABLE,
        "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": true},
    });
    send(connection, "CreateTable", &table::create())?;
    send(connection, "UpdateTimeToLive", &table::expire())?;
    send(connection, "UpdateContinuousBackups", &recover.to_string())?;
    let ticks = Cell::new(*tick);
    let next = || ticks.replace(ticks.get() + 1);
    let random = Random::new(random.next());
    let mut chooser = Chooser { random, keys, seen: HashMap::new(), tick: &next };
    let all: Vec<u32> = (0..keys as u32).collect();
    for numbers in all.chunks(25) {
        let put = |number: &u32| {
            let id = next();
            let mut item = chooser.item(Key(*number), id);
            item.remove(EXPIRES);
            json!({"PutRequest": {"Item": item}})
        };
        let puts: Vec<Value> = numbers.iter().map(put).collect();
        send(connection, "BatchWriteItem", &json!({"RequestItems": {TABLE: puts}}).to_string())?;
    }
    *tick = ticks.get();
    let description = describe(connection, TABLE)?.unwrap_or_default();
    let text = |name: &str| {
        let found = description.get(name).and_then(Value::as_str).map(str::to_owned);
        found.ok_or(RequestError::Unexpected("a table without its ARNs"))
    };
    Ok(Made { arn: text("TableArn")?, stream: text("LatestStreamArn")? })
}

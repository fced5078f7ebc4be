//! The table that is measured, and filling it.

use super::{Extra, Plan, Target};
use crate::{
    Failure,
    dynamo::{named, send, settle},
    http::Connection,
    random::Random,
};
use serde_json::json;
use std::{
    fmt::Write,
    thread,
    time::{Duration, Instant},
};

/// No request takes this long.
pub const PATIENCE: Duration = Duration::from_secs(30);
/// The longest that filling a table may take.
const FILLING: Duration = Duration::from_secs(600);

/// The request that makes the table.
fn create(target: &Target) -> String {
    let mut request = json!({
        "TableName": target.table(),
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
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
    let fill_part = &|first: u64| -> Result<(), String> {
        let mut connection = open(target)?;
        let mut random = Random::stream(first, 1);
        let mut body = String::new();
        let value = value(&mut random, plan.item_bytes);
        for key in (first..plan.keys).step_by(plan.connections as usize) {
            if Instant::now() > deadline {
                return Err(format!("filling the table takes more than {FILLING:?}"));
            }
            put_body(&mut body, target.table(), key, &value);
            send(&mut connection, "PutItem", &body).map_err(|error| error.to_string())?;
        }
        Ok(())
    };
    thread::scope(|scope| {
        let parts: Vec<_> = (0..plan.connections)
            .map(|first| scope.spawn(move || fill_part(first.into())))
            .collect();
        for part in parts {
            part.join().map_err(|_| "a thread panicked")??;
        }
        Ok(())
    })
}

/// Connects to a target.
pub fn open(target: &Target) -> Result<Connection, String> {
    let connection = Connection::open(&target.endpoint, PATIENCE);
    connection.map_err(|error| format!("{} at {}: {error}", target.name, target.endpoint))
}

/// The value of an item's attribute.
pub fn value(random: &mut Random, bytes: usize) -> String {
    let mut value = String::new();
    random.letters(bytes, &mut value);
    value
}

/// Writes the request that puts an item.
pub fn put_body(body: &mut String, table: &str, key: u64, value: &str) {
    body.clear();
    // Writing to a string cannot fail.
    let _ = write!(
        body,
        r#"{{"TableName":"{table}","Item":{{"pk":{{"S":"key-{key:09}"}},"value":{{"S":"{value}"}}}}}}"#
    );
}

/// Writes the request that gets an item.
pub fn get_body(body: &mut String, table: &str, key: u64) {
    body.clear();
    let _ = write!(body, r#"{{"TableName":"{table}","Key":{{"pk":{{"S":"key-{key:09}"}}}}}}"#);
}

/// Writes the request that counts in two items, if they are there.
pub fn transact_body(body: &mut String, table: &str, one: u64, two: u64) {
    body.clear();
    body.push_str(r#"{"TransactItems":["#);
    for (separator, key) in [("", one), (",", two)] {
        let _ = write!(
            body,
            r#"{separator}{{"Update":{{"TableName":"{table}","Key":{{"pk":{{"S":"key-{key:09}"}}}},"UpdateExpression":"SET times = if_not_exists(times, :zero) + :one","ConditionExpression":"attribute_exists(pk)","ExpressionAttributeValues":{{":zero":{{"N":"0"}},":one":{{"N":"1"}}}}}}}}"#
        );
    }
    body.push_str("]}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[test]
    fn requests_are_json() {
        let mut body = String::new();
        transact_body(&mut body, "t", 1, 2);
        let request: Value = serde_json::from_str(&body).unwrap();
        let key =
            |place: usize| request["TransactItems"][place]["Update"]["Key"]["pk"]["S"].clone();
        assert_eq!((key(0), key(1)), ("key-000000001".into(), "key-000000002".into()));
        put_body(&mut body, "t", 1, "x");
        assert!(serde_json::from_str::<Value>(&body).is_ok());
        get_body(&mut body, "t", 1);
        assert!(serde_json::from_str::<Value>(&body).is_ok());
    }
}

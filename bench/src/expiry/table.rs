//! The table: items that expire, each in an index, and a few that stay and are in none.

use super::connect;
use crate::{
    Failure,
    dynamo::{ask, send},
    http::Endpoint,
};
use serde_json::{Value, json};
use std::{
    fmt::Write,
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::Instant,
};

/// The table's name.
pub const NAME: &str = "expiry";
/// How many items stay; the foreground reads and writes them.
pub const KEPT: u64 = 10_000;
/// As many as BatchWriteItem takes.
const BATCH: u64 = 25;
/// Items with the same partition key in the index.
const TOGETHER: u64 = 10;

/// What to load.
#[derive(Debug, Clone, Copy)]
pub struct Table {
    /// How many items expire.
    pub items: u64,
    /// The second at which they do.
    pub due: u64,
    /// Whether the table has a stream.
    pub stream: bool,
}

impl Table {
    fn create(&self) -> String {
        let mut request = json!({
            "TableName": NAME,
            "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": [
                {"AttributeName": "pk", "AttributeType": "S"},
                {"AttributeName": "group", "AttributeType": "S"},
            ],
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
            "GlobalSecondaryIndexes": [{
                "IndexName": "by-group",
                "KeySchema": [{"AttributeName": "group", "KeyType": "HASH"}],
                "Projection": {"ProjectionType": "ALL"},
            }],
        });
        if let Some(members) = request.as_object_mut().filter(|_| self.stream) {
            let stream = json!({"StreamEnabled": true, "StreamViewType": "NEW_AND_OLD_IMAGES"});
            members.insert("StreamSpecification".to_owned(), stream);
        }
        request.to_string()
    }

    /// Makes the table with all its items; gives the items per second.
    pub fn load(&self, endpoint: &Endpoint, connections: u32) -> Result<f64, Failure> {
        let mut connection = connect(endpoint)?;
        send(&mut connection, "CreateTable", &self.create())?;
        let expire = json!({
            "TableName": NAME,
            "TimeToLiveSpecification": {"Enabled": true, "AttributeName": "expires"},
        });
        send(&mut connection, "UpdateTimeToLive", &expire.to_string())?;
        println!("loading {} items over {connections} connections", self.items);
        let started = Instant::now();
        let next = &AtomicU64::new(0);
        let load_part = &|| -> Result<(), String> {
            let mut connection = connect(endpoint)?;
            let mut body = String::new();
            loop {
                let first = next.fetch_add(BATCH, Ordering::Relaxed);
                if first >= self.items + KEPT {
                    return Ok(());
                }
                let last = (first + BATCH).min(self.items + KEPT);
                self.batch_body(&mut body, first..last);
                let answer = ask(&mut connection, "BatchWriteItem", &body);
                let answer = answer.map_err(|error| error.to_string())?;
                let rest = answer.get("UnprocessedItems").and_then(Value::as_object);
                if rest.is_some_and(|rest| !rest.is_empty()) {
                    return Err("items were left unprocessed".to_owned());
                }
            }
        };
        thread::scope(|scope| -> Result<(), Failure> {
            let parts: Vec<_> = (0..connections).map(|_| scope.spawn(load_part)).collect();
            for part in parts {
                part.join().map_err(|_| "a thread panicked")??;
            }
            Ok(())
        })?;
        let rate = (self.items + KEPT) as f64 / started.elapsed().as_secs_f64();
        println!("loaded after {:.0} s", started.elapsed().as_secs_f64());
        Ok(rate)
    }

    /// Writes the request that puts some items; those that stay are the first.
    fn batch_body(&self, body: &mut String, numbers: std::ops::Range<u64>) {
        body.clear();
        // Writing to a string cannot fail, here and below.
        let _ = write!(body, r#"{{"RequestItems":{{"{NAME}":["#);
        for (place, number) in numbers.enumerate() {
            let separator = if place == 0 { "" } else { "," };
            let _ = write!(body, r#"{separator}{{"PutRequest":{{"Item":{{"#);
            match number.checked_sub(KEPT) {
                None => kept_members(body, number, 0),
                Some(number) => {
                    let (group, due) = (number / TOGETHER, self.due);
                    let _ = write!(
                        body,
                        r#""pk":{{"S":"item-{number:09}"}},"group":{{"S":"G#{group}"}},"expires":{{"N":"{due}"}},"text":{{"S":"a small item"}}"#
                    );
                }
            }
            body.push_str("}}}");
        }
        body.push_str("]}}");
    }
}

fn kept_members(body: &mut String, number: u64, value: u64) {
    let _ = write!(
        body,
        r#""pk":{{"S":"kept-{number:09}"}},"value":{{"N":"{value}"}},"text":{{"S":"an item that stays"}}"#
    );
}

/// Writes the request that gets an item that stays.
pub fn get_body(body: &mut String, number: u64) {
    body.clear();
    let _ = write!(body, r#"{{"TableName":"{NAME}","Key":{{"pk":{{"S":"kept-{number:09}"}}}}}}"#);
}

/// Writes the request that puts an item that stays once more.
pub fn put_body(body: &mut String, number: u64, value: u64) {
    body.clear();
    let _ = write!(body, r#"{{"TableName":"{NAME}","Item":{{"#);
    kept_members(body, number, value);
    body.push_str("}}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_json() {
        let table = Table { items: 100, due: 7, stream: true };
        let mut body = String::new();
        table.batch_body(&mut body, KEPT - 1..KEPT + 2);
        let request: Value = serde_json::from_str(&body).unwrap();
        let item =
            |place: usize| request["RequestItems"][NAME][place]["PutRequest"]["Item"].clone();
        assert_eq!(item(0)["pk"]["S"], "kept-000009999");
        assert_eq!(item(0).get("expires"), None);
        assert_eq!(
            (item(2)["pk"]["S"].clone(), item(2)["expires"]["N"].clone()),
            ("item-000000001".into(), "7".into())
        );
        put_body(&mut body, 1, 2);
        assert!(serde_json::from_str::<Value>(&body).is_ok());
        get_body(&mut body, 1);
        assert!(serde_json::from_str::<Value>(&body).is_ok());
    }
}

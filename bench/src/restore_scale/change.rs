//! Changes every tenth item.

use crate::{
    Failure,
    dynamo::ask,
    expiry::{
        connect,
        table::{NAME, Table},
    },
    http::Endpoint,
};
use serde_json::{Value, json};
use std::{
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::Instant,
};

/// As many as BatchWriteItem takes.
const BATCH: u64 = 25;
/// Of so many items one is changed.
const OF: u64 = 10;

/// Puts something else over every tenth item; gives the items per second.
pub fn a_tenth(endpoint: &Endpoint, table: &Table, connections: u32) -> Result<f64, Failure> {
    let (count, started) = (table.items / OF, Instant::now());
    let next = &AtomicU64::new(0);
    let change_part = &|| -> Result<(), String> {
        let mut connection = connect(endpoint)?;
        loop {
            let first = next.fetch_add(BATCH, Ordering::Relaxed);
            if first >= count {
                return Ok(());
            }
            let put = |number: u64| {
                let pk = json!({"S": format!("item-{:09}", number * OF)});
                json!({"PutRequest": {"Item": {"pk": pk, "text": {"S": "a changed item"}}}})
            };
            let requests: Vec<Value> = (first..(first + BATCH).min(count)).map(put).collect();
            let body = json!({"RequestItems": {NAME: requests}}).to_string();
            ask(&mut connection, "BatchWriteItem", &body).map_err(|error| error.to_string())?;
        }
    };
    thread::scope(|scope| -> Result<(), Failure> {
        let parts: Vec<_> = (0..connections).map(|_| scope.spawn(change_part)).collect();
        for part in parts {
            part.join().map_err(|_| "a thread panicked")??;
        }
        Ok(())
    })?;
    Ok(count as f64 / started.elapsed().as_secs_f64())
}

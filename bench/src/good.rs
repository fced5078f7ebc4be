//! A good client beside the bad ones: it gets and puts an item at a modest pace, and every answer counts.

use crate::{
    Failure,
    dynamo::{send, settle},
    histogram::Histogram,
    http::{Connection, Endpoint},
};
use std::{
    fmt,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

const TABLE: &str = "good";
const PAUSE: Duration = Duration::from_millis(4);
/// An answer that takes longer is none.
const PATIENCE: Duration = Duration::from_secs(30);
/// Every so many requests come on a connection of their own.
const FRESH: u64 = 16;

/// Builds for debugging are slower by about as much, and share the machine with other tests.
pub const LENIENCE: u32 = if cfg!(debug_assertions) { 4 } else { 1 };

/// What a good client does over and over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deed {
    /// GetItem.
    Get,
    /// PutItem.
    Put,
}

/// How good clients fared.
#[derive(Debug, Clone)]
pub struct Fare {
    /// Reads.
    pub get: Served,
    /// Writes.
    pub put: Served,
}

/// How one of them fared.
#[derive(Debug, Clone)]
pub struct Served {
    /// Latencies of answers.
    pub latencies: Histogram,
    /// Refusals that a client is to try again after.
    pub throttled: u64,
    /// What should not be.
    pub complaints: Vec<String>,
}

impl fmt::Display for Fare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "  GetItem: {}\n  PutItem: {}", self.get, self.put)
    }
}

impl fmt::Display for Served {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let latency = |permille| self.latencies.permille(permille).as_secs_f64() * 1e3;
        write!(
            f,
            "{} answered, p50 {:.2} ms, p99 {:.2} ms, max {:.1} ms",
            self.latencies.count(),
            latency(500),
            latency(990),
            latency(1000)
        )?;
        if self.throttled > 0 {
            write!(f, ", {} throttled", self.throttled)?;
        }
        Ok(())
    }
}

/// Makes the table that good clients use.
pub fn prepare(connection: &mut Connection) -> Result<(), Failure> {
    let create = format!(
        r#"{{"TableName":"{TABLE}","AttributeDefinitions":[{{"AttributeName":"pk","AttributeType":"S"}}],"KeySchema":[{{"AttributeName":"pk","KeyType":"HASH"}}],"BillingMode":"PAY_PER_REQUEST"}}"#
    );
    send(connection, "CreateTable", &create)?;
    settle(connection, TABLE, true, PATIENCE)?;
    Ok(send(connection, "PutItem", &body(Deed::Put, 0))?)
}

/// Lets good clients go on while something else happens.
pub fn beside<T>(endpoint: &Endpoint, other: impl FnOnce() -> T) -> (Fare, T) {
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        let get = scope.spawn(|| run(endpoint, Deed::Get, &stop));
        let put = scope.spawn(|| run(endpoint, Deed::Put, &stop));
        let done = other();
        stop.store(true, Ordering::Relaxed);
        let get = get.join().unwrap_or_else(|_| Served::new());
        let put = put.join().unwrap_or_else(|_| Served::new());
        (Fare { get, put }, done)
    })
}

/// Good clients alone, for that long.
pub fn alone(endpoint: &Endpoint, time: Duration) -> Fare {
    beside(endpoint, || thread::sleep(time)).0
}

fn run(endpoint: &Endpoint, deed: Deed, stop: &AtomicBool) -> Served {
    let mut served = Served::new();
    let operation = match deed {
        Deed::Get => "GetItem",
        Deed::Put => "PutItem",
    };
    let mut kept = None;
    for number in 0_u64.. {
        if stop.load(Ordering::Relaxed) || served.complaints.len() > 5 {
            break;
        }
        let body = body(deed, number);
        let started = Instant::now();
        // Connecting is part of it.
        let connection = match kept.take() {
            Some(connection) if number % FRESH != 0 => Ok(connection),
            _ => Connection::open(endpoint, PATIENCE),
        };
        match connection {
            Err(error) => served.complaints.push(format!("{operation}: {error}")),
            Ok(mut connection) => match send(&mut connection, operation, &body) {
                Ok(()) => {
                    served.latencies.record(started.elapsed());
                    kept = Some(connection);
                }
                Err(error) if error.is("ThrottlingException") => {
                    served.throttled += 1;
                    kept = Some(connection);
                }
                Err(error) => served.complaints.push(format!("{operation}: {error}")),
            },
        }
        thread::sleep(PAUSE);
    }
    served
}

impl Served {
    fn new() -> Served {
        Served { latencies: Histogram::new(), throttled: 0, complaints: Vec::new() }
    }
}

/// Every write is another one: what is there already need not be written.
fn body(deed: Deed, number: u64) -> String {
    match deed {
        Deed::Get => format!(r#"{{"TableName":"{TABLE}","Key":{{"pk":{{"S":"good"}}}}}}"#),
        Deed::Put => format!(
            r#"{{"TableName":"{TABLE}","Item":{{"pk":{{"S":"good"}},"text":{{"S":"{number:0200}"}}}}}}"#
        ),
    }
}

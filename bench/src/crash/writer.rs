//! A client that writes until the server is gone, and writes down what it was promised.

use super::{
    history::Write,
    item::{Item, Key},
    table,
};
use crate::{
    dynamo::{RequestError, send},
    http::Connection,
    outage::{PATIENCE, Scene},
    random::Random,
};
use std::time::{Duration, Instant};

/// A writer ends after so long and so many writes, even if nobody kills the server.
const LONGEST: Duration = Duration::from_secs(60);
const MOST_WRITES: usize = 1_000_000;
/// Keys that every writer writes to.
const SHARED_KEYS: u64 = 12;
/// Keys of its own that a writer uses most of the time.
const HOT_KEYS: u64 = 16;
/// Keys of its own that a writer uses in the end.
const MOST_KEYS: u64 = 200;

/// What a client knows at its end.
#[derive(Debug, Default)]
pub struct Log {
    /// The writes it sent.
    pub writes: Vec<(Key, Write)>,
    /// Why it ended, if not because the server was.
    pub complaint: Option<String>,
}

impl Log {
    /// How many writes were acknowledged.
    pub fn acknowledged(&self) -> u64 {
        let acknowledged = |(_, write): &&(Key, Write)| write.acknowledged.is_some();
        self.writes.iter().filter(acknowledged).count() as u64
    }
}

/// Writes until the connection ends.
pub fn run(scene: &Scene, writer: u32, cycle: u32) -> Log {
    let mut log = Log::default();
    let mut random = Random::stream(scene.seed, u64::from(cycle) << 32 | u64::from(writer));
    let mut connection = match Connection::open(&scene.endpoint, PATIENCE) {
        Ok(connection) => connection,
        Err(error) => {
            log.complaint = scene.complaint("connecting", &RequestError::Call(error));
            return log;
        }
    };
    let started = Instant::now();
    while log.writes.len() < MOST_WRITES && started.elapsed() < LONGEST {
        let key = key(&mut random, writer, cycle);
        let put = random.percent(75);
        let sent = scene.tick();
        let (operation, body) = if put {
            ("PutItem", table::put(&Item::generate(scene.seed, key, sent)))
        } else {
            ("DeleteItem", table::keyed(key))
        };
        let outcome = send(&mut connection, operation, &body);
        let acknowledged = outcome.is_ok().then(|| scene.tick());
        let write = Write { sent, acknowledged, put };
        log.writes.push((key, write));
        if let Err(error) = outcome {
            log.complaint = scene.complaint(&format!("{operation} of {key}"), &error);
            return log;
        }
    }
    log.complaint = Some("the server was not ended in time".to_owned());
    log
}

/// Mostly a few keys that are written again and again; the others are left alone for many cycles,
/// so that old data is looked at, too.
fn key(random: &mut Random, writer: u32, cycle: u32) -> Key {
    let (owner, keys) = match random.between(0, 100) {
        0..15 => (None, SHARED_KEYS),
        15..80 => (Some(writer), HOT_KEYS),
        _ => (Some(writer), (HOT_KEYS + 4 * u64::from(cycle)).min(MOST_KEYS)),
    };
    Key { owner, index: random.between(0, keys) as u32 }
}

//! Looks on while a table is restored.

use crate::{
    Failure,
    dynamo::{ask, describe},
    expiry::connect,
    http::Connection,
    monotable::Monotable,
    scale::Memory,
};
use serde_json::Value;
use std::{
    thread,
    time::{Duration, Instant},
};

/// How often to look.
const LOOK: Duration = Duration::from_millis(100);
/// A restore that makes no progress for so long has failed.
const STUCK: Duration = Duration::from_secs(60);

/// How far the restore is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progress {
    /// Items that were read.
    pub read: u64,
    /// Changes that were read.
    pub changes: u64,
}

/// What was seen.
pub struct Watch {
    /// The most memory that the server had.
    pub memory: Memory,
    /// How far the restore was at the end.
    pub last: Progress,
}

impl Watch {
    /// Nothing was seen but the memory before.
    pub fn new(memory: Memory) -> Watch {
        Watch { memory, last: Progress::default() }
    }

    /// How far the only restore is.
    pub fn read(connection: &mut Connection) -> Result<Progress, Failure> {
        let answer = ask(connection, "ListRestores", "{}")?;
        let count = |name: &str| answer.pointer(&format!("/Restores/0/{name}"))?.as_u64();
        let read = count("ItemsRead").ok_or("no restore is known")?;
        Ok(Progress { read, changes: count("ChangesRead").unwrap_or_default() })
    }

    /// Waits until so many items were read, or until the restored table is in use.
    pub fn until(&mut self, server: &Monotable, read: Option<u64>) -> Result<Progress, Failure> {
        let mut connection = connect(&server.endpoint)?;
        let mut changed = Instant::now();
        loop {
            let found = Watch::read(&mut connection)?;
            if found != self.last {
                (self.last, changed) = (found, Instant::now());
            }
            let memory = Memory::of(server.process.id())?;
            self.memory.resident = self.memory.resident.max(memory.resident);
            self.memory.anonymous = self.memory.anonymous.max(memory.anonymous);
            let table = describe(&mut connection, super::TARGET)?.ok_or("the table is gone")?;
            let active = table.get("TableStatus").and_then(Value::as_str) == Some("ACTIVE");
            if active || read.is_some_and(|read| found.read >= read) {
                return Ok(found);
            }
            if changed.elapsed() > STUCK {
                return Err(format!("the restore stays at {found:?}").into());
            }
            thread::sleep(LOOK);
        }
    }
}

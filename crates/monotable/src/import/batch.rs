//! Writes batches of items over a connection of its own. What the server did not take is sent again;
//! of a batch that it refuses each item is tried alone, so that the others are written.

use crate::{
    client::{Client, Persistent, Waits},
    ending::Ending,
    interrupt::Interrupt,
    meter::Meter,
};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::{
    collections::BTreeMap,
    sync::mpsc::{Receiver, Sender},
};

/// An item as it is sent, and the row it comes from.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) number: u64,
    pub(super) file: usize,
    pub(super) line: u64,
    /// `{"Item": ...}`.
    pub(super) text: String,
}

/// Items whose keys all differ.
#[derive(Debug)]
pub(super) struct Batch {
    /// The connection it is written over.
    pub(super) writer: usize,
    pub(super) entries: Vec<Entry>,
}

/// A row that is not in the table, and why.
#[derive(Debug)]
pub(super) struct Bad {
    pub(super) number: u64,
    pub(super) file: usize,
    pub(super) line: u64,
    pub(super) reason: String,
}

/// What has become of a batch.
#[derive(Debug)]
pub(super) struct Written {
    pub(super) writer: usize,
    /// The number of its first row.
    pub(super) first: u64,
    pub(super) items: u64,
    pub(super) outcome: Result<Vec<Bad>, Ending>,
}

/// Writes to a table.
pub(super) struct Writer {
    client: Persistent,
    interrupt: Interrupt,
    table: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Answer {
    #[serde(default)]
    unprocessed_items: BTreeMap<String, Vec<Box<RawValue>>>,
}

#[derive(Debug, Deserialize)]
struct Nothing {}

impl Writer {
    pub(super) fn new(client: Client, interrupt: Interrupt, meter: Meter, table: &str) -> Writer {
        let client = Persistent::new(client, interrupt.clone(), meter);
        Writer { client, interrupt, table: table.to_owned() }
    }

    /// Writes batches one after the other until there are no more or one fails.
    pub(super) fn run(mut self, batches: &Receiver<Batch>, results: &Sender<Written>) {
        for batch in batches {
            let first = batch.entries.first().map_or(0, |entry| entry.number);
            let outcome = self.write(&batch);
            let failed = outcome.is_err();
            let refused = outcome.as_ref().map_or(0, Vec::len);
            let items = (batch.entries.len() - refused) as u64;
            let written = Written { writer: batch.writer, first, items, outcome };
            if results.send(written).is_err() || failed {
                return;
            }
        }
    }

    fn write(&mut self, batch: &Batch) -> Result<Vec<Bad>, Ending> {
        let table = serde_json::to_string(&self.table).unwrap_or_default();
        let puts: Vec<String> = batch
            .entries
            .iter()
            .map(|entry| format!("{{\"PutRequest\":{}}}", entry.text))
            .collect();
        let mut left = puts.join(",");
        let mut waits = Waits::new(self.interrupt.clone());
        let mut count = batch.entries.len();
        loop {
            let request = raw(format!("{{\"RequestItems\":{{{table}:[{left}]}}}}"))?;
            let answer: Answer = match self.client.call("BatchWriteItem", &request) {
                Err(Ending::Call(error)) if error.is("ValidationException") => {
                    return self.one_by_one(batch);
                }
                outcome => outcome?,
            };
            let unwritten: Vec<&str> =
                answer.unprocessed_items.values().flatten().map(|put| put.get()).collect();
            if unwritten.is_empty() {
                return Ok(Vec::new());
            }
            if unwritten.len() < count {
                waits.progress();
            }
            count = unwritten.len();
            left = unwritten.join(",");
            if !waits.wait()? {
                let text = "the server does not take all items, for too long".to_owned();
                return Err(Ending::Failed(text));
            }
        }
    }

    fn one_by_one(&mut self, batch: &Batch) -> Result<Vec<Bad>, Ending> {
        let table = serde_json::to_string(&self.table).unwrap_or_default();
        let mut refused = Vec::new();
        for entry in &batch.entries {
            let item = entry.text.strip_prefix('{').unwrap_or_default();
            let request = raw(format!("{{\"TableName\":{table},{item}"))?;
            match self.client.call::<Nothing>("PutItem", &request) {
                Ok(Nothing {}) => {}
                Err(Ending::Call(error)) if error.is("ValidationException") => {
                    let (number, file, line) = (entry.number, entry.file, entry.line);
                    refused.push(Bad { number, file, line, reason: error.to_string() });
                }
                Err(other) => return Err(other),
            }
        }
        Ok(refused)
    }
}

fn raw(json: String) -> Result<Box<RawValue>, Ending> {
    RawValue::from_string(json).map_err(|error| Ending::Failed(error.to_string()))
}

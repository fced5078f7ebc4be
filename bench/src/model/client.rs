//! A client: sends random operations and holds each answer against the model.

use super::{
    answer::Expected,
    generate,
    operation::Operation,
    shared::{self, Shares},
    table,
    value::{Item, item_answer},
};
use crate::{
    http::{Connection, Endpoint},
    random::Random,
};
use std::{
    collections::BTreeMap,
    fmt,
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    time::Duration,
};

/// No request takes this long; one that does is reported.
pub const PATIENCE: Duration = Duration::from_secs(30);
/// Keys that a client has of its own.
const KEYS: u64 = 50;
/// So many of a hundred operations are on a shared key.
const SHARED: u64 = 4;

/// What all clients share.
pub struct Scene {
    /// Where the server listens.
    pub endpoint: Endpoint,
    /// Decides all operations.
    pub seed: u64,
    /// Operations that were answered as they should be.
    pub done: AtomicU64,
    /// Something is wrong, so nobody need go on.
    pub over: AtomicBool,
}

/// An answer that is not as it should be.
#[derive(Debug)]
pub struct Difference {
    /// The operation and its body.
    pub request: String,
    /// The item as it was.
    pub before: String,
    /// What the model says.
    pub expected: String,
    /// What the server says.
    pub found: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "  request:  {}", self.request)?;
        writeln!(f, "  before:   {}", self.before)?;
        writeln!(f, "  expected: {}", self.expected)?;
        write!(f, "  found:    {}", self.found)
    }
}

/// How often operations came to what.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tally {
    /// Carried out.
    pub done: u64,
    /// Refused by their condition.
    pub condition: u64,
    /// Refused since they could not be carried out.
    pub invalid: u64,
    /// Of these, those with several reasons, of which the server may give any.
    pub ambiguous: u64,
}

impl Tally {
    /// Adds another's.
    pub fn add(&mut self, other: Tally) {
        self.done += other.done;
        self.condition += other.condition;
        self.invalid += other.invalid;
        self.ambiguous += other.ambiguous;
    }

    fn count(&mut self, answer: &Expected) {
        match answer {
            Expected::Done { .. } => self.done += 1,
            Expected::ConditionFailed(_) => self.condition += 1,
            Expected::Invalid(messages) => {
                self.invalid += 1;
                self.ambiguous += u64::from(messages.len() > 1);
            }
        }
    }
}

/// What a client knows at its end.
#[derive(Debug, Default)]
pub struct Record {
    /// Its own keys and what they have, by their number.
    pub items: BTreeMap<u64, Item>,
    /// What it did to the shared keys.
    pub shares: Shares,
    /// What its operations came to.
    pub tally: Tally,
    /// Why it ended before its time.
    pub difference: Option<Difference>,
}

/// The key of that number of a client.
pub fn key(client: u32, number: u64) -> Item {
    table::key(&format!("client-{client}"), &format!("key-{number}"))
}

/// The numbers of a client's keys.
pub fn keys() -> impl Iterator<Item = u64> {
    0..KEYS
}

/// How an item is shown.
pub fn shown(item: Option<&Item>) -> String {
    item.map_or_else(|| "no item".to_owned(), |item| item_answer(item).to_string())
}

/// Sends so many operations.
pub fn run(scene: &Scene, client: u32, operations: u64) -> Record {
    let mut record = Record::default();
    let mut random = Random::stream(scene.seed, client.into());
    let mut connection = match Connection::open(&scene.endpoint, PATIENCE) {
        Ok(connection) => connection,
        Err(error) => {
            scene.over.store(true, Ordering::Relaxed);
            record.difference = Some(Difference {
                request: "a connection".to_owned(),
                before: "-".to_owned(),
                expected: "one".to_owned(),
                found: error.to_string(),
            });
            return record;
        }
    };
    for _ in 0..operations {
        if scene.over.load(Ordering::Relaxed) {
            break;
        }
        if let Err(difference) = step(&mut random, client, &mut record, &mut connection) {
            scene.over.store(true, Ordering::Relaxed);
            record.difference = Some(*difference);
            break;
        }
        scene.done.fetch_add(1, Ordering::Relaxed);
    }
    record
}

fn step(
    random: &mut Random,
    client: u32,
    record: &mut Record,
    connection: &mut Connection,
) -> Result<(), Box<Difference>> {
    if random.percent(SHARED) {
        let operation = shared::operation(random, client, &mut record.shares);
        let expected = shared::expected();
        record.tally.count(&expected);
        return compare(connection, &operation, &expected, || "a shared item".to_owned());
    }
    let number = random.between(0, KEYS);
    let before = record.items.get(&number);
    let operation = generate::operation(random, &key(client, number), before);
    let prediction = operation.predict(before);
    compare(connection, &operation, &prediction.answer, || shown(before))?;
    record.tally.count(&prediction.answer);
    match prediction.after {
        Some(item) => record.items.insert(number, item),
        None => record.items.remove(&number),
    };
    Ok(())
}

fn compare(
    connection: &mut Connection,
    operation: &Operation,
    expected: &Expected,
    before: impl Fn() -> String,
) -> Result<(), Box<Difference>> {
    let request = operation.request();
    let (expected, found) = match connection.call(operation.name(), &request) {
        Ok(answer) => match expected.difference(answer.status, answer.body) {
            None => return Ok(()),
            Some(expected) => {
                let body = String::from_utf8_lossy(answer.body);
                (expected, format!("{} {body}", answer.status))
            }
        },
        Err(error) => (format!("{expected:?}"), error.to_string()),
    };
    let request = format!("{} {request}", operation.name());
    Err(Box::new(Difference { request, before: before(), expected, found }))
}

//! What clients of a history share, and what they write down.

use super::{
    lists::{self, Transaction},
    plant::Line,
    registers,
};
use crate::{
    dynamo::RequestError,
    outage::{Scene, Violation},
};
use serde_json::{Value, json};
use std::{collections::BTreeMap, time::Instant};

/// The number of the client that reads everything at the end.
pub const LAST: u32 = 99;

/// The table's name.
pub const TABLE: &str = "history";

/// The request that makes the table.
pub fn create() -> String {
    json!({
        "TableName": TABLE,
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [
            {"AttributeName": "pk", "AttributeType": "S"},
            {"AttributeName": "sk", "AttributeType": "N"},
        ],
        "KeySchema": [
            {"AttributeName": "pk", "KeyType": "HASH"},
            {"AttributeName": "sk", "KeyType": "RANGE"},
        ],
    })
    .to_string()
}

/// One history, as its clients know it.
pub struct Course<'a> {
    /// The server and when it may go away; its clock gives the values.
    pub scene: &'a Scene,
    /// Tells the history's keys from those of others.
    pub number: u64,
    /// When it began.
    pub begun: Instant,
    /// How many keys it has.
    pub keys: u32,
}

impl Course<'_> {
    /// The time, in nanoseconds.
    pub fn now(&self) -> u64 {
        u64::try_from(self.begun.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    /// The partition of all keys.
    pub fn partition(&self) -> String {
        format!("h{}", self.number)
    }

    /// A key.
    pub fn key(&self, key: u32) -> Value {
        json!({"pk": {"S": self.partition()}, "sk": {"N": key.to_string()}})
    }

    /// The request for an item, without its table's other members.
    pub fn get(&self, key: u32) -> Value {
        json!({"TableName": TABLE, "Key": self.key(key)})
    }
}

/// A transaction without an answer that may be sent again under its token.
#[derive(Debug, Clone)]
pub struct Open {
    /// Its place among the transactions of the log.
    pub place: usize,
    /// The request.
    pub body: Value,
}

/// What clients know at their end.
#[derive(Debug, Default)]
pub struct Log {
    /// What was done to lists.
    pub transactions: Vec<Transaction>,
    /// What was done to registers.
    pub operations: BTreeMap<u32, Vec<registers::Operation>>,
    /// What may be sent again.
    pub open: Vec<Open>,
    /// What should not have happened.
    pub violations: Vec<Violation>,
}

impl Log {
    /// A client that came to no end of its own.
    pub fn panicked() -> Log {
        let violations = vec![Violation::misbehaved("a client panicked".to_owned())];
        Log { violations, ..Log::default() }
    }

    /// Adds another's.
    pub fn add(&mut self, other: Log) {
        let before = self.transactions.len();
        self.transactions.extend(other.transactions);
        self.open.extend(other.open.into_iter().map(|o| Open { place: before + o.place, ..o }));
        for (key, operations) in other.operations {
            self.operations.entry(key).or_default().extend(operations);
        }
        self.violations.extend(other.violations);
    }

    /// How many operations it has.
    pub fn len(&self) -> usize {
        self.transactions.len() + self.operations.values().map(Vec::len).sum::<usize>()
    }

    /// How many of them had no answer.
    pub fn unanswered(&self) -> usize {
        let lists = self.transactions.iter().filter(|t| t.outcome == lists::Outcome::Unknown);
        let registers = self.operations.values().flatten().filter(|o| o.completed.is_none());
        lists.count() + registers.count()
    }

    /// Notes why a client cannot go on.
    pub fn complain(&mut self, scene: &Scene, what: &str, error: &RequestError) {
        self.violations.extend(scene.complaint(what, error).map(Violation::misbehaved));
    }
}

/// Sends the transactions without an answer again, which settles them.
pub fn settle(course: &Course<'_>, line: &mut Line<'_>, open: Vec<Open>) -> (Vec<Settled>, Log) {
    let mut log = Log::default();
    let mut settled = Vec::new();
    for Open { place, body } in open {
        let outcome = match line.ask("TransactWriteItems", &body) {
            Ok(_) => lists::Outcome::Done,
            // It was not done before either: then it would be known by its token.
            Err(error) if error.is("TransactionCanceledException") => lists::Outcome::Refused,
            Err(error) => {
                log.complain(course.scene, "a transaction sent again", &error);
                break;
            }
        };
        settled.push(Settled { place, outcome, completed: course.now() });
    }
    (settled, log)
}

/// How a transaction ended after it was sent again.
#[derive(Debug, Clone, Copy)]
pub struct Settled {
    /// Its place among the transactions of the log.
    pub place: usize,
    /// How it ended.
    pub outcome: lists::Outcome,
    /// When.
    pub completed: u64,
}

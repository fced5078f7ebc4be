//! Random gets, puts or transactions on one target.

use super::{OperationKind, Plan, Target, table};
use crate::{
    Failure,
    drive::{RequestFailure, Round, ask, drive},
    http::Connection,
    random::Random,
};
use std::sync::atomic::{AtomicU64, Ordering};

/// Rounds differ in their keys.
static ROUND: AtomicU64 = AtomicU64::new(0);

/// Measures one operation on one target.
pub fn measure(target: &Target, plan: &Plan, operation: OperationKind) -> Result<Round, Failure> {
    let round = ROUND.fetch_add(1, Ordering::Relaxed);
    let mut workers = Vec::new();
    for number in 0..plan.connections {
        let mut random = Random::stream(round, u64::from(number) + 2);
        workers.push(Worker {
            connection: table::open(target)?,
            value: table::value(&mut random, plan.item_bytes),
            random,
            body: String::new(),
            keys: plan.keys,
            table: target.table(),
            least_answer: match operation {
                OperationKind::Get => plan.item_bytes + 10,
                OperationKind::Put | OperationKind::Transact => 0,
            },
            operation,
        });
    }
    drive(workers, plan.time)
}

/// One connection's work.
struct Worker {
    connection: Connection,
    random: Random,
    value: String,
    body: String,
    keys: u64,
    table: &'static str,
    /// A get that finds nothing is answered with less.
    least_answer: usize,
    operation: OperationKind,
}

impl crate::drive::Worker for Worker {
    fn request(&mut self) -> Result<(), RequestFailure> {
        let key = self.random.between(0, self.keys);
        let operation = match self.operation {
            OperationKind::Get => {
                table::get_body(&mut self.body, self.table, key);
                "GetItem"
            }
            OperationKind::Put => {
                table::put_body(&mut self.body, self.table, key, &self.value);
                "PutItem"
            }
            OperationKind::Transact => {
                // Another key, since a transaction may not touch an item twice.
                let other = (key + self.random.between(1, self.keys)) % self.keys;
                table::transact_body(&mut self.body, self.table, key, other);
                "TransactWriteItems"
            }
        };
        let answer = ask(&mut self.connection, operation, &self.body)?;
        if answer.len() < self.least_answer {
            return Err(RequestFailure::Refused(format!("key {key} is not there")));
        }
        Ok(())
    }
}

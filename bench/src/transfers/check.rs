//! Holds what a server has after a crash against what its clients know. Pure: `observe` does the
//! reads, so that tests can show it a server that has done half of something.

use super::{
    bank::{self, Total, Totals},
    transaction::Transaction,
};
use crate::outage::Violation;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// How a transaction ended for its client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It was made.
    Acknowledged,
    /// It was not made, or is known not to be there.
    Refused,
    /// There was no answer.
    Unanswered,
}

/// A transaction that was sent.
#[derive(Debug, Clone)]
pub struct Sent {
    /// What was sent.
    pub transaction: Transaction,
    /// What came of it.
    pub outcome: Outcome,
}

/// What the server has: the totals, and the records of one cycle or of all, by their sort keys.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Seen {
    /// The totals.
    pub totals: Totals,
    /// The records.
    pub records: BTreeMap<String, Value>,
}

/// Looks for everything that is wrong. `before` are the totals before the first of the transactions.
pub fn check(before: &Totals, sent: &[Sent], seen: &Seen) -> Vec<Violation> {
    let mut violations = Vec::new();
    let mut expected = before.clone();
    let mut known = BTreeSet::new();
    for Sent { transaction, outcome } in sent {
        let key = transaction.sort_key();
        let found = seen.records.get(&key);
        match (found, outcome) {
            (None, Outcome::Acknowledged) => {
                violations.push(Violation::lost(format!("{transaction} was acknowledged")));
            }
            (Some(_), Outcome::Refused) => violations.push(Violation::half_applied(format!(
                "{transaction} was refused, but its record is there"
            ))),
            (Some(record), _) if *record != transaction.record() => violations.push(
                Violation::half_applied(format!("{transaction} has another record: {record}")),
            ),
            _ => {}
        }
        if found.is_some() {
            for (total, amount) in transaction.deed.moves() {
                *expected.entry(total).or_default() += amount;
            }
        }
        known.insert(key);
    }
    for (key, record) in seen.records.iter().filter(|(key, _)| !known.contains(*key)) {
        let text = format!("the record {key} is of no transaction: {record}");
        violations.push(Violation::half_applied(text));
    }
    for total in expected.keys().chain(seen.totals.keys()).collect::<BTreeSet<_>>() {
        let is = seen.totals.get(total).copied().unwrap_or_default();
        let should = expected.get(total).copied().unwrap_or_default();
        if is != should {
            violations.push(Violation::half_applied(format!(
                "{total} is {is}, but the records make {should}"
            )));
        }
        if is < 0 {
            violations.push(Violation::inconsistent(format!("{total} is {is}")));
        }
    }
    violations.extend(sum(&seen.totals));
    violations
}

/// No transfer makes or takes money.
fn sum(totals: &Totals) -> Option<Violation> {
    let balance = |(total, amount): (&Total, &i64)| match total {
        Total::Balance(_) => *amount,
        _ => 0,
    };
    wrong_sum("all balances", totals.iter().map(balance).sum())
}

/// What to say if balances do not add up.
pub fn wrong_sum(what: &str, sum: i64) -> Option<Violation> {
    let should = i64::from(bank::ACCOUNTS) * bank::FIRST_BALANCE;
    let text = format!("{what} add up to {sum}, not to {should}");
    (sum != should).then(|| Violation::inconsistent(text))
}

/// Settles what was open, from a server that was found in order. Gives how many of the
/// transactions without an answer were made.
pub fn settle(sent: &mut [Sent], seen: &Seen) -> usize {
    let mut made = 0;
    for one in sent.iter_mut().filter(|one| one.outcome == Outcome::Unanswered) {
        let there = seen.records.contains_key(&one.transaction.sort_key());
        one.outcome = if there { Outcome::Acknowledged } else { Outcome::Refused };
        made += usize::from(there);
    }
    made
}

#[cfg(test)]
#[path = "check_tests.rs"]
mod tests;

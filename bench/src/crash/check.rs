//! Holds what the table has after a restart against what clients know, from the answers alone. What
//! the stream says is held against both elsewhere.

use super::history::{Fault, Histories, History, State, Write};
use crate::{
    changes::{
        belief::{Belief, Beliefs},
        deed::Deed,
        record::Record,
        table::{BY, Items, Key, number_of},
    },
    outage::Violation,
};

/// What is known of each key, with all that was done and expired since.
pub fn histories(known: &Beliefs, deeds: &[Deed], records: &[Record]) -> Histories {
    let mut histories = Histories::new();
    for (&key, belief) in known {
        let base = match belief {
            Belief::Is(item) => number_of(item, BY),
            _ => None,
        };
        histories.insert(key, History::settled(base));
    }
    for deed in deeds {
        if let Some(write) = Write::of(deed) {
            histories.entry(deed.key).or_default().add(write);
        }
    }
    for record in records.iter().filter(|record| record.by_service) {
        histories.entry(record.key).or_default().add(Write::EXPIRY);
    }
    histories
}

/// What is wrong with the items that were found.
pub fn check(histories: &Histories, found: &Items) -> Vec<Violation> {
    let state = |key: &Key| found.get(key).and_then(|item| number_of(item, BY));
    let known = histories.iter().filter_map(|(key, history)| {
        let state = state(key);
        Some(violation(*key, state, &history.fault(state)?))
    });
    let strangers = found.keys().filter(|key| !histories.contains_key(key));
    let strange = |key: &Key| Violation::half_applied(format!("{key} is there, nobody has put it"));
    known.chain(strangers.map(strange)).collect()
}

fn violation(key: Key, found: State, fault: &Fault) -> Violation {
    let found = match found {
        Some(write) => format!("what write {write} left"),
        None => "nothing".to_owned(),
    };
    match fault {
        Fault::LostPut(write) => {
            Violation::lost(format!("{key}: write {write} was acknowledged, {found} is there"))
        }
        Fault::Resurrected(_) => {
            Violation::lost(format!("{key}: the item was deleted, {found} is there"))
        }
        Fault::Unknown(_) => {
            Violation::half_applied(format!("{key}: {found} is there, which nobody has put"))
        }
    }
}

#[cfg(test)]
#[path = "check_tests.rs"]
mod tests;

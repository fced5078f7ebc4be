//! Holds the records of a stream against what was there before, what clients know they did, and
//! what is there at the end. Pure: others do the reads, so that tests can show it a stream that is
//! wrong.

use super::{
    belief::{Belief, Beliefs, shown},
    deed::{Deed, Outcome},
    matching,
    record::{Event, Record, View},
    span::Span,
    table::{EXPIRES, Item, Items, Key, number_of},
};
use crate::outage::Violation;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// A stream, or what came of it since the last check.
pub struct Reading<'a> {
    /// What it shows.
    pub view: View,
    /// Its records, each item's in their order.
    pub records: &'a [Record],
    /// What was there before the first of them.
    pub base: &'a Beliefs,
    /// What clients did meanwhile.
    pub deeds: &'a [Deed],
    /// When the stream was on.
    pub span: Span,
    /// What was there at the end, or a little before it with nobody but the service deleting items
    /// since; none if nobody looked.
    pub end: Option<&'a Items>,
}

/// What came of a check.
#[derive(Debug, Default)]
pub struct Verdict {
    /// What is wrong.
    pub violations: Vec<Violation>,
    /// What is there after the last record.
    pub end: Beliefs,
    /// The writes that have a record.
    pub made: HashSet<u64>,
    /// Records of items that expired.
    pub expired: u64,
}

/// One item's part of a reading.
pub struct Line<'a> {
    /// The item's key.
    pub key: Key,
    /// What the stream shows.
    pub view: View,
    /// When it was on.
    pub span: Span,
    /// The item's records.
    pub records: Vec<&'a Record>,
    /// What clients did to it.
    pub deeds: Vec<&'a Deed>,
    /// What was there before each record, and after the last.
    pub states: Vec<Belief>,
    /// What was there at the end, if somebody looked.
    pub end: Option<Option<&'a Item>>,
}

/// Looks for everything that is wrong.
pub fn check(reading: &Reading<'_>) -> Verdict {
    let mut records: BTreeMap<Key, Vec<&Record>> = BTreeMap::new();
    for record in reading.records {
        records.entry(record.key).or_default().push(record);
    }
    let mut deeds: BTreeMap<Key, Vec<&Deed>> = BTreeMap::new();
    for deed in reading.deeds {
        deeds.entry(deed.key).or_default().push(deed);
    }
    let mut keys: BTreeSet<Key> = reading.base.keys().copied().collect();
    keys.extend(records.keys().chain(deeds.keys()));
    keys.extend(reading.end.iter().flat_map(|items| items.keys()));
    let mut verdict = Verdict::default();
    for key in keys {
        let records = records.remove(&key).unwrap_or_default();
        verdict.expired += records.iter().filter(|record| record.by_service).count() as u64;
        let base = reading.base.get(&key).cloned().unwrap_or(Belief::Absent);
        let (states, wrong) = replay(reading.view, base, &records);
        verdict.violations.extend(wrong);
        let line = Line {
            key,
            view: reading.view,
            span: reading.span,
            records,
            deeds: deeds.remove(&key).unwrap_or_default(),
            states,
            end: reading.end.map(|items| items.get(&key)),
        };
        matching::check(&line, &mut verdict);
        let end = ending(&line, &mut verdict.violations);
        if end != Belief::Absent {
            verdict.end.insert(key, end);
        }
    }
    if reading.view.shows_new() {
        verdict.violations.extend(whole_transactions(reading.deeds, &verdict.made));
    }
    verdict
}

/// Follows an item through its records: what was there before each of them and after the last, and
/// what does not fit.
fn replay(view: View, base: Belief, records: &[&Record]) -> (Vec<Belief>, Vec<Violation>) {
    let mut violations = Vec::new();
    let mut state = base;
    let mut states = vec![state.clone()];
    for record in records {
        let mut wrong = |text: String| {
            violations.push(Violation::inconsistent(format!("{record}: {text}")));
        };
        let fits = match record.event {
            Event::Insert => state.may_be_absent(),
            Event::Modify | Event::Remove => state.may_be_there(),
        };
        if !fits {
            wrong(format!("there was {state}"));
        }
        if let Some(old) = &record.old
            && fits
            && !state.may_be(old)
        {
            wrong(format!("the old image is {}, but there was {state}", shown(old)));
        }
        let old = match (&record.old, &state) {
            (Some(old), _) | (None, Belief::Is(old) | Belief::IsOrExpired(old)) => Some(old),
            _ => None,
        };
        if record.event == Event::Modify && old.is_some() && old == record.new.as_ref() {
            wrong("nothing was changed".to_owned());
        }
        if record.by_service {
            let due = old.map(|old| number_of(old, EXPIRES));
            if record.event != Event::Remove {
                wrong("the service only deletes".to_owned());
            } else if due.is_some_and(|due| due.is_none_or(|due| due > record.created)) {
                wrong(format!("it was due at {due:?}, not by {}", record.created));
            }
        }
        state = match (&record.new, record.event) {
            (_, Event::Remove) => Belief::Absent,
            (Some(new), _) if view.shows_new() => Belief::Is(new.clone()),
            _ => Belief::There,
        };
        states.push(state.clone());
    }
    (states, violations)
}

/// Holds the last state of an item against what was found. Gives what is known in the end.
fn ending(line: &Line<'_>, violations: &mut Vec<Violation>) -> Belief {
    let state = line.states.last().cloned().unwrap_or(Belief::Absent);
    let Some(found) = line.end else { return state };
    let key = line.key;
    match (found, &state) {
        (None, state) if state.may_be_absent() => Belief::Absent,
        (None, state) => {
            let text = format!("{key} is not there, but the stream says {state}");
            violations.push(Violation::lost(text));
            Belief::Absent
        }
        // Nobody writes after the look, but what expires goes.
        (Some(item), Belief::Absent) => {
            let last = line.records.last().filter(|record| record.by_service);
            if last.is_none_or(|last| last.old.as_ref().is_some_and(|old| old != item)) {
                let text = format!("{key} is {}, but the stream says nothing", shown(item));
                violations.push(Violation::inconsistent(text));
            }
            Belief::Absent
        }
        (Some(item), state) => {
            if !state.may_be(item) {
                let text = format!("{key} is {}, but the stream says {state}", shown(item));
                violations.push(Violation::inconsistent(text));
            }
            Belief::Is(item.clone())
        }
    }
}

/// A transaction without an answer has the records of all its writes or of none. One that was
/// acknowledged has all; that is looked at elsewhere.
fn whole_transactions(deeds: &[Deed], made: &HashSet<u64>) -> Vec<Violation> {
    let mut parts: BTreeMap<u64, Vec<&Deed>> = BTreeMap::new();
    for deed in deeds.iter().filter(|deed| deed.transaction) {
        // A record may be of another delete.
        if deed.outcome == Outcome::Unanswered && deed.signs() {
            parts.entry(deed.request).or_default().push(deed);
        }
    }
    let mut violations = Vec::new();
    for parts in parts.values() {
        let (there, missing): (Vec<&Deed>, Vec<&Deed>) =
            parts.iter().copied().partition(|deed| made.contains(&deed.id));
        if let (Some(there), Some(missing)) = (there.first(), missing.first()) {
            let text = format!("a transaction's {there} has a record, its {missing} has none");
            violations.push(Violation::half_applied(text));
        }
    }
    violations
}

#[cfg(test)]
#[path = "check_tests.rs"]
mod tests;

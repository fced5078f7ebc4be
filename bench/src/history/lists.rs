//! Strict serializability of transactions that append to lists and read them, in the manner of
//! Elle: the longest list that was read of a key gives the order of all appends to it, and from that
//! follows which transaction must come before which. Pure.

use super::graph::{Edge, Graph, Relation};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    fmt,
};

/// A list's name.
pub type Key = u32;
/// What is appended. No value is appended twice in a history.
pub type Value = u64;

/// How a transaction ended for its client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It was done.
    Done,
    /// It was not done.
    Refused,
    /// There was no answer.
    Unknown,
}

/// A list as it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Read {
    /// Which.
    pub key: Key,
    /// What it held.
    pub list: Vec<Value>,
    /// Whether that is with what the transaction itself has appended.
    pub own: bool,
}

/// A transaction and its time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transaction {
    /// Who sent it.
    pub client: u32,
    /// What it was, for people.
    pub name: &'static str,
    /// When it was sent.
    pub invoked: u64,
    /// When its answer came.
    pub completed: Option<u64>,
    /// How it ended.
    pub outcome: Outcome,
    /// What it appends, once a key.
    pub appends: Vec<(Key, Vec<Value>)>,
    /// What it found.
    pub reads: Vec<Read>,
}

/// Something that must not be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anomaly {
    /// Its name.
    pub name: &'static str,
    /// What it is here.
    pub text: String,
}

impl fmt::Display for Transaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = super::interval(self.invoked, self.completed);
        write!(f, "client {} {time} {} {:?}", self.client, self.name, self.outcome)?;
        for (key, values) in &self.appends {
            write!(f, ", append {values:?} to {key}")?;
        }
        for read in &self.reads {
            write!(f, ", {} holds {:?}", read.key, read.list)?;
        }
        Ok(())
    }
}

/// A list that was read.
struct Found<'a> {
    reader: usize,
    key: Key,
    /// As it was before the reader's own append.
    list: &'a [Value],
    /// As it was found.
    whole: &'a [Value],
}

/// Looks for anomalies. All lists are empty at first.
pub fn check(transactions: &[Transaction]) -> Vec<Anomaly> {
    let mut anomalies = Vec::new();
    let mut writers: HashMap<(Key, Value), usize> = HashMap::new();
    for (index, transaction) in transactions.iter().enumerate() {
        for (key, values) in &transaction.appends {
            writers.extend(values.iter().map(|&value| ((*key, value), index)));
        }
    }
    let found = read_lists(transactions, &mut anomalies);
    let mut seen = HashSet::new();
    for found in &found {
        look_at(found, transactions, &writers, &mut anomalies);
        seen.extend(found.whole.iter().map(|&value| (found.key, value)));
    }
    lost(transactions, &seen, &found, &mut anomalies);
    let orders = orders(transactions, &found, &mut anomalies);
    // Without an order of appends there is no order of transactions.
    if anomalies.is_empty() {
        let graph = relate(transactions, &writers, &found, &orders);
        anomalies.extend(graph.anomaly(transactions));
    }
    anomalies
}

/// The lists of all reads, without what a reader has appended itself.
fn read_lists<'a>(transactions: &'a [Transaction], anomalies: &mut Vec<Anomaly>) -> Vec<Found<'a>> {
    let mut all = Vec::new();
    for (reader, transaction) in transactions.iter().enumerate() {
        for read in &transaction.reads {
            let own = transaction.appends.iter().find(|(key, _)| read.own && *key == read.key);
            let own = own.map(|(_, values)| values.as_slice()).unwrap_or_default();
            match read.list.strip_suffix(own) {
                Some(list) => {
                    all.push(Found { reader, key: read.key, list, whole: &read.list });
                }
                None => anomalies.push(Anomaly {
                    name: "internal",
                    text: format!("does not find its own append at the end: {transaction}"),
                }),
            }
        }
    }
    all
}

/// What is wrong with one list on its own.
fn look_at(
    found: &Found<'_>,
    transactions: &[Transaction],
    writers: &HashMap<(Key, Value), usize>,
    anomalies: &mut Vec<Anomaly>,
) {
    let Some(reader) = transactions.get(found.reader) else {
        return;
    };
    let mut wrong =
        |name, text: String| anomalies.push(Anomaly { name, text: format!("{text}: {reader}") });
    let mut values = BTreeSet::new();
    for (place, &value) in found.list.iter().enumerate() {
        if !values.insert(value) {
            wrong("duplicated append", format!("{value} is twice in {}", found.key));
        }
        let writer = writers.get(&(found.key, value)).and_then(|&index| transactions.get(index));
        let Some(writer) = writer else {
            wrong("garbage read", format!("nobody appended {value} to {}", found.key));
            continue;
        };
        if std::ptr::eq(writer, reader) {
            wrong("internal", format!("{value} in {} is its own, before it appended", found.key));
        }
        if writer.outcome == Outcome::Refused {
            wrong("G1a", format!("{value} in {} is of a refused transaction", found.key));
        }
        let own = writer.appends.iter().find(|(key, _)| *key == found.key);
        let own = own.map(|(_, values)| values.as_slice()).unwrap_or_default();
        let mut pairs = own.windows(2);
        let before = pairs.find_map(|pair| match pair {
            [before, after] => (*after == value).then_some(before),
            _ => None,
        });
        if before.is_some() && before != place.checked_sub(1).and_then(|p| found.list.get(p)) {
            wrong("torn append", format!("{value} in {} does not follow {before:?}", found.key));
        }
        let last = own.last();
        if place + 1 == found.list.len() && last != Some(&value) {
            wrong("G1b", format!("{value} in {} is the middle of an append", found.key));
        }
    }
}

/// Acknowledged appends that nobody finds, though somebody looked later.
fn lost(
    transactions: &[Transaction],
    seen: &HashSet<(Key, Value)>,
    found: &[Found<'_>],
    anomalies: &mut Vec<Anomaly>,
) {
    for transaction in transactions.iter().filter(|t| t.outcome == Outcome::Done) {
        for (key, values) in &transaction.appends {
            let missing = values.iter().find(|&&value| !seen.contains(&(*key, value)));
            let looked = found.iter().any(|found| {
                let reader = transactions.get(found.reader);
                found.key == *key
                    && reader.is_some_and(|r| transaction.completed.is_some_and(|c| c < r.invoked))
            });
            if let (Some(value), true) = (missing, looked) {
                anomalies.push(Anomaly {
                    name: "lost append",
                    text: format!("{value} is never in {key}: {transaction}"),
                });
            }
        }
    }
}

/// The longest list of each key, of which all others must be the beginning.
fn orders<'a>(
    transactions: &[Transaction],
    found: &[Found<'a>],
    anomalies: &mut Vec<Anomaly>,
) -> BTreeMap<Key, &'a [Value]> {
    let mut longest: BTreeMap<Key, (&[Value], usize)> = BTreeMap::new();
    for found in found {
        let entry = longest.entry(found.key).or_insert((found.whole, found.reader));
        if found.whole.len() > entry.0.len() {
            *entry = (found.whole, found.reader);
        }
    }
    for found in found {
        let Some((list, reader)) = longest.get(&found.key) else {
            continue;
        };
        if !list.starts_with(found.whole)
            && let (Some(one), Some(two)) =
                (transactions.get(found.reader), transactions.get(*reader))
        {
            anomalies.push(Anomaly {
                name: "incompatible order",
                text: format!("{} in two orders:\n    {one}\n    {two}", found.key),
            });
        }
    }
    longest.into_iter().map(|(key, (list, _))| (key, list)).collect()
}

/// Which transaction must come before which.
fn relate(
    transactions: &[Transaction],
    writers: &HashMap<(Key, Value), usize>,
    found: &[Found<'_>],
    orders: &BTreeMap<Key, &[Value]>,
) -> Graph {
    let mut graph = Graph::new(transactions.len());
    let writer = |key: Key, value: &Value| writers.get(&(key, *value)).copied();
    // One without an answer was done if anything of it was seen.
    let observed: HashSet<usize> = orders
        .iter()
        .flat_map(|(&key, order)| order.iter().filter_map(move |value| writer(key, value)))
        .collect();
    let done = |index: usize, t: &Transaction| {
        t.outcome == Outcome::Done || (t.outcome == Outcome::Unknown && observed.contains(&index))
    };
    // Appends that nobody has read come after all that were.
    let mut unread: BTreeMap<Key, Vec<(usize, Value)>> = BTreeMap::new();
    for (index, transaction) in transactions.iter().enumerate().filter(|(i, t)| done(*i, t)) {
        for (key, values) in &transaction.appends {
            let order = orders.get(key).copied().unwrap_or_default();
            if let Some(&value) = values.iter().find(|value| !order.contains(value)) {
                unread.entry(*key).or_default().push((index, value));
            }
        }
    }
    for (&key, order) in orders {
        for pair in order.windows(2) {
            if let [before, after] = pair {
                let edge = Edge { relation: Relation::WriteWrite, key, value: *after };
                graph.add(writer(key, before), writer(key, after), edge);
            }
        }
        for &(index, value) in unread.get(&key).into_iter().flatten() {
            let last = order.last().and_then(|last| writer(key, last));
            let edge = Edge { relation: Relation::WriteWrite, key, value };
            graph.add(last, Some(index), edge);
        }
    }
    for &Found { reader, key, list, .. } in found {
        if let Some(last) = list.last() {
            let edge = Edge { relation: Relation::WriteRead, key, value: *last };
            graph.add(writer(key, last), Some(reader), edge);
        }
        let order = orders.get(&key).copied().unwrap_or_default();
        match order.get(list.len()) {
            Some(&next) => {
                let edge = Edge { relation: Relation::ReadWrite, key, value: next };
                graph.add(Some(reader), writer(key, &next), edge);
            }
            None => {
                for &(index, value) in unread.get(&key).into_iter().flatten() {
                    let edge = Edge { relation: Relation::ReadWrite, key, value };
                    graph.add(Some(reader), Some(index), edge);
                }
            }
        }
    }
    let real = |t: &Transaction| t.outcome != Outcome::Refused;
    for (one, before) in transactions.iter().enumerate().filter(|(_, t)| real(t)) {
        for (two, after) in transactions.iter().enumerate().filter(|(_, t)| real(t)) {
            if before.completed.is_some_and(|completed| completed < after.invoked) {
                let edge = Edge { relation: Relation::RealTime, key: 0, value: 0 };
                graph.add(Some(one), Some(two), edge);
            }
        }
    }
    graph
}

#[cfg(test)]
#[path = "lists_tests.rs"]
mod tests;

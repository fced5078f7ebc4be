//! What holds for the shards of a stream, whatever was written: sequence numbers grow, no record is
//! there twice, and an item's records are in one line of shards. Also, that two readings agree.

use super::{
    follow::{Follower, Shard},
    record::{Record, is_before},
    table::Key,
};
use crate::outage::Violation;
use std::collections::{HashMap, HashSet};

/// Everything that is wrong with the shards of a stream.
pub fn check(shards: &[Shard], records: &[Record]) -> Vec<Violation> {
    let mut violations = Vec::new();
    let mut wrong = |text: String| violations.push(Violation::inconsistent(text));
    let places: HashMap<&str, usize> =
        shards.iter().enumerate().map(|(place, shard)| (shard.id.as_str(), place)).collect();
    for shard in shards {
        let Some(parent) = &shard.parent else { continue };
        let parent = places.get(parent.as_str()).and_then(|place| shards.get(*place));
        match parent.map(|parent| &parent.last) {
            None => wrong(format!("the parent of {shard:?} is not there")),
            Some(None) => wrong(format!("the parent of {shard:?} is still open")),
            Some(Some(last)) if is_before(&shard.first, last) => {
                wrong(format!("{shard:?} begins before its parent ends"));
            }
            Some(Some(_)) => {}
        }
    }
    let mut ids = HashSet::new();
    let mut sequences = HashSet::new();
    let mut last_of_shard: HashMap<usize, &str> = HashMap::new();
    let mut shard_of_item: HashMap<Key, usize> = HashMap::new();
    for record in records {
        if !ids.insert(record.id.as_str()) || !sequences.insert(record.sequence.as_str()) {
            wrong(format!("{record} is there twice"));
        }
        if let Some(last) = last_of_shard.insert(record.shard, &record.sequence)
            && !is_before(last, &record.sequence)
        {
            wrong(format!("{record} comes after {last} of the same shard"));
        }
        let Some(shard) = shards.get(record.shard) else {
            wrong(format!("{record} is of no shard"));
            continue;
        };
        let late = shard.last.as_ref().is_some_and(|last| is_before(last, &record.sequence));
        if is_before(&record.sequence, &shard.first) || late {
            wrong(format!("{record} is not within {shard:?}"));
        }
        if let Some(before) = shard_of_item.insert(record.key, record.shard)
            && before != record.shard
            && !descends(shards, &places, record.shard, before)
        {
            wrong(format!("{record} is in a shard that does not follow that of the record before"));
        }
    }
    violations
}

fn descends(
    shards: &[Shard],
    places: &HashMap<&str, usize>,
    child: usize,
    ancestor: usize,
) -> bool {
    let mut place = Some(child);
    // No line is longer than there are shards.
    for _ in 0..=shards.len() {
        if place == Some(ancestor) {
            return true;
        }
        let parent = place.and_then(|place| shards.get(place)?.parent.as_deref());
        place = parent.and_then(|parent| places.get(parent).copied());
    }
    false
}

/// What differs between what was read over time and what a later reading from the beginning found.
/// Shards that are still open may have got more.
pub fn compare(first: &Follower, again: &Follower) -> Vec<Violation> {
    let by_shard = |follower: &Follower| {
        let mut found: HashMap<String, Vec<Record>> = HashMap::new();
        for record in &follower.records {
            if let Some(shard) = follower.shards.get(record.shard) {
                let record = Record { shard: 0, ..record.clone() };
                found.entry(shard.id.clone()).or_default().push(record);
            }
        }
        found
    };
    let (old, mut new) = (by_shard(first), by_shard(again));
    let mut violations = Vec::new();
    for shard in &first.shards {
        let old = old.get(&shard.id).map(Vec::as_slice).unwrap_or_default();
        let new = new.remove(&shard.id).unwrap_or_default();
        let differs = old.iter().zip(&new).find(|(old, new)| old != new);
        let counts = old.len() > new.len() || (shard.finished && old.len() != new.len());
        if differs.is_some() || counts {
            violations.push(Violation::inconsistent(format!(
                "{} of {} had {} records, and has {} when it is read again{}",
                shard.id,
                first.arn,
                old.len(),
                new.len(),
                differs.map_or_else(String::new, |(old, new)| format!(": {old} became {new}"))
            )));
        }
    }
    violations
}

#[cfg(test)]
#[path = "lineage_tests.rs"]
mod tests;

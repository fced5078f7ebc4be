//! Shards that are wrong, and readings that differ.

use super::{
    super::record::{Event, View},
    *,
};
use crate::random::Random;

/// A way to make something wrong, and its name.
type Change<T> = (&'static str, fn(&mut Vec<T>));

/// Two generations of two shards; closed ones end where their children begin.
fn shards() -> Vec<Shard> {
    let shard = |id: &str, parent: Option<&str>, first: &str, last: Option<&str>| {
        Shard::read_to_its_end(id, parent, first, last)
    };
    vec![
        shard("a", None, "100", Some("200")),
        shard("b", None, "100", Some("200")),
        shard("c", Some("a"), "200", None),
        shard("d", Some("b"), "200", None),
    ]
}

fn record(shard: usize, sequence: &str, key: u32) -> Record {
    Record {
        shard,
        id: sequence.to_owned(),
        sequence: sequence.to_owned(),
        event: Event::Modify,
        key: Key(key),
        old: None,
        new: None,
        by_service: false,
        created: 0,
    }
}

fn records() -> Vec<Record> {
    vec![record(0, "110", 1), record(0, "120", 2), record(1, "115", 3), record(2, "201", 1)]
}

#[test]
fn good_shards_are_good() {
    assert!(check(&shards(), &records()).is_empty());
}

#[test]
fn wrong_records_are_seen() {
    let change: [Change<Record>; 6] = [
        ("twice", |records| records.push(records[3].clone())),
        ("swapped", |records| records.swap(0, 1)),
        ("before its shard", |records| records[0].sequence = "90".to_owned()),
        ("behind its shard", |records| records[2].sequence = "300".to_owned()),
        ("in a shard of another line", |records| records[3].shard = 3),
        ("in no shard", |records| records[3].shard = 9),
    ];
    for (name, change) in change {
        let mut records = records();
        change(&mut records);
        assert!(!check(&shards(), &records).is_empty(), "{name}");
    }
}

#[test]
fn wrong_parents_are_seen() {
    let change: [Change<Shard>; 3] = [
        ("a parent that is not there", |shards| shards[2].parent = Some("x".to_owned())),
        ("a parent that is open", |shards| shards[0].last = None),
        ("a parent that ends later", |shards| shards[0].last = Some("210".to_owned())),
    ];
    for (name, change) in change {
        let mut shards = shards();
        change(&mut shards);
        assert!(!check(&shards, &records()).is_empty(), "{name}");
    }
}

#[test]
fn readings_that_differ_are_seen() {
    let follower = |records: Vec<Record>| {
        let mut follower = Follower::new("arn", View::Keys, Random::new(1));
        (follower.shards, follower.records) = (shards(), records);
        follower.shards[2].finished = false;
        follower
    };
    let first = follower(records());
    assert!(compare(&first, &follower(records())).is_empty());
    let mut more = records();
    more.push(record(2, "202", 1));
    assert!(compare(&first, &follower(more)).is_empty(), "an open shard may get more");
    let change: [Change<Record>; 4] = [
        ("less", |records| drop(records.pop())),
        ("more in a closed shard", |records| records.push(record(0, "130", 2))),
        ("another order", |records| records.swap(0, 1)),
        ("another record", |records| records[0].by_service = true),
    ];
    for (name, change) in change {
        let mut records = records();
        change(&mut records);
        assert!(!compare(&first, &follower(records)).is_empty(), "{name}");
    }
}

//! The check must be able to fail: each test shows it a server that broke one promise.

use super::*;
use crate::{
    changes::{
        deed::{Action, Outcome},
        record::Event,
        table::{Item, number},
    },
    outage::Kind,
};

fn item(key: Key, by: u64) -> Item {
    let mut item = key.item();
    item.insert(BY.to_owned(), number(by));
    item
}

fn deed(key: u32, id: u64, put: bool, outcome: Outcome) -> Deed {
    let key = Key(key);
    let action = if put { Action::Put(item(key, id)) } else { Action::Delete };
    Deed {
        id,
        key,
        action,
        expected: None,
        request: id,
        transaction: false,
        sent: id + 1,
        done: id + 2,
        outcome,
        old: None,
    }
}

/// Key 0 was there before, key 1 was put, key 2 put and deleted, key 3 overwritten, key 4 has a put
/// in flight, key 5 has a put that was refused, and key 6 expired.
fn known() -> Histories {
    use Outcome::{Acknowledged, Refused, Unanswered};
    let known = [0, 6].map(|key| (Key(key), Belief::Is(item(Key(key), 5))));
    let deeds = [
        deed(1, 10, true, Acknowledged),
        deed(2, 20, true, Acknowledged),
        deed(2, 30, false, Acknowledged),
        deed(3, 40, true, Acknowledged),
        deed(3, 50, true, Acknowledged),
        deed(4, 60, true, Unanswered),
        deed(5, 70, true, Refused),
    ];
    let expiry = Record {
        shard: 0,
        id: "e".to_owned(),
        sequence: "1".to_owned(),
        event: Event::Remove,
        key: Key(6),
        old: None,
        new: None,
        by_service: true,
        created: 1,
    };
    histories(&Beliefs::from(known), &deeds, &[expiry])
}

fn found(items: &[(u32, u64)]) -> Items {
    items.iter().map(|&(key, by)| (Key(key), item(Key(key), by))).collect()
}

#[test]
fn what_may_be_is_not_complained_about() {
    for items in [
        &[(0, 5), (1, 10), (3, 50)][..],
        &[(0, 5), (1, 10), (3, 50), (4, 60)],
        &[(0, 5), (1, 10), (3, 50), (6, 5)],
    ] {
        let violations = check(&known(), &found(items));
        assert!(violations.is_empty(), "{items:?}: {violations:?}");
    }
}

#[test]
fn each_broken_promise_is_noticed() {
    use Kind::{HalfApplied, Lost};
    for (items, kind, name) in [
        (&[(1, 10), (3, 50)][..], Lost, "an old item is gone"),
        (&[(0, 5), (3, 50)], Lost, "an acknowledged put is gone"),
        (&[(0, 5), (1, 10), (2, 20), (3, 50)], Lost, "a deleted item is back"),
        (&[(0, 5), (1, 10), (3, 40)], Lost, "an overwritten item is back"),
        (&[(0, 5), (1, 10), (3, 50), (4, 61)], HalfApplied, "an item of no write"),
        (&[(0, 5), (1, 10), (3, 50), (5, 70)], HalfApplied, "a refused put is there"),
        (&[(0, 5), (1, 10), (3, 50), (9, 80)], HalfApplied, "an item under another key"),
    ] {
        let violations = check(&known(), &found(items));
        assert_eq!(violations.len(), 1, "{name}: {violations:?}");
        assert_eq!(violations[0].kind, kind, "{name}");
    }
}

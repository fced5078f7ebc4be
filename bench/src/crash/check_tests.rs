//! The checker must be able to fail: each test shows it a server that broke one promise.

use super::{super::history::Write, *};
use crate::outage::Kind;

const SEED: u64 = 11;

const fn key(index: u32) -> Key {
    Key { owner: Some(0), index }
}

fn acknowledged(sent: u64, put: bool) -> Write {
    Write { sent, acknowledged: Some(sent + 1), put }
}

/// Key 0 was put, key 1 put and deleted, key 2 overwritten, key 3 has a put in flight.
fn histories() -> Histories {
    let mut histories = Histories::new();
    let mut note = |index, write| {
        histories.entry(key(index)).or_default().add(write);
    };
    note(0, acknowledged(10, true));
    note(1, acknowledged(20, true));
    note(1, acknowledged(30, false));
    note(2, acknowledged(40, true));
    note(2, acknowledged(50, true));
    note(3, Write { sent: 60, acknowledged: None, put: true });
    histories
}

fn value(index: u32, version: u64) -> Value {
    Item::generate(SEED, key(index), version).value()
}

/// A server with those versions, and counts that fit them.
fn server(versions: [Option<u64>; 4]) -> Observation {
    let mut seen = Observation::default();
    for (index, version) in (0..).zip(versions) {
        let item = version.map(|version| Item::generate(SEED, key(index), version));
        if let Some(item) = &item {
            seen.described.table.add(Some(item.size()));
            let (global, local) = (item.global_entry(), item.local_entry());
            seen.described.global.add(global.as_ref().map(Item::size));
            seen.described.local.add(local.as_ref().map(Item::size));
            seen.scanned.push(item.value());
            seen.scanned_global.extend(global.as_ref().map(Item::value));
            seen.scanned_local.extend(local.as_ref().map(Item::value));
        }
        let json = version.map(|version| value(index, version));
        seen.items.insert(key(index), json);
    }
    seen
}

/// The kinds of what is wrong, and the first text.
fn wrong(seen: &Observation) -> (Vec<Kind>, String) {
    let violations = check(SEED, &histories(), seen).violations;
    let text = violations.first().map(|v| v.text.clone());
    (violations.iter().map(|v| v.kind).collect(), text.unwrap_or_default())
}

#[test]
fn a_server_that_kept_its_promises_passes_with_the_write_in_flight_there_or_not() {
    let without = check(SEED, &histories(), &server([Some(10), None, Some(50), None]));
    assert!(without.violations.is_empty(), "{:?}", without.violations);
    assert_eq!((without.in_flight, without.applied, without.items), (1, 0, 2));
    let with = check(SEED, &histories(), &server([Some(10), None, Some(50), Some(60)]));
    assert!(with.violations.is_empty(), "{:?}", with.violations);
    assert_eq!((with.in_flight, with.applied, with.items), (1, 1, 3));
    assert_eq!(with.states[&key(3)], Some(60));
}

#[test]
fn a_lost_put_is_noticed() {
    let (kinds, text) = wrong(&server([None, None, Some(50), None]));
    assert_eq!(kinds, [Kind::Lost]);
    assert_eq!(text, "writer-0/key-0000: put of version 10 was acknowledged, nothing is there");
}

#[test]
fn a_lost_overwrite_is_noticed() {
    let (kinds, text) = wrong(&server([Some(10), None, Some(40), None]));
    assert_eq!(kinds, [Kind::Lost]);
    assert_eq!(text, "writer-0/key-0002: put of version 50 was acknowledged, version 40 is there");
}

#[test]
fn a_resurrected_delete_is_noticed() {
    let (kinds, text) = wrong(&server([Some(10), Some(20), Some(50), None]));
    assert_eq!(kinds, [Kind::Lost]);
    assert_eq!(text, "writer-0/key-0001: the item was deleted, version 20 is there");
}

#[test]
fn an_item_nobody_put_is_noticed() {
    let (kinds, _) = wrong(&server([Some(10), None, Some(50), Some(61)]));
    assert_eq!(kinds, [Kind::HalfApplied]);
}

#[test]
fn a_torn_item_is_noticed() {
    let torn: [fn(&mut Value); 4] = [
        |item| item["text"]["S"] = "x".into(),
        |item| {
            item.as_object_mut().unwrap().remove("text");
        },
        |item| item["more"] = serde_json::json!({"S": "x"}),
        |item| {
            item.as_object_mut().unwrap().remove(VERSION);
        },
    ];
    for tear in torn {
        let mut seen = server([Some(10), None, Some(50), None]);
        tear(seen.items.get_mut(&key(2)).unwrap().as_mut().unwrap());
        assert_eq!(wrong(&seen).0, [Kind::HalfApplied]);
    }
}

#[test]
fn a_wrong_count_is_noticed() {
    let wrongs: [fn(&mut Contents); 6] = [
        |c| c.table.count += 1,
        |c| c.table.bytes -= 1,
        |c| c.global.count += 1,
        |c| c.global.bytes += 1,
        |c| c.local.count += 1,
        |c| c.local.bytes += 1,
    ];
    for make_wrong in wrongs {
        let mut seen = server([Some(10), None, Some(50), Some(60)]);
        make_wrong(&mut seen.described);
        assert_eq!(wrong(&seen).0, [Kind::HalfApplied]);
    }
}

#[test]
fn an_item_without_its_counts_is_noticed() {
    let mut seen = server([Some(10), None, Some(50), Some(60)]);
    seen.described = server([Some(10), None, Some(50), None]).described;
    assert!(wrong(&seen).0.contains(&Kind::HalfApplied));
}

#[test]
fn what_is_wrong_with_a_scan_is_noticed() {
    type List = fn(&mut Observation) -> &mut Vec<Value>;
    type Wrong = fn(&mut Vec<Value>);
    // Not every item has entries; these make sure that the cases below are about something.
    let whole = server([Some(10), None, Some(50), Some(60)]);
    assert!(!whole.scanned_global.is_empty() && !whole.scanned_local.is_empty());
    let lists: [(&str, List); 3] = [
        ("the table", |seen| &mut seen.scanned),
        ("the global index", |seen| &mut seen.scanned_global),
        ("the local index", |seen| &mut seen.scanned_local),
    ];
    let wrongs: [(&str, Wrong); 4] = [
        ("does not have", |found| {
            found.remove(0);
        }),
        ("for which there is no item", |found| found.push(value(1, 20))),
        ("for which there is no item", |found| found.push(found[0].clone())),
        ("the item makes", |found| found[0]["gsk"] = serde_json::json!({"N": "77"})),
    ];
    for (name, list) in lists {
        for (noticed, make_wrong) in wrongs {
            let mut seen = whole.clone();
            make_wrong(list(&mut seen));
            let (kinds, text) = wrong(&seen);
            assert_eq!(kinds, [Kind::HalfApplied], "{name}: {text}");
            assert!(text.contains(name) && text.contains(noticed), "{text}");
        }
    }
}

#[test]
fn an_index_entry_that_projects_too_much_is_noticed() {
    let mut seen = server([Some(10), None, Some(50), Some(60)]);
    seen.scanned_global[0]["text"] = serde_json::json!({"S": "x"});
    assert_eq!(wrong(&seen).0, [Kind::HalfApplied]);
}

//! The check must be able to fail: each case shows it a server that broke one promise.

use super::{
    super::{clock::Moment, deed::Deed, deed::Ledger},
    *,
};

fn moment(tick: u64) -> Moment {
    // Ten bytes of trace for each tick.
    Moment { tick, at: 10 * tick }
}

fn deed(key: Key, put: bool, sent: u64, acknowledged: Option<u64>) -> Deed {
    Deed { key, put, sent: moment(sent), acknowledged: acknowledged.map(moment) }
}

const ITEM: Key = Key::Shared(1);

fn ledger() -> Ledger {
    let mut ledger = Ledger::default();
    ledger.add(vec![
        deed(Key::Table, true, 1, Some(2)),
        deed(ITEM, true, 3, Some(4)),
        deed(ITEM, true, 5, Some(6)),
        deed(ITEM, false, 7, Some(8)),
    ]);
    ledger
}

fn seen(states: &[(Key, u64)]) -> Seen {
    Seen { states: states.iter().copied().collect() }
}

#[test]
fn what_must_be_there_depends_on_the_place() {
    let ledger = ledger();
    let wrong = |place: u64, states: &[(Key, u64)]| check(&ledger.at(place), &seen(states)).len();
    let table = (Key::Table, 0);
    for (place, states, expected) in [
        (0, &[][..], 0),
        (15, &[], 0),
        (15, &[table], 0),
        (20, &[], 1),
        (20, &[table], 0),
        (25, &[table, (ITEM, 3)], 1),
        (35, &[table, (ITEM, 3)], 0),
        (35, &[table], 0),
        (40, &[table], 1),
        (40, &[table, (ITEM, 3)], 0),
        (55, &[table, (ITEM, 3)], 0),
        (55, &[table, (ITEM, 5)], 0),
        (60, &[table, (ITEM, 3)], 1),
        (75, &[table], 0),
        (75, &[table, (ITEM, 5)], 0),
        (80, &[table, (ITEM, 5)], 1),
        (80, &[table], 0),
    ] {
        assert_eq!(wrong(place, states), expected, "{place} {states:?}");
    }
}

#[test]
fn what_was_read_must_stay() {
    let mut ledger = Ledger::default();
    ledger.add(vec![deed(ITEM, true, 3, None)]);
    ledger.add_reading(moment(10), seen(&[(ITEM, 3)]));
    assert_eq!(check(&ledger.at(99), &seen(&[])).len(), 0);
    assert_eq!(check(&ledger.at(100), &seen(&[])).len(), 1);
    assert_eq!(check(&ledger.at(100), &seen(&[(ITEM, 3)])).len(), 0);
}

#[test]
fn half_a_transaction_is_noticed() {
    let member = |member| Key::Member { group: 2, member };
    let all: Vec<(Key, u64)> = (0..MEMBERS).map(|m| (member(m), 7)).collect();
    assert_eq!(groups(&seen(&all)).len(), 0);
    assert_eq!(groups(&seen(&all[1..])).len(), 1);
    let mut mixed = all.clone();
    mixed[2].1 = 6;
    assert_eq!(groups(&seen(&mixed)).len(), 1);
}

//! The check must be able to fail: each test shows it a table that is not of one piece.

use super::{
    super::index::{BY_GROUP, BY_HITS, BY_WRITE},
    *,
};
use crate::outage::Kind;
use serde_json::json;

fn item(number: u32) -> super::super::table::Item {
    let mut item = Key(number).item();
    item.insert("by".to_owned(), json!({"N": "120"}));
    item.insert("hits".to_owned(), json!({"N": "3"}));
    item.insert("group".to_owned(), json!({"S": "G#1"}));
    item.insert("text".to_owned(), json!({"S": "abc"}));
    item
}

/// Three items, of which one has no group.
fn whole() -> Contents {
    let mut items: Items = (0..3).map(|number| (Key(number), item(number))).collect();
    items.get_mut(&Key(1)).map(|item| item.remove("group"));
    let index = |index: Index| {
        let entries = index.entries(&items);
        let totals = Totals::of(&entries);
        (index.name.to_owned(), entries, totals)
    };
    let indexes = [BY_GROUP, BY_HITS, BY_WRITE].map(index).into();
    Contents { totals: Totals::of(&items), indexes, items }
}

#[test]
fn a_table_of_one_piece_passes() {
    assert!(check("t", &whole()).is_empty());
    let sizes: Vec<usize> = whole().indexes.iter().map(|(_, entries, _)| entries.len()).collect();
    assert_eq!(sizes, [2, 3, 3]);
}

#[test]
fn what_does_not_fit_is_noticed() {
    type Case = (&'static str, fn(&mut Contents));
    let wrong: [Case; 7] = [
        ("an entry is missing", |seen| drop(seen.indexes[0].1.remove(&Key(0)))),
        ("an entry is too many", |seen| drop(seen.indexes[0].1.insert(Key(1), item(1)))),
        ("an entry is old", |seen| {
            seen.indexes[1].1.get_mut(&Key(2)).unwrap()["hits"] = json!({"N": "2"});
        }),
        ("an entry has too much", |seen| drop(seen.indexes[2].1.insert(Key(2), item(2)))),
        ("the count of an index is wrong", |seen| seen.indexes[2].2.count += 1),
        ("the bytes of the table are wrong", |seen| seen.totals.bytes -= 1),
        ("an index has another name", |seen| seen.indexes[2].0.push('x')),
    ];
    for (name, change) in wrong {
        let mut seen = whole();
        change(&mut seen);
        let violations = check("t", &seen);
        assert_eq!(violations.len(), 1, "{name}: {violations:?}");
        assert_eq!(violations[0].kind, Kind::HalfApplied, "{name}");
    }
}

#[test]
fn differences_name_both_sides() {
    let (expected, mut found) = (whole().items, whole().items);
    found.remove(&Key(0));
    found.insert(Key(9), item(9));
    let texts = differences(&expected, &found);
    assert_eq!(texts.len(), 2);
    assert!(texts[0].starts_with("P#0/S#0 is nothing, not {"), "{texts:?}");
    assert!(texts[1].contains(", not nothing"), "{texts:?}");
}

use super::*;
use crate::outage::Kind;
use serde_json::json;

fn item(key: &Key, by: u64) -> Item {
    let mut item = key.item();
    item.insert("by".to_owned(), json!({"N": by.to_string()}));
    item.insert("team".to_owned(), json!({"S": "T#1"}));
    item.insert("rank".to_owned(), json!({"N": "5"}));
    item
}

fn items() -> Items {
    let keys = (0..3).map(|number| Key::new("ALL#", number));
    keys.map(|key| (key.clone(), item(&key, 1))).collect()
}

fn found(items: Items) -> Found {
    let indexes = indexed(&items);
    let counts = [items.len(), indexes[0].len(), indexes[1].len()].map(|count| count as u64);
    Found { items, indexes, counts, bytes: [30, 20, 10] }
}

fn kinds(found: &Found) -> Vec<Kind> {
    compare("it", &items(), Some([30, 20, 10]), found).iter().map(|v| v.kind).collect()
}

#[test]
fn what_is_as_it_was_is_right() {
    assert_eq!(kinds(&found(items())), []);
}

#[test]
fn an_item_that_is_not_there_is_lost() {
    let mut less = items();
    less.remove(&Key::new("ALL#", 1));
    assert_eq!(kinds(&found(less)), [Kind::Lost]);
}

#[test]
fn an_item_of_another_moment_is_inconsistent() {
    let key = Key::new("ALL#", 1);
    let mut other = items();
    other.insert(key.clone(), item(&key, 2));
    assert_eq!(kinds(&found(other)), [Kind::Inconsistent]);
    let mut more = items();
    let key = Key::new("ALL#", 9);
    more.insert(key.clone(), item(&key, 1));
    assert_eq!(kinds(&found(more)), [Kind::Inconsistent]);
}

#[test]
fn an_index_that_does_not_fit_is_half_applied() {
    let key = Key::new("ALL#", 1);
    for place in 0..2 {
        let mut less = found(items());
        less.indexes[place].remove(&key);
        assert_eq!(kinds(&less), [Kind::HalfApplied]);
        let mut other = found(items());
        other.indexes[place].insert(key.clone(), item(&key, 2));
        assert_eq!(kinds(&other), [Kind::HalfApplied]);
    }
}

#[test]
fn a_wrong_count_or_size_is_half_applied() {
    for place in 0..3 {
        let mut counted = found(items());
        counted.counts[place] += 1;
        assert_eq!(kinds(&counted), [Kind::HalfApplied]);
        let mut weighed = found(items());
        weighed.bytes[place] -= 1;
        assert_eq!(kinds(&weighed), [Kind::HalfApplied]);
    }
}

#[test]
fn only_what_is_due_may_have_expired() {
    let due = |second: u64| {
        let key = Key::new("ALL#", 1);
        let mut item = item(&key, 1);
        item.insert(EXPIRES.to_owned(), json!({"N": second.to_string()}));
        Items::from([(key, item)])
    };
    assert!(without_expired(due(7), 7, &Items::new()).is_empty());
    assert_eq!(without_expired(due(7), 7, &due(7)).len(), 1);
    assert_eq!(without_expired(due(8), 7, &Items::new()).len(), 1);
}

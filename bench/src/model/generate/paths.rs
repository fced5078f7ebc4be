//! Random paths, most of which lead somewhere.

use super::values::{ATTRIBUTES, ENTRIES, pick};
use crate::{
    model::{
        path::{Path, Step},
        table::INDEX_KEYS,
        value::{Item, Value},
    },
    random::Random,
};

/// A path to read: also the keys of the table and of the indexes.
pub fn readable(random: &mut Random, item: &Item) -> Path {
    if random.percent(90) {
        return ordinary(random, item);
    }
    let keys = INDEX_KEYS.map(|(name, _, _)| name);
    let [gpk, gsk, lsk] = keys;
    Path::top(pick(random, &["pk", "sk", gpk, gsk, lsk]).copied().unwrap_or("pk"))
}

/// A path to read if there is an item, which then has a key.
pub fn readable_of_item(random: &mut Random, item: &Item) -> Path {
    if item.is_empty() { ordinary(random, item) } else { readable(random, item) }
}

/// A path to attributes that are part of no key.
pub fn ordinary(random: &mut Random, item: &Item) -> Path {
    let there = ATTRIBUTES.iter().filter(|(name, _)| item.contains_key(*name));
    let there: Vec<&str> = there.map(|(name, _)| *name).collect();
    let root = match pick(random, &there) {
        Some(name) if random.percent(60) => name,
        _ => pick(random, &ATTRIBUTES).map_or("n1", |(name, _)| name),
    };
    let mut path = Path::top(root);
    while path.0.len() < 5 {
        let step = match path.get(item) {
            Some(Value::M(map)) if random.percent(70) => name(random, map),
            Some(Value::L(list)) if random.percent(70) => index(random, list.len()),
            Some(Value::M(_)) if random.percent(5) => index(random, 1),
            Some(Value::L(_)) if random.percent(5) => Step::Name("x".to_owned()),
            Some(Value::M(_) | Value::L(_)) => break,
            _ if random.percent(4) => name(random, &Item::new()),
            _ if random.percent(4) => index(random, 2),
            _ => break,
        };
        path.0.push(step);
    }
    path
}

fn name(random: &mut Random, map: &Item) -> Step {
    let names: Vec<&String> = map.keys().collect();
    let name = match pick(random, &names) {
        Some(name) if random.percent(70) => (*name).clone(),
        _ => pick(random, &ENTRIES).copied().unwrap_or("x").to_owned(),
    };
    Step::Name(name)
}

/// At times one beyond the end, and at times far beyond.
fn index(random: &mut Random, length: usize) -> Step {
    let beyond = if random.percent(10) { 20 } else { 1 };
    Step::Index(random.between(0, length as u64 + beyond) as usize)
}

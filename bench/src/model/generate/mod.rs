//! Random operations on an item that is known.

mod conditions;
mod paths;
mod updates;
mod values;

use super::{
    capacity::Detail,
    operation::{Deed, Operation, Returned},
    table::INDEX_KEYS,
    value::{Item, Kind, Value, item_size},
};
use crate::random::Random;
use values::{ATTRIBUTES, kind, pick, value};

/// Items stay below this, so that a million operations take minutes.
const LARGEST_ITEM: u64 = 8 * 1024;
/// Lists and maps nest no deeper, far below what is allowed.
const DEEPEST: usize = 6;
/// Attempts to find an operation whose result is small enough.
const MOST_ATTEMPTS: usize = 20;

/// An operation on the item of a key, which has that value or is not there.
pub fn operation(random: &mut Random, key: &Item, before: Option<&Item>) -> Operation {
    for _ in 0..MOST_ATTEMPTS {
        let operation = attempt(random, key, before);
        let small = |item: &Item| {
            item_size(item) <= LARGEST_ITEM && item.values().all(|v| v.depth() <= DEEPEST)
        };
        if operation.predict(before).after.as_ref().is_none_or(small) {
            return operation;
        }
    }
    plain(key, Deed::Delete)
}

fn plain(key: &Item, deed: Deed) -> Operation {
    Operation {
        key: key.clone(),
        deed,
        condition: None,
        returned: Returned::None,
        item_on_failure: false,
        cost: None,
    }
}

fn attempt(random: &mut Random, key: &Item, before: Option<&Item>) -> Operation {
    let empty = Item::new();
    let item = before.unwrap_or(&empty);
    let deed = match random.between(0, 100) {
        0..12 => {
            return Operation { cost: detail(random), ..plain(key, get(random, item)) };
        }
        12..32 => Deed::Put(put(random, key)),
        32..90 => Deed::Update(updates::update(random, item)),
        _ => Deed::Delete,
    };
    let returned: &[Returned] = match deed {
        Deed::Update(_) => &[
            Returned::None,
            Returned::AllOld,
            Returned::UpdatedOld,
            Returned::AllNew,
            Returned::UpdatedNew,
        ],
        _ => &[Returned::None, Returned::AllOld],
    };
    Operation {
        condition: random.percent(60).then(|| conditions::condition(random, item, 0)),
        returned: pick(random, returned).copied().unwrap_or(Returned::None),
        item_on_failure: random.percent(40),
        cost: detail(random),
        ..plain(key, deed)
    }
}

fn detail(random: &mut Random) -> Option<Detail> {
    match random.between(0, 10) {
        0 => Some(Detail::Total),
        1..4 => Some(Detail::Indexes),
        _ => None,
    }
}

fn get(random: &mut Random, item: &Item) -> Deed {
    let mut projection = Vec::new();
    if random.percent(50) {
        for _ in 0..random.between(1, 6) {
            let path = paths::readable(random, item);
            if projection.iter().all(|other| !path.clashes(other)) {
                projection.push(path);
            }
        }
    }
    Deed::Get { projection, consistent: random.percent(50) }
}

fn put(random: &mut Random, key: &Item) -> Item {
    let mut item = key.clone();
    for (name, mostly) in ATTRIBUTES {
        if random.percent(45) {
            let kind = kind(random, Some(mostly));
            item.insert(name.to_owned(), value(random, kind));
        }
    }
    // One fault at most: which of two is reported is written nowhere.
    let mut faulty = random.percent(2);
    for (name, of, _) in INDEX_KEYS {
        if random.percent(65) {
            let kind = if faulty { kind(random, None) } else { of };
            let mut value = value(random, kind);
            if value == Value::S(String::new()) && (of == Kind::S && !faulty) {
                value = Value::S("g".to_owned());
            }
            item.insert(name.to_owned(), value);
            faulty = false;
        }
    }
    item
}

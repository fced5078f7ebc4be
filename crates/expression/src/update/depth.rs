//! How deep items nest.

use value::{Item, MAX_DEPTH, Value};

/// Lists and maps that may stand inside each other below an item, which is the first level itself.
const MAX_CONTAINERS: usize = MAX_DEPTH - 1;

/// Whether an item nests deeper than allowed.
pub fn depth_exceeded(item: &Item) -> bool {
    item.values().any(|value| exceeds(value, MAX_CONTAINERS))
}

/// Whether a value nests too deep for a place that many containers below the item.
pub(super) fn exceeds_below(value: &Value, containers: usize) -> bool {
    match MAX_CONTAINERS.checked_sub(containers) {
        Some(allowed) => exceeds(value, allowed),
        None => true,
    }
}

fn exceeds(value: &Value, allowed: usize) -> bool {
    let below = match (value, allowed.checked_sub(1)) {
        (Value::L(_) | Value::M(_), None) => return true,
        (_, below) => below.unwrap_or_default(),
    };
    match value {
        Value::L(elements) => elements.iter().any(|element| exceeds(element, below)),
        Value::M(entries) => entries.values().any(|entry| exceeds(entry, below)),
        _ => false,
    }
}

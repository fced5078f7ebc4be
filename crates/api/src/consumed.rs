//! `ConsumedCapacity`, as much of it as was asked for.

use crate::wire::{Capacity, ConsumedCapacity, Double, ReturnConsumedCapacity};
use engine::items;
use std::collections::BTreeMap;

/// The answer's `ConsumedCapacity`; `table` is the name the request gave.
pub(crate) fn consumed(
    wanted: Option<&ReturnConsumedCapacity>,
    table: &str,
    units: &items::Capacity,
) -> Option<ConsumedCapacity> {
    let by_index = match wanted {
        Some(ReturnConsumedCapacity::Indexes) => true,
        Some(ReturnConsumedCapacity::Total) => false,
        _ => return None,
    };
    let mut consumed = ConsumedCapacity {
        table_name: Some(table.to_owned()),
        capacity_units: Some(Double(units.total())),
        ..ConsumedCapacity::default()
    };
    if by_index {
        consumed.table = Some(capacity(units.table));
        consumed.local_secondary_indexes = indexes(&units.locals);
        consumed.global_secondary_indexes = indexes(&units.globals);
    }
    Some(consumed)
}

/// Which units a transaction consumed; AWS names them there.
#[derive(Clone, Copy)]
pub(crate) enum Units {
    Read,
    Write,
}

/// The `ConsumedCapacity` of a transaction, with its units by name.
pub(crate) fn consumed_in_transaction(
    wanted: Option<&ReturnConsumedCapacity>,
    table: &str,
    units: &items::Capacity,
    kind: Units,
) -> Option<ConsumedCapacity> {
    let mut consumed = consumed(wanted, table, units)?;
    let name = |capacity: &mut Capacity| match kind {
        Units::Read => capacity.read_capacity_units = capacity.capacity_units,
        Units::Write => capacity.write_capacity_units = capacity.capacity_units,
    };
    match kind {
        Units::Read => consumed.read_capacity_units = consumed.capacity_units,
        Units::Write => consumed.write_capacity_units = consumed.capacity_units,
    }
    consumed.table.iter_mut().for_each(name);
    let indexes = [&mut consumed.local_secondary_indexes, &mut consumed.global_secondary_indexes];
    indexes.into_iter().flatten().flat_map(BTreeMap::values_mut).for_each(name);
    Some(consumed)
}

fn capacity(units: f64) -> Capacity {
    Capacity { capacity_units: Some(Double(units)), ..Capacity::default() }
}

/// An untouched index has no entry, and an empty map is left out.
fn indexes(units: &BTreeMap<String, f64>) -> Option<BTreeMap<String, Capacity>> {
    let map: BTreeMap<_, _> =
        units.iter().map(|(name, units)| (name.clone(), capacity(*units))).collect();
    (!map.is_empty()).then_some(map)
}

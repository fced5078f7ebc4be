//! The places of a trace at which the power fails.

use super::run::Written;
use crate::{disk::Record, random::Random};

/// Chooses places: many about syncs, changes of names and readings, where most can go wrong. Gives how many records come
/// before each, in order.
pub fn choose(written: &Written, count: u32, random: &mut Random) -> Vec<usize> {
    let Written { trace, ledger } = written;
    let all = trace.records.len();
    let find = |wanted: fn(&Record) -> bool| -> Vec<usize> {
        let records = trace.records.iter().enumerate();
        records.filter(|(_, (record, _))| wanted(record)).map(|(place, _)| place).collect()
    };
    let names = find(|record| {
        matches!(
            record,
            Record::Created { .. }
                | Record::Renamed { .. }
                | Record::Unlinked { .. }
                | Record::Made { .. }
                | Record::Removed { .. }
                | Record::Truncated { .. }
        )
    });
    let syncs = find(|record| matches!(record, Record::Synced { .. }));
    // What a server has shown after a kill must not go away.
    let readings: Vec<usize> = ledger.readings().map(|at| trace.records_by(at)).collect();
    let mut places: Vec<usize> = (0..count)
        .map(|_| {
            let pick = |from: &[usize], random: &mut Random| {
                from.get(random.between(0, from.len() as u64) as usize).copied().unwrap_or(all)
            };
            match random.between(0, 100) {
                0..45 => pick(&names, random) + random.between(0, 5) as usize,
                45..65 => pick(&syncs, random),
                65..75 => pick(&syncs, random) + 1,
                75..85 => pick(&readings, random) + random.between(0, 3) as usize,
                _ => random.between(0, all as u64 + 1) as usize,
            }
            .min(all)
        })
        .collect();
    places.sort_unstable();
    places
}

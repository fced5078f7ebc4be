//! What the server promises however much it is asked for.

use super::campaign::latencies;
use crate::{
    good::{Fare, LENIENCE},
    histogram::Histogram,
};
use std::time::Duration;

/// Its resident memory.
const MEMORY: u64 = 2560 << 20;
/// The longest that a write takes that is accepted, with 2 s before it is let in.
const LONGEST_WRITE: Duration = Duration::from_secs(15);
/// From the end of the load to a write that is answered.
const RECOVERY: Duration = Duration::from_secs(5);
/// Reads of single items.
const READ_P99: Duration = Duration::from_secs(1);
const LONGEST_READ: Duration = Duration::from_secs(5);

/// What is wrong with the memory.
pub fn of_memory(most: u64) -> Option<String> {
    (most > MEMORY).then(|| format!("{} MB of memory, above {}", most >> 20, MEMORY >> 20))
}

/// What is wrong with writes that were accepted.
pub fn of_writes(accepted: &Histogram) -> Option<String> {
    let longest = accepted.permille(1000);
    (longest > LONGEST_WRITE * LENIENCE)
        .then(|| format!("accepted writes: {}", latencies(accepted)))
}

/// What is wrong with the first write after the load.
pub fn of_recovery(took: Duration) -> Option<String> {
    (took > RECOVERY).then(|| format!("the first write after the load took {took:.1?}"))
}

/// What is wrong with reads of single items beside it all. Writes of good clients may be refused as
/// those of others.
pub fn of_reads(when: &str, fare: &Fare) -> Vec<String> {
    let served = &fare.get;
    let mut complaints: Vec<String> = served.complaints.clone();
    complaints.extend(fare.put.complaints.iter().cloned());
    if served.latencies.count() == 0 {
        complaints.push("no read was answered".to_owned());
    }
    let (p99, longest) = (served.latencies.permille(990), served.latencies.permille(1000));
    if p99 > READ_P99 * LENIENCE || longest > LONGEST_READ * LENIENCE {
        complaints.push(format!("GetItem: {}", latencies(&served.latencies)));
    }
    complaints.into_iter().map(|text| format!("{when}: {text}")).collect()
}

//! What the server promises whatever clients do.

use crate::{
    Failure,
    good::{Fare, LENIENCE, Served},
    watched,
};
use std::time::Duration;

/// The resident memory of the server.
pub const MEMORY: u64 = 2 << 30;
/// Latencies of good clients, on a machine that clients and server share.
const P99: Duration = Duration::from_millis(1_000);
const LONGEST: Duration = Duration::from_secs(5);
/// Sockets that may be left when all clients have gone.
const SOCKETS: u64 = 8;
const SOCKET_PATIENCE: Duration = Duration::from_secs(15);

/// What is wrong with how good clients fared.
pub fn of_fare(when: &str, fare: &Fare) -> Vec<String> {
    let mut complaints = of_served(&format!("{when}, GetItem"), &fare.get);
    complaints.extend(of_served(&format!("{when}, PutItem"), &fare.put));
    complaints
}

fn of_served(when: &str, served: &Served) -> Vec<String> {
    let mut complaints = served.complaints.clone();
    if served.latencies.count() == 0 {
        complaints.push("nothing was answered".to_owned());
    }
    if served.throttled > 0 {
        complaints.push(format!("{} good requests were refused", served.throttled));
    }
    for (name, permille, bound) in [("p99", 990, P99), ("the longest", 1000, LONGEST)] {
        let latency = served.latencies.permille(permille);
        if latency > bound * LENIENCE {
            complaints.push(format!("{name} is {latency:.1?}, above {bound:?}"));
        }
    }
    complaints.into_iter().map(|text| format!("{when}: {text}")).collect()
}

/// What is wrong with the server's memory.
pub fn of_memory(most: u64) -> Option<String> {
    let mebibytes = |bytes: u64| bytes >> 20;
    (most > MEMORY)
        .then(|| format!("{} MB of memory, above {}", mebibytes(most), mebibytes(MEMORY)))
}

/// Whether sockets come back when all clients have gone.
pub fn of_sockets(process: u32, before: u64) -> Result<Option<String>, Failure> {
    let bound = before + SOCKETS;
    let there = watched::sockets_back(process, bound, SOCKET_PATIENCE)?;
    Ok((there > bound).then(|| format!("{there} sockets are left open, {before} were before")))
}

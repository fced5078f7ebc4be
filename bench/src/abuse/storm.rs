//! Everything at once: spoilt requests, a crowd of clients that hold on, and misused HTTP/2, while
//! good clients go on.

use super::{
    crowd::{self, Plan},
    http2::{self, Abuse},
    requests::Requests,
    sender::{self, Tally},
};
use crate::{Failure, dynamo::send, http::Connection, http::Endpoint, random::Random};
use std::{
    sync::atomic::{AtomicBool, AtomicI64, Ordering},
    thread,
    time::Duration,
};

/// Items of this many bytes, together as many as one answer can hold.
const LARGE_BYTES: usize = 390_000;
const LARGE_ITEMS: usize = 40;
/// Between two connections of HTTP/2.
const PAUSE: Duration = Duration::from_millis(20);

/// How much of everything.
pub struct Strength {
    /// Spoilt requests.
    pub requests: u64,
    /// Clients that send them.
    pub clients: u32,
    /// Clients of every manner that hold on.
    pub crowd: usize,
    /// Decides what is sent.
    pub seed: u64,
}

/// What came of it.
pub struct Aftermath {
    /// Of the spoilt requests.
    pub tally: Tally,
    /// Of the crowd.
    pub crowd: crowd::Outcome,
    /// Connections of HTTP/2 that were misused.
    pub http2: u64,
    /// What should not be, beyond that.
    pub complaints: Vec<String>,
}

/// Puts items that make for a large answer, and gives the request for it.
pub fn prepare(connection: &mut Connection) -> Result<String, Failure> {
    let mut keys = Vec::new();
    let mut text = String::new();
    Random::new(3).letters(LARGE_BYTES, &mut text);
    for number in 0..LARGE_ITEMS {
        let key = format!(r#""pk":{{"S":"large{number}"}},"sk":{{"S":"s"}}"#);
        let put = format!(r#"{{"TableName":"abuse","Item":{{{key},"text":{{"S":"{text}"}}}}}}"#);
        send(connection, "PutItem", &put)?;
        keys.push(format!("{{{key}}}"));
    }
    Ok(format!(r#"{{"RequestItems":{{"abuse":{{"Keys":[{}]}}}}}}"#, keys.join(",")))
}

/// Lets it all loose.
pub fn run(
    endpoint: &Endpoint,
    requests: &Requests,
    large: &str,
    strength: &Strength,
) -> Aftermath {
    let left = AtomicI64::new(i64::try_from(strength.requests).unwrap_or(i64::MAX));
    let stop = AtomicBool::new(false);
    let plan = Plan { each: strength.crowd, large: ("BatchGetItem", large) };
    thread::scope(|scope| {
        let crowd = scope.spawn(|| crowd::run(endpoint, &plan, &stop));
        let http2 = scope.spawn(|| misuse(endpoint, strength.seed, &stop));
        let (left, seed) = (&left, strength.seed);
        let senders: Vec<_> = (0..strength.clients)
            .map(|client| {
                let random = Random::stream(seed, u64::from(client) + 10);
                scope.spawn(move || sender::run(endpoint, requests, left, random))
            })
            .collect();
        let mut tally = Tally::default();
        for sender in senders {
            match sender.join() {
                Ok(seen) => tally.add(seen),
                Err(_) => tally.complaints.push("a client panicked".to_owned()),
            }
        }
        stop.store(true, Ordering::Relaxed);
        let (misused, complaints) = http2.join().unwrap_or_default();
        let crowd = crowd.join().unwrap_or_default();
        Aftermath { tally, crowd, http2: misused, complaints }
    })
}

/// Misuses HTTP/2 in every way in turn; each at least once.
fn misuse(endpoint: &Endpoint, seed: u64, stop: &AtomicBool) -> (u64, Vec<String>) {
    let mut random = Random::stream(seed, 2);
    let (mut count, mut complaints) = (0, Vec::new());
    loop {
        for abuse in Abuse::ALL {
            complaints.extend(http2::run(endpoint, abuse, &mut random).err());
            count += 1;
            thread::sleep(PAUSE);
        }
        if stop.load(Ordering::Relaxed) || complaints.len() > 5 {
            return (count, complaints);
        }
    }
}

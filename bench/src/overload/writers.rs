//! More writers than the disk can serve: each sends its next write as soon as the last is answered, and
//! waits a little after a refusal, as SDKs do.

use crate::{
    dynamo::{RequestError, send},
    histogram::Histogram,
    http::{CallError, Connection, Endpoint},
    random::Random,
};
use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

/// An answer that takes longer is none.
const PATIENCE: Duration = Duration::from_secs(60);
/// Thousands of threads are to need little.
const STACK: usize = 128 * 1024;
/// How long a client waits after a refusal.
const BACK_OFF: std::ops::Range<u64> = 100..1_000;

/// The first number of a writer; all have as many digits.
const NUMBER: u64 = 1_000_000;
const ENDING: &str = r#""}}}"#;

/// What writers saw.
#[derive(Debug, Clone)]
pub struct Seen {
    /// Latencies of writes that were made.
    pub accepted: Histogram,
    /// Latencies of refusals.
    pub refused: Histogram,
    /// What should not be.
    pub complaints: Vec<String>,
}

impl Seen {
    fn new() -> Seen {
        Seen { accepted: Histogram::new(), refused: Histogram::new(), complaints: Vec::new() }
    }

    fn merge(&mut self, other: Seen) {
        self.accepted.merge(&other.accepted);
        self.refused.merge(&other.refused);
        self.complaints.extend(other.complaints);
    }
}

/// Lets them write for that long.
pub fn run(endpoint: &Endpoint, count: usize, bytes: usize, time: Duration) -> Seen {
    let stop = AtomicBool::new(false);
    let mut text = String::new();
    Random::new(1).letters(bytes, &mut text);
    let (stop_ref, text) = (&stop, text.as_str());
    thread::scope(|scope| {
        let mut threads = Vec::new();
        let mut whole = Seen::new();
        for writer in 0..count {
            let work = move || write(endpoint, writer, text, stop_ref);
            match thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work) {
                Ok(thread) => threads.push(thread),
                Err(error) => whole.complaints.push(format!("no thread: {error}")),
            }
        }
        thread::sleep(time);
        stop.store(true, Ordering::Relaxed);
        for thread in threads {
            match thread.join() {
                Ok(seen) => whole.merge(seen),
                Err(_) => whole.complaints.push("a writer panicked".to_owned()),
            }
        }
        whole
    })
}

fn write(endpoint: &Endpoint, writer: usize, text: &str, stop: &AtomicBool) -> Seen {
    let mut seen = Seen::new();
    let mut random = Random::stream(9, writer as u64);
    let mut body = format!(
        r#"{{"TableName":"overload","Item":{{"pk":{{"S":"writer{writer}"}},"text":{{"S":"{text}"}},"number":{{"N":"{NUMBER}{ENDING}"#
    );
    let mut kept = None;
    let mut number = NUMBER;
    while !stop.load(Ordering::Relaxed) && seen.complaints.is_empty() {
        let connection = match kept.take() {
            Some(connection) => Ok(connection),
            None => Connection::open(endpoint, PATIENCE),
        };
        let mut connection = match connection {
            Ok(connection) => connection,
            Err(error) => {
                seen.complaints.push(format!("no connection: {error}"));
                break;
            }
        };
        // Another write than the last: what is there already need not be written.
        number += 1;
        body.truncate(body.len() - ENDING.len() - number.to_string().len());
        body.push_str(&format!("{number}{ENDING}"));
        let started = Instant::now();
        match send(&mut connection, "PutItem", &body) {
            Ok(()) => {
                seen.accepted.record(started.elapsed());
                kept = Some(connection);
            }
            Err(error) if error.is("ThrottlingException") => {
                seen.refused.record(started.elapsed());
                kept = Some(connection);
                thread::sleep(Duration::from_millis(random.between(BACK_OFF.start, BACK_OFF.end)));
            }
            // A body that was slow for want of memory may be cut off; SDKs try again then, too.
            Err(RequestError::Call(CallError::Closed(_))) => {
                seen.refused.record(started.elapsed());
                thread::sleep(Duration::from_millis(random.between(BACK_OFF.start, BACK_OFF.end)));
            }
            Err(error) => seen.complaints.push(format!("PutItem: {error}")),
        }
    }
    seen
}

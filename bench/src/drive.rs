//! One measurement: so many connections, each with one request under way, for so long.

use crate::{
    Failure,
    dynamo::Refusal,
    histogram::Histogram,
    http::{CallError, Connection},
};
use std::{
    sync::Barrier,
    thread,
    time::{Duration, Instant},
};

/// Requests of each connection before it is measured.
const WARM_UP: usize = 20;
/// Requests of one connection, however fast.
const MOST_REQUESTS: usize = 100_000_000;

/// What one round of measuring gave.
#[derive(Clone)]
pub struct Round {
    /// How long it took.
    pub time: Duration,
    /// Latencies of requests that were answered as they should be.
    pub latencies: Histogram,
    /// The others.
    pub errors: u64,
    /// What the first of them was.
    pub first_error: Option<String>,
}

/// Why a request does not count.
pub enum RequestFailure {
    /// There is no answer, and the connection is of no more use.
    Broken(CallError),
    /// The answer is not the one that was asked for.
    Refused(String),
}

/// One connection's work.
pub trait Worker: Send {
    /// Does one request. Preparing it counts as latency, so it should take little.
    fn request(&mut self) -> Result<(), RequestFailure>;
}

/// Sends a request and gives the body of its answer.
pub fn ask<'a>(
    connection: &'a mut Connection,
    operation: &str,
    body: &str,
) -> Result<&'a [u8], RequestFailure> {
    let answer = connection.call(operation, body).map_err(RequestFailure::Broken)?;
    if answer.status == 200 {
        Ok(answer.body)
    } else {
        let refusal = Refusal::read(answer.status, answer.body);
        Err(RequestFailure::Refused(refusal.to_string()))
    }
}

/// Lets all workers send for that long.
pub fn drive<W: Worker>(workers: Vec<W>, time: Duration) -> Result<Round, Failure> {
    let barrier = Barrier::new(workers.len());
    let latencies = Histogram::new();
    let mut whole = Round { time, latencies, errors: 0, first_error: None };
    let parts: Vec<_> = thread::scope(|scope| {
        let (barrier, empty) = (&barrier, &whole);
        let threads: Vec<_> = workers
            .into_iter()
            .map(|worker| scope.spawn(move || run(worker, barrier, empty.clone())))
            .collect();
        threads.into_iter().map(|thread| thread.join()).collect()
    });
    for part in parts {
        let part = part.map_err(|_| "a thread panicked")?;
        whole.time = whole.time.max(part.time);
        whole.latencies.merge(&part.latencies);
        whole.errors += part.errors;
        whole.first_error = whole.first_error.or(part.first_error);
    }
    Ok(whole)
}

fn run<W: Worker>(mut worker: W, barrier: &Barrier, mut round: Round) -> Round {
    let time = round.time;
    for _ in 0..WARM_UP {
        if let Err(failure) = worker.request() {
            round.fail(&failure);
            break;
        }
    }
    barrier.wait();
    let started = Instant::now();
    let mut before = started;
    for _ in 0..MOST_REQUESTS {
        let outcome = worker.request();
        let after = Instant::now();
        match outcome {
            Ok(()) => round.latencies.record(after - before),
            // A connection that is broken stays so; a server that refuses may be asked on.
            Err(failure) => {
                let broken = matches!(failure, RequestFailure::Broken(_));
                round.fail(&failure);
                if broken {
                    break;
                }
            }
        }
        before = after;
        if after - started >= time {
            break;
        }
    }
    round.time = started.elapsed();
    round
}

impl Round {
    fn fail(&mut self, failure: &RequestFailure) {
        self.errors += 1;
        let text = || match failure {
            RequestFailure::Broken(error) => error.to_string(),
            RequestFailure::Refused(text) => text.clone(),
        };
        self.first_error.get_or_insert_with(text);
    }
}

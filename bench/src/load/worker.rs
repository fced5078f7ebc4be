//! One measurement: so many connections, each with one request under way, for so long.

use super::{OperationKind, Plan, Target, table};
use crate::{
    Failure,
    dynamo::Refusal,
    histogram::Histogram,
    http::{CallError, Connection},
    random::Random,
};
use std::{
    sync::{
        Barrier,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// Requests of each connection before it is measured.
const WARM_UP: usize = 20;
/// Requests of one connection, however fast.
const MOST_REQUESTS: usize = 100_000_000;

/// What one round of measuring gave.
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

/// Rounds differ in their keys.
static ROUND: AtomicU64 = AtomicU64::new(0);

/// Measures one operation on one target.
pub fn measure(target: &Target, plan: &Plan, operation: OperationKind) -> Result<Round, Failure> {
    let round = ROUND.fetch_add(1, Ordering::Relaxed);
    let mut workers = Vec::new();
    for number in 0..plan.connections {
        let mut random = Random::stream(round, u64::from(number) + 2);
        workers.push(Worker {
            connection: table::open(target)?,
            value: table::value(&mut random, plan.item_bytes),
            random,
            body: String::new(),
            keys: plan.keys,
            least_answer: match operation {
                OperationKind::Get => plan.item_bytes + 10,
                OperationKind::Put => 0,
            },
            operation,
        });
    }
    let barrier = Barrier::new(workers.len());
    let parts: Vec<_> = thread::scope(|scope| {
        let barrier = &barrier;
        let threads: Vec<_> = workers
            .into_iter()
            .map(|worker| scope.spawn(move || worker.run(barrier, plan.time)))
            .collect();
        threads.into_iter().map(|thread| thread.join()).collect()
    });
    let mut whole =
        Round { time: plan.time, latencies: Histogram::new(), errors: 0, first_error: None };
    for part in parts {
        let part = part.map_err(|_| "a thread panicked")?;
        whole.time = whole.time.max(part.time);
        whole.latencies.merge(&part.latencies);
        whole.errors += part.errors;
        whole.first_error = whole.first_error.or(part.first_error);
    }
    Ok(whole)
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

/// One connection's work.
struct Worker {
    connection: Connection,
    random: Random,
    value: String,
    body: String,
    keys: u64,
    /// A get that finds nothing is answered with less.
    least_answer: usize,
    operation: OperationKind,
}

impl Worker {
    fn run(mut self, barrier: &Barrier, time: Duration) -> Round {
        let mut round = Round { time, latencies: Histogram::new(), errors: 0, first_error: None };
        for _ in 0..WARM_UP {
            if let Err(failure) = self.request() {
                round.fail(&failure);
                break;
            }
        }
        barrier.wait();
        let started = Instant::now();
        let mut before = started;
        for _ in 0..MOST_REQUESTS {
            let outcome = self.request();
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

    /// One request. Preparing it takes far less than a microsecond and counts as latency.
    fn request(&mut self) -> Result<(), RequestFailure> {
        let key = self.random.between(0, self.keys);
        let operation = match self.operation {
            OperationKind::Get => {
                table::get_body(&mut self.body, key);
                "GetItem"
            }
            OperationKind::Put => {
                table::put_body(&mut self.body, key, &self.value);
                "PutItem"
            }
        };
        let answer = self.connection.call(operation, &self.body);
        let answer = answer.map_err(RequestFailure::Broken)?;
        if answer.status != 200 {
            let refusal = Refusal::read(answer.status, answer.body);
            return Err(RequestFailure::Refused(refusal.to_string()));
        }
        if answer.body.len() < self.least_answer {
            return Err(RequestFailure::Refused(format!("key {key} is not there")));
        }
        Ok(())
    }
}

enum RequestFailure {
    Broken(CallError),
    Refused(String),
}

//! Clients that get and put items that stay, all the time, with latencies noted by phase.

use super::{
    connect,
    table::{KEPT, Table, get_body, put_body},
};
use crate::{
    Failure,
    drive::{RequestFailure, ask},
    histogram::Histogram,
    http::{Connection, Endpoint},
    random::Random,
};
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread::{self, JoinHandle},
    time::Instant,
};

/// Connections of each kind: few, since latency is asked for and not capacity.
const CONNECTIONS: u64 = 2;

/// What goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Nothing has expired yet.
    Before,
    /// Expired items are deleted.
    During,
    /// They are gone.
    After,
    /// Nothing that is measured.
    Other,
    /// The end.
    Over,
}

/// Phases that are measured.
pub const MEASURED: [Phase; 3] = [Phase::Before, Phase::During, Phase::After];

/// What the clients of one kind noted.
pub struct Round {
    /// The operation.
    pub operation: &'static str,
    /// The latencies of each phase.
    pub latencies: [Histogram; MEASURED.len()],
    /// Requests without the answer they should have.
    pub errors: u64,
    /// What the first of them was.
    pub first_error: Option<String>,
}

/// Clients at work.
pub struct Foreground {
    phase: Arc<AtomicUsize>,
    threads: Vec<JoinHandle<Round>>,
}

impl Foreground {
    /// Lets them begin.
    pub fn start(endpoint: &Endpoint, table: &Table) -> Result<Foreground, Failure> {
        let phase = Arc::new(AtomicUsize::new(Phase::Other as usize));
        let mut threads = Vec::new();
        for operation in ["GetItem", "PutItem"] {
            for number in 0..CONNECTIONS {
                let client = Client {
                    operation,
                    connection: connect(endpoint)?,
                    random: Random::stream(table.due, number),
                    body: String::new(),
                };
                let phase = Arc::clone(&phase);
                let latencies = [Histogram::new(), Histogram::new(), Histogram::new()];
                threads.push(thread::spawn(move || client.run(&phase, latencies)));
            }
        }
        Ok(Foreground { phase, threads })
    }

    /// From now on it is another phase.
    pub fn enter(&self, phase: Phase) {
        self.phase.store(phase as usize, Ordering::SeqCst);
    }

    /// Ends them; what they noted, by operation.
    pub fn stop(self) -> Result<Vec<Round>, Failure> {
        self.enter(Phase::Over);
        let mut rounds: Vec<Round> = Vec::new();
        for thread in self.threads {
            let part = thread.join().map_err(|_| "a thread panicked")?;
            match rounds.iter_mut().find(|round| round.operation == part.operation) {
                None => rounds.push(part),
                Some(round) => {
                    for (mine, other) in round.latencies.iter_mut().zip(&part.latencies) {
                        mine.merge(other);
                    }
                    round.errors += part.errors;
                    round.first_error = round.first_error.take().or(part.first_error);
                }
            }
        }
        Ok(rounds)
    }
}

struct Client {
    operation: &'static str,
    connection: Connection,
    random: Random,
    body: String,
}

impl Client {
    fn run(mut self, phase: &AtomicUsize, latencies: [Histogram; MEASURED.len()]) -> Round {
        let operation = self.operation;
        let mut round = Round { operation, latencies, errors: 0, first_error: None };
        loop {
            let now = phase.load(Ordering::SeqCst);
            if now == Phase::Over as usize {
                return round;
            }
            let started = Instant::now();
            let failure = match self.request() {
                Ok(()) => {
                    let latency = started.elapsed();
                    if let Some(latencies) = round.latencies.get_mut(now) {
                        latencies.record(latency);
                    }
                    continue;
                }
                Err(failure) => failure,
            };
            round.errors += 1;
            let (text, broken) = match failure {
                RequestFailure::Broken(error) => (error.to_string(), true),
                RequestFailure::Refused(text) => (text, false),
            };
            round.first_error.get_or_insert(text);
            // A connection that is broken stays so.
            if broken {
                return round;
            }
        }
    }

    fn request(&mut self) -> Result<(), RequestFailure> {
        let number = self.random.between(0, KEPT);
        let least = if self.operation == "GetItem" {
            get_body(&mut self.body, number);
            50
        } else {
            put_body(&mut self.body, number, self.random.between(0, 1_000_000));
            0
        };
        let answer = ask(&mut self.connection, self.operation, &self.body)?;
        if answer.len() < least {
            return Err(RequestFailure::Refused(format!("{number} is not there")));
        }
        Ok(())
    }
}

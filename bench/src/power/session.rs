//! The clients of a server from its start to its end.

use crate::{
    disk::Control,
    dynamo::RequestError,
    http::CallError,
    ledger::{Client, Clock, Deed, Ledger, TablesClient},
    monotable::Monotable,
    outage::{PATIENCE, Violation, misbehaved, stop},
    random::Random,
};
use std::{
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

/// The longest that clients write.
const LONGEST: Duration = Duration::from_secs(60);
/// How long a server that has nothing to do is waited for to be killed by a call of its own.
const IDLE: Duration = Duration::from_secs(1);
/// The number of the client that writes one item very often.
const HEATER: u32 = 1000;
/// How often it does so for each write of another client.
const PACE: u64 = 100;

/// How a server ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// By SIGKILL, between two calls.
    Kill,
    /// By SIGTERM.
    Stop,
}

/// A session.
pub struct Session<'a> {
    /// The clock of all clients.
    pub clock: &'a Clock<'a>,
    /// The way to the layer.
    pub control: &'a Control,
    /// Decides what is written.
    pub seed: u64,
    /// How many clients write items.
    pub writers: u32,
    /// How often the item is written that is written very often.
    pub heat: u64,
    /// How many large items are put.
    pub bulk: u64,
    /// Whether there are no tables yet.
    pub first: bool,
}

/// What clients share.
struct State {
    ending: AtomicBool,
    heat: AtomicU64,
}

impl State {
    /// Waits until the item that is written very often has been so often, so that each client gets its share.
    fn wait_for(&self, heat: u64) {
        while self.heat.load(Ordering::SeqCst) < heat && !self.ending.load(Ordering::SeqCst) {
            thread::sleep(Duration::from_micros(500));
        }
    }
}

type Outcome = (Vec<Deed>, Option<String>);

impl Session<'_> {
    /// Writes until the server is ended.
    pub fn run(
        &self,
        mut server: Monotable,
        ending: Ending,
        ledger: &mut Ledger,
    ) -> Result<(), Vec<Violation>> {
        if self.first {
            let mut client = self.client(&server, 0).map_err(misbehaved)?;
            let created = client.create_tables();
            ledger.add(client.take_deeds());
            created.map_err(misbehaved)?;
        }
        let state = State { ending: AtomicBool::new(false), heat: AtomicU64::new(0) };
        let endpoint = server.endpoint.clone();
        let (ended, outcomes) = thread::scope(|scope| {
            let (state, endpoint) = (&state, &endpoint);
            let random = |client| Random::stream(self.seed, u64::from(client));
            let mut clients = Vec::new();
            for writer in 0..self.writers {
                clients.push(scope.spawn(move || {
                    let client = Client::new(self.clock, endpoint, self.seed, writer, PATIENCE);
                    let mut random = random(writer);
                    let mut next = 0;
                    work(state, client, Client::take_deeds, |client| {
                        state.wait_for(next);
                        next += random.between(0, 2 * PACE);
                        client.step()
                    })
                }));
            }
            clients.push(scope.spawn(move || {
                let client = Client::new(self.clock, endpoint, self.seed, HEATER, PATIENCE);
                let mut bulk = 0;
                work(state, client, Client::take_deeds, |client| {
                    let heat = state.heat.fetch_add(1, Ordering::SeqCst);
                    // The large ones are spread over the first half.
                    if bulk < self.bulk && bulk * self.heat < 2 * heat * self.bulk {
                        bulk += 1;
                        client.heat(1 + (bulk % 8) as u32)?;
                    }
                    client.heat(0)
                })
            }));
            clients.push(scope.spawn(move || {
                let client = TablesClient::new(self.clock, endpoint, self.seed, PATIENCE);
                let (mut random, mut next) = (random(HEATER), 0);
                work(state, client, TablesClient::take_deeds, |client| {
                    state.wait_for(next);
                    next += random.between(0, 10 * PACE);
                    client.step()
                })
            }));
            let started = Instant::now();
            while state.heat.load(Ordering::SeqCst) < self.heat && started.elapsed() < LONGEST {
                thread::sleep(Duration::from_millis(2));
                if clients.iter().any(thread::ScopedJoinHandle::is_finished) {
                    break;
                }
            }
            state.ending.store(true, Ordering::SeqCst);
            let ended = self.end(&mut server, ending);
            let joined = clients.into_iter().map(|client| {
                client.join().unwrap_or_else(|_| (Vec::new(), Some("a client panicked".to_owned())))
            });
            (ended, joined.collect::<Vec<Outcome>>())
        });
        let mut violations = ended.err().unwrap_or_default();
        for (deeds, complaint) in outcomes {
            ledger.add(deeds);
            violations.extend(complaint.map(Violation::misbehaved));
        }
        if violations.is_empty() { Ok(()) } else { Err(violations) }
    }

    fn client(&self, server: &Monotable, writer: u32) -> Result<Client<'_>, RequestError> {
        Client::new(self.clock, &server.endpoint, self.seed, writer, PATIENCE)
    }

    fn end(&self, server: &mut Monotable, ending: Ending) -> Result<(), Vec<Violation>> {
        if let Some(status) = server.process.ended().map_err(misbehaved)? {
            return Err(misbehaved(format!("the server ended by itself: {status}")));
        }
        if ending == Ending::Stop {
            return stop(server);
        }
        kill(server, self.control)
    }
}

/// Kills a server between two of its calls, so that the trace has all that it did.
pub fn kill(server: &mut Monotable, control: &Control) -> Result<(), Vec<Violation>> {
    control.kill_at(Some(1)).map_err(misbehaved)?;
    let deadline = Instant::now() + IDLE;
    while server.process.ended().map_err(misbehaved)?.is_none() && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(1));
    }
    server.process.kill().map_err(misbehaved)?;
    control.kill_at(None).map_err(misbehaved)
}

/// Has a client work until the server goes away.
fn work<C>(
    state: &State,
    client: Result<C, RequestError>,
    deeds: impl Fn(C) -> Vec<Deed>,
    mut step: impl FnMut(&mut C) -> Result<(), RequestError>,
) -> Outcome {
    let complaint = |error: &RequestError| {
        let closed = matches!(error, RequestError::Call(CallError::Closed(_)));
        let ending = state.ending.load(Ordering::SeqCst);
        (!(closed && ending)).then(|| error.to_string())
    };
    match client {
        Err(error) => (Vec::new(), complaint(&error)),
        Ok(mut client) => loop {
            if let Err(error) = step(&mut client) {
                return (deeds(client), complaint(&error));
            }
        },
    }
}

//! A client that sends spoilt requests, and sees that each is answered as it should be.

use super::{
    attempt::{self, Kind},
    requests::Requests,
    wire::{Answer, Wire, is_closed},
};
use crate::{dynamo::Refusal, http::Endpoint, random::Random};
use std::{
    collections::BTreeMap,
    io,
    sync::atomic::{AtomicI64, Ordering},
};

/// Requests on a connection at once.
const MOST_TOGETHER: u64 = 8;
/// A client that has seen so much gives up.
const MOST_COMPLAINTS: usize = 5;

/// What clients saw.
#[derive(Debug, Default)]
pub struct Tally {
    /// Requests of every kind.
    pub sent: BTreeMap<Kind, u64>,
    /// Answers by their status; 0 for a connection that ended instead.
    pub answers: BTreeMap<u16, u64>,
    /// What should not be.
    pub complaints: Vec<String>,
}

impl Tally {
    /// How many requests there were.
    pub fn total(&self) -> u64 {
        self.sent.values().sum()
    }

    /// Adds what another client saw.
    pub fn add(&mut self, other: Tally) {
        for (kind, count) in other.sent {
            *self.sent.entry(kind).or_default() += count;
        }
        for (status, count) in other.answers {
            *self.answers.entry(status).or_default() += count;
        }
        self.complaints.extend(other.complaints);
    }
}

/// Sends until no requests are left.
pub fn run(
    endpoint: &Endpoint,
    requests: &Requests,
    left: &AtomicI64,
    mut random: Random,
) -> Tally {
    let mut sender = Sender { endpoint, kept: None, tally: Tally::default() };
    loop {
        let kind = Kind::any(&mut random);
        let together = if kind.is_whole() { random.between(1, MOST_TOGETHER) } else { 1 };
        let taken = i64::try_from(together).unwrap_or(1);
        if left.fetch_sub(taken, Ordering::Relaxed) <= 0 {
            return sender.tally;
        }
        let attempts: Vec<Vec<u8>> =
            (0..together).map(|_| attempt::of(kind, requests, &mut random)).collect();
        *sender.tally.sent.entry(kind).or_default() += together;
        let outcome = if kind.is_whole() {
            sender.together(&attempts, &mut random)
        } else {
            sender.alone(attempts.first().map(Vec::as_slice).unwrap_or_default())
        };
        if let Err(error) = outcome {
            let first = attempts.first().map(|bytes| shown(bytes)).unwrap_or_default();
            sender.complain(format!("{}: {error}, after {first}", kind.name()));
        }
        if sender.tally.complaints.len() >= MOST_COMPLAINTS {
            return sender.tally;
        }
    }
}

struct Sender<'a> {
    endpoint: &'a Endpoint,
    kept: Option<Wire>,
    tally: Tally,
}

impl Sender<'_> {
    /// Whole requests, on a connection that is kept, several before the first is answered.
    fn together(&mut self, attempts: &[Vec<u8>], random: &mut Random) -> io::Result<()> {
        let mut wire = match self.kept.take() {
            Some(wire) => wire,
            None => Wire::open(self.endpoint)?,
        };
        match wire.send(&attempts.concat()) {
            Err(error) if !is_closed(&error) => return Err(error),
            _ => {}
        }
        let mut close = random.between(0, 1000) == 0;
        for attempt in attempts {
            match wire.answer() {
                Ok(Some(answer)) => {
                    self.note(&answer, attempt);
                    close |= answer.close;
                    if answer.close {
                        break;
                    }
                }
                // A server that has refused a head or a body may close.
                Ok(None) => {
                    self.count(0);
                    close = true;
                    break;
                }
                Err(error) if is_closed(&error) => {
                    self.count(0);
                    close = true;
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        if close {
            wire.abandon();
        } else {
            self.kept = Some(wire);
        }
        Ok(())
    }

    /// Something that ends its connection: all that counts is that the server lets go of it.
    fn alone(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut wire = Wire::open(self.endpoint)?;
        let sent = wire.send(bytes).and_then(|()| wire.finish());
        if let Err(error) = sent
            && !is_closed(&error)
        {
            return Err(error);
        }
        loop {
            match wire.answer() {
                Ok(Some(answer)) => self.note(&answer, bytes),
                Ok(None) => break,
                // HTTP/2 is answered in kind.
                Err(error) if is_closed(&error) || error.kind() == io::ErrorKind::InvalidData => {
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        self.count(0);
        wire.abandon();
        Ok(())
    }

    fn count(&mut self, status: u16) {
        *self.tally.answers.entry(status).or_default() += 1;
    }

    fn note(&mut self, answer: &Answer, attempt: &[u8]) {
        self.count(answer.status);
        if answer.status >= 500 && !is_known(answer) {
            let refusal = Refusal::read(answer.status, &answer.body);
            self.complain(format!("{refusal}, after {}", shown(attempt)));
        }
    }

    fn complain(&mut self, text: String) {
        self.tally.complaints.push(text);
    }
}

/// AWS answers a body that cannot be decompressed with an internal error.
fn is_known(answer: &Answer) -> bool {
    let refusal = Refusal::read(answer.status, &answer.body);
    refusal.to_string() == "500 InternalServerError: The request body cannot be decoded"
}

fn shown(bytes: &[u8]) -> String {
    let text: String =
        bytes.iter().take(1_500).flat_map(|b| b.escape_ascii()).map(char::from).collect();
    format!("{} bytes: {text}", bytes.len())
}

//! A client that writes items in every way there is, and notes what it was promised.

use super::{
    clock::{Clock, Moment},
    deed::Deed,
    item::{Key, MEMBERS},
    request,
};
use crate::{
    dynamo::{RequestError, send},
    http::{Connection, Endpoint},
    random::Random,
};
use std::time::Duration;

/// Keys that every writer writes to.
const SHARED: u64 = 10;
/// Keys of its own that a writer has.
const OWN: u64 = 30;
/// Groups that transactions write.
const GROUPS: u64 = 6;

/// A client.
pub struct Client<'a> {
    clock: &'a Clock<'a>,
    seed: u64,
    writer: u32,
    random: Random,
    connection: Connection,
    /// What it has written.
    deeds: Vec<Deed>,
}

impl<'a> Client<'a> {
    /// A client that is connected.
    pub fn new(
        clock: &'a Clock<'a>,
        endpoint: &Endpoint,
        seed: u64,
        writer: u32,
        patience: Duration,
    ) -> Result<Client<'a>, RequestError> {
        let connection = Connection::open(endpoint, patience).map_err(RequestError::Call)?;
        let random = Random::stream(seed, clock.moment().tick << 16 | u64::from(writer));
        Ok(Client { clock, seed, writer, random, connection, deeds: Vec::new() })
    }

    /// Makes the tables that are always there.
    pub fn create_tables(&mut self) -> Result<(), RequestError> {
        for (key, name) in request::TABLES {
            let sent = self.clock.moment();
            let body = request::create(name);
            self.write(&[(key, true)], sent, "CreateTable", &body)?;
        }
        Ok(())
    }

    /// Puts an item that is written very often.
    pub fn heat(&mut self, index: u32) -> Result<(), RequestError> {
        let sent = self.clock.moment();
        let key = Key::Hot(index);
        let (operation, body) = request::write(self.seed, key, true, sent.tick);
        self.write(&[(key, true)], sent, operation, &body)
    }

    /// Writes something.
    pub fn step(&mut self) -> Result<(), RequestError> {
        let sent = self.clock.moment();
        let (seed, version) = (self.seed, sent.tick);
        let put = self.random.percent(75);
        match self.random.between(0, 100) {
            0..35 => {
                let key = self.own();
                let (operation, body) = request::write(seed, key, put, version);
                self.write(&[(key, put)], sent, operation, &body)
            }
            35..50 => {
                let key = self.own();
                let body = request::update(seed, key, version);
                self.write(&[(key, true)], sent, "UpdateItem", &body)
            }
            50..65 => {
                let key = Key::Shared(self.random.between(0, SHARED) as u32);
                let (operation, body) = request::write(seed, key, put, version);
                self.write(&[(key, put)], sent, operation, &body)
            }
            65..80 => {
                let mut writes: Vec<(Key, bool)> = Vec::new();
                for _ in 0..self.random.between(2, 9) {
                    let key = self.own();
                    if writes.iter().all(|(other, _)| *other != key) {
                        writes.push((key, self.random.percent(75)));
                    }
                }
                let body = request::batch(seed, &writes, version);
                self.write(&writes, sent, "BatchWriteItem", &body)
            }
            _ => {
                let group = self.random.between(0, GROUPS) as u32;
                let keys: Vec<Key> =
                    (0..MEMBERS).map(|member| Key::Member { group, member }).collect();
                let writes: Vec<(Key, bool)> = keys.iter().map(|key| (*key, put)).collect();
                let body = request::transact(seed, &keys, put, version);
                match self.write(&writes, sent, "TransactWriteItems", &body) {
                    // Another transaction was at the same items; nothing was written.
                    Err(error) if error.is("TransactionCanceledException") => {
                        let kept = self.deeds.len().saturating_sub(writes.len());
                        self.deeds.truncate(kept);
                        Ok(())
                    }
                    other => other,
                }
            }
        }
    }

    /// What it has written.
    pub fn take_deeds(self) -> Vec<Deed> {
        self.deeds
    }

    fn own(&mut self) -> Key {
        Key::Own { writer: self.writer, index: self.random.between(0, OWN) as u32 }
    }

    fn write(
        &mut self,
        writes: &[(Key, bool)],
        sent: Moment,
        operation: &str,
        body: &str,
    ) -> Result<(), RequestError> {
        let outcome = send(&mut self.connection, operation, body);
        let acknowledged = outcome.is_ok().then(|| self.clock.moment());
        let deed = |&(key, put): &(Key, bool)| Deed { key, put, sent, acknowledged };
        self.deeds.extend(writes.iter().map(deed));
        outcome
    }
}

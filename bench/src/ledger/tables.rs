//! A client that makes and deletes tables and an index while others write items.

use super::{clock::Clock, deed::Deed, item::Key, request};
use crate::{
    dynamo::{RequestError, ask, named, send},
    http::{Connection, Endpoint},
    random::Random,
};
use serde_json::Value;
use std::time::Duration;

/// Items that a table gets.
const ITEMS: u32 = 3;
/// Tables that are there at a time.
const TABLES: usize = 2;

/// The client.
pub struct TablesClient<'a> {
    clock: &'a Clock<'a>,
    seed: u64,
    random: Random,
    connection: Connection,
    tables: Vec<u64>,
    /// What it has written.
    deeds: Vec<Deed>,
}

impl<'a> TablesClient<'a> {
    /// A client that is connected.
    pub fn new(
        clock: &'a Clock<'a>,
        endpoint: &Endpoint,
        seed: u64,
        patience: Duration,
    ) -> Result<TablesClient<'a>, RequestError> {
        let connection = Connection::open(endpoint, patience).map_err(RequestError::Call)?;
        let random = Random::stream(seed, clock.moment().tick);
        Ok(TablesClient { clock, seed, random, connection, tables: Vec::new(), deeds: Vec::new() })
    }

    /// Makes a table and fills it, or deletes one, or changes the index.
    pub fn step(&mut self) -> Result<(), RequestError> {
        if self.random.percent(25) {
            return self.change_index();
        }
        let oldest = self.tables.first().copied();
        if let (Some(number), true) = (oldest, self.tables.len() >= TABLES) {
            self.tables.remove(0);
            let key = Key::Churn(number);
            return self.write(key, false, None, "DeleteTable", &named(&key.table()));
        }
        let number = self.clock.moment().tick;
        let key = Key::Churn(number);
        self.write(key, true, Some(number), "CreateTable", &request::create(&key.table()))?;
        self.tables.push(number);
        for index in 0..ITEMS {
            let key = Key::ChurnItem(number, index);
            let version = self.clock.moment().tick;
            let (operation, body) = request::write(self.seed, key, true, version);
            self.write(key, true, Some(version), operation, &body)?;
        }
        Ok(())
    }

    /// What it has written.
    pub fn take_deeds(self) -> Vec<Deed> {
        self.deeds
    }

    /// Adds the index if it is not there, and removes it if it is; while it is being built, leaves it alone.
    fn change_index(&mut self) -> Result<(), RequestError> {
        let table = Key::Table.table();
        let described = ask(&mut self.connection, "DescribeTable", &named(&table))?;
        let indexes =
            described.get("Table").and_then(|t| t.get("GlobalSecondaryIndexes")?.as_array());
        let late = indexes.into_iter().flatten().find(|index| {
            index.get("IndexName").and_then(Value::as_str) == Some(super::item::LATE)
        });
        let status = late.and_then(|index| index.get("IndexStatus")?.as_str());
        if status.is_some_and(|status| status != "ACTIVE") {
            return Ok(());
        }
        let add = late.is_none();
        match self.write(Key::Late, add, None, "UpdateTable", &request::late(add)) {
            // The index may be going away still.
            Err(error) if error.is("ResourceInUseException") || error.is("ValidationException") => {
                self.deeds.pop();
                Ok(())
            }
            other => other,
        }
    }

    fn write(
        &mut self,
        key: Key,
        put: bool,
        version: Option<u64>,
        operation: &str,
        body: &str,
    ) -> Result<(), RequestError> {
        let mut sent = self.clock.moment();
        sent.tick = version.unwrap_or(sent.tick);
        let outcome = send(&mut self.connection, operation, body);
        let acknowledged = outcome.is_ok().then(|| self.clock.moment());
        self.deeds.push(Deed { key, put, sent, acknowledged });
        outcome
    }
}

//! What is measured on a loaded table.

use super::table::{TOGETHER, Table, connect};
use crate::{
    Failure,
    drive::{RequestFailure, Round, Worker, ask, drive},
    http::{Connection, Endpoint},
    random::Random,
};
use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

/// An operation on random keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Get,
    Query,
    QueryGroup,
    QueryDay,
    Overwrite,
    Insert,
}

impl Kind {
    /// In the order of measuring: inserts are last, since they change how many items are together.
    pub const ALL: [Kind; 6] =
        [Kind::Get, Kind::Query, Kind::QueryGroup, Kind::QueryDay, Kind::Overwrite, Kind::Insert];

    /// Its name for people.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Get => "GetItem",
            Kind::Query => "Query of 10, table",
            Kind::QueryGroup => "Query of 10, GSI with ALL",
            Kind::QueryDay => "Query of 10, GSI with INCLUDE",
            Kind::Overwrite => "PutItem, overwriting",
            Kind::Insert => "PutItem, new",
        }
    }
}

/// Numbers the items that are inserted.
static NEW: AtomicU64 = AtomicU64::new(0);

/// Measures one operation.
pub fn measure(
    kind: Kind,
    table: &Table,
    endpoint: &Endpoint,
    connections: u32,
    time: Duration,
) -> Result<Round, Failure> {
    let mut clients = Vec::new();
    for number in 0..connections {
        clients.push(Client {
            kind,
            table: *table,
            connection: connect(endpoint)?,
            random: Random::stream(kind as u64 + 2, number.into()),
            body: String::new(),
            ten: format!(r#""Count":{TOGETHER},"#),
        });
    }
    drive(clients, time)
}

struct Client {
    kind: Kind,
    table: Table,
    connection: Connection,
    random: Random,
    body: String,
    /// What the answer to a query has in it.
    ten: String,
}

impl Worker for Client {
    fn request(&mut self) -> Result<(), RequestFailure> {
        let (table, body, random) = (self.table, &mut self.body, &mut self.random);
        let (operation, expected) = match self.kind {
            Kind::Get => {
                table.get_body(body, table.some_item(random));
                ("GetItem", r#""Item":"#)
            }
            Kind::Query => {
                table.query_body(body, random);
                ("Query", self.ten.as_str())
            }
            Kind::QueryGroup => {
                table.query_group_body(body, random);
                ("Query", self.ten.as_str())
            }
            Kind::QueryDay => {
                table.query_day_body(body, random);
                ("Query", self.ten.as_str())
            }
            Kind::Overwrite => {
                table.put_body(body, table.some_item(random), random);
                ("PutItem", "")
            }
            Kind::Insert => {
                table.insert_body(body, NEW.fetch_add(1, Ordering::Relaxed), random);
                ("PutItem", "")
            }
        };
        let answer = ask(&mut self.connection, operation, &self.body)?;
        if contains(answer, expected.as_bytes()) {
            Ok(())
        } else {
            Err(RequestFailure::Refused(format!("not all is there: {}", self.body)))
        }
    }
}

fn contains(answer: &[u8], expected: &[u8]) -> bool {
    expected.is_empty() || answer.windows(expected.len()).any(|window| window == expected)
}

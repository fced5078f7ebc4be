//! Makes the requests of a workload, one after the other, as bytes to send.

use super::{
    Plan,
    table::{BATCH, INDEX, TOGETHER, add_key, add_to_batch, begin_batch, end_batch, put_body},
    workload::{Kind, SCANNED, Workload},
    zipf::Zipf,
};
use crate::{http, http::Endpoint, random::Random};
use std::{
    fmt::{self, Write},
    io::Write as _,
    sync::atomic::{AtomicU64, Ordering},
};

/// Notes to write: enough that an item rarely gets the one it has.
const NOTES: u64 = 64;
/// The item of which everybody wants a part.
const HOT: u64 = 7;

/// What follows the key of the request that counts in an item.
const COUNT: &str = r#","UpdateExpression":"ADD visits :one","ExpressionAttributeValues":{":one":{"N":"1"}},"ReturnValues":"UPDATED_NEW""#;
/// The same within a transaction.
const COUNT_IF_THERE: &str = r#","UpdateExpression":"SET visits = visits + :one","ConditionExpression":"attribute_exists(pk)","ExpressionAttributeValues":{":one":{"N":"1"}}"#;

/// Rounds differ in their keys.
static ROUND: AtomicU64 = AtomicU64::new(0);

/// The requests of one round.
pub struct Script {
    workload: Workload,
    table: &'static str,
    items: u64,
    random: Random,
    zipf: Zipf,
    notes: Vec<String>,
    heads: Vec<(Kind, String)>,
    body: String,
}

impl Script {
    /// Requests to a server.
    pub fn new(
        workload: Workload,
        endpoint: &Endpoint,
        table: &'static str,
        plan: &Plan,
    ) -> Script {
        let round = ROUND.fetch_add(1, Ordering::Relaxed);
        let mut random = Random::stream(round, 2);
        let notes = (0..NOTES).map(|_| {
            let mut note = String::new();
            random.letters(plan.item_bytes, &mut note);
            note
        });
        let notes = notes.collect();
        let head = |kind: Kind| (kind, http::head(endpoint, kind.operation()));
        let is_mix = matches!(workload, Workload::MixA | Workload::MixB);
        Script {
            workload,
            table,
            items: plan.keys,
            random,
            zipf: Zipf::new(if is_mix { plan.keys } else { 1 }),
            notes,
            heads: workload.kinds().iter().map(|&(_, kind)| head(kind)).collect(),
            body: String::new(),
        }
    }

    /// Writes the next request to `out`, in place of what is there; says of which kind it is.
    pub fn next(&mut self, out: &mut Vec<u8>) -> Kind {
        let kind = self.choose_kind();
        self.write_body(kind);
        out.clear();
        if let Some((_, head)) = self.heads.iter().find(|(of, _)| *of == kind) {
            out.extend_from_slice(head.as_bytes());
        }
        // Writing to a vector cannot fail.
        let _ = write!(out, "{}\r\n\r\n{}", self.body.len(), self.body);
        kind
    }

    /// The body of one request of a kind.
    pub fn body(&mut self, kind: Kind) -> &str {
        self.write_body(kind);
        &self.body
    }

    fn choose_kind(&mut self) -> Kind {
        let kinds = self.workload.kinds();
        let mut left = if kinds.len() > 1 { self.random.between(0, 100) } else { 0 };
        for &(share, kind) in kinds {
            if left < share {
                return kind;
            }
            left -= share;
        }
        Kind::Get
    }

    fn choose_item(&mut self) -> u64 {
        match self.workload {
            Workload::MixA | Workload::MixB => self.zipf.choose(&mut self.random),
            Workload::UpdateHot => HOT,
            _ => self.random.between(0, self.items),
        }
    }

    fn write_body(&mut self, kind: Kind) {
        let item = self.choose_item();
        let note = self.random.between(0, NOTES) as usize;
        let note = self.notes.get(note).map(String::as_str).unwrap_or_default();
        let (body, table) = (&mut self.body, self.table);
        body.clear();
        // Writing to a string cannot fail.
        let _ = match kind {
            Kind::Get => write_keyed(body, table, item, format_args!("")),
            Kind::Put => {
                put_body(body, table, item, self.items, note);
                Ok(())
            }
            Kind::Count => write_keyed(body, table, item, format_args!("{COUNT}")),
            Kind::Set => write_keyed(
                body,
                table,
                item,
                format_args!(
                    r#","UpdateExpression":"SET note = :note","ExpressionAttributeValues":{{":note":{{"S":"{note}"}}}}"#
                ),
            ),
            Kind::Query => write!(
                body,
                r#"{{"TableName":"{table}","KeyConditionExpression":"pk = :pk","ExpressionAttributeValues":{{":pk":{{"S":"USER#{:07}"}}}}}}"#,
                item / TOGETHER
            ),
            Kind::QueryIndex => write!(
                body,
                r#"{{"TableName":"{table}","IndexName":"{INDEX}","KeyConditionExpression":"gsi1pk = :day","ExpressionAttributeValues":{{":day":{{"S":"DAY#{:07}"}}}}}}"#,
                item / TOGETHER
            ),
            Kind::Scan => {
                // As many places to begin at as have a full page behind them, most likely.
                let places = (self.items / (10 * SCANNED)).clamp(1, 16);
                let place = item % places;
                write!(
                    body,
                    r#"{{"TableName":"{table}","Limit":{SCANNED},"Segment":{place},"TotalSegments":{places}}}"#
                )
            }
            Kind::Batch => {
                begin_batch(body, table);
                // Neighbours of a random item, a stride apart: none is there twice.
                let stride = (self.items / BATCH).max(1);
                for place in 0..BATCH {
                    add_to_batch(body, (item + place * stride) % self.items, self.items, note);
                }
                end_batch(body);
                Ok(())
            }
            Kind::Transact => {
                // Another one, since a transaction may not touch an item twice.
                let other = (item + self.random.between(1, self.items)) % self.items;
                write_transaction(body, table, item, other)
            }
        };
    }
}

/// A request with an item's key, and `rest` after it.
fn write_keyed(body: &mut String, table: &str, item: u64, rest: fmt::Arguments<'_>) -> fmt::Result {
    write!(body, r#"{{"TableName":"{table}","Key":{{"#)?;
    add_key(body, item);
    write!(body, "}}{rest}}}")
}

/// The request that counts in two items, if they are there.
fn write_transaction(body: &mut String, table: &str, one: u64, two: u64) -> fmt::Result {
    body.push_str(r#"{"TransactItems":["#);
    for (separator, item) in [("", one), (",", two)] {
        write!(body, r#"{separator}{{"Update":"#)?;
        write_keyed(body, table, item, format_args!("{COUNT_IF_THERE}"))?;
        body.push('}');
    }
    body.push_str("]}");
    Ok(())
}

#[cfg(test)]
#[path = "script_tests.rs"]
mod tests;

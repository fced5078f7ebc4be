//! A client's line to the server, on which a fault can be planted. A checker that finds nothing is
//! worth as much as the faults it is known to find.

use super::Kind;
use crate::{
    dynamo::{RequestError, ask},
    http::Connection,
    random::Random,
};
use clap::ValueEnum;
use serde_json::{Map, Value, json};
use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
    thread,
    time::Duration,
};

/// A fault between clients and server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Plant {
    /// GetItem is answered with the answer that the same request had at first
    StaleRead,
    /// TransactGetItems is made as GetItems one after the other
    OutsideSnapshot,
    /// A write is answered before it is made
    EarlyAck,
    /// A write is answered and not made
    LostWrite,
    /// TransactWriteItems is made in two parts
    TornTransaction,
    /// TransactWriteItems is made twice, as if its token were not known
    Twice,
    /// A transaction that was refused is made all the same
    AbortedWrite,
    /// An update is made whatever its condition says
    BlindUpdate,
}

impl Plant {
    /// Its name for people.
    pub fn name(self) -> String {
        let value = self.to_possible_value();
        value.map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    /// The kinds of history in which it must be found. Registers are looked at one at a time, so
    /// they do not show what is wrong between two. On lists, an append against its condition is an
    /// append like any other.
    pub fn shows_in(self) -> &'static [Kind] {
        match self {
            Plant::StaleRead | Plant::EarlyAck | Plant::LostWrite => {
                &[Kind::Lists, Kind::Registers]
            }
            Plant::OutsideSnapshot | Plant::TornTransaction | Plant::Twice => &[Kind::Lists],
            Plant::AbortedWrite => &[Kind::Lists],
            Plant::BlindUpdate => &[Kind::Registers],
        }
    }
}

/// A fault and what all lines share about it.
#[derive(Debug)]
pub struct Planted {
    plant: Plant,
    /// The first answers of requests.
    first: Mutex<BTreeMap<String, Value>>,
}

impl Planted {
    /// A fault that has done nothing.
    pub fn new(plant: Plant) -> Planted {
        Planted { plant, first: Mutex::new(BTreeMap::new()) }
    }
}

/// Long enough for others to come between two requests.
const GAP: Duration = Duration::from_micros(300);
/// Calls that a write answered early waits for.
const HELD_FOR: u32 = 3;

/// A line of one client.
pub struct Line<'a> {
    connection: Connection,
    planted: Option<&'a Planted>,
    random: Random,
    /// Writes that were answered and not yet made, and for how many calls they wait.
    held: Vec<(&'static str, String, u32)>,
}

impl<'a> Line<'a> {
    /// A line over a connection.
    pub fn new(connection: Connection, planted: Option<&'a Planted>, random: Random) -> Line<'a> {
        Line { connection, planted, random, held: Vec::new() }
    }

    /// Sends a request and reads its answer, with the planted fault.
    pub fn ask(&mut self, operation: &'static str, body: &Value) -> Result<Value, RequestError> {
        let Some(planted) = self.planted else {
            return ask(&mut self.connection, operation, &body.to_string());
        };
        self.held.iter_mut().for_each(|held| held.2 -= 1);
        if self.held.first().is_some_and(|held| held.2 == 0) {
            self.release()?;
        }
        match (planted.plant, operation) {
            (Plant::StaleRead, "GetItem") if self.random.percent(30) => self.stale(planted, body),
            (Plant::OutsideSnapshot, "TransactGetItems") => self.one_by_one(body),
            (Plant::EarlyAck, _) if is_plain_write(operation, body) && self.random.percent(30) => {
                self.held.push((operation, body.to_string(), HELD_FOR));
                Ok(json!({}))
            }
            (Plant::LostWrite, _) if is_plain_write(operation, body) && self.random.percent(10) => {
                Ok(json!({}))
            }
            // One that is refused by half would be found by that already.
            (Plant::TornTransaction, _) if is_plain_write(operation, body) => {
                self.in_parts(operation, body)
            }
            (Plant::Twice, "TransactWriteItems") if self.random.percent(20) => {
                let body = without(body, "ClientRequestToken");
                self.plain(operation, &body)?;
                self.plain(operation, &body)
            }
            (Plant::AbortedWrite, "TransactWriteItems") => {
                let answer = self.plain(operation, body);
                if answer.is_err() {
                    self.plain(operation, &unconditional(body))?;
                }
                answer
            }
            (Plant::BlindUpdate, "UpdateItem") => self.plain(operation, &unconditional(body)),
            _ => self.plain(operation, body),
        }
    }

    /// Makes what was answered and not made.
    pub fn release(&mut self) -> Result<(), RequestError> {
        for (operation, body, _) in std::mem::take(&mut self.held) {
            ask(&mut self.connection, operation, &body)?;
        }
        Ok(())
    }

    fn plain(&mut self, operation: &str, body: &Value) -> Result<Value, RequestError> {
        ask(&mut self.connection, operation, &body.to_string())
    }

    fn stale(&mut self, planted: &Planted, body: &Value) -> Result<Value, RequestError> {
        let text = body.to_string();
        let known =
            planted.first.lock().unwrap_or_else(PoisonError::into_inner).get(&text).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        let answer = ask(&mut self.connection, "GetItem", &text)?;
        let mut first = planted.first.lock().unwrap_or_else(PoisonError::into_inner);
        first.entry(text).or_insert_with(|| answer.clone());
        Ok(answer)
    }

    fn one_by_one(&mut self, body: &Value) -> Result<Value, RequestError> {
        let mut responses = Vec::new();
        for get in actions(body) {
            if let Some(get) = get.get("Get") {
                responses.push(self.plain("GetItem", get)?);
                thread::sleep(GAP);
            }
        }
        Ok(json!({"Responses": responses}))
    }

    fn in_parts(&mut self, operation: &str, body: &Value) -> Result<Value, RequestError> {
        let all = actions(body);
        if all.is_empty() {
            return self.plain(operation, body);
        }
        let (one, two) = all.split_at(all.len() / 2);
        if !one.is_empty() {
            self.plain(operation, &json!({"TransactItems": one}))?;
            thread::sleep(GAP);
        }
        self.plain(operation, &json!({"TransactItems": two}))
    }
}

fn actions(body: &Value) -> &[Value] {
    let actions = body.get("TransactItems").and_then(Value::as_array);
    actions.map(Vec::as_slice).unwrap_or_default()
}

/// Whether the answer of a request is known without sending it.
fn is_plain_write(operation: &str, body: &Value) -> bool {
    let write = matches!(operation, "PutItem" | "DeleteItem" | "UpdateItem" | "TransactWriteItems");
    let text = body.to_string();
    write && !text.contains("ConditionExpression") && !text.contains("ReturnValues")
}

fn without(body: &Value, name: &str) -> Value {
    let members = body.as_object().cloned().unwrap_or_default();
    Value::Object(members.into_iter().filter(|(member, _)| member != name).collect())
}

/// The same without its conditions, nor the values that only they use.
fn unconditional(body: &Value) -> Value {
    match body {
        Value::Object(members) => {
            let conditional = members.contains_key("ConditionExpression");
            let kept = members.iter().filter(|(name, _)| {
                let rest = ["ConditionExpression", "ReturnValuesOnConditionCheckFailure"];
                !rest.contains(&name.as_str()) && *name != "ClientRequestToken"
            });
            let mut kept: Map<String, Value> =
                kept.map(|(name, value)| (name.clone(), unconditional(value))).collect();
            if let Some(values) = kept
                .get_mut("ExpressionAttributeValues")
                .and_then(Value::as_object_mut)
                .filter(|_| conditional)
            {
                values.retain(|name, _| !name.starts_with(":condition"));
            }
            Value::Object(kept)
        }
        Value::Array(values) => values.iter().map(unconditional).collect(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_go_with_what_only_they_use() {
        let update = json!({
            "TableName": "t",
            "ConditionExpression": "v = :condition",
            "UpdateExpression": "SET v = :v",
            "ExpressionAttributeValues": {":v": {"N": "1"}, ":condition": {"N": "2"}},
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        });
        let plain = json!({
            "TableName": "t",
            "UpdateExpression": "SET v = :v",
            "ExpressionAttributeValues": {":v": {"N": "1"}},
        });
        assert_eq!(unconditional(&update), plain);
        let transaction = json!({"ClientRequestToken": "x", "TransactItems": [{"Update": update}]});
        assert_eq!(unconditional(&transaction), json!({"TransactItems": [{"Update": plain}]}));
    }

    #[test]
    fn only_writes_whose_answers_are_known_are_answered_unmade() {
        for (operation, body, plain) in [
            ("PutItem", json!({"Item": {}}), true),
            ("PutItem", json!({"Item": {}, "ReturnValues": "ALL_OLD"}), false),
            ("UpdateItem", json!({"ConditionExpression": "a = b"}), false),
            ("GetItem", json!({}), false),
            ("TransactWriteItems", json!({"TransactItems": [{"Put": {}}]}), true),
        ] {
            assert_eq!(is_plain_write(operation, &body), plain, "{operation} {body}");
        }
    }
}

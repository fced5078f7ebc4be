//! Clients that write to keys they share until the server is ended. What is there is read when a
//! moment is noted, so they need not remember what they did.

use super::{
    stage::Stage,
    table::{BY, EXPIRES, Item, Key, NAME, RANK, SHARED, TEAM, now, number},
};
use crate::{
    dynamo::{RequestError, send},
    http::Connection,
    outage::{PATIENCE, Violation},
    random::Random,
};
use serde_json::{Value, json};
use std::{collections::BTreeSet, sync::atomic::Ordering, thread, time::Duration};

/// Of a hundred writes so many go to the first keys.
const HOT: u64 = 50;
const HOT_KEYS: u64 = 100;

/// Writes until the connection ends; what should not be.
pub fn run(stage: &Stage, writer: u64) -> Option<Violation> {
    let error = work(stage, writer).err()?;
    stage.scene.complaint("writing", &error).map(Violation::misbehaved)
}

fn work(stage: &Stage, writer: u64) -> Result<(), RequestError> {
    let mut random = stage.random(writer);
    let open = Connection::open(&stage.scene.endpoint, PATIENCE);
    let mut connection = open.map_err(RequestError::Call)?;
    loop {
        thread::sleep(Duration::from_micros(random.spread(200, 8_000)));
        let (operation, body) = request(&mut random, stage);
        let enter = stage.enter();
        let sent = send(&mut connection, operation, &body);
        drop(enter);
        match sent {
            Ok(()) => {
                stage.writes.fetch_add(1, Ordering::Relaxed);
            }
            Err(error)
                if error.is("ConditionalCheckFailedException")
                    || error.is("TransactionCanceledException") => {}
            Err(error) => return Err(error),
        }
    }
}

fn key(random: &mut Random, keys: u64) -> Key {
    let keys = if random.percent(HOT) { HOT_KEYS.min(keys) } else { keys };
    Key::new(SHARED, random.between(0, keys))
}

fn request(random: &mut Random, stage: &Stage) -> (&'static str, String) {
    let (keys, id) = (stage.keys, stage.scene.tick());
    match random.between(0, 100) {
        0..80 => {
            let (kind, mut members) = write(random, keys, id);
            let condition = match kind {
                "Put" => "attribute_not_exists(pk)",
                _ => "attribute_exists(pk)",
            };
            if let Some(members) = members.as_object_mut().filter(|_| random.percent(10)) {
                members.insert("ConditionExpression".to_owned(), condition.into());
            }
            let operation = match kind {
                "Put" => "PutItem",
                "Update" => "UpdateItem",
                _ => "DeleteItem",
            };
            (operation, members.to_string())
        }
        80..90 => {
            let chosen: BTreeSet<Key> =
                (0..random.between(2, 20)).map(|_| key(random, keys)).collect();
            let requests: Vec<Value> = chosen
                .into_iter()
                .map(|key| match random.percent(75) {
                    true => json!({"PutRequest": {"Item": item(random, &key, id, true)}}),
                    false => json!({"DeleteRequest": {"Key": key.item()}}),
                })
                .collect();
            ("BatchWriteItem", json!({"RequestItems": {NAME: requests}}).to_string())
        }
        _ => {
            let mut seen = Vec::new();
            let mut actions = Vec::new();
            for _ in 0..random.between(2, 6) {
                let (kind, members) = write(random, keys, id);
                let place = members.get("Key").or_else(|| members.get("Item")).cloned();
                let place = place.map(|p| (p.get("pk").cloned(), p.get("sk").cloned()));
                if !seen.contains(&place) {
                    seen.push(place);
                    actions.push(json!({kind: members}));
                }
            }
            ("TransactWriteItems", json!({"TransactItems": actions}).to_string())
        }
    }
}

fn write(random: &mut Random, keys: u64, id: u64) -> (&'static str, Value) {
    let key = key(random, keys);
    match random.between(0, 100) {
        0..50 => ("Put", json!({"TableName": NAME, "Item": item(random, &key, id, true)})),
        50..80 => ("Update", update(random, &key, id)),
        _ => ("Delete", json!({"TableName": NAME, "Key": key.item()})),
    }
}

/// The members of an update of some attributes, also of the keys of indexes.
fn update(random: &mut Random, key: &Key, id: u64) -> Value {
    let expression = match random.between(0, 4) {
        0 => "SET #by = :by, #rank = :rank",
        1 => "SET #by = :by, #team = :team REMOVE #rank",
        2 => "SET #by = :by, #rank = :rank REMOVE #team",
        _ => "SET #by = :by, #rank = :rank, #team = :team",
    };
    let mut names = json!({"#by": BY});
    let mut values = json!({":by": number(id)});
    let rank = number(random.between(0, 100));
    let team = json!({"S": format!("T#{}", random.between(0, 9))});
    for (name, attribute, value) in [("rank", RANK, rank), ("team", TEAM, team)] {
        if let Some(names) = names.as_object_mut().filter(|_| expression.contains(name)) {
            names.insert(format!("#{name}"), attribute.into());
        }
        let used = format!(":{name}");
        if let Some(values) = values.as_object_mut().filter(|_| expression.contains(&used)) {
            values.insert(used, value);
        }
    }
    json!({
        "TableName": NAME,
        "Key": key.item(),
        "UpdateExpression": expression,
        "ExpressionAttributeNames": names,
        "ExpressionAttributeValues": values,
    })
}

/// An item; some expire, if they may.
pub fn item(random: &mut Random, key: &Key, id: u64, expires: bool) -> Item {
    let mut item = key.item();
    item.insert(BY.to_owned(), number(id));
    if random.percent(60) {
        item.insert(RANK.to_owned(), number(random.between(0, 100)));
    }
    if random.percent(60) {
        let team = format!("T#{}", random.between(0, 9));
        item.insert(TEAM.to_owned(), json!({"S": team}));
    }
    if expires && random.percent(8) {
        item.insert(EXPIRES.to_owned(), number(now() / 1000 + random.between(0, 4)));
    }
    let letters = if random.percent(1) { 4_000 } else { random.between(0, 100) };
    let mut text = String::new();
    random.letters(letters as usize, &mut text);
    item.insert("text".to_owned(), json!({"S": text}));
    item
}

/// The requests that fill the table.
pub fn fill(random: &mut Random, prefix: &str, keys: u64) -> Vec<String> {
    let all: Vec<u64> = (0..keys).collect();
    let batch = |numbers: &[u64]| {
        let mut put = |number: &u64| {
            let item = item(random, &Key::new(prefix, *number), 0, false);
            json!({"PutRequest": {"Item": item}})
        };
        let requests: Vec<Value> = numbers.iter().map(&mut put).collect();
        json!({"RequestItems": {NAME: requests}}).to_string()
    };
    all.chunks(25).map(batch).collect()
}

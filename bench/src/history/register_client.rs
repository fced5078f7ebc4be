//! A client that puts, swaps, deletes and reads single items.

use super::{
    client::{Course, LAST, Log, TABLE},
    plant::Line,
    registers::{Action, Operation, State},
};
use crate::{dynamo::RequestError, random::Random};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A request, and what it does to which registers if it has no answer.
struct Plan {
    operation: &'static str,
    body: Value,
    actions: Vec<(u32, Action)>,
    /// Whether the answer says what was there.
    tells: bool,
}

/// Sends so many requests, or as many as the server is there for.
pub fn run(
    course: &Course<'_>,
    line: &mut Line<'_>,
    random: &mut Random,
    client: u32,
    count: u32,
) -> Log {
    let mut log = Log::default();
    // What this client knows to have been there last, so that swaps succeed at times.
    let mut known: BTreeMap<u32, State> = BTreeMap::new();
    for _ in 0..count {
        let plan = plan(course, random, &known);
        if !carry_out(course, line, client, plan, &mut known, &mut log) {
            break;
        }
    }
    log
}

/// Reads all registers.
pub fn read_all(course: &Course<'_>, line: &mut Line<'_>) -> Log {
    let mut log = Log::default();
    let plan = transact_get(course, (0..course.keys).collect());
    carry_out(course, line, LAST, plan, &mut BTreeMap::new(), &mut log);
    log
}

/// Says whether to go on.
fn carry_out(
    course: &Course<'_>,
    line: &mut Line<'_>,
    client: u32,
    plan: Plan,
    known: &mut BTreeMap<u32, State>,
    log: &mut Log,
) -> bool {
    let invoked = course.now();
    let answer = line.ask(plan.operation, &plan.body);
    let completed = course.now();
    let (completed, fate) = match &answer {
        Ok(answer) => (Some(completed), Fate::Done(answer)),
        Err(RequestError::Refused(refusal))
            if refusal.kind() == "ConditionalCheckFailedException" =>
        {
            (Some(completed), Fate::Refused(state(refusal.item())))
        }
        Err(error) => {
            log.complain(course.scene, plan.operation, error);
            (None, Fate::Unknown)
        }
    };
    for (place, (key, action)) in plan.actions.into_iter().enumerate() {
        let Some(action) = settle(action, place, plan.tells, &fate) else {
            continue;
        };
        known.insert(key, after(action));
        let operation = Operation { client, invoked, completed, action };
        log.operations.entry(key).or_default().push(operation);
    }
    answer.is_ok() || completed.is_some()
}

/// What became of a request.
enum Fate<'a> {
    Done(&'a Value),
    /// With what was there, if it was asked for.
    Refused(State),
    Unknown,
}

/// An action with what its answer says; nothing if it had none and only read.
fn settle(action: Action, place: usize, tells: bool, fate: &Fate<'_>) -> Option<Action> {
    let settled = match (action, fate) {
        (Action::Read(_), Fate::Done(answer)) => {
            let response = || answer.get("Responses")?.get(place)?.get("Item");
            Action::Read(state(answer.get("Item").or_else(response)))
        }
        (Action::Read(_), _) => return None,
        (Action::Write { to, .. }, Fate::Done(answer)) => {
            Action::Write { to, was: tells.then(|| state(answer.get("Attributes"))) }
        }
        (Action::Swap { from, to, .. }, Fate::Done(_)) => {
            Action::Swap { from, to, applied: Some(true), was: None }
        }
        (Action::Swap { from, to, .. }, Fate::Refused(found)) => {
            Action::Swap { from, to, applied: Some(false), was: tells.then_some(*found) }
        }
        (action, _) => action,
    };
    Some(settled)
}

/// What a client supposes to be there after an action.
fn after(action: Action) -> State {
    match action {
        Action::Read(seen) => seen,
        Action::Write { to, .. } | Action::Swap { applied: Some(true), to, .. } => to,
        Action::Swap { was, .. } => was.flatten(),
    }
}

/// The value of an item.
fn state(item: Option<&Value>) -> State {
    let value = item?.get("v").and_then(|v| v.get("N")?.as_str()?.parse().ok());
    // An item without a value is nothing that anybody has put.
    Some(value.unwrap_or(u64::MAX))
}

fn plan(course: &Course<'_>, random: &mut Random, known: &BTreeMap<u32, State>) -> Plan {
    let key = random.between(0, course.keys.into()) as u32;
    let other = (key + 1) % course.keys;
    let tells = random.percent(50);
    match random.between(0, 100) {
        0..22 => {
            let value = course.scene.tick();
            let mut body = json!({"TableName": TABLE, "Item": item(course, key, value)});
            ask_for_old(&mut body, "ReturnValues", tells);
            let write = Action::Write { to: Some(value), was: None };
            Plan { operation: "PutItem", body, actions: vec![(key, write)], tells }
        }
        22..44 => swap(course, random, key, known.get(&key).copied().flatten(), tells),
        44..54 => {
            let mut body = course.get(key);
            ask_for_old(&mut body, "ReturnValues", tells);
            let write = Action::Write { to: None, was: None };
            Plan { operation: "DeleteItem", body, actions: vec![(key, write)], tells }
        }
        54..62 if other != key => {
            let keys = [(key, course.scene.tick()), (other, course.scene.tick())];
            let puts = keys.map(|(key, value)| {
                json!({"Put": {"TableName": TABLE, "Item": item(course, key, value)}})
            });
            let write = |value| Action::Write { to: Some(value), was: None };
            let actions = keys.map(|(key, value)| (key, write(value))).to_vec();
            let body = json!({"TransactItems": puts});
            Plan { operation: "TransactWriteItems", body, actions, tells: false }
        }
        62..72 if other != key => transact_get(course, vec![key, other]),
        _ => {
            let mut body = course.get(key);
            if let Some(members) = body.as_object_mut() {
                members.insert("ConsistentRead".to_owned(), true.into());
            }
            Plan {
                operation: "GetItem",
                body,
                actions: vec![(key, Action::Read(None))],
                tells: true,
            }
        }
    }
}

fn item(course: &Course<'_>, key: u32, value: u64) -> Value {
    let mut item = course.key(key);
    if let Some(members) = item.as_object_mut() {
        members.insert("v".to_owned(), json!({"N": value.to_string()}));
    }
    item
}

fn ask_for_old(body: &mut Value, name: &str, tells: bool) {
    if let Some(members) = body.as_object_mut().filter(|_| tells) {
        members.insert(name.to_owned(), "ALL_OLD".into());
    }
}

/// An update of what is supposed to be there, at times of something that surely is not.
fn swap(course: &Course<'_>, random: &mut Random, key: u32, supposed: State, tells: bool) -> Plan {
    let to = course.scene.tick();
    let from = if random.percent(10) { Some(course.scene.tick()) } else { supposed };
    let mut body = course.get(key);
    if let Some(members) = body.as_object_mut() {
        let mut values = json!({":v": {"N": to.to_string()}});
        let condition = match from {
            Some(from) => {
                values.as_object_mut().map(|values| {
                    values.insert(":condition".to_owned(), json!({"N": from.to_string()}))
                });
                "v = :condition"
            }
            None => "attribute_not_exists(pk)",
        };
        members.insert("UpdateExpression".to_owned(), "SET v = :v".into());
        members.insert("ConditionExpression".to_owned(), condition.into());
        members.insert("ExpressionAttributeValues".to_owned(), values);
    }
    ask_for_old(&mut body, "ReturnValuesOnConditionCheckFailure", tells);
    let action = Action::Swap { from, to: Some(to), applied: None, was: None };
    Plan { operation: "UpdateItem", body, actions: vec![(key, action)], tells }
}

fn transact_get(course: &Course<'_>, keys: Vec<u32>) -> Plan {
    let gets: Vec<Value> = keys.iter().map(|&key| json!({"Get": course.get(key)})).collect();
    let actions = keys.into_iter().map(|key| (key, Action::Read(None))).collect();
    let body = json!({"TransactItems": gets});
    Plan { operation: "TransactGetItems", body, actions, tells: true }
}

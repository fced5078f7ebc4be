//! A client that appends to lists and reads them.

use super::{
    client::{Course, LAST, Log, Open, TABLE},
    lists::{Key, Outcome, Read, Transaction, Value as Appended},
    plant::Line,
};
use crate::random::Random;
use serde_json::{Map, Value, json};

const APPEND: &str = "SET l = list_append(if_not_exists(l, :none), :more)";
const SHORT: &str = "attribute_not_exists(l) OR size(l) < :condition";

/// A request, and the transaction it is if it has an answer.
struct Plan {
    operation: &'static str,
    body: Value,
    appends: Vec<(Key, Vec<Appended>)>,
    reads: Reads,
    tokened: bool,
}

/// Where an answer has lists.
enum Reads {
    None,
    /// GetItem.
    Item(Key),
    /// UpdateItem, with what it says and whether that is after it.
    Attributes(Key, bool),
    /// TransactGetItems.
    Responses(Vec<Key>),
    /// Query of all keys.
    Items,
}

/// Sends so many transactions, or as many as the server is there for.
pub fn run(
    course: &Course<'_>,
    line: &mut Line<'_>,
    random: &mut Random,
    client: u32,
    count: u32,
) -> Log {
    let mut log = Log::default();
    for _ in 0..count {
        let plan = plan(course, random);
        if !carry_out(course, line, client, plan, &mut log) {
            break;
        }
    }
    log
}

/// Reads all lists, at one moment.
pub fn read_all(course: &Course<'_>, line: &mut Line<'_>) -> Log {
    let mut log = Log::default();
    carry_out(course, line, LAST, transact_get(course, (0..course.keys).collect()), &mut log);
    log
}

/// Says whether to go on.
fn carry_out(
    course: &Course<'_>,
    line: &mut Line<'_>,
    client: u32,
    plan: Plan,
    log: &mut Log,
) -> bool {
    let mut transaction = Transaction {
        client,
        name: plan.operation,
        invoked: course.now(),
        completed: None,
        outcome: Outcome::Unknown,
        appends: plan.appends,
        reads: Vec::new(),
    };
    let answer = line.ask(plan.operation, &plan.body);
    let completed = course.now();
    match answer {
        Ok(answer) => {
            (transaction.outcome, transaction.completed) = (Outcome::Done, Some(completed));
            transaction.reads = plan.reads.of(&answer, course.keys);
            log.transactions.push(transaction);
            true
        }
        Err(error)
            if error.is("TransactionCanceledException")
                || error.is("ConditionalCheckFailedException") =>
        {
            (transaction.outcome, transaction.completed) = (Outcome::Refused, Some(completed));
            log.transactions.push(transaction);
            true
        }
        Err(error) => {
            log.complain(course.scene, plan.operation, &error);
            if plan.tokened {
                log.open.push(Open { place: log.transactions.len(), body: plan.body });
            }
            if !transaction.appends.is_empty() {
                log.transactions.push(transaction);
            }
            false
        }
    }
}

fn plan(course: &Course<'_>, random: &mut Random) -> Plan {
    let key = random.between(0, course.keys.into()) as u32;
    match random.between(0, 100) {
        0..30 => transact_write(course, random),
        30..50 => update(course, random, key),
        50..78 => transact_get(course, some_keys(course, random)),
        78..92 => {
            let mut body = course.get(key);
            set(&mut body, "ConsistentRead", true.into());
            Plan {
                operation: "GetItem",
                body,
                appends: vec![],
                reads: Reads::Item(key),
                tokened: false,
            }
        }
        _ => query(course),
    }
}

/// One to four keys, each once.
fn some_keys(course: &Course<'_>, random: &mut Random) -> Vec<Key> {
    let mut keys: Vec<Key> = (0..course.keys).collect();
    let count = random.between(1, u64::from(course.keys.min(4)) + 1) as usize;
    while keys.len() > count {
        let place = random.between(0, keys.len() as u64) as usize;
        keys.swap_remove(place);
    }
    keys
}

fn values(course: &Course<'_>, random: &mut Random) -> Vec<Appended> {
    let count = if random.percent(25) { 2 } else { 1 };
    (0..count).map(|_| course.scene.tick()).collect()
}

/// The members of an update that appends, at times only to a short list.
fn append(
    course: &Course<'_>,
    random: &mut Random,
    key: Key,
    values: &[Appended],
    conditional: bool,
) -> Value {
    let list: Vec<Value> = values.iter().map(|v| json!({"N": v.to_string()})).collect();
    let mut update = course.get(key);
    set(&mut update, "UpdateExpression", APPEND.into());
    let mut expression_values = json!({":none": {"L": []}, ":more": {"L": list}});
    if conditional {
        let most = random.between(1, 6).to_string();
        set(&mut expression_values, ":condition", json!({"N": most}));
        set(&mut update, "ConditionExpression", SHORT.into());
    }
    set(&mut update, "ExpressionAttributeValues", expression_values);
    update
}

fn transact_write(course: &Course<'_>, random: &mut Random) -> Plan {
    let keys = some_keys(course, random);
    let condition_on = random.percent(30).then(|| random.between(0, keys.len() as u64) as usize);
    let (mut appends, mut actions) = (Vec::new(), Vec::new());
    for (place, &key) in keys.iter().enumerate() {
        let values = values(course, random);
        let conditional = condition_on == Some(place);
        actions.push(json!({"Update": append(course, random, key, &values, conditional)}));
        appends.push((key, values));
    }
    let mut body = json!({"TransactItems": actions});
    let tokened = random.percent(50);
    if tokened {
        let token = format!("{}-{}", course.partition(), course.scene.tick());
        set(&mut body, "ClientRequestToken", token.into());
    }
    Plan { operation: "TransactWriteItems", body, appends, reads: Reads::None, tokened }
}

fn update(course: &Course<'_>, random: &mut Random, key: Key) -> Plan {
    let values = values(course, random);
    let conditional = random.percent(20);
    let mut body = append(course, random, key, &values, conditional);
    let (returns, reads) = match random.between(0, 6) {
        0 | 1 => (None, Reads::None),
        2 => (Some("ALL_NEW"), Reads::Attributes(key, true)),
        3 => (Some("UPDATED_NEW"), Reads::Attributes(key, true)),
        4 => (Some("ALL_OLD"), Reads::Attributes(key, false)),
        _ => (Some("UPDATED_OLD"), Reads::Attributes(key, false)),
    };
    if let Some(returns) = returns {
        set(&mut body, "ReturnValues", returns.into());
    }
    Plan { operation: "UpdateItem", body, appends: vec![(key, values)], reads, tokened: false }
}

fn transact_get(course: &Course<'_>, keys: Vec<Key>) -> Plan {
    let gets: Vec<Value> = keys.iter().map(|&key| json!({"Get": course.get(key)})).collect();
    Plan {
        operation: "TransactGetItems",
        body: json!({"TransactItems": gets}),
        appends: vec![],
        reads: Reads::Responses(keys),
        tokened: false,
    }
}

fn query(course: &Course<'_>) -> Plan {
    let body = json!({
        "TableName": TABLE,
        "KeyConditionExpression": "pk = :pk",
        "ExpressionAttributeValues": {":pk": {"S": course.partition()}},
        "ConsistentRead": true,
    });
    Plan { operation: "Query", body, appends: vec![], reads: Reads::Items, tokened: false }
}

fn set(object: &mut Value, name: &str, value: Value) {
    object.as_object_mut().unwrap_or(&mut Map::new()).insert(name.to_owned(), value);
}

impl Reads {
    fn of(&self, answer: &Value, keys: u32) -> Vec<Read> {
        let read = |key, item: Option<&Value>, own| Read { key, list: list(item), own };
        match self {
            Reads::None => Vec::new(),
            Reads::Item(key) => vec![read(*key, answer.get("Item"), false)],
            Reads::Attributes(key, own) => vec![read(*key, answer.get("Attributes"), *own)],
            Reads::Responses(keys) => {
                let response = |place| answer.get("Responses")?.get(place)?.get("Item");
                let keys = keys.iter().enumerate();
                keys.map(|(place, &key)| read(key, response(place), false)).collect()
            }
            Reads::Items => {
                let items = answer.get("Items").and_then(Value::as_array);
                let items = items.map(Vec::as_slice).unwrap_or_default();
                let item = |key: Key| {
                    let sort_key = json!({"N": key.to_string()});
                    items.iter().find(|item| item.get("sk") == Some(&sort_key))
                };
                (0..keys).map(|key| read(key, item(key), false)).collect()
            }
        }
    }
}

/// The list of an item. What is no number becomes a value that nobody appends.
fn list(item: Option<&Value>) -> Vec<Appended> {
    let list = item.and_then(|item| item.get("l")?.get("L")?.as_array());
    let number = |value: &Value| value.get("N")?.as_str()?.parse().ok();
    list.into_iter().flatten().map(|value| number(value).unwrap_or(Appended::MAX)).collect()
}

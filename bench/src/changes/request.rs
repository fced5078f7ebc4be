//! The requests that clients send, chosen at random.

use super::{
    deed::{Action, Deed, Expires, Outcome, Update},
    statement::statement,
    table::{BY, EXPIRES, GROUP, HITS, Item, Key, TABLE, now, number},
};
use crate::random::Random;
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashMap};

/// Keys that are written most of the time, by all clients.
const HOT_KEYS: u64 = 60;
/// Bytes that most items' texts and values have at most, that few have, and that very few have.
const TEXTS: [u64; 3] = [200, 6_000, 80_000];

/// A request to send.
pub struct Request {
    /// The operation.
    pub operation: &'static str,
    /// Its body.
    pub body: String,
    /// What it does, if it is made.
    pub deeds: Vec<Deed>,
    /// Whether its answer says what was there before.
    pub tells_old: bool,
}

/// Chooses requests.
pub struct Chooser<'a> {
    /// Decides.
    pub random: Random,
    /// How many keys there are.
    pub keys: u64,
    /// The writes that were seen last.
    pub seen: HashMap<Key, u64>,
    /// Gives ids.
    pub tick: &'a dyn Fn() -> u64,
}

/// One write within a request.
struct Part {
    deed: Deed,
    /// The members of a transaction's action or of a request.
    members: Value,
}

impl Chooser<'_> {
    /// A request that changes something, if its conditions hold.
    pub fn choose(&mut self) -> Request {
        match self.random.between(0, 100) {
            0..64 => self.single(),
            64..75 => self.batch(),
            75..87 => self.transaction(),
            _ => self.statements(),
        }
    }

    /// Some key.
    pub fn key(&mut self) -> Key {
        let keys = if self.random.percent(70) { HOT_KEYS } else { self.keys };
        Key(self.random.between(0, keys) as u32)
    }

    fn keys(&mut self, most: u64) -> BTreeSet<Key> {
        let count = self.random.between(2, most + 1);
        (0..count).map(|_| self.key()).collect()
    }

    fn single(&mut self) -> Request {
        let key = self.key();
        let mut part = self.part(key);
        let operation = match part.deed.action {
            Action::Put(_) => "PutItem",
            Action::Update(_) => "UpdateItem",
            Action::Delete => "DeleteItem",
        };
        let tells_old = self.random.percent(60);
        if let Some(members) = part.members.as_object_mut().filter(|_| tells_old) {
            members.insert("ReturnValues".to_owned(), "ALL_OLD".into());
        }
        Request { operation, body: part.members.to_string(), deeds: vec![part.deed], tells_old }
    }

    fn batch(&mut self) -> Request {
        let mut requests = Vec::new();
        let mut deeds = Vec::new();
        for key in self.keys(8) {
            let id = (self.tick)();
            let deed = if self.random.percent(70) {
                let item = self.item(key, id);
                requests.push(json!({"PutRequest": {"Item": item}}));
                deed(id, key, Action::Put(item))
            } else {
                requests.push(json!({"DeleteRequest": {"Key": key.item()}}));
                deed(id, key, Action::Delete)
            };
            deeds.push(deed);
        }
        let body = json!({"RequestItems": {TABLE: requests}}).to_string();
        Request { operation: "BatchWriteItem", body, deeds, tells_old: false }
    }

    fn transaction(&mut self) -> Request {
        let mut actions = Vec::new();
        let mut deeds = Vec::new();
        for key in self.keys(5) {
            let part = self.part(key);
            actions.push(match part.deed.action {
                Action::Put(_) => json!({"Put": part.members}),
                Action::Update(_) => json!({"Update": part.members}),
                Action::Delete => json!({"Delete": part.members}),
            });
            deeds.push(Deed { transaction: true, ..part.deed });
        }
        let body = json!({"TransactItems": actions}).to_string();
        Request { operation: "TransactWriteItems", body, deeds, tells_old: false }
    }

    /// Writes in PartiQL: one, a batch or a transaction.
    fn statements(&mut self) -> Request {
        let several = self.random.percent(50);
        let keys = if several { self.keys(5) } else { BTreeSet::from([self.key()]) };
        let mut deeds: Vec<Deed> = keys.into_iter().map(|key| self.stated(key)).collect();
        let statements: Vec<Value> = deeds.iter().map(statement).collect();
        let (operation, body) = match statements.as_slice() {
            [one] => ("ExecuteStatement", one.to_string()),
            all if self.random.percent(50) => {
                ("BatchExecuteStatement", json!({"Statements": all}).to_string())
            }
            all => {
                deeds.iter_mut().for_each(|deed| deed.transaction = true);
                ("ExecuteTransaction", json!({"TransactStatements": all}).to_string())
            }
        };
        Request { operation, body, deeds, tells_old: false }
    }

    /// A write that a statement can say.
    fn stated(&mut self, key: Key) -> Deed {
        let id = (self.tick)();
        let expected = self.seen.get(&key).copied().filter(|_| self.random.percent(20));
        match self.random.between(0, 100) {
            0..35 => deed(id, key, Action::Put(self.item(key, id))),
            35..80 => {
                let update = Update { counts: false, expires: self.change_of_expiry() };
                Deed { expected, ..deed(id, key, Action::Update(update)) }
            }
            _ => deed(id, key, Action::Delete),
        }
    }

    /// A write of one item, at times with a condition.
    fn part(&mut self, key: Key) -> Part {
        let id = (self.tick)();
        let expected = self.seen.get(&key).copied().filter(|_| self.random.percent(20));
        let (action, mut members) = match self.random.between(0, 100) {
            0..45 => {
                let item = self.item(key, id);
                let members = json!({"TableName": TABLE, "Item": item});
                (Action::Put(item), members)
            }
            45..80 => {
                let update = Update { counts: true, expires: self.change_of_expiry() };
                (Action::Update(update), update_members(key, id, update))
            }
            _ => (Action::Delete, json!({"TableName": TABLE, "Key": key.item()})),
        };
        let condition = match (&action, expected) {
            (_, Some(expected)) => {
                merge(&mut members, "ExpressionAttributeNames", "#by", BY.into());
                merge(&mut members, "ExpressionAttributeValues", ":was", number(expected));
                Some("#by = :was")
            }
            (Action::Put(_), None) if self.random.percent(15) => Some("attribute_not_exists(pk)"),
            (Action::Update(_), None) if self.random.percent(15) => Some("attribute_exists(pk)"),
            _ => None,
        };
        if let (Some(members), Some(condition)) = (members.as_object_mut(), condition) {
            members.insert("ConditionExpression".to_owned(), condition.into());
        }
        Part { deed: Deed { expected, ..deed(id, key, action) }, members }
    }

    /// An item to put.
    pub fn item(&mut self, key: Key, id: u64) -> Item {
        let mut item = key.item();
        item.insert(BY.to_owned(), number(id));
        if self.random.percent(30) {
            item.insert(HITS.to_owned(), number(0));
        }
        if self.random.percent(50) {
            let group = format!("G#{}", self.random.between(0, 9));
            item.insert(GROUP.to_owned(), json!({"S": group}));
        }
        if self.random.percent(25) {
            let second = self.second();
            item.insert(EXPIRES.to_owned(), number(second));
        }
        // Signs and trailing zeros count in sizes, so there are many of both.
        if self.random.percent(40) {
            let digits = self.random.between(0, 1_000) as i64;
            let value = digits * 10_i64.pow(self.random.between(0, 12) as u32);
            let value = if self.random.percent(40) { -value } else { value };
            item.insert("value".to_owned(), json!({"N": value.to_string()}));
        }
        if self.random.percent(20) {
            let quartets = self.random.between(0, 40);
            item.insert("bytes".to_owned(), json!({"B": self.letters(4 * quartets)}));
        }
        let [most, some, few] = TEXTS;
        let length = match self.random.between(0, 1_000) {
            0..980 => self.random.between(0, most),
            980..997 => some,
            _ => few,
        };
        item.insert("text".to_owned(), json!({"S": self.letters(length)}));
        item
    }

    fn letters(&mut self, length: u64) -> String {
        let mut text = String::new();
        self.random.letters(length as usize, &mut text);
        text
    }

    fn change_of_expiry(&mut self) -> Expires {
        match self.random.between(0, 100) {
            0..60 => Expires::Keep,
            60..80 => Expires::Set(self.second()),
            _ => Expires::Remove,
        }
    }

    /// When an item is to expire: mostly at once or in a second or two, at times much later.
    fn second(&mut self) -> u64 {
        if self.random.percent(10) { now() + 3600 } else { now() + self.random.between(0, 3) }
    }
}

fn deed(id: u64, key: Key, action: Action) -> Deed {
    Deed {
        id,
        key,
        action,
        expected: None,
        request: id,
        transaction: false,
        sent: id,
        done: u64::MAX,
        outcome: Outcome::Unanswered,
        old: None,
    }
}

fn update_members(key: Key, id: u64, update: Update) -> Value {
    let (more, value) = match update.expires {
        Expires::Keep => ("", None),
        Expires::Set(second) => (", #expires = :expires", Some(second)),
        Expires::Remove => (" REMOVE #expires", None),
    };
    // Only statements do not count.
    let mut members = json!({
        "TableName": TABLE,
        "Key": key.item(),
        "UpdateExpression": format!("SET #by = :by{more} ADD #hits :one"),
        "ExpressionAttributeNames": {"#by": BY, "#hits": HITS},
        "ExpressionAttributeValues": {":by": number(id), ":one": number(1)},
    });
    if update.expires != Expires::Keep {
        merge(&mut members, "ExpressionAttributeNames", "#expires", EXPIRES.into());
    }
    if let Some(second) = value {
        merge(&mut members, "ExpressionAttributeValues", ":expires", number(second));
    }
    members
}

/// Adds a member to a member.
fn merge(members: &mut Value, outer: &str, inner: &str, value: Value) {
    if let Some(members) = members.as_object_mut() {
        let outer = members.entry(outer.to_owned()).or_insert_with(|| json!({}));
        if let Some(outer) = outer.as_object_mut() {
            outer.insert(inner.to_owned(), value);
        }
    }
}

/// The request that counts on, if there is a count, and changes nothing.
pub fn idle_update(key: Key) -> String {
    json!({
        "TableName": TABLE,
        "Key": key.item(),
        "UpdateExpression": "SET #hits = #hits",
        "ConditionExpression": "attribute_exists(#hits)",
        "ExpressionAttributeNames": {"#hits": HITS},
    })
    .to_string()
}

/// The request that puts an item once more, if it is still there.
pub fn idle_put(item: &Item, by: u64) -> String {
    json!({
        "TableName": TABLE,
        "Item": item,
        "ConditionExpression": "#by = :was",
        "ExpressionAttributeNames": {"#by": BY},
        "ExpressionAttributeValues": {":was": number(by)},
    })
    .to_string()
}

//! A client that creates small tables, fills them, changes their settings and tags and deletes them
//! while others write items. There is one of it, so each table has at most one request under way.

use super::existence::Existence;
use crate::{
    dynamo::{RequestError, ask, describe, named, send},
    http::Connection,
    outage::{PATIENCE, Scene, Violation},
    random::Random,
};
use serde_json::{Value, json};
use std::{thread, time::Duration};

const TABLES: usize = 5;
const MOST_ITEMS: u64 = 12;
const MOST_STEPS: usize = 100_000;
const TAG: &str = "step";
/// What the ARNs of all tables begin with; the credentials of requests name the region.
const ARN: &str = "arn:aws:dynamodb:us-east-1:000000000000:table/";

/// What can be changed of a table, besides its items.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Settings {
    /// Whether it is protected from deletion.
    protected: bool,
    /// The value of its one tag.
    tag: Option<u64>,
}

/// A request without an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Open {
    /// The put of one more item.
    Item,
    /// A change to these settings.
    Settings(Settings),
}

/// What the client knows of one table.
#[derive(Debug)]
struct ChurnTable {
    name: String,
    existence: Existence,
    /// Tells the table from those of the same name before it; written into its items.
    life: u64,
    /// Items whose puts were acknowledged: numbers 0 to this.
    items: u64,
    settings: Settings,
    open: Option<Open>,
}

/// What the server has of one table.
#[derive(Debug)]
struct Found {
    settings: Settings,
    item_count: Option<u64>,
    items: Vec<Option<Value>>,
}

/// The client. What it knows outlives the server.
pub struct Churn {
    tables: Vec<ChurnTable>,
    /// How many of its requests were acknowledged.
    pub acknowledged: u64,
}

impl Churn {
    /// A client whose tables are not there yet.
    pub fn new() -> Churn {
        let table = |number| ChurnTable {
            name: format!("churn-{number}"),
            existence: Existence::Gone,
            life: 0,
            items: 0,
            settings: Settings::default(),
            open: None,
        };
        Churn { tables: (0..TABLES).map(table).collect(), acknowledged: 0 }
    }

    /// Works until the server is ended; what should not be.
    pub fn run(&mut self, scene: &Scene, cycle: u32) -> Option<Violation> {
        let mut random = Random::stream(scene.seed, u64::from(cycle) << 32 | 0xffff_ffff);
        let mut connection = match Connection::open(&scene.endpoint, PATIENCE) {
            Ok(connection) => connection,
            Err(error) => {
                let complaint = scene.complaint("connecting", &RequestError::Call(error));
                return complaint.map(Violation::misbehaved);
            }
        };
        for _ in 0..MOST_STEPS {
            let chosen = random.between(0, self.tables.len() as u64) as usize;
            let table = self.tables.get_mut(chosen)?;
            if let Err(error) = table.step(scene, &mut random, &mut connection) {
                let complaint = scene.complaint(&table.name, &error);
                // Every request but the first of a table is for one whose creation was acknowledged.
                let lost = error.is_not_found();
                return complaint.map(if lost { Violation::lost } else { Violation::misbehaved });
            }
            self.acknowledged += 1;
            // The writers are to be slowed down little.
            thread::sleep(Duration::from_millis(random.between(0, 8)));
        }
        None
    }

    /// Holds all tables against what the server has; what is wrong.
    pub fn check(&mut self, connection: &mut Connection) -> Result<Vec<Violation>, RequestError> {
        let mut violations = Vec::new();
        for table in &mut self.tables {
            let found = table.observe(connection)?;
            violations.extend(table.check(found.as_ref()));
        }
        Ok(violations)
    }
}

impl ChurnTable {
    /// Does one thing to the table.
    fn step(
        &mut self,
        scene: &Scene,
        random: &mut Random,
        connection: &mut Connection,
    ) -> Result<(), RequestError> {
        if self.existence == Existence::Gone {
            self.existence = Existence::Open;
            (self.items, self.settings) = (0, Settings::default());
            self.life = scene.tick();
            send(connection, "CreateTable", &self.creation())?;
            self.existence = Existence::There;
        } else if self.items < MOST_ITEMS && random.percent(65) {
            self.open = Some(Open::Item);
            let body = json!({"TableName": self.name, "Item": self.item(self.items)});
            send(connection, "PutItem", &body.to_string())?;
            self.items += 1;
        } else if self.settings.protected || random.percent(60) {
            let (operation, body, after) = self.change(scene.tick(), random);
            self.open = Some(Open::Settings(after));
            send(connection, operation, &body.to_string())?;
            self.settings = after;
        } else {
            self.existence = Existence::Open;
            send(connection, "DeleteTable", &named(&self.name))?;
            self.existence = Existence::Gone;
        }
        self.open = None;
        Ok(())
    }

    /// The request that changes a setting, and what the settings are then.
    fn change(&self, tick: u64, random: &mut Random) -> (&'static str, Value, Settings) {
        let before = self.settings;
        let arn = format!("{ARN}{}", self.name);
        if random.percent(50) {
            let protected = !before.protected;
            let body = json!({"TableName": self.name, "DeletionProtectionEnabled": protected});
            return ("UpdateTable", body, Settings { protected, ..before });
        }
        if before.tag.is_some() && random.percent(30) {
            let body = json!({"ResourceArn": arn, "TagKeys": [TAG]});
            return ("UntagResource", body, Settings { tag: None, ..before });
        }
        let tags = json!([{"Key": TAG, "Value": tick.to_string()}]);
        let body = json!({"ResourceArn": arn, "Tags": tags});
        ("TagResource", body, Settings { tag: Some(tick), ..before })
    }

    fn creation(&self) -> String {
        json!({
            "TableName": self.name,
            "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "N"}],
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
            "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "KEYS_ONLY"},
        })
        .to_string()
    }

    fn item(&self, number: u64) -> Value {
        json!({"pk": {"N": number.to_string()}, "life": {"N": self.life.to_string()}})
    }

    fn observe(&self, connection: &mut Connection) -> Result<Option<Found>, RequestError> {
        let Some(description) = describe(connection, &self.name)? else {
            return Ok(None);
        };
        let mut items = Vec::new();
        for number in 0..=MOST_ITEMS {
            let key = json!({"TableName": self.name, "Key": {"pk": {"N": number.to_string()}}});
            let mut answer = ask(connection, "GetItem", &key.to_string())?;
            items.push(answer.get_mut("Item").map(Value::take));
        }
        let item_count = description.get("ItemCount").and_then(Value::as_u64);
        let body = json!({"ResourceArn": format!("{ARN}{}", self.name)}).to_string();
        let tags = ask(connection, "ListTagsOfResource", &body)?;
        let tag = tags.pointer("/Tags/0/Value").and_then(|tag| tag.as_str()?.parse().ok());
        let protected = description.get("DeletionProtectionEnabled").and_then(Value::as_bool);
        let settings = Settings { protected: protected.unwrap_or_default(), tag };
        Ok(Some(Found { settings, item_count, items }))
    }

    /// What is wrong with what was found; from then on that is what is known.
    fn check(&mut self, found: Option<&Found>) -> Vec<Violation> {
        let mut violations = Vec::new();
        let name = &self.name;
        if let Some(wrong) = self.existence.settle(found.is_some()) {
            violations.push(Violation::lost(format!("{name}: the table {wrong}")));
        }
        let Some(found) = found else {
            return violations;
        };
        let open = self.open.take();
        if found.settings != self.settings && open != Some(Open::Settings(found.settings)) {
            let (is, was) = (found.settings, self.settings);
            let text = format!("{name}: settings are {is:?}, were {was:?}, open is {open:?}");
            violations.push(Violation::lost(text));
        }
        self.settings = found.settings;
        let mut there = 0;
        for (number, item) in (0..).zip(&found.items) {
            let open = number == self.items && open == Some(Open::Item);
            match item {
                None if number < self.items => violations.push(Violation::lost(format!(
                    "{name}: item {number} was acknowledged, it is not there"
                ))),
                Some(item) if *item != self.item(number) => {
                    violations.push(Violation::half_applied(format!(
                        "{name}: item {number} is {item}, put was {}",
                        self.item(number)
                    )));
                }
                Some(_) if number >= self.items && !open => violations.push(Violation::lost(
                    format!("{name}: item {number} is there, nobody has put it"),
                )),
                _ => {}
            }
            there += u64::from(item.is_some());
        }
        if found.item_count != Some(there) {
            violations.push(Violation::half_applied(format!(
                "{name} is described with {:?} items, {there} are found",
                found.item_count
            )));
        }
        self.items = there;
        violations
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(existence: Existence) -> ChurnTable {
        ChurnTable {
            name: "churn".to_owned(),
            existence,
            life: 4,
            items: 2,
            settings: Settings { protected: false, tag: Some(7) },
            open: Some(Open::Item),
        }
    }

    fn found(items: u64, item_count: u64) -> Found {
        let table = table(Existence::There);
        let items = (0..=MOST_ITEMS).map(|number| (number < items).then(|| table.item(number)));
        let settings = table.settings;
        Found { settings, item_count: Some(item_count), items: items.collect() }
    }

    #[test]
    fn what_is_wrong_with_a_table_is_noticed() {
        use Existence::{Gone, Open, There};
        for (existence, seen, wrong) in [
            (There, Some(found(2, 2)), 0),
            (There, Some(found(3, 3)), 0),
            (Open, Some(found(2, 2)), 0),
            (Open, None, 0),
            (Gone, None, 0),
            (There, None, 1),
            (Gone, Some(found(2, 2)), 1),
            (There, Some(found(1, 1)), 1),
            (There, Some(found(4, 4)), 1),
            (There, Some(found(2, 3)), 1),
        ] {
            let violations = table(existence).check(seen.as_ref());
            assert_eq!(violations.len(), wrong, "{existence:?} {violations:?}");
        }
    }

    #[test]
    fn settings_are_as_they_were_or_as_they_were_asked_to_be() {
        let asked = Settings { protected: true, tag: Some(7) };
        let other = Settings { protected: true, tag: None };
        for (settings, open, wrong) in [
            (table(Existence::There).settings, Some(Open::Settings(asked)), 0),
            (asked, Some(Open::Settings(asked)), 0),
            (asked, Some(Open::Item), 1),
            (asked, None, 1),
            (other, Some(Open::Settings(asked)), 1),
        ] {
            let mut table = ChurnTable { open, ..table(Existence::There) };
            let seen = Found { settings, ..found(2, 2) };
            assert_eq!(table.check(Some(&seen)).len(), wrong, "{settings:?} {open:?}");
        }
    }

    #[test]
    fn items_of_a_table_before_are_noticed() {
        let mut seen = found(2, 2);
        seen.items[0] = Some(json!({"pk": {"N": "0"}, "life": {"N": "3"}}));
        assert_eq!(table(Existence::There).check(Some(&seen)).len(), 1);
    }
}

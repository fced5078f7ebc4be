//! A client that creates small tables, fills them and deletes them while others write items.
//! There is one of it, so each table has at most one request under way.

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

/// Whether a table is there, as far as one can know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Existence {
    There,
    Gone,
    /// Its creation or deletion was not acknowledged.
    Open,
}

/// What the client knows of one table.
#[derive(Debug)]
pub struct ChurnTable {
    name: String,
    existence: Existence,
    /// Tells the table from those of the same name before it; written into its items.
    life: u64,
    /// Items whose puts were acknowledged: numbers 0 to this.
    items: u64,
    /// The put of one more item was not acknowledged.
    item_open: bool,
}

/// What the server has of one table.
#[derive(Debug)]
struct Found {
    item_count: Option<u64>,
    items: Vec<Option<Value>>,
}

/// Tables that are not there yet.
pub fn tables() -> Vec<ChurnTable> {
    let table = |number| ChurnTable {
        name: format!("churn-{number}"),
        existence: Existence::Gone,
        life: 0,
        items: 0,
        item_open: false,
    };
    (0..TABLES).map(table).collect()
}

/// Works until the connection ends. Gives the number of acknowledged requests, and a complaint.
pub fn run(scene: &Scene, tables: &mut [ChurnTable], cycle: u32) -> (u64, Option<String>) {
    let mut random = Random::stream(scene.seed, u64::from(cycle) << 32 | 0xffff_ffff);
    let mut connection = match Connection::open(&scene.endpoint, PATIENCE) {
        Ok(connection) => connection,
        Err(error) => return (0, scene.complaint("connecting", &RequestError::Call(error))),
    };
    let mut acknowledged = 0;
    for _ in 0..MOST_STEPS {
        let chosen = random.between(0, tables.len() as u64) as usize;
        let Some(table) = tables.get_mut(chosen) else {
            continue;
        };
        if let Err(error) = table.step(scene, &mut random, &mut connection) {
            return (acknowledged, scene.complaint(&table.name, &error));
        }
        acknowledged += 1;
        // The writers are to be slowed down little.
        thread::sleep(Duration::from_millis(random.between(0, 8)));
    }
    (acknowledged, None)
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
            (self.items, self.item_open) = (0, false);
            self.life = scene.tick();
            send(connection, "CreateTable", &self.creation())?;
            self.existence = Existence::There;
        } else if self.items < MOST_ITEMS && random.percent(80) {
            self.item_open = true;
            let body = json!({"TableName": self.name, "Item": self.item(self.items)});
            send(connection, "PutItem", &body.to_string())?;
            self.item_open = false;
            self.items += 1;
        } else {
            self.existence = Existence::Open;
            send(connection, "DeleteTable", &named(&self.name))?;
            self.existence = Existence::Gone;
        }
        Ok(())
    }

    fn creation(&self) -> String {
        json!({
            "TableName": self.name,
            "BillingMode": "PAY_PER_REQUEST",
            "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "N"}],
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
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
        Ok(Some(Found { item_count, items }))
    }

    /// What is wrong with what was found; from then on that is what is known.
    fn check(&mut self, found: Option<&Found>) -> Vec<Violation> {
        let mut violations = Vec::new();
        let name = &self.name;
        match (self.existence, found) {
            (Existence::There, None) => violations
                .push(Violation::lost(format!("{name}: the table was created, it is not there"))),
            (Existence::Gone, Some(_)) => violations
                .push(Violation::lost(format!("{name}: the table was deleted, it is there"))),
            _ => {}
        }
        self.existence = match found {
            Some(_) => Existence::There,
            None => Existence::Gone,
        };
        let Some(found) = found else {
            return violations;
        };
        let mut there = 0;
        for (number, item) in (0..).zip(&found.items) {
            let open = number == self.items && self.item_open;
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
        (self.items, self.item_open) = (there, false);
        violations
    }
}

/// Checks all tables against what the server has.
pub fn check(
    connection: &mut Connection,
    tables: &mut [ChurnTable],
) -> Result<Vec<Violation>, RequestError> {
    let mut violations = Vec::new();
    for table in tables {
        let found = table.observe(connection)?;
        violations.extend(table.check(found.as_ref()));
    }
    Ok(violations)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(existence: Existence) -> ChurnTable {
        ChurnTable { name: "churn".to_owned(), existence, life: 4, items: 2, item_open: true }
    }

    fn found(items: u64, item_count: u64) -> Found {
        let table = table(Existence::There);
        let items = (0..=MOST_ITEMS).map(|number| (number < items).then(|| table.item(number)));
        Found { item_count: Some(item_count), items: items.collect() }
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
    fn items_of_a_table_before_are_noticed() {
        let mut seen = found(2, 2);
        seen.items[0] = Some(json!({"pk": {"N": "0"}, "life": {"N": "3"}}));
        assert_eq!(table(Existence::There).check(Some(&seen)).len(), 1);
    }
}

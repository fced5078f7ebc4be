//! A restore in place, or its preview, of what one client owns.

use super::{
    check::shown,
    filter::Filter,
    moment::Moment,
    table::{Item, Items, Key, NAME, OWN, date, now},
};
use crate::{
    dynamo::{RequestError, ask},
    http::Connection,
    outage::Violation,
};
use serde_json::{Map, Value, json};
use std::{
    collections::BTreeMap,
    thread,
    time::{Duration, Instant},
};

/// The longest that one may take once the server is up.
const LONGEST: Duration = Duration::from_secs(60);

/// A write to an item while it is put back.
#[derive(Debug, Clone)]
pub struct Meddling {
    /// The item.
    pub key: Key,
    /// What it became.
    pub item: Item,
    /// Whether that was answered.
    pub answered: bool,
}

/// One restore.
pub struct InPlace {
    /// The request.
    pub body: String,
    /// Whether it only shows what would change.
    pub preview: bool,
    /// Its id, once it is known.
    pub id: Option<String>,
    /// What it changes.
    pub changes: BTreeMap<Key, Option<Item>>,
    /// Who came between.
    pub meddling: Option<Meddling>,
    /// When it was asked for.
    pub from: u64,
    moment: f64,
    now: Items,
}

impl InPlace {
    /// A restore to a moment of what is owned now.
    pub fn new(moment: &Moment, filter: &Filter, owned: &Items, preview: bool) -> InPlace {
        let then = moment.items.iter().filter(|(key, _)| key.pk.starts_with(OWN));
        let then: Items = then.map(|(key, item)| (key.clone(), item.clone())).collect();
        let at = date(moment.millis);
        let mut request = Map::from_iter([
            ("TableName".to_owned(), NAME.into()),
            ("RestoreDateTime".to_owned(), at.clone()),
        ]);
        if preview {
            request.insert("DryRun".to_owned(), true.into());
        }
        filter.add_to(&mut request);
        InPlace {
            body: Value::Object(request).to_string(),
            preview,
            id: None,
            changes: filter.changes(owned, &then),
            meddling: None,
            from: now(),
            moment: at.as_f64().unwrap_or_default(),
            now: owned.clone(),
        }
    }

    /// Asks for it.
    pub fn ask(&mut self, connection: &mut Connection) -> Result<(), RequestError> {
        self.from = now();
        let answer = ask(connection, "RestoreItems", &self.body)?;
        let id = answer.get("RestoreId").and_then(Value::as_str);
        let id = id.ok_or(RequestError::Unexpected("a restore without an id"))?;
        self.id = Some(id.to_owned());
        Ok(())
    }

    /// Finds out whether it was begun, if there was no answer. `last` is the one before it.
    pub fn settle(&mut self, connection: &mut Connection, last: u64) -> Result<bool, RequestError> {
        if self.id.is_some() {
            return Ok(true);
        }
        let answer = ask(connection, "ListRestores", "{}")?;
        let restores = answer.get("Restores").and_then(Value::as_array);
        for restore in restores.into_iter().flatten() {
            let id = restore.get("RestoreId").and_then(Value::as_str).unwrap_or_default();
            let later = id.parse::<u64>().is_ok_and(|id| id > last);
            let preview = restore.get("DryRun").and_then(Value::as_bool).unwrap_or_default();
            let target = restore.get("TargetTableName").and_then(Value::as_str);
            let own = if self.preview { preview } else { target == Some(NAME) };
            if later && own {
                self.id = Some(id.to_owned());
            }
        }
        Ok(self.id.is_some())
    }

    /// Waits for its end; gives how it ended.
    pub fn wait(&self, connection: &mut Connection) -> Result<Value, RequestError> {
        let body = json!({"RestoreId": self.id}).to_string();
        let deadline = Instant::now() + LONGEST;
        loop {
            let mut answer = ask(connection, "DescribeRestore", &body)?;
            let description = answer.get_mut("RestoreDescription").map(Value::take);
            let description = description.unwrap_or_default();
            if description.get("Status").and_then(Value::as_str) != Some("IN_PROGRESS") {
                return Ok(description);
            }
            if Instant::now() > deadline {
                return Err(RequestError::Unexpected("a restore in place without an end"));
            }
            thread::sleep(Duration::from_millis(3));
        }
    }

    /// What is wrong with how it ended.
    pub fn compare(&self, ended: &Value) -> Vec<Violation> {
        let mut violations = Vec::new();
        let mut wrong = |text: String| {
            violations.push(Violation::inconsistent(format!("RestoreItems {}: {text}", self.body)));
        };
        if ended.get("Status").and_then(Value::as_str) != Some("COMPLETED") {
            wrong(format!("it ended as {ended}"));
        }
        if ended.get("RestoreDateTime").and_then(Value::as_f64) != Some(self.moment) {
            wrong(format!("it says it is of {:?}", ended.get("RestoreDateTime")));
        }
        if self.meddling.is_some() {
            return violations;
        }
        let deleted = self.changes.values().filter(|was| was.is_none()).count();
        for (name, expected) in
            [("ItemsWritten", self.changes.len()), ("ItemsDeleted", deleted), ("Conflicts", 0)]
        {
            let found = ended.get(name).and_then(Value::as_u64);
            if found != Some(expected as u64) {
                wrong(format!("{name} is {found:?}, not {expected}"));
            }
        }
        let samples = ended.get("Samples").and_then(Value::as_array);
        if self.preview && samples.map(Vec::len) != Some(self.changes.len().min(10)) {
            wrong(format!("{:?} samples of {}", samples.map(Vec::len), self.changes.len()));
        }
        for sample in samples.into_iter().flatten() {
            let side = |name: &str| sample.get(name).and_then(Value::as_object);
            let (is, was) = (side("Now"), side("Then"));
            let key = was.or(is).and_then(Key::of);
            let right = key.is_some_and(|key| {
                self.now.get(&key) == is
                    && self.changes.get(&key).is_some_and(|item| item.as_ref() == was)
            });
            if !right {
                let text = |item: Option<&Item>| item.map_or_else(|| "nothing".to_owned(), shown);
                wrong(format!("a sample of {} that was {}", text(is), text(was)));
            }
        }
        violations
    }
}

#[cfg(test)]
#[path = "in_place_tests.rs"]
mod tests;

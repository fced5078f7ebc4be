//! A client with keys that nobody else writes: it knows every version of its items, puts them back
//! in place, previews that, and reads their histories.

use super::{
    check::compare_items,
    filter::Filter,
    history::{self, Record, Version},
    in_place::{InPlace, Meddling},
    restorer::open,
    stage::{Stage, Stumble, none},
    table::{Item, Items, Key, NAME, OWN, now, read},
    writer,
};
use crate::{
    dynamo::{ask, send},
    http::Connection,
    outage::Violation,
    random::Random,
};
use serde_json::{Value, json};
use std::{collections::BTreeMap, sync::atomic::Ordering, thread, time::Duration};

/// How many keys it owns.
pub const KEYS: u64 = 150;

/// What it has done.
#[derive(Debug, Clone, Copy, Default)]
pub struct Done {
    /// Restores in place.
    pub in_place: u64,
    /// Of these, those where it wrote meanwhile.
    pub meddled: u64,
    /// Previews.
    pub dry_runs: u64,
    /// Histories of items.
    pub histories: u64,
}

/// A request without an answer: what it leaves of each item.
struct Open {
    results: Vec<(Key, Option<Item>)>,
    from: u64,
}

/// The client. What it knows outlives the server.
#[derive(Default)]
pub struct Owner {
    records: BTreeMap<Key, Record>,
    open: Option<Open>,
    pending: Option<InPlace>,
    last: u64,
    /// What it has done.
    pub done: Done,
}

impl Owner {
    /// Forgets its items, since the table is gone.
    pub fn forget(&mut self) {
        *self = Owner { last: self.last, done: self.done, ..Owner::default() };
    }

    /// Whether it has begun a restore that is not done.
    pub fn is_busy(&self) -> bool {
        self.pending.is_some()
    }

    /// Works until the server is ended.
    pub fn run(&mut self, stage: &Stage) -> Vec<Violation> {
        match self.work(stage) {
            Ok(()) => Vec::new(),
            Err(stumble) => stumble.violations("writing as an owner", Some(&stage.scene)),
        }
    }

    fn work(&mut self, stage: &Stage) -> Result<(), Stumble> {
        let mut random = stage.random(4 << 16);
        let mut connection = open(&stage.scene)?;
        self.finish(&mut connection)?;
        stage.in_place.store(0, Ordering::SeqCst);
        loop {
            thread::sleep(Duration::from_micros(random.spread(200, 4_000)));
            match random.between(0, 1000) {
                0..60 => self.look_back(&mut connection, &mut random)?,
                60..80 => {
                    stage.in_place.fetch_add(1, Ordering::SeqCst);
                    self.restore(&mut connection, &mut random, stage)?;
                    stage.in_place.fetch_add(1, Ordering::SeqCst);
                }
                _ => self.write(&mut connection, &mut random, stage)?,
            }
        }
    }

    /// Finds out what became of a request without an answer, and waits for a restore under way.
    pub fn finish(&mut self, connection: &mut Connection) -> Result<(), Stumble> {
        self.settle(connection)?;
        let Some(pending) = &mut self.pending else { return Ok(()) };
        if pending.settle(connection, self.last)? {
            self.conclude(connection)
        } else {
            self.pending = None;
            Ok(())
        }
    }

    fn settle(&mut self, connection: &mut Connection) -> Result<(), Stumble> {
        let Some(Open { results, from }) = &self.open else { return Ok(()) };
        let (mut made, mut not_made) = (0, 0);
        for (key, result) in results {
            let body = json!({"TableName": NAME, "Key": key.item(), "ConsistentRead": true});
            let answer = ask(connection, "GetItem", &body.to_string())?;
            let found = answer.get("Item").and_then(Value::as_object);
            let before = self.records.get(key).and_then(Record::item);
            made += usize::from(found == result.as_ref());
            not_made += usize::from(found == before);
        }
        if made == results.len() {
            let (from, results) = (*from, results.clone());
            self.record(results, from);
        } else if not_made != results.len() {
            let text = format!("a write of {results:?} without an answer was made in part");
            return none(vec![Violation::half_applied(text)]);
        }
        self.open = None;
        Ok(())
    }

    fn record(&mut self, results: impl IntoIterator<Item = (Key, Option<Item>)>, from: u64) {
        let to = now();
        for (key, item) in results {
            self.records.entry(key).or_insert_with(Record::new).add(Version { item, from, to });
        }
    }

    /// Its items.
    fn items(&self) -> Items {
        let items = self.records.iter();
        items.filter_map(|(key, record)| Some((key.clone(), record.item()?.clone()))).collect()
    }

    fn write(
        &mut self,
        connection: &mut Connection,
        random: &mut Random,
        stage: &Stage,
    ) -> Result<(), Stumble> {
        let key = Key::new(OWN, random.between(0, KEYS));
        let other = Key::new(OWN, random.between(0, KEYS));
        let id = stage.scene.tick();
        let put = |random: &mut Random, key: &Key| writer::item(random, key, id, false);
        let (operation, body, results) = match random.between(0, 100) {
            0..20 => {
                let body = json!({"TableName": NAME, "Key": key.item()});
                ("DeleteItem", body, vec![(key, None)])
            }
            20..35 if key != other => {
                let item = put(random, &key);
                let body = json!({"TransactItems": [
                    {"Put": {"TableName": NAME, "Item": item}},
                    {"Delete": {"TableName": NAME, "Key": other.item()}},
                ]});
                ("TransactWriteItems", body, vec![(key, Some(item)), (other, None)])
            }
            35..50 if key != other => {
                let items = [put(random, &key), put(random, &other)];
                let requests = items.each_ref().map(|item| json!({"PutRequest": {"Item": item}}));
                let [one, two] = items;
                let body = json!({"RequestItems": {NAME: requests}});
                ("BatchWriteItem", body, vec![(key, Some(one)), (other, Some(two))])
            }
            _ => {
                let item = put(random, &key);
                ("PutItem", json!({"TableName": NAME, "Item": item}), vec![(key, Some(item))])
            }
        };
        let enter = stage.enter();
        let from = now();
        self.open = Some(Open { results, from });
        send(connection, operation, &body.to_string())?;
        drop(enter);
        stage.writes.fetch_add(1, Ordering::Relaxed);
        if let Some(Open { results, from }) = self.open.take() {
            self.record(results, from);
        }
        Ok(())
    }

    /// Holds the history of some item against what it knows.
    pub fn look_back(
        &mut self,
        connection: &mut Connection,
        random: &mut Random,
    ) -> Result<(), Stumble> {
        let key = Key::new(OWN, random.between(0, KEYS));
        let nothing = Record::new();
        let record = self.records.get(&key).unwrap_or(&nothing);
        let answer = history::read(connection, &key)?;
        none(history::compare(&key, record, &answer))?;
        self.done.histories += 1;
        Ok(())
    }

    /// Puts items back in place, or previews it; at times writes to one of them meanwhile.
    fn restore(
        &mut self,
        connection: &mut Connection,
        random: &mut Random,
        stage: &Stage,
    ) -> Result<(), Stumble> {
        let Some(moment) = stage.notes.moment(random) else { return Ok(()) };
        let filter = Filter::choose_own(random, KEYS);
        let owned = self.items();
        let preview = random.percent(40);
        let pending = self.pending.insert(InPlace::new(&moment, &filter, &owned, preview));
        pending.ask(connection)?;
        let changed = pending.changes.len() as u64;
        if !preview && changed > 0 && random.percent(stage.meddle) {
            thread::sleep(Duration::from_micros(random.spread(1, 20_000)));
            let place = random.between(0, changed) as usize;
            if let Some(key) = pending.changes.keys().nth(place).cloned() {
                let item = writer::item(random, &key, stage.scene.tick(), false);
                let body = json!({"TableName": NAME, "Item": item}).to_string();
                pending.meddling = Some(Meddling { key, item, answered: false });
                let enter = stage.enter();
                send(connection, "PutItem", &body)?;
                drop(enter);
                if let Some(meddling) = &mut pending.meddling {
                    meddling.answered = true;
                }
            }
        }
        self.conclude(connection)
    }

    /// Waits for the restore under way, and holds its end against what it should be.
    fn conclude(&mut self, connection: &mut Connection) -> Result<(), Stumble> {
        let Some(pending) = &self.pending else { return Ok(()) };
        let ended = pending.wait(connection)?;
        none(pending.compare(&ended))?;
        let mut found = read(connection, NAME, None)?;
        found.retain(|key, _| key.pk.starts_with(OWN));
        let what = format!("RestoreItems {}, which ended as {ended}", pending.body);
        let Some(pending) = self.pending.take() else { return Ok(()) };
        if let Some(id) = pending.id.as_ref().and_then(|id| id.parse().ok()) {
            self.last = self.last.max(id);
        }
        if pending.preview {
            none(compare_items(&what, &self.items(), &found))?;
            self.done.dry_runs += 1;
            return Ok(());
        }
        let mut changes = pending.changes;
        if let Some(Meddling { key, item, answered }) = pending.meddling {
            let then = changes.remove(&key).flatten();
            let record = self.records.entry(key.clone()).or_insert_with(Record::new);
            let is = found.get(&key).cloned();
            // Without an answer the write may not have been made.
            let open = !answered && (is == then || is.as_ref() == record.item());
            if is.as_ref() != Some(&item) && !open {
                let text = format!("{what}: {key} was written meanwhile, and is {is:?}");
                let text = format!("{text} instead of {item:?}");
                return none(vec![Violation::lost(text)]);
            }
            record.blur(is);
            self.done.meddled += 1;
        }
        self.record(changes, pending.from);
        none(compare_items(&what, &self.items(), &found))?;
        self.done.in_place += 1;
        Ok(())
    }

    /// Takes the items it begins with from the table.
    pub fn begin(&mut self, connection: &mut Connection, from: u64) -> Result<(), Stumble> {
        let mut found = read(connection, NAME, None)?;
        found.retain(|key, _| key.pk.starts_with(OWN));
        self.record(found.into_iter().map(|(key, item)| (key, Some(item))), from);
        Ok(())
    }
}

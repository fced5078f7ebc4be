//! A healthy store has no findings; each corruption, made directly in the store, is found and named.

use super::*;
use crate::{
    Engine, Settings,
    environment::{Moment, System},
    items::{Action, ItemWrite, Token},
    keys::{self, Key},
    table::{
        self, BillingMode, GlobalIndex, IndexState, KeyAttribute, KeySchema, LocalIndex, Owner,
        Projection, Provisioned, Recovery, Status, Stream, StreamView, Table, TimeToLive,
    },
};
use std::{collections::BTreeMap, sync::Arc};
use store::{Clock, Memory, Store, Write};
use value::{Item, KeyType, Number, Value, codec};

fn schema(partition: &str, sort: Option<&str>) -> KeySchema {
    let attribute = |name: &str| KeyAttribute { name: name.to_owned(), kind: KeyType::S };
    KeySchema {
        partition: vec![attribute(partition)],
        sort: sort.map(attribute).into_iter().collect(),
    }
}

fn global(name: &str, key: &str, state: IndexState) -> GlobalIndex {
    GlobalIndex {
        number: 0,
        name: name.to_owned(),
        key: schema(key, None),
        projection: Projection::All,
        provisioned: Provisioned::default(),
        on_demand: None,
        warm: None,
        state,
    }
}

/// A table with everything that follows from items.
fn table() -> Table {
    Table {
        number: 0,
        name: "orders".to_owned(),
        uuid: String::new(),
        owner: Owner { region: "r".to_owned(), account: "a".to_owned() },
        created: Moment(0),
        status: Status::Active,
        key: schema("p", Some("s")),
        locals: vec![LocalIndex {
            number: 0,
            name: "by_l".to_owned(),
            key: schema("p", Some("l")),
            projection: Projection::KeysOnly,
        }],
        globals: vec![global("by_g", "g", IndexState::Active)],
        next_index: 0,
        billing: BillingMode::OnDemand,
        on_demand_since: None,
        provisioned: Provisioned::default(),
        on_demand: None,
        warm: None,
        stream: Some(Stream::enabled(StreamView::NewAndOldImages)),
        encryption: None,
        class: None,
        class_changed: None,
        deletion_protection: false,
        tags: BTreeMap::new(),
        policy: None,
        time_to_live: Some(TimeToLive::new("ttl".to_owned(), true)),
        recovery: Some(Recovery { days: 35, since: Moment(0) }),
        shards: Vec::new(),
        next_shard: 0,
        restored: None,
    }
}

fn item(number: u32, version: &str) -> Item {
    let text = |text: String| Value::S(text);
    Item::from([
        ("p".to_owned(), text(format!("p{}", number % 3))),
        ("s".to_owned(), text(format!("s{number}"))),
        ("l".to_owned(), text(format!("l{version}"))),
        ("g".to_owned(), text(format!("g{}", number % 2))),
        ("ttl".to_owned(), Value::N(Number::from(4_000_000_000_i64 + i64::from(number)))),
        ("v".to_owned(), text(version.to_owned())),
    ])
}

struct Scene {
    store: Arc<Memory>,
    engine: Arc<Engine>,
}

impl Scene {
    async fn new() -> Scene {
        let store = Arc::new(Memory::new(Clock::system()));
        let shared: Arc<dyn Store> = store.clone();
        let settings = Settings { stream_shards: 2, ..Settings::default() };
        let engine = Engine::open(shared, Arc::new(System), settings).await.unwrap();
        let scene = Scene { store, engine: Arc::new(engine) };
        scene.fill().await;
        scene
    }

    async fn put(&self, item: Item) {
        let entry = self.engine.table("orders").unwrap();
        let write = ItemWrite { action: Action::Put(item), condition: None };
        self.engine.write_item(entry, write).await.unwrap();
    }

    async fn fill(&self) {
        self.engine.create_table(table()).await.unwrap();
        for number in 0..10 {
            self.put(item(number, "1")).await;
        }
        for number in 0..5 {
            self.put(item(number, "22")).await;
        }
        self.put(item(0, MIDDLE)).await;
        self.put(item(0, "333")).await;
        let entry = self.engine.table("orders").unwrap();
        let key = item(9, "1").into_iter().filter(|(name, _)| name == "p" || name == "s").collect();
        let write = ItemWrite { action: Action::Delete(key), condition: None };
        self.engine.write_item(entry.clone(), write).await.unwrap();
        let token = Token { text: "token".to_owned(), digest: 5 };
        let write = ItemWrite { action: Action::Put(item(8, "3")), condition: None };
        self.engine.transact(vec![(entry.clone(), write)], Some(token)).await.unwrap();
        self.engine.create_backup(&entry.table, "saved".to_owned()).await.unwrap();
        self.engine.run_backups().await.unwrap();
    }

    async fn write(&self, writes: Vec<Write>) {
        self.engine.write(writes).await.unwrap();
    }

    /// The entries with a tag.
    async fn all(&self, tag: u8) -> Vec<(Bytes, Bytes)> {
        let snapshot = self.store.snapshot().await.unwrap();
        crate::records::entries(&*snapshot, records::all(tag)).await.unwrap()
    }

    async fn findings(&self) -> Vec<String> {
        self.findings_of_any().await.unwrap()
    }

    async fn findings_of_any(&self) -> Result<Vec<String>, EngineError> {
        let snapshot = self.store.snapshot().await?;
        let mut found = Found::default();
        verify(&*snapshot, &mut found).await?;
        Ok(found.0)
    }
}

#[derive(Default)]
struct Found(Vec<String>);

impl Audience for Found {
    fn found(&mut self, finding: Finding) {
        self.0.push(format!("{}: {}", finding.place, finding.problem));
    }

    fn read(&mut self, _: &'static str, _: u64) {}
}

#[tokio::test]
async fn a_healthy_store_has_no_findings() {
    let scene = Scene::new().await;
    assert_eq!(scene.findings().await, [""; 0]);
    // A shard that ends, an index that is being built, a table that is gone but kept.
    scene
        .engine
        .change_table("orders", |table, _| {
            let mut table = table.clone();
            table.globals.push(GlobalIndex {
                number: table.next_index,
                ..global("by_v", "v", IndexState::Building { allocated: Moment(i64::MAX) })
            });
            table.next_index += 1;
            table.stream = table.stream.map(|stream| Stream { enabled: false, ..stream });
            Ok::<_, std::convert::Infallible>(table)
        })
        .await
        .unwrap();
    assert_eq!(scene.findings().await, [""; 0]);
    scene.put(item(3, "written while the index is built")).await;
    assert_eq!(scene.findings().await, [""; 0]);
    let other = Table { name: "other".to_owned(), ..table() };
    scene.engine.create_table(other).await.unwrap();
    scene.engine.delete_table("orders", |_, _| Ok::<_, ()>(())).await.unwrap();
    for swept in [false, true] {
        if swept {
            scene.engine.sweep().await.unwrap();
        }
        let snapshot = scene.store.snapshot().await.unwrap();
        let mut found = Found::default();
        verify(&*snapshot, &mut found).await.unwrap();
        assert_eq!(found.0, [""; 0], "swept: {swept}");
    }
}

fn put(key: impl Into<Bytes>, value: impl Into<Bytes>) -> Write {
    Write::Put { key: key.into(), value: value.into() }
}

fn delete(key: &Bytes) -> Write {
    Write::Delete { key: key.clone() }
}

/// An item that has another value of an attribute.
fn altered(stored: &Bytes, name: &str, text: &str) -> Vec<u8> {
    let mut item = codec::decode(stored).unwrap();
    item.insert(name.to_owned(), Value::S(text.to_owned()));
    codec::encode(&item)
}

/// What is done to an entry of a store: its key and value in, writes out.
type Corrupt = fn(&Bytes, &Bytes) -> Vec<Write>;

/// What an item was, between two other changes of it.
const MIDDLE: &str = "between";

/// In the place of a number: the change that made an item so.
const OF_MIDDLE: usize = usize::MAX;

/// The tag of what is corrupted, which of its entries, how, and what the finding must say.
const CORRUPTIONS: &[(u8, usize, Corrupt, &str)] = &[
    (
        keys::DEFINITION,
        0,
        |key, _| vec![put(key.clone(), vec![9])],
        "table orders: a table definition",
    ),
    (
        keys::DEFINITION,
        0,
        |_, value| vec![put(Key::Definition { table: "twin" }.encode(), value.clone())],
        "table twin: its definition is that of a table orders",
    ),
    (keys::NEXT_TABLE, 0, |key, _| vec![delete(key)], "the next to be given is None"),
    (keys::ITEM, 0, |key, _| vec![delete(key)], "there is an entry for item p="),
    (keys::ITEM, 1, |key, _| vec![delete(key)], "its counter says 9 items"),
    (keys::ITEM, 2, |key, _| vec![delete(key)], "left it there, but it is gone"),
    (
        keys::ITEM,
        3,
        |key, value| vec![put(key.clone(), altered(value, "v", "x"))],
        "it is not what its last change",
    ),
    (
        keys::ITEM,
        3,
        |key, value| vec![put(key.clone(), altered(value, "g", "x"))],
        "index by_g: there is no entry for item p=",
    ),
    (
        keys::ITEM,
        4,
        |key, value| vec![put(key.clone(), altered(value, "s", "x"))],
        "the item there has another key",
    ),
    (keys::ITEM, 4, |key, _| vec![put(key.clone(), vec![1, 9])], "it cannot be read"),
    (
        keys::ITEM,
        0,
        |key, value| {
            let other = [&key[..4], &[77], &key[5..]].concat();
            vec![put(other, value.clone())]
        },
        "table number 77: it has items, but no definition",
    ),
    (keys::ENTRY, 0, |key, _| vec![delete(key)], "index by_l: there is no entry for item p="),
    (keys::ENTRY, 12, |key, _| vec![delete(key)], "index by_g: there is no entry for item p="),
    (
        keys::ENTRY,
        12,
        |key, value| vec![put(key.clone(), altered(value, "v", "x"))],
        "index by_g: the entry of item p=",
    ),
    (
        keys::ENTRY,
        12,
        |key, value| {
            let stray = [&key[..], &[b'!', 0, 0]].concat();
            vec![put(stray, value.clone())]
        },
        "index by_g: there is an entry for item",
    ),
    (
        keys::ENTRY,
        0,
        |key, value| {
            let other = [&key[..6], &[7], &key[7..]].concat();
            vec![put(other, value.clone())]
        },
        "index number 7: it has entries, but no definition",
    ),
    (keys::EXPIRY, 0, |key, _| vec![delete(key)], "its expiry is not noted"),
    (
        keys::EXPIRY,
        1,
        |key, _| {
            let other = [&key[..16], &[0], &key[17..]].concat();
            vec![put(other, vec![])]
        },
        "does not follow from it",
    ),
    (
        keys::EXPIRY,
        1,
        |key, _| {
            let other = [&key[..8], &[9], &key[9..]].concat();
            vec![put(other, vec![])]
        },
        "generation 9: expiries that belong to no table",
    ),
    (
        keys::COUNTER,
        0,
        |key, _| vec![Write::Add { key: key.clone(), by: [1, 0] }],
        "table orders: its counter says 10 items",
    ),
    (
        keys::COUNTER,
        2,
        |key, _| vec![Write::Add { key: key.clone(), by: [0, -1] }],
        "table orders, index by_g: its counter says",
    ),
    (
        keys::COLLECTION,
        0,
        |key, _| vec![Write::Add { key: key.clone(), by: [0, 1] }],
        "item collection p=",
    ),
    (keys::COLLECTION, 0, |key, _| vec![delete(key)], "its size is given as 0 items"),
    (keys::STREAM, 0, |key, _| vec![delete(key)], "it is enabled, but has no record"),
    (keys::STREAM, 0, |key, _| vec![put(key.clone(), vec![1, 2])], "its record cannot be read"),
    (
        keys::SHARD,
        0,
        |key, _| vec![delete(key)],
        "the definition has it open, but it has no record",
    ),
    (
        keys::SHARD,
        0,
        |key, _| {
            let end = [&[keys::SHARD_END], &key[1..]].concat();
            vec![put(end, vec![0xff; 8])]
        },
        "the definition has it open, but it is closed",
    ),
    (
        keys::SHARD,
        0,
        |key, value| {
            let other = [&key[..8], &[99]].concat();
            vec![put(other, value.clone())]
        },
        "shard 99: it is open, but no definition knows of it",
    ),
    (keys::CHANGE, OF_MIDDLE, |key, _| vec![delete(key)], "a change is missing or altered"),
    (keys::CHANGE, 1, |key, _| vec![put(key.clone(), vec![1, 9, 0])], "it cannot be read"),
    (
        keys::CHANGE,
        1,
        |key, value| {
            let early = [&key[..9], &[0; 10]].concat();
            vec![put(early, value.clone())]
        },
        "it is not between the beginning and the end of its shard",
    ),
    (
        keys::CHANGE,
        1,
        |key, value| {
            let late = [&key[..9], &[0x7f; 10]].concat();
            vec![put(late, value.clone())]
        },
        "it is from after the last commit",
    ),
    (keys::TOKEN, 0, |key, _| vec![delete(key)], "token token: it has an end, but is not there"),
    (keys::TOKEN_EXPIRY, 0, |key, _| vec![delete(key)], "but has no entry for that"),
    (keys::TOKEN, 0, |key, _| vec![put(key.clone(), vec![1])], "its record cannot be read"),
    (keys::BACKUP, 0, |key, _| vec![delete(key)], "backup 1: it has items, but no record"),
    (keys::BACKUP, 0, |key, _| vec![put(key.clone(), vec![1])], "its record cannot be read"),
    (keys::BACKUP_ITEM, 0, |key, _| vec![delete(key)], "backup saved: it should hold 9 items"),
    (keys::BACKUP_ITEM, 0, |key, _| vec![put(key.clone(), vec![1])], "backup saved, item p="),
    (
        keys::BACKUP,
        0,
        |_, _| vec![put(Key::Restore { restore: 1 }.encode(), vec![0xc0])],
        "restore 1: its record cannot be read",
    ),
    (
        keys::ITEM,
        0,
        |key, value| {
            let noted = [&[0; 16], &[1][..], value].concat();
            vec![put(Key::Undo { restore: 5, item: key }.encode(), noted)]
        },
        "restore 5: it has noted items, but is not under way",
    ),
    (
        keys::NEXT_JOB,
        0,
        |key, _| vec![delete(key)],
        "backup 1: the next number to be given is None",
    ),
    (keys::ITEM, 0, |_, _| vec![put(vec![0x0b, 1], vec![])], "key 0b01: its tag is not known"),
    (keys::ITEM, 0, |_, _| vec![put(vec![0x77], vec![])], "key 77: its tag is not known"),
    (
        keys::ITEM,
        0,
        |_, _| vec![put(vec![keys::ENTRY, 1], vec![])],
        "it is not built as such keys are",
    ),
];

#[tokio::test]
async fn each_corruption_is_found_and_named() {
    for (at, (tag, which, corrupt, expected)) in CORRUPTIONS.iter().enumerate() {
        let scene = Scene::new().await;
        let entries = scene.all(*tag).await;
        let middle = |(_, value): &(Bytes, Bytes)| {
            value.windows(MIDDLE.len()).any(|window| window == MIDDLE.as_bytes())
        };
        let which =
            if *which == OF_MIDDLE { entries.iter().position(middle) } else { Some(*which) };
        let (key, value) = &entries[which.unwrap()];
        scene.write(corrupt(key, value)).await;
        let findings = match scene.findings_of_any().await {
            Ok(findings) => findings,
            Err(error) => panic!("corruption {at}: {error}"),
        };
        assert!(
            findings.iter().any(|finding| finding.contains(expected)),
            "corruption {at} of tag {tag:02x}: expected {expected:?}, found {findings:#?}"
        );
    }
}

#[tokio::test]
async fn a_table_that_waits_for_nobody_is_named() {
    let scene = Scene::new().await;
    let (key, value) = scene.all(keys::DEFINITION).await.remove(0);
    let mut table: Table = table::read(&value).unwrap();
    table.status = Status::Creating { until: Moment(i64::MAX) };
    scene.write(vec![put(key, table::write(&table).unwrap())]).await;
    let findings = scene.findings().await;
    assert_eq!(
        findings,
        ["table orders: it waits to be filled, but no restore or import fills it"]
    );
}

//! What is in the store follows the tables and items: index entries, counters,
//! and nothing left of deleted tables.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

use monotable_engine::{
    Engine, Settings,
    environment::{Moment, System},
    items::{Action, ItemWrite},
    keys::Key,
    table::{
        BillingMode, GlobalIndex, IndexState, KeyAttribute, KeySchema, Owner, Projection,
        Provisioned, Status, Table,
    },
    tables::Statistics,
};
use std::{collections::BTreeMap, sync::Arc};
use store::{Clock, Direction, KeyRange, Memory, PageLimit, Store};
use value::{Item, KeyType, Value};

fn schema(partition: &str) -> KeySchema {
    let attribute = KeyAttribute { name: partition.to_owned(), kind: KeyType::S };
    KeySchema { partition: vec![attribute], sort: Vec::new() }
}

fn table(name: &str) -> Table {
    let global = GlobalIndex {
        number: 0,
        name: "by_g".to_owned(),
        key: schema("g"),
        projection: Projection::KeysOnly,
        provisioned: Provisioned::default(),
        on_demand: None,
        warm: None,
        state: IndexState::Active,
    };
    Table {
        number: 0,
        name: name.to_owned(),
        uuid: String::new(),
        owner: Owner { region: "r".to_owned(), account: "a".to_owned() },
        created: Moment(0),
        status: Status::Active,
        key: schema("p"),
        locals: Vec::new(),
        globals: vec![global],
        next_index: 0,
        billing: BillingMode::OnDemand,
        on_demand_since: None,
        provisioned: Provisioned::default(),
        on_demand: None,
        warm: None,
        stream: None,
        encryption: None,
        class: None,
        class_changed: None,
        deletion_protection: false,
        tags: BTreeMap::new(),
        policy: None,
        time_to_live: None,
        recovery: None,
        shards: Vec::new(),
        next_shard: 0,
        restored: None,
    }
}

fn item(pairs: &[(&str, &str)]) -> Item {
    pairs.iter().map(|(name, text)| ((*name).to_owned(), Value::S((*text).to_owned()))).collect()
}

fn put(item: Item) -> ItemWrite {
    ItemWrite { action: Action::Put(item), condition: None }
}

fn delete(key: Item) -> ItemWrite {
    ItemWrite { action: Action::Delete(key), condition: None }
}

async fn open(store: &Arc<Memory>) -> Arc<Engine> {
    let store: Arc<dyn Store> = store.clone();
    Arc::new(Engine::open(store, Arc::new(System), Settings::default()).await.unwrap())
}

async fn count(store: &Memory, range: KeyRange) -> usize {
    let snapshot = store.snapshot().await.unwrap();
    let limit = PageLimit { entries: usize::MAX, bytes: usize::MAX };
    snapshot.range(range, Direction::Forward, limit).await.unwrap().entries.len()
}

#[tokio::test]
async fn entries_and_counters_follow_the_items() {
    let store = Arc::new(Memory::new(Clock::system()));
    let engine = open(&store).await;
    let entry = engine.create_table(table("abc")).await.unwrap();
    let number = entry.table.number;
    let [_, entries, ..] = Key::table_data(number);
    for (write, items, bytes, indexed, index_bytes) in [
        (put(item(&[("p", "1"), ("g", "x"), ("v", "12345")])), 1, 10, 1, 4),
        (put(item(&[("p", "2"), ("v", "1")])), 2, 14, 1, 4),
        (put(item(&[("p", "1"), ("g", "yy")])), 2, 9, 1, 5),
        (put(item(&[("p", "1")])), 2, 6, 0, 0),
        (delete(item(&[("p", "2")])), 1, 2, 0, 0),
        (delete(item(&[("p", "2")])), 1, 2, 0, 0),
        (delete(item(&[("p", "1")])), 0, 0, 0, 0),
    ] {
        engine.write_item(entry.clone(), write.clone()).await.unwrap();
        let held = engine.statistics(&entry.table, &[0, 1]).await.unwrap();
        let expected =
            [Statistics { items, bytes }, Statistics { items: indexed, bytes: index_bytes }];
        assert_eq!(held, expected, "{write:?}");
        assert_eq!(count(&store, entries.clone()).await, indexed as usize, "{write:?}");
    }
}

#[tokio::test]
async fn nothing_is_left_of_a_deleted_table() {
    let store = Arc::new(Memory::new(Clock::system()));
    let engine = open(&store).await;
    let kept = engine.create_table(table("kept")).await.unwrap();
    let gone = engine.create_table(table("gone")).await.unwrap();
    for i in 0..1200 {
        let text = i.to_string();
        for entry in [&kept, &gone] {
            let write = put(item(&[("p", &text), ("g", &text)]));
            engine.write_item(entry.clone(), write).await.unwrap();
        }
    }
    engine.delete_table::<()>("gone", |_, _| Ok(())).await.unwrap();
    // A sweep that was cut short by a restart goes on after it.
    let engine = open(&store).await;
    engine.sweep().await.unwrap();
    for range in Key::table_data(gone.table.number) {
        assert_eq!(count(&store, range).await, 0);
    }
    assert_eq!(count(&store, Key::dropped()).await, 0);
    let [items, entries, ..] = Key::table_data(kept.table.number);
    assert_eq!((count(&store, items).await, count(&store, entries).await), (1200, 1200));
    let again = engine.create_table(table("gone")).await.unwrap();
    assert!(again.table.number > gone.table.number, "numbers are never used again");
}

/// Writers race with changes and re-creations of their table: a write that is
/// acknowledged went into the table that was there.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn writes_follow_a_table_that_changes_under_them() {
    let store = Arc::new(Memory::new(Clock::system()));
    let engine = open(&store).await;
    engine.create_table(table("abc")).await.unwrap();
    let writers: Vec<_> = (0..4)
        .map(|writer| {
            let engine = engine.clone();
            tokio::spawn(async move {
                for i in 0..300 {
                    // Between a deletion and the next creation there is no table.
                    if let Ok(entry) = engine.usable_table("abc") {
                        let write = put(item(&[("p", &format!("{writer}-{i}")), ("g", "x")]));
                        let _ = engine.write_item(entry, write).await;
                    }
                }
            })
        })
        .collect();
    for round in 0..60 {
        if round % 3 == 0 {
            engine.delete_table::<()>("abc", |_, _| Ok(())).await.unwrap();
            engine.create_table(table("abc")).await.unwrap();
        } else {
            let change = move |table: &Table, _| {
                let mut changed = table.clone();
                changed.tags.insert("round".to_owned(), round.to_string());
                Ok::<_, ()>(changed)
            };
            engine.change_table("abc", change).await.unwrap();
        }
        tokio::task::yield_now().await;
    }
    for writer in writers {
        writer.await.unwrap();
    }
    engine.sweep().await.unwrap();
    let entry = engine.table("abc").unwrap();
    let held = engine.statistics(&entry.table, &[0, 1]).await.unwrap();
    let [items, entries, ..] = Key::table_data(entry.table.number);
    assert_eq!(count(&store, items).await as i64, held[0].items);
    assert_eq!(count(&store, entries).await as i64, held[1].items);
    // Of the tables before, the sweep has left nothing.
    for number in 1..entry.table.number {
        for range in Key::table_data(number) {
            assert_eq!(count(&store, range).await, 0, "table {number}");
        }
    }
}

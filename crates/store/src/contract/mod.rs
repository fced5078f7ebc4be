//! What every engine must do, as checks that panic when it does not.
//!
//! A check gets stores from a [`Factory`] and knows nothing else about the engine.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a check fails by panicking"
)]

mod commits;
mod durability;
mod races;
mod ranges;
#[cfg(test)]
mod tests;

use crate::{BoxFuture, Direction, KeyRange, PageLimit, Snapshot, Store, Version, Write};
use bytes::Bytes;
use std::sync::Arc;

/// Makes stores of the engine under test.
pub trait Factory: Send + Sync {
    /// A new, empty store.
    fn create(&self) -> BoxFuture<'_, Arc<dyn Store>>;

    /// Whether data outlives its store.
    fn is_durable(&self) -> bool;

    /// Opens the data of `store` again after it has ended: closed if `clean`, just dropped otherwise.
    /// It is asked for only if the engine is durable.
    fn reopen(&self, store: Arc<dyn Store>, clean: bool) -> BoxFuture<'_, Arc<dyn Store>>;
}

/// Runs every check. Needs a multi-threaded tokio runtime for the races to be races.
pub async fn check(factory: &dyn Factory) {
    commits::check(factory).await;
    ranges::check(factory).await;
    races::check(factory).await;
    durability::check(factory).await;
}

fn bytes(text: &str) -> Bytes {
    Bytes::copy_from_slice(text.as_bytes())
}

fn put(key: &str, value: &str) -> Write {
    Write::Put { key: bytes(key), value: bytes(value) }
}

fn delete(key: &str) -> Write {
    Write::Delete { key: bytes(key) }
}

fn add(key: &str, by: [i64; 2]) -> Write {
    Write::Add { key: bytes(key), by }
}

/// Commits writes that depend on nothing.
async fn write(store: &dyn Store, writes: Vec<Write>) -> Version {
    let decide = Box::new(move |_, _: &[Option<Bytes>]| writes.clone());
    store.commit(Vec::new(), decide).await.unwrap()
}

/// Commits nothing, to learn what a decision is shown.
async fn shown(store: &dyn Store, keys: &[&str]) -> Vec<Option<Bytes>> {
    let keys = keys.iter().map(|key| bytes(key)).collect();
    let decide = |_, values: &[Option<Bytes>]| crate::Decision {
        writes: Vec::new(),
        outcome: values.to_vec(),
    };
    crate::commit(store, keys, decide).await.unwrap().outcome
}

async fn get(snapshot: &dyn Snapshot, key: &str) -> Option<String> {
    let value = snapshot.get(key.as_bytes()).await.unwrap()?;
    Some(String::from_utf8(value.to_vec()).unwrap())
}

async fn get_now(store: &dyn Store, key: &str) -> Option<String> {
    get(&*store.snapshot().await.unwrap(), key).await
}

/// Everything a snapshot sees, read in small pages.
async fn all(snapshot: &dyn Snapshot) -> Vec<(Bytes, Bytes)> {
    let mut range = KeyRange::all();
    let mut entries = Vec::new();
    loop {
        let limit = PageLimit::entries(100);
        let page = snapshot.range(range.clone(), Direction::Forward, limit).await.unwrap();
        entries.extend(page.entries);
        if !page.more {
            return entries;
        }
        range = range.after(&entries.last().unwrap().0, Direction::Forward);
    }
}

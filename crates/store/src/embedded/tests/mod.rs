//! What the embedded engine does beyond the contract.

mod damage;
mod directories;
mod full_disk;
mod killed;
mod torn_tail;
mod verify;
mod views;

use super::*;
use crate::{Direction, KeyRange, PageLimit, Write};
use std::{collections::BTreeMap, path::Path};

type Entries = BTreeMap<Bytes, Bytes>;

fn open(path: &Path) -> Result<Embedded, StoreError> {
    Embedded::open(path, Options { clock: still(), ..Options::default() })
}

/// Options with which tables are written after a few commits.
fn flushing() -> Options {
    Options { memtable_bytes: 1 << 10, clock: still(), ..Options::default() }
}

/// A clock that stands still, so that versions count commits.
fn still() -> Clock {
    Clock::new(|| 0)
}

fn put(key: impl Into<Bytes>, value: impl Into<Bytes>) -> Write {
    Write::Put { key: key.into(), value: value.into() }
}

async fn write(store: &Embedded, writes: Vec<Write>) -> Result<Version, StoreError> {
    store.commit(vec![], Box::new(move |_, _| writes.clone())).await
}

async fn all(store: &Embedded) -> Result<Entries, StoreError> {
    let snapshot = store.snapshot().await?;
    let limit = PageLimit::entries(usize::MAX);
    let page = snapshot.range(KeyRange::all(), Direction::Forward, limit).await?;
    let entries: Entries = page.entries.into_iter().collect();
    // What a scan shows, single reads must show too.
    for (key, value) in &entries {
        assert_eq!(snapshot.get(key).await?.as_ref(), Some(value));
    }
    Ok(entries)
}

/// Opens a store and reads all of it.
async fn read(path: &Path) -> Result<(Version, Entries), StoreError> {
    let store = open(path)?;
    let version = store.snapshot().await?.version();
    Ok((version, all(&store).await?))
}

/// On a busy machine a test may take so long that a store notes what it has reached.
fn forget_reached(root: &Path) {
    let _ = std::fs::remove_file(root.join("REACHED"));
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

fn files(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(root).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found.sort();
    found
}

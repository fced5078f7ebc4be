//! Views stay put while fjall flushes and compacts behind them.

use super::*;
use std::sync::atomic::{AtomicBool, Ordering};

fn key(number: u8) -> Vec<u8> {
    [b"together/".as_slice(), &[number]].concat()
}

/// Every commit gives all keys the same value, so a view with two values has moved or is torn.
#[tokio::test(flavor = "multi_thread")]
async fn views_see_whole_commits_while_tables_are_written() {
    let root = tempfile::tempdir().unwrap();
    let store = Arc::new(Embedded::open(root.path(), flushing()).unwrap());
    let done = Arc::new(AtomicBool::new(false));
    let readers: Vec<_> = (0..2)
        .map(|_| {
            let (store, done) = (Arc::clone(&store), Arc::clone(&done));
            tokio::spawn(async move {
                let mut views = 0;
                let range = KeyRange::new(key(0), key(20));
                let limit = PageLimit::entries(100);
                assert!(range.together().is_some());
                while !done.load(Ordering::Relaxed) {
                    let snapshot = store.snapshot().await.unwrap();
                    let version = snapshot.version();
                    for pass in 0..2 {
                        for number in 0..20u8 {
                            let value = snapshot.get(&key(number)).await.unwrap();
                            let expected = (version > Version(0))
                                .then(|| Bytes::from(version.0.to_le_bytes().repeat(10)));
                            assert_eq!(value, expected, "pass {pass} of view {version}");
                        }
                        let page = snapshot.range(range.clone(), Direction::Forward, limit);
                        let page = page.await.unwrap();
                        assert_eq!(page.entries.len(), if version > Version(0) { 20 } else { 0 });
                        for (_, value) in page.entries {
                            assert_eq!(value, version.0.to_le_bytes().repeat(10));
                        }
                        tokio::task::yield_now().await;
                    }
                    views += 1;
                }
                views
            })
        })
        .collect();
    for _ in 0..400 {
        let decide = |version: Version, _: &[Option<Bytes>]| {
            (0..20u8).map(|number| put(key(number), version.0.to_le_bytes().repeat(10))).collect()
        };
        store.commit(vec![], Box::new(decide)).await.unwrap();
    }
    done.store(true, Ordering::Relaxed);
    for reader in readers {
        assert!(reader.await.unwrap() > 0);
    }
    assert!(!files(&root.path().join("store/keyspaces/1/tables")).is_empty());
}

/// Requests that were read long before they are decided must not bring old values back.
#[tokio::test(flavor = "multi_thread")]
async fn values_read_before_a_decision_are_not_used_after_they_changed() {
    let root = tempfile::tempdir().unwrap();
    let store = Arc::new(Embedded::open(root.path(), flushing()).unwrap());
    let tasks: Vec<_> = (0..64u64)
        .map(|task| {
            let store = Arc::clone(&store);
            tokio::spawn(async move {
                for round in 0..20u64 {
                    // A few hot keys, a value that grows the memory of recent writes, and deletions.
                    let keys = [task % 3, (task + round) % 5].map(|n| Bytes::from(format!("n{n}")));
                    let decide = move |_: Version, values: &[Option<Bytes>]| {
                        let own = put(format!("t{task}"), vec![0; 2000]);
                        let mut writes = vec![own];
                        let mut done = Vec::new();
                        for (key, value) in keys.iter().zip(values) {
                            if done.contains(&key) {
                                continue;
                            }
                            done.push(key);
                            let count = value
                                .as_ref()
                                .map_or(0, |v| u64::from_le_bytes(v[..8].try_into().unwrap()));
                            writes.push(put(key.clone(), (count + 1).to_le_bytes().to_vec()));
                        }
                        writes
                    };
                    let keys = [task % 3, (task + round) % 5].map(|n| Bytes::from(format!("n{n}")));
                    store.commit(keys.to_vec(), Box::new(decide)).await.unwrap();
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    let mut expected = BTreeMap::new();
    for (task, round) in (0..64u64).flat_map(|task| (0..20u64).map(move |round| (task, round))) {
        let keys = [task % 3, (task + round) % 5];
        *expected.entry(keys[0]).or_insert(0) += 1u64;
        if keys[1] != keys[0] {
            *expected.entry(keys[1]).or_insert(0) += 1;
        }
    }
    let entries = all(&store).await.unwrap();
    for (key, count) in expected {
        let stored = &entries[format!("n{key}").as_bytes()];
        assert_eq!(stored[..], count.to_le_bytes(), "n{key}");
    }
}

/// Whoever reads a range steps over every version that is in memory, for as long as it is there.
#[tokio::test(flavor = "multi_thread")]
async fn old_versions_are_written_out_when_nothing_is_written_any_more() {
    let root = tempfile::tempdir().unwrap();
    let tables = root.path().join("store/keyspaces/1/tables");
    let store = open(root.path()).unwrap();
    for number in 0..300u64 {
        // So far there are not many enough.
        assert!(number > 250 || files(&tables).is_empty());
        write(&store, vec![put("k", number.to_le_bytes().to_vec())]).await.unwrap();
    }
    while files(&tables).is_empty() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let last = Bytes::from(299u64.to_le_bytes().to_vec());
    assert_eq!(all(&store).await.unwrap(), Entries::from([("k".into(), last)]));
    let version = write(&store, vec![put("k", "new")]).await.unwrap();
    assert_eq!(store.snapshot().await.unwrap().version(), version);
    store.close().await.unwrap();
    drop(store);
    let entries = Entries::from([("k".into(), "new".into())]);
    assert_eq!(read(root.path()).await.unwrap(), (version, entries));
}

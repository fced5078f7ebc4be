//! One commit after the other: what it writes, what it is shown, which version it gets.

use super::{Factory, add, all, bytes, delete, get, get_now, put, shown, write};
use crate::{Decision, Store, StoreError, Version, commit, counters};
use bytes::Bytes;
use std::panic::AssertUnwindSafe;

pub(super) async fn check(factory: &dyn Factory) {
    an_empty_store_has_nothing(&*factory.create().await).await;
    all_writes_of_a_commit_show_together(&*factory.create().await).await;
    the_last_write_to_a_key_wins(&*factory.create().await).await;
    a_decision_is_shown_the_values_of_its_keys(&*factory.create().await).await;
    a_snapshot_does_not_move(&*factory.create().await).await;
    versions_grow(&*factory.create().await).await;
    a_decision_without_writes_is_answered(&*factory.create().await).await;
    counters_add_up(&*factory.create().await).await;
    counters_stop_at_the_limits(&*factory.create().await).await;
    keys_that_cannot_be_held_are_refused(&*factory.create().await).await;
    large_keys_and_values_are_kept(&*factory.create().await).await;
    a_closed_store_takes_no_commits(&*factory.create().await).await;
    a_panic_in_a_decision_poisons_the_store(&*factory.create().await).await;
}

async fn an_empty_store_has_nothing(store: &dyn Store) {
    let snapshot = store.snapshot().await.unwrap();
    assert_eq!(snapshot.version(), Version(0));
    assert_eq!(get(&*snapshot, "a").await, None);
    assert!(all(&*snapshot).await.is_empty());
}

async fn all_writes_of_a_commit_show_together(store: &dyn Store) {
    write(store, vec![put("a", "1"), put("b", "1"), put("c", "1")]).await;
    write(store, vec![put("a", "2"), delete("b"), put("d", "2")]).await;
    let snapshot = store.snapshot().await.unwrap();
    let expected = [("a", "2"), ("c", "1"), ("d", "2")];
    assert_eq!(all(&*snapshot).await, expected.map(|(key, value)| (bytes(key), bytes(value))));
}

async fn the_last_write_to_a_key_wins(store: &dyn Store) {
    write(store, vec![put("a", "1"), put("a", "2"), put("b", "1")]).await;
    write(store, vec![delete("a"), put("a", "3"), put("b", "2"), delete("b")]).await;
    assert_eq!(get_now(store, "a").await.unwrap(), "3");
    assert_eq!(get_now(store, "b").await, None);
    // Deleting what is not there is no error.
    write(store, vec![delete("b"), delete("never")]).await;
}

async fn a_decision_is_shown_the_values_of_its_keys(store: &dyn Store) {
    write(store, vec![put("a", "1"), put("empty", "")]).await;
    assert_eq!(
        shown(store, &["b", "a", "empty", "a"]).await,
        [None, Some(bytes("1")), Some(Bytes::new()), Some(bytes("1"))]
    );
    write(store, vec![delete("a"), put("b", "2")]).await;
    assert_eq!(shown(store, &["a", "b"]).await, [None, Some(bytes("2"))]);
}

async fn a_snapshot_does_not_move(store: &dyn Store) {
    let empty = store.snapshot().await.unwrap();
    let first = write(store, vec![put("a", "1"), put("b", "1")]).await;
    let held = store.snapshot().await.unwrap();
    let before = all(&*held).await;
    for round in 2..50 {
        write(store, vec![put("a", &round.to_string()), delete("b")]).await;
        write(store, vec![put("b", "back"), put(&format!("n{round}"), "")]).await;
    }
    assert_eq!(held.version(), first);
    assert_eq!(get(&*held, "a").await.unwrap(), "1");
    assert_eq!(all(&*held).await, before);
    assert!(all(&*empty).await.is_empty());
    let now = store.snapshot().await.unwrap();
    assert_eq!(get(&*now, "a").await.unwrap(), "49");
}

async fn versions_grow(store: &dyn Store) {
    let mut last = Version(0);
    for round in 0..100u32 {
        let decide = move |version: Version, _: &[Option<Bytes>]| Decision {
            writes: vec![put("a", &version.to_string())],
            outcome: version,
        };
        let answer = commit(store, vec![], decide).await.unwrap();
        assert_eq!(answer.version, answer.outcome, "round {round}");
        assert!(answer.version > last);
        last = answer.version;
        // A caller sees its own commit.
        let snapshot = store.snapshot().await.unwrap();
        assert!(snapshot.version() >= last);
        assert_eq!(get(&*snapshot, "a").await.unwrap(), last.to_string());
    }
}

async fn a_decision_without_writes_is_answered(store: &dyn Store) {
    let first = write(store, vec![put("a", "1")]).await;
    let nothing = write(store, vec![]).await;
    assert!(nothing > first);
    assert_eq!(store.snapshot().await.unwrap().version(), first);
    assert!(write(store, vec![put("a", "2")]).await >= nothing);
}

async fn stored_counters(store: &dyn Store, key: &str) -> [i64; 2] {
    let snapshot = store.snapshot().await.unwrap();
    counters(&snapshot.get(key.as_bytes()).await.unwrap().unwrap()).unwrap()
}

async fn counters_add_up(store: &dyn Store) {
    write(store, vec![add("n", [1, 100])]).await;
    assert_eq!(stored_counters(store, "n").await, [1, 100]);
    write(store, vec![add("n", [2, -30]), add("n", [-1, 5]), add("m", [7, 7])]).await;
    assert_eq!(stored_counters(store, "n").await, [2, 75]);
    assert_eq!(stored_counters(store, "m").await, [7, 7]);
    // It adds to what the writes before it left.
    write(store, vec![delete("n"), add("n", [5, 6])]).await;
    assert_eq!(stored_counters(store, "n").await, [5, 6]);
    let ten: Vec<u8> = [10i64.to_le_bytes(), 20i64.to_le_bytes()].concat();
    let ten = crate::Write::Put { key: bytes("n"), value: ten.into() };
    write(store, vec![add("n", [1, 1]), ten, add("n", [1, 2])]).await;
    assert_eq!(stored_counters(store, "n").await, [11, 22]);
    write(store, vec![add("n", [1, 1]), delete("n")]).await;
    assert_eq!(get_now(store, "n").await, None);
    assert!(counters(b"no counters").is_err());
}

async fn counters_stop_at_the_limits(store: &dyn Store) {
    write(store, vec![add("n", [i64::MAX, i64::MIN])]).await;
    write(store, vec![add("n", [1, -1])]).await;
    assert_eq!(stored_counters(store, "n").await, [i64::MAX, i64::MIN]);
}

async fn keys_that_cannot_be_held_are_refused(store: &dyn Store) {
    let long = "k".repeat(crate::MAX_KEY_BYTES + 1);
    for key in ["", "\0", "\0a", &long] {
        let read = store.commit(vec![bytes(key)], Box::new(|_, _| vec![]));
        assert!(matches!(read.await, Err(StoreError::InvalidKey { .. })));
        let writes = vec![put("a", "1"), put(key, "1")];
        let written = store.commit(vec![], Box::new(move |_, _| writes.clone()));
        assert!(matches!(written.await, Err(StoreError::InvalidKey { .. })));
        let snapshot = store.snapshot().await.unwrap();
        assert!(snapshot.get(key.as_bytes()).await.is_err());
        assert!(all(&*snapshot).await.is_empty());
    }
}

async fn large_keys_and_values_are_kept(store: &dyn Store) {
    let key = "k".repeat(crate::MAX_KEY_BYTES);
    let value = "v".repeat(9 << 20);
    write(store, vec![put(&key, &value), put("z", "")]).await;
    assert!(get_now(store, &key).await.unwrap() == value);
    assert_eq!(get_now(store, "z").await.unwrap(), "");
}

async fn a_closed_store_takes_no_commits(store: &dyn Store) {
    write(store, vec![put("a", "1")]).await;
    store.close().await.unwrap();
    let refused = store.commit(vec![], Box::new(|_, _| vec![put("a", "2")]));
    assert!(matches!(refused.await, Err(StoreError::Closed)));
    assert_eq!(get_now(store, "a").await.unwrap(), "1");
    store.close().await.unwrap();
}

async fn a_panic_in_a_decision_poisons_the_store(store: &dyn Store) {
    write(store, vec![put("a", "1")]).await;
    let snapshot = store.snapshot().await.unwrap();
    let decide = AssertUnwindSafe(|| panic!("a decision must not panic"));
    let refused = store.commit(vec![], Box::new(move |_, _| decide.0()));
    let Err(StoreError::Poisoned { reason }) = refused.await else {
        panic!("the commit was answered");
    };
    assert!(reason.contains("a decision must not panic"), "{reason}");
    let after = store.commit(vec![], Box::new(|_, _| vec![]));
    assert!(matches!(after.await, Err(StoreError::Poisoned { .. })));
    let read = snapshot.get(b"a").await;
    assert!(matches!(read, Err(StoreError::Poisoned { .. })));
    assert!(matches!(store.snapshot().await, Err(StoreError::Poisoned { .. })));
    assert!(matches!(store.close().await, Err(StoreError::Poisoned { .. })));
}

//! Ordered reads: edges, directions, pages.

use super::{Factory, bytes, delete, put, write};
use crate::{Direction, KeyRange, Page, PageLimit, Snapshot, Store, Write};
use Direction::{Backward, Forward};
use bytes::Bytes;

pub(super) async fn check(factory: &dyn Factory) {
    ranges_hold_their_start_and_not_their_end(&*factory.create().await).await;
    keys_are_in_byte_order(&*factory.create().await).await;
    pages_stop_at_either_limit(&*factory.create().await).await;
    pages_join_up(&*factory.create().await).await;
}

const UNLIMITED: PageLimit = PageLimit { entries: usize::MAX, bytes: usize::MAX };

async fn page(
    snapshot: &dyn Snapshot,
    range: &KeyRange,
    direction: Direction,
    limit: PageLimit,
) -> Page {
    snapshot.range(range.clone(), direction, limit).await.unwrap()
}

async fn keys(snapshot: &dyn Snapshot, range: KeyRange, direction: Direction) -> Vec<Bytes> {
    let page = page(snapshot, &range, direction, UNLIMITED).await;
    assert!(!page.more);
    page.entries.into_iter().map(|(key, _)| key).collect()
}

async fn ranges_hold_their_start_and_not_their_end(store: &dyn Store) {
    let writes = ["a", "b", "ba", "bb", "c", "d"].map(|key| put(key, key));
    write(store, writes.to_vec()).await;
    write(store, vec![delete("c")]).await;
    let snapshot = store.snapshot().await.unwrap();
    for (range, expected) in [
        (KeyRange::all(), &["a", "b", "ba", "bb", "d"][..]),
        (KeyRange::new("b", "d"), &["b", "ba", "bb"]),
        (KeyRange::new("b", "b\0"), &["b"]),
        (KeyRange::new("b\0", "bb"), &["ba"]),
        (KeyRange::new("", "b"), &["a"]),
        (KeyRange::new("\0", "b"), &["a"]),
        (KeyRange::new("", "a"), &[]),
        (KeyRange::new("b", "b"), &[]),
        (KeyRange::new("c", "b"), &[]),
        (KeyRange::new("c", "d"), &[]),
        (KeyRange::new("", ""), &[]),
        (KeyRange::starting_at("bb"), &["bb", "d"]),
        (KeyRange::starting_at("e"), &[]),
        (KeyRange::prefix("b"), &["b", "ba", "bb"]),
        (KeyRange::prefix("bb"), &["bb"]),
        (KeyRange::prefix("x"), &[]),
        (KeyRange::prefix(""), &["a", "b", "ba", "bb", "d"]),
    ] {
        assert_eq!(keys(&*snapshot, range.clone(), Forward).await, expected);
        let mut backward = keys(&*snapshot, range, Backward).await;
        backward.reverse();
        assert_eq!(backward, expected);
    }
}

async fn keys_are_in_byte_order(store: &dyn Store) {
    let mut expected: Vec<Bytes> = (1..=255u8)
        .flat_map(|byte| [vec![byte], vec![byte, 0], vec![byte, 255, 255]])
        .map(Bytes::from)
        .collect();
    for key in expected.iter().rev() {
        let put = Write::Put { key: key.clone(), value: Bytes::new() };
        write(store, vec![put]).await;
    }
    expected.sort();
    let snapshot = store.snapshot().await.unwrap();
    assert_eq!(keys(&*snapshot, KeyRange::all(), Forward).await, expected);
    assert_eq!(
        keys(&*snapshot, KeyRange::prefix(vec![255]), Forward).await,
        expected[expected.len() - 3..]
    );
    expected.reverse();
    assert_eq!(keys(&*snapshot, KeyRange::all(), Backward).await, expected);
}

async fn pages_stop_at_either_limit(store: &dyn Store) {
    // Each entry has two bytes of key and eight of value.
    let writes = (0..5).map(|n| put(&format!("k{n}"), "12345678")).collect();
    write(store, writes).await;
    let snapshot = store.snapshot().await.unwrap();
    let range = KeyRange::prefix("k");
    for (entries, bytes, expected) in [
        (2, usize::MAX, 2),
        (5, usize::MAX, 5),
        (6, usize::MAX, 5),
        (0, usize::MAX, 1),
        (usize::MAX, 0, 1),
        (usize::MAX, 9, 1),
        (usize::MAX, 10, 1),
        (usize::MAX, 11, 2),
        (usize::MAX, 30, 3),
        (2, 30, 2),
        (4, 11, 2),
        (usize::MAX, 50, 5),
    ] {
        for direction in [Forward, Backward] {
            let page = page(&*snapshot, &range, direction, PageLimit { entries, bytes }).await;
            assert_eq!(page.entries.len(), expected, "{entries} {bytes}");
            assert_eq!(page.more, expected < 5, "{entries} {bytes}");
        }
    }
    let empty = page(&*snapshot, &KeyRange::prefix("x"), Forward, UNLIMITED).await;
    assert_eq!(empty, Page::default());
}

async fn pages_join_up(store: &dyn Store) {
    let mut expected = Vec::new();
    for n in 0..100 {
        let (key, value) = (format!("k{n:03}"), "v".repeat(n));
        write(store, vec![put(&key, &value), put("later", "")]).await;
        expected.push((bytes(&key), bytes(&value)));
    }
    let snapshot = store.snapshot().await.unwrap();
    // Deleting what is being read changes nothing for the snapshot.
    write(store, vec![delete("k050"), put("k0505", "")]).await;
    for direction in [Forward, Backward] {
        for limit in
            [PageLimit::entries(1), PageLimit::entries(7), PageLimit { entries: 20, bytes: 300 }]
        {
            let mut range = KeyRange::prefix("k");
            let mut entries = Vec::new();
            loop {
                let page = page(&*snapshot, &range, direction, limit).await;
                assert!(!page.entries.is_empty());
                entries.extend(page.entries);
                if !page.more {
                    break;
                }
                range = range.after(&entries.last().unwrap().0, direction);
            }
            if direction == Backward {
                entries.reverse();
            }
            assert_eq!(entries, expected);
        }
    }
}

//! Every file of a store is lost or changed in turn: either all data is there, or an error names a file.

use super::*;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A store with tables, a journal and a clean end.
async fn closed(root: &Path) -> (Version, Entries) {
    let store = Embedded::open(root, flushing()).unwrap();
    for n in 0..60u64 {
        let writes =
            vec![put(format!("k{n}"), format!("{n}").repeat(40)), put("hot", n.to_string())];
        write(&store, writes).await.unwrap();
    }
    let entries = all(&store).await.unwrap();
    // Let what is being flushed get to the disk.
    let deadline = std::time::Instant::now() + Duration::from_secs(5);
    while files(&super::tables::data_tables(&root.join("store"))).is_empty()
        && std::time::Instant::now() < deadline
    {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    store.close().await.unwrap();
    let version = store.snapshot().await.unwrap().version();
    drop(store);
    (version, entries)
}

fn is_about(error: &StoreError, root: &Path) -> bool {
    match error {
        StoreError::Poisoned { reason } => reason.contains(root.to_str().unwrap()),
        error => error.path().is_some_and(|path| path.starts_with(root)),
    }
}

/// Does something to a file, or gives back that it cannot.
type Harm<'a> = &'a dyn Fn(&Path) -> bool;

/// Runs `harm` on copies of a store, for each of its files, and reads what is left.
async fn after_harm(harms: &[(&str, Harm<'_>)]) {
    let original = tempfile::tempdir().unwrap();
    let expected = closed(original.path()).await;
    assert_eq!(expected.0, Version(60));
    let scratch = tempfile::tempdir().unwrap();
    let mut refused = 0;
    for (at, file) in files(original.path()).iter().enumerate() {
        let name = file.strip_prefix(original.path()).unwrap();
        for (number, (harm, apply)) in harms.iter().enumerate() {
            let root = scratch.path().join(format!("{at}-{number}"));
            copy(original.path(), &root);
            if !apply(&root.join(name)) {
                continue;
            }
            match read(&root).await {
                Ok(found) => {
                    assert!(found == expected, "{harm} {}: something is missing", name.display())
                }
                Err(error) => {
                    refused += 1;
                    assert!(is_about(&error, &root), "{harm} {}: {error}", name.display());
                    let exact = error.path() == Some(&root.join(name));
                    // A compaction may have replaced the table before it was looked for.
                    let approximate = matches!(error, StoreError::Poisoned { .. })
                        || error.path() == root.join(name).parent()
                        || name.ends_with("current")
                        || name.extension().is_some_and(|extension| extension == "jnl");
                    assert!(exact || approximate, "{harm} {}: {error}", name.display());
                }
            }
            std::fs::remove_dir_all(&root).unwrap();
        }
    }
    assert!(refused > 0);
}

#[tokio::test]
async fn a_file_that_is_gone_or_cut_is_missed() {
    let empty = |path: &Path| std::fs::write(path, "").is_ok();
    let cut = |path: &Path| {
        let mut contents = std::fs::read(path).unwrap();
        let last = contents.iter().rposition(|byte| *byte != 0);
        contents.truncate(last.unwrap_or(0));
        std::fs::write(path, contents).is_ok()
    };
    after_harm(&[
        ("without", &|path| std::fs::remove_file(path).is_ok()),
        ("with an empty", &empty),
        ("with a cut", &cut),
    ])
    .await;
}

/// Flips a bit `part` sixteenths into what a file holds.
fn flip(path: &Path, part: usize) -> bool {
    let mut contents = std::fs::read(path).unwrap();
    let Some(last) = contents.iter().rposition(|byte| *byte != 0) else {
        return false;
    };
    contents[last * part / 16] ^= 0x10;
    std::fs::write(path, contents).is_ok()
}

#[tokio::test]
async fn a_changed_byte_is_noticed() {
    let flips: Vec<_> = (0..=16).map(|part| move |path: &Path| flip(path, part)).collect();
    let harms: Vec<(&str, Harm<'_>)> =
        flips.iter().map(|flip| ("with a changed", flip as Harm<'_>)).collect();
    after_harm(&harms).await;
}

/// A damaged block is found when it is read, long after the store was opened.
#[tokio::test]
async fn reading_a_damaged_block_names_its_table() {
    let root = tempfile::tempdir().unwrap();
    let options = Options { memtable_bytes: 100 << 10, clock: still(), ..Options::default() };
    let value = |n: u32| {
        let values =
            (0..250u32).flat_map(|at| ((n * 77_777) ^ at).wrapping_mul(99_991).to_le_bytes());
        values.collect::<Vec<_>>()
    };
    let store = Embedded::open(root.path(), options).unwrap();
    for n in 0..300 {
        write(&store, vec![put(format!("k{n}"), value(n))]).await.unwrap();
    }
    store.close().await.unwrap();
    drop(store);
    let tables = super::tables::data_tables(&root.path().join("store"));
    assert!(!files(&tables).is_empty());
    for table in files(&tables) {
        let mut contents = std::fs::read(&table).unwrap();
        let middle = contents.len() / 2;
        contents[middle] ^= 1;
        std::fs::write(&table, contents).unwrap();
    }
    let mut errors = 0;
    let store = open(root.path()).unwrap();
    let snapshot = store.snapshot().await.unwrap();
    for n in 0..300 {
        let (key, expected) = (format!("k{n}"), value(n));
        for _ in 0..2 {
            match snapshot.get(key.as_bytes()).await {
                Ok(value) => assert_eq!(value.unwrap(), expected),
                Err(error) => {
                    errors += 1;
                    assert!(is_about(&error, root.path()), "{error}");
                }
            }
        }
        let committed = store.commit(vec![key.into()], Box::new(|_, _| vec![]));
        if let Err(error) = committed.await {
            assert!(is_about(&error, root.path()), "{error}");
        }
    }
    assert!(errors > 0);
}

#[tokio::test]
async fn a_panic_while_reading_is_an_error() {
    let root = tempfile::tempdir().unwrap();
    let store = open(root.path()).unwrap();
    let read = catch_unwind(AssertUnwindSafe(|| {
        store.shared.guard(|| -> fjall::Result<()> { panic!("fjall gave up") })
    }));
    let error = read.unwrap().unwrap_err();
    assert!(is_about(&error, root.path()) && error.to_string().contains("fjall gave up"));
    assert!(store.snapshot().await.is_ok());
}

#[tokio::test]
async fn what_does_not_belong_there_is_named() {
    for stray in ["store/x.jnl", "store/keyspaces/notes", "store/keyspaces/1/tables/notes"] {
        let root = tempfile::tempdir().unwrap();
        drop(open(root.path()).unwrap());
        let path = root.path().join(stray);
        std::fs::write(&path, "").unwrap();
        let error = open(root.path()).err().unwrap();
        assert_eq!(error.path(), Some(&*path), "{error}");
        std::fs::remove_file(&path).unwrap();
        drop(open(root.path()).unwrap());
    }
}

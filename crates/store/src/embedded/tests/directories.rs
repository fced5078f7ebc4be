//! Who may open which directory, and what a store leaves there.

use super::*;
use crate::counters;

#[tokio::test]
async fn a_second_store_is_refused_while_the_first_is_open() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("a/b/data");
    let first = open(&path).unwrap();
    let refused = open(&path).err().unwrap();
    assert!(matches!(&refused, StoreError::Locked { path: named } if *named == path));
    first.close().await.unwrap();
    let snapshot = first.snapshot().await.unwrap();
    drop(first);
    // A snapshot still reads the files.
    assert!(matches!(open(&path), Err(StoreError::Locked { .. })));
    drop(snapshot);
    open(&path).unwrap();
}

#[tokio::test]
async fn an_opened_store_has_no_mark_of_a_clean_end() {
    let root = tempfile::tempdir().unwrap();
    let clean = root.path().join("CLEAN");
    let store = open(root.path()).unwrap();
    write(&store, vec![put("a", "1")]).await.unwrap();
    assert!(!clean.exists());
    store.close().await.unwrap();
    assert!(clean.exists());
    drop(store);
    drop(open(root.path()).unwrap());
    assert!(!clean.exists());
    assert_eq!(read(root.path()).await.unwrap().0, Version(1));
}

#[tokio::test]
async fn a_poisoned_store_can_be_opened_again() {
    let root = tempfile::tempdir().unwrap();
    let store = open(root.path()).unwrap();
    write(&store, vec![put("a", "1")]).await.unwrap();
    let poison = store.commit(vec![], Box::new(|_, _| panic!("on purpose")));
    assert!(poison.await.is_err());
    assert!(store.close().await.is_err());
    drop(store);
    assert!(!root.path().join("CLEAN").exists());
    let (version, entries) = read(root.path()).await.unwrap();
    assert_eq!((version, entries.len()), (Version(1), 1));
}

#[tokio::test]
async fn adding_to_something_else_than_counters_is_refused_and_nothing_more() {
    let root = tempfile::tempdir().unwrap();
    let store = open(root.path()).unwrap();
    write(&store, vec![put("a", "text")]).await.unwrap();
    let add =
        |key: &'static str| Write::Add { key: Bytes::from_static(key.as_bytes()), by: [1, 1] };
    let refused = write(&store, vec![put("b", "1"), add("a")]).await;
    assert!(matches!(refused, Err(StoreError::NotACounter { key }) if key == "a"));
    assert_eq!(write(&store, vec![add("n")]).await.unwrap(), Version(2));
    let entries = all(&store).await.unwrap();
    assert_eq!(entries.len(), 2);
    assert_eq!(counters(&entries[&b"n"[..]]).unwrap(), [1, 1]);
}

#[test]
fn a_file_is_not_a_data_directory() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("file");
    std::fs::write(&path, "text").unwrap();
    for path in [path.clone(), path.join("below")] {
        assert!(matches!(open(&path), Err(StoreError::NotADirectory { .. })));
    }
}

#[test]
fn a_directory_that_cannot_be_written_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("data");
    std::fs::create_dir(&path).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o555)).unwrap();
    if std::fs::write(path.join("probe"), "").is_ok() {
        // Root may write anywhere.
        return;
    }
    let error = open(&path).err().unwrap();
    assert!(matches!(&error, StoreError::Io { path: named, .. } if named.starts_with(&path)));
}

#[test]
fn a_directory_with_something_else_in_it_is_refused_and_left_alone() {
    let root = tempfile::tempdir().unwrap();
    std::fs::write(root.path().join("holiday.jpg"), "").unwrap();
    let error = open(root.path()).err().unwrap();
    assert!(error.to_string().contains("FORMAT") && error.to_string().contains("holiday.jpg"));
    assert!(matches!(error, StoreError::UnknownFormat { .. }));
    assert!(!root.path().join("store").exists());
}

#[test]
fn an_unknown_format_is_refused() {
    let root = tempfile::tempdir().unwrap();
    drop(open(root.path()).unwrap());
    for format in ["monotable 2\n", "monotable 1", "", "monotable 1\nmore\n"] {
        std::fs::write(root.path().join("FORMAT"), format).unwrap();
        let error = open(root.path()).err().unwrap();
        assert!(matches!(&error, StoreError::UnknownFormat { .. }), "{error}");
        assert_eq!(error.path().unwrap(), root.path().join("FORMAT"));
    }
}

#[test]
fn a_store_that_was_never_finished_is_made_again() {
    let root = tempfile::tempdir().unwrap();
    drop(open(root.path()).unwrap());
    // Before FORMAT was written, and after.
    for format in [false, true] {
        std::fs::rename(root.path().join("store"), root.path().join("store.creating")).unwrap();
        std::fs::remove_file(root.path().join("store.creating/keyspaces/1/current")).unwrap();
        if !format {
            std::fs::remove_file(root.path().join("FORMAT")).unwrap();
        }
        drop(open(root.path()).unwrap());
        assert!(!root.path().join("store.creating").exists());
    }
}

//! What a crash leaves of the last batch is cut off; anything else that is wrong with a journal is damage.

use super::*;
use crate::embedded::batch::Batches;
use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use tempfile::TempDir;

const COMMITS: u64 = 6;

fn value(n: u64) -> Vec<u8> {
    vec![b'a' + n as u8; 10 + 20 * n as usize]
}

/// A store with one batch for each commit that ended without being closed.
async fn crashed() -> TempDir {
    let root = tempfile::tempdir().unwrap();
    let store = open(root.path()).unwrap();
    for n in 0..COMMITS {
        let writes = vec![put(format!("k{n}"), value(n)), put("last", value(n))];
        write(&store, writes).await.unwrap();
    }
    drop(store);
    forget_reached(root.path());
    root
}

fn journal(root: &Path) -> PathBuf {
    root.join("store/0.jnl")
}

/// Where each batch starts, and where the last one ends.
fn offsets(root: &Path) -> Vec<u64> {
    let mut batches = Batches::new(File::open(journal(root)).unwrap(), 0).unwrap();
    let mut offsets = vec![0];
    while batches.read().is_ok() {
        offsets.push(batches.position());
    }
    assert_eq!(offsets.len() as u64, COMMITS + 1);
    offsets
}

/// The journal without the zeros that fill it up.
fn contents(root: &Path) -> Vec<u8> {
    let end = *offsets(root).last().unwrap();
    let mut contents = std::fs::read(journal(root)).unwrap();
    contents.truncate(end as usize);
    contents
}

async fn holds(root: &Path, commits: u64) {
    let (version, entries) = read(root).await.unwrap();
    assert_eq!(version, Version(commits));
    assert_eq!(entries.len() as u64, commits + 1);
    assert_eq!(entries[&b"last"[..]], value(commits - 1));
    for n in 0..commits {
        assert_eq!(entries[format!("k{n}").as_bytes()], value(n));
    }
}

#[tokio::test]
async fn a_last_batch_cut_at_any_length_takes_nothing_else_with_it() {
    let root = crashed().await;
    let offsets = offsets(root.path());
    let contents = contents(root.path());
    let (start, end) = (offsets[COMMITS as usize - 1], offsets[COMMITS as usize]);
    for length in start..=end {
        // The rest may be gone, or be zeros.
        let zeros = if length % 2 == 0 { 0 } else { 5000 };
        let mut torn = contents[..length as usize].to_vec();
        torn.resize(length as usize + zeros, 0);
        std::fs::write(journal(root.path()), torn).unwrap();
        let commits = if length == end { COMMITS } else { COMMITS - 1 };
        holds(root.path(), commits).await;
        // And again, after what was cut off.
        if length % 50 == 0 {
            let store = open(root.path()).unwrap();
            let version = write(&store, vec![put("more", "1")]).await.unwrap();
            assert_eq!(version, Version(commits + 1));
            drop(store);
            forget_reached(root.path());
            assert_eq!(read(root.path()).await.unwrap().0, version);
        }
    }
}

#[tokio::test]
async fn a_last_batch_with_a_hole_in_it_is_torn() {
    let root = crashed().await;
    let offsets = offsets(root.path());
    let contents = contents(root.path());
    let (start, end) = (offsets[COMMITS as usize - 1], offsets[COMMITS as usize]);
    for hole in (start..end).step_by(3) {
        let mut torn = contents.clone();
        for byte in &mut torn[hole as usize..(hole as usize + 20).min(end as usize)] {
            *byte = 0;
        }
        if torn == contents {
            continue;
        }
        std::fs::write(journal(root.path()), torn).unwrap();
        holds(root.path(), COMMITS - 1).await;
    }
}

#[tokio::test]
async fn a_wrong_byte_before_the_last_batch_is_damage() {
    let root = crashed().await;
    let offsets = offsets(root.path());
    let contents = contents(root.path());
    let last = offsets[COMMITS as usize - 1];
    let mut harmless = 0;
    for at in 0..last {
        for flip in [0xff, 0x01] {
            let mut damaged = contents.clone();
            damaged[at as usize] ^= flip;
            std::fs::write(journal(root.path()), &damaged).unwrap();
            let error = match open(root.path()) {
                Err(error) => error,
                Ok(store) => {
                    // A sequence number that is still between those beside it changes nothing.
                    drop(store);
                    forget_reached(root.path());
                    holds(root.path(), COMMITS).await;
                    harmless += 1;
                    continue;
                }
            };
            assert!(matches!(error, StoreError::Damaged { .. }), "{at}: {error}");
            assert_eq!(error.path().unwrap(), journal(root.path()), "{at}: {error}");
            assert!(error.to_string().contains("byte"), "{error}");
            // Nothing was touched.
            assert_eq!(std::fs::read(journal(root.path())).unwrap(), damaged);
        }
    }
    assert!(harmless <= 2 * COMMITS, "{harmless}");
}

#[tokio::test]
async fn a_missing_batch_is_damage() {
    let root = crashed().await;
    let offsets = offsets(root.path());
    let contents = contents(root.path());
    for gone in 0..COMMITS as usize - 1 {
        let (start, end) = (offsets[gone] as usize, offsets[gone + 1] as usize);
        let rest = [&contents[..start], &contents[end..]].concat();
        std::fs::write(journal(root.path()), rest).unwrap();
        let error = open(root.path()).err().unwrap();
        assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
        assert_eq!(error.path().unwrap(), journal(root.path()));
    }
}

#[tokio::test]
async fn an_older_journal_may_not_be_torn_nor_missing() {
    let root = crashed().await;
    let offsets = offsets(root.path());
    let contents = contents(root.path());
    let split = offsets[3] as usize;
    let newer = root.path().join("store/1.jnl");
    std::fs::write(journal(root.path()), &contents[..split]).unwrap();
    std::fs::write(&newer, &contents[split..]).unwrap();
    let whole = tempfile::tempdir().unwrap();
    copy(root.path(), whole.path());
    holds(whole.path(), COMMITS).await;

    std::fs::write(journal(root.path()), &contents[..split - 1]).unwrap();
    let error = open(root.path()).err().unwrap();
    assert_eq!(error.path().unwrap(), journal(root.path()), "{error}");

    std::fs::remove_file(journal(root.path())).unwrap();
    let error = open(root.path()).err().unwrap();
    assert_eq!(error.path().unwrap(), newer, "{error}");
    assert!(error.to_string().contains("missing"), "{error}");
}

#[tokio::test]
async fn a_torn_batch_may_be_followed_by_a_journal_without_any() {
    let root = crashed().await;
    let mut contents = contents(root.path());
    contents.truncate(contents.len() - 3);
    std::fs::write(journal(root.path()), contents).unwrap();
    std::fs::write(root.path().join("store/1.jnl"), vec![0; 1000]).unwrap();
    holds(root.path(), COMMITS - 1).await;
    holds(root.path(), COMMITS - 1).await;
}

#[tokio::test]
async fn after_a_clean_end_no_batch_may_be_torn() {
    let root = crashed().await;
    let store = open(root.path()).unwrap();
    store.close().await.unwrap();
    drop(store);
    forget_reached(root.path());
    let file = OpenOptions::new().write(true).open(journal(root.path())).unwrap();
    let end = *offsets(root.path()).last().unwrap();
    file.write_all_at(b"?", end - 30).unwrap();
    let before = std::fs::read(journal(root.path())).unwrap();
    let error = open(root.path()).err().unwrap();
    assert_eq!(error.path().unwrap(), journal(root.path()), "{error}");
    assert_eq!(std::fs::read(journal(root.path())).unwrap(), before);
}

#[tokio::test]
async fn without_syncing_a_machine_crash_may_lose_the_end_but_not_the_store() {
    let root = tempfile::tempdir().unwrap();
    let options = Options { durability: Durability::Os, clock: still(), ..Options::default() };
    let store = Embedded::open(root.path(), options).unwrap();
    for n in 0..COMMITS {
        let writes = vec![put(format!("k{n}"), value(n)), put("last", value(n))];
        write(&store, writes).await.unwrap();
    }
    drop(store);
    forget_reached(root.path());
    let offsets = offsets(root.path());
    let mut contents = contents(root.path());
    contents[offsets[3] as usize + 30..offsets[4] as usize].fill(0);
    std::fs::write(journal(root.path()), contents).unwrap();
    holds(root.path(), 3).await;
    assert!(!root.path().join("UNSYNCED").exists());
}

#[tokio::test]
async fn values_full_of_batches_do_not_make_the_search_slow_or_wrong() {
    let root = crashed().await;
    let batches = contents(root.path());
    let store = open(root.path()).unwrap();
    // A value that holds whole batches, and one that is nothing but beginnings of them.
    let copies = batches.repeat(50);
    let starts = b"\x01\xff\x00\x00\x00\x10\x00\x00\x00\x00\x00\x00\x00\x02".repeat(100_000);
    write(&store, vec![put("copies", copies), put("starts", starts)]).await.unwrap();
    drop(store);
    forget_reached(root.path());
    let path = journal(root.path());
    let length = std::fs::metadata(&path).unwrap().len();
    let file = OpenOptions::new().write(true).open(&path).unwrap();
    file.set_len(length - 5).unwrap();
    let started = std::time::Instant::now();
    holds(root.path(), COMMITS).await;
    assert!(started.elapsed().as_secs() < 10);
}

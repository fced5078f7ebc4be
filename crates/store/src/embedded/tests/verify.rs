//! Looking at a directory finds what is wrong, is silent if nothing is, and changes nothing.

use super::*;
use crate::embedded::batch::Batches;
use fjall::AbstractTree;
use std::os::unix::fs::FileExt;
use tempfile::TempDir;

/// A store with tables and a journal.
async fn filled(root: &Path) -> Embedded {
    let store = Embedded::open(root, flushing()).unwrap();
    for n in 0..60u64 {
        let writes =
            vec![put(format!("k{n}"), format!("{n}").repeat(40)), put("hot", n.to_string())];
        write(&store, writes).await.unwrap();
    }
    let deadline = std::time::Instant::now() + Duration::from_secs(5);
    while files(&tables::data_tables(&root.join("store"))).is_empty()
        && std::time::Instant::now() < deadline
    {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    store
}

async fn stopped() -> TempDir {
    let root = tempfile::tempdir().unwrap();
    let store = filled(root.path()).await;
    store.close().await.unwrap();
    root
}

async fn killed() -> TempDir {
    let root = tempfile::tempdir().unwrap();
    drop(filled(root.path()).await);
    forget_reached(root.path());
    root
}

fn contents(root: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    files(root).into_iter().map(|path| (path.clone(), std::fs::read(path).unwrap())).collect()
}

/// Whether a file is a manifest or table that is not in use any more.
fn is_leftover(root: &Path, file: &Path) -> bool {
    let mut inspection = Inspection::begin(root).unwrap();
    let findings = inspection.check_files(&mut |_| {}).unwrap();
    let is_manifest = file.file_name().is_some_and(|name| name.to_str().unwrap().starts_with('v'));
    let tree = file.parent().unwrap();
    let current = std::fs::read(tree.join("current")).ok();
    let number = current.map(|bytes| u64::from_le_bytes(*bytes.first_chunk().unwrap()));
    findings.iter().any(|finding| finding.harmless && finding.path == file)
        || (is_manifest && number.is_some_and(|number| !file.ends_with(format!("v{number}"))))
}

/// The paths that are damaged, or what the store holds.
async fn look(root: &Path) -> Result<Option<Entries>, Vec<PathBuf>> {
    let mut inspection = Inspection::begin(root).unwrap();
    let findings = inspection.check_files(&mut |_| {}).unwrap();
    let damaged: Vec<PathBuf> =
        findings.into_iter().filter(|f| !f.harmless).map(|finding| finding.path).collect();
    if !damaged.is_empty() {
        return Err(damaged);
    }
    let opened = match inspection.open(1 << 20) {
        Ok(Some(opened)) => opened,
        Ok(None) => return Ok(None),
        Err(error) => return Err(vec![error.path().unwrap().to_owned()]),
    };
    let limit = PageLimit::entries(usize::MAX);
    let page = opened.snapshot.range(KeyRange::all(), Direction::Forward, limit).await.unwrap();
    Ok(Some(page.entries.into_iter().collect()))
}

#[tokio::test]
async fn a_healthy_directory_is_read_and_not_changed() {
    for root in [stopped().await, killed().await] {
        let before = contents(root.path());
        let seen = look(root.path()).await.unwrap().unwrap();
        assert_eq!(contents(root.path()), before);
        let (_, entries) = read(root.path()).await.unwrap();
        assert_eq!(seen, entries);
        assert_eq!(seen.len(), 61);
    }
    let empty = tempfile::tempdir().unwrap();
    assert_eq!(look(empty.path()).await, Ok(None));
    assert!(files(empty.path()).is_empty());
}

#[tokio::test]
async fn a_directory_in_use_or_of_another_kind_is_left_alone() {
    let root = tempfile::tempdir().unwrap();
    let store = open(root.path()).unwrap();
    assert!(matches!(Inspection::begin(root.path()), Err(StoreError::Locked { .. })));
    drop(store);
    let inspection = Inspection::begin(root.path()).unwrap();
    assert!(matches!(open(root.path()), Err(StoreError::Locked { .. })));
    drop(inspection);
    let other = tempfile::tempdir().unwrap();
    std::fs::write(other.path().join("notes"), "").unwrap();
    assert!(matches!(Inspection::begin(other.path()), Err(StoreError::UnknownFormat { .. })));
    assert!(Inspection::begin(&other.path().join("missing")).is_err());
}

#[tokio::test]
async fn every_byte_that_matters_is_looked_at() {
    for original in [stopped().await, killed().await] {
        let scratch = tempfile::tempdir().unwrap();
        for (at, file) in files(original.path()).iter().enumerate() {
            let name = file.strip_prefix(original.path()).unwrap();
            let bytes = std::fs::read(file).unwrap();
            let Some(last) = bytes.iter().rposition(|byte| *byte != 0) else { continue };
            if is_leftover(original.path(), file) {
                continue;
            }
            for part in 0..4 {
                let root = scratch.path().join(format!("{at}-{part}"));
                copy(original.path(), &root);
                let place = last * part / 4;
                let damaged =
                    std::fs::OpenOptions::new().write(true).open(root.join(name)).unwrap();
                damaged.write_all_at(&[bytes[place] ^ 0x20], place as u64).unwrap();
                let findings = look(&root).await.err();
                let is_journal = name.extension().is_some_and(|extension| extension == "jnl");
                let is_current = name.ends_with("current");
                let named = findings.as_ref().is_some_and(|paths| {
                    paths.iter().any(|path| {
                        *path == root.join(name)
                            || (is_journal && path.extension() == name.extension())
                            || (is_current && path.parent() == root.join(name).parent())
                    })
                });
                assert!(named, "{} at {place}: {findings:?}", name.display());
                std::fs::remove_dir_all(&root).unwrap();
            }
        }
    }
}

#[tokio::test]
async fn a_missing_file_is_named() {
    let original = stopped().await;
    let scratch = tempfile::tempdir().unwrap();
    for (at, file) in files(original.path()).iter().enumerate() {
        let name = file.strip_prefix(original.path()).unwrap();
        let root = scratch.path().join(at.to_string());
        copy(original.path(), &root);
        std::fs::remove_file(root.join(name)).unwrap();
        let found = look(&root).await;
        let text = name.to_str().unwrap();
        let harmless = ["LOCK", "store/lock", "CLEAN", "REACHED"].contains(&text)
            || is_leftover(original.path(), file);
        assert_eq!(found.is_err(), !harmless, "{text}: {found:?}");
    }
}

/// The end of the journal is lost in a way that looks as if it had never been written.
#[tokio::test]
async fn an_end_that_was_reached_is_missed() {
    let root = tempfile::tempdir().unwrap();
    let store = open(root.path()).unwrap();
    for n in 0..6u64 {
        write(&store, vec![put(format!("k{n}"), "v")]).await.unwrap();
    }
    store.shared.directory.note_reached(Version(6)).unwrap();
    drop(store);
    let journal = root.path().join("store/0.jnl");
    let bytes = std::fs::read(&journal).unwrap();
    let end = bytes.iter().rposition(|byte| *byte != 0).unwrap();
    let file = std::fs::OpenOptions::new().write(true).open(&journal).unwrap();
    file.set_len(end as u64).unwrap();
    assert_eq!(look(root.path()).await, Err(vec![journal.clone()]));
    let error = open(root.path()).err().unwrap();
    assert!(error.to_string().contains("commit 6 was acknowledged"), "{error}");
    // Without the note it looks like a torn write.
    std::fs::remove_file(root.path().join("REACHED")).unwrap();
    assert!(open(root.path()).is_ok());
}

#[tokio::test]
async fn a_store_notes_what_it_has_reached() {
    let root = tempfile::tempdir().unwrap();
    let store = open(root.path()).unwrap();
    write(&store, vec![put("k", "v")]).await.unwrap();
    let deadline = std::time::Instant::now() + Duration::from_secs(20);
    while store.shared.directory.reached().unwrap() != Some(Version(1)) {
        assert!(std::time::Instant::now() < deadline, "nothing is noted");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    drop(store);
    // One that cannot be read is no reason to refuse.
    std::fs::write(root.path().join("REACHED"), "00000000000000000009 nonsense").unwrap();
    assert_eq!(look(root.path()).await, Err(vec![root.path().join("REACHED")]));
    drop(open(root.path()).unwrap());
    // But it was never so long: it has changed places with another file.
    std::fs::write(root.path().join("REACHED"), [1; 400]).unwrap();
    let error = open(root.path()).err().unwrap();
    assert_eq!(error.path(), Some(&*root.path().join("REACHED")));
}

/// fjall passes over batches whose sequence number says that they are in the tables already.
#[tokio::test]
async fn a_batch_that_would_be_passed_over_is_named() {
    let root = tempfile::tempdir().unwrap();
    let store = open(root.path()).unwrap();
    write(&store, vec![put("a", "in the tables")]).await.unwrap();
    store.shared.keyspace.rotate_memtable_and_wait().unwrap();
    write(&store, vec![put("b", "in the journal")]).await.unwrap();
    write(&store, vec![put("c", "in the journal")]).await.unwrap();
    let persisted = store.shared.keyspace.tree.get_highest_persisted_seqno().unwrap();
    drop(store);
    forget_reached(root.path());
    // As if the journal had begun after the flush.
    let journal = root.path().join("store/0.jnl");
    let mut batches = Batches::new(std::fs::File::open(&journal).unwrap(), 0).unwrap();
    batches.read().unwrap();
    let second = usize::try_from(batches.position()).unwrap();
    let bytes = std::fs::read(&journal).unwrap().split_off(second);
    std::fs::write(&journal, bytes).unwrap();
    assert_eq!(look(root.path()).await.unwrap().unwrap().len(), 3);
    let file = std::fs::OpenOptions::new().write(true).open(&journal).unwrap();
    file.write_all_at(&persisted.to_le_bytes(), 5).unwrap();
    assert_eq!(look(root.path()).await, Err(vec![journal.clone()]));
    let error = open(root.path()).err().unwrap();
    assert_eq!(error.path(), Some(&*journal), "{error}");
}

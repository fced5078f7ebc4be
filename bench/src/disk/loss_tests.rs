//! What a power loss may leave, by small traces.

use super::*;
use crate::disk::Record;
use std::collections::BTreeSet;

/// A trace whose writes take their data from one text.
fn trace(records: &[Record]) -> Trace {
    let records = records.iter().cloned().zip(1..).collect();
    Trace { bytes: b"abcdefghijklmnopqrstuvwxyz".repeat(100), records }
}

fn tree(trace: &Trace) -> Tree {
    let mut tree = Tree::empty();
    for (record, _) in &trace.records {
        tree.apply(trace, record).unwrap();
    }
    tree
}

/// The files that are left, with what they hold.
fn left(loss: Loss, records: &[Record], seed: u64) -> BTreeMap<String, Vec<u8>> {
    let trace = trace(records);
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("root");
    loss.build(&tree(&trace), &trace, &mut Random::new(seed), &root).unwrap();
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(&root).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        files.insert(name, fs::read(&path).unwrap_or_default());
    }
    files
}

fn created(inode: u64, path: &str) -> Record {
    Record::Created { inode, path: path.to_owned() }
}

fn written(inode: u64, offset: u64, data: std::ops::Range<usize>) -> Record {
    Record::Written { inode, offset, data }
}

fn synced(inode: u64) -> Record {
    Record::Synced { inode, begun: false }
}

const ROOT_INODE: u64 = 9;

fn opened_root() -> Record {
    Record::Opened { inode: ROOT_INODE, path: String::new() }
}

#[test]
fn a_file_needs_a_sync_of_its_data_and_one_of_its_name() {
    let base = [opened_root(), created(1, "file"), written(1, 0, 0..3)];
    let with = |more: &[Record]| [&base, more].concat();
    assert!(left(Loss::Everything, &with(&[]), 1).is_empty());
    assert!(left(Loss::Everything, &with(&[synced(1)]), 1).is_empty());
    assert_eq!(left(Loss::Everything, &with(&[synced(ROOT_INODE)]), 1)["file"], b"");
    let both = with(&[synced(1), synced(ROOT_INODE)]);
    assert_eq!(left(Loss::Everything, &both, 1)["file"], b"abc");
    assert_eq!(left(Loss::Nothing, &with(&[]), 1)["file"], b"abc");
}

#[test]
fn a_sync_covers_what_was_written_before_it_began() {
    let records = [
        opened_root(),
        created(1, "file"),
        synced(ROOT_INODE),
        written(1, 0, 0..2),
        Record::SyncBegun { inode: 1 },
        written(1, 2, 2..4),
        Record::Synced { inode: 1, begun: true },
    ];
    assert_eq!(left(Loss::Everything, &records, 1)["file"], b"ab");
    assert_eq!(left(Loss::Nothing, &records, 1)["file"], b"abcd");
}

#[test]
fn a_sync_that_a_kill_cut_short_covers_nothing() {
    let begun = Record::SyncBegun { inode: 1 };
    let ended = Record::Synced { inode: 1, begun: true };
    let records = [
        opened_root(),
        created(1, "file"),
        synced(ROOT_INODE),
        written(1, 0, 0..1),
        begun.clone(),
        opened_root(),
        written(1, 1, 1..2),
        begun,
        ended,
        written(1, 2, 2..3),
    ];
    assert_eq!(left(Loss::Everything, &records, 1)["file"], b"ab");
}

#[test]
fn a_rename_happens_or_does_not() {
    let renamed = Record::Renamed { from: "new".to_owned(), to: "file".to_owned() };
    let records = [
        opened_root(),
        created(1, "file"),
        written(1, 0, 0..1),
        synced(1),
        created(2, "new"),
        written(2, 0, 1..2),
        synced(2),
        synced(ROOT_INODE),
        renamed,
    ];
    let mut seen = BTreeSet::new();
    for seed in 0..40 {
        let files = left(Loss::Some, &records, seed);
        assert!(
            files["file"] == b"a" && files["new"] == b"b"
                || files["file"] == b"b" && files.len() == 1
        );
        seen.insert(files.len());
    }
    assert_eq!(seen.len(), 2);
}

#[test]
fn unsynced_data_is_torn_in_many_ways_and_synced_data_in_none() {
    let records = [
        opened_root(),
        created(1, "file"),
        synced(ROOT_INODE),
        written(1, 0, 0..1000),
        synced(1),
        written(1, 1000, 1000..2600),
    ];
    let whole = trace(&records).bytes;
    let mut seen = BTreeSet::new();
    let mut holes = 0;
    for seed in 0..200 {
        let file = left(Loss::Some, &records, seed).remove("file").unwrap();
        assert_eq!(file[..1000], whole[..1000]);
        for (at, byte) in file.iter().enumerate() {
            assert!(*byte == whole[at] || *byte == 0);
        }
        holes += usize::from(file[1000..].contains(&0));
        seen.insert(file);
    }
    assert!(seen.len() > 30 && holes > 20, "{} {holes}", seen.len());
}

#[test]
fn a_trace_that_is_not_all_is_noticed() {
    let records = [opened_root(), created(1, "file"), written(1, 0, 0..3)];
    let trace = trace(&records);
    let directory = tempfile::tempdir().unwrap();
    let difference = || tree(&trace).difference(&trace, directory.path()).unwrap();
    assert!(difference().unwrap().contains("file"));
    fs::write(directory.path().join("file"), b"abc").unwrap();
    assert_eq!(difference(), None);
    fs::write(directory.path().join("file"), b"abd").unwrap();
    assert!(difference().unwrap().contains("other bytes"));
    let unknown = Record::Unknown { call: "mmap".to_owned() };
    assert!(Tree::empty().apply(&trace, &unknown).is_err());
}

//! Checks fjall's other files: its marker, and for each tree the manifest and the tables it names.
//!
//! fjall takes a tree without its `current` file for one that was never made, and deletes it. Its errors
//! name no files. The manifest holds a checksum of every table, so the file at fault can be found.
//!
//! A tree has `current` (`manifest id u64 | xxh3-128 of the manifest u128 | 0`), the manifest `v{id}` and
//! `tables/{id}`. A manifest is an archive: its last bytes lead to a list of sections.

use super::{DATA_KEYSPACE, directory::exists};
use crate::StoreError;
use std::{
    fs::File,
    io::{self, ErrorKind, Read},
    path::{Path, PathBuf},
};
use xxhash_rust::xxh3::{Xxh3, xxh3_128};

/// The tree in which fjall keeps the names and options of the others.
pub(super) const META_KEYSPACE: u64 = 0;

/// Checks that all is there that a store needs, and that what says so is intact.
pub(super) fn check(store: &Path) -> Result<(), StoreError> {
    let marker = store.join("version");
    if read(&marker)? != b"FJL\x03" {
        return Err(StoreError::damaged(marker, "it does not hold the marker of fjall 3"));
    }
    // It holds nothing, and people take lock files away.
    let lock = store.join("lock");
    if !exists(&lock)? {
        File::create(&lock).map_err(|error| StoreError::io(&lock, error))?;
    }
    only_numbers(&trees(store))?;
    for tree in [META_KEYSPACE, DATA_KEYSPACE].map(|id| tree(store, id)) {
        only_numbers(&tree.join("tables"))?;
        for table in manifest(&tree)? {
            let path = table.path(&tree);
            match std::fs::metadata(&path) {
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::NotFound => return Err(missing(path)),
                Err(error) => return Err(StoreError::io(path, error)),
            }
        }
    }
    // The names of trees are few bytes, and without them fjall deletes the trees.
    verify(&tree(store, META_KEYSPACE))
}

/// The directories of the store, which name all of its files.
pub(super) fn directories(store: &Path) -> Vec<PathBuf> {
    let trees = [META_KEYSPACE, DATA_KEYSPACE].map(|id| tree(store, id));
    let tables = trees.clone().map(|tree| tree.join("tables"));
    let above = [store.to_owned(), self::trees(store)];
    above.into_iter().chain(trees).chain(tables).collect()
}

/// The directory that holds a store's trees.
pub(super) fn trees(store: &Path) -> PathBuf {
    store.join("keyspaces")
}

pub(super) fn tree(store: &Path, id: u64) -> PathBuf {
    trees(store).join(id.to_string())
}

/// The directory of the tables that hold all keys and values.
pub(super) fn data_tables(store: &Path) -> PathBuf {
    tree(store, DATA_KEYSPACE).join("tables")
}

/// Reads every table and names the first file that is not what was written.
///
/// It may run beside a working store, which replaces manifests and tables.
pub(super) fn culprit(store: &Path) -> Option<StoreError> {
    for id in [META_KEYSPACE, DATA_KEYSPACE] {
        let tree = tree(store, id);
        let mut seen = None;
        loop {
            let current = std::fs::read(tree.join("current")).ok();
            let Err(error) = verify(&tree) else {
                break;
            };
            // What is found wrong while the manifest changes may only have been replaced.
            if current.is_none() || current == seen {
                return Some(error);
            }
            seen = current;
        }
    }
    None
}

/// Compares every table of a tree with its checksum.
fn verify(tree: &Path) -> Result<(), StoreError> {
    for table in manifest(tree)? {
        let path = table.path(tree);
        match checksum(&path) {
            Ok(checksum) if checksum == table.checksum => {}
            Ok(_) => {
                return Err(StoreError::damaged(
                    path,
                    "its bytes are not those that were written: the checksum is wrong",
                ));
            }
            Err(error) if error.kind() == ErrorKind::NotFound => return Err(missing(path)),
            Err(error) => return Err(StoreError::io(path, error)),
        }
    }
    Ok(())
}

pub(super) struct Table {
    pub id: u64,
    pub checksum: u128,
}

impl Table {
    pub fn path(&self, tree: &Path) -> PathBuf {
        tree.join("tables").join(self.id.to_string())
    }
}

/// The tables a tree consists of.
pub(super) fn manifest(tree: &Path) -> Result<Vec<Table>, StoreError> {
    let path = tree.join("current");
    let current = read(&path)?;
    let mut fields = Fields(&current);
    let (Some(id), Some(expected), Some([0]), []) =
        (fields.number(), fields.take().map(u128::from_le_bytes), fields.take(), fields.0)
    else {
        return Err(StoreError::damaged(path, "it does not name a manifest"));
    };
    let path = tree.join(format!("v{id}"));
    let manifest = read(&path)?;
    if xxh3_128(&manifest) != expected {
        return Err(StoreError::damaged(
            path,
            "its checksum is not the one that the file \"current\" beside it gives",
        ));
    }
    tables(&manifest)
        .ok_or_else(|| StoreError::damaged(path, "its list of tables cannot be understood"))
}

/// Reads the list of tables: `levels u8`, each `runs u8`, each `tables u32`, each
/// `id u64 | 0 | checksum u128 | seqno u64`.
fn tables(manifest: &[u8]) -> Option<Vec<Table>> {
    let mut list = Fields(section(manifest, b"tables")?);
    let mut tables = Vec::new();
    let [levels] = list.take()?;
    for _ in 0..levels {
        let [runs] = list.take()?;
        for _ in 0..runs {
            for _ in 0..u32::from_le_bytes(list.take()?) {
                let id = list.number()?;
                let [0] = list.take()? else {
                    return None;
                };
                let checksum = u128::from_le_bytes(list.take()?);
                list.number()?;
                tables.push(Table { id, checksum });
            }
        }
    }
    Some(tables)
}

/// Finds a section of an archive, which ends with
/// `"SFA!" | 1 | 0 | checksum u128 | list position u64 | list length u64`. The list is
/// `"TOC!" | sections u32`, each `position u64 | length u64 | name length u16 | name`.
fn section<'a>(archive: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    let mut end = Fields(archive.last_chunk::<38>()?);
    let (b"SFA!\x01\x00", [_, ..]) = (&end.take::<6>()?, end.take::<16>()?) else {
        return None;
    };
    let position = usize::try_from(end.number()?).ok()?;
    let mut list = Fields(archive.get(position..)?);
    let b"TOC!" = &list.take::<4>()? else {
        return None;
    };
    for _ in 0..u32::from_le_bytes(list.take()?) {
        let position = usize::try_from(list.number()?).ok()?;
        let length = usize::try_from(list.number()?).ok()?;
        let name_length = usize::from(u16::from_le_bytes(list.take()?));
        let (found, rest) = list.0.split_at_checked(name_length)?;
        list.0 = rest;
        if found == name {
            return archive.get(position..position.checked_add(length)?);
        }
    }
    None
}

struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (field, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*field)
    }

    fn number(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }
}

/// fjall gives up on names it does not know, without saying which.
pub(super) fn only_numbers(directory: &Path) -> Result<(), StoreError> {
    let unreadable = |error: io::Error| match error.kind() {
        ErrorKind::NotFound => missing(directory.to_owned()),
        _ => StoreError::io(directory, error),
    };
    for entry in std::fs::read_dir(directory).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let known = entry.file_name().to_str().is_some_and(|name| {
            name.parse::<u64>().is_ok() || name == ".DS_Store" || name.starts_with("._")
        });
        if !known {
            return Err(StoreError::damaged(
                entry.path(),
                "it does not belong here; move it out of this directory",
            ));
        }
    }
    Ok(())
}

pub(super) fn read(path: &Path) -> Result<Vec<u8>, StoreError> {
    std::fs::read(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => missing(path.to_owned()),
        _ => StoreError::io(path, error),
    })
}

pub(super) fn missing(path: PathBuf) -> StoreError {
    StoreError::damaged(path, "it is missing")
}

pub(super) fn checksum(path: &Path) -> io::Result<u128> {
    let mut file = File::open(path)?;
    let mut hasher = Xxh3::new();
    let mut window = vec![0; 1 << 20];
    loop {
        match file.read(&mut window) {
            Ok(0) => return Ok(hasher.digest128()),
            Ok(read) => hasher.update(window.get(..read).unwrap_or_default()),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

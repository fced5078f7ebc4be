//! Every file of a data directory, compared with what other files say of it.

use super::{Inspection, block};
use crate::{
    StoreError,
    embedded::{
        DATA_KEYSPACE,
        directory::exists,
        journal::{self, Tail, Torn},
        tables::{self, META_KEYSPACE, checksum, manifest, missing, only_numbers},
    },
};
use std::{
    io::ErrorKind,
    path::{Path, PathBuf},
};

/// What may lie in a data directory.
const KNOWN: [&str; 8] =
    ["LOCK", "FORMAT", "CLEAN", "REACHED", "UNSYNCED", "store", "store.creating", "lost+found"];

impl Inspection {
    /// The files that say how the last run ended.
    pub(super) fn check_marks(&mut self) -> Result<(), StoreError> {
        let root = self.directory.root().to_owned();
        if !exists(&root.join("LOCK"))? {
            self.note(root.join("LOCK"), "it is missing; the next start makes it again");
        }
        for name in names(&root)? {
            if name.ends_with(".tmp") {
                self.note(root.join(&name), "a crash has left it; it is not used");
            } else if !KNOWN.contains(&name.as_str()) {
                self.note(root.join(&name), "it does not belong to Monotable");
            }
        }
        match self.directory.clean_end() {
            Ok(clean) => self.clean = clean,
            Err(error) => self.found(error)?,
        }
        match self.directory.reached() {
            Ok(reached) => self.reached = reached,
            Err(error) => self.found(error)?,
        }
        self.tail = match self.clean {
            Some(_) => Tail::Whole,
            None if self.directory.is_unsynced()? => Tail::Unsynced,
            None => Tail::Torn,
        };
        if self.tail == Tail::Unsynced {
            // What was acknowledged need not be there.
            self.reached = None;
        }
        Ok(())
    }

    /// The trees: which there are, their manifests, and each of their tables.
    pub(super) fn check_trees(&mut self, progress: &mut dyn FnMut(u64)) -> Result<(), StoreError> {
        let store = self.directory.store();
        let marker = store.join("version");
        match tables::read(&marker) {
            Ok(text) if text == b"FJL\x03" => {}
            Ok(_) => {
                let reason = "it does not hold the marker of fjall 3";
                self.found(StoreError::damaged(marker, reason))?;
            }
            Err(error) => self.found(error)?,
        }
        if !exists(&store.join("lock"))? {
            self.note(store.join("lock"), "it is missing; the next start makes it again");
        }
        for name in names(&store)? {
            let known = ["version", "lock", "keyspaces"].contains(&name.as_str());
            if !known && !name.to_ascii_lowercase().ends_with(".jnl") {
                self.note(store.join(&name), "it does not belong to Monotable");
            }
        }
        let trees = tables::trees(&store);
        if let Err(error) = only_numbers(&trees) {
            self.found(error)?;
        }
        for name in names(&trees).unwrap_or_default() {
            let id = name.parse::<u64>();
            if id.is_ok_and(|id| id != META_KEYSPACE && id != DATA_KEYSPACE) {
                let reason = "a tree that nothing belongs to; the next start removes it";
                self.found(StoreError::damaged(trees.join(name), reason))?;
            }
        }
        for id in [META_KEYSPACE, DATA_KEYSPACE] {
            self.check_tree(&tables::tree(&store, id), progress)?;
        }
        Ok(())
    }

    fn check_tree(&mut self, tree: &Path, progress: &mut dyn FnMut(u64)) -> Result<(), StoreError> {
        let directory = tree.join("tables");
        if let Err(error) = only_numbers(&directory) {
            self.found(error)?;
            return Ok(());
        }
        let listed = match manifest(tree) {
            Ok(listed) => listed,
            Err(error) => {
                self.found(error)?;
                return Ok(());
            }
        };
        for name in names(&directory)? {
            let id = name.parse::<u64>();
            if id.is_ok_and(|id| !listed.iter().any(|table| table.id == id)) {
                let text =
                    "no manifest names it: a flush or compaction was cut off; it is not used";
                self.note(directory.join(name), text);
            }
        }
        for table in &listed {
            let path = table.path(tree);
            match checksum(&path) {
                Ok(found) if found == table.checksum => {}
                Ok(_) => {
                    let place = block::first_wrong(&path)
                        .map_err(|error| StoreError::io(&path, error))?
                        .unwrap_or_else(|| "each of its blocks is whole".to_owned());
                    let reason =
                        format!("its checksum is not the one that its manifest gives: {place}");
                    self.found(StoreError::damaged(&path, reason))?;
                }
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    self.found(missing(path.clone()))?;
                }
                Err(error) => return Err(StoreError::io(path, error)),
            }
            progress(std::fs::metadata(&path).map_or(0, |file| file.len()));
        }
        Ok(())
    }

    /// The journals, and that they end where the last run says.
    pub(super) fn check_journals(&mut self) -> Result<(), StoreError> {
        let store = self.directory.store();
        let journals = match journal::inspect(&store, self.tail) {
            Ok(journals) => journals,
            Err(error) => return self.found(error),
        };
        if let Some(Torn { path, offset, why }) = &journals.torn {
            let text = format!(
                "after the last complete batch, at byte {offset}, there is a part of another ({why}): \
                 a crash left it, the next start cuts it off"
            );
            self.note(path.clone(), text);
        }
        self.journals = Some(journals);
        Ok(())
    }
}

/// The names in a directory, in order.
fn names(directory: &Path) -> Result<Vec<String>, StoreError> {
    let unreadable = |error| StoreError::io(directory, error);
    let mut names = Vec::new();
    for entry in std::fs::read_dir(directory).map_err(unreadable)? {
        let name: PathBuf = entry.map_err(unreadable)?.file_name().into();
        names.push(name.to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

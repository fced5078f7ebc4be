//! Opening a store: everything is checked before fjall may change anything, and again once it has read.

use super::{
    Durability, Options, VERSION_KEY, VersionRecord,
    directory::{Contents, Directory, sync_directory},
    journal::{self, Journals, Tail},
    poison::Poison,
    reads::Reads,
    shared::{Shared, means_damage},
    snapshot::View,
    space::Space,
    stage::Stage,
    tables,
};
use crate::{StoreError, Version, error::panic_text};
use fjall::{
    AbstractTree, CompressionType, Database, DatabaseBuilder, Keyspace, KeyspaceCreateOptions,
    compaction::Leveled,
};
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    sync::{Arc, RwLock},
};
use tokio::sync::Mutex;

const KEYSPACE: &str = "data";

/// So many tables are gathered before they are merged into the next level.
const FIRST_LEVEL_TABLES: u8 = 2;

pub(super) fn open(root: &Path, options: &Options) -> Result<Shared, StoreError> {
    let directory = Directory::lock(root)?;
    if directory.contents()? == Contents::Nothing {
        directory.create_store(|path| {
            let (database, keyspace) = recover(path, options)?;
            drop(keyspace);
            drop(database);
            // fjall leaves out the directory that names the trees.
            sync_directory(&tables::trees(path))
        })?;
    }
    let store = directory.store();
    let clean = directory.clean_end()?;
    let tail = match clean {
        Some(_) => Tail::Whole,
        None if directory.is_unsynced()? => Tail::Unsynced,
        None => Tail::Torn,
    };
    tables::check(&store)?;
    directory.sync(tables::directories(&store))?;
    let journals = journal::check(&store, tail)?;
    if let (Some(clean), Some(last)) = (clean, journals.last) {
        same(&journals, last.versions.last, clean, "the clean end")?;
    }

    let (database, keyspace) = recover(&store, options)?;
    let version = last_version(&store, &keyspace)?;
    let reached = if tail == Tail::Unsynced { None } else { reached(&directory)? };
    agrees(&store, &keyspace, version, &Expected { journals: &journals, clean, reached })?;

    directory.unmark_clean()?;
    directory.mark_unsynced(options.durability == Durability::Os)?;
    let view = View { version, fjall: database.snapshot() };
    let space = Space::new(store.clone(), options.memtable_bytes);
    Ok(Shared {
        view: RwLock::new(Arc::new(view)),
        keyspace,
        database,
        poison: Arc::new(Poison::new()),
        stage: Stage::new(version, options.clock.clone(), space),
        reads: Reads::new(options.cache_for_answers()),
        tables: tables::data_tables(&store),
        store,
        culprit: Mutex::new(None),
        synced: options.durability == Durability::Sync,
        directory,
    })
}

/// A version that must be there. One that cannot be read was torn by a power cut, or damaged; a file that
/// is longer than it ever was is something else, and the end of the journal may be gone with it.
fn reached(directory: &Directory) -> Result<Option<Version>, StoreError> {
    match directory.reached() {
        Err(error @ StoreError::Damaged { .. }) if directory.may_be_torn_reached()? => {
            tracing::warn!(%error, "the end of the journal is not checked against it");
            Ok(None)
        }
        other => other,
    }
}

/// What is known of a store from other files than its tables.
pub(super) struct Expected<'a> {
    pub journals: &'a Journals,
    pub clean: Option<Version>,
    pub reached: Option<Version>,
}

/// Compares what fjall has read with what must be there.
pub(super) fn agrees(
    store: &Path,
    keyspace: &Keyspace,
    version: Version,
    expected: &Expected<'_>,
) -> Result<(), StoreError> {
    let journals = expected.journals;
    if let Some(last) = journals.last {
        same(journals, version, last.versions.last, "the journal")?;
    }
    if let Some(clean) = expected.clean {
        same(journals, version, clean, "the clean end")?;
    }
    if let Some(reached) = expected.reached.filter(|reached| *reached > version) {
        return Err(StoreError::damaged(
            &journals.newest,
            format!(
                "commit {reached} was acknowledged according to the file REACHED, but the last one is {version}: \
                 what was written after it is missing, perhaps with a whole journal"
            ),
        ));
    }
    joins_tables(store, journals, keyspace)?;
    skips_nothing(store, journals, keyspace)
}

fn same(
    journals: &Journals,
    found: Version,
    expected: Version,
    according_to: &str,
) -> Result<(), StoreError> {
    if found == expected {
        return Ok(());
    }
    Err(StoreError::damaged(
        &journals.newest,
        format!(
            "the last commit should be {expected} according to {according_to}, but it is {found}"
        ),
    ))
}

/// Has fjall open a store, or make one in an empty directory.
fn recover(store: &Path, options: &Options) -> Result<(Database, Keyspace), StoreError> {
    recover_with(store, options, |builder| builder)
}

/// Has fjall open a store in its own way.
pub(super) fn recover_with(
    store: &Path,
    options: &Options,
    configure: impl FnOnce(DatabaseBuilder<Database>) -> DatabaseBuilder<Database>,
) -> Result<(Database, Keyspace), StoreError> {
    let open = || -> fjall::Result<_> {
        let builder = Database::builder(store)
            .cache_size(options.cache_for_blocks())
            // The check of the journals reads values as they are.
            .journal_compression(CompressionType::None);
        let database = configure(builder).open()?;
        let keyspace = database.keyspace(KEYSPACE, || {
            // Whoever reads a range merges it from all tables of the first level.
            let merging = Leveled::default().with_l0_threshold(FIRST_LEVEL_TABLES);
            KeyspaceCreateOptions::default()
                .max_memtable_size(options.memtable_bytes)
                .compaction_strategy(Arc::new(merging))
        })?;
        Ok((database, keyspace))
    };
    match catch_unwind(AssertUnwindSafe(open)) {
        Ok(Ok(opened)) => Ok(opened),
        Ok(Err(fjall::Error::Locked)) => Err(StoreError::Locked { path: store.to_owned() }),
        Ok(Err(fjall::Error::Io(error) | fjall::Error::Storage(fjall::LsmError::Io(error))))
            if !means_damage(&error) =>
        {
            Err(StoreError::io(store, error))
        }
        Ok(Err(error)) => Err(find_damage(store, &error.to_string())),
        Err(panic) => Err(find_damage(store, panic_text(panic.as_ref()))),
    }
}

fn find_damage(store: &Path, reason: &str) -> StoreError {
    tables::culprit(store)
        .unwrap_or_else(|| StoreError::damaged(store, format!("it cannot be opened: {reason}")))
}

pub(super) fn last_version(store: &Path, keyspace: &Keyspace) -> Result<Version, StoreError> {
    let read = || -> fjall::Result<_> {
        let record = keyspace.get(VERSION_KEY)?;
        let is_empty = record.is_some() || keyspace.is_empty()?;
        Ok((record, is_empty))
    };
    let (record, is_empty) = match catch_unwind(AssertUnwindSafe(read)) {
        Ok(Ok(read)) => read,
        Ok(Err(error)) => return Err(find_damage(store, &error.to_string())),
        Err(panic) => return Err(find_damage(store, panic_text(panic.as_ref()))),
    };
    match record {
        None if is_empty => Ok(Version(0)),
        None => {
            Err(StoreError::damaged(store, "it holds data, but not the number of its last commit"))
        }
        Some(record) => match VersionRecord::decode(&record) {
            Some(versions) => Ok(versions.last),
            None => Err(StoreError::damaged(store, "the number of its last commit cannot be read")),
        },
    }
}

/// Checks that the journals begin where the tables end.
fn joins_tables(store: &Path, journals: &Journals, keyspace: &Keyspace) -> Result<(), StoreError> {
    let Some(first) = journals.first else {
        return Ok(());
    };
    let before = catch_unwind(AssertUnwindSafe(|| keyspace.tree.get(VERSION_KEY, first.seqno)));
    // Asked after the read, as a flush may be under way: if none of the journals is in the tables now,
    // then none was when they were read. If any is, all before it is too.
    let persisted = keyspace.tree.get_highest_persisted_seqno();
    if persisted.is_some_and(|persisted| persisted >= first.seqno) {
        return Ok(());
    }
    let before = match before {
        Ok(Ok(before)) => before,
        Ok(Err(error)) => return Err(find_damage(store, &error.to_string())),
        Err(panic) => return Err(find_damage(store, panic_text(panic.as_ref()))),
    };
    let before = match before {
        Some(record) => VersionRecord::decode(&record).map(|versions| versions.last),
        None => Some(Version(0)),
    };
    if before == Some(first.versions.previous) {
        return Ok(());
    }
    Err(StoreError::damaged(
        &journals.newest,
        format!(
            "the journals begin after commit {}, but the tables end with commit {}: \
             what lay between is missing, perhaps with a whole journal",
            first.versions.previous,
            before.unwrap_or_default()
        ),
    ))
}

/// Checks that fjall passes over no batch that is not in the tables.
///
/// It goes by sequence numbers, which no checksum covers. The versions in the batches have one.
fn skips_nothing(store: &Path, journals: &Journals, keyspace: &Keyspace) -> Result<(), StoreError> {
    let tree = &keyspace.tree;
    let (persisted, record) = loop {
        let Some(persisted) = tree.get_highest_persisted_seqno() else {
            return Ok(());
        };
        let record = catch_unwind(AssertUnwindSafe(|| tree.get(VERSION_KEY, persisted + 1)));
        // A flush may be under way.
        if tree.get_highest_persisted_seqno() == Some(persisted) {
            break (persisted, record);
        }
    };
    let record = match record {
        Ok(Ok(record)) => record,
        Ok(Err(error)) => return Err(find_damage(store, &error.to_string())),
        Err(panic) => return Err(find_damage(store, panic_text(panic.as_ref()))),
    };
    let Some(in_tables) = record.as_deref().and_then(VersionRecord::decode) else {
        return Err(StoreError::damaged(store, "its tables do not say which commits they hold"));
    };
    let wrong =
        |(seqno, version): &&(u64, Version)| (*seqno <= persisted) != (*version <= in_tables.last);
    match journals.batches.iter().find(wrong) {
        None => Ok(()),
        Some((seqno, version)) => Err(StoreError::damaged(
            &journals.newest,
            format!(
                "the batch of commit {version} has the sequence number {seqno}, which is wrong: \
                 the tables reach to commit {} and the number {persisted}",
                in_tables.last
            ),
        )),
    }
}

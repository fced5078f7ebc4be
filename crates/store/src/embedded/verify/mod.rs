//! Looks at a data directory while no server uses it, and changes nothing in it.
//!
//! First the files: each is compared with the checksums that others hold of it. If they are what was
//! written, what they hold can be read: fjall would write while it opens them, so it is given a directory
//! of links to the tables, which it never changes, and of copies of the rest.

mod block;
mod files;
mod overlay;

use super::{
    Options,
    directory::{Contents, Directory, exists},
    journal::{Journals, Tail},
    open::{Expected, agrees, last_version, recover_with},
    poison::Poison,
    reads::Reads,
    shared::Shared,
    snapshot::{EmbeddedSnapshot, View},
    space::Space,
    stage::Stage,
    tables,
};
use crate::{Snapshot, StoreError, Version};
use overlay::Overlay;
use std::{
    path::{Path, PathBuf},
    sync::{Arc, RwLock},
};
use tokio::sync::Mutex;

/// A file that is not as it should be.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct FileFinding {
    /// The file or directory.
    pub path: PathBuf,
    /// What is wrong with it.
    pub problem: String,
    /// Whether that is what a crash may leave, and no damage.
    pub harmless: bool,
}

/// A data directory that is looked at. Nobody else can use it meanwhile.
pub struct Inspection {
    directory: Directory,
    clean: Option<Version>,
    reached: Option<Version>,
    tail: Tail,
    journals: Option<Journals>,
    findings: Vec<FileFinding>,
    contents: Option<Contents>,
}

/// What a store holds, as far as it could be opened.
pub struct Opened {
    /// All of it.
    pub snapshot: Box<dyn Snapshot>,
    // After the snapshot, which reads from it.
    _overlay: Overlay,
}

impl Inspection {
    /// Takes the lock of a data directory.
    ///
    /// # Errors
    /// If it is in use, or if there is no such directory, or none with a store in it.
    pub fn begin(root: &Path) -> Result<Self, StoreError> {
        let directory = Directory::lock_existing(root)?;
        let mut inspection = Self {
            directory,
            clean: None,
            reached: None,
            tail: Tail::Torn,
            journals: None,
            findings: Vec::new(),
            contents: None,
        };
        match inspection.directory.contents() {
            Ok(contents) => inspection.contents = Some(contents),
            // Another kind of directory altogether is not ours to judge.
            Err(error @ StoreError::UnknownFormat { .. })
                if !exists(&inspection.directory.store())? =>
            {
                return Err(error);
            }
            Err(error) => inspection.found(error)?,
        }
        Ok(inspection)
    }

    /// How many bytes there are to read.
    pub fn bytes(&self) -> u64 {
        let trees = [tables::META_KEYSPACE, super::DATA_KEYSPACE];
        let tables = trees.map(|id| tables::tree(&self.directory.store(), id).join("tables"));
        let sizes = tables.iter().filter_map(|path| std::fs::read_dir(path).ok()).flatten();
        sizes.flatten().filter_map(|entry| entry.metadata().ok()).map(|file| file.len()).sum()
    }

    /// Reads every file and gives what is wrong. `progress` is told how many bytes were read.
    ///
    /// # Errors
    /// If the operating system does not let a file be read.
    pub fn check_files(
        &mut self,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Vec<FileFinding>, StoreError> {
        if self.contents == Some(Contents::Store) || exists(&self.directory.store())? {
            self.check_marks()?;
            self.check_trees(progress)?;
            self.check_journals()?;
        }
        Ok(std::mem::take(&mut self.findings))
    }

    /// Opens what the files hold; none if there is no store yet. For files that are as they should be.
    ///
    /// # Errors
    /// If what the journals and the tables hold does not fit together.
    pub fn open(self, cache_bytes: u64) -> Result<Option<Opened>, StoreError> {
        let Some(journals) = &self.journals else {
            return Ok(None);
        };
        let store = self.directory.store();
        let overlay = Overlay::new(&store, journals)?;
        let options = Options { cache_bytes, ..Options::default() };
        // Without its workers fjall neither flushes nor compacts.
        let (database, keyspace) =
            recover_with(overlay.path(), &options, |builder| builder.worker_threads_unchecked(0))
                .map_err(|error| overlay.original(error, &store))?;
        let version = last_version(&store, &keyspace)?;
        let expected = Expected { journals, clean: self.clean, reached: self.reached };
        agrees(&store, &keyspace, version, &expected)?;
        let view = Arc::new(View { version, fjall: database.snapshot() });
        // Nobody can commit through a snapshot.
        let space = Space::new(store.clone(), options.memtable_bytes);
        let shared = Arc::new(Shared {
            view: RwLock::new(Arc::clone(&view)),
            keyspace,
            database,
            poison: Arc::new(Poison::new()),
            stage: Stage::new(version, options.clock, space),
            reads: Reads::new(0),
            tables: tables::data_tables(&store),
            store,
            culprit: Mutex::new(None),
            synced: false,
            directory: self.directory,
        });
        let snapshot = Box::new(EmbeddedSnapshot { shared, view });
        Ok(Some(Opened { snapshot, _overlay: overlay }))
    }

    /// Keeps what is wrong with a file; gives back what keeps us from looking.
    fn found(&mut self, error: StoreError) -> Result<(), StoreError> {
        let (path, problem) = match error {
            StoreError::Damaged { path, reason } => (path, reason),
            StoreError::UnknownFormat { path, found } => {
                (path, format!("it does not say what this version can read: {found}"))
            }
            other => return Err(other),
        };
        self.findings.push(FileFinding { path, problem, harmless: false });
        Ok(())
    }

    fn note(&mut self, path: PathBuf, problem: impl Into<String>) {
        self.findings.push(FileFinding { path, problem: problem.into(), harmless: true });
    }
}

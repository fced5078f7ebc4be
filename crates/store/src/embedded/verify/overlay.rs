//! A directory that looks like a store to fjall, so that it can be opened without a change to the store.
//!
//! Tables are links: fjall reads them, and removes names at most. Journals are copied up to the end of their
//! last batch, since fjall writes into them.

use crate::{
    StoreError,
    embedded::{
        DATA_KEYSPACE,
        journal::Journals,
        tables::{self, META_KEYSPACE, manifest},
    },
};
use std::{
    fs::{DirBuilder, File},
    io::{self, Read},
    os::unix::fs::{DirBuilderExt, symlink},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU32, Ordering},
};

/// The directory; removed when this is dropped.
pub(super) struct Overlay(PathBuf);

static NEXT: AtomicU32 = AtomicU32::new(0);

impl Overlay {
    /// Makes the directory, where temporary files go.
    pub fn new(store: &Path, journals: &Journals) -> Result<Self, StoreError> {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("monotable-verify-{}-{number}", std::process::id());
        let overlay = Self(std::env::temp_dir().join(name));
        let store = std::path::absolute(store).map_err(|error| StoreError::io(store, error))?;
        let path = overlay.0.clone();
        let made = DirBuilder::new().mode(0o700).create(&path);
        made.map_err(|error| StoreError::io(&path, error))?;
        overlay.fill(&store, journals)?;
        Ok(overlay)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// An error with the path of the file that a link or copy stands for.
    pub fn original(&self, error: StoreError, store: &Path) -> StoreError {
        match error {
            StoreError::Damaged { path, reason } => match path.strip_prefix(&self.0) {
                Ok(rest) => StoreError::damaged(store.join(rest), reason),
                Err(_) => StoreError::Damaged { path, reason },
            },
            other => other,
        }
    }

    fn fill(&self, store: &Path, journals: &Journals) -> Result<(), StoreError> {
        copy(&store.join("version"), &self.0.join("version"))?;
        let lock = self.0.join("lock");
        File::create(&lock).map_err(|error| StoreError::io(lock, error))?;
        for id in [META_KEYSPACE, DATA_KEYSPACE] {
            let (from, to) = (tables::tree(store, id), tables::tree(&self.0, id));
            let directory = to.join("tables");
            std::fs::create_dir_all(&directory)
                .map_err(|error| StoreError::io(&directory, error))?;
            for table in manifest(&from)? {
                let link = table.path(&to);
                symlink(table.path(&from), &link).map_err(|error| StoreError::io(link, error))?;
            }
            let current = tables::read(&from.join("current"))?;
            let number = current.first_chunk().map_or(0, |id| u64::from_le_bytes(*id));
            for name in ["current".to_owned(), format!("v{number}")] {
                copy(&from.join(&name), &to.join(&name))?;
            }
        }
        for (journal, end) in &journals.ends {
            if let Some(name) = journal.file_name() {
                let copied = copy_start(journal, &self.0.join(name), *end);
                copied.map_err(|error| StoreError::io(journal, error))?;
            }
        }
        // fjall begins a journal of its own if there is none.
        Ok(())
    }
}

impl Drop for Overlay {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.0) {
            tracing::warn!(path = %self.0.display(), %error, "a temporary directory is left");
        }
    }
}

fn copy(from: &Path, to: &Path) -> Result<(), StoreError> {
    std::fs::copy(from, to).map(|_| ()).map_err(|error| StoreError::io(from, error))
}

fn copy_start(from: &Path, to: &Path, length: u64) -> io::Result<()> {
    io::copy(&mut File::open(from)?.take(length), &mut File::create(to)?).map(|_| ())
}

//! Room on the disk. A disk that runs full in the middle of a write stops the store for good. So commits
//! are refused before it comes to that; reads go on, and so do commits once there is room again.

use crate::StoreError;
use std::path::PathBuf;

/// So many times the size of what is gathered in memory is kept free, for writing it out and merging tables.
const KEPT_MEMORIES: u64 = 3;
/// But not more than this part of the disk.
const KEPT_PART: u64 = 10;
/// A commit goes into a journal and, later, into a table.
const COPIES: u64 = 2;

/// Watches over the disk of a store.
pub(super) struct Space {
    path: PathBuf,
    most_kept: u64,
    is_full: bool,
}

/// There is not enough room.
pub(super) struct Full {
    path: PathBuf,
    free: u64,
    kept: u64,
}

impl Full {
    /// The same for a caller.
    pub fn error(&self) -> StoreError {
        StoreError::Full { path: self.path.clone(), free: self.free, kept: self.kept }
    }
}

impl Space {
    pub fn new(path: PathBuf, memtable_bytes: u64) -> Self {
        Self { path, most_kept: KEPT_MEMORIES.saturating_mul(memtable_bytes), is_full: false }
    }

    /// Refuses to write so many bytes if that would take what is kept free.
    pub fn check(&mut self, bytes: u64) -> Result<(), Full> {
        // Some file systems do not know their size. Their errors are found when it comes to writing.
        let Some((total, free)) = self.room().filter(|(total, _)| *total > 0) else {
            return Ok(());
        };
        let kept = self.most_kept.min(total / KEPT_PART);
        let path = self.path.display();
        if free < kept.saturating_add(bytes.saturating_mul(COPIES)) {
            if !self.is_full {
                tracing::error!(%path, free, kept, "the disk is full: nothing is written until there is room");
            }
            self.is_full = true;
            return Err(Full { path: self.path.clone(), free, kept });
        }
        // While large commits are refused and small ones are not, it is still full.
        if self.is_full && free > 2 * kept {
            tracing::info!(%path, free, "there is room on the disk again");
            self.is_full = false;
        }
        Ok(())
    }

    /// The size of the disk, and what is free.
    fn room(&self) -> Option<(u64, u64)> {
        let found = rustix::fs::statvfs(&self.path).ok()?;
        let bytes = |blocks: u64| blocks.saturating_mul(found.f_frsize);
        Some((bytes(found.f_blocks), bytes(found.f_bavail)))
    }
}

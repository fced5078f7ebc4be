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
    /// When it was last looked at: what was free, and how much of it is kept.
    free: u64,
    kept: u64,
    is_full: bool,
}

impl Space {
    pub fn new(path: PathBuf, memtable_bytes: u64) -> Self {
        let most_kept = KEPT_MEMORIES.saturating_mul(memtable_bytes);
        Self { path, most_kept, free: u64::MAX, kept: 0, is_full: false }
    }

    /// Asks how much is free.
    pub fn look(&mut self) {
        // Some file systems do not know their size. Their errors are found when it comes to writing.
        let room = self.room().filter(|(total, _)| *total > 0);
        (self.free, self.kept) = match room {
            Some((total, free)) => (free, self.most_kept.min(total / KEPT_PART)),
            None => (u64::MAX, 0),
        };
    }

    /// Whether what is kept free was free when it was last looked at.
    pub fn has_room(&self) -> bool {
        self.free >= self.kept
    }

    /// Refuses so many bytes, with all that are not written yet, if they would take what is kept free.
    pub fn check(&mut self, bytes: usize) -> Result<(), StoreError> {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        let (path, free, kept) = (self.path.display(), self.free, self.kept);
        if free < kept.saturating_add(bytes.saturating_mul(COPIES)) {
            if !self.is_full {
                tracing::error!(%path, free, kept, "the disk is full: nothing is written until there is room");
            }
            self.is_full = true;
            return Err(StoreError::Full { path: self.path.clone(), free, kept });
        }
        // While large commits are refused and small ones are not, it is still full.
        if self.is_full && free > kept.saturating_mul(2) {
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

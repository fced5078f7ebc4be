//! What the store's threads, its callers and their snapshots have in common.

use super::{
    directory::Directory, poison::Poison, reads::Reads, snapshot::View, stage::Stage, tables,
};
use crate::{StoreError, error::panic_text};
use bytes::Bytes;
use std::{
    io::ErrorKind,
    panic::{AssertUnwindSafe, catch_unwind},
    path::PathBuf,
    sync::{Arc, PoisonError, RwLock},
};
use tokio::sync::{Mutex, oneshot};

pub(super) struct Shared {
    // Before the directory: fjall must have let go of its files when the lock is released.
    pub view: RwLock<Arc<View>>,
    pub keyspace: fjall::Keyspace,
    pub database: fjall::Database,
    pub poison: Arc<Poison>,
    pub stage: Stage,
    pub reads: Reads,
    /// fjall's directory.
    pub store: PathBuf,
    /// The directory of the tables, which stands for a table not known yet.
    pub tables: PathBuf,
    /// Once it has been looked for: the table at fault.
    pub culprit: Mutex<Option<Option<Culprit>>>,
    /// Whether what readers see is on disk.
    pub synced: bool,
    pub directory: Directory,
}

#[derive(Clone)]
pub(super) struct Culprit {
    path: PathBuf,
    reason: String,
}

impl Shared {
    /// The newest view that readers may have.
    pub fn view(&self) -> Arc<View> {
        Arc::clone(&self.view.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub fn show(&self, view: View) {
        *self.view.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(view);
    }

    /// Runs a read, whose failure is that of the tables. fjall panics on some kinds of damage.
    pub fn guard<T>(&self, read: impl FnOnce() -> fjall::Result<T>) -> Result<T, StoreError> {
        match catch_unwind(AssertUnwindSafe(read)) {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(
                fjall::Error::Io(error) | fjall::Error::Storage(fjall::LsmError::Io(error)),
            )) if !means_damage(&error) => Err(StoreError::io(&self.tables, error)),
            Ok(Err(error)) => Err(self.unreadable(&error.to_string())),
            Err(panic) => Err(self.unreadable(panic_text(panic.as_ref()))),
        }
    }

    fn unreadable(&self, reason: &str) -> StoreError {
        StoreError::damaged(&self.tables, format!("reading them failed: {reason}"))
    }

    /// The newest value of a key that no batch under way writes.
    pub fn get_newest(&self, key: &[u8]) -> Result<Option<Bytes>, StoreError> {
        self.guard(|| self.keyspace.get(key)).map(|value| value.map(Bytes::from))
    }

    /// Finds the table behind an error that only says that one of them is damaged.
    ///
    /// All tables have to be read for that, so it is done once, and not on the thread of a caller.
    pub async fn pinpoint(&self, error: StoreError) -> StoreError {
        let StoreError::Damaged { path, reason } = error else {
            return error;
        };
        if path != self.tables {
            return StoreError::Damaged { path, reason };
        }
        let mut known = self.culprit.lock().await;
        if known.is_none() {
            let (found, answer) = oneshot::channel();
            let store = self.store.clone();
            std::thread::spawn(move || found.send(tables::culprit(&store)));
            *known = Some(match answer.await {
                Ok(Some(StoreError::Damaged { path, reason })) => {
                    tracing::error!(path = %path.display(), reason, "found damage");
                    Some(Culprit { path, reason })
                }
                _ => None,
            });
        }
        match known.clone().flatten() {
            Some(culprit) => {
                StoreError::damaged(culprit.path, format!("{} ({reason})", culprit.reason))
            }
            None => StoreError::Damaged { path, reason },
        }
    }
}

/// Whether what the operating system says is about what files hold, not about reaching them.
pub(super) fn means_damage(error: &std::io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::NotFound
            | ErrorKind::UnexpectedEof
            | ErrorKind::InvalidData
            // To a place before the start of a file that is too short.
            | ErrorKind::InvalidInput
    )
}

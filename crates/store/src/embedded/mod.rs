//! The engine that keeps data on disk, in one directory, on fjall.
//!
//! A commit is answered once it is on disk. Damage to the files is found and named when the store is
//! opened or the damaged part is read; it never shows as data that is silently missing.

mod batch;
mod committer;
mod directory;
mod journal;
mod open;
mod poison;
mod recent;
mod shared;
mod snapshot;
mod tables;
#[cfg(test)]
mod tests;
mod verify;
mod watch;

pub use verify::{FileFinding, Inspection, Opened};

use crate::{
    BoxFuture, Clock, Decide, Snapshot, Store, StoreError, Version, write::RESERVED,
    write::check_key,
};
use bytes::Bytes;
use committer::{Committer, Message, Request};
use shared::Shared;
use snapshot::EmbeddedSnapshot;
use std::{
    io::ErrorKind,
    path::{Path, PathBuf},
    sync::{Arc, mpsc},
    thread::JoinHandle,
    time::Duration,
};
use tokio::sync::{mpsc as queue, oneshot, watch as signal};

/// The only tree of our own; fjall counts them from 1.
const DATA_KEYSPACE: u64 = 1;

/// Where each batch records the versions it holds.
const VERSION_KEY: &[u8; 8] = &[RESERVED, b'v', b'e', b'r', b's', b'i', b'o', b'n'];

/// How many requests may wait for the committer before callers have to wait.
const QUEUE: usize = 4096;

/// How long a store that is dropped waits for a committer that may hang behind failed background work.
const PATIENCE: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(1);

/// How an embedded store works.
#[derive(Clone, Debug)]
pub struct Options {
    /// When a commit is answered.
    pub durability: Durability,
    /// Memory for blocks read from disk.
    pub cache_bytes: u64,
    /// How much is gathered in memory before it is written to tables. Set when the store is created.
    pub memtable_bytes: u64,
    /// Where versions get their time from.
    pub clock: Clock,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            durability: Durability::Sync,
            cache_bytes: 128 << 20,
            memtable_bytes: 64 << 20,
            clock: Clock::system(),
        }
    }
}

/// When a commit is answered.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Durability {
    /// Once it is on disk.
    #[default]
    Sync,
    /// Once the operating system has it. A crash of the server loses nothing; a crash of the machine may
    /// lose the last commits.
    Os,
}

/// A store in a directory.
///
/// Dropping it stops it without the mark of a clean end; call [`Store::close`] first. The directory stays
/// locked while the store or a snapshot of it lives.
pub struct Embedded {
    shared: Arc<Shared>,
    queue: Option<queue::Sender<Message>>,
    end: signal::Receiver<Option<End>>,
    committer: Option<JoinHandle<()>>,
    watch: Option<(mpsc::Sender<()>, JoinHandle<()>)>,
}

/// How the committer ended.
#[derive(Clone, Debug)]
enum End {
    Clean,
    Poisoned,
    /// All is durable, but the mark of the clean end could not be written.
    Unmarked(PathBuf, ErrorKind),
    /// The store was dropped, not closed.
    Abandoned,
}

/// Which versions a batch holds: those after `previous`, up to `last`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct VersionRecord {
    previous: Version,
    last: Version,
}

impl VersionRecord {
    const BYTES: usize = 16;

    fn encode(self) -> Vec<u8> {
        [self.previous.0.to_le_bytes(), self.last.0.to_le_bytes()].concat()
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let (previous, last) = bytes.split_first_chunk()?;
        Some(Self {
            previous: Version(u64::from_le_bytes(*previous)),
            last: Version(u64::from_le_bytes(last.try_into().ok()?)),
        })
    }
}

impl Embedded {
    /// Opens the store in `directory`, or makes one if there is nothing there.
    ///
    /// # Errors
    /// If another store has it open, if it holds something else, or if any damage is found.
    pub fn open(directory: &Path, options: Options) -> Result<Self, StoreError> {
        let shared = Arc::new(open::open(directory, &options)?);
        let cannot_start = |error| StoreError::io(directory, error);
        let (queue, requests) = queue::channel(QUEUE);
        let (ended, end) = signal::channel(None);
        let committer = Committer::new(Arc::clone(&shared), requests, &options);
        let committer = std::thread::Builder::new()
            .name("monotable-commit".to_owned())
            .spawn(move || committer.run(&ended))
            .map_err(cannot_start)?;
        let (stop, stopped) = mpsc::channel();
        let watched = Arc::clone(&shared);
        let watch = std::thread::Builder::new()
            .name("monotable-watch".to_owned())
            .spawn(move || watch::run(&watched, &stopped))
            .map_err(cannot_start)?;
        Ok(Self {
            shared,
            queue: Some(queue),
            end,
            committer: Some(committer),
            watch: Some((stop, watch)),
        })
    }

    async fn send(&self, message: Message) -> Result<(), StoreError> {
        let sent = match &self.queue {
            Some(queue) => queue.send(message).await.is_ok(),
            None => false,
        };
        if sent { Ok(()) } else { self.gone() }
    }

    /// Why the committer does not answer.
    fn gone<T>(&self) -> Result<T, StoreError> {
        self.shared.poison.check()?;
        Err(StoreError::Closed)
    }

    async fn decide(&self, keys: Vec<Bytes>, decide: Decide) -> Result<Version, StoreError> {
        self.shared.poison.check()?;
        // The reading is done here; the committer only has to see what has been written since.
        let view = self.shared.view();
        let mut values = Vec::with_capacity(keys.len());
        for key in &keys {
            check_key(key)?;
            values.push(self.shared.get(&view, key)?);
        }
        let (answer, answered) = oneshot::channel();
        let request = Request { keys, seen: view.version, values, decide, answer };
        drop(view);
        tokio::select! {
            biased;
            sent = self.send(Message::Commit(request)) => sent?,
            poisoned = self.shared.poison.raised() => return Err(poisoned),
        }
        tokio::select! {
            biased;
            answer = answered => answer.unwrap_or_else(|_| self.gone()),
            // The committer may hang behind background work that has failed.
            poisoned = self.shared.poison.raised() => Err(poisoned),
        }
    }

    async fn finish(&self) -> Result<(), StoreError> {
        // It is closed already if the message is not taken.
        let close = async {
            let _ = self.send(Message::Close).await;
        };
        let mut end = self.end.clone();
        let ended = async {
            close.await;
            match end.wait_for(Option::is_some).await {
                Ok(end) => end.clone(),
                Err(_) => None,
            }
        };
        let end = tokio::select! {
            biased;
            end = ended => end,
            poisoned = self.shared.poison.raised() => return Err(poisoned),
        };
        match end {
            Some(End::Clean) => Ok(()),
            Some(End::Unmarked(path, kind)) => Err(StoreError::io(path, kind.into())),
            Some(End::Poisoned | End::Abandoned) | None => self.gone(),
        }
    }
}

impl Store for Embedded {
    fn snapshot(&self) -> BoxFuture<'_, Result<Box<dyn Snapshot>, StoreError>> {
        let snapshot = self.shared.poison.check().map(|()| {
            let snapshot: Box<dyn Snapshot> = Box::new(EmbeddedSnapshot {
                shared: Arc::clone(&self.shared),
                view: self.shared.view(),
            });
            snapshot
        });
        Box::pin(std::future::ready(snapshot))
    }

    fn commit(
        &self,
        keys: Vec<Bytes>,
        decide: Decide,
    ) -> BoxFuture<'_, Result<Version, StoreError>> {
        Box::pin(async move {
            match self.decide(keys, decide).await {
                Ok(version) => Ok(version),
                Err(error) => Err(self.shared.pinpoint(error).await),
            }
        })
    }

    fn close(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(self.finish())
    }
}

impl Drop for Embedded {
    fn drop(&mut self) {
        self.queue = None;
        if let Some((stop, watch)) = self.watch.take() {
            // The watch must run for as long as the committer may hang.
            if let Some(committer) = self.committer.take() {
                let mut patience = PATIENCE;
                while !committer.is_finished() && !patience.is_zero() {
                    std::thread::sleep(PAUSE);
                    if self.shared.poison.is_raised() {
                        patience = patience.saturating_sub(PAUSE);
                    }
                }
                if committer.is_finished() && committer.join().is_err() {
                    tracing::error!("the committer panicked");
                }
            }
            drop(stop);
            if watch.join().is_err() {
                tracing::error!("the watch over background work panicked");
            }
        }
    }
}

//! The engine that keeps data on disk, in one directory, on fjall.
//!
//! A commit is answered once it is on disk. Damage to the files is found and named when the store is
//! opened or the damaged part is read; it never shows as data that is silently missing.

mod batch;
mod directory;
mod journal;
mod open;
mod poison;
mod reads;
mod recent;
mod shared;
mod snapshot;
mod space;
mod stage;
mod tables;
#[cfg(test)]
mod tests;
mod ticket;
mod verify;
mod watch;
mod writer;

pub use verify::{FileFinding, Inspection, Opened};

use crate::{
    BoxFuture, Clock, Decide, Snapshot, Store, StoreError, Version, write::RESERVED,
    write::check_key,
};
use bytes::Bytes;
use shared::Shared;
use snapshot::EmbeddedSnapshot;
use stage::{Decided, Ending, Read, Request};
use std::{
    io::ErrorKind,
    path::{Path, PathBuf},
    sync::{Arc, mpsc},
    thread::JoinHandle,
    time::Duration,
};
use ticket::Answer;
use tokio::sync::watch as signal;
use writer::Writer;

/// The only tree of our own; fjall counts them from 1.
const DATA_KEYSPACE: u64 = 1;

/// Where each batch records the versions it holds.
const VERSION_KEY: &[u8; 8] = &[RESERVED, b'v', b'e', b'r', b's', b'i', b'o', b'n'];

/// How long a store that is dropped waits for a writer that may hang behind failed background work.
const PATIENCE: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(1);

/// How an embedded store works.
#[derive(Clone, Debug)]
pub struct Options {
    /// When a commit is answered.
    pub durability: Durability,
    /// Memory for what was read: blocks of tables, and answers that were put together from them.
    pub cache_bytes: u64,
    /// How much is gathered in memory before it is written to tables. Set when the store is created.
    pub memtable_bytes: u64,
    /// Where versions get their time from.
    pub clock: Clock,
}

impl Options {
    /// Most of what is read comes once, or in other combinations.
    const OF_ANSWERS: u64 = 7;

    fn cache_for_answers(&self) -> u64 {
        self.cache_bytes / Self::OF_ANSWERS
    }

    fn cache_for_blocks(&self) -> u64 {
        self.cache_bytes - self.cache_for_answers()
    }
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
    end: signal::Receiver<Option<End>>,
    writer: Option<JoinHandle<()>>,
    watch: Option<(mpsc::Sender<()>, JoinHandle<()>)>,
}

/// How the writer ended.
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
        let (ended, end) = signal::channel(None);
        let writer = Writer::new(Arc::clone(&shared), &options);
        let writer = std::thread::Builder::new()
            .name("monotable-write".to_owned())
            .spawn(move || writer.run(&ended))
            .map_err(cannot_start)?;
        let (stop, stopped) = mpsc::channel();
        let watched = Arc::clone(&shared);
        let watch = std::thread::Builder::new()
            .name("monotable-watch".to_owned())
            .spawn(move || watch::run(&watched, &stopped))
            .map_err(cannot_start)?;
        Ok(Self { shared, end, writer: Some(writer), watch: Some((stop, watch)) })
    }

    /// Why there is no answer.
    fn gone<T>(&self) -> Result<T, StoreError> {
        self.shared.poison.check()?;
        Err(StoreError::Closed)
    }

    async fn decide(&self, keys: Vec<Bytes>, decide: Decide) -> Result<Version, StoreError> {
        self.shared.poison.check()?;
        keys.iter().try_for_each(|key| check_key(key))?;
        let mut request = Request { keys, read: None, decide };
        let stage = &self.shared.stage;
        let answered = loop {
            let room = stage.room();
            match stage.decide(&self.shared, request) {
                Decided::Done(result) => return result,
                Decided::Waits(answered) => break answered,
                Decided::Closed => return self.gone(),
                Decided::Unread(unread) => {
                    request = self.read(unread)?;
                    continue;
                }
                Decided::Full(again) => request = again,
            }
            tokio::select! {
                biased;
                poisoned = self.shared.poison.raised() => return Err(poisoned),
                () = room => {}
            }
        };
        tokio::select! {
            biased;
            answer = answered => answer.map_or_else(|_| self.gone(), Answer::pass_on),
            // The writer may hang behind background work that has failed.
            poisoned = self.shared.poison.raised() => Err(poisoned),
        }
    }

    /// Reads the values of a request's keys, so that nobody has to wait for it where commits are decided.
    fn read(&self, request: Request) -> Result<Request, StoreError> {
        let view = self.shared.view();
        let values = request.keys.iter().map(|key| self.shared.get(&view, key));
        let read = Read { seen: view.version, values: values.collect::<Result<_, _>>()? };
        Ok(Request { read: Some(read), ..request })
    }

    async fn finish(&self) -> Result<(), StoreError> {
        self.shared.stage.end(Ending::Closed);
        let mut end = self.end.clone();
        let ended = async {
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
        self.shared.stage.end(Ending::Abandoned);
        if let Some((stop, watch)) = self.watch.take() {
            // The watch must run for as long as the writer may hang.
            if let Some(writer) = self.writer.take() {
                let mut patience = PATIENCE;
                while !writer.is_finished() && !patience.is_zero() {
                    std::thread::sleep(PAUSE);
                    if self.shared.poison.is_raised() {
                        patience = patience.saturating_sub(PAUSE);
                    }
                }
                if writer.is_finished() && writer.join().is_err() {
                    tracing::error!("the writer panicked");
                }
            }
            drop(stop);
            if watch.join().is_err() {
                tracing::error!("the watch over background work panicked");
            }
        }
    }
}

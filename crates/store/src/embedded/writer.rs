//! The one thread that writes.
//!
//! It takes whatever commits have been decided, writes them as one batch with one sync, shows them to
//! readers, and answers all of them.

use super::{
    Durability, End, Options, VERSION_KEY, VersionRecord,
    shared::Shared,
    snapshot::View,
    stage::{Ending, Group},
    ticket,
    watch::background_failure,
};
use crate::{PLANTED_PAUSE, Planted, StoreError, Version, error::panic_text};
use bytes::Bytes;
use fjall::PersistMode;
use std::{
    collections::HashMap,
    mem,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};
use tokio::sync::watch;

pub(super) struct Writer {
    shared: Arc<Shared>,
    mode: PersistMode,
    version: Version,
}

impl Writer {
    pub fn new(shared: Arc<Shared>, options: &Options) -> Self {
        let version = shared.view().version;
        let mode = match options.durability {
            Durability::Sync if Planted::AnswerBeforeSync.is_on() => PersistMode::Buffer,
            Durability::Sync => PersistMode::SyncData,
            Durability::Os => PersistMode::Buffer,
        };
        Self { shared, mode, version }
    }

    /// Works until there can be no more commits, and says through `end` how it ended.
    pub fn run(mut self, end: &watch::Sender<Option<End>>) {
        let ending = loop {
            match self.shared.stage.next() {
                Ok(group) => self.work(group),
                Err(ending) => break ending,
            }
        };
        let result = if self.shared.poison.is_raised() {
            End::Poisoned
        } else if ending == Ending::Closed {
            self.finish()
        } else {
            End::Abandoned
        };
        drop(self);
        end.send_replace(Some(result));
    }

    fn finish(&self) -> End {
        if let Err(error) = self.shared.database.persist(PersistMode::SyncAll) {
            self.shared
                .poison
                .raise(format!("{} could not be synced: {error}", self.shared.store.display()));
            return End::Poisoned;
        }
        match self.shared.directory.mark_clean(self.version) {
            Ok(()) => End::Clean,
            Err(error) => {
                tracing::error!(%error, "the clean end of the store could not be marked");
                match error {
                    StoreError::Io { path, source } => End::Unmarked(path, source.kind()),
                    _ => End::Abandoned,
                }
            }
        }
    }

    /// Writes a group and answers it.
    fn work(&mut self, mut group: Group) {
        let mut tickets = mem::take(&mut group.tickets);
        // Alone, a client would find out before it is too late.
        if Planted::AnswerBeforeWrite.is_on() && tickets.len() > 1 {
            ticket::answer(mem::take(&mut tickets));
            std::thread::sleep(PLANTED_PAUSE);
        }
        if !self.shared.poison.is_raised() {
            let write = || match Planted::CommitInTwo.is_on().then(|| group.half()) {
                Some(half) => {
                    self.write(half)?;
                    std::thread::sleep(PLANTED_PAUSE);
                    self.write(group)
                }
                None => self.write(group),
            };
            match catch_unwind(AssertUnwindSafe(write)) {
                Ok(Ok(())) => {}
                Ok(Err(fjall::Error::Poisoned)) => {
                    self.shared.poison.raise(background_failure(&self.shared));
                }
                Ok(Err(error)) => self
                    .shared
                    .poison
                    .raise(format!("writing to {} failed: {error}", self.shared.store.display())),
                Err(panic) => self
                    .shared
                    .poison
                    .raise(format!("a commit panicked: {}", panic_text(panic.as_ref()))),
            }
        }
        for ticket in &mut tickets {
            if let Err(poisoned) = self.shared.poison.check() {
                ticket.result = Err(poisoned);
            }
        }
        ticket::answer(tickets);
    }

    fn write(&mut self, group: Group) -> fjall::Result<()> {
        let Shared { database, keyspace, stage, .. } = &*self.shared;
        // Decisions that wrote nothing saw only what is durable by now.
        if group.values.is_empty() && !group.crowds {
            stage.written(self.version, false);
            return Ok(());
        }
        if !group.values.is_empty() {
            self.commit(group.values, group.last)?;
            self.version = group.last;
        }
        if group.crowds {
            keyspace.rotate_memtable()?;
        }
        // No batch is on its way here, so this view cannot come to see more than it does.
        self.shared.show(View { version: self.version, fjall: database.snapshot() });
        stage.written(self.version, group.crowds);
        Ok(())
    }

    /// Writes what keys become as one batch, and syncs it.
    fn commit(&self, values: HashMap<Bytes, Option<Bytes>>, last: Version) -> fjall::Result<()> {
        let Shared { database, keyspace, .. } = &*self.shared;
        let mut batch = fjall::OwnedWriteBatch::with_capacity(database.clone(), values.len() + 1)
            .durability(Some(self.mode));
        let keys: Vec<Bytes> = values.keys().cloned().collect();
        for (key, value) in values {
            match value {
                Some(value) => batch.insert(keyspace, key, value),
                None => batch.remove(keyspace, key),
            }
        }
        let versions = VersionRecord { previous: self.version, last };
        batch.insert(keyspace, VERSION_KEY.as_slice(), versions.encode());
        // fjall shows a batch to readers only after it has synced it as asked.
        let committed = match batch.commit() {
            Err(_) if Planted::AnswerAfterFailure.is_on() => Ok(()),
            committed => committed,
        };
        // Before there is a view of them, but not long before: until then nothing of these keys is kept.
        self.shared.reads.note(&keys, last);
        committed
    }
}

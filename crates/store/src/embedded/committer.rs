//! The one thread that decides and writes.
//!
//! It takes whatever requests have gathered, runs their decisions in order against the store and what the
//! group has written so far, writes the group as one batch, and then answers all of it.

use super::{
    Durability, End, Options, VERSION_KEY, VersionRecord,
    recent::{Recent, Standing},
    shared::Shared,
    snapshot::View,
    watch::background_failure,
};
use crate::{
    Clock, Decide, PLANTED_PAUSE, Planted, StoreError, Version, Write, error::panic_text,
    write::outcome,
};
use bytes::Bytes;
use fjall::PersistMode;
use std::{
    collections::{HashMap, HashSet},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};
use tokio::sync::{
    mpsc::{Receiver, error::TryRecvError},
    oneshot, watch,
};

/// A group is written once it has so many commits, or so many bytes of keys and values.
const GROUP_COMMITS: usize = 1024;
const GROUP_BYTES: usize = 8 << 20;

/// How much is kept of what was written lately. In tests so little that things are forgotten.
const RECENT_BYTES: usize = if cfg!(test) { 8 << 10 } else { 32 << 20 };

/// A memory table holds every version of a key, and whoever reads past the key steps over all of them.
/// After so many of one key the table is written out, which leaves one.
const MOST_VERSIONS: usize = 4096;

pub(super) enum Message {
    Commit(Request),
    Close,
}

/// A decision to be made, with the values of its keys as they were at some version.
pub(super) struct Request {
    pub keys: Vec<Bytes>,
    pub seen: Version,
    pub values: Vec<Option<Bytes>>,
    pub decide: Decide,
    pub answer: oneshot::Sender<Result<Version, StoreError>>,
}

pub(super) struct Committer {
    shared: Arc<Shared>,
    queue: Receiver<Message>,
    mode: PersistMode,
    version: Version,
    clock: Clock,
    recent: Recent,
}

/// An answer that waits until the group is durable.
struct Ticket {
    answer: oneshot::Sender<Result<Version, StoreError>>,
    result: Result<Version, StoreError>,
}

/// What a group has written so far.
struct Group {
    version: Version,
    values: HashMap<Bytes, Option<Bytes>>,
    /// Keys that were added to, which nobody reads in ranges.
    added: HashSet<Bytes>,
    bytes: usize,
}

impl Group {
    /// Takes half of what is written out of the group, for a fault.
    fn half(&mut self) -> Group {
        let some = self.values.len() / 2;
        let keys: Vec<Bytes> = self.values.keys().take(some).cloned().collect();
        let values = keys.into_iter().filter_map(|key| self.values.remove_entry(&key)).collect();
        Group { version: self.version, values, added: self.added.clone(), bytes: 0 }
    }
}

impl Committer {
    pub fn new(shared: Arc<Shared>, queue: Receiver<Message>, options: &Options) -> Self {
        let version = shared.view().version;
        Self {
            shared,
            queue,
            mode: match options.durability {
                Durability::Sync if Planted::AnswerBeforeSync.is_on() => PersistMode::Buffer,
                Durability::Sync => PersistMode::SyncData,
                Durability::Os => PersistMode::Buffer,
            },
            version,
            clock: options.clock.clone(),
            recent: Recent::new(version, RECENT_BYTES),
        }
    }

    /// Works until there can be no more requests, and says through `end` how it ended.
    pub fn run(mut self, end: &watch::Sender<Option<End>>) {
        let mut closing = false;
        while let Some(message) = self.queue.blocking_recv() {
            match message {
                Message::Commit(request) => closing |= self.work(request),
                Message::Close => closing = true,
            }
            if closing {
                // What is queued is still answered; nothing can be added.
                self.queue.close();
            }
        }
        let result = if !closing {
            End::Abandoned
        } else if self.shared.poison.is_raised() {
            End::Poisoned
        } else {
            self.finish()
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

    /// Commits a group that begins with `first`. Gives back whether the store is to be closed.
    fn work(&mut self, first: Request) -> bool {
        let mut tickets = Vec::new();
        let mut closing = false;
        if !self.shared.poison.is_raised() {
            let group = AssertUnwindSafe(|| self.group(first, &mut tickets, &mut closing));
            match catch_unwind(group) {
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
        } else {
            tickets.push(Ticket { answer: first.answer, result: Ok(Version(0)) });
        }
        for Ticket { answer, result } in tickets {
            let result = self.shared.poison.check().and(result);
            // Whoever asked may have gone away.
            let _ = answer.send(result);
        }
        closing
    }

    fn group(
        &mut self,
        first: Request,
        tickets: &mut Vec<Ticket>,
        closing: &mut bool,
    ) -> fjall::Result<()> {
        let mut group = Group {
            version: self.version,
            values: HashMap::new(),
            added: HashSet::new(),
            bytes: 0,
        };
        let mut next = Some(first);
        while let Some(request) = next.take() {
            // The ticket is there before anything can panic, so that its holder gets an answer.
            tickets.push(Ticket { answer: request.answer, result: Ok(Version(0)) });
            let result = self.decide(
                &mut group,
                &request.keys,
                request.seen,
                request.values,
                request.decide,
            );
            if let Some(ticket) = tickets.last_mut() {
                ticket.result = result;
            }
            if tickets.len() < GROUP_COMMITS && group.bytes < GROUP_BYTES {
                next = match self.queue.try_recv() {
                    Ok(Message::Commit(request)) => Some(request),
                    Ok(Message::Close) => {
                        *closing = true;
                        None
                    }
                    Err(TryRecvError::Empty | TryRecvError::Disconnected) => None,
                };
            }
        }
        // Decisions that wrote nothing saw only what is durable by now.
        if group.values.is_empty() {
            return Ok(());
        }
        if Planted::CommitInTwo.is_on() {
            let half = group.half();
            self.write(half)?;
            std::thread::sleep(PLANTED_PAUSE);
        }
        // Alone, a client would find out before it is too late.
        if Planted::AnswerBeforeWrite.is_on() && tickets.len() > 1 {
            for Ticket { answer, result } in tickets.drain(..) {
                let _ = answer.send(result);
            }
            std::thread::sleep(PLANTED_PAUSE);
        }
        self.write(group)
    }

    fn decide(
        &self,
        group: &mut Group,
        keys: &[Bytes],
        seen: Version,
        mut values: Vec<Option<Bytes>>,
        mut decide: Decide,
    ) -> Result<Version, StoreError> {
        for (key, value) in keys.iter().zip(&mut values) {
            if let Some(written) = group.values.get(key) {
                value.clone_from(written);
                continue;
            }
            match self.recent.standing(key, seen) {
                Standing::Stands => {}
                Standing::Replaced(written) => *value = written.cloned(),
                Standing::Unknown => *value = self.shared.get_newest(key)?,
            }
        }
        let version = group.version.next(&self.clock);
        let writes = decide(version, &values);
        for write in &writes {
            if let Write::Add { key, .. } = write
                && !group.added.contains(key)
            {
                group.added.insert(key.clone());
            }
        }
        let changes = outcome(writes, |key| {
            if let Some(written) = group.values.get(key) {
                return Ok(written.clone());
            }
            match self.recent.value(key) {
                Some(written) => Ok(written.cloned()),
                None => self.shared.get_newest(key),
            }
        })?;
        if !changes.is_empty() {
            group.version = version;
        }
        for (key, value) in changes {
            group.bytes += key.len() + value.as_ref().map_or(0, Bytes::len);
            group.values.insert(key, value);
        }
        Ok(version)
    }

    fn write(&mut self, group: Group) -> fjall::Result<()> {
        let Shared { database, keyspace, .. } = &*self.shared;
        let mut batch =
            fjall::OwnedWriteBatch::with_capacity(database.clone(), group.values.len() + 1)
                .durability(Some(self.mode));
        for (key, value) in &group.values {
            match value {
                Some(value) => batch.insert(keyspace, key.clone(), value.clone()),
                None => batch.remove(keyspace, key.clone()),
            }
        }
        let versions = VersionRecord { previous: self.version, last: group.version };
        batch.insert(keyspace, VERSION_KEY.as_slice(), versions.encode());
        // fjall shows a batch to readers only after it has synced it as asked.
        batch.commit()?;
        self.version = group.version;
        let added = group.added;
        let counted = |key: &Bytes| !added.contains(key);
        let most = self.recent.record(group.version, group.values, counted);
        if most >= MOST_VERSIONS {
            keyspace.rotate_memtable()?;
            self.recent.count_again();
        }
        // No batch is on its way here, so this view cannot come to see more than it does.
        self.shared.show(View { version: group.version, fjall: database.snapshot() });
        Ok(())
    }
}

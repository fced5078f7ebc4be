//! Where commits are decided and wait to be written.
//!
//! A commit is decided on its caller's task, one at a time, against what is on disk and what has been
//! decided since. It then waits here, with all others that gather while the writer syncs the group before.

use super::{
    recent::Recent,
    shared::Shared,
    space::Space,
    ticket::{Answer, Ticket},
};
use crate::{Clock, Decide, StoreError, Version, Write, error::panic_text, write::outcome};
use bytes::Bytes;
use std::{
    collections::{HashMap, HashSet},
    mem,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};
use tokio::sync::{Notify, futures::Notified, oneshot};

/// Nothing is added to a group that has so many commits, or so many bytes of keys and values.
const GROUP_COMMITS: usize = 1024;
const GROUP_BYTES: usize = 8 << 20;

/// If nothing is written for so long, there is time to tidy up. Not too often, since small tables are merged
/// with large ones.
const QUIET: Duration = Duration::from_millis(500);
const TIDY_EVERY: Duration = Duration::from_secs(10);

/// How much is kept of what was written lately. In tests so little that things are forgotten.
const RECENT_BYTES: usize = if cfg!(test) { 8 << 10 } else { 32 << 20 };

/// A decision to be made.
pub(super) struct Request {
    pub keys: Vec<Bytes>,
    /// The values of its keys as a view showed them, if they have been read.
    pub read: Option<Read>,
    pub decide: Decide,
}

pub(super) struct Read {
    pub seen: Version,
    pub values: Vec<Option<Bytes>>,
}

/// Commits that are decided, to be written as one batch.
#[derive(Default)]
pub(super) struct Group {
    /// What its keys become.
    pub values: HashMap<Bytes, Option<Bytes>>,
    /// Keys that were added to, which nobody reads in ranges.
    added: HashSet<Bytes>,
    /// The version of its last commit that writes.
    pub last: Version,
    /// Whether the memory table holds too many versions of its keys.
    pub crowds: bool,
    pub tickets: Vec<Ticket>,
    bytes: usize,
}

impl Group {
    /// Takes half of what is written out of the group, for a fault.
    pub fn half(&mut self) -> Group {
        let some = self.values.len() / 2;
        let keys: Vec<Bytes> = self.values.keys().take(some).cloned().collect();
        let values = keys.into_iter().filter_map(|key| self.values.remove_entry(&key)).collect();
        Group { last: self.last, values, ..Group::default() }
    }
}

/// What became of a request.
pub(super) enum Decided {
    /// It saw nothing that is not durable, and wrote nothing.
    Done(Result<Version, StoreError>),
    /// It is answered once its group is durable.
    Waits(oneshot::Receiver<Answer>),
    /// The values of its keys have to be read first.
    Unread(Request),
    /// The group is full.
    Full(Request),
    /// Nothing is taken any more.
    Closed,
}

/// How the store comes to its end.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Ending {
    /// It was closed.
    Closed,
    /// It was dropped, not closed.
    Abandoned,
}

pub(super) struct Stage {
    state: Mutex<State>,
    /// Told when there is something to write, or nothing more to come.
    work: Condvar,
    /// Told when a group is taken.
    room: Notify,
}

struct State {
    version: Version,
    clock: Clock,
    recent: Recent,
    group: Group,
    /// Whether a group is being written, and how large it is.
    writing: bool,
    writing_bytes: usize,
    /// Whether the writer sleeps. To wake it is a call into the system, even if it does not.
    sleeps: bool,
    /// When the memory table was last written out because nobody wrote.
    tidied: Option<Instant>,
    space: Space,
    ending: Option<Ending>,
}

impl Stage {
    pub fn new(version: Version, clock: Clock, space: Space) -> Self {
        let state = State {
            version,
            clock,
            recent: Recent::new(version, RECENT_BYTES),
            group: Group::default(),
            writing: false,
            writing_bytes: 0,
            sleeps: false,
            tidied: None,
            space,
            ending: None,
        };
        Self { state: Mutex::new(state), work: Condvar::new(), room: Notify::new() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ready once a group has been taken after this was called.
    pub fn room(&self) -> Notified<'_> {
        self.room.notified()
    }

    /// Decides a request, if there is room for it.
    pub fn decide(&self, shared: &Shared, request: Request) -> Decided {
        let mut state = self.state();
        if state.ending.is_some() {
            return Decided::Closed;
        }
        let group = &state.group;
        if group.tickets.len() >= GROUP_COMMITS || group.bytes >= GROUP_BYTES {
            return Decided::Full(request);
        }
        if request.read.is_none() && !state.knows(&request.keys) {
            return Decided::Unread(request);
        }
        // Values may be taken up by half only after a panic, and then nothing is written any more.
        let result = catch_unwind(AssertUnwindSafe(|| state.decide(shared, request)));
        let result = result.unwrap_or_else(|panic| {
            shared.poison.raise(format!("a commit panicked: {}", panic_text(panic.as_ref())));
            shared.poison.check().map(|()| Version(0))
        });
        // A decision that wrote nothing may have seen what is not durable yet.
        if !state.writing && state.group.values.is_empty() {
            return Decided::Done(result);
        }
        let (ticket, answered) = Ticket::new(result);
        state.group.tickets.push(ticket);
        let sleeps = mem::take(&mut state.sleeps);
        drop(state);
        if sleeps {
            self.work.notify_one();
        }
        Decided::Waits(answered)
    }

    /// Takes nothing more. The first reason stays.
    pub fn end(&self, ending: Ending) {
        self.state().ending.get_or_insert(ending);
        self.work.notify_one();
        // Those who wait for room are told that there is none.
        self.room.notify_waiters();
    }

    /// Waits for commits to write, or for the end. If there are none for a while, and the memory table holds
    /// several versions of its keys, there is a group without any: only to write that out.
    pub fn next(&self) -> Result<Group, Ending> {
        let mut state = self.state();
        loop {
            if !state.group.tickets.is_empty() {
                break;
            }
            if let Some(ending) = state.ending {
                return Err(ending);
            }
            state.sleeps = true;
            if !state.recent.is_untidy() {
                state = self.work.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            let waited = self.work.wait_timeout(state, QUIET);
            let (woken, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
            state = woken;
            if timeout.timed_out() && state.can_tidy() {
                state.sleeps = false;
                state.tidied = Some(Instant::now());
                return Ok(Group { crowds: true, ..Group::default() });
            }
        }
        state.sleeps = false;
        let group = mem::take(&mut state.group);
        state.writing = true;
        state.writing_bytes = group.bytes;
        drop(state);
        self.room.notify_waiters();
        Ok(group)
    }

    /// The group that was taken is durable and can be seen.
    pub fn written(&self, version: Version, rotated: bool) {
        let mut state = self.state();
        state.writing = false;
        state.writing_bytes = 0;
        state.recent.forget(version);
        if rotated {
            state.recent.count_again();
            // What has been decided since is written to the new memory table.
            state.group.crowds = false;
        }
    }
}

impl State {
    /// Whether there is nothing else to do, and room on the disk: there is no need to use up what is kept
    /// free for the needs of commits.
    fn can_tidy(&mut self) -> bool {
        let nothing_else = self.group.tickets.is_empty() && self.ending.is_none();
        nothing_else && self.tidied.is_none_or(|at| at.elapsed() >= TIDY_EVERY) && {
            self.space.look();
            self.space.has_room()
        }
    }

    /// Whether nothing has to be read to decide about these keys.
    fn knows(&self, keys: &[Bytes]) -> bool {
        keys.iter().all(|key| self.recent.value(key).is_some())
    }

    /// The newest values of the keys, given what was read of them.
    fn current(
        &self,
        shared: &Shared,
        keys: &[Bytes],
        read: Option<Read>,
    ) -> Result<Vec<Option<Bytes>>, StoreError> {
        let read = read.filter(|read| self.recent.reaches_back_to(read.seen));
        let Some(Read { mut values, .. }) = read else {
            return keys.iter().map(|key| self.newest(shared, key)).collect();
        };
        for (key, value) in keys.iter().zip(&mut values) {
            if let Some(known) = self.recent.value(key) {
                *value = known.cloned();
            }
        }
        Ok(values)
    }

    fn newest(&self, shared: &Shared, key: &Bytes) -> Result<Option<Bytes>, StoreError> {
        match self.recent.value(key) {
            Some(known) => Ok(known.cloned()),
            None => shared.get_newest(key),
        }
    }

    fn decide(&mut self, shared: &Shared, request: Request) -> Result<Version, StoreError> {
        let Request { keys, read, mut decide } = request;
        let seen = read.as_ref().map(|read| read.seen);
        let values = self.current(shared, &keys, read)?;
        let version = self.version.next(&self.clock);
        let writes = decide(version, &values);
        for write in &writes {
            if let Write::Add { key, .. } = write
                && !self.group.added.contains(key)
            {
                self.group.added.insert(key.clone());
            }
        }
        let changes = outcome(writes, |key| self.newest(shared, key))?;
        if let Some(seen) = seen {
            // What is written is recorded anyway.
            let stays = |key| changes.binary_search_by(|(changed, _)| changed.cmp(key)).is_err();
            for (key, value) in keys.iter().zip(&values).filter(|(key, _)| stays(*key)) {
                self.recent.remember(seen, key, value.as_ref());
            }
        }
        if changes.is_empty() {
            return Ok(version);
        }
        let size = |(key, value): &(Bytes, Option<Bytes>)| {
            key.len() + value.as_ref().map_or(0, Bytes::len)
        };
        let bytes = self.group.bytes + changes.iter().map(size).sum::<usize>();
        if self.group.values.is_empty() {
            self.space.look();
        }
        self.space.check(self.writing_bytes + bytes)?;
        self.group.bytes = bytes;
        self.version = version;
        self.group.last = version;
        for (key, value) in changes {
            let first = self.group.values.insert(key.clone(), value.clone()).is_none();
            // A batch leaves one version of a key, however often it is written in it.
            let counted = first && !self.group.added.contains(&key);
            self.recent.record(version, key, value, counted);
        }
        self.group.crowds = self.recent.is_crowded();
        Ok(version)
    }
}

//! An engine that keeps everything in memory: for tests and throw-away servers.
//!
//! Each key has its values by version. Versions that no live snapshot can see are dropped as commits and
//! snapshots come and go, so that snapshots cost nothing to take.

use crate::{
    BoxFuture, Clock, Decide, Direction, KeyRange, Page, PageLimit, Snapshot, Store, StoreError,
    Version,
    error::panic_text,
    write::{check_key, outcome},
};
use bytes::Bytes;
use std::{
    collections::{BTreeMap, VecDeque},
    ops::Bound,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard},
};

/// A store that lives as long as its value does.
pub struct Memory {
    state: Arc<RwLock<State>>,
    clock: Clock,
}

#[derive(Default)]
struct State {
    entries: BTreeMap<Bytes, History>,
    version: Version,
    /// How many snapshots look at each version.
    live: BTreeMap<Version, usize>,
    /// Keys that can lose an old value once no snapshot is older than the version beside them.
    superseded: VecDeque<(Version, Bytes)>,
    closed: bool,
    poisoned: Option<String>,
}

/// The values of a key, oldest first. `None` stands for a deletion.
type History = Vec<(Version, Option<Bytes>)>;

fn value_at(history: &History, version: Version) -> Option<&Bytes> {
    let seen = history.partition_point(|(written, _)| *written <= version);
    history.get(seen.checked_sub(1)?).and_then(|(_, value)| value.as_ref())
}

impl Memory {
    /// An empty store.
    pub fn new(clock: Clock) -> Self {
        Self { state: Arc::default(), clock }
    }
}

fn read(state: &RwLock<State>) -> RwLockReadGuard<'_, State> {
    state.read().unwrap_or_else(PoisonError::into_inner)
}

fn write(state: &RwLock<State>) -> RwLockWriteGuard<'_, State> {
    state.write().unwrap_or_else(PoisonError::into_inner)
}

impl State {
    fn check(&self) -> Result<(), StoreError> {
        match &self.poisoned {
            Some(reason) => Err(StoreError::Poisoned { reason: reason.clone() }),
            None => Ok(()),
        }
    }

    fn current(&self, key: &Bytes) -> Option<Bytes> {
        let history = self.entries.get(key)?;
        value_at(history, self.version).cloned()
    }

    fn commit(
        &mut self,
        clock: &Clock,
        keys: &[Bytes],
        mut decide: Decide,
    ) -> Result<Version, StoreError> {
        self.check()?;
        if self.closed {
            return Err(StoreError::Closed);
        }
        for key in keys {
            check_key(key)?;
        }
        let version = self.version.next(clock);
        let values: Vec<_> = keys.iter().map(|key| self.current(key)).collect();
        let writes = match catch_unwind(AssertUnwindSafe(|| decide(version, &values))) {
            Ok(writes) => writes,
            Err(panic) => {
                let reason = format!("a decision panicked: {}", panic_text(panic.as_ref()));
                tracing::error!(reason, "the store is poisoned");
                self.poisoned = Some(reason);
                return self.check().map(|()| version);
            }
        };
        let changes = outcome(writes, |key| Ok(self.current(key)))?;
        if changes.is_empty() {
            return Ok(version);
        }
        for (key, value) in changes {
            let deleted = value.is_none();
            let history = self.entries.entry(key.clone()).or_default();
            history.push((version, value));
            if deleted || history.len() > 1 {
                self.superseded.push_back((version, key));
            }
        }
        self.version = version;
        self.prune();
        Ok(version)
    }

    fn prune(&mut self) {
        let oldest = self.live.keys().next().copied().unwrap_or(self.version);
        while let Some((_, key)) = self.superseded.pop_front_if(|(version, _)| *version <= oldest) {
            let Some(history) = self.entries.get_mut(&key) else {
                continue;
            };
            let seen = history.partition_point(|(written, _)| *written <= oldest);
            history.drain(..seen.saturating_sub(1));
            if let [(written, None)] = history.as_slice()
                && *written <= oldest
            {
                self.entries.remove(&key);
            }
        }
    }
}

impl Store for Memory {
    fn snapshot(&self) -> BoxFuture<'_, Result<Box<dyn Snapshot>, StoreError>> {
        Box::pin(async {
            let mut state = write(&self.state);
            state.check()?;
            let version = state.version;
            *state.live.entry(version).or_default() += 1;
            let snapshot: Box<dyn Snapshot> =
                Box::new(MemorySnapshot { state: Arc::clone(&self.state), version });
            Ok(snapshot)
        })
    }

    fn commit(
        &self,
        keys: Vec<Bytes>,
        decide: Decide,
    ) -> BoxFuture<'_, Result<Version, StoreError>> {
        Box::pin(async move { write(&self.state).commit(&self.clock, &keys, decide) })
    }

    fn close(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async {
            let mut state = write(&self.state);
            state.closed = true;
            state.check()
        })
    }
}

struct MemorySnapshot {
    state: Arc<RwLock<State>>,
    version: Version,
}

impl Drop for MemorySnapshot {
    fn drop(&mut self) {
        let mut state = write(&self.state);
        if let Some(count) = state.live.get_mut(&self.version) {
            *count -= 1;
            if *count == 0 {
                state.live.remove(&self.version);
                state.prune();
            }
        }
    }
}

impl Snapshot for MemorySnapshot {
    fn version(&self) -> Version {
        self.version
    }

    fn get(&self, key: &[u8]) -> BoxFuture<'_, Result<Option<Bytes>, StoreError>> {
        let value = check_key(key).and_then(|()| {
            let state = read(&self.state);
            state.check()?;
            let history = state.entries.get(key);
            Ok(history.and_then(|history| value_at(history, self.version)).cloned())
        });
        Box::pin(std::future::ready(value))
    }

    fn range(
        &self,
        range: KeyRange,
        direction: Direction,
        limit: PageLimit,
    ) -> BoxFuture<'_, Result<Page, StoreError>> {
        Box::pin(async move {
            let state = read(&self.state);
            state.check()?;
            if range.is_empty() {
                return Ok(Page::default());
            }
            let end = range.end.map_or(Bound::Unbounded, Bound::Excluded);
            let visible = state.entries.range((Bound::Included(range.start), end)).filter_map(
                |(key, history)| {
                    let value = value_at(history, self.version)?;
                    Some(Ok((key.clone(), value.clone())))
                },
            );
            match direction {
                Direction::Forward => Page::fill(visible, limit),
                Direction::Backward => Page::fill(visible.rev(), limit),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Write;

    fn put(key: &'static str, value: &'static str) -> Decide {
        Box::new(move |_, _| {
            vec![Write::Put {
                key: Bytes::from_static(key.as_bytes()),
                value: Bytes::from_static(value.as_bytes()),
            }]
        })
    }

    fn delete(key: &'static str) -> Decide {
        Box::new(move |_, _| vec![Write::Delete { key: Bytes::from_static(key.as_bytes()) }])
    }

    fn stored(store: &Memory) -> usize {
        read(&store.state).entries.values().map(Vec::len).sum()
    }

    #[tokio::test]
    async fn old_values_go_with_the_last_snapshot_that_sees_them() {
        let store = Memory::new(Clock::system());
        store.commit(vec![], put("a", "1")).await.unwrap();
        let first = store.snapshot().await.unwrap();
        store.commit(vec![], put("a", "2")).await.unwrap();
        let second = store.snapshot().await.unwrap();
        store.commit(vec![], delete("a")).await.unwrap();
        assert_eq!(stored(&store), 3);
        drop(first);
        assert_eq!(stored(&store), 2);
        assert_eq!(second.get(b"a").await.unwrap().unwrap(), "2");
        drop(second);
        assert_eq!(stored(&store), 0);
        assert!(read(&store.state).superseded.is_empty());
    }

    #[tokio::test]
    async fn without_snapshots_each_key_keeps_one_value() {
        let store = Memory::new(Clock::system());
        for _ in 0..100 {
            store.commit(vec![], put("a", "1")).await.unwrap();
            store.commit(vec![], put("b", "1")).await.unwrap();
            store.commit(vec![], delete("b")).await.unwrap();
        }
        assert_eq!(stored(&store), 1);
    }
}

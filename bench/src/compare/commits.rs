//! The store alone, in this process: as many writers as there are connections commit what the
//! requests of a workload would write, each with its sync. What a server above it cannot exceed.

use crate::{
    Failure,
    histogram::Histogram,
    load::{Contender, Pace, Plan, Role, Round, TOGETHER, Workload},
    random::Random,
};
use bytes::Bytes;
use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};
use store::{Durability, Embedded, Options, Store, Write};
use tokio::runtime::Runtime;

/// As the server has it by default.
const CACHE: u64 = 256 << 20;
/// What an item takes in the store besides its longest attribute (docs/format.md).
const BESIDES: usize = 88;
/// About what the definition of the table takes. Every write depends on it.
const DEFINITION: usize = 600;
/// Values to write.
const VALUES: u64 = 64;
/// Items in one commit while the store is filled.
const FILLED: u64 = 500;
const WARM_UP: Duration = Duration::from_millis(200);

/// The store as a contender.
pub struct Commits {
    directory: PathBuf,
    runtime: Runtime,
}

impl Commits {
    /// Fills a store in a directory.
    pub fn new(directory: &Path, plan: &Plan) -> Result<Commits, Failure> {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        let commits = Commits { directory: directory.to_owned(), runtime };
        let store = commits.open()?;
        let values = values(plan.item_bytes);
        commits.runtime.block_on(async {
            let definition = Bytes::from(vec![b'x'; DEFINITION]);
            let definition = Write::Put { key: definition_key(), value: definition };
            store.commit(Vec::new(), Box::new(move |_, _| vec![definition.clone()])).await?;
            for first in (0..plan.keys).step_by(FILLED as usize) {
                let items = first..(first + FILLED).min(plan.keys);
                let writes: Vec<Write> =
                    items.flat_map(|item| writes(item, &values, item)).collect();
                store.commit(Vec::new(), Box::new(move |_, _| writes.clone())).await?;
            }
            store.close().await
        })?;
        Ok(commits)
    }

    fn open(&self) -> Result<Arc<Embedded>, Failure> {
        let options =
            Options { durability: Durability::Sync, cache_bytes: CACHE, ..Options::default() };
        Ok(Arc::new(Embedded::open(&self.directory, options)?))
    }

    fn run(&self, workload: Workload, writers: u32, plan: &Plan) -> Result<Round, Failure> {
        let store = self.open()?;
        let values: Arc<[Bytes]> = values(plan.item_bytes).into();
        let begin = Instant::now() + WARM_UP.min(plan.time / 4);
        let end = begin + plan.time;
        let together = workload.writes().unwrap_or(1);
        let hot = workload == Workload::UpdateHot;
        let mut whole = Histogram::new();
        let mut parts = Vec::new();
        for number in 0..writers {
            let writer = Writer {
                store: Arc::clone(&store),
                values: Arc::clone(&values),
                random: Random::stream(number.into(), 9),
                items: plan.keys,
                together,
                hot,
                latencies: whole.clone(),
            };
            parts.push(self.runtime.spawn(writer.run(begin, end)));
        }
        let mut last = end;
        for part in parts {
            let (latencies, ended) = self.runtime.block_on(part)??;
            whole.merge(&latencies);
            last = last.max(ended);
        }
        self.runtime.block_on(store.close())?;
        let rate = whole.count() as f64 / (last - begin).as_secs_f64();
        Ok(Round { rate, latencies: whole, cost: Duration::ZERO })
    }
}

impl Contender for Commits {
    fn name(&self) -> &'static str {
        "commits"
    }

    fn role(&self) -> Role {
        Role::Limit
    }

    fn does(&self, workload: Workload) -> bool {
        workload.writes().is_some()
    }

    fn measure(
        &mut self,
        workload: Workload,
        connections: u32,
        _pace: Pace,
        plan: &Plan,
    ) -> Result<Round, String> {
        self.run(workload, connections, plan).map_err(|error| error.to_string())
    }
}

/// What stands for a connection.
struct Writer {
    store: Arc<Embedded>,
    values: Arc<[Bytes]>,
    random: Random,
    items: u64,
    together: u64,
    hot: bool,
    latencies: Histogram,
}

impl Writer {
    /// Commits until the end, and at least once however slow the disk is. Also says when the last
    /// commit that counts was made.
    async fn run(
        mut self,
        begin: Instant,
        end: Instant,
    ) -> Result<(Histogram, Instant), store::StoreError> {
        let mut last = begin;
        loop {
            let started = Instant::now();
            if started >= end && self.latencies.count() > 0 {
                return Ok((self.latencies, last));
            }
            let first = if self.hot { 0 } else { self.random.between(0, self.items) };
            let stride = self.items / self.together;
            let mut keys = vec![definition_key()];
            let mut wanted = Vec::with_capacity(2 * self.together as usize);
            for place in 0..self.together {
                let item = (first + place * stride) % self.items;
                keys.push(item_key(item));
                wanted.extend(writes(item, &self.values, self.random.next()));
            }
            self.store.commit(keys, Box::new(move |_, _| wanted.clone())).await?;
            let now = Instant::now();
            if now >= begin && (now <= end || self.latencies.count() == 0) {
                self.latencies.record(now - started);
                last = now;
            }
        }
    }
}

/// Values as long as those of the server's items and entries.
fn values(item_bytes: usize) -> Vec<Bytes> {
    let mut random = Random::stream(0, 8);
    let value = |_| {
        let mut value = String::new();
        random.letters(item_bytes + BESIDES, &mut value);
        Bytes::from(value)
    };
    (0..VALUES).map(value).collect()
}

/// An item and its entry in the index.
fn writes(item: u64, values: &[Bytes], choice: u64) -> [Write; 2] {
    let value = values.get((choice % VALUES) as usize).cloned().unwrap_or_default();
    [
        Write::Put { key: item_key(item), value: value.clone() },
        Write::Put { key: entry_key(item), value },
    ]
}

fn definition_key() -> Bytes {
    Bytes::from_static(b"\x01bench")
}

/// Keys in the order and of the length of the server's: a tag, the table, a hash, the item's key.
fn item_key(item: u64) -> Bytes {
    let mut key = b"\x10\0\0\0\x01".to_vec();
    key.extend(hash(item / TOGETHER));
    key.extend(primary_key("USER#", item));
    key.into()
}

fn entry_key(item: u64) -> Bytes {
    let mut key = b"\x11\0\0\0\x01\0\x01".to_vec();
    key.extend(hash(!(item / TOGETHER)));
    key.extend(primary_key("DAY#", item));
    key.extend(primary_key("USER#", item));
    key.into()
}

fn primary_key(prefix: &str, item: u64) -> Vec<u8> {
    format!("{prefix}{:07}\0\0ORDER#{:02}\0\0", item / TOGETHER, item % TOGETHER).into_bytes()
}

fn hash(partition: u64) -> [u8; 2] {
    (Random::new(partition).next() as u16).to_be_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_workload_that_writes_is_committed() {
        let directory = tempfile::tempdir().unwrap();
        let plan = Plan {
            connections: vec![4],
            time: Duration::from_millis(50),
            rounds: 1,
            item_bytes: 20,
            keys: 1_000,
            workloads: Workload::ALL.to_vec(),
        };
        let mut commits = Commits::new(directory.path(), &plan).unwrap();
        for workload in Workload::ALL {
            if !commits.does(workload) {
                continue;
            }
            let round = commits.measure(workload, 4, Pace::Closed, &plan).unwrap();
            assert!(round.rate > 0.0, "{}", workload.name());
        }
        let store = commits.open().unwrap();
        let (item, entry) = commits.runtime.block_on(async {
            let snapshot = store.snapshot().await.unwrap();
            let item = snapshot.get(&item_key(7)).await.unwrap().unwrap();
            (item, snapshot.get(&entry_key(7)).await.unwrap().unwrap())
        });
        assert_eq!((item.len(), entry.len()), (20 + BESIDES, 20 + BESIDES));
    }
}

//! The engines of this crate keep the contract, and do what a plain map does.

use super::*;
use crate::{Clock, Durability, Embedded, Memory, Options};
use proptest::{collection::vec, option, prelude::*};
use std::collections::BTreeMap;
use tempfile::TempDir;

struct Memories;

impl Factory for Memories {
    fn create(&self) -> BoxFuture<'_, Arc<dyn Store>> {
        Box::pin(async { Arc::new(Memory::new(Clock::system())) as Arc<dyn Store> })
    }

    fn is_durable(&self) -> bool {
        false
    }

    fn reopen(&self, _: Arc<dyn Store>, _: bool) -> BoxFuture<'_, Arc<dyn Store>> {
        unreachable!("memory keeps nothing")
    }
}

/// Keeps the data of one store, the last one created.
struct Directories {
    directory: std::sync::Mutex<TempDir>,
    options: Options,
}

impl Directories {
    fn new(durability: Durability, memtable_bytes: u64) -> Self {
        Self {
            directory: std::sync::Mutex::new(tempfile::tempdir().unwrap()),
            options: Options { durability, memtable_bytes, ..Options::default() },
        }
    }

    fn open(&self) -> Arc<dyn Store> {
        let directory = self.directory.lock().unwrap();
        Arc::new(Embedded::open(directory.path(), self.options.clone()).unwrap())
    }
}

impl Factory for Directories {
    fn create(&self) -> BoxFuture<'_, Arc<dyn Store>> {
        Box::pin(async {
            *self.directory.lock().unwrap() = tempfile::tempdir().unwrap();
            self.open()
        })
    }

    fn is_durable(&self) -> bool {
        true
    }

    fn reopen(&self, store: Arc<dyn Store>, clean: bool) -> BoxFuture<'_, Arc<dyn Store>> {
        Box::pin(async move {
            if clean {
                store.close().await.unwrap();
            }
            drop(store);
            self.open()
        })
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn memory_keeps_the_contract() {
    check(&Memories).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn embedded_keeps_the_contract() {
    check(&Directories::new(Durability::Sync, 64 << 20)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn embedded_keeps_the_contract_without_syncing_and_with_many_flushes() {
    check(&Directories::new(Durability::Os, 2 << 10)).await;
}

#[derive(Clone, Debug)]
enum Step {
    Commit(Vec<(u8, Change)>),
    Reopen { clean: bool },
}

#[derive(Clone, Debug)]
enum Change {
    Set(Option<u8>),
    Add(i8),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let change = prop_oneof![
        3 => option::of(any::<u8>()).prop_map(Change::Set),
        1 => any::<i8>().prop_map(Change::Add),
    ];
    let step = prop_oneof![
        12 => vec((0..12u8, change), 0..6).prop_map(Step::Commit),
        1 => any::<bool>().prop_map(|clean| Step::Reopen { clean }),
    ];
    vec(step, 1..40)
}

/// Counters live under their own keys, as adding to anything else is refused.
fn step_writes(changes: &[(u8, Change)]) -> Vec<Write> {
    changes
        .iter()
        .map(|(key, change)| match change {
            Change::Set(Some(value)) => put(&format!("k{key}"), &"v".repeat(usize::from(*value))),
            Change::Set(None) if key % 4 == 0 => delete(&format!("n{key}")),
            Change::Set(None) => delete(&format!("k{key}")),
            Change::Add(by) => add(&format!("n{key}"), [1, i64::from(*by)]),
        })
        .collect()
}

fn apply(model: &mut BTreeMap<Bytes, Bytes>, writes: &[Write]) {
    for write in writes.iter().cloned() {
        match write {
            Write::Put { key, value } => {
                model.insert(key, value);
            }
            Write::Delete { key } => {
                model.remove(&key);
            }
            Write::Add { key, by } => {
                let old = model.get(&key).map_or([0, 0], |v| crate::counters(v).unwrap());
                let sum = [old[0] + by[0], old[1] + by[1]].map(i64::to_le_bytes);
                model.insert(key, sum.concat().into());
            }
        }
    }
}

async fn follow(factory: &dyn Factory, steps: &[Step]) {
    let mut store = factory.create().await;
    let mut model = BTreeMap::new();
    let mut held = Vec::new();
    let mut last = Version(0);
    for step in steps {
        match step {
            Step::Commit(changes) => {
                let writes = step_writes(changes);
                let keys: Vec<_> = (0..12).map(|n| bytes(&format!("k{n}"))).collect();
                let expected: Vec<_> = keys.iter().map(|key| model.get(key).cloned()).collect();
                apply(&mut model, &writes);
                let writing = !writes.is_empty();
                let decide = move |_, values: &[Option<Bytes>]| crate::Decision {
                    writes: writes.clone(),
                    outcome: values.to_vec(),
                };
                let answer = crate::commit(&*store, keys, decide).await.unwrap();
                assert_eq!(answer.outcome, expected);
                assert!(answer.version > last);
                if writing {
                    last = answer.version;
                }
            }
            Step::Reopen { clean } if factory.is_durable() => {
                held.clear();
                store = factory.reopen(store, *clean).await;
            }
            Step::Reopen { .. } => {}
        }
        let snapshot = store.snapshot().await.unwrap();
        assert_eq!(snapshot.version(), last);
        held.push((snapshot, model.clone()));
    }
    for (snapshot, model) in held {
        assert_eq!(all(&*snapshot).await, model.into_iter().collect::<Vec<_>>());
    }
}

fn run(future: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn memory_does_what_a_map_does(steps in steps()) {
        run(follow(&Memories, &steps));
    }

    #[test]
    fn embedded_does_what_a_map_does(steps in steps(), flushing in any::<bool>()) {
        let memtable_bytes = if flushing { 1 << 10 } else { 64 << 20 };
        run(follow(&Directories::new(Durability::Sync, memtable_bytes), &steps));
    }
}

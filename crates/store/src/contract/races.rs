//! Many callers at once.

use super::{Factory, add, all, bytes, get, put};
use crate::{
    Decision, Direction, KeyRange, PageLimit, Snapshot, Store, Version, Write, commit, counters,
};
use bytes::Bytes;
use std::{collections::HashSet, sync::Arc};

pub(super) async fn check(factory: &dyn Factory) {
    no_increment_is_lost(factory.create().await).await;
    transfers_keep_the_sum(factory.create().await).await;
    no_addition_is_lost(factory.create().await).await;
}

fn number(value: Option<&Bytes>) -> i64 {
    value.map_or(0, |value| std::str::from_utf8(value).unwrap().parse().unwrap())
}

async fn no_increment_is_lost(store: Arc<dyn Store>) {
    let tasks: Vec<_> = (0..50)
        .map(|_| {
            let store = Arc::clone(&store);
            tokio::spawn(async move {
                let mut answers = Vec::new();
                for _ in 0..20 {
                    let answer = commit(&*store, vec![bytes("n")], |_, values| {
                        let next = number(values[0].as_ref()) + 1;
                        Decision { writes: vec![put("n", &next.to_string())], outcome: next }
                    });
                    let answer = answer.await.unwrap();
                    // A caller sees at least its own commit at once.
                    let snapshot = store.snapshot().await.unwrap();
                    assert!(snapshot.version() >= answer.version);
                    let seen = snapshot.get(b"n").await.unwrap();
                    assert!(number(seen.as_ref()) >= answer.outcome);
                    answers.push((answer.version, answer.outcome));
                }
                answers
            })
        })
        .collect();
    let mut answers: Vec<(Version, i64)> = Vec::new();
    for task in tasks {
        answers.extend(task.await.unwrap());
    }
    answers.sort();
    let versions: HashSet<_> = answers.iter().map(|(version, _)| version).collect();
    assert_eq!(versions.len(), 1000);
    // In the order of their versions, each decision saw all the ones before it.
    let outcomes: Vec<_> = answers.iter().map(|(_, outcome)| *outcome).collect();
    assert_eq!(outcomes, (1..=1000).collect::<Vec<_>>());
    let last = store.snapshot().await.unwrap();
    assert_eq!(get(&*last, "n").await.unwrap(), "1000");
}

const ACCOUNTS: usize = 8;

async fn transfers_keep_the_sum(store: Arc<dyn Store>) {
    // Keys with so much in common that an engine may keep pages of them.
    let account = |n: usize| format!("accounts/{n}");
    let deposits = (0..ACCOUNTS).map(|n| put(&account(n), "100")).collect();
    super::write(&*store, deposits).await;
    let mut tasks = Vec::new();
    for task in 0..16usize {
        let store = Arc::clone(&store);
        tasks.push(tokio::spawn(async move {
            for round in 0..30usize {
                let from = account((task + round) % ACCOUNTS);
                let to = account((task * 3 + round * 5 + 1) % ACCOUNTS);
                if from == to {
                    continue;
                }
                let keys = vec![bytes(&from), bytes(&to)];
                let transfer = commit(&*store, keys, move |_, values| {
                    let balance = number(values[0].as_ref());
                    let amount = (round as i64 % 7).min(balance);
                    let writes = if amount == 0 {
                        vec![]
                    } else {
                        let other = number(values[1].as_ref()) + amount;
                        vec![
                            put(&from, &(balance - amount).to_string()),
                            put(&to, &other.to_string()),
                        ]
                    };
                    Decision { writes, outcome: () }
                });
                transfer.await.unwrap();
            }
        }));
    }
    for _ in 0..2 {
        let store = Arc::clone(&store);
        tasks.push(tokio::spawn(async move {
            let mut last = store.snapshot().await.unwrap();
            for _ in 0..200 {
                let snapshot = store.snapshot().await.unwrap();
                assert!(snapshot.version() >= last.version());
                for _ in 0..2 {
                    let entries = all(&*snapshot).await;
                    assert_eq!(sum(entries.iter().map(|(_, value)| value)), 100 * ACCOUNTS as i64);
                    tokio::task::yield_now().await;
                }
                // The newer one first: what it shows must not be shown by the older one.
                for view in [&snapshot, &last] {
                    assert_eq!(page_and_values(&**view).await, 100 * ACCOUNTS as i64);
                }
                last = snapshot;
            }
        }));
    }
    for task in tasks {
        task.await.unwrap();
    }
}

fn sum<'a>(balances: impl Iterator<Item = &'a Bytes>) -> i64 {
    balances.map(|balance| number(Some(balance))).sum()
}

/// The sum of all accounts, read as a page and one by one.
async fn page_and_values(view: &dyn Snapshot) -> i64 {
    let accounts = KeyRange::new("accounts/", "accounts/~");
    let limit = PageLimit::entries(2 * ACCOUNTS);
    let page = view.range(accounts, Direction::Forward, limit).await.unwrap();
    for (key, value) in &page.entries {
        assert_eq!(view.get(key).await.unwrap().as_ref(), Some(value));
    }
    sum(page.entries.iter().map(|(_, value)| value))
}

async fn no_addition_is_lost(store: Arc<dyn Store>) {
    let tasks: Vec<_> = (0..20i64)
        .map(|task| {
            let store = Arc::clone(&store);
            tokio::spawn(async move {
                for round in 0..25 {
                    let own = Write::Put {
                        key: bytes(&format!("own{task}")),
                        value: bytes(&round.to_string()),
                    };
                    super::write(&*store, vec![add("n", [1, task]), own]).await;
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    let snapshot = store.snapshot().await.unwrap();
    let total = counters(&snapshot.get(b"n").await.unwrap().unwrap()).unwrap();
    assert_eq!(total, [500, 25 * (0..20).sum::<i64>()]);
}

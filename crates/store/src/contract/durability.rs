//! What is there after a store has been opened again.

use super::{Factory, add, all, delete, get, put, write};
use crate::Version;
use std::sync::Arc;

pub(super) async fn check(factory: &dyn Factory) {
    if !factory.is_durable() {
        return;
    }
    for clean in [true, false] {
        commits_outlive_the_store(factory, clean).await;
        commits_under_way_are_there_if_they_were_answered(factory, clean).await;
    }
}

async fn commits_outlive_the_store(factory: &dyn Factory, clean: bool) {
    let mut store = factory.create().await;
    let mut last = Version(0);
    for round in 0..10u32 {
        let round = round.to_string();
        let writes = vec![put("a", &round), put(&format!("b{round}"), "1"), add("n", [1, 2])];
        let version = write(&*store, writes).await;
        assert!(version > last);
        last = write(&*store, vec![delete(&format!("b{round}"))]).await;
        let before = all(&*store.snapshot().await.unwrap()).await;
        store = factory.reopen(store, clean).await;
        let snapshot = store.snapshot().await.unwrap();
        assert_eq!(snapshot.version(), last);
        assert_eq!(get(&*snapshot, "a").await.unwrap(), round);
        assert_eq!(all(&*snapshot).await, before);
    }
}

async fn commits_under_way_are_there_if_they_were_answered(factory: &dyn Factory, clean: bool) {
    let store = factory.create().await;
    let tasks: Vec<_> = (0..40)
        .map(|task: u32| {
            let store = Arc::clone(&store);
            tokio::spawn(async move {
                let mut answered = Vec::new();
                for round in 0..10u32 {
                    let key = format!("{task}/{round}");
                    let writes = vec![put(&key, "1")];
                    let decide = Box::new(move |_, _: &[Option<bytes::Bytes>]| writes.clone());
                    match store.commit(vec![], decide).await {
                        Ok(_) => answered.push(key),
                        Err(crate::StoreError::Closed) => break,
                        Err(error) => panic!("{error}"),
                    }
                }
                answered
            })
        })
        .collect();
    tokio::task::yield_now().await;
    if clean {
        store.close().await.unwrap();
    }
    let mut answered = Vec::new();
    for task in tasks {
        answered.extend(task.await.unwrap());
    }
    let store = factory.reopen(store, clean).await;
    let snapshot = store.snapshot().await.unwrap();
    assert_eq!(all(&*snapshot).await.len(), answered.len());
    for key in answered {
        assert!(get(&*snapshot, &key).await.is_some());
    }
}

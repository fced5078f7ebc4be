//! Decisions with an outcome of their own, over any store.

use crate::{Store, StoreError, Version, Write};
use bytes::Bytes;
use std::sync::{Arc, Mutex, PoisonError};

/// What a decision wants written, and what it has to tell its caller.
#[derive(Clone, Debug)]
pub struct Decision<T> {
    /// The writes, applied together or not at all.
    pub writes: Vec<Write>,
    /// Handed to the caller once the writes are durable.
    pub outcome: T,
}

/// A commit that is durable.
#[derive(Clone, Debug)]
pub struct Commit<T> {
    /// Its version.
    pub version: Version,
    /// What the decision had to tell.
    pub outcome: T,
}

/// [`Store::commit`] with a typed outcome: that of the run of `decide` whose writes were applied.
pub async fn commit<T: Send + 'static>(
    store: &dyn Store,
    keys: Vec<Bytes>,
    mut decide: impl FnMut(Version, &[Option<Bytes>]) -> Decision<T> + Send + 'static,
) -> Result<Commit<T>, StoreError> {
    let outcome = Arc::new(Mutex::new(None));
    let slot = Arc::clone(&outcome);
    let version = store
        .commit(
            keys,
            Box::new(move |version, values| {
                let Decision { writes, outcome } = decide(version, values);
                *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(outcome);
                writes
            }),
        )
        .await?;
    let outcome = outcome.lock().unwrap_or_else(PoisonError::into_inner).take();
    match outcome {
        Some(outcome) => Ok(Commit { version, outcome }),
        None => Err(StoreError::Poisoned {
            reason: "the engine answered a commit without running its decision".to_owned(),
        }),
    }
}

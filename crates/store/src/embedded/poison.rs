//! The switch that stops a store for good once it cannot say what is durable.

use crate::StoreError;
use tokio::sync::watch;

/// Raised once, never lowered.
pub(super) struct Poison(watch::Sender<Option<String>>);

impl Poison {
    pub fn new() -> Self {
        Self(watch::Sender::new(None))
    }

    /// Stops the store. The first reason stays.
    pub fn raise(&self, reason: String) {
        self.0.send_if_modified(|current| {
            let first = current.is_none();
            if first {
                tracing::error!(
                    reason,
                    "the store is poisoned: nothing more is read or written until restart"
                );
                *current = Some(reason);
            }
            first
        });
    }

    /// Adds what was found out about the reason afterwards.
    pub fn explain(&self, finding: &str) {
        self.0.send_modify(|current| {
            if let Some(reason) = current {
                tracing::error!(finding, "why the store is poisoned");
                reason.push_str(": ");
                reason.push_str(finding);
            }
        });
    }

    pub fn is_raised(&self) -> bool {
        self.0.borrow().is_some()
    }

    pub fn check(&self) -> Result<(), StoreError> {
        match &*self.0.borrow() {
            Some(reason) => Err(StoreError::Poisoned { reason: reason.clone() }),
            None => Ok(()),
        }
    }

    /// Waits until the store is stopped, and says why.
    pub async fn raised(&self) -> StoreError {
        let mut changes = self.0.subscribe();
        match changes.wait_for(Option::is_some).await {
            Ok(reason) => StoreError::Poisoned { reason: reason.clone().unwrap_or_default() },
            // The sender is `self`, so it cannot have gone away.
            Err(_) => StoreError::Closed,
        }
    }
}

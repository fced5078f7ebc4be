//! What the clients of a server share while it is written to and then ended.

use crate::{
    dynamo::RequestError,
    http::{CallError, Endpoint},
};
use std::{
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    time::Duration,
};

/// No request takes this long; one that does is reported as a hang.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// What all clients of a cycle share.
pub struct Scene {
    /// Where the server listens.
    pub endpoint: Endpoint,
    /// Decides what clients do.
    pub seed: u64,
    /// Orders what was sent and acknowledged.
    pub clock: AtomicU64,
    /// From now on the server may go away.
    pub ending: AtomicBool,
}

impl Scene {
    /// A scene whose clock begins at a tick.
    pub fn new(endpoint: Endpoint, seed: u64, tick: u64) -> Scene {
        let (clock, ending) = (AtomicU64::new(tick), AtomicBool::new(false));
        Scene { endpoint, seed, clock, ending }
    }

    /// The next tick.
    pub fn tick(&self) -> u64 {
        self.clock.fetch_add(1, Ordering::SeqCst)
    }

    /// What to report about a request without success. A connection may end when the server is
    /// being ended; nothing else may happen.
    pub fn complaint(&self, what: &str, error: &RequestError) -> Option<String> {
        match error {
            RequestError::Call(CallError::Closed(_)) if self.ending.load(Ordering::SeqCst) => None,
            _ => Some(format!("{what}: {error}")),
        }
    }
}

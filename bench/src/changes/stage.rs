//! What the clients of a cycle share.

use super::record::View;
use crate::outage::Scene;
use std::sync::{Mutex, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// The scene, with a gate that lets all writers pause, and the streams to follow.
pub struct Stage {
    /// What all campaigns have.
    pub scene: Scene,
    /// How many keys there are to write to.
    pub keys: u64,
    gate: RwLock<()>,
    opened: Mutex<Vec<(String, View)>>,
}

impl Stage {
    /// A stage where nothing has happened.
    pub fn new(scene: Scene, keys: u64) -> Stage {
        Stage { scene, keys, gate: RwLock::new(()), opened: Mutex::new(Vec::new()) }
    }

    /// Leave to send one request.
    pub fn enter(&self) -> RwLockReadGuard<'_, ()> {
        self.gate.read().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Waits until no request is under way, and keeps it so.
    pub fn pause(&self) -> RwLockWriteGuard<'_, ()> {
        self.gate.write().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Tells the follower of a stream.
    pub fn announce(&self, arn: &str, view: View) {
        let mut opened = self.opened.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        opened.push((arn.to_owned(), view));
    }

    /// The streams that were announced since the last time.
    pub fn announced(&self) -> Vec<(String, View)> {
        let mut opened = self.opened.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        std::mem::take(&mut opened)
    }
}

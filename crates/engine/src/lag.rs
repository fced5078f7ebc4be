//! Reads that lag behind, for testing programs against eventual consistency. Off by
//! default: then every read sees every commit that was answered.

use crate::{Engine, environment::Moment, error::EngineError};
use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use store::Snapshot;

/// Views of the past, oldest first.
#[derive(Default)]
pub(crate) struct Lag {
    views: Mutex<VecDeque<(Moment, Arc<dyn Snapshot>)>>,
}

/// How many views are kept within the lag: reads are late by at most this part more.
const VIEWS: u32 = 8;

impl Engine {
    /// The view for a read: the newest for a consistent one, else one that is late by the lag.
    pub(crate) async fn view(&self, consistent: bool) -> Result<Arc<dyn Snapshot>, EngineError> {
        if !consistent && !self.settings.read_lag.is_zero() {
            let now = self.now();
            let views = self.lag.views.lock().unwrap_or_else(PoisonError::into_inner);
            let late = |(taken, _): &&(Moment, _)| taken.after(self.settings.read_lag) <= now;
            if let Some((_, view)) = views.iter().rev().find(late).or(views.front()) {
                return Ok(Arc::clone(view));
            }
        }
        Ok(self.store.snapshot().await?.into())
    }

    /// Takes a view for later reads, and lets go of those that are no longer needed.
    pub async fn take_view(&self) -> Result<(), EngineError> {
        let view: Arc<dyn Snapshot> = self.store.snapshot().await?.into();
        let now = self.now();
        let mut views = self.lag.views.lock().unwrap_or_else(PoisonError::into_inner);
        views.push_back((now, view));
        // The first one that is late enough is in use; those before it are not.
        while views.get(1).is_some_and(|(taken, _)| taken.after(self.settings.read_lag) <= now) {
            views.pop_front();
        }
        Ok(())
    }

    /// Takes views for ever, if reads are to lag.
    pub async fn take_views_forever(&self) {
        let period = (self.settings.read_lag / VIEWS).max(Duration::from_millis(1));
        while !self.settings.read_lag.is_zero() {
            if let Err(error) = self.take_view().await {
                tracing::error!(%error, "no view could be taken");
            }
            tokio::time::sleep(period).await;
        }
    }
}

//! Lets in as much work as fits; the rest waits a little in order of arrival, and is then refused.
//! What waits costs little, so more work than the disk takes neither fills the memory nor makes
//! those that were let in wait for long.

use std::{sync::Arc, time::Duration};
use store::Planted;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The unit that room is counted in; nothing takes less.
const UNIT: usize = 1024;
/// How long work waits to be let in. Longer than a disk usually stumbles, shorter than clients wait.
/// In tests not for long.
const WAIT: Duration = Duration::from_millis(if cfg!(test) { 200 } else { 2_000 });
/// More than this many bytes is as much as there is: a semaphore counts no further.
const MOST: usize = 1 << 40;

/// Room for one kind of work.
pub(crate) struct Gate {
    room: Arc<Semaphore>,
    units: usize,
}

/// Room that is taken until this is dropped.
pub(crate) struct Pass(OwnedSemaphorePermit);

impl Gate {
    pub(crate) fn new(bytes: usize) -> Gate {
        let bytes = if Planted::UnboundedQueue.is_on() { MOST } else { bytes };
        let units = (bytes / UNIT).clamp(1, u32::MAX as usize);
        Gate { room: Arc::new(Semaphore::new(units)), units }
    }

    /// Takes room for so many bytes, or for as many as there are; none if it takes too long.
    pub(crate) async fn enter(&self, bytes: usize) -> Option<Pass> {
        let units = bytes.div_ceil(UNIT).clamp(1, self.units);
        let units = u32::try_from(units).unwrap_or(u32::MAX);
        if let Ok(permit) = Arc::clone(&self.room).try_acquire_many_owned(units) {
            return Some(Pass(permit));
        }
        let entering = Arc::clone(&self.room).acquire_many_owned(units);
        tokio::time::timeout(WAIT, entering).await.ok()?.ok().map(Pass)
    }

    /// Whether less than half of the room is left.
    pub(crate) fn is_crowded(&self) -> bool {
        self.room.available_permits() < self.units / 2
    }
}

impl Pass {
    /// Gives back what is not needed beyond so many bytes.
    pub(crate) fn shrink(&mut self, bytes: usize) {
        let surplus = self.0.num_permits().saturating_sub(bytes.div_ceil(UNIT).max(1));
        drop(self.0.split(surplus));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn work_beyond_the_room_waits_and_is_refused() {
        let gate = Gate::new(100 * UNIT);
        let first = gate.enter(100 * UNIT).await.unwrap();
        assert!(gate.is_crowded());
        assert!(gate.enter(1).await.is_none());
        drop(first);
        assert!(gate.enter(1).await.is_some());
    }

    #[tokio::test]
    async fn what_is_not_needed_lets_others_in() {
        let gate = Gate::new(100 * UNIT);
        // More than all of it is all of it.
        let mut first = gate.enter(1000 * UNIT).await.unwrap();
        first.shrink(10 * UNIT);
        assert!(!gate.is_crowded());
        let second = gate.enter(90 * UNIT).await.unwrap();
        assert!(gate.enter(1).await.is_none());
        drop((first, second));
        assert_eq!(gate.room.available_permits(), 100);
    }

    #[tokio::test]
    async fn who_waits_comes_in_as_soon_as_there_is_room() {
        let gate = Gate::new(10 * UNIT);
        let first = gate.enter(10 * UNIT).await.unwrap();
        let leaving = async {
            tokio::time::sleep(Duration::from_millis(20)).await;
            drop(first);
        };
        let (second, ()) = tokio::join!(gate.enter(10 * UNIT), leaving);
        assert!(second.is_some());
    }
}

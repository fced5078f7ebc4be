//! Looks after fjall's background work.
//!
//! A flush or a compaction that fails stops fjall, but only the next commit is told; and one that waits
//! for the flush waits for ever. This thread asks once a second and poisons the store. It also notes which
//! version has been reached.

use super::{shared::Shared, tables};
use crate::Version;
use fjall::PersistMode;
use std::{
    sync::{
        Arc,
        mpsc::{Receiver, RecvTimeoutError},
    },
    time::Duration,
};

const PERIOD: Duration = Duration::from_secs(1);

/// Watches until the other end of `stop` is dropped.
pub(super) fn run(shared: &Shared, stop: &Receiver<()>) {
    let mut noted = Version(0);
    while stop.recv_timeout(PERIOD) == Err(RecvTimeoutError::Timeout) {
        // Nothing is left to flush between two batches: this asks for fjall's state and does nothing.
        if shared.database.persist(PersistMode::Buffer).is_err() {
            shared.poison.raise(background_failure(shared));
            // It may take long, and must not keep the store from being dropped.
            let (poison, store) = (Arc::clone(&shared.poison), shared.store.clone());
            std::thread::spawn(move || {
                if let Some(culprit) = tables::culprit(&store) {
                    poison.explain(&culprit.to_string());
                }
            });
            return;
        }
        // Readers see what is durable, if commits wait for the disk at all.
        let reached = shared.view().version;
        if shared.synced && reached > noted {
            if let Err(error) = shared.directory.note_reached(reached) {
                tracing::warn!(%error, "the last version could not be noted");
            }
            noted = reached;
        }
    }
}

pub(super) fn background_failure(shared: &Shared) -> String {
    format!(
        "fjall could not flush or compact the tables in {}; a full disk is the usual cause",
        shared.store.display()
    )
}

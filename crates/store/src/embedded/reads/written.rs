//! Which keys were written when, roughly.

use crate::Version;
use std::sync::atomic::{AtomicU64, Ordering};

/// The versions of last writes by the hashes of keys. Keys with the same place count as one.
pub(super) struct Written(Box<[AtomicU64]>);

impl Written {
    /// How many versions are noted. With fewer, writes of other keys put more answers out of use.
    pub const PLACES: usize = 1 << 18;

    /// With a power of two of places.
    pub fn new(places: usize) -> Self {
        Self((0..places).map(|_| AtomicU64::new(0)).collect())
    }

    /// The version of the last write of what has this hash, or a later one.
    pub fn last(&self, hash: u64) -> Version {
        Version(self.place(hash).load(Ordering::Acquire))
    }

    /// Versions come in their order, from one thread.
    pub fn note(&self, hash: u64, version: Version) {
        self.place(hash).store(version.0, Ordering::Release);
    }

    #[expect(clippy::indexing_slicing, reason = "these bits are those of a place")]
    fn place(&self, hash: u64) -> &AtomicU64 {
        &self.0[hash as usize & (self.0.len() - 1)]
    }
}

//! The storage contract and the engines that keep it.
//!
//! A store holds ordered byte keys with byte values. It knows nothing of tables, items or indexes: all of
//! that is built above the [`Store`] trait. Every write is a decision on the current values of named keys.

#[cfg(any(test, feature = "contract"))]
pub mod contract;
mod decision;
mod embedded;
mod error;
mod memory;
mod planted;
mod range;
mod version;
mod write;

use bytes::Bytes;
use std::{future::Future, pin::Pin};

pub use decision::{Commit, Decision, commit};
pub use embedded::{Durability, Embedded, FileFinding, Inspection, Opened, Options};
pub use error::StoreError;
pub use memory::Memory;
pub use planted::{PLANTED_PAUSE, Planted};
pub use range::{Direction, KeyRange, Page, PageLimit};
pub use version::{Clock, Version};
pub use write::{MAX_KEY_BYTES, MAX_VALUE_BYTES, Write, counters};

/// A future that the trait objects of this crate can return.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Turns the version a commit would get and the current values of its keys into writes.
///
/// It must be pure: an engine may run it again after a conflict, and uses only the result of the last run.
/// If it panics the store is poisoned.
pub type Decide = Box<dyn FnMut(Version, &[Option<Bytes>]) -> Vec<Write> + Send>;

/// An ordered key-value store with atomic commits.
///
/// Keys are 1 to [`MAX_KEY_BYTES`] bytes long and do not start with a zero byte, which engines keep for
/// themselves. Values are at most [`MAX_VALUE_BYTES`] bytes long.
pub trait Store: Send + Sync + 'static {
    /// A consistent view of all commits answered so far. It does not move.
    ///
    /// Keep it for a request, not for a session: old values stay on disk while it lives.
    fn snapshot(&self) -> BoxFuture<'_, Result<Box<dyn Snapshot>, StoreError>>;

    /// Atomically reads `keys`, runs `decide` on their values and applies its writes durably.
    ///
    /// The version handed to the last run of `decide` is larger than that of any commit it can see, and is
    /// what is returned. A decision without writes does not take its version: the next commit may get it.
    /// It is answered all the same, once everything it could have seen is durable.
    ///
    /// Within one decision a later write to a key wins over an earlier one; an `Add` adds to what the
    /// writes before it left. An error other than [`StoreError::Poisoned`] means that nothing was written;
    /// after `Poisoned`, or if the future is dropped, the commit may or may not have happened.
    fn commit(
        &self,
        keys: Vec<Bytes>,
        decide: Decide,
    ) -> BoxFuture<'_, Result<Version, StoreError>>;

    /// Stops taking commits, answers those under way, makes all durable and marks a clean end.
    ///
    /// Snapshots stay readable. Closing twice gives the same answer twice.
    fn close(&self) -> BoxFuture<'_, Result<(), StoreError>>;
}

/// A consistent view of a store.
pub trait Snapshot: Send + Sync {
    /// The newest commit this view sees.
    fn version(&self) -> Version;

    /// The value of `key`, if it has one.
    fn get(&self, key: &[u8]) -> BoxFuture<'_, Result<Option<Bytes>, StoreError>>;

    /// One page of the entries in `range`, from its start or from its end.
    fn range(
        &self,
        range: KeyRange,
        direction: Direction,
        limit: PageLimit,
    ) -> BoxFuture<'_, Result<Page, StoreError>>;
}

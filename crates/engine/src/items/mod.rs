//! Single items: reading them, and writing them as a pure decision on what is
//! there. Indexes, counters and capacity follow from each (old, new) pair.

pub mod capacity;
mod change;
mod get;
mod index;
mod key;
mod page;
mod transact;
mod write;

pub use capacity::Capacity;
pub use get::Found;
pub(crate) use index::Entry as IndexEntry;
pub use index::{Index, check_item, indexes};
pub use key::{KeyError, PrimaryKey, check_scalars};
pub(crate) use key::{MAX_PARTITION_KEY, MAX_SORT_KEY, check_not_empty, encode_parts};
pub(crate) use page::WritePage;
pub(crate) use transact::token_digest;
pub use transact::{Token, TransactError, Transacted};
pub use write::{Action, ItemWrite, Written};
pub(crate) use write::{Prepared, digest};

use crate::error::EngineError;
use bytes::Bytes;
use expression::UpdateError;

/// Why an operation on items was refused.
#[derive(Debug, thiserror::Error)]
pub enum ItemError {
    /// There is no such table, or it is not in use yet or any more.
    #[error("no such table")]
    NoSuchTable,
    /// The key does not fit the table or its indexes.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// The item, with its entries in local indexes, is larger than items may be.
    #[error("Item size has exceeded the maximum allowed size")]
    TooLarge,
    /// The condition does not hold for the item there is, in its stored form.
    #[error("the condition does not hold")]
    ConditionFailed(Option<Bytes>),
    /// The update cannot be made to the item there is.
    #[error(transparent)]
    Update(#[from] UpdateError),
    /// The item collection would grow beyond its limit.
    #[error("the item collection is full")]
    CollectionFull,
    /// The machinery failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
}

/// Failures of the parts below count as the engine's.
macro_rules! engine_failures {
    ($($kind:ty),*) => {
        $(impl From<$kind> for ItemError {
            fn from(error: $kind) -> Self {
                ItemError::Engine(error.into())
            }
        })*
    };
}

engine_failures!(store::StoreError, value::CodecError);

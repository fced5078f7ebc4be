//! Single items: reading them, and writing them as a pure decision on what is
//! there. Indexes, counters and capacity follow from each (old, new) pair.

pub mod capacity;
mod change;
mod get;
mod index;
mod key;
mod write;

pub use capacity::Capacity;
pub use get::Found;
pub use key::{KeyError, PrimaryKey};
pub use write::{ItemWrite, Written};

use crate::error::EngineError;

/// Why an operation on items was refused.
#[derive(Debug, thiserror::Error)]
pub enum ItemError {
    /// There is no such table, or it is not in use yet or any more.
    #[error("no such table")]
    NoSuchTable,
    /// The key does not fit the table or its indexes.
    #[error(transparent)]
    Key(#[from] KeyError),
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

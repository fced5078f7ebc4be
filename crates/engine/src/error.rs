//! What can go wrong in the engine that no request is to blame for.

use crate::table::RecordError;
use store::StoreError;
use value::CodecError;

/// A failure of the machinery below.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The store refused.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A table's definition could not be read or written.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// A stored item could not be read.
    #[error("a stored item cannot be read: {0}")]
    Item(#[from] CodecError),
    /// The catalogue changed again and again under one request.
    #[error("the table {0} keeps changing")]
    Unsettled(String),
}

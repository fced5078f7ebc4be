//! A table's definition, and other records, as bytes: a version byte, then MessagePack with named
//! fields, so that fields can be added.

use bytes::Bytes;
use serde::{Serialize, de::DeserializeOwned};

/// The version this program writes, and the only one there has been.
const VERSION: u8 = 1;

/// A definition that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// Written by a later version of the program, or not by it at all.
    #[error("a table definition of unknown version {0:?}")]
    Version(Option<u8>),
    /// Damaged.
    #[error("a table definition that cannot be read: {0}")]
    Damaged(#[from] rmp_serde::decode::Error),
    /// Could not be written.
    #[error("a table definition that cannot be written: {0}")]
    Unwritable(#[from] rmp_serde::encode::Error),
}

pub(crate) fn write<T: Serialize>(table: &T) -> Result<Bytes, RecordError> {
    let mut bytes = vec![VERSION];
    bytes.extend(rmp_serde::to_vec_named(table)?);
    Ok(bytes.into())
}

pub(crate) fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, RecordError> {
    match bytes.split_first() {
        Some((&VERSION, record)) => Ok(rmp_serde::from_slice(record)?),
        other => Err(RecordError::Version(other.map(|(version, _)| *version))),
    }
}

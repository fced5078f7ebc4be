//! An object that is being read.

use bytes::Bytes;
use futures_util::StreamExt as _;
use futures_util::stream::BoxStream;

use super::{Patience, StorageError};

/// The bytes of an object, piece by piece.
pub struct Download {
    key: String,
    size: u64,
    pieces: BoxStream<'static, object_store::Result<Bytes>>,
    patience: Patience,
}

impl Download {
    pub(super) fn new(
        key: String,
        size: u64,
        pieces: BoxStream<'static, object_store::Result<Bytes>>,
        patience: Patience,
    ) -> Download {
        Download { key, size, pieces, patience }
    }

    /// The size of the whole object.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The next piece; none at the end.
    pub async fn next(&mut self) -> Result<Option<Bytes>, StorageError> {
        // A connection that falls silent is tried again beneath, from where it was.
        let patience = self.patience.silence + self.patience.answer;
        match tokio::time::timeout(patience, self.pieces.next()).await {
            Ok(None) => Ok(None),
            Ok(Some(Ok(piece))) => Ok(Some(piece)),
            Ok(Some(Err(error))) => Err(StorageError::sort(error, &self.key)),
            Err(_) => Err(StorageError::Unavailable(format!("no more comes of {}", self.key))),
        }
    }

    /// All that is left; only for objects known to be small.
    pub async fn bytes(mut self) -> Result<Vec<u8>, StorageError> {
        let mut all = Vec::new();
        while let Some(piece) = self.next().await? {
            all.extend_from_slice(&piece);
        }
        Ok(all)
    }
}

//! One data file that is being written: lines are gathered, compressed off the asynchronous threads,
//! and uploaded.

use std::io::Write as _;

use crate::compression::{Compression, Compressor};
use crate::storage::{Bucket, StorageError, Upload, Uploaded};

/// Lines are compressed in blocks of this many bytes.
const BLOCK_BYTES: usize = 256 * 1024;

/// A data file.
pub(super) struct DataFile {
    pub(super) key: String,
    pub(super) item_count: u64,
    /// The bytes of its lines.
    pub(super) line_bytes: u64,
    block: Vec<u8>,
    compressor: Option<Compressor<Vec<u8>>>,
    upload: Upload,
}

impl DataFile {
    /// Starts a data file.
    pub(super) fn start(bucket: &Bucket, key: String) -> Result<DataFile, StorageError> {
        let upload = bucket.upload(&key)?;
        let compressor = Compression::Gzip.writer(Vec::new()).map_err(failed)?;
        Ok(DataFile {
            key,
            item_count: 0,
            line_bytes: 0,
            block: Vec::new(),
            compressor: Some(compressor),
            upload,
        })
    }

    /// Appends the line that the function writes.
    pub(super) async fn line(
        &mut self,
        write: impl FnOnce(&mut Vec<u8>),
    ) -> Result<(), StorageError> {
        let before = self.block.len();
        write(&mut self.block);
        self.line_bytes += (self.block.len() - before) as u64;
        self.item_count += 1;
        if self.block.len() >= BLOCK_BYTES { self.compress().await } else { Ok(()) }
    }

    /// Makes the file appear.
    pub(super) async fn finish(mut self) -> Result<(DataFileEnd, Uploaded), StorageError> {
        if let Err(error) = self.write_rest().await {
            self.abort().await;
            return Err(error);
        }
        let uploaded = self.upload.finish().await?;
        let end =
            DataFileEnd { key: self.key, item_count: self.item_count, line_bytes: self.line_bytes };
        Ok((end, uploaded))
    }

    /// Gives the file up.
    pub(super) async fn abort(self) {
        self.upload.abort().await;
    }

    async fn write_rest(&mut self) -> Result<(), StorageError> {
        self.compress().await?;
        let compressor = self.compressor.take().ok_or_else(lost)?;
        self.upload.write(&compressor.finish().map_err(failed)?).await
    }

    async fn compress(&mut self) -> Result<(), StorageError> {
        let block = std::mem::take(&mut self.block);
        let mut compressor = self.compressor.take().ok_or_else(lost)?;
        let work = tokio::task::spawn_blocking(move || {
            compressor.write_all(&block)?;
            let bytes = std::mem::take(compressor.get_mut());
            Ok((compressor, bytes))
        });
        let done: std::io::Result<_> = work.await.map_err(failed)?;
        let (compressor, bytes) = done.map_err(failed)?;
        self.compressor = Some(compressor);
        self.upload.write(&bytes).await
    }
}

/// What is left of a data file when it is written.
pub(super) struct DataFileEnd {
    pub(super) key: String,
    pub(super) item_count: u64,
    pub(super) line_bytes: u64,
}

fn failed(error: impl std::fmt::Display) -> StorageError {
    StorageError::Other(error.to_string())
}

fn lost() -> StorageError {
    StorageError::Other("an earlier write of this data file failed".to_owned())
}

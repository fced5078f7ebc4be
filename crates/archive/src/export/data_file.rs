//! One data file that is being written: lines are gathered, compressed off the asynchronous threads,
//! and uploaded. One block is compressed while the next is gathered.

use std::io::{self, Write as _};

use tokio::task::JoinHandle;

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
    packer: Packer,
    upload: Upload,
}

/// Who compresses, and what it has written.
type Packed = (Compressor<Vec<u8>>, Vec<u8>);

enum Packer {
    Idle(Compressor<Vec<u8>>),
    Busy(JoinHandle<io::Result<Packed>>),
    Lost,
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
            packer: Packer::Idle(compressor),
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
        let compressor = self.idle().await?;
        self.upload.write(&compressor.finish().map_err(failed)?).await
    }

    async fn compress(&mut self) -> Result<(), StorageError> {
        let mut compressor = self.idle().await?;
        let block = std::mem::take(&mut self.block);
        self.packer = Packer::Busy(tokio::task::spawn_blocking(move || {
            compressor.write_all(&block)?;
            let bytes = std::mem::take(compressor.get_mut());
            Ok((compressor, bytes))
        }));
        Ok(())
    }

    /// Waits for the block that is being compressed, and uploads what has come of it.
    async fn idle(&mut self) -> Result<Compressor<Vec<u8>>, StorageError> {
        let work = match std::mem::replace(&mut self.packer, Packer::Lost) {
            Packer::Idle(compressor) => return Ok(compressor),
            Packer::Busy(work) => work,
            Packer::Lost => {
                let text = "an earlier write of this data file failed";
                return Err(StorageError::Other(text.to_owned()));
            }
        };
        let (compressor, bytes) = work.await.map_err(failed)?.map_err(failed)?;
        self.upload.write(&bytes).await?;
        Ok(compressor)
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

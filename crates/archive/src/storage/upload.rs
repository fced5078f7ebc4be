//! An object that is being written. A small one goes out with one request; a large one in parts, of
//! which one is under way while the next is filled.

use bytes::Bytes;
use md5::{Digest as _, Md5};
use object_store::path::Path;
use object_store::{MultipartUpload, ObjectStoreExt as _, PutPayload};
use tokio::task::JoinHandle;

use super::{Bucket, StorageError, hex};

/// S3's smallest part.
pub(super) const PART_BYTES: usize = 5 * 1024 * 1024;

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Uploaded {
    /// The object's entity tag, without quotes: the store's, or as S3 would make it.
    pub etag: String,
    /// The MD5 digest of the object.
    pub md5: [u8; 16],
    /// Its size in bytes.
    pub size: u64,
}

/// A write in pieces. If it is dropped the object does not appear; [`Upload::abort`] also has the
/// server forget the parts it holds.
pub struct Upload {
    bucket: Bucket,
    path: Path,
    part: Vec<u8>,
    digest: Md5,
    size: u64,
    parts: Option<Parts>,
}

struct Parts {
    upload: Box<dyn MultipartUpload>,
    under_way: Option<JoinHandle<object_store::Result<()>>>,
    /// The digest over the digests of the parts, and their number, make S3's entity tag.
    digests: Md5,
    count: usize,
}

impl Upload {
    pub(super) fn new(bucket: Bucket, path: Path) -> Upload {
        let part = Vec::new();
        Upload { bucket, path, part, digest: Md5::new(), size: 0, parts: None }
    }

    /// Takes in the next piece.
    pub async fn write(&mut self, mut piece: &[u8]) -> Result<(), StorageError> {
        self.digest.update(piece);
        self.size += piece.len() as u64;
        while let Some((fits, rest)) = piece.split_at_checked(PART_BYTES - self.part.len()) {
            self.part.extend_from_slice(fits);
            piece = rest;
            self.send_part().await?;
        }
        self.part.extend_from_slice(piece);
        Ok(())
    }

    /// Makes the object appear.
    pub async fn finish(mut self) -> Result<Uploaded, StorageError> {
        let key = self.path.to_string();
        if self.parts.is_none() {
            let bytes = Bytes::from(std::mem::take(&mut self.part));
            return self.bucket.put(&key, bytes).await;
        }
        if !self.part.is_empty()
            && let Err(error) = self.send_part().await
        {
            self.abort().await;
            return Err(error);
        }
        let Some(mut parts) = self.parts else {
            return Err(StorageError::Other("the upload lost its parts".to_owned()));
        };
        let completed = match parts.settle().await {
            Ok(()) => parts.upload.complete().await,
            Err(error) => Err(error),
        };
        match completed {
            Ok(answer) => {
                let own = || format!("{}-{}", hex(&parts.digests.clone().finalize()), parts.count);
                let etag = self.bucket.etag(answer.e_tag).unwrap_or_else(own);
                Ok(Uploaded { etag, md5: self.digest.finalize().into(), size: self.size })
            }
            Err(error) => {
                let error = StorageError::sort(error, &key);
                parts.forget().await;
                Err(error)
            }
        }
    }

    /// Gives the write up, and has the server forget what it holds of it.
    pub async fn abort(self) {
        if let Some(parts) = self.parts {
            parts.forget().await;
        }
    }

    async fn send_part(&mut self) -> Result<(), StorageError> {
        let bytes = Bytes::from(std::mem::take(&mut self.part));
        let sorted = |error| StorageError::sort(error, self.path.as_ref());
        let parts = match &mut self.parts {
            Some(parts) => parts,
            none => {
                let started = self.bucket.store.objects().put_multipart(&self.path).await;
                none.insert(Parts {
                    upload: started.map_err(sorted)?,
                    under_way: None,
                    digests: Md5::new(),
                    count: 0,
                })
            }
        };
        parts.settle().await.map_err(sorted)?;
        parts.digests.update(Md5::digest(&bytes));
        parts.count += 1;
        let part = parts.upload.put_part(PutPayload::from_bytes(bytes));
        parts.under_way = Some(tokio::spawn(part));
        Ok(())
    }
}

impl Parts {
    /// Waits for the part that is under way.
    async fn settle(&mut self) -> object_store::Result<()> {
        match self.under_way.take() {
            Some(part) => part.await?,
            None => Ok(()),
        }
    }

    async fn forget(mut self) {
        // What the part came to does not matter any more, and a server that cannot be told keeps
        // parts that nobody sees.
        let _ = self.settle().await;
        let _ = self.upload.abort().await;
    }
}

//! Object storage: buckets with objects by key, in S3 or in a folder. An object appears under its
//! key whole or not at all.

mod client;
mod config;
mod download;
mod error;
mod upload;

use std::sync::Arc;

use bytes::Bytes;
use futures_util::TryStreamExt as _;
use md5::{Digest as _, Md5};
use object_store::aws::{AmazonS3, AmazonS3Builder};
use object_store::list::{PaginatedListOptions, PaginatedListStore as _};
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStore, ObjectStoreExt as _, RetryConfig};

pub use config::{Patience, S3Config, StorageConfig};
pub use download::Download;
pub use error::StorageError;
pub use upload::{Upload, Uploaded};

use client::HyperConnector;

/// Failed requests are repeated this often at most.
const RETRIES: usize = 4;

/// A place with buckets.
#[derive(Clone, Debug)]
pub struct Storage {
    config: Arc<StorageConfig>,
    patience: Patience,
}

impl Storage {
    /// The storage of that configuration. Nothing is asked of it yet.
    pub fn new(config: StorageConfig) -> Storage {
        Storage { config: Arc::new(config), patience: Patience::default() }
    }

    /// The same storage, waited for as long as that.
    #[must_use]
    pub fn with_patience(self, patience: Patience) -> Storage {
        Storage { patience, ..self }
    }

    /// A bucket. A folder's is looked up; that one of S3 does not exist shows at its first use.
    pub fn bucket(&self, name: &str) -> Result<Bucket, StorageError> {
        // The name comes from requests, and is part of a path or of a URL.
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-_".contains(&byte);
        if name.is_empty() || name.starts_with('.') || !name.bytes().all(plain) {
            return Err(StorageError::NoSuchBucket);
        }
        let store = match &*self.config {
            StorageConfig::S3(config) => Store::S3(Arc::new(s3(config, name, self.patience)?)),
            StorageConfig::Folder(root) => {
                let folder = root.join(name);
                if !folder.is_dir() {
                    return Err(StorageError::NoSuchBucket);
                }
                let store = LocalFileSystem::new_with_prefix(folder)
                    .map_err(|error| StorageError::sort(error, name))?;
                Store::Folder(Arc::new(store.with_fsync(true)))
            }
        };
        Ok(Bucket { store, patience: self.patience })
    }
}

fn s3(config: &S3Config, bucket: &str, patience: Patience) -> Result<AmazonS3, StorageError> {
    let endpoint = config.endpoint.as_deref();
    let tls = !endpoint.is_some_and(|endpoint| endpoint.starts_with("http://"));
    if !tls && !config.allow_http {
        let text = "the endpoint has no TLS, and the configuration does not allow that";
        return Err(StorageError::Other(text.to_owned()));
    }
    let mut builder = AmazonS3Builder::new()
        .with_bucket_name(bucket)
        .with_region(&config.region)
        .with_access_key_id(&config.access_key)
        .with_secret_access_key(&config.secret_key)
        .with_allow_http(!tls)
        .with_virtual_hosted_style_request(!config.path_style)
        .with_retry(RetryConfig {
            max_retries: RETRIES,
            retry_timeout: patience.retry,
            ..RetryConfig::default()
        })
        .with_http_connector(HyperConnector { tls, patience });
    if let Some(endpoint) = endpoint {
        builder = builder.with_endpoint(endpoint.trim_end_matches('/'));
    }
    builder.build().map_err(|error| StorageError::sort(error, bucket))
}

#[derive(Clone, Debug)]
enum Store {
    S3(Arc<AmazonS3>),
    Folder(Arc<LocalFileSystem>),
}

impl Store {
    fn objects(&self) -> &dyn ObjectStore {
        match self {
            Store::S3(store) => &**store,
            Store::Folder(store) => &**store,
        }
    }
}

/// An object found by listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectInfo {
    /// Its key.
    pub key: String,
    /// Its size in bytes.
    pub size: u64,
}

/// A bucket of a storage.
#[derive(Clone, Debug)]
pub struct Bucket {
    store: Store,
    patience: Patience,
}

impl Bucket {
    /// Writes a small object at once.
    pub async fn put(&self, key: &str, bytes: Bytes) -> Result<Uploaded, StorageError> {
        let path = path(key)?;
        let md5 = md5(&bytes);
        let size = bytes.len() as u64;
        let answer = self.store.objects().put(&path, bytes.into()).await;
        let answer = answer.map_err(|error| StorageError::sort(error, key))?;
        Ok(Uploaded { etag: self.etag(answer.e_tag).unwrap_or_else(|| hex(&md5)), md5, size })
    }

    /// Starts to write an object of any size piece by piece.
    pub fn upload(&self, key: &str) -> Result<Upload, StorageError> {
        Ok(Upload::new(self.clone(), path(key)?))
    }

    /// Starts to read an object.
    pub async fn get(&self, key: &str) -> Result<Download, StorageError> {
        let answer = self.store.objects().get(&path(key)?).await;
        let answer = answer.map_err(|error| StorageError::sort(error, key))?;
        let size = answer.meta.size;
        Ok(Download::new(key.to_owned(), size, answer.into_stream(), self.patience))
    }

    /// The size of an object.
    pub async fn size(&self, key: &str) -> Result<u64, StorageError> {
        let answer = self.store.objects().head(&path(key)?).await;
        Ok(answer.map_err(|error| StorageError::sort(error, key))?.size)
    }

    /// The objects with keys that start with the prefix, by the byte order of the keys.
    pub async fn list(&self, prefix: &str) -> Result<Vec<ObjectInfo>, StorageError> {
        let found = match &self.store {
            Store::S3(store) => list_s3(store, prefix).await,
            Store::Folder(store) => list_folder(store, prefix).await,
        };
        let mut objects = found.map_err(|error| StorageError::sort(error, prefix))?;
        objects.sort_by(|left, right| left.key.cmp(&right.key));
        Ok(objects)
    }

    /// Refuses a bucket that is not there. Some servers make one of the first write instead of
    /// saying so; a server that does not let us look is believed.
    pub async fn check_exists(&self) -> Result<(), StorageError> {
        if let Store::S3(store) = &self.store {
            let options = PaginatedListOptions { max_keys: Some(1), ..Default::default() };
            if let Err(error) = store.list_paginated(None, options).await
                && StorageError::sort(error, "") == StorageError::NoSuchBucket
            {
                return Err(StorageError::NoSuchBucket);
            }
        }
        Ok(())
    }

    /// The entity tag an S3 server gave; a folder has none.
    fn etag(&self, given: Option<String>) -> Option<String> {
        match self.store {
            Store::S3(_) => given.map(|etag| etag.trim_matches('"').to_owned()),
            Store::Folder(_) => None,
        }
    }
}

async fn list_s3(store: &AmazonS3, prefix: &str) -> object_store::Result<Vec<ObjectInfo>> {
    let prefix = Some(prefix).filter(|prefix| !prefix.is_empty());
    let mut objects = Vec::new();
    let mut options = PaginatedListOptions::default();
    loop {
        let page = store.list_paginated(prefix, options).await?;
        objects.extend(page.result.objects.into_iter().map(found));
        if page.page_token.is_none() {
            return Ok(objects);
        }
        options = PaginatedListOptions { page_token: page.page_token, ..Default::default() };
    }
}

async fn list_folder(
    store: &LocalFileSystem,
    prefix: &str,
) -> object_store::Result<Vec<ObjectInfo>> {
    // A prefix may end within a name, so what is walked is the folder it is in.
    let folder = prefix.rsplit_once('/').map(|(folder, _)| Path::parse(folder)).transpose()?;
    store
        .list(folder.as_ref())
        .map_ok(found)
        .try_filter(|object| std::future::ready(object.key.starts_with(prefix)))
        .try_collect()
        .await
}

fn found(meta: ObjectMeta) -> ObjectInfo {
    ObjectInfo { key: meta.location.into(), size: meta.size }
}

fn path(key: &str) -> Result<Path, StorageError> {
    Path::parse(key).map_err(|error| StorageError::Other(error.to_string()))
}

/// The MD5 digest, which S3 and manifests check objects with.
pub(crate) fn md5(bytes: &[u8]) -> [u8; 16] {
    Md5::digest(bytes).into()
}

/// Lower-case hexadecimal digits.
fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests;

//! Reads the items of the objects under a prefix, one after the other.
//!
//! An asynchronous task fetches, a thread decompresses and reads, and the caller takes items at its
//! own pace: a few pieces and a page of items wait in between, and no more. What is no item is
//! reported and skipped; only a storage that fails ends an import.

mod fetch;
pub(crate) mod lines;
mod pages;
mod read;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::mpsc::{Receiver, channel};
use value::Item;

use crate::Compression;
use crate::csv_rows::CsvOptions;
use crate::storage::{Storage, StorageError};

/// What to read, and how.
#[derive(Clone, Debug)]
pub struct ImportSource {
    /// The bucket.
    pub bucket: String,
    /// How the keys of the objects start; empty for all of the bucket.
    pub prefix: String,
    /// How items are written.
    pub format: InputFormat,
    /// How objects are compressed; their names say nothing.
    pub compression: Compression,
}

/// How items are written.
#[derive(Clone, Debug)]
pub enum InputFormat {
    /// Comma-separated values.
    Csv(CsvOptions),
    /// DynamoDB JSON.
    DynamoDbJson,
    /// Ion text.
    Ion,
}

/// Something in an object that is no item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadLine {
    /// The object's key.
    pub object: String,
    /// The line it starts in, from one.
    pub line: u64,
    /// What is wrong with it.
    pub reason: String,
}

/// What was found in one line, and the line.
type Found = (u64, Result<Item, String>);

/// What was found in an object, in order.
struct Page {
    object: Arc<str>,
    found: Vec<Found>,
}

/// Where an item comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The object's key.
    pub object: Arc<str>,
    /// The line it starts in, from one.
    pub line: u64,
}

impl fmt::Display for Origin {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}, line {}", self.object, self.line)
    }
}

/// An import under way. Dropped, it ends.
pub struct Import {
    objects: usize,
    pages: Receiver<Result<Page, StorageError>>,
    page: VecDeque<Found>,
    origin: Origin,
    read_bytes: Arc<AtomicU64>,
}

impl Import {
    /// Lists the objects and starts to read them.
    pub async fn start(storage: &Storage, source: ImportSource) -> Result<Import, StorageError> {
        let bucket = storage.bucket(&source.bucket)?;
        let mut objects = bucket.list(&source.prefix).await?;
        // Consoles make empty objects to stand for folders.
        objects.retain(|object| object.size > 0);
        let (send, pages) = channel(1);
        let read_bytes = Arc::new(AtomicU64::new(0));
        let import = Import {
            objects: objects.len(),
            pages,
            page: VecDeque::new(),
            origin: Origin { object: Arc::from(""), line: 0 },
            read_bytes: read_bytes.clone(),
        };
        tokio::spawn(fetch::fetch_all(bucket, objects, Arc::new(source), send, read_bytes));
        Ok(import)
    }

    /// The objects there are to read.
    pub fn object_count(&self) -> usize {
        self.objects
    }

    /// The bytes read so far, as they are without compression.
    pub fn processed_bytes(&self) -> u64 {
        self.read_bytes.load(Ordering::Relaxed)
    }

    /// Where what was given last comes from.
    pub fn origin(&self) -> Origin {
        self.origin.clone()
    }

    /// The next item, or what is none in its place; nothing at the end.
    pub async fn next(&mut self) -> Result<Option<Result<Item, BadLine>>, StorageError> {
        loop {
            if let Some((line, found)) = self.page.pop_front() {
                self.origin.line = line;
                return Ok(Some(found.map_err(|reason| BadLine {
                    object: self.origin.object.to_string(),
                    line,
                    reason,
                })));
            }
            let Some(page) = self.pages.recv().await else { return Ok(None) };
            let page = page?;
            self.origin.object = page.object;
            self.page = page.found.into();
        }
    }
}

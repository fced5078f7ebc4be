//! Gathers what is read of an object into pages for the caller.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::mpsc::Sender;
use value::Item;

use super::{Found, Page};
use crate::storage::StorageError;

/// Items of a page, and the bytes of text after which a page ends anyway.
const PAGE_ITEMS: usize = 256;
const PAGE_BYTES: u64 = 512 * 1024;

/// The pages of an object.
pub(super) struct Pages {
    object: Arc<str>,
    page: Vec<Found>,
    page_start: u64,
    pages: Sender<Result<Page, StorageError>>,
    read_bytes: Arc<AtomicU64>,
}

/// Nobody takes pages any more.
pub(super) struct Unheard;

impl Pages {
    pub(super) fn new(
        object: &str,
        pages: Sender<Result<Page, StorageError>>,
        read_bytes: Arc<AtomicU64>,
    ) -> Pages {
        let page_start = read_bytes.load(Ordering::Relaxed);
        Pages { object: object.into(), page: Vec::new(), page_start, pages, read_bytes }
    }

    /// Where the bytes that are read are counted.
    pub(super) fn read_bytes(&self) -> Arc<AtomicU64> {
        self.read_bytes.clone()
    }

    /// Takes in what was found in a line.
    pub(super) fn push(
        &mut self,
        line: u64,
        found: Result<Item, impl ToString>,
    ) -> Result<(), Unheard> {
        self.page.push((line, found.map_err(|reason| reason.to_string())));
        let bytes = self.read_bytes.load(Ordering::Relaxed) - self.page_start;
        if self.page.len() >= PAGE_ITEMS || bytes >= PAGE_BYTES { self.send() } else { Ok(()) }
    }

    /// Sends what has gathered.
    pub(super) fn send(&mut self) -> Result<(), Unheard> {
        self.page_start = self.read_bytes.load(Ordering::Relaxed);
        let found = std::mem::take(&mut self.page);
        if found.is_empty() {
            return Ok(());
        }
        let page = Page { object: self.object.clone(), found };
        self.pages.blocking_send(Ok(page)).map_err(|_| Unheard)
    }
}

//! What requests cost while they are worked on, and which of them share room. Writes wait for the
//! disk, so they have room of their own: reads must not wait behind them. Reads of single items do not
//! wait behind pages, either.

use crate::{
    gate::{Gate, Pass},
    limits::Limits,
};
use api::Operation;

/// Bodies of writes under way, as they come. Enough for the disk to be busy; what is beyond only waits
/// longer. Read, they take `WEIGHT` times as much.
const WRITES: usize = 64 * 1024 * 1024;
/// What a write costs at least: its place in the queue, indexes, the change log.
const SMALLEST_WRITE: usize = 16 * 1024;
/// How much more memory a body takes once it is read: what is smallest on the wire grows most, 7 times
/// as measured.
const WEIGHT: usize = 8;
/// An item as stored and as an answer.
const ITEM: usize = 1024 * 1024;
/// A page of 1 MB as stored and as an answer.
const PAGE: usize = 4 * 1024 * 1024;
/// A batch of up to 16 MB as stored and as an answer.
const BATCH: usize = 48 * 1024 * 1024;

/// Room for every kind of work.
pub(crate) struct Rooms {
    writes: Gate,
    items: Gate,
    pages: Gate,
}

/// How a request is worked on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    Write,
    Item,
    Page,
    Batch,
}

impl Work {
    pub(crate) fn of(operation: Operation) -> Work {
        match operation {
            Operation::PutItem
            | Operation::UpdateItem
            | Operation::DeleteItem
            | Operation::BatchWriteItem
            | Operation::TransactWriteItems => Work::Write,
            Operation::Query
            | Operation::Scan
            | Operation::TransactGetItems
            | Operation::GetRecords
            | Operation::ExecuteStatement
            | Operation::ExecuteTransaction
            | Operation::DescribeItemHistory
            | Operation::RestoreItems => Work::Page,
            Operation::BatchGetItem | Operation::BatchExecuteStatement => Work::Batch,
            _ => Work::Item,
        }
    }
}

impl Rooms {
    pub(crate) fn new(limits: &Limits) -> Rooms {
        let (items, pages) = (Gate::new(limits.memory), Gate::new(limits.memory));
        Rooms { writes: Gate::new(WRITES.min(limits.memory / WEIGHT)), items, pages }
    }

    /// Waits for room for a request with a body of that size; none if there is too much to do.
    pub(crate) async fn enter(&self, work: Work, body: usize) -> Option<Pass> {
        let read = body.saturating_mul(WEIGHT);
        match work {
            Work::Write => self.writes.enter(body.max(SMALLEST_WRITE)).await,
            Work::Item => self.items.enter(read.saturating_add(ITEM)).await,
            Work::Page => self.pages.enter(read.saturating_add(PAGE)).await,
            Work::Batch => self.pages.enter(read.saturating_add(BATCH)).await,
        }
    }

    /// Whether answers take more than half of their memory.
    pub(crate) fn are_crowded(&self) -> bool {
        self.items.is_crowded() || self.pages.is_crowded()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[tokio::test]
    async fn reads_do_not_wait_behind_writes_nor_items_behind_pages() {
        let limits = Limits { connections: 1, patience: Duration::from_secs(1), memory: 512 << 20 };
        let rooms = Rooms::new(&limits);
        let _writes = rooms.enter(Work::Write, WRITES).await.unwrap();
        let _pages = rooms.enter(Work::Batch, 128 << 20).await.unwrap();
        assert!(rooms.enter(Work::Write, 1).await.is_none());
        assert!(rooms.enter(Work::Page, 1).await.is_none());
        assert!(rooms.enter(Work::Item, 1).await.is_some());
        assert!(rooms.are_crowded());
    }
}

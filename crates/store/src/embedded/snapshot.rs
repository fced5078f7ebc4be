//! Views of the embedded store.
//!
//! fjall's newest view is not used as it is: when a flush or a compaction ends while a batch is being
//! written, fjall lets views see a batch that is still on its way. The writer takes a view between two
//! batches instead, and all readers share the last one it took.

use super::{VERSION_KEY, shared::Shared};
use crate::{
    BoxFuture, Direction, KeyRange, Page, PageLimit, Planted, Snapshot, StoreError, Version,
    write::check_key,
};
use bytes::Bytes;
use fjall::Readable;
use std::{ops::Bound, sync::Arc};

/// A view between two batches.
pub(super) struct View {
    pub version: Version,
    pub fjall: fjall::Snapshot,
}

/// A view, and the store it looks at.
pub(super) struct EmbeddedSnapshot {
    pub shared: Arc<Shared>,
    pub view: Arc<View>,
}

impl Snapshot for EmbeddedSnapshot {
    fn version(&self) -> Version {
        self.view.version
    }

    fn get(&self, key: &[u8]) -> BoxFuture<'_, Result<Option<Bytes>, StoreError>> {
        let value = self.shared.poison.check().and_then(|()| check_key(key)).and_then(|()| {
            self.shared.reads.value(self.view.version, key, || self.shared.get(&self.view, key))
        });
        match value {
            Ok(value) => Box::pin(std::future::ready(Ok(value))),
            Err(error) => Box::pin(async { Err(self.shared.pinpoint(error).await) }),
        }
    }

    fn range(
        &self,
        range: KeyRange,
        direction: Direction,
        limit: PageLimit,
    ) -> BoxFuture<'_, Result<Page, StoreError>> {
        Box::pin(async move {
            self.shared.poison.check()?;
            let page =
                self.shared.reads.page(self.view.version, range, direction, limit, |range| {
                    self.shared.page(&self.view, range, direction, limit)
                });
            match page {
                Ok(page) => Ok(page),
                Err(error) => Err(self.shared.pinpoint(error).await),
            }
        })
    }
}

impl Shared {
    pub fn get(&self, view: &View, key: &[u8]) -> Result<Option<Bytes>, StoreError> {
        match self.guard(|| view.fjall.get(&self.keyspace, key)) {
            Err(StoreError::Damaged { .. }) if Planted::HideDamage.is_on() => Ok(None),
            read => read.map(|value| value.map(Bytes::from)),
        }
    }

    fn page(
        &self,
        view: &View,
        range: KeyRange,
        direction: Direction,
        limit: PageLimit,
    ) -> Result<Page, StoreError> {
        // Readers must not come upon what the store keeps for itself.
        let start = range.start.max(Bytes::from_static(FIRST_KEY));
        if range.end.as_ref().is_some_and(|end| *end <= start) {
            return Ok(Page::default());
        }
        let end = range.end.map_or(Bound::Unbounded, Bound::Excluded);
        let read = self.guard(|| {
            let entries = view.fjall.range(&self.keyspace, (Bound::Included(start), end));
            let entry = |guard: fjall::Guard| {
                let (key, value) = guard.into_inner()?;
                Ok((Bytes::from(key), Bytes::from(value)))
            };
            match direction {
                Direction::Forward => Page::fill(entries.map(entry), limit),
                Direction::Backward => Page::fill(entries.rev().map(entry), limit),
            }
        });
        match read {
            Err(StoreError::Damaged { .. }) if Planted::HideDamage.is_on() => Ok(Page::default()),
            read => read,
        }
    }
}

/// The least key that is not the store's own.
const FIRST_KEY: &[u8] = &[1];
const _: () = assert!(matches!(VERSION_KEY, [0, ..]));

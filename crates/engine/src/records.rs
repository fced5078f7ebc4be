//! Ranges of which it is known that they hold few entries, read whole.

use crate::{Engine, error::EngineError, table};
use bytes::Bytes;
use serde::de::DeserializeOwned;
use store::{Direction, KeyRange, PageLimit, Snapshot};

const PAGE: PageLimit = PageLimit { entries: 1000, bytes: 1 << 20 };

/// All entries of a range.
pub(crate) async fn entries(
    snapshot: &dyn Snapshot,
    mut range: KeyRange,
) -> Result<Vec<(Bytes, Bytes)>, EngineError> {
    let mut all = Vec::new();
    loop {
        let page = snapshot.range(range.clone(), Direction::Forward, PAGE).await?;
        let rest = page.entries.last().map(|(last, _)| range.after(last, Direction::Forward));
        all.extend(page.entries);
        match rest {
            Some(rest) if page.more => range = rest,
            _ => return Ok(all),
        }
    }
}

impl Engine {
    /// All records of one kind.
    pub(crate) async fn records<T: DeserializeOwned>(
        &self,
        range: KeyRange,
    ) -> Result<Vec<T>, EngineError> {
        let snapshot = self.store.snapshot().await?;
        let entries = entries(&*snapshot, range).await?;
        entries.iter().map(|(_, value)| Ok(table::read(value)?)).collect()
    }
}

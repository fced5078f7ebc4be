//! Reading a table as it was at a moment, and what changed between two moments, page by page.
//!
//! What has changed since is gathered from the log under a number of its own; everything else is
//! read from one snapshot, which is held until the reading ends. Writers go on meanwhile.

use super::{
    restore::{Phase, RestoreError},
    undo::Before,
};
use crate::{
    Engine,
    environment::Moment,
    error::EngineError,
    keys::{JobNumber, Key},
    log::Position,
    table::{self, Table},
};
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use store::{Direction, KeyRange, PageLimit, Snapshot, Version, Write};

const PAGE: PageLimit = PageLimit { entries: 200, bytes: 1 << 20 };

/// The items of a table at a moment, in the order of their keys.
pub struct PastItems {
    number: JobNumber,
    snapshot: Box<dyn Snapshot>,
    live: Option<KeyRange>,
    gathered: Option<KeyRange>,
}

/// What became of the items of a table between two moments.
pub struct PastChanges {
    table: Table,
    snapshot: Box<dyn Snapshot>,
    gathered: Option<KeyRange>,
}

/// What became of one item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NetChange {
    /// When it was changed last between the moments.
    pub last: Position,
    /// The item at the first moment, in its stored form.
    pub old: Option<Bytes>,
    /// The item at the second moment, likewise.
    pub new: Option<Bytes>,
}

/// An item at a moment.
#[derive(Serialize, Deserialize)]
enum Was {
    /// It was not there.
    Absent,
    /// It was this, in its stored form.
    There(Vec<u8>),
}

impl Was {
    fn of(before: &Before) -> Option<Was> {
        let stored = before.stored.as_ref();
        Some(stored.map_or(Was::Absent, |bytes| Was::There(bytes.to_vec())))
    }

    fn stored(self) -> Option<Bytes> {
        match self {
            Was::Absent => None,
            Was::There(bytes) => Some(bytes.into()),
        }
    }
}

/// What is known of an item from the log.
#[derive(Default, Serialize, Deserialize)]
struct Noted {
    /// The item at the second moment, if it has changed since.
    to: Option<Was>,
    /// The item at the first moment, if it has changed between the two.
    from: Option<Was>,
    /// The last change between the two.
    last: Option<(u64, u16)>,
}

impl Engine {
    /// Reads a table as it was at a moment that can be restored. `number` is for what has to
    /// be noted meanwhile, which [`Engine::forget_past`] removes.
    pub async fn past_items(
        &self,
        table: &Table,
        number: JobNumber,
        moment: Moment,
    ) -> Result<PastItems, RestoreError> {
        self.check_window(table, moment)?;
        self.forget_past(number).await?;
        let snapshot = self.store.snapshot().await?;
        let boundary = after(moment);
        self.note(table, number, boundary, end(&*snapshot), |noted, before| {
            noted.to = Was::of(before);
        })
        .await?;
        // What was noted has to be seen, and nobody else writes there.
        let live = KeyRange::prefix(Key::items_prefix(table.number));
        let gathered = Key::undone(number);
        Ok(PastItems { number, snapshot, live: Some(live), gathered: Some(gathered) })
    }

    /// Reads what became of items from one moment on, up to but without another.
    pub async fn past_changes(
        &self,
        table: &Table,
        number: JobNumber,
        from: Moment,
        to: Moment,
    ) -> Result<PastChanges, RestoreError> {
        self.check_window(table, from)?;
        self.check_window(table, to)?;
        self.forget_past(number).await?;
        let snapshot = self.store.snapshot().await?;
        let at = |moment: Moment| Position::start(Version::first_at(moment.millis()));
        let (from, to) = (at(from), at(to));
        self.note(table, number, to, end(&*snapshot), |noted, before| {
            noted.to = Was::of(before);
        })
        .await?;
        self.note(table, number, from, to.version, |noted, before| {
            noted.from = Was::of(before);
            let newest = (before.newest.version.0, before.newest.ordinal);
            noted.last = noted.last.or(Some(newest));
        })
        .await?;
        let gathered = Some(Key::undone(number));
        Ok(PastChanges { table: table.clone(), snapshot, gathered })
    }

    /// Removes what was noted under a number.
    pub async fn forget_past(&self, number: JobNumber) -> Result<(), EngineError> {
        self.remove_all(Key::undone(number)).await
    }

    /// Walks back through the log from one place to another and notes each item it meets.
    async fn note(
        &self,
        table: &Table,
        number: JobNumber,
        from: Position,
        until: Version,
        mut change: impl FnMut(&mut Noted, &Before),
    ) -> Result<(), EngineError> {
        let mut at = None;
        loop {
            let page = self.undo_page(table.number, table, from, until, at).await?;
            let mut writes = Vec::with_capacity(page.items.len());
            let snapshot = self.store.snapshot().await?;
            for before in &page.items {
                let item = before.key.storage_key(table.number);
                let key = Key::Undo { restore: number, item: &item }.encode();
                let mut noted: Noted = match snapshot.get(&key).await? {
                    Some(bytes) => table::read(&bytes)?,
                    None => Noted::default(),
                };
                change(&mut noted, before);
                writes.push(Write::Put { key, value: table::write(&noted)? });
            }
            if !writes.is_empty() {
                self.write(writes).await?;
            }
            match page.next {
                Some(Phase::Undoing { at: reached, .. }) => at = reached,
                _ => return Ok(()),
            }
        }
    }

    /// The next items as they were, in their stored form; none once there are no more.
    pub async fn next_past_items(
        &self,
        past: &mut PastItems,
    ) -> Result<Option<Vec<Bytes>>, EngineError> {
        // First the items there are, as far as they have not changed; then those that have.
        if let Some(range) = past.live.take() {
            let page = past.snapshot.range(range.clone(), Direction::Forward, PAGE).await?;
            past.live = rest(&range, &page);
            let noted = self.store.snapshot().await?;
            let mut items = Vec::with_capacity(page.entries.len());
            for (item, stored) in page.entries {
                let key = Key::Undo { restore: past.number, item: &item }.encode();
                if noted.get(&key).await?.is_none() {
                    items.push(stored);
                }
            }
            return Ok(Some(items));
        }
        let Some(range) = past.gathered.take() else { return Ok(None) };
        let snapshot = self.store.snapshot().await?;
        let page = snapshot.range(range.clone(), Direction::Forward, PAGE).await?;
        past.gathered = rest(&range, &page);
        let mut items = Vec::new();
        for (_, value) in &page.entries {
            let noted: Noted = table::read(value)?;
            items.extend(noted.to.and_then(Was::stored));
        }
        Ok(Some(items))
    }

    /// The next changes; none once there are no more.
    pub async fn next_past_changes(
        &self,
        past: &mut PastChanges,
    ) -> Result<Option<Vec<NetChange>>, EngineError> {
        let Some(range) = past.gathered.take() else { return Ok(None) };
        let snapshot = self.store.snapshot().await?;
        let page = snapshot.range(range.clone(), Direction::Forward, PAGE).await?;
        past.gathered = rest(&range, &page);
        let mut changes = Vec::new();
        for (key, value) in &page.entries {
            let noted: Noted = table::read(value)?;
            let (Some(old), Some((version, ordinal))) = (noted.from, noted.last) else { continue };
            let new = match noted.to {
                Some(known) => known.stored(),
                None => past.snapshot.get(&Key::in_table(past.table.number, key)).await?,
            };
            let old = old.stored();
            if old != new {
                let last = Position { version: Version(version), ordinal };
                changes.push(NetChange { last, old, new });
            }
        }
        Ok(Some(changes))
    }
}

/// The first place that does not belong to a moment any more.
pub(super) fn after(moment: Moment) -> Position {
    Position::start(Version::first_at(moment.millis().saturating_add(1)))
}

fn end(snapshot: &dyn Snapshot) -> Version {
    Version(snapshot.version().0.saturating_add(1))
}

fn rest(range: &KeyRange, page: &store::Page) -> Option<KeyRange> {
    let last = page.entries.last().filter(|_| page.more)?;
    Some(range.after(&last.0, Direction::Forward))
}

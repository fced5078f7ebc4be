//! Putting items of a table back as they were while the table is in use. What they were is
//! gathered from the log first; then each is written back as an ordinary write, unless somebody
//! has changed it since it was looked at. A preview stops before the writing.

use super::{
    restore::{Phase, Progress, Sample},
    run::{Job, Step},
    undo::decoded,
};
use crate::{
    Engine,
    catalogue::Entry,
    error::EngineError,
    items::{PrimaryKey, digest},
    keys::Key,
    log::Position,
    table::{Status, Table},
};
use bytes::Bytes;
use std::sync::Arc;
use store::{Direction, PageLimit, Version, Write};

const PAGE: PageLimit = PageLimit { entries: 100, bytes: 2 << 20 };

/// The digest of no item.
const NEVER_SEEN: u128 = u128::MAX;

/// How many of the items that change are shown.
const SAMPLES: usize = 10;
/// Samples are kept with the progress, so they must not be large.
const SAMPLE_BYTES: usize = 8 << 10;

impl Engine {
    /// Does the next page. `preview` writes nothing back.
    pub(super) async fn step_in_place(
        &self,
        job: &Job,
        table: &str,
        mut progress: Progress,
        preview: bool,
    ) -> Result<Step, EngineError> {
        let entry = self.catalogue.refresh(&*self.store, table).await?;
        let in_use = |table: &Table| table.status_at(self.now()).is_some_and(Status::takes_writes);
        let own = entry.filter(|entry| Some(entry.table.number) == job.restore.source.table());
        let Some(entry) = own.filter(|entry| in_use(&entry.table)) else {
            return Ok(Step::Failed("the table is not in use any more".to_owned()));
        };
        match progress.phase.clone() {
            Phase::Undoing { until, at } => {
                let boundary = job.restore.source.boundary();
                let (number, until) = (entry.table.number, Version(until));
                let undone = self.undo_page(number, &entry.table, boundary, until, at).await?;
                progress.changes += undone.changes;
                let mut writes = Vec::with_capacity(undone.items.len() + 1);
                for before in undone.items {
                    let storage_key = before.key.storage_key(number);
                    if job.takes_key(&entry.table, &storage_key, &before.key_item) {
                        writes.push(self.gather(job, &storage_key, before.stored).await?);
                    }
                }
                progress.phase = match undone.next {
                    Some(phase) => phase,
                    None => {
                        let now = self.store.snapshot().await?.version().0 + 1;
                        Phase::Checking { from: until.0, until: now, at: None }
                    }
                };
                self.write_step(job.number, &progress, writes).await?;
                Ok(Step::More)
            }
            Phase::Checking { from, until, at } => {
                let begun = Position::start(Version(from));
                let (number, until) = (entry.table.number, Version(until));
                let page = self.undo_page(number, &entry.table, begun, until, at).await?;
                let mut writes = Vec::new();
                for changed in page.items {
                    let item = changed.key.storage_key(number);
                    writes.extend(self.leave_alone(job, &item).await?);
                }
                progress.phase = match page.next {
                    Some(Phase::Undoing { at, .. }) => Phase::Checking { from, until: until.0, at },
                    _ => Phase::Applying { last: None },
                };
                self.write_step(job.number, &progress, writes).await?;
                Ok(Step::More)
            }
            Phase::Applying { last } => self.apply_page(job, &entry, last, progress, preview).await,
            Phase::Copying { .. } | Phase::Done => Ok(Step::Done(progress)),
        }
    }

    /// The write that notes what an item was, and what it is when it is seen first.
    async fn gather(
        &self,
        job: &Job,
        item: &Bytes,
        was: Option<Bytes>,
    ) -> Result<Write, EngineError> {
        let key = Key::Undo { restore: job.number, item }.encode();
        let snapshot = self.store.snapshot().await?;
        let seen = match snapshot.get(&key).await?.as_deref().and_then(Noted::read) {
            Some(noted) => noted.seen,
            None => digest(snapshot.get(item).await?.as_ref()),
        };
        let value = Noted { seen, was: was.as_deref() }.write();
        Ok(Write::Put { key, value })
    }

    /// The write that lets an item stay as it is, if it was going to be put back. What was
    /// written to it after the restore began may have been there when it was seen first.
    async fn leave_alone(&self, job: &Job, item: &Bytes) -> Result<Option<Write>, EngineError> {
        let key = Key::Undo { restore: job.number, item }.encode();
        let noted = self.store.snapshot().await?.get(&key).await?;
        let noted = noted.as_deref().and_then(Noted::read);
        let value = noted.map(|noted| Noted { seen: NEVER_SEEN, ..noted }.write());
        Ok(value.map(|value| Write::Put { key, value }))
    }

    async fn apply_page(
        &self,
        job: &Job,
        entry: &Arc<Entry>,
        last: Option<Vec<u8>>,
        mut progress: Progress,
        preview: bool,
    ) -> Result<Step, EngineError> {
        let noted = Key::undone(job.number);
        let range = match last {
            Some(last) => noted.after(&last, Direction::Forward),
            None => noted,
        };
        let snapshot = self.store.snapshot().await?;
        let page = snapshot.range(range, Direction::Forward, PAGE).await?;
        let mut prepared = Vec::new();
        for (key, value) in &page.entries {
            let storage_key = Key::in_table(entry.table.number, key);
            let Some((noted, primary)) =
                Noted::read(value).zip(PrimaryKey::from_storage_key(&entry.table, &storage_key))
            else {
                continue;
            };
            let was = noted.was.map(Bytes::copy_from_slice);
            let is = snapshot.get(&storage_key).await?;
            let asked = decoded(was.as_ref().or(is.as_ref()))?;
            if was == is || !asked.is_some_and(|item| job.takes_item(&item)) {
                continue;
            }
            progress.read += 1;
            if preview {
                progress.written += 1;
                progress.deleted += u64::from(was.is_none());
                progress.show(is.as_ref(), was.as_ref());
            } else {
                let seen = Some(noted.seen);
                let write = self.prepare_stored(Arc::clone(entry), primary, was.as_ref(), seen)?;
                prepared.push(self.foreseeing(write).await?);
            }
        }
        let more = page.more.then(|| page.entries.last().map(|(key, _)| key.to_vec())).flatten();
        let is_last = more.is_none();
        progress.phase = Phase::Applying { last: more };
        if is_last {
            // Nothing is left to be read again.
            progress.phase = Phase::Done;
        }
        let Some(progress) = self.commit_step(job.number, progress, prepared).await? else {
            return Ok(Step::Again);
        };
        if !is_last {
            return Ok(Step::More);
        }
        Ok(Step::Done(progress))
    }
}

impl Progress {
    fn show(&mut self, now: Option<&Bytes>, then: Option<&Bytes>) {
        let size = |image: Option<&Bytes>| image.map_or(0, Bytes::len);
        if self.samples.len() < SAMPLES && size(now) + size(then) <= SAMPLE_BYTES {
            let bytes = |image: Option<&Bytes>| image.map(|bytes| bytes.to_vec());
            self.samples.push(Sample { now: bytes(now), then: bytes(then) });
        }
    }
}

/// What is noted of an item: `digest when it was seen u128 | 00`, or `01 | item` if it was there.
struct Noted<'a> {
    seen: u128,
    was: Option<&'a [u8]>,
}

impl<'a> Noted<'a> {
    fn write(&self) -> Bytes {
        let mut out = self.seen.to_be_bytes().to_vec();
        out.push(u8::from(self.was.is_some()));
        out.extend_from_slice(self.was.unwrap_or_default());
        out.into()
    }

    fn read(bytes: &'a [u8]) -> Option<Noted<'a>> {
        let (seen, rest) = bytes.split_first_chunk()?;
        let (there, image) = rest.split_first()?;
        Some(Noted { seen: u128::from_be_bytes(*seen), was: (*there == 1).then_some(image) })
    }
}

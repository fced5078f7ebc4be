//! Checks the journals before fjall reads them.
//!
//! fjall drops everything from the first batch it cannot read. That is right for the last batch of all,
//! which a crash may have torn, and loses acknowledged commits anywhere else. Each batch names the version
//! before its own, so that a batch or a whole journal that is missing shows too.

use super::batch::{Batch, Batches, NoBatch};
use crate::{Planted, StoreError, Version};
use std::{
    fs::{File, OpenOptions},
    io::{self, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};

/// What a crash may have done to the end of the journals.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Tail {
    /// Nothing: the store ended cleanly.
    Whole,
    /// The last batch, which was never acknowledged, may be torn.
    Torn,
    /// Commits were acknowledged before they were synced: any number of batches may be torn.
    Unsynced,
}

/// What the journals hold.
#[derive(Debug)]
pub(super) struct Journals {
    pub first: Option<Batch>,
    pub last: Option<Batch>,
    /// The journal that takes the next commit.
    pub newest: PathBuf,
    /// Each journal, oldest first, and where the last batch in it ends.
    pub ends: Vec<(PathBuf, u64)>,
    /// For each batch its sequence number and its last version.
    pub batches: Vec<(u64, Version)>,
    /// What a crash left of an unacknowledged batch.
    pub torn: Option<Torn>,
}

/// The incomplete end of a journal.
#[derive(Debug)]
pub(super) struct Torn {
    pub path: PathBuf,
    pub offset: u64,
    pub why: &'static str,
}

/// Checks all journals in `store` and cuts off what a crash left of an unacknowledged batch.
pub(super) fn check(store: &Path, tail: Tail) -> Result<Journals, StoreError> {
    let journals = inspect(store, tail)?;
    if let Some(Torn { path, offset, why }) = &journals.torn {
        let cut = || {
            let file = OpenOptions::new().write(true).open(path)?;
            file.set_len(*offset)?;
            file.sync_all()
        };
        cut().map_err(|error| StoreError::io(path, error))?;
        tracing::warn!(
            journal = %path.display(),
            offset,
            reason = why,
            unsynced = tail == Tail::Unsynced,
            "cut off the end of the journal, which a crash left incomplete"
        );
    }
    Ok(journals)
}

/// Checks all journals in `store` and changes nothing.
pub(super) fn inspect(store: &Path, tail: Tail) -> Result<Journals, StoreError> {
    let paths = list(store)?;
    let Some(newest) = paths.last() else {
        return Err(StoreError::damaged(
            store.join("0.jnl"),
            "there is no journal; at least one must exist",
        ));
    };
    let mut journals = Journals {
        first: None,
        last: None,
        newest: newest.clone(),
        ends: Vec::with_capacity(paths.len()),
        batches: Vec::new(),
        torn: None,
    };
    let mut torn: Option<(&PathBuf, Stop)> = None;
    for path in &paths {
        match &torn {
            None => torn = journals.read(path)?.map(|stop| (path, stop)),
            // After a failed write fjall may begin another journal, but nothing gets into it.
            Some((earlier, stop)) if !is_zero_file(path)? => {
                return Err(
                    stop.damage(earlier, &format!("but the journal {} follows it", path.display()))
                );
            }
            Some(_) => {}
        }
    }
    if let Some((path, stop)) = torn {
        journals.end(path, tail, &stop)?;
        journals.torn = Some(Torn { path: path.clone(), offset: stop.offset, why: stop.why });
    }
    sync(&paths)?;
    Ok(journals)
}

/// Makes the journals durable. A process that was killed may have left a batch that it had not synced yet:
/// from here on it counts as committed and is shown, so a power loss must not take it any more.
fn sync(paths: &[PathBuf]) -> Result<(), StoreError> {
    if Planted::SkipRecoverySync.is_on() {
        return Ok(());
    }
    for path in paths {
        File::open(path)
            .and_then(|journal| journal.sync_all())
            .map_err(|error| StoreError::io(path, error))?;
    }
    Ok(())
}

/// The journals, oldest first.
fn list(store: &Path) -> Result<Vec<PathBuf>, StoreError> {
    let mut paths: Vec<(u64, PathBuf)> = Vec::new();
    let unreadable = |error| StoreError::io(store, error);
    for entry in std::fs::read_dir(store).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if !path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("jnl")) {
            continue;
        }
        let id =
            path.file_name().and_then(|name| name.to_str()?.strip_suffix(".jnl")?.parse().ok());
        match id {
            Some(id) if path.is_file() => paths.push((id, path)),
            _ => {
                return Err(StoreError::damaged(
                    path,
                    "it is not a journal; move it out of this directory",
                ));
            }
        }
    }
    paths.sort_unstable();
    Ok(paths.into_iter().map(|(_, path)| path).collect())
}

/// The place in a journal where there is no batch, though the rest is not empty.
struct Stop {
    offset: u64,
    why: &'static str,
}

impl Stop {
    fn damage(&self, path: &Path, further: &str) -> StoreError {
        let Self { offset, why } = self;
        StoreError::damaged(
            path,
            format!("the batch at byte {offset} cannot be read ({why}), {further}"),
        )
    }
}

impl Journals {
    /// Reads a journal up to its end, or to where the batches stop.
    fn read(&mut self, path: &Path) -> Result<Option<Stop>, StoreError> {
        let unreadable = |error| StoreError::io(path, error);
        let file = File::open(path).map_err(unreadable)?;
        let mut batches = Batches::new(file, 0).map_err(unreadable)?;
        loop {
            let offset = batches.position();
            if batches.at_end() {
                self.ends.push((path.to_owned(), offset));
                return Ok(None);
            }
            let why = match batches.read() {
                Ok(batch) => {
                    self.follow(path, offset, batch)?;
                    continue;
                }
                Err(NoBatch::Invalid(why)) => why,
                Err(NoBatch::Io(error)) => return Err(unreadable(error)),
            };
            self.ends.push((path.to_owned(), offset));
            // Journals are made larger than they are, filled with zeros.
            let empty = is_zero_from(path, offset).map_err(unreadable)?;
            return Ok((!empty).then_some(Stop { offset, why }));
        }
    }

    /// Sequence numbers are not part of a batch's checksum, but fjall goes by them.
    fn is_in_order(&self, batch: &Batch) -> bool {
        batch.seqno < LARGEST_SEQNO && self.last.is_none_or(|last| batch.seqno > last.seqno)
    }

    fn follow(&mut self, path: &Path, offset: u64, batch: Batch) -> Result<(), StoreError> {
        if !self.is_in_order(&batch) {
            return Err(StoreError::damaged(
                path,
                format!(
                    "the batch at byte {offset} has the sequence number {}, the one before it {}: \
                     one of them is wrong",
                    batch.seqno,
                    self.last.map_or(0, |last| last.seqno)
                ),
            ));
        }
        if let Some(last) = &self.last
            && last.versions.last != batch.versions.previous
        {
            return Err(StoreError::damaged(
                path,
                format!(
                    "the batch at byte {offset} follows commit {}, but the batch before it ends with commit {}: \
                     what lay between is missing, perhaps with a whole journal",
                    batch.versions.previous, last.versions.last
                ),
            ));
        }
        self.first.get_or_insert(batch);
        self.batches.push((batch.seqno, batch.versions.last));
        self.last = Some(batch);
        Ok(())
    }

    /// Decides whether what comes after the last batch is a torn write.
    fn end(&self, path: &Path, tail: Tail, stop: &Stop) -> Result<(), StoreError> {
        match tail {
            Tail::Whole => return Err(stop.damage(path, "though the store ended cleanly")),
            Tail::Torn => match self.batch_after(path, stop.offset) {
                Ok(Search::Nothing) => {}
                Ok(Search::Batch(at)) => {
                    return Err(stop.damage(
                        path,
                        &format!(
                            "but a complete batch follows at byte {at}: it is damage, not a torn write"
                        ),
                    ));
                }
                Ok(Search::GaveUp) => {
                    return Err(stop.damage(
                        path,
                        "and what follows looks too much like batches to be sure that it is a torn write",
                    ));
                }
                Err(error) => return Err(StoreError::io(path, error)),
            },
            Tail::Unsynced => {}
        }
        Ok(())
    }

    /// Looks for a complete batch behind the broken one at `offset`.
    fn batch_after(&self, path: &Path, offset: u64) -> io::Result<Search> {
        let mut file = File::open(path)?;
        let length = file.metadata()?.len();
        let mut batches = Batches::new(File::open(path)?, offset)?;
        // Values may look like batches. Reading each of them to its end must not take for ever.
        let mut budget = 4 * length.saturating_sub(offset) + (64 << 20);
        let mut window = vec![0; WINDOW + HEADER];
        let mut start = offset + 1;
        while start < length {
            file.seek(SeekFrom::Start(start))?;
            let filled = fill(&mut file, &mut window)?;
            let Some(found) = window.get(..filled).filter(|found| !is_zero(found)) else {
                start += WINDOW as u64;
                continue;
            };
            for (at, header) in found.windows(HEADER).enumerate().take(WINDOW) {
                if !may_start_batch(header) {
                    continue;
                }
                let at = start + at as u64;
                batches.seek(at)?;
                match batches.read() {
                    Ok(batch) if self.may_follow(&batch) => return Ok(Search::Batch(at)),
                    Ok(_) | Err(NoBatch::Invalid(_)) => {}
                    Err(NoBatch::Io(error)) => return Err(error),
                }
                let read = batches.position().saturating_sub(at);
                match budget.checked_sub(read) {
                    Some(left) => budget = left,
                    None => return Ok(Search::GaveUp),
                }
            }
            start += WINDOW as u64;
        }
        Ok(Search::Nothing)
    }

    /// The broken batch holds at least one commit, which lies between the last one read and this one.
    fn may_follow(&self, batch: &Batch) -> bool {
        let last = self.last.map_or(Version(0), |last| last.versions.last);
        batch.versions.previous > last
    }
}

/// fjall counts batches, flushes and compactions. No store does so many of them.
const LARGEST_SEQNO: u64 = 1 << 48;

fn may_start_batch(header: &[u8]) -> bool {
    let Some((&[1, ..], rest)) = header.split_first_chunk::<5>() else {
        return false;
    };
    let Some((seqno, [2 | 4])) = rest.split_first_chunk::<8>() else {
        return false;
    };
    u64::from_le_bytes(*seqno) < LARGEST_SEQNO
}

enum Search {
    Nothing,
    Batch(u64),
    GaveUp,
}

/// How much is searched at a time, and the bytes by which a batch is recognised.
const WINDOW: usize = 1 << 20;
const HEADER: usize = 14;

static ZEROS: [u8; 1 << 16] = [0; 1 << 16];

fn is_zero(bytes: &[u8]) -> bool {
    bytes.chunks(ZEROS.len()).all(|chunk| ZEROS.get(..chunk.len()) == Some(chunk))
}

fn is_zero_file(path: &Path) -> Result<bool, StoreError> {
    is_zero_from(path, 0).map_err(|error| StoreError::io(path, error))
}

fn is_zero_from(path: &Path, offset: u64) -> io::Result<bool> {
    let mut file = File::open(path)?;
    // No shortcut over holes: file systems have been wrong about where they are.
    file.seek(SeekFrom::Start(offset))?;
    let mut window = vec![0; WINDOW];
    loop {
        let filled = fill(&mut file, &mut window)?;
        match window.get(..filled) {
            None | Some([]) => return Ok(true),
            Some(found) if !is_zero(found) => return Ok(false),
            Some(_) => {}
        }
    }
}

/// Reads as much as there is, up to the size of `window`.
fn fill(file: &mut File, window: &mut [u8]) -> io::Result<usize> {
    let mut rest = window;
    let mut filled = 0;
    while !rest.is_empty() {
        match file.read(rest) {
            Ok(0) => break,
            Ok(read) => {
                filled += read;
                rest = rest.split_at_mut(read).1;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

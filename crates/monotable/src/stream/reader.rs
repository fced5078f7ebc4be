//! Reads a stream as one sequence: parents before children, and the records of shards that go on
//! side by side in the order of their times, as far as what has been read allows. The records of
//! an item are always in order.

mod shard;

#[cfg(test)]
mod tests;

use super::{
    record::Record,
    source::{Description, Place, Source, TailError},
};
use crate::{client::CallError, output};
use shard::Shard;
use std::{
    collections::{BTreeMap, HashSet},
    time::{Duration, SystemTime},
};

/// How long to wait before shards are asked again that had nothing.
const IDLE: Duration = Duration::from_millis(250);
/// How long to wait after small pages, so that what is written meanwhile comes in one.
const BRISK: Duration = Duration::from_millis(50);
/// A page of so many records may well have others behind it.
const LARGE_PAGE: usize = 100;

/// What to do after a round.
#[derive(Debug, PartialEq)]
pub(super) enum Next {
    /// Wait, which may be for no time, and make another round.
    Again(Duration),
    /// All that was there has been read, and no more was asked for.
    Complete,
    /// The stream is disabled, and all of it has been read.
    Disabled,
}

/// A stream that is being read.
#[derive(Debug)]
pub(super) struct Reader<S> {
    source: S,
    start: Place,
    /// Whether to stop at the end of what is there.
    once: bool,
    began: SystemTime,
    shards: BTreeMap<String, Shard>,
    /// Whether the list of shards must be asked for before anything else.
    stale: bool,
    disabled: bool,
}

impl<S: Source> Reader<S> {
    /// Begins with a stream as it has just been described.
    pub(super) fn new(source: S, described: &Description, start: Place, once: bool) -> Reader<S> {
        let began = SystemTime::now();
        let shards = BTreeMap::new();
        let mut reader =
            Reader { source, start, once, began, shards, stale: false, disabled: false };
        reader.take_in(described);
        // What is opened later is read from its start.
        reader.start = Place::Horizon;
        reader
    }

    /// Asks all shards that can be asked, and gives the records whose turn it is.
    pub(super) fn round(&mut self) -> Result<(Vec<Record>, Next), TailError> {
        if self.stale {
            let described = self.source.describe()?;
            self.take_in(&described);
        }
        self.open_shards()?;
        let wait = self.ask_shards()?;
        let records = if self.stale { Vec::new() } else { self.merge() };
        let all_finished = self.shards.values().all(Shard::is_finished);
        let next = match (self.once, self.disabled) {
            _ if self.stale => Next::Again(Duration::ZERO),
            _ if !all_finished => Next::Again(wait),
            (true, _) => Next::Complete,
            (_, true) => Next::Disabled,
            (false, false) => {
                self.stale = true;
                Next::Again(IDLE)
            }
        };
        Ok((records, next))
    }

    fn take_in(&mut self, described: &Description) {
        self.stale = false;
        self.disabled = matches!(described.stream_status.as_str(), "DISABLED" | "DISABLING");
        for listed in &described.shards {
            let shard = self.shards.entry(listed.shard_id.clone());
            shard.or_insert_with(|| Shard::new(listed, self.start.clone())).update(listed);
        }
        let listed: HashSet<&str> =
            described.shards.iter().map(|shard| shard.shard_id.as_str()).collect();
        self.shards.retain(|id, shard| listed.contains(id.as_str()) || !shard.is_finished());
    }

    /// Gets iterators for the shards whose turn has come.
    fn open_shards(&mut self) -> Result<(), TailError> {
        let unfinished = self.shards.values().filter(|shard| !shard.is_finished());
        let first_end = unfinished.filter_map(|shard| shard.ends.clone()).min();
        let has_turn = |shard: &Shard| {
            let parent = shard.parent.as_ref().and_then(|parent| self.shards.get(parent));
            // A shard names one parent, but where shards have become fewer it goes on with the
            // items of several: so it waits for all that end where it begins, or before.
            parent.is_none_or(Shard::is_finished)
                && !first_end.as_ref().is_some_and(|end| shard.starts_behind(end))
        };
        let waiting = self.shards.iter().filter(|(_, shard)| shard.is_waiting());
        let ready = waiting.filter(|(_, shard)| has_turn(shard));
        let ready: Vec<String> = ready.map(|(id, _)| id.clone()).collect();
        for id in ready {
            if let Some(shard) = self.shards.get_mut(&id) {
                position(&mut self.source, &id, shard, self.began)?;
            }
        }
        Ok(())
    }

    /// Gets a page of every shard that has nothing left; says how long the next may wait.
    fn ask_shards(&mut self) -> Result<Duration, TailError> {
        let mut wait = IDLE;
        let wanted = self.shards.iter().filter_map(|(id, shard)| Some((id, shard.wanted()?)));
        let wanted: Vec<_> = wanted.map(|(id, iterator)| (id.clone(), iterator)).collect();
        for (id, iterator) in wanted {
            let Some(shard) = self.shards.get_mut(&id) else { continue };
            match self.source.page(&iterator) {
                Ok(page) => {
                    let count = page.records.len();
                    wait = wait.min(match count {
                        0 => IDLE,
                        1..LARGE_PAGE => BRISK,
                        _ => Duration::ZERO,
                    });
                    if shard.take_in(page) {
                        wait = Duration::ZERO;
                        self.look_for_children(&id);
                    } else if self.once && count == 0 {
                        shard.end();
                    }
                }
                Err(TailError::Call(error)) if is_about_the_place(&error) => {
                    position(&mut self.source, &id, shard, self.began)?;
                    wait = Duration::ZERO;
                    self.look_for_children(&id);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(wait)
    }

    /// If the shard is finished, those that follow it must be known before anything else is shown.
    fn look_for_children(&mut self, id: &str) {
        let Some(shard) = self.shards.get(id).filter(|shard| shard.is_finished()) else { return };
        let mut parents = self.shards.values().filter_map(|shard| shard.parent.as_deref());
        // The list is from before the shard was closed, or ends with it.
        self.stale |= shard.ends.is_none() || !parents.any(|parent| parent == id);
    }

    /// Takes records as long as it is known which one is the oldest.
    fn merge(&mut self) -> Vec<Record> {
        let mut records = Vec::new();
        let mut active: Vec<_> =
            self.shards.iter_mut().filter(|(_, shard)| !shard.is_finished()).collect();
        let finished = loop {
            if active.iter().any(|(_, shard)| shard.is_unknown()) {
                break None;
            }
            let heads = active.iter_mut().filter(|(_, shard)| shard.head().is_some());
            let oldest = heads.min_by(|(_, a), (_, b)| a.head().cmp(&b.head()));
            let Some((id, shard)) = oldest else { break None };
            records.extend(shard.pop());
            if shard.is_finished() {
                break Some((*id).clone());
            }
        };
        if let Some(id) = finished {
            self.look_for_children(&id);
        }
        records
    }
}

/// Whether another iterator is needed, or the shard is not there any more.
fn is_about_the_place(error: &CallError) -> bool {
    ["ExpiredIteratorException", "TrimmedDataAccessException", "ResourceNotFoundException"]
        .iter()
        .any(|name| error.is(name))
}

/// Gets an iterator for where the shard has been read to.
fn position(
    source: &mut impl Source,
    id: &str,
    shard: &mut Shard,
    began: SystemTime,
) -> Result<(), TailError> {
    loop {
        match source.iterator(id, &shard.place) {
            Ok(iterator) => {
                shard.start(iterator);
                if shard.place == Place::Latest {
                    // Should the iterator expire before there is any record.
                    shard.place = Place::At(began);
                }
                return Ok(());
            }
            Err(TailError::Call(error)) if error.is("TrimmedDataAccessException") => {
                output::note(
                    "some records were removed, being 24 hours old, before they were read",
                );
                shard.place = Place::Horizon;
            }
            Err(TailError::Call(error)) if error.is("ResourceNotFoundException") => {
                shard.end();
                return Ok(());
            }
            Err(error) => return Err(error),
        }
    }
}

//! A shard while it is being read.

use crate::stream::{
    record::{Record, SequenceNumber},
    source::{Page, Place, ShardDescription},
};
use std::collections::VecDeque;

#[derive(Debug)]
enum State {
    /// Others come before it.
    Waiting,
    /// `quiet`: there was nothing the last time it was asked.
    Reading { iterator: String, quiet: bool },
    /// There is nothing more to ask for.
    Over,
}

/// A shard, how far it has been read, and its records that have not had their turn.
#[derive(Debug)]
pub(super) struct Shard {
    pub(super) parent: Option<String>,
    starts: Option<SequenceNumber>,
    pub(super) ends: Option<SequenceNumber>,
    /// Where to read on if there is no iterator.
    pub(super) place: Place,
    state: State,
    records: VecDeque<Record>,
}

impl Shard {
    pub(super) fn new(listed: &ShardDescription, place: Place) -> Shard {
        let range = listed.sequence_number_range.clone();
        // Nothing comes behind the end of a closed shard.
        let is_over = place == Place::Latest && range.ending_sequence_number.is_some();
        Shard {
            parent: listed.parent_shard_id.clone(),
            starts: range.starting_sequence_number,
            ends: range.ending_sequence_number,
            place,
            state: if is_over { State::Over } else { State::Waiting },
            records: VecDeque::new(),
        }
    }

    pub(super) fn update(&mut self, listed: &ShardDescription) {
        self.ends.clone_from(&listed.sequence_number_range.ending_sequence_number);
    }

    pub(super) fn is_waiting(&self) -> bool {
        matches!(self.state, State::Waiting)
    }

    /// Whether it begins behind this place.
    pub(super) fn starts_behind(&self, end: &SequenceNumber) -> bool {
        self.starts.as_ref().is_some_and(|start| start >= end)
    }

    /// Whether all of it has been read and shown.
    pub(super) fn is_finished(&self) -> bool {
        matches!(self.state, State::Over) && self.records.is_empty()
    }

    /// The iterator to ask with, if it has a turn and nothing is left from the last time.
    pub(super) fn wanted(&self) -> Option<String> {
        match &self.state {
            State::Reading { iterator, .. } if self.records.is_empty() => Some(iterator.clone()),
            _ => None,
        }
    }

    /// Whether it may hold records that are older than those of others.
    pub(super) fn is_unknown(&self) -> bool {
        matches!(self.state, State::Reading { quiet: false, .. }) && self.records.is_empty()
    }

    pub(super) fn start(&mut self, iterator: String) {
        self.state = State::Reading { iterator, quiet: false };
    }

    pub(super) fn end(&mut self) {
        self.state = State::Over;
    }

    /// Takes a page in; says whether it was the last of a closed shard.
    pub(super) fn take_in(&mut self, page: Page) -> bool {
        if let Some(last) = page.records.last() {
            self.place = Place::After(last.sequence_number.clone());
        }
        let quiet = page.records.is_empty();
        self.records.extend(page.records);
        match page.next_shard_iterator {
            Some(iterator) => self.state = State::Reading { iterator, quiet },
            None => self.end(),
        }
        matches!(self.state, State::Over)
    }

    /// Where its first record belongs among those of other shards.
    pub(super) fn head(&self) -> Option<(u64, &SequenceNumber)> {
        self.records.front().map(|record| (record.seconds, &record.sequence_number))
    }

    pub(super) fn pop(&mut self) -> Option<Record> {
        self.records.pop_front()
    }
}

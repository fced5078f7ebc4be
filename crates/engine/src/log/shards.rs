//! Which shards a table has open, and the records that follow from opening and closing them. Pure.

use super::stream::{StreamId, StreamRecord};
use crate::{
    environment::Moment,
    keys::{Key, ShardNumber},
    table::{self, OpenShard, RecordError, Stream, Table},
};
use serde::{Deserialize, Serialize};
use store::{Version, Write};

/// In the place of a stream's number.
pub(super) const NO_STREAM: u32 = 0;

/// What is recorded of a shard when it is opened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ShardRecord {
    /// The stream it belongs to, or zero.
    pub(super) stream: u32,
    pub(super) parent: Option<ShardNumber>,
    /// The version of the commit that opened it.
    pub(super) opened: u64,
}

/// Brings the shards of a changed table in line with who needs its history. A stream that was
/// turned on gets a number, a label and shards of its own.
pub(crate) fn follow(before: Option<&Table>, after: &mut Table, shards: u16, now: Moment) {
    let last = before.and_then(|table| table.stream.as_ref());
    let was_enabled = last.is_some_and(|stream| stream.enabled);
    match &mut after.stream {
        Some(stream) if stream.enabled && was_enabled => {}
        Some(stream) if stream.enabled => {
            stream.number = last.map_or(0, |last| last.number) + 1;
            // Two streams of a table never have the same label.
            let mut moment = now;
            stream.label = moment.label();
            while last.is_some_and(|last| last.label >= stream.label) {
                moment = Moment(moment.0 + 1);
                stream.label = moment.label();
            }
        }
        _ => {}
    }
    // A stream begins and ends with shards of its own, so that they hold nothing else.
    let log = log_of(after);
    if before.and_then(log_of) != log {
        after.shards.clear();
    }
    if log.is_some() && after.shards.is_empty() {
        after.shards = open(&mut after.next_shard, shards, now, &[]);
    }
}

/// Whose changes a table's shards hold: a stream's number, or zero if the log is there for
/// recovery alone; none if nobody needs the table's history.
fn log_of(table: &Table) -> Option<u32> {
    match table.enabled_stream() {
        Some(stream) => Some(stream.number),
        None => table.recovery.map(|_| NO_STREAM),
    }
}

/// Closes all shards and opens others that go on where those end.
pub(super) fn roll(table: &mut Table, shards: u16, now: Moment) {
    table.shards = open(&mut table.next_shard, shards, now, &table.shards);
}

/// Shards that cover all hashes between them. A shard has one parent at most, which takes all its
/// hashes, so that no item's changes are read out of order; so there are never fewer than parents.
fn open(next: &mut ShardNumber, count: u16, now: Moment, parents: &[OpenShard]) -> Vec<OpenShard> {
    let ranges: Vec<(u16, u16, Option<ShardNumber>)> = match parents {
        [] => vec![(0, u16::MAX, None)],
        parents => parents.iter().map(|p| (p.first, p.last, Some(p.number))).collect(),
    };
    let mut shards = Vec::new();
    let mut left = usize::from(count).max(ranges.len());
    for (at, (first, last, parent)) in ranges.iter().copied().enumerate() {
        let width = u32::from(last) - u32::from(first) + 1;
        let pieces = u32::try_from(left.div_ceil(ranges.len() - at)).unwrap_or(1).clamp(1, width);
        left = left.saturating_sub(usize::try_from(pieces).unwrap_or(left));
        // All bounds are within the range of the parent, which is within 16 bits.
        let bound = |piece: u32| u32::from(first) + piece * width / pieces;
        for piece in 0..pieces {
            shards.push(OpenShard {
                number: *next,
                first: u16::try_from(bound(piece)).unwrap_or(u16::MAX),
                last: u16::try_from(bound(piece + 1) - 1).unwrap_or(u16::MAX),
                parent,
                opened: now,
            });
            *next += 1;
        }
    }
    shards
}

/// The records that follow when a table changes in a commit; `after` is none once it is deleted.
pub(crate) fn record_writes(
    before: Option<&Table>,
    after: Option<&Table>,
    version: Version,
    now: Moment,
) -> Result<Vec<Write>, RecordError> {
    let shards = |table: Option<&Table>| table.map(|t| t.shards.clone()).unwrap_or_default();
    let (old, new) = (shards(before), shards(after));
    let mut writes = Vec::new();
    if let Some(table) = before {
        for shard in old.iter().filter(|shard| !new.contains(shard)) {
            let key = Key::ShardEnd { table: table.number, shard: shard.number }.encode();
            let value = version.0.to_be_bytes().to_vec().into();
            writes.push(Write::Put { key, value });
        }
        let number = |table: &Table| table.enabled_stream().map(|stream| stream.number);
        if let Some(stream) = table.enabled_stream()
            && after.and_then(number) != Some(stream.number)
        {
            writes.push(StreamRecord::new(table, stream, Some(now)).put(id(table, stream))?);
        }
    }
    if let Some(table) = after {
        for shard in new.iter().filter(|shard| !old.contains(shard)) {
            let stream = log_of(table).unwrap_or(NO_STREAM);
            let record = ShardRecord { stream, parent: shard.parent, opened: version.0 };
            let key = Key::Shard { table: table.number, shard: shard.number }.encode();
            writes.push(Write::Put { key, value: table::write(&record)? });
        }
    }
    if let Some(table) = after
        && let Some(stream) = table.enabled_stream()
    {
        let known = before.and_then(Table::enabled_stream).map(|stream| stream.number);
        // An enabled stream without shards is one from before there was a log.
        if known != Some(stream.number) || old.is_empty() {
            writes.push(StreamRecord::new(table, stream, None).put(id(table, stream))?);
        }
    }
    Ok(writes)
}

fn id(table: &Table, stream: &Stream) -> StreamId {
    StreamId { table: table.number, stream: stream.number }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranges(shards: &[OpenShard]) -> Vec<(u32, u16, u16, Option<u32>)> {
        shards.iter().map(|s| (s.number, s.first, s.last, s.parent)).collect()
    }

    #[test]
    fn shards_cover_every_hash_once_and_have_the_parent_that_had_it() {
        let mut next = 0;
        let one = open(&mut next, 1, Moment(1), &[]);
        assert_eq!(ranges(&one), [(0, 0, u16::MAX, None)]);
        let two = open(&mut next, 2, Moment(2), &one);
        let halves = [(1, 0, 0x7fff, Some(0)), (2, 0x8000, u16::MAX, Some(0))];
        assert_eq!(ranges(&two), halves);
        let three = open(&mut next, 3, Moment(3), &two);
        let parents: Vec<_> = three.iter().map(|shard| shard.parent).collect();
        assert_eq!(parents, [Some(1), Some(1), Some(2)]);
        assert_eq!(three[2].first, 0x8000, "within its parent");
        let fewer = open(&mut next, 1, Moment(4), &three);
        let same: Vec<_> = fewer.iter().map(|shard| (shard.first, shard.parent)).collect();
        assert_eq!(same, [(0, Some(3)), (0x4000, Some(4)), (0x8000, Some(5))]);
        for count in [1, 2, 3, 7, 16, 1000] {
            let shards = open(&mut next, count, Moment(5), &three);
            assert_eq!(shards.len(), usize::from(count.max(3)));
            for shard in &shards {
                let parent = three.iter().find(|parent| Some(parent.number) == shard.parent);
                let parent = parent.unwrap();
                assert!(parent.first <= shard.first && shard.last <= parent.last);
            }
            assert_eq!(shards[0].first, 0);
            assert_eq!(shards.last().unwrap().last, u16::MAX);
            for pair in shards.windows(2) {
                assert_eq!(pair[0].last + 1, pair[1].first);
            }
        }
    }
}

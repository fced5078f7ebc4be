//! Shard iterators: a place in a shard, as a text that clients hand back. It holds all that is
//! needed, so that it works after a restart, and a checksum, so that nobody takes it for more
//! than it is.

use crate::error::{ApiError, ErrorKind};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use engine::{
    environment::Moment,
    log::{Position, StreamId, Version},
};
use std::time::Duration;
use xxhash_rust::xxh3::xxh3_64;

/// How long an iterator can be used.
const LIFE: Duration = Duration::from_secs(15 * 60);
const BYTES: usize = 31;

/// What an iterator begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Start {
    /// A record, which must still be there.
    Record,
    /// Whatever is there from this place on.
    Place,
}

/// A place in a shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Iterator {
    pub(crate) stream: StreamId,
    pub(crate) shard: u32,
    pub(crate) position: Position,
    pub(crate) start: Start,
    pub(crate) made: Moment,
}

impl Iterator {
    /// The text for clients.
    pub(crate) fn text(&self, arn: &str) -> String {
        let mut bytes = Vec::with_capacity(BYTES + 8);
        bytes.extend_from_slice(&self.stream.table.to_be_bytes());
        bytes.extend_from_slice(&self.stream.stream.to_be_bytes());
        bytes.extend_from_slice(&self.shard.to_be_bytes());
        bytes.extend_from_slice(&self.position.version.0.to_be_bytes());
        bytes.extend_from_slice(&self.position.ordinal.to_be_bytes());
        bytes.extend_from_slice(&self.made.0.to_be_bytes());
        bytes.push(match self.start {
            Start::Record => 0,
            Start::Place => 1,
        });
        let checksum = xxh3_64(&bytes);
        bytes.extend_from_slice(&checksum.to_be_bytes());
        format!("{arn}|1|{}", BASE64_STANDARD.encode(bytes))
    }

    /// Reads a text that a client hands back. Gives the ARN of its stream as well.
    pub(crate) fn parse(text: &str, now: Moment) -> Result<(&str, Iterator), ApiError> {
        let (arn, iterator) =
            read(text).ok_or_else(|| ApiError::validation("Invalid ShardIterator"))?;
        if iterator.made.after(LIFE) < now {
            return Err(ApiError::new(
                ErrorKind::ExpiredIterator,
                "The shard iterator has expired: it can be used for 15 minutes",
            ));
        }
        Ok((arn, iterator))
    }
}

fn read(text: &str) -> Option<(&str, Iterator)> {
    let (arn, encoded) = text.rsplit_once("|1|")?;
    let bytes = BASE64_STANDARD.decode(encoded).ok()?;
    let (bytes, checksum) = bytes.split_last_chunk()?;
    if xxh3_64(bytes) != u64::from_be_bytes(*checksum) || bytes.len() != BYTES {
        return None;
    }
    let (table, rest) = bytes.split_first_chunk()?;
    let (stream, rest) = rest.split_first_chunk()?;
    let (shard, rest) = rest.split_first_chunk()?;
    let (version, rest) = rest.split_first_chunk()?;
    let (ordinal, rest) = rest.split_first_chunk()?;
    let (made, start) = rest.split_first_chunk()?;
    let iterator = Iterator {
        stream: StreamId { table: u32::from_be_bytes(*table), stream: u32::from_be_bytes(*stream) },
        shard: u32::from_be_bytes(*shard),
        position: Position {
            version: Version(u64::from_be_bytes(*version)),
            ordinal: u16::from_be_bytes(*ordinal),
        },
        made: Moment(i64::from_be_bytes(*made)),
        start: match start {
            [0] => Start::Record,
            [1] => Start::Place,
            _ => return None,
        },
    };
    Some((arn, iterator))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn iterator(start: Start) -> Iterator {
        Iterator {
            stream: StreamId { table: 1, stream: 2 },
            shard: 3,
            position: Position { version: Version(1 << 60), ordinal: 5 },
            start,
            made: Moment(1_000_000),
        }
    }

    #[test]
    fn a_text_is_read_as_it_was_written() {
        for start in [Start::Record, Start::Place] {
            let text = iterator(start).text("arn:aws:dynamodb:r:1:table/t/stream/l");
            let read = Iterator::parse(&text, Moment(1_000_000)).unwrap();
            assert_eq!(read, ("arn:aws:dynamodb:r:1:table/t/stream/l", iterator(start)));
            assert!(Iterator::parse(&text, Moment(1_000_000 + 15 * 60 * 1000)).is_ok());
            let late = Iterator::parse(&text, Moment(1_000_001 + 15 * 60 * 1000)).unwrap_err();
            assert_eq!(late.kind, ErrorKind::ExpiredIterator);
        }
    }

    #[test]
    fn other_texts_are_refused() {
        let good = iterator(Start::Place).text("arn");
        for text in ["", "x", "a|1|", "a|1|!!", "arn|1|AAAA", &good.replacen("|1|A", "|1|B", 1)] {
            let error = Iterator::parse(text, Moment(0)).unwrap_err();
            assert_eq!(error.kind, ErrorKind::Validation, "{text}");
        }
    }
}

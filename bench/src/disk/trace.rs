//! What a server did to its files, call by call.

use std::{io, ops::Range, path::Path};

const HEADER: usize = 32;

/// One call that had success.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Record {
    /// A file or directory that was there got an inode number.
    Opened { inode: u64, path: String },
    /// A file was made.
    Created { inode: u64, path: String },
    /// Bytes of the trace were written to a file.
    Written { inode: u64, offset: u64, data: Range<usize> },
    /// A file got a length.
    Truncated { inode: u64, length: u64 },
    /// A sync of a file or directory has begun.
    SyncBegun { inode: u64 },
    /// A sync has ended. What was done before it began is durable.
    Synced { inode: u64, begun: bool },
    /// A file or directory was renamed.
    Renamed { from: String, to: String },
    /// A file was removed.
    Unlinked { path: String },
    /// A directory was made.
    Made { inode: u64, path: String },
    /// A directory was removed.
    Removed { path: String },
    /// A file got another name.
    Linked { from: String, to: String },
    /// A call that the layer cannot trace.
    Unknown { call: String },
}

/// A whole trace.
pub struct Trace {
    /// The file.
    pub bytes: Vec<u8>,
    /// Its records, each with the place where it ends.
    pub records: Vec<(Record, u64)>,
}

impl Trace {
    /// The trace of a server that did nothing.
    pub fn empty() -> Trace {
        Trace { bytes: Vec::new(), records: Vec::new() }
    }

    /// Reads a trace. The last record of a server that was killed may be incomplete.
    pub fn read(path: &Path) -> io::Result<Trace> {
        let bytes = std::fs::read(path)?;
        let mut records = Vec::new();
        let mut at = 0;
        while let Some((record, end)) = record(&bytes, at) {
            records.push((record, end as u64));
            at = end;
        }
        Ok(Trace { bytes, records })
    }

    /// How many records there were when the trace had this length.
    pub fn records_by(&self, length: u64) -> usize {
        self.records.partition_point(|(_, end)| *end <= length)
    }

    /// The length of the trace after so many records.
    pub fn length_after(&self, records: usize) -> u64 {
        let last = records.checked_sub(1).and_then(|last| self.records.get(last));
        last.map_or(0, |(_, end)| *end)
    }
}

fn record(bytes: &[u8], at: usize) -> Option<(Record, usize)> {
    let header = bytes.get(at..at + HEADER)?;
    let small =
        |at: usize| Some(u32::from_le_bytes(*header.get(at..)?.first_chunk::<4>()?) as usize);
    let large = |at: usize| Some(u64::from_le_bytes(*header.get(at..)?.first_chunk::<8>()?));
    let (kind, first, second) = (small(0)?, small(4)?, small(8)?);
    let (a, b) = (large(16)?, large(24)?);
    let data = at + HEADER..at + HEADER + first;
    let end = data.end + second;
    bytes.get(..end)?;
    let text = |range: Range<usize>| String::from_utf8(bytes.get(range)?.to_vec()).ok();
    let (from, to) = (data.clone(), data.end..end);
    let record = match kind {
        1 => Record::Opened { inode: a, path: text(from)? },
        2 => Record::Created { inode: a, path: text(from)? },
        3 => Record::Written { inode: a, offset: b, data },
        4 => Record::Truncated { inode: a, length: b },
        5 if b == 1 => Record::SyncBegun { inode: a },
        5 => Record::Synced { inode: a, begun: b == 2 },
        6 => Record::Renamed { from: text(from)?, to: text(to)? },
        7 => Record::Unlinked { path: text(from)? },
        8 => Record::Made { inode: a, path: text(from)? },
        9 => Record::Removed { path: text(from)? },
        10 => Record::Linked { from: text(from)?, to: text(to)? },
        11 => Record::Unknown { call: text(from)? },
        _ => return None,
    };
    Some((record, end))
}

//! Batches of a fjall 3 journal file, read and checked without loading them.
//!
//! All integers are little-endian. A batch is:
//! `1 | items u32 | seqno u64`, then its items, then `3 | xxh3-64 of the items u64 | "FJL" 3`.
//! An item is `2 | kind u8 | compression u8 | keyspace u64 | key length u16 | value length u32 |
//! stored length u32 | key | value`, or `4 | keyspace u64` for a cleared keyspace.

use super::{DATA_KEYSPACE, VERSION_KEY, VersionRecord};
use std::{
    fs::File,
    hash::Hasher,
    io::{self, BufReader, ErrorKind, Read, Seek, SeekFrom, Write},
};
use xxhash_rust::xxh3::Xxh3;

const START: u8 = 1;
const ITEM: u8 = 2;
const END: u8 = 3;
const CLEAR: u8 = 4;
const TRAILER: [u8; 4] = *b"FJL\x03";

/// A complete batch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Batch {
    pub seqno: u64,
    pub versions: VersionRecord,
}

/// Why there is no batch at some place.
#[derive(Debug)]
pub(super) enum NoBatch {
    /// The bytes there are not one.
    Invalid(&'static str),
    /// They cannot be read.
    Io(io::Error),
}

impl From<io::Error> for NoBatch {
    fn from(error: io::Error) -> Self {
        if error.kind() == ErrorKind::UnexpectedEof {
            Self::Invalid("the file ends inside it")
        } else {
            Self::Io(error)
        }
    }
}

/// Reads batches one after the other from some place in a journal on.
pub(super) struct Batches {
    file: BufReader<File>,
    position: u64,
    length: u64,
}

impl Batches {
    pub fn new(file: File, position: u64) -> io::Result<Self> {
        let length = file.metadata()?.len();
        let mut batches =
            Self { file: BufReader::with_capacity(1 << 16, file), position: 0, length };
        batches.seek(position)?;
        Ok(batches)
    }

    /// Where the next byte is read.
    pub fn position(&self) -> u64 {
        self.position
    }

    pub fn at_end(&self) -> bool {
        self.position >= self.length
    }

    pub fn seek(&mut self, position: u64) -> io::Result<()> {
        self.position = position;
        self.file.seek(SeekFrom::Start(position)).map(|_| ())
    }

    /// Reads the batch that starts here.
    pub fn read(&mut self) -> Result<Batch, NoBatch> {
        if self.byte()? != START {
            return Err(NoBatch::Invalid("it does not start with the start tag"));
        }
        let items = u32::from_le_bytes(self.bytes()?);
        let seqno = u64::from_le_bytes(self.bytes()?);
        let mut hasher = Xxh3::new();
        let mut versions = None;
        for _ in 0..items {
            versions = self.item(&mut hasher)?.or(versions);
        }
        if self.byte()? != END {
            return Err(NoBatch::Invalid("it has no end tag where it should end"));
        }
        let checksum = u64::from_le_bytes(self.bytes()?);
        if self.bytes()? != TRAILER {
            return Err(NoBatch::Invalid("it does not end with the trailer"));
        }
        if checksum != hasher.finish() {
            return Err(NoBatch::Invalid("its checksum is wrong"));
        }
        match versions {
            Some(versions) => Ok(Batch { seqno, versions }),
            None => Err(NoBatch::Invalid("it does not say which commits it holds")),
        }
    }

    fn item(&mut self, hasher: &mut Xxh3) -> Result<Option<VersionRecord>, NoBatch> {
        let tag = self.byte()?;
        hasher.update(&[tag]);
        match tag {
            ITEM => {}
            CLEAR => {
                hasher.update(&self.bytes::<8>()?);
                return Ok(None);
            }
            _ => return Err(NoBatch::Invalid("it has a tag that does not exist")),
        }
        let kind: [u8; 2] = self.bytes()?;
        let keyspace: [u8; 8] = self.bytes()?;
        let key_length: [u8; 2] = self.bytes()?;
        let value_length: [u8; 4] = self.bytes()?;
        let stored_length: [u8; 4] = self.bytes()?;
        for part in [kind.as_slice(), &keyspace, &key_length, &value_length, &stored_length] {
            hasher.update(part);
        }
        let key_length = u64::from(u16::from_le_bytes(key_length));
        let stored_length = u64::from(u32::from_le_bytes(stored_length));
        if self.position + key_length + stored_length > self.length {
            return Err(NoBatch::Invalid("the file ends inside it"));
        }
        let is_version = u64::from_le_bytes(keyspace) == DATA_KEYSPACE
            && key_length == VERSION_KEY.len() as u64
            && stored_length == VersionRecord::BYTES as u64;
        if !is_version {
            self.skip(key_length + stored_length, hasher)?;
            return Ok(None);
        }
        let key: [u8; VERSION_KEY.len()] = self.bytes()?;
        let value: [u8; VersionRecord::BYTES] = self.bytes()?;
        hasher.update(&key);
        hasher.update(&value);
        Ok((key == *VERSION_KEY).then(|| VersionRecord::decode(&value)).flatten())
    }

    fn byte(&mut self) -> Result<u8, NoBatch> {
        let [byte] = self.bytes()?;
        Ok(byte)
    }

    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], NoBatch> {
        let mut bytes = [0; N];
        self.file.read_exact(&mut bytes)?;
        self.position += N as u64;
        Ok(bytes)
    }

    fn skip(&mut self, length: u64, hasher: &mut Xxh3) -> Result<(), NoBatch> {
        let skipped = io::copy(&mut (&mut self.file).take(length), &mut Hashing(hasher))?;
        self.position += skipped;
        if skipped < length {
            return Err(NoBatch::Invalid("the file ends inside it"));
        }
        Ok(())
    }
}

struct Hashing<'a>(&'a mut Xxh3);

impl Write for Hashing<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

//! Finds the part of a table file that is damaged.
//!
//! A table is blocks one after another: `"LSM" 3 | kind u8 | xxh3-128 of the data u128 | stored length u32 |
//! length u32 | lowest 32 bits of the xxh3-128 of the header before them u32`, then the data. Behind the
//! blocks there is a list of sections, and how to find it.

use std::{
    fs::File,
    io::{self, BufReader, ErrorKind, Read},
    path::Path,
};
use xxhash_rust::xxh3::xxh3_128;

const HEADER: usize = 33;
const MAGIC: &[u8; 4] = b"LSM\x03";
const LIST: &[u8; 4] = b"TOC!";

/// Where the first damage is, in words; none if every block is whole and the list begins where it should.
pub(super) fn first_wrong(path: &Path) -> io::Result<Option<String>> {
    let mut file = BufReader::with_capacity(1 << 16, File::open(path)?);
    let length = file.get_ref().metadata()?.len();
    let mut at = 0;
    let mut data = Vec::new();
    while at < length {
        let mut header = [0; HEADER];
        match file.read_exact(&mut header) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => {
                return Ok(Some(format!("the file ends inside of what begins at byte {at}")));
            }
            Err(error) => return Err(error),
        }
        if header.starts_with(LIST) {
            return Ok(Some(format!("the damage is in the list of its parts, from byte {at} on")));
        }
        let Some(stored) = stored_length(&header) else {
            return Ok(Some(format!("the block at byte {at} has a header that is damaged")));
        };
        data.clear();
        (&mut file).take(u64::from(stored)).read_to_end(&mut data)?;
        if data.len() as u64 != u64::from(stored) {
            return Ok(Some(format!("the file ends inside the block at byte {at}")));
        }
        if header.get(5..21) != Some(xxh3_128(&data).to_le_bytes().as_slice()) {
            return Ok(Some(format!("the checksum of the block at byte {at} is wrong")));
        }
        at += (HEADER + data.len()) as u64;
    }
    Ok(None)
}

/// The length of the data behind a header that is whole.
fn stored_length(header: &[u8; HEADER]) -> Option<u32> {
    let (covered, sum) = header.split_last_chunk::<4>()?;
    let expected = xxh3_128(covered).to_le_bytes();
    (covered.starts_with(MAGIC) && expected.starts_with(sum)).then_some(())?;
    covered.get(21..25)?.try_into().ok().map(u32::from_le_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(data: &[u8]) -> Vec<u8> {
        let length = u32::try_from(data.len()).unwrap().to_le_bytes();
        let sum = xxh3_128(data).to_le_bytes();
        let mut block = [&MAGIC[..], &[0], &sum, &length, &length].concat();
        let sum = xxh3_128(&block).to_le_bytes();
        block.extend_from_slice(&sum[..4]);
        block.extend_from_slice(data);
        block
    }

    #[test]
    fn the_first_damage_is_named() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("table");
        let whole = [block(b"first"), block(b"second")].concat();
        let second = HEADER + 5;
        for (damage, expected) in [
            (None, None),
            (Some(0), Some("the block at byte 0 has a header that is damaged")),
            (Some(21), Some("the block at byte 0 has a header that is damaged")),
            (Some(HEADER), Some("the checksum of the block at byte 0 is wrong")),
            (Some(second + HEADER), Some("the checksum of the block at byte 38 is wrong")),
        ] {
            let mut bytes = whole.clone();
            if let Some(at) = damage {
                bytes[at] ^= 4;
            }
            std::fs::write(&path, bytes).unwrap();
            assert_eq!(first_wrong(&path).unwrap().as_deref(), expected);
        }
        std::fs::write(&path, &whole[..whole.len() - 1]).unwrap();
        let expected = "the file ends inside the block at byte 38";
        assert_eq!(first_wrong(&path).unwrap().as_deref(), Some(expected));
    }
}

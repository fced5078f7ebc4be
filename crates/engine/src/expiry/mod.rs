//! Time to live: items that name a second at which they expire are deleted after it.
//!
//! An index on that second is kept beside the items, so that nobody has to look for what has
//! expired. Each time that time to live is enabled a new generation of the index begins; the
//! one before is swept away.

mod delete;
mod index;

use crate::{
    keys::Key,
    table::{Table, TimeToLive},
};
use bytes::Bytes;
use store::Write;
use value::{
    CodecError, Number,
    codec::{ItemRef, ValueRef},
};

/// Items that expired longer ago than this are taken for mistakes and stay.
const OLDEST_SECONDS: u64 = 5 * 365 * 24 * 60 * 60;

/// The second at which a stored item expires, if it does.
pub(crate) fn seconds(setting: &TimeToLive, stored: &[u8]) -> Result<Option<u64>, CodecError> {
    Ok(match ItemRef::new(stored)?.get(&setting.attribute)? {
        Some(ValueRef::N(number)) => whole_seconds(&number),
        _ => None,
    })
}

/// A number as a second since 1970; fractions are cut off.
fn whole_seconds(number: &Number) -> Option<u64> {
    if let Some(whole) = number.to_i64() {
        return u64::try_from(whole).ok();
    }
    let number: f64 = number.to_string().parse().ok()?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked before")]
    (0.0..9e18).contains(&number).then_some(number as u64)
}

/// The entry of an item that expires at a second.
pub(crate) fn key(table: &Table, seconds: u64, item: &Bytes) -> Option<Bytes> {
    let generation = table.expiry()?.generation;
    Some(Key::Expiry { table: table.number, generation, seconds, item }.encode())
}

/// Gives time to live that was turned on a generation of its own, and marks the entries of
/// one that was turned off for removal.
pub(crate) fn follow(before: Option<&Table>, after: &mut Table) -> Vec<Write> {
    let last = before.and_then(|table| table.time_to_live.as_ref());
    let mut writes = Vec::new();
    let Some(setting) = &mut after.time_to_live else { return writes };
    match (last.filter(|last| last.enabled), setting.enabled) {
        (None, true) => {
            setting.generation = last.map_or(0, |last| last.generation) + 1;
            // A table that is being made has no items whose expiry is not known.
            setting.complete = before.is_none();
        }
        (Some(last), false) => {
            setting.generation = last.generation;
            let table = after.number;
            let dropped = Key::DroppedExpiries { table, generation: last.generation };
            writes.push(Write::Put { key: dropped.encode(), value: Bytes::new() });
            writes.push(Write::Delete { key: Key::ExpiryProgress { table }.encode() });
        }
        (Some(_), true) | (None, false) => {}
    }
    writes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_whole_and_not_before_1970() {
        for (text, seconds) in [
            ("0", Some(0)),
            ("1700000000", Some(1_700_000_000)),
            ("1.7e9", Some(1_700_000_000)),
            ("1700000000.9", Some(1_700_000_000)),
            ("1700000000999", Some(1_700_000_000_999)),
            ("0.5", Some(0)),
            ("-1", None),
            ("-0.5", None),
            ("1e30", None),
            ("9.9999e125", None),
        ] {
            let number = Number::parse(text).unwrap();
            assert_eq!(whole_seconds(&number), seconds, "{text}");
        }
    }
}

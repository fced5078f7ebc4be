//! Single writes, and what a decision's writes come to for each key.

use crate::StoreError;
use bytes::{BufMut, Bytes, BytesMut};

/// The longest key a store can hold.
pub const MAX_KEY_BYTES: usize = 65_535;

/// The longest value a store can hold.
pub const MAX_VALUE_BYTES: usize = 1 << 30;

/// Keys that start with this byte belong to the engine.
pub(crate) const RESERVED: u8 = 0;

/// One change to one key.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Write {
    /// Gives the key this value.
    Put {
        /// The key.
        key: Bytes,
        /// Its value from here on.
        value: Bytes,
    },
    /// Takes the key away; nothing happens if it is not there.
    Delete {
        /// The key.
        key: Bytes,
    },
    /// Adds to a pair of counters (a count and a total), each up to the limits of `i64`.
    ///
    /// An absent key counts as two zeros. Adds commute and read nothing, so that no engine needs to treat
    /// two of them as a conflict. [`counters`] reads the stored pair.
    Add {
        /// The key.
        key: Bytes,
        /// What is added to each counter.
        by: [i64; 2],
    },
}

impl Write {
    fn key(&self) -> &Bytes {
        match self {
            Self::Put { key, .. } | Self::Delete { key } | Self::Add { key, .. } => key,
        }
    }
}

/// Reads the pair of counters that [`Write::Add`] keeps.
pub fn counters(value: &[u8]) -> Result<[i64; 2], StoreError> {
    let pair: Option<[i64; 2]> = value.split_first_chunk::<8>().and_then(|(count, total)| {
        let total: [u8; 8] = total.try_into().ok()?;
        Some([i64::from_le_bytes(*count), i64::from_le_bytes(total)])
    });
    pair.ok_or(StoreError::NotACounter { key: Bytes::new() })
}

fn add_to(key: &Bytes, value: Option<&Bytes>, by: [i64; 2]) -> Result<Bytes, StoreError> {
    let [count, total] = match value {
        Some(value) => counters(value).map_err(|_| StoreError::NotACounter { key: key.clone() })?,
        None => [0, 0],
    };
    let [more_count, more_total] = by;
    let mut sum = BytesMut::with_capacity(16);
    sum.put_i64_le(count.saturating_add(more_count));
    sum.put_i64_le(total.saturating_add(more_total));
    Ok(sum.freeze())
}

/// Refuses keys that an engine cannot hold or keeps for itself.
pub(crate) fn check_key(key: &[u8]) -> Result<(), StoreError> {
    let reason = match key.first() {
        None => "must not be empty",
        Some(&RESERVED) => "must not start with a zero byte, which the store keeps for itself",
        Some(_) if key.len() > MAX_KEY_BYTES => "must not be longer than 65535 bytes",
        Some(_) => return Ok(()),
    };
    Err(StoreError::InvalidKey { reason })
}

/// What one key becomes.
enum Effect {
    Set(Option<Bytes>),
    Add([i64; 2]),
}

impl Effect {
    /// What this and a later one come to.
    fn then(self, key: &Bytes, later: Effect) -> Result<Effect, StoreError> {
        Ok(match (self, later) {
            (_, Effect::Set(value)) => Effect::Set(value),
            (Effect::Set(value), Effect::Add(by)) => {
                Effect::Set(Some(add_to(key, value.as_ref(), by)?))
            }
            (Effect::Add([count, total]), Effect::Add([more_count, more_total])) => {
                Effect::Add([count.saturating_add(more_count), total.saturating_add(more_total)])
            }
        })
    }
}

/// What a decision's writes come to: one value, or none, for each key, in the order of keys.
///
/// `current` gives the value a key has before the decision; it is asked only for keys that are added to.
pub(crate) fn outcome(
    mut writes: Vec<Write>,
    mut current: impl FnMut(&Bytes) -> Result<Option<Bytes>, StoreError>,
) -> Result<Vec<(Bytes, Option<Bytes>)>, StoreError> {
    // Writes of one key stay in their order.
    writes.sort_by(|one, other| one.key().cmp(other.key()));
    let mut effects: Vec<(Bytes, Effect)> = Vec::with_capacity(writes.len());
    for write in writes {
        check_key(write.key())?;
        let (key, effect) = match write {
            Write::Put { value, .. } if value.len() > MAX_VALUE_BYTES => {
                return Err(StoreError::ValueTooLong { length: value.len() });
            }
            Write::Put { key, value } => (key, Effect::Set(Some(value))),
            Write::Delete { key } => (key, Effect::Set(None)),
            Write::Add { key, by } => (key, Effect::Add(by)),
        };
        let effect = match effects.pop_if(|(before, _)| *before == key) {
            Some((_, before)) => before.then(&key, effect)?,
            None => effect,
        };
        effects.push((key, effect));
    }
    let change = |(key, effect)| match effect {
        Effect::Set(value) => Ok((key, value)),
        Effect::Add(by) => {
            let value = add_to(&key, current(&key)?.as_ref(), by)?;
            Ok((key, Some(value)))
        }
    };
    effects.into_iter().map(change).collect()
}

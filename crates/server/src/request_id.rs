//! Request ids: 52 upper-case letters and digits, as AWS has them.

use std::sync::atomic::{AtomicU64, Ordering};

/// Makes request ids that differ from one another, and from those of other runs.
pub(crate) struct RequestIds {
    seed: [u64; 4],
    next: AtomicU64,
}

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct RequestId([u8; LENGTH]);

const LENGTH: usize = 52;
const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

impl RequestIds {
    pub(crate) fn new() -> RequestIds {
        let mut bytes = [0; 32];
        if let Err(error) = getrandom::fill(&mut bytes) {
            // Ids tell requests apart in logs; they need not be secret.
            tracing::warn!(%error, "no entropy for request ids");
        }
        let mut seed = [0; 4];
        for (word, chunk) in seed.iter_mut().zip(bytes.chunks_exact(8)) {
            *word = u64::from_le_bytes(chunk.try_into().unwrap_or_default());
        }
        RequestIds { seed, next: AtomicU64::new(0) }
    }

    pub(crate) fn next(&self) -> RequestId {
        let count = self.next.fetch_add(1, Ordering::Relaxed);
        let mut id = [b'A'; LENGTH];
        for (part, seed) in id.chunks_exact_mut(LENGTH / 4).zip(self.seed) {
            let mut bits = mix(seed ^ count);
            for place in part {
                *place = ALPHABET.get((bits & 31) as usize).copied().unwrap_or(b'A');
                bits >>= 5;
            }
        }
        RequestId(id)
    }
}

impl RequestId {
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    pub(crate) fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

/// Spreads a count over all bits (splitmix64).
fn mix(mut x: u64) -> u64 {
    x = x.wrapping_add(0x9E37_79B9_7F4A_7C15);
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_52_letters_and_differ() {
        let ids = RequestIds::new();
        let many: std::collections::HashSet<RequestId> = (0..1000).map(|_| ids.next()).collect();
        assert_eq!(many.len(), 1000);
        for id in many {
            let id = id.as_str();
            assert_eq!(id.len(), LENGTH);
            assert!(id.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit()), "{id}");
        }
    }
}

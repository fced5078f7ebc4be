//! What the engine may not make up by itself: time and chance. Handed in, so
//! that tests can move time by hand.

use serde::{Deserialize, Serialize};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A moment, in milliseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Moment(pub i64);

impl Moment {
    /// Seconds since 1970, with the milliseconds as a fraction, as AWS sends them.
    #[expect(clippy::cast_precision_loss, reason = "milliseconds since 1970 fit a double")]
    pub fn seconds(self) -> f64 {
        self.0 as f64 / 1000.0
    }

    /// Milliseconds since 1970, none before it.
    pub fn millis(self) -> u64 {
        u64::try_from(self.0).unwrap_or(0)
    }

    /// The moment that much earlier.
    #[must_use]
    pub fn before(self, delay: Duration) -> Moment {
        Moment(self.0.saturating_sub(i64::try_from(delay.as_millis()).unwrap_or(i64::MAX)))
    }

    /// The moment that much later.
    pub fn after(self, delay: Duration) -> Moment {
        Moment(self.0.saturating_add(i64::try_from(delay.as_millis()).unwrap_or(i64::MAX)))
    }

    /// The moment of a stream label.
    pub fn of_label(label: &str) -> Option<Moment> {
        let time = humantime::parse_rfc3339(&format!("{label}Z")).ok()?;
        let since = time.duration_since(UNIX_EPOCH).ok()?;
        i64::try_from(since.as_millis()).ok().map(Moment)
    }

    /// `2015-05-11T21:21:33.291`, the form of a stream label.
    pub fn label(self) -> String {
        let since = Duration::from_millis(u64::try_from(self.0).unwrap_or(0));
        let mut text = humantime::format_rfc3339_millis(UNIX_EPOCH + since).to_string();
        text.truncate(text.len().saturating_sub(1));
        text
    }
}

/// Time and chance.
pub trait Environment: Send + Sync + 'static {
    /// The time.
    fn now(&self) -> Moment;
    /// A number nobody can guess.
    fn random(&self) -> u128;
}

/// The machine's clock and entropy.
pub struct System;

impl Environment for System {
    fn now(&self) -> Moment {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Moment(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }

    fn random(&self) -> u128 {
        let mut bytes = [0; 16];
        if let Err(error) = getrandom::fill(&mut bytes) {
            // Ids need to be distinct, not secret: the clock and an address do.
            tracing::warn!(%error, "no entropy from the system");
            let nanos = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
            return nanos;
        }
        u128::from_le_bytes(bytes)
    }
}

/// A random (version 4) UUID as text.
pub fn uuid(environment: &dyn Environment) -> String {
    let bits = (environment.random() & !(0xF << 76) & !(0b11 << 62)) | (4 << 76) | (0b10 << 62);
    let hex = format!("{bits:032x}");
    let part = |from: usize, to: usize| hex.get(from..to).unwrap_or_default();
    [part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32)].join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_utc_with_milliseconds() {
        assert_eq!(Moment(1_431_379_293_291).label(), "2015-05-11T21:21:33.291");
        assert_eq!(Moment(0).label(), "1970-01-01T00:00:00.000");
        let moment = Moment(1_431_379_293_291);
        assert_eq!(Moment::of_label(&moment.label()), Some(moment));
        assert_eq!(Moment::of_label("yesterday"), None);
    }

    #[test]
    fn uuids_have_version_and_variant() {
        struct Ones;
        impl Environment for Ones {
            fn now(&self) -> Moment {
                Moment(0)
            }
            fn random(&self) -> u128 {
                u128::MAX
            }
        }
        assert_eq!(uuid(&Ones), "ffffffff-ffff-4fff-bfff-ffffffffffff");
    }
}

//! The order of commits, which is also their time.

use std::{
    fmt,
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

/// How many bits count the commits within a millisecond.
const COUNT_BITS: u32 = 18;

/// The place of a commit in the order of all commits of a store. It survives a restart and only grows.
///
/// It is a time and a count: `milliseconds since 1970 << 18 | count`. If the clock goes back, or more
/// commits come than there are counts, versions run ahead of the clock until it has caught up.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Version(pub u64);

impl Version {
    /// The smallest version of a millisecond.
    pub fn first_at(millis: u64) -> Version {
        Version(
            millis
                .checked_shl(COUNT_BITS)
                .filter(|v| v >> COUNT_BITS == millis)
                .unwrap_or(u64::MAX),
        )
    }

    /// When the commit was made, in milliseconds since 1970.
    pub fn millis(self) -> u64 {
        self.0 >> COUNT_BITS
    }

    /// The version of a commit that comes after this one.
    pub(crate) fn next(self, clock: &Clock) -> Version {
        Version(self.0 + 1).max(Version::first_at(clock.millis()))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Where versions get their time from.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> u64 + Send + Sync>);

impl Clock {
    /// A clock that gives milliseconds since 1970.
    pub fn new(millis: impl Fn() -> u64 + Send + Sync + 'static) -> Clock {
        Clock(Arc::new(millis))
    }

    /// The machine's clock.
    pub fn system() -> Clock {
        Clock::new(|| {
            let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            u64::try_from(since.as_millis()).unwrap_or(0)
        })
    }

    fn millis(&self) -> u64 {
        (self.0)()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_has_the_time_of_its_commit() {
        let at = |millis| Clock::new(move || millis);
        let first = Version(0).next(&at(1_000));
        assert_eq!((first, first.millis()), (Version::first_at(1_000), 1_000));
        let second = first.next(&at(1_000));
        assert_eq!((second.0, second.millis()), (first.0 + 1, 1_000));
        // A clock that goes back does not take versions back.
        assert_eq!(second.next(&at(5)).0, second.0 + 1);
        assert_eq!(second.next(&at(1_001)), Version::first_at(1_001));
        // More commits than a millisecond can count.
        let last = Version(Version::first_at(1_001).0 - 1);
        assert_eq!((last.millis(), last.next(&at(1_000)).millis()), (1_000, 1_001));
        assert_eq!(Version::first_at(u64::MAX), Version(u64::MAX));
    }
}

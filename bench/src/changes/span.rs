//! When a stream was on, as far as its clients can tell.

use super::deed::Deed;

/// A request's time: it took effect somewhere in between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interval {
    /// When it was sent.
    pub sent: u64,
    /// When it was answered.
    pub done: u64,
}

/// Before everything.
pub const FIRST: Interval = Interval { sent: 0, done: 0 };
/// After everything.
pub const LAST: Interval = Interval { sent: u64::MAX, done: u64::MAX };

/// The time from one request to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// What began it.
    pub from: Interval,
    /// What ended it.
    pub to: Interval,
}

impl Span {
    /// Whether a write may have been made in it.
    pub fn may_hold(&self, deed: &Deed) -> bool {
        deed.sent <= self.to.done && deed.done >= self.from.sent
    }

    /// Whether a write that was made was made in it.
    pub fn must_hold(&self, deed: &Deed) -> bool {
        deed.sent > self.from.done && deed.done < self.to.sent
    }
}

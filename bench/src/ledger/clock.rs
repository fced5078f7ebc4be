//! The clock of all clients of a server: a count of events, and how long the trace was.

use crate::disk::Control;
use std::sync::atomic::{AtomicU64, Ordering};

/// When something happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// What has a smaller tick happened before.
    pub tick: u64,
    /// The length of the trace.
    pub at: u64,
}

impl Moment {
    /// Before everything.
    pub const FIRST: Moment = Moment { tick: 0, at: 0 };
}

/// The clock.
pub struct Clock<'a> {
    ticks: AtomicU64,
    control: &'a Control,
}

impl Clock<'_> {
    /// A clock that has not ticked.
    pub fn new(control: &Control) -> Clock<'_> {
        Clock { ticks: AtomicU64::new(1), control }
    }

    /// A clock that begins later.
    pub fn starting(control: &Control, tick: u64) -> Clock<'_> {
        Clock { ticks: AtomicU64::new(tick), control }
    }

    /// This moment. What is sent has its moment taken before, what is answered after.
    pub fn moment(&self) -> Moment {
        let tick = self.ticks.fetch_add(1, Ordering::SeqCst);
        // A length that cannot be read promises nothing.
        Moment { tick, at: self.control.length().unwrap_or(u64::MAX) }
    }
}

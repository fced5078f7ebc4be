//! Work that goes on after its request was answered: building an index, restoring a table,
//! exporting and importing. A kill just after the answer hits it in its middle.

use crate::random::Random;
use std::{
    sync::mpsc::{Receiver, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

/// What was begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Errand {
    /// An index is built.
    Index,
    /// A table is restored.
    Restore,
    /// A table is exported.
    Export,
    /// A table is imported.
    Import,
}

/// The errands whose beginning ends a cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Focus {
    /// None.
    None,
    /// Any.
    Any,
    /// Only this one.
    On(Errand),
}

impl Focus {
    /// Chooses for a cycle.
    pub fn choose(random: &mut Random) -> Focus {
        if random.percent(50) { Focus::Any } else { Focus::None }
    }

    fn is_met_by(self, errand: Errand) -> bool {
        match self {
            Focus::None => false,
            Focus::Any => true,
            Focus::On(wanted) => wanted == errand,
        }
    }

    /// Waits for so long, or until shortly after such an errand has begun.
    pub fn wait(self, begun: &Receiver<Errand>, longest: Duration, random: &mut Random) {
        let deadline = Instant::now() + longest;
        loop {
            match begun.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(errand) if self.is_met_by(errand) => {
                    return thread::sleep(shortly(random));
                }
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) => return,
                // Nobody works any more.
                Err(RecvTimeoutError::Disconnected) => {
                    return thread::sleep(deadline.saturating_duration_since(Instant::now()));
                }
            }
        }
    }
}

/// A time within the first milliseconds of an errand: its very beginning as often as the rest.
fn shortly(random: &mut Random) -> Duration {
    let even = random.percent(50);
    let micros = if even { random.between(0, 40_000) } else { random.spread(100, 40_000) };
    Duration::from_micros(micros)
}

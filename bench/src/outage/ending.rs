//! How and when a cycle ends the server. The times are spread over orders of magnitude, so that
//! ends hit the first requests, busy times, and the start of a server that repairs what the end
//! before has left.

use crate::random::Random;
use std::{fmt, time::Duration};

/// The end of a cycle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ending {
    /// Whether by SIGTERM, with leave to finish, or by SIGKILL.
    pub graceful: bool,
    /// How long clients write before.
    pub after: Duration,
    /// Starts that are killed after so long before one is let through.
    pub interrupted: Vec<Duration>,
}

impl Ending {
    /// Chooses one.
    pub fn choose(random: &mut Random) -> Ending {
        let graceful = random.percent(12);
        let micros = match random.between(0, 100) {
            0..20 => random.between(0, 20_000),
            20..90 => random.spread(20_000, 600_000),
            _ => random.between(600_000, 2_000_000),
        };
        Ending { graceful, after: Duration::from_micros(micros), interrupted: interrupted(random) }
    }
}

/// Starts to kill before the first that is let through.
pub fn interrupted(random: &mut Random) -> Vec<Duration> {
    let count = if random.percent(45) { random.between(1, 4) } else { 0 };
    let mut start = || Duration::from_micros(random.spread(200, 80_000));
    (0..count).map(|_| start()).collect()
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let how = if self.graceful { "stopped" } else { "killed" };
        write!(f, "{how} after {} ms", self.after.as_millis())?;
        for start in &self.interrupted {
            write!(f, ", killed {:.1} ms into a start", start.as_secs_f64() * 1e3)?;
        }
        Ok(())
    }
}

//! A client that tries again when a call may succeed later: the server is away for a while, or
//! wants less to do.

use super::{CallError, Client};
use crate::{ending::Ending, interrupt::Interrupt, meter::Meter};
use serde::{Serialize, de::DeserializeOwned};
use std::time::{Duration, Instant};

const FIRST_WAIT: Duration = Duration::from_millis(50);
const LONGEST_WAIT: Duration = Duration::from_secs(2);
/// How long it is tried.
const PATIENCE: Duration = Duration::from_secs(60);

/// Such a client.
#[derive(Debug)]
pub(crate) struct Persistent {
    client: Client,
    interrupt: Interrupt,
    meter: Meter,
}

impl Persistent {
    pub(crate) fn new(client: Client, interrupt: Interrupt, meter: Meter) -> Persistent {
        Persistent { client, interrupt, meter }
    }

    /// Calls an operation that may be repeated.
    pub(crate) fn call<T: DeserializeOwned>(
        &mut self,
        operation: &str,
        request: &impl Serialize,
    ) -> Result<T, Ending> {
        let mut waits = Waits::new(self.interrupt.clone());
        loop {
            let error = match self.client.call(operation, request) {
                Err(error) if error.may_pass() => error,
                outcome => return Ok(outcome?),
            };
            // At first only a connection may be gone that was kept too long.
            if waits.count == 2 {
                self.meter.note(&format!("{error}; trying again"));
            }
            if !waits.wait()? {
                return Err(error.into());
            }
        }
    }
}

/// Waits between attempts, each longer than the one before.
#[derive(Debug)]
pub(crate) struct Waits {
    interrupt: Interrupt,
    begun: Instant,
    count: u32,
}

impl Waits {
    pub(crate) fn new(interrupt: Interrupt) -> Waits {
        Waits { interrupt, begun: Instant::now(), count: 0 }
    }

    /// Waits before the next attempt; gives false if there were enough.
    pub(crate) fn wait(&mut self) -> Result<bool, Ending> {
        if self.begun.elapsed() > PATIENCE {
            return Ok(false);
        }
        let time = (FIRST_WAIT * 2u32.pow(self.count.min(10))).min(LONGEST_WAIT);
        self.count += 1;
        if self.interrupt.pause(time) {
            Ok(true)
        } else {
            Err(Ending::Interrupted("interrupted".to_owned()))
        }
    }

    /// Something has come of it: the patience begins again.
    pub(crate) fn progress(&mut self) {
        self.begun = Instant::now();
        self.count = 0;
    }
}

impl CallError {
    /// Whether the server wants less to do.
    pub(crate) fn is_throttling(&self) -> bool {
        ["ProvisionedThroughputExceededException", "ThrottlingException", "RequestLimitExceeded"]
            .iter()
            .any(|name| self.is(name))
    }
}

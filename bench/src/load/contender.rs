//! Whatever can be measured beside others.

use super::{Pace, Plan, Round, Workload};

/// What a contender is there for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It is Monotable.
    Ours,
    /// It is another server of the API.
    Peer,
    /// It shows what cannot be exceeded.
    Limit,
}

/// Something that answers requests, or does as much as a request asks for.
pub trait Contender {
    /// What to call it.
    fn name(&self) -> &str;

    /// What it is there for.
    fn role(&self) -> Role {
        Role::Peer
    }

    /// Why it cannot be measured, if it cannot.
    fn missing(&self) -> Option<&str> {
        None
    }

    /// Whether it has a figure for this workload.
    fn does(&self, _workload: Workload) -> bool {
        true
    }

    /// Measures one workload. The first wrong answer is an error.
    fn measure(
        &mut self,
        workload: Workload,
        connections: u32,
        pace: Pace,
        plan: &Plan,
    ) -> Result<Round, String>;
}

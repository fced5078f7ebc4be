//! Where a table is in its life. A transition has an end, and whoever looks
//! after that end sees the state that follows: nothing has to run in between.

use crate::environment::Moment;
use serde::{Deserialize, Serialize};

/// A table's state, as recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Status {
    /// Being created until then, active after.
    Creating {
        /// The end of the creation.
        until: Moment,
    },
    /// In use.
    Active,
    /// Being changed until then, active after; in use all the time.
    Updating {
        /// The end of the change.
        until: Moment,
    },
    /// Being deleted until then, gone after.
    Deleting {
        /// The end of the deletion.
        until: Moment,
    },
}

impl Status {
    /// The state at a moment; none once a deletion is over.
    pub fn at(self, now: Moment) -> Option<Status> {
        match self {
            Status::Creating { until } | Status::Updating { until } if now >= until => {
                Some(Status::Active)
            }
            Status::Deleting { until } if now >= until => None,
            other => Some(other),
        }
    }

    /// Whether items can be written.
    pub fn takes_writes(self) -> bool {
        matches!(self, Status::Active | Status::Updating { .. })
    }

    /// The name DynamoDB has for it.
    pub fn name(self) -> &'static str {
        match self {
            Status::Creating { .. } => "CREATING",
            Status::Active => "ACTIVE",
            Status::Updating { .. } => "UPDATING",
            Status::Deleting { .. } => "DELETING",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transitions_end_by_themselves() {
        let until = Moment(10);
        for (status, before, after) in [
            (Status::Creating { until }, Some("CREATING"), Some("ACTIVE")),
            (Status::Updating { until }, Some("UPDATING"), Some("ACTIVE")),
            (Status::Deleting { until }, Some("DELETING"), None),
            (Status::Active, Some("ACTIVE"), Some("ACTIVE")),
        ] {
            assert_eq!(status.at(Moment(9)).map(Status::name), before);
            assert_eq!(status.at(Moment(10)).map(Status::name), after);
        }
    }
}

//! What campaigns find wrong.

use std::fmt;

/// What kind of promise was broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Something acknowledged is gone, or something deleted is back.
    Lost,
    /// Part of a write is there without the rest.
    HalfApplied,
    /// An answer or a total that no order of the acknowledged writes explains.
    Inconsistent,
    /// The server hung, refused or ended when it should not.
    Misbehaved,
}

/// One thing that is wrong.
#[derive(Debug, Clone)]
pub struct Violation {
    /// The promise.
    pub kind: Kind,
    /// What was found and what should have been.
    pub text: String,
}

impl Violation {
    /// Something lost.
    pub fn lost(text: String) -> Violation {
        Violation { kind: Kind::Lost, text }
    }

    /// Something half-applied.
    pub fn half_applied(text: String) -> Violation {
        Violation { kind: Kind::HalfApplied, text }
    }

    /// Something that no order explains.
    pub fn inconsistent(text: String) -> Violation {
        Violation { kind: Kind::Inconsistent, text }
    }

    /// Something the server did.
    pub fn misbehaved(text: String) -> Violation {
        Violation { kind: Kind::Misbehaved, text }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            Kind::Lost => "lost",
            Kind::HalfApplied => "half-applied",
            Kind::Inconsistent => "inconsistent",
            Kind::Misbehaved => "misbehaved",
        };
        write!(f, "{kind}: {}", self.text)
    }
}

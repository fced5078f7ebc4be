//! Faults that debug builds of the server make when they are asked to. Each must be found.

use super::errand::{Errand, Focus};
use clap::ValueEnum;

/// A fault of the server's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Fault {
    /// Writes are answered before they are made
    AnswerBeforeWrite,
    /// What belongs to one commit is written in two
    CommitInTwo,
    /// Items expire without a record in the stream
    ExpiryUnrecorded,
    /// Of a commit only the first change has a record in the stream
    OneRecord,
    /// How far the building of an index has come is noted before it has come there
    IndexPositionFirst,
    /// How far a restore has come is noted before it has come there
    RestorePositionFirst,
    /// Exports are said to be complete when they begin
    ExportCompleteFirst,
}

impl Fault {
    /// The name that the server knows it by.
    pub fn name(self) -> String {
        let value = self.to_possible_value();
        value.map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    /// Whether other clients would stumble over it before the server is ended.
    pub fn needs_only_writers(self) -> bool {
        self == Fault::AnswerBeforeWrite
    }

    /// When the server is best ended to find it.
    pub fn focus(self) -> Focus {
        match self {
            Fault::IndexPositionFirst => Focus::On(Errand::Index),
            Fault::RestorePositionFirst => Focus::On(Errand::Restore),
            Fault::ExportCompleteFirst => Focus::On(Errand::Export),
            _ => Focus::None,
        }
    }
}

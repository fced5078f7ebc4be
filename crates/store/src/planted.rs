//! Faults for campaigns to find. A campaign that has never found one proves nothing.
//!
//! Debug builds take the name of one fault from the environment. Release builds cannot have any.

/// A fault of ours, made on purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Planted {
    /// Commits are answered before they are synced.
    AnswerBeforeSync,
    /// An import loses a page of its items.
    LoseImportPage,
    /// Directories are not synced, so that names may be gone after a power loss.
    SkipDirectorySync,
    /// What a killed process left is read and shown without being synced first.
    SkipRecoverySync,
    /// The server waits for the rest of a body for ever.
    NoBodyTimeout,
    /// The server waits for ever for a client to take its answer.
    NoAnswerTimeout,
    /// The server panics on a body that is not UTF-8.
    PanicOnInput,
    /// The server lets in all work at once.
    UnboundedQueue,
    /// The server keeps the descriptors of connections that have ended.
    KeptConnections,
    /// Commits are answered as if they were durable though the disk refused them.
    AnswerAfterFailure,
    /// Commits are answered before they are written.
    AnswerBeforeWrite,
    /// A group of commits is written in two batches.
    CommitInTwo,
    /// Items that expire have no record in the log.
    ExpiryUnrecorded,
    /// Of several changes in a commit the first has a record in the log.
    OneRecord,
    /// The position of a backfill is written before its page.
    IndexPositionFirst,
    /// The position of a restore is written before its page.
    RestorePositionFirst,
    /// An export is complete before its files are written.
    ExportCompleteFirst,
    /// What cannot be read is taken for something that is not there.
    HideDamage,
    /// Some index entries are not written.
    LoseIndexEntries,
    /// Counters are not kept for some changes.
    LoseCounts,
    /// Some changes are not recorded in the log.
    LoseChanges,
    /// The expiries of some items are not noted.
    LoseExpiries,
}

/// How long a fault leaves things half done.
pub const PLANTED_PAUSE: std::time::Duration = std::time::Duration::from_millis(10);

impl Planted {
    /// Whether this fault is to be made. `MONOTABLE_PLANTED` names it.
    #[cfg(debug_assertions)]
    pub fn is_on(self) -> bool {
        use std::sync::OnceLock;
        static NAME: OnceLock<Option<String>> = OnceLock::new();
        let name = NAME.get_or_init(|| std::env::var("MONOTABLE_PLANTED").ok());
        name.as_deref() == Some(self.name())
    }

    /// Whether this fault is to be made: never.
    #[cfg(not(debug_assertions))]
    pub const fn is_on(self) -> bool {
        false
    }

    #[cfg(debug_assertions)]
    const fn name(self) -> &'static str {
        match self {
            Self::AnswerBeforeSync => "answer-before-sync",
            Self::LoseImportPage => "lose-import-page",
            Self::SkipDirectorySync => "skip-directory-sync",
            Self::SkipRecoverySync => "skip-recovery-sync",
            Self::NoBodyTimeout => "no-body-timeout",
            Self::NoAnswerTimeout => "no-answer-timeout",
            Self::PanicOnInput => "panic-on-input",
            Self::UnboundedQueue => "unbounded-queue",
            Self::KeptConnections => "kept-connections",
            Self::AnswerAfterFailure => "answer-after-failure",
            Self::AnswerBeforeWrite => "answer-before-write",
            Self::CommitInTwo => "commit-in-two",
            Self::ExpiryUnrecorded => "expiry-unrecorded",
            Self::OneRecord => "one-record",
            Self::IndexPositionFirst => "index-position-first",
            Self::RestorePositionFirst => "restore-position-first",
            Self::ExportCompleteFirst => "export-complete-first",
            Self::HideDamage => "hide-damage",
            Self::LoseIndexEntries => "lose-index-entries",
            Self::LoseCounts => "lose-counts",
            Self::LoseChanges => "lose-changes",
            Self::LoseExpiries => "lose-expiries",
        }
    }
}

//! Faults for campaigns to find. A campaign that has never found one proves nothing.
//!
//! Debug builds take the name of one fault from the environment. Release builds cannot have any.

/// A fault of ours, made on purpose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Planted {
    /// Commits are answered before they are synced.
    AnswerBeforeSync,
    /// Who looks at a data directory does not compare the checksums of tables.
    IgnoreChecksums,
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
            Self::IgnoreChecksums => "ignore-checksums",
            Self::HideDamage => "hide-damage",
            Self::LoseIndexEntries => "lose-index-entries",
            Self::LoseCounts => "lose-counts",
            Self::LoseChanges => "lose-changes",
            Self::LoseExpiries => "lose-expiries",
        }
    }
}

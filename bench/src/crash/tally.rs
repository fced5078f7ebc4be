//! What a campaign did, for people.

use std::fmt;

/// Counts.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tally {
    /// Cycles that were begun.
    pub cycles: u32,
    /// Cycles in which nothing was wrong.
    pub passed: u32,
    /// Writes that were acknowledged, of items and tables.
    pub acknowledged: u64,
    /// Writes that were refused by their conditions.
    pub refused: u64,
    /// Writes without an answer.
    pub unanswered: u64,
    /// Of these, those that were made.
    pub made: u64,
    /// Records of the stream.
    pub records: u64,
    /// Of these, those of items that expired.
    pub expired: u64,
    /// Indexes built, tables copied and backups made that an end of the server cut off.
    pub cut_off: u64,
    /// How often the index was built.
    pub indexes: u64,
    /// Tables restored to a moment.
    pub moments: u64,
    /// Tables restored from a backup.
    pub backups: u64,
    /// Tables exported and imported.
    pub files: u64,
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} writes refused by their conditions, {} in flight ({} of them made); {} records, {} of \
             them of items that expired",
            self.refused, self.unanswered, self.made, self.records, self.expired
        )?;
        write!(
            f,
            "{} indexes built; copies that were compared: {} restored to a moment, {} from a backup, \
             {} exported and imported; {} of all that cut off by an end of the server",
            self.indexes, self.moments, self.backups, self.files, self.cut_off
        )
    }
}

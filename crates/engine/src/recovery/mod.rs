//! Time travel: tables and items as they were, from the change log, and backups.
//!
//! The table at a moment is the table as it is, with every item that has changed since then put
//! back to what it was before its first change. So a restore copies what is there, then walks the
//! log from now back to the moment; for each item the oldest change comes last and wins. It needs
//! no memory, and every page of it is one commit that also says how far it has come.

mod backup;
mod history;
mod in_place;
mod into_table;
mod past;
mod restore;
mod run;
mod undo;

pub use backup::{Backup, BackupError, BackupKind, BackupState};
pub(crate) use backup::{backup_id, next_number};
pub use history::{ItemHistory, ItemVersion};
pub use past::{NetChange, PastChanges, PastItems};
pub use restore::{
    Filter, FilterError, Phase, Progress, Restore, RestoreError, RestoreSource, RestoreTarget,
    Sample,
};

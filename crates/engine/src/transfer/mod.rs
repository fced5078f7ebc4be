//! Exports and imports as the database keeps them: what was asked for, how far it has come, how it
//! ended. Where files are and what is in them is known to others.

mod export;
mod import;

pub use export::{Export, ExportPlan, ExportRange, ExportView};
pub use import::{Import, ImportCounts, ImportPlan};

use crate::{environment::Moment, keys::Key};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// How long an export or import is known.
const REMEMBERED: Duration = Duration::from_secs(90 * 24 * 60 * 60);

/// Where files are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The bucket.
    pub bucket: String,
    /// What the names of the files begin with.
    pub prefix: Option<String>,
    /// Whose the bucket is.
    pub owner: Option<String>,
}

/// What is in files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum FileFormat {
    /// A line of JSON for each item, with the types of values.
    DynamoDbJson,
    /// A line of Ion for each item.
    Ion,
    /// A line of values for each item.
    Csv {
        /// What stands between values.
        delimiter: char,
        /// The names of attributes, if the first line does not give them.
        header: Option<Vec<String>>,
    },
}

/// How files are compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Compression {
    /// Not at all.
    None,
    /// With gzip.
    Gzip,
    /// With Zstandard.
    Zstd,
}

/// How an export or import stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum TransferState {
    /// Under way.
    InProgress,
    /// All is done.
    Completed,
    /// It was given up.
    Failed {
        /// A word for programs.
        code: String,
        /// The reason for people.
        message: String,
    },
}

/// Whether something that ended then may be forgotten.
fn is_over(finished: Option<Moment>, now: Moment) -> bool {
    finished.is_some_and(|finished| finished.after(REMEMBERED) <= now)
}

/// What the ARN of an export or import ends with.
fn id(started: Moment, random: u128) -> String {
    crate::recovery::backup_id(started, random)
}

fn export_key(number: u32) -> bytes::Bytes {
    Key::Export { export: number }.encode()
}

fn import_key(number: u32) -> bytes::Bytes {
    Key::Import { import: number }.encode()
}

//! How far an import has come, as it is recorded beside the first file.

use super::options::ImportOptions;
use crate::{ending::Ending, files::beside};
use serde::{Deserialize, Serialize};
use std::{
    fs,
    path::{Path, PathBuf},
    time::SystemTime,
};

const VERSION: u32 = 1;

/// A file as it was when the import began: one that has changed has other lines.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct FileMark {
    name: PathBuf,
    bytes: u64,
    modified: u128,
}

/// The state of an import.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct State {
    version: u32,
    table: String,
    table_id: String,
    files: Vec<FileMark>,
    columns: Vec<String>,
    format: Option<String>,
    /// So many rows of all files together have been dealt with.
    pub(super) rows: u64,
    /// Of them so many are bad.
    pub(super) bad: u64,
    /// The length of the file of errors.
    pub(super) error_bytes: u64,
}

impl State {
    pub(super) fn new(options: &ImportOptions, table_id: &str) -> Result<State, Ending> {
        Ok(State {
            version: VERSION,
            table: options.table.clone(),
            table_id: table_id.to_owned(),
            files: options.files.iter().map(|file| mark(file)).collect::<Result<_, _>>()?,
            columns: options.columns.clone(),
            format: options.format.map(|format| format.name().to_owned()),
            rows: 0,
            bad: 0,
            error_bytes: 0,
        })
    }

    /// Refuses to go on with something else.
    pub(super) fn check(&self, fresh: &State, file: &Path) -> Result<(), Ending> {
        let changed = self.files.iter().zip(&fresh.files).find(|(before, after)| before != after);
        let differing = if self.version != fresh.version {
            "it was begun by another version".to_owned()
        } else if self.table != fresh.table {
            format!("its table is '{}'", self.table)
        } else if self.table_id != fresh.table_id {
            format!("its table is not the '{}' that there is today", self.table)
        } else if self.files.len() != fresh.files.len() {
            "it has other files".to_owned()
        } else if let Some((before, after)) = changed {
            match before.name == after.name {
                true => format!("{} has been changed since", before.name.display()),
                false => format!("it has {} in that place", before.name.display()),
            }
        } else if self.columns != fresh.columns || self.format != fresh.format {
            "its --columns or --format differ".to_owned()
        } else {
            return Ok(());
        };
        Err(Ending::Usage(format!(
            "{} tells of an import that has not ended, and {differing}; --restart begins again \
             with the first line, which does no harm: an item that is there is replaced",
            file.display()
        )))
    }

    /// Rows that have become items.
    pub(super) fn items(&self) -> u64 {
        self.rows.saturating_sub(self.bad)
    }

    /// The bytes of all files; none if one of them is standard input.
    pub(super) fn total_bytes(&self) -> Option<u64> {
        let known = self.files.iter().all(|file| file.name.as_os_str() != "-");
        known.then(|| self.files.iter().map(|file| file.bytes).sum())
    }
}

fn mark(file: &Path) -> Result<FileMark, Ending> {
    let name = file.to_owned();
    if file.as_os_str() == "-" {
        return Ok(FileMark { name, bytes: 0, modified: 0 });
    }
    let unread = Ending::file("read", file);
    let found = fs::metadata(file).map_err(&unread)?;
    if found.is_dir() {
        return Err(unread(std::io::ErrorKind::IsADirectory.into()));
    }
    let modified = found.modified().map_err(unread)?;
    let modified = modified.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Ok(FileMark { name, bytes: found.len(), modified: modified.as_nanos() })
}

/// Where the state of an import is recorded; nowhere if the first file is standard input.
pub(super) fn place(options: &ImportOptions) -> Option<PathBuf> {
    if let Some(file) = &options.state {
        return Some(file.clone());
    }
    let first = options.files.first().filter(|file| file.as_os_str() != "-")?;
    // The name may be an ARN.
    let table = options.table.rsplit('/').next().unwrap_or_default();
    Some(beside(first, &format!(".{table}.import")))
}

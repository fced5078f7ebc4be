//! Rows that are bad: the first few are told, all are written to a file if there is one.

use super::batch::Bad;
use crate::{ending::Ending, meter::Meter};
use serde_json::json;
use std::{
    fs::{File, OpenOptions},
    io::{Seek, SeekFrom, Write},
    path::{Path, PathBuf},
};

/// How many are told.
const TOLD: u64 = 10;

/// Where they go.
pub(super) struct Errors {
    file: Option<(PathBuf, File)>,
    told: u64,
}

impl Errors {
    /// The file is cut off at a length and goes on there.
    pub(super) fn open(path: Option<&Path>, length: u64) -> Result<Errors, Ending> {
        let Some(path) = path else { return Ok(Errors { file: None, told: 0 }) };
        let failed = Ending::file("write", path);
        let mut file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(&failed)?;
        let there = file.metadata().map_err(&failed)?.len();
        file.set_len(length.min(there))
            .and_then(|()| file.seek(SeekFrom::End(0)))
            .map_err(&failed)?;
        Ok(Errors { file: Some((path.to_owned(), file)), told: 0 })
    }

    /// Takes a bad row, which stands in a file of that name.
    pub(super) fn add(&mut self, bad: &Bad, name: &str, meter: &Meter) -> Result<(), Ending> {
        self.told += 1;
        if self.told <= TOLD {
            meter.warn(&format!("{}; skipped", place(bad, name)));
        } else if self.told == TOLD + 1 {
            let rest = if self.file.is_some() { "" } else { "; --errors FILE has them all" };
            meter.warn(&format!("there are more such lines, which are not shown{rest}"));
        }
        if let Some((path, file)) = &mut self.file {
            let line = json!({"file": name, "line": bad.line, "reason": bad.reason});
            writeln!(file, "{line}").map_err(Ending::file("write", path))?;
        }
        Ok(())
    }

    /// Puts everything onto the disk; gives the length of the file.
    pub(super) fn sync(&mut self) -> Result<u64, Ending> {
        let Some((path, file)) = &mut self.file else { return Ok(0) };
        file.sync_data().and_then(|()| file.stream_position()).map_err(Ending::file("write", path))
    }
}

/// Where a bad row stands, and what is wrong with it.
pub(super) fn place(bad: &Bad, name: &str) -> String {
    format!("{name}, line {}: {}", bad.line, bad.reason)
}

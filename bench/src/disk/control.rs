//! The file through which a campaign and the layer below its server talk.

use std::{
    fs::{File, OpenOptions},
    io,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
};

const BYTES: usize = 4096;
const FAILED_CALL: usize = 1024;

/// Fields of the file; their order is that of the layer.
#[derive(Clone, Copy)]
enum Field {
    Length,
    Calls,
    FailAt,
    FailErrno,
    FailKeep,
    FailTorn,
    Room,
    Size,
    Failed,
    KillAt,
    SyncMicros,
    NoJournals,
}

/// How a call fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// The number of the first call that fails.
    pub at: u64,
    /// Whether because the disk is full; else it is an error of the device.
    pub full: bool,
    /// Whether all calls after it fail, too.
    pub keep: bool,
    /// Whether half of what was to be written is.
    pub torn: bool,
}

/// The file.
pub struct Control {
    path: PathBuf,
    file: File,
}

impl Control {
    /// A file that lets everything pass.
    pub fn create(path: &Path) -> io::Result<Control> {
        let file =
            OpenOptions::new().read(true).write(true).create(true).truncate(true).open(path)?;
        file.set_len(BYTES as u64)?;
        let control = Control { path: path.to_owned(), file };
        control.set(Field::Room, u64::MAX)?;
        Ok(control)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn get(&self, field: Field) -> io::Result<u64> {
        let mut bytes = [0; 8];
        self.file.read_exact_at(&mut bytes, 8 * field as u64)?;
        Ok(u64::from_le_bytes(bytes))
    }

    fn set(&self, field: Field, value: u64) -> io::Result<()> {
        self.file.write_all_at(&value.to_le_bytes(), 8 * field as u64)
    }

    /// The bytes that are in the trace.
    pub fn length(&self) -> io::Result<u64> {
        self.get(Field::Length)
    }

    /// Calls that could have failed.
    pub fn calls(&self) -> io::Result<u64> {
        self.get(Field::Calls)
    }

    /// Calls that have failed.
    pub fn failed(&self) -> io::Result<u64> {
        self.get(Field::Failed)
    }

    /// The first call that failed, and on which file.
    pub fn failed_call(&self) -> io::Result<String> {
        let mut bytes = vec![0; BYTES - FAILED_CALL];
        self.file.read_exact_at(&mut bytes, FAILED_CALL as u64)?;
        let text = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
        Ok(String::from_utf8_lossy(text).into_owned())
    }

    /// Makes calls fail.
    pub fn plan(&self, fault: Fault) -> io::Result<()> {
        const EIO: u64 = 5;
        const ENOSPC: u64 = 28;
        self.set(Field::FailErrno, if fault.full { ENOSPC } else { EIO })?;
        self.set(Field::FailKeep, fault.keep.into())?;
        self.set(Field::FailTorn, fault.torn.into())?;
        self.set(Field::FailAt, fault.at)
    }

    /// Lets no more calls fail.
    pub fn heal(&self) -> io::Result<()> {
        self.set(Field::FailAt, 0)?;
        self.set(Field::Size, 0)?;
        self.set(Field::Room, u64::MAX)
    }

    /// Makes it a disk of which so many bytes are free, and no more.
    pub fn set_room(&self, bytes: u64) -> io::Result<()> {
        self.set(Field::Size, bytes)?;
        self.set(Field::Room, bytes)
    }

    /// Has this call or the next after it end the server; none if there is no number.
    pub fn kill_at(&self, call: Option<u64>) -> io::Result<()> {
        self.set(Field::KillAt, call.unwrap_or(0))
    }

    /// Lets calls on journals pass, and does not count them.
    pub fn spare_journals(&self) -> io::Result<()> {
        self.set(Field::NoJournals, 1)
    }

    /// Lets each sync take so long.
    pub fn slow_syncs(&self, micros: u64) -> io::Result<()> {
        self.set(Field::SyncMicros, micros)
    }
}

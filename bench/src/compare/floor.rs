//! The least that a durable write costs on a disk, if each is made durable on its own.

use crate::Failure;
use std::{
    fs::OpenOptions,
    io::Write,
    path::Path,
    time::{Duration, Instant},
};

const APPENDED: usize = 512;
const MOST_APPENDS: u64 = 10_000_000;

/// How many appends, each followed by fdatasync, one thread does in a second.
pub fn appends_per_second(directory: &Path, time: Duration) -> Result<f64, Failure> {
    let path = directory.join("floor");
    let mut file = OpenOptions::new().create(true).append(true).open(&path)?;
    let bytes = [b'x'; APPENDED];
    let started = Instant::now();
    let mut appends = 0;
    while started.elapsed() < time && appends < MOST_APPENDS {
        file.write_all(&bytes)?;
        file.sync_data()?;
        appends += 1;
    }
    Ok(appends as f64 / started.elapsed().as_secs_f64())
}

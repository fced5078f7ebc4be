//! What a server needs before anybody asks for anything: how long it takes to the first answer on an
//! empty directory, and its memory then.

use super::server::{Running, Server};
use crate::{Failure, load::median, scale::Memory};
use std::{
    path::Path,
    thread,
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// How often each server is started.
const STARTS: usize = 5;
/// How long a server is left alone before its memory is read.
const REST: Duration = Duration::from_millis(500);

/// What was measured of one server.
#[derive(Debug, Clone)]
pub struct Idle {
    /// The server's name.
    pub name: &'static str,
    /// Milliseconds from its start to its first answer: the median.
    pub start_ms: f64,
    /// Its memory then.
    pub idle: Memory,
    /// Its memory after all measurements.
    pub after: Option<Memory>,
}

impl Idle {
    /// Starts a server several times, each on a directory of its own.
    pub fn measure(server: Server, program: &Path, directory: &Path) -> Result<Idle, Failure> {
        let mut times = Vec::new();
        // The server goes before the directory it is on.
        let mut last: Option<(Running, TempDir)> = None;
        for _ in 0..STARTS {
            drop(last.take());
            let empty = tempfile::tempdir_in(directory)?;
            let begin = Instant::now();
            let running = server.start(program, empty.path())?;
            times.push(begin.elapsed().as_secs_f64() * 1e3);
            last = Some((running, empty));
        }
        thread::sleep(REST);
        let (running, _empty) = last.ok_or("no start")?;
        let idle = Memory::of(running.process.id())?;
        Ok(Idle { name: server.name(), start_ms: median(&times), idle, after: None })
    }
}

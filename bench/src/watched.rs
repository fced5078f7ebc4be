//! What a server takes while a campaign goes on: memory and sockets, and whether it panics.

use crate::{Failure, scale::Memory};
use std::{
    fs,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

const ROUND: Duration = Duration::from_millis(20);

/// Looks at a process again and again.
pub struct Watch {
    most: Arc<AtomicU64>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Watch {
    /// Begins to watch the memory of a process.
    pub fn begin(process: u32) -> Watch {
        let (most, stop) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
        let (seen, stopped) = (Arc::clone(&most), Arc::clone(&stop));
        let thread = thread::spawn(move || {
            while !stopped.load(Ordering::Relaxed) {
                if let Ok(memory) = Memory::of(process) {
                    seen.fetch_max(memory.resident, Ordering::Relaxed);
                }
                thread::sleep(ROUND);
            }
        });
        Watch { most, stop, thread: Some(thread) }
    }

    /// The most memory it had.
    pub fn most(&self) -> u64 {
        self.most.load(Ordering::Relaxed)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// How many sockets a process has open.
pub fn sockets(process: u32) -> Result<u64, Failure> {
    let entries = fs::read_dir(format!("/proc/{process}/fd"))?;
    // One that has gone meanwhile is none.
    let links = entries.filter_map(|entry| fs::read_link(entry.ok()?.path()).ok());
    Ok(links.filter(|link| link.to_string_lossy().starts_with("socket:")).count() as u64)
}

/// Waits until a process has no more than so many sockets; how many it has then.
pub fn sockets_back(process: u32, bound: u64, patience: Duration) -> Result<u64, Failure> {
    let until = Instant::now() + patience;
    loop {
        let there = sockets(process)?;
        if there <= bound || Instant::now() >= until {
            return Ok(there);
        }
        thread::sleep(ROUND);
    }
}

/// Panics and failures that a server's log tells of.
pub fn failures(log: &Path) -> Result<Vec<String>, Failure> {
    let text = fs::read(log)?;
    let text = String::from_utf8_lossy(&text);
    let bad = |line: &&str| line.contains("panicked at") || line.contains("failed inside");
    Ok(text.lines().filter(bad).map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_in_the_log_is_found() {
        let directory = tempfile::tempdir().unwrap();
        let log = directory.path().join("log");
        fs::write(&log, "INFO serving\nthread 'x' panicked at src/a.rs:1:2:\nno\n").unwrap();
        assert_eq!(failures(&log).unwrap(), ["thread 'x' panicked at src/a.rs:1:2:"]);
    }

    #[test]
    fn memory_and_sockets_of_this_process_are_seen() {
        let watch = Watch::begin(std::process::id());
        thread::sleep(4 * ROUND);
        assert!(watch.most() > 0);
        let before = sockets(std::process::id()).unwrap();
        let _listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        assert!(sockets(std::process::id()).unwrap() > before);
    }
}

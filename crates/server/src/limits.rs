//! How much clients may ask for at once, and how long the server waits for them. Follows from what
//! the machine has, so that no crowd of clients can take all of it.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::{fs, time::Duration};

/// More connections than this are of no use to one server.
const MOST_CONNECTIONS: u64 = 10_000;
/// Files that the store may have open besides.
const MOST_FILES: u64 = 2_000;
/// A machine says nothing about its memory: it has this.
const USUAL_MEMORY: u64 = 4 << 30;
/// Each kind of memory gets this part of all there is, within bounds.
const PART: u64 = 16;
const LEAST_MEMORY: u64 = 128 << 20;
const MOST_MEMORY: u64 = 512 << 20;

/// What clients together may have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Connections at once.
    pub connections: usize,
    /// How long a client may be silent within a request, and how long it may take to start one.
    pub patience: Duration,
    /// Bytes for each kind of memory: large bodies, answers to reads of single items, pages.
    pub memory: usize,
}

impl Limits {
    /// How long the server waits for a client if nobody says otherwise.
    pub const PATIENCE: Duration = Duration::from_secs(60);

    /// The limits of this machine. Takes all the file descriptors that the system gives.
    pub fn of_this_machine() -> Limits {
        let descriptors = descriptors();
        let files = (descriptors / 4).min(MOST_FILES);
        let connections = descriptors.saturating_sub(files).clamp(1, MOST_CONNECTIONS);
        let memory = (memory() / PART).clamp(LEAST_MEMORY, MOST_MEMORY);
        Limits {
            connections: usize::try_from(connections).unwrap_or(1),
            patience: Limits::PATIENCE,
            memory: usize::try_from(memory).unwrap_or(usize::MAX),
        }
    }
}

/// Raises the number of file descriptors as far as the system allows, and gives it.
fn descriptors() -> u64 {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: maximum, maximum };
    match setrlimit(Resource::Nofile, raised) {
        Ok(()) => maximum.unwrap_or(u64::MAX),
        Err(error) => {
            tracing::debug!(%error, "no more file descriptors");
            current.unwrap_or(u64::MAX)
        }
    }
}

/// The memory of the machine, or of the group of processes if that is less.
fn memory() -> u64 {
    let machine = fs::read_to_string("/proc/meminfo").ok().and_then(|text| total(&text));
    let group = fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
    let group = group.and_then(|text| text.trim().parse().ok());
    machine.unwrap_or(USUAL_MEMORY).min(group.unwrap_or(u64::MAX))
}

fn total(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_are_raised_and_leave_room_for_files() {
        let limits = Limits::of_this_machine();
        let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
        assert_eq!(current, maximum);
        let all = usize::try_from(current.unwrap_or(u64::MAX)).unwrap_or(usize::MAX);
        assert!(limits.connections >= 1 && limits.connections < all);
        assert!((LEAST_MEMORY..=MOST_MEMORY).contains(&(limits.memory as u64)));
    }

    #[test]
    fn memory_is_read_as_linux_writes_it() {
        assert_eq!(total("MemFree: 1 kB\nMemTotal:       2048 kB\n"), Some(2048 * 1024));
        assert_eq!(total("nothing"), None);
    }
}

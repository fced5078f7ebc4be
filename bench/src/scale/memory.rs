//! What the server takes: memory as Linux counts it, and room on the disk.

use crate::Failure;
use std::{fs, os::unix::fs::MetadataExt, path::Path};

/// A process's resident memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Memory {
    /// All of it, with files that are mapped.
    pub resident: u64,
    /// The part that is in no file: what the program has allocated.
    pub anonymous: u64,
}

impl Memory {
    /// What a running process has now.
    pub fn of(process: u32) -> Result<Memory, Failure> {
        let status = fs::read_to_string(format!("/proc/{process}/status"))?;
        Memory::read(&status).ok_or_else(|| "no figures of memory in /proc".into())
    }

    fn read(status: &str) -> Option<Memory> {
        let bytes = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
            let kibibytes: u64 = line?.trim().strip_suffix("kB")?.trim().parse().ok()?;
            Some(kibibytes * 1024)
        };
        Some(Memory { resident: bytes("VmRSS")?, anonymous: bytes("RssAnon")? })
    }
}

/// What a directory takes on the disk, with all below it.
pub fn disk_bytes(directory: &Path) -> Result<u64, Failure> {
    let mut bytes = 0;
    let mut open = vec![directory.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory)? {
            let entry = entry?;
            // The server goes on; what it removes meanwhile takes nothing.
            let Ok(metadata) = entry.metadata() else { continue };
            if metadata.is_dir() {
                open.push(entry.path());
            } else {
                bytes += metadata.blocks() * 512;
            }
        }
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_read_from_a_status() {
        let status = "Name:\tmonotable\nVmRSS:\t   2048 kB\nRssAnon:\t     512 kB\nThreads:\t3\n";
        let memory = Memory { resident: 2048 * 1024, anonymous: 512 * 1024 };
        assert_eq!(Memory::read(status), Some(memory));
        assert_eq!(Memory::read("VmRSS:\t 1 kB\n"), None);
    }

    #[test]
    fn the_memory_of_this_process_is_found() {
        let memory = Memory::of(std::process::id()).unwrap();
        assert!(memory.anonymous > 0 && memory.anonymous <= memory.resident);
    }
}

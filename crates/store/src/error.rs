//! What can go wrong in a store, in words a person can act on.

use bytes::Bytes;
use std::path::{Path, PathBuf};

/// Why a store could not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// An earlier failure makes it impossible to say what is durable.
    #[error(
        "the store stopped after a failure and refuses everything until the server is restarted: {reason}"
    )]
    Poisoned {
        /// The failure.
        reason: String,
    },

    /// The store has been closed.
    #[error("the store is closed")]
    Closed,

    /// Stored data is missing or is not what was written.
    #[error("{} is damaged: {reason}", path.display())]
    Damaged {
        /// The file or directory at fault.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },

    /// Another process, or another store of this process, works on the directory.
    #[error("{} is in use by another running server; stop it, or choose another data directory", path.display())]
    Locked {
        /// The data directory.
        path: PathBuf,
    },

    /// The operating system refused to read or write.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or directory that was worked on.
        path: PathBuf,
        /// The answer of the operating system.
        source: std::io::Error,
    },

    /// What is free on the disk is kept for what has been taken already.
    #[error(
        "{} is full: {free} bytes are free, of which {kept} are kept; nothing is written until there is more room",
        path.display()
    )]
    Full {
        /// A directory on the disk.
        path: PathBuf,
        /// Bytes that are free.
        free: u64,
        /// Bytes that are kept free.
        kept: u64,
    },

    /// The data directory is something else.
    #[error("{} is not a directory; a data directory is needed", path.display())]
    NotADirectory {
        /// What was given as the data directory.
        path: PathBuf,
    },

    /// The directory holds something this version does not know.
    #[error("{} does not say what this version can read: {found}", path.display())]
    UnknownFormat {
        /// The file that should name the format.
        path: PathBuf,
        /// What was found.
        found: String,
    },

    /// A key that no store can hold.
    #[error("a key {reason}")]
    InvalidKey {
        /// What keys must or must not be.
        reason: &'static str,
    },

    /// A value that no store can hold.
    #[error("a value of {length} bytes is longer than a store can hold")]
    ValueTooLong {
        /// Its length.
        length: usize,
    },

    /// An `Add` on a key whose value is not a pair of counters.
    #[error("the value is not a pair of counters")]
    NotACounter {
        /// The key, if it is known.
        key: Bytes,
    },
}

impl StoreError {
    pub(crate) fn io(path: impl Into<PathBuf>, source: std::io::Error) -> Self {
        Self::Io { path: path.into(), source }
    }

    pub(crate) fn damaged(path: impl Into<PathBuf>, reason: impl Into<String>) -> Self {
        Self::Damaged { path: path.into(), reason: reason.into() }
    }

    /// The file or directory this error is about, if it is about one.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Damaged { path, .. }
            | Self::Locked { path }
            | Self::Io { path, .. }
            | Self::Full { path, .. }
            | Self::NotADirectory { path }
            | Self::UnknownFormat { path, .. } => Some(path),
            Self::Poisoned { .. }
            | Self::Closed
            | Self::InvalidKey { .. }
            | Self::ValueTooLong { .. }
            | Self::NotACounter { .. } => None,
        }
    }
}

/// The text of a caught panic.
pub(crate) fn panic_text(panic: &(dyn std::any::Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("a panic without a message")
}

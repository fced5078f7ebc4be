//! The data directory: who may use it, what it says it holds, how the last run ended.
//!
//! `LOCK` is held while a store is open. `FORMAT` names the layout. `CLEAN` exists after a clean end and
//! names the last version. `REACHED` names a version that was acknowledged a while ago: it is written at
//! most once a second, and tells a lost end of the journal from a torn write. `UNSYNCED` exists while
//! commits are acknowledged before they are on disk.
//! `store` belongs to fjall; until it is complete it is called `store.creating`.

use crate::{Planted, StoreError, Version};
use rustix::fs::{FlockOperation, flock};
use std::{
    fs::{File, OpenOptions},
    io::{ErrorKind, Write as _},
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
};
use xxhash_rust::xxh3::xxh3_64;

const FORMAT: &str = "monotable 1";
const CREATING: &str = "store.creating";
const REACHED: &str = "REACHED";

/// A data directory that no one else may use.
pub(super) struct Directory {
    root: PathBuf,
    lock: File,
}

impl Drop for Directory {
    fn drop(&mut self) {
        // Closing the file is not enough while a process that is just being started has a copy of it.
        if let Err(error) = flock(&self.lock, FlockOperation::Unlock) {
            tracing::warn!(%error, "the lock of the data directory could not be released");
        }
    }
}

/// What a data directory holds.
#[derive(Debug, Eq, PartialEq)]
pub(super) enum Contents {
    /// Nothing, or the beginnings of a store that never took a commit.
    Nothing,
    /// A store.
    Store,
}

impl Directory {
    /// Makes the directory if need be, and takes its lock.
    pub fn lock(root: &Path) -> Result<Self, StoreError> {
        create(root)?;
        let path = root.join("LOCK");
        let lock = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .map_err(|error| StoreError::io(&path, error))?;
        match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Self { root: root.to_owned(), lock }),
            Err(rustix::io::Errno::WOULDBLOCK) => Err(StoreError::Locked { path: root.to_owned() }),
            Err(error) => Err(StoreError::io(path, error.into())),
        }
    }

    /// Takes the lock of a directory that is there, and makes nothing. Without a lock file there is nothing
    /// to take.
    pub fn lock_existing(root: &Path) -> Result<Self, StoreError> {
        let found = std::fs::metadata(root).map_err(|error| StoreError::io(root, error))?;
        if !found.is_dir() {
            return Err(StoreError::NotADirectory { path: root.to_owned() });
        }
        let path = root.join("LOCK");
        let lock = match File::open(&path) {
            Ok(lock) => lock,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                File::open(root).map_err(|error| StoreError::io(root, error))?
            }
            Err(error) => return Err(StoreError::io(path, error)),
        };
        match flock(&lock, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Self { root: root.to_owned(), lock }),
            Err(rustix::io::Errno::WOULDBLOCK) => Err(StoreError::Locked { path: root.to_owned() }),
            Err(error) => Err(StoreError::io(path, error.into())),
        }
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Where fjall keeps its files.
    pub fn store(&self) -> PathBuf {
        self.root.join("store")
    }

    fn creating(&self) -> PathBuf {
        self.root.join(CREATING)
    }

    /// Makes the names of all that is here durable. A process that was killed may not have come to it, and
    /// what follows must not be lost with a name from before.
    pub fn sync(&self, below: Vec<PathBuf>) -> Result<(), StoreError> {
        if Planted::SkipRecoverySync.is_on() {
            return Ok(());
        }
        for path in below {
            sync_directory(&path)?;
        }
        sync_directory(&self.root)?;
        match sync_directory(parent(&self.root)) {
            // Whoever may not look there has not made this directory there either.
            Err(StoreError::Io { source, .. }) if source.kind() == ErrorKind::PermissionDenied => {
                Ok(())
            }
            synced => synced,
        }
    }

    /// What is here, unless it is something of which this version must keep its hands.
    pub fn contents(&self) -> Result<Contents, StoreError> {
        let path = self.root.join("FORMAT");
        let format = match std::fs::read(&path) {
            Ok(format) => format,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return self.without_format(path);
            }
            Err(error) => return Err(StoreError::io(path, error)),
        };
        if format != format!("{FORMAT}\n").as_bytes() {
            let found = String::from_utf8_lossy(&format);
            let found = format!("expected \"{FORMAT}\", found {:?}", found.trim_end());
            return Err(StoreError::UnknownFormat { path, found });
        }
        if exists(&self.store())? {
            Ok(Contents::Store)
        } else if exists(&self.creating())? {
            Ok(Contents::Nothing)
        } else {
            Err(StoreError::damaged(
                self.store(),
                "it is missing, but FORMAT beside it says that it was created",
            ))
        }
    }

    fn without_format(&self, path: PathBuf) -> Result<Contents, StoreError> {
        let listing =
            std::fs::read_dir(&self.root).map_err(|error| StoreError::io(&self.root, error))?;
        for entry in listing {
            let name = entry.map_err(|error| StoreError::io(&self.root, error))?.file_name();
            // A fresh file system has a lost+found of its own.
            if !["LOCK", "FORMAT.tmp", CREATING, "lost+found"].iter().any(|known| name == *known) {
                let found = format!(
                    "it is missing, but the directory is not empty: it holds {}",
                    name.display()
                );
                return Err(StoreError::UnknownFormat { path, found });
            }
        }
        Ok(Contents::Nothing)
    }

    /// Has `build` make a store in a directory of its own, which becomes `store` once it is complete.
    ///
    /// A crash on the way leaves what [`Directory::contents`] knows as nothing, never half a store.
    pub fn create_store(
        &self,
        build: impl FnOnce(&Path) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let creating = self.creating();
        match std::fs::remove_dir_all(&creating) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(StoreError::io(creating, error)),
        }
        create(&creating)?;
        build(&creating)?;
        sync_directory(&creating)?;
        self.replace("FORMAT", &format!("{FORMAT}\n"))?;
        std::fs::rename(&creating, self.store())
            .map_err(|error| StoreError::io(self.store(), error))?;
        sync_directory(&self.root)
    }

    /// The last version of a store that ended cleanly.
    pub fn clean_end(&self) -> Result<Option<Version>, StoreError> {
        let path = self.root.join("CLEAN");
        let text = match std::fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(StoreError::io(path, error)),
        };
        let version = std::str::from_utf8(&text)
            .ok()
            .and_then(|text| text.split(' ').next()?.parse().ok())
            .map(Version)
            .filter(|version| clean_text(*version).as_bytes() == text);
        match version {
            Some(version) => Ok(Some(version)),
            None => Err(StoreError::damaged(
                path,
                "it does not hold a version and its checksum; remove it to open the store without the check \
                 that its last commit is there",
            )),
        }
    }

    pub fn mark_clean(&self, version: Version) -> Result<(), StoreError> {
        self.replace("CLEAN", &clean_text(version))?;
        self.remove("UNSYNCED")
    }

    pub fn unmark_clean(&self) -> Result<(), StoreError> {
        self.remove("CLEAN")
    }

    /// A version that was acknowledged, if one is known.
    pub fn reached(&self) -> Result<Option<Version>, StoreError> {
        let path = self.root.join(REACHED);
        let text = match std::fs::read(&path) {
            // A power cut may leave a file that was just made without what was written to it.
            Ok(text) if text.is_empty() => return Ok(None),
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(StoreError::io(path, error)),
        };
        let version = std::str::from_utf8(&text)
            .ok()
            .and_then(|text| text.split(' ').next()?.parse().ok())
            .map(Version)
            .filter(|version| reached_text(*version).as_bytes() == text);
        match version {
            Some(version) => Ok(Some(version)),
            None => Err(StoreError::damaged(
                path,
                "it does not hold a version and its checksum; remove it to open the store without the \
                 check that what was acknowledged is there",
            )),
        }
    }

    /// Whether a version that cannot be read may have been torn while it was written.
    pub fn may_be_torn_reached(&self) -> Result<bool, StoreError> {
        let path = self.root.join(REACHED);
        let length = std::fs::metadata(&path).map_err(|error| StoreError::io(path, error))?.len();
        Ok(length <= reached_text(Version(0)).len() as u64)
    }

    /// Notes a version that was acknowledged. It is not synced: that an older one may be left by a power
    /// cut makes the check weaker, not wrong.
    pub fn note_reached(&self, version: Version) -> Result<(), StoreError> {
        let path = self.root.join(REACHED);
        let write = || {
            let file = OpenOptions::new().create(true).truncate(false).write(true).open(&path)?;
            file.write_all_at(reached_text(version).as_bytes(), 0)
        };
        write().map_err(|error| StoreError::io(&path, error))
    }

    /// Whether the last run may have ended with acknowledged commits that were not on disk.
    pub fn is_unsynced(&self) -> Result<bool, StoreError> {
        exists(&self.root.join("UNSYNCED"))
    }

    pub fn mark_unsynced(&self, unsynced: bool) -> Result<(), StoreError> {
        if unsynced {
            self.replace("UNSYNCED", "opened with durability os\n")
        } else {
            self.remove("UNSYNCED")
        }
    }

    fn replace(&self, name: &str, text: &str) -> Result<(), StoreError> {
        let temporary = self.root.join(format!("{name}.tmp"));
        let write = || {
            let mut file = File::create(&temporary)?;
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            std::fs::rename(&temporary, self.root.join(name))
        };
        write().map_err(|error| StoreError::io(&temporary, error))?;
        sync_directory(&self.root)
    }

    fn remove(&self, name: &str) -> Result<(), StoreError> {
        let path = self.root.join(name);
        match std::fs::remove_file(&path) {
            Ok(()) => sync_directory(&self.root),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            Err(error) => Err(StoreError::io(path, error)),
        }
    }
}

fn clean_text(version: Version) -> String {
    let sum = xxh3_64(format!("clean {version}").as_bytes());
    format!("{version} {sum:016x}\n")
}

fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Always of the same length, as it is written over what is there.
fn reached_text(version: Version) -> String {
    let sum = xxh3_64(format!("reached {version}").as_bytes());
    format!("{:020} {sum:016x}\n", version.0)
}

/// Makes a directory and whatever is missing above it, so that it is still there after a power failure.
fn create(path: &Path) -> Result<(), StoreError> {
    match std::fs::metadata(path) {
        Ok(found) if found.is_dir() => return Ok(()),
        Ok(_) => {
            return Err(StoreError::NotADirectory { path: path.to_owned() });
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) if error.kind() == ErrorKind::NotADirectory => {
            return Err(StoreError::NotADirectory { path: path.to_owned() });
        }
        Err(error) => return Err(StoreError::io(path, error)),
    }
    let parent = parent(path);
    create(parent)?;
    match std::fs::create_dir(path) {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        Err(error) => return Err(StoreError::io(path, error)),
    }
    sync_directory(path)?;
    sync_directory(parent)
}

pub(super) fn exists(path: &Path) -> Result<bool, StoreError> {
    path.try_exists().map_err(|error| StoreError::io(path, error))
}

pub(super) fn sync_directory(path: &Path) -> Result<(), StoreError> {
    if Planted::SkipDirectorySync.is_on() {
        return Ok(());
    }
    File::open(path)
        .and_then(|directory| directory.sync_all())
        .map_err(|error| StoreError::io(path, error))
}

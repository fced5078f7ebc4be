//! A record of how far somebody has come: written to a file of its own, synced, and renamed, so
//! that a crash leaves the one before or the one behind.

use super::beside;
use crate::ending::Ending;
use serde::{Serialize, de::DeserializeOwned};
use std::{
    fs::{self, File},
    io::{self, ErrorKind, Write},
    path::{Path, PathBuf},
};

/// Where the record is.
#[derive(Debug, Clone)]
pub(crate) struct Record(PathBuf);

impl Record {
    pub(crate) fn at(file: PathBuf) -> Record {
        Record(file)
    }

    /// The file.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// What was recorded; none if nothing was.
    pub(crate) fn read<T: DeserializeOwned>(&self) -> Result<Option<T>, Ending> {
        let bytes = match fs::read(&self.0) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            outcome => outcome.map_err(Ending::file("read", &self.0))?,
        };
        match serde_json::from_slice(&bytes) {
            Ok(found) => Ok(Some(found)),
            Err(error) => Err(Ending::Failed(format!(
                "{} is no record of this command ({error}); --restart begins again",
                self.0.display()
            ))),
        }
    }

    /// Records. Before that, all that it tells of must be on the disk.
    pub(crate) fn write(&self, content: &impl Serialize) -> Result<(), Ending> {
        self.replace(content).map_err(Ending::file("write", &self.0))
    }

    fn replace(&self, content: &impl Serialize) -> io::Result<()> {
        let draft = beside(&self.0, ".draft");
        let mut file = File::create(&draft)?;
        file.write_all(&serde_json::to_vec(content)?)?;
        file.sync_all()?;
        fs::rename(&draft, &self.0)?;
        sync_directory_of(&self.0)
    }

    /// Forgets what was recorded.
    pub(crate) fn remove(&self) -> Result<(), Ending> {
        for file in [self.0.clone(), beside(&self.0, ".draft")] {
            match fs::remove_file(&file) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    return Err(Ending::file("remove", &file)(error));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Makes a name that was given or taken away in a directory outlast a crash of the machine.
pub(crate) fn sync_directory_of(file: &Path) -> io::Result<()> {
    let directory = file.parent().filter(|parent| !parent.as_os_str().is_empty());
    File::open(directory.unwrap_or(Path::new(".")))?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_come_back_until_they_are_removed() {
        let directory = tempfile::tempdir().unwrap();
        let record = Record::at(directory.path().join("state"));
        assert_eq!(record.read::<u64>().unwrap(), None);
        for number in [1u64, 2] {
            record.write(&number).unwrap();
            assert_eq!(record.read::<u64>().unwrap(), Some(number));
        }
        assert!(record.read::<String>().unwrap_err().to_string().contains("--restart"));
        record.remove().unwrap();
        record.remove().unwrap();
        assert_eq!(record.read::<u64>().unwrap(), None);
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
    }
}

//! What an export has left in the storage's folder.

use crate::Failure;
use serde_json::Value;
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

/// The bucket's name.
pub const BUCKET: &str = "bucket";

/// The folder of an export, by its ARN.
pub fn folder(storage: &Path, arn: &str) -> PathBuf {
    let id = arn.rsplit('/').next().unwrap_or_default();
    storage.join(BUCKET).join("AWSDynamoDB").join(id)
}

/// Whether there is a summary, which says that an export is whole.
pub fn is_summed_up(folder: &Path) -> bool {
    folder.join("manifest-summary.json").exists()
}

/// Data files of an export, as the manifest lists them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Files {
    /// How many.
    pub count: u64,
    /// Their bytes on the disk.
    pub bytes: u64,
    /// The items they hold.
    pub items: u64,
}

/// Reads the manifest, and checks it against what is there.
pub fn listed(folder: &Path) -> Result<Files, Failure> {
    let manifest = fs::read_to_string(folder.join("manifest-files.json"))?;
    let mut files = Files { count: 0, bytes: 0, items: 0 };
    let mut names = BTreeSet::new();
    for line in manifest.lines() {
        let file: Value = serde_json::from_str(line)?;
        let items = file.get("itemCount").and_then(Value::as_u64).ok_or("no itemCount")?;
        let key = file.get("dataFileS3Key").and_then(Value::as_str).ok_or("no dataFileS3Key")?;
        let name = key.rsplit('/').next().unwrap_or_default().to_owned();
        files.bytes += fs::metadata(folder.join("data").join(&name))?.len();
        files.items += items;
        files.count += 1;
        names.insert(name);
    }
    let mut there = BTreeSet::new();
    for entry in fs::read_dir(folder.join("data"))? {
        there.insert(entry?.file_name().to_string_lossy().into_owned());
    }
    if there != names {
        return Err(format!("the manifest lists {names:?}, and there are {there:?}").into());
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_not_listed_is_found() {
        let directory = tempfile::tempdir().unwrap();
        let folder = directory.path();
        fs::create_dir(folder.join("data")).unwrap();
        let line = |name: &str, items: u64| {
            format!(r#"{{"itemCount":{items},"dataFileS3Key":"AWSDynamoDB/1/data/{name}"}}"#)
        };
        let manifest = [line("a.json.gz", 2), line("b.json.gz", 3)].join("\n");
        fs::write(folder.join("manifest-files.json"), manifest).unwrap();
        fs::write(folder.join("data/a.json.gz"), "12").unwrap();
        assert!(listed(folder).is_err(), "b is missing");
        fs::write(folder.join("data/b.json.gz"), "345").unwrap();
        assert_eq!(listed(folder).unwrap(), Files { count: 2, bytes: 5, items: 5 });
        fs::write(folder.join("data/c.json.gz"), "").unwrap();
        assert!(listed(folder).is_err(), "nobody knows c");
    }
}

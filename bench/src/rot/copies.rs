//! Copies of data directories. What a server never writes into is shared with the original.

use std::{
    fs::{self, File},
    io::{self, Read, Write},
    path::{Path, PathBuf},
    time::SystemTime,
};

/// Makes a copy in which the files that will be damaged are its own.
pub fn copy(from: &Path, to: &Path, broken: &[PathBuf]) -> io::Result<()> {
    let (directories, files) = walk(from)?;
    for directory in directories {
        fs::create_dir_all(to.join(directory))?;
    }
    for file in files {
        let target = to.join(&file);
        let source = from.join(&file);
        if is_immutable(&file) && !broken.contains(&file) {
            fs::hard_link(&source, &target)?;
        } else {
            copy_sparse(&source, &target)?;
        }
    }
    Ok(())
}

/// Tables are written once.
fn is_immutable(file: &Path) -> bool {
    file.parent().is_some_and(|parent| parent.ends_with("tables"))
}

/// Journals are mostly zeros that are not on disk.
fn copy_sparse(from: &Path, to: &Path) -> io::Result<()> {
    let length = fs::metadata(from)?.len();
    let mut contents = vec![0; 1 << 16];
    let (mut source, mut target) = (File::open(from)?, File::create(to)?);
    loop {
        let read = source.read(&mut contents)?;
        let part = contents.get(..read).unwrap_or_default();
        // Behind the first such part there are only zeros.
        if read == 0 || part.iter().all(|byte| *byte == 0) {
            break;
        }
        target.write_all(part)?;
    }
    target.set_len(length)
}

/// All files in a directory and below, by their path in it.
pub fn files(root: &Path) -> io::Result<Vec<PathBuf>> {
    walk(root).map(|(_, files)| files)
}

/// All directories, each after the one it is in, and all files.
fn walk(root: &Path) -> io::Result<(Vec<PathBuf>, Vec<PathBuf>)> {
    let mut found = Vec::new();
    let mut directories = vec![PathBuf::new()];
    let mut next = 0;
    while let Some(directory) = directories.get(next).cloned() {
        next += 1;
        for entry in fs::read_dir(root.join(&directory))? {
            let entry = entry?;
            let path = directory.join(entry.file_name());
            if entry.file_type()?.is_dir() {
                directories.push(path);
            } else {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok((directories, found))
}

/// What the files of a directory look like from outside.
pub fn look(root: &Path) -> io::Result<Vec<(PathBuf, u64, Option<SystemTime>)>> {
    files(root)?
        .into_iter()
        .map(|file| {
            let metadata = fs::metadata(root.join(&file))?;
            Ok((file, metadata.len(), metadata.modified().ok()))
        })
        .collect()
}

//! Files of exports and imports: what their names say, and records of how far somebody has come
//! that are there whole or not at all.

mod format;
mod record;

pub(crate) use format::{FileFormat, compression, format_of};
pub(crate) use record::{Record, sync_directory_of};

use std::path::{Path, PathBuf};

/// A file beside another, with something behind its name.
pub(crate) fn beside(file: &Path, suffix: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

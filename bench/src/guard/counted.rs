//! A server under callgrind.

use super::operation::{ITEMS, Operation, create, put};
use crate::{
    Failure, dynamo,
    http::Connection,
    monotable::{Monotable, Storage, start_with},
};
use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    time::Duration,
};
use tempfile::TempDir;

/// Under callgrind all is some fifty times slower.
const PATIENCE: Duration = Duration::from_secs(300);
/// How often each operation is sent before it is counted: caches and pools are filled then.
const FIRST: u64 = 20;

/// Where servers are started.
pub struct Bench {
    place: TempDir,
    program: PathBuf,
}

impl Bench {
    /// Prepares to start that server.
    pub fn new(server: &Path) -> Result<Bench, Failure> {
        let place = tempfile::tempdir()?;
        let program = place.path().join("counted");
        let server = server.canonicalize()?;
        // One thread for requests: how work is spread over threads changes what it takes.
        let script = format!(
            "#!/bin/sh\nTOKIO_WORKER_THREADS=1 exec valgrind --tool=callgrind \
             --callgrind-out-file='{}' '{}' \"$@\"\n",
            place.path().join("counts").display(),
            server.display(),
        );
        fs::write(&program, script)?;
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755))?;
        Ok(Bench { place, program })
    }

    /// The instructions of a server's life in which an operation is sent many times, or never.
    pub fn instructions(&self, operation: Option<Operation>) -> Result<u64, Failure> {
        let (data, log) = (self.place.path().join("data"), self.place.path().join("log"));
        let Monotable { mut process, endpoint } =
            start_with(&self.program, Storage::Disk(&data), &["--log", "error"], &log)?
                .ready(PATIENCE)
                .map_err(|error| {
                    format!("{error}\n{}", fs::read_to_string(&log).unwrap_or_default())
                })?;
        let mut connection = Connection::open(&endpoint, PATIENCE)?;
        dynamo::send(&mut connection, "CreateTable", &create())?;
        dynamo::settle(&mut connection, "guard", true, PATIENCE)?;
        for number in 0..ITEMS {
            dynamo::send(&mut connection, "PutItem", &put(number, 0).to_string())?;
        }
        for turn in 0..FIRST {
            for operation in Operation::ALL {
                dynamo::send(&mut connection, operation.target(), &operation.request(turn))?;
            }
        }
        if let Some(operation) = operation {
            for turn in FIRST..FIRST + operation.times() {
                dynamo::send(&mut connection, operation.target(), &operation.request(turn))?;
            }
        }
        drop(connection);
        if process.terminate(PATIENCE)?.is_none() {
            return Err("the server does not end".into());
        }
        fs::remove_dir_all(&data)?;
        let counts = fs::read_to_string(self.place.path().join("counts"))?;
        total(&counts).ok_or_else(|| "callgrind left no total".into())
    }
}

/// The total in what callgrind writes.
fn total(counts: &str) -> Option<u64> {
    let line = counts.lines().find_map(|line| line.strip_prefix("totals:"))?;
    line.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_is_found() {
        assert_eq!(total("fn=(1)\n1 2\n\ntotals: 1234\n"), Some(1234));
        assert_eq!(total("fn=(1)\n"), None);
    }
}

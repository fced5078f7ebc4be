//! Starts a server above the layer.

use super::Control;
use crate::monotable::{self, Monotable, Storage};
use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
    time::Duration,
};

/// The longest that a server may take to repair and start.
const START_PATIENCE: Duration = Duration::from_secs(60);
/// Arguments that leave more to be checked: shards of streams that are closed while clients write.
const ARGUMENTS: [&str; 2] = ["--stream-shards", "2"];

/// The layer, the server above it and the fault that is planted in the server.
#[derive(Debug, Clone)]
pub struct Layer {
    /// The server.
    pub program: PathBuf,
    /// The library.
    pub library: PathBuf,
    /// The name of a fault.
    pub planted: Option<String>,
}

impl Layer {
    /// A layer whose files are there.
    pub fn new(
        program: &Path,
        library: &Path,
        planted: Option<&str>,
    ) -> Result<Layer, std::io::Error> {
        Ok(Layer {
            program: program.canonicalize()?,
            library: library.canonicalize()?,
            planted: planted.map(str::to_owned),
        })
    }

    /// Starts a server with its data in `data` below `root`.
    pub fn start(
        &self,
        root: &Path,
        control: &Control,
        trace: Option<&Path>,
        log: &Path,
    ) -> Result<Monotable, String> {
        let mut environment: Vec<(&str, OsString)> = vec![
            ("LD_PRELOAD", self.library.clone().into()),
            ("DISK_ROOT", root.into()),
            ("DISK_CONTROL", control.path().into()),
        ];
        if let Some(trace) = trace {
            environment.push(("DISK_TRACE", trace.into()));
        }
        if let Some(planted) = &self.planted {
            environment.push(("MONOTABLE_PLANTED", planted.into()));
        }
        // Backtraces of panics are of use, and only there when they are asked for.
        if env::var_os("RUST_BACKTRACE").is_none() {
            environment.push(("RUST_BACKTRACE", "1".into()));
        }
        let data = root.join("data");
        monotable::start_in(&self.program, Storage::Disk(&data), &ARGUMENTS, &environment, log)?
            .ready(START_PATIENCE)
    }
}

//! `monotable verify` on what was loaded: it must find nothing, and says how long it takes.

use crate::Failure;
use std::{
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

/// What `verify` said.
pub struct Verified {
    pub time: Duration,
    pub healthy: bool,
    /// Its words: what it looked at, and what it found.
    pub said: String,
}

/// Runs `verify` on a directory that no server uses.
pub fn verify(program: &Path, data: &Path) -> Result<Verified, Failure> {
    let started = Instant::now();
    let output = Command::new(program).arg("verify").arg(data).stdin(Stdio::null()).output()?;
    let mut said = String::from_utf8_lossy(&output.stdout).into_owned();
    said.push_str(&String::from_utf8_lossy(&output.stderr));
    Ok(Verified { time: started.elapsed(), healthy: output.status.success(), said })
}

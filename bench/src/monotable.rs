//! Starts the Monotable server as a person would, and learns its endpoint from what it prints.

use crate::{http::Endpoint, process::Process};
use std::{
    env,
    ffi::OsStr,
    fs::OpenOptions,
    io::{BufRead, BufReader},
    path::Path,
    process::{Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

/// A server that has just been started.
pub struct Starting {
    process: Process,
    endpoint: mpsc::Receiver<String>,
}

/// A server that takes requests.
pub struct Monotable {
    /// The program.
    pub process: Process,
    /// Where it listens.
    pub endpoint: Endpoint,
}

/// Where a server keeps its data.
#[derive(Debug, Clone, Copy)]
pub enum Storage<'a> {
    /// In a directory; what is acknowledged is on disk.
    Disk(&'a Path),
    /// In memory.
    Memory,
}

/// Starts the server with its defaults, with its log added to a file.
pub fn start(program: &Path, storage: Storage<'_>, log: &Path) -> Result<Starting, String> {
    start_with(program, storage, &[], log)
}

/// Starts the server with further arguments.
pub fn start_with(
    program: &Path,
    storage: Storage<'_>,
    arguments: &[&str],
    log: &Path,
) -> Result<Starting, String> {
    start_in(program, storage, arguments, &[] as &[(&str, &str)], log)
}

/// Starts the server with further arguments and settings of its environment.
pub fn start_in(
    program: &Path,
    storage: Storage<'_>,
    arguments: &[&str],
    environment: &[(&str, impl AsRef<OsStr>)],
    log: &Path,
) -> Result<Starting, String> {
    let opened = OpenOptions::new().create(true).append(true).open(log);
    let log = opened.map_err(|error| format!("cannot write {}: {error}", log.display()))?;
    let mut command = Command::new(program);
    // What is measured must not depend on who measures.
    for (name, _) in env::vars_os().filter(|(name, _)| is_setting(name)) {
        command.env_remove(name);
    }
    command.envs(environment.iter().map(|(name, value)| (name, value)));
    command.args(["serve", "--port", "0"]);
    match storage {
        Storage::Disk(data) => command.args(["--durability", "sync", "--data"]).arg(data),
        Storage::Memory => command.arg("--memory"),
    };
    command.args(arguments);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log);
    let mut process = Process::start(&mut command)?;
    let (found, endpoint) = mpsc::channel();
    if let Some(output) = process.output() {
        // To its end, so that the server never waits for a reader.
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if let Some(url) = line.strip_prefix("  endpoint  ") {
                    let _ = found.send(url.trim().to_owned());
                }
            }
        });
    }
    Ok(Starting { process, endpoint })
}

fn is_setting(name: &OsStr) -> bool {
    // A fault is planted by whoever wants it found.
    name.as_encoded_bytes().starts_with(b"MONOTABLE_") && name != "MONOTABLE_PLANTED"
}

impl Starting {
    /// Waits until the server says where it listens.
    pub fn ready(mut self, patience: Duration) -> Result<Monotable, String> {
        match self.endpoint.recv_timeout(patience) {
            Ok(url) => Ok(Monotable { process: self.process, endpoint: Endpoint::parse(&url)? }),
            Err(mpsc::RecvTimeoutError::Timeout) => {
                Err(format!("the server did not say where it listens within {patience:?}"))
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => match self.process.ended() {
                Ok(Some(status)) => Err(format!("the server did not start: {status}")),
                _ => Err("the server did not start".to_owned()),
            },
        }
    }

    /// Kills the server, wherever it is in its start.
    pub fn kill(mut self) -> std::io::Result<()> {
        self.process.kill()
    }
}

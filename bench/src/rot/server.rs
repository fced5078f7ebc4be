//! The program under test, as a server and as `monotable verify`.

use crate::{http::Endpoint, process::Process};
use std::{
    env, fs,
    fs::File,
    io::{BufRead, BufReader, Read},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

/// The longest that a server may take to start, and `verify` to look.
const PATIENCE: Duration = Duration::from_secs(30);

/// The monotable program, with a fault of its own or without.
pub struct Program {
    pub path: PathBuf,
    pub planted: Option<String>,
}

/// A server that takes requests.
pub struct Server {
    pub process: Process,
    pub endpoint: Endpoint,
}

/// Why there is no server.
pub enum NoServer {
    /// It ended by itself.
    Ended,
    /// It neither serves nor ends.
    Hangs,
    /// It could not even be tried.
    Failed(String),
}

/// What `verify` said.
pub struct Verdict {
    pub status: Option<i32>,
    pub output: String,
}

impl Program {
    fn command(&self) -> Command {
        let mut command = Command::new(&self.path);
        for (name, _) in env::vars_os() {
            if name.as_encoded_bytes().starts_with(b"MONOTABLE_") {
                command.env_remove(name);
            }
        }
        if let Some(planted) = &self.planted {
            command.env("MONOTABLE_PLANTED", planted);
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        command
    }

    /// Starts a server on a directory.
    pub fn serve(&self, data: &Path, synced: bool, log: &Path) -> Result<Server, NoServer> {
        let failed = |error: String| NoServer::Failed(error);
        let log = File::create(log).map_err(|error| failed(error.to_string()))?;
        let mut command = self.command();
        let durability = if synced { "sync" } else { "os" };
        command.args(["serve", "--port", "0", "--cache-mb", "16", "--stream-shards", "2"]);
        command.args(["--durability", durability, "--data"]).arg(data).stderr(log);
        let mut process = Process::start(&mut command).map_err(failed)?;
        let (found, endpoint) = mpsc::channel();
        if let Some(output) = process.output() {
            thread::spawn(move || {
                for line in BufReader::new(output).lines().map_while(Result::ok) {
                    if let Some(url) = line.strip_prefix("  endpoint  ") {
                        let _ = found.send(url.trim().to_owned());
                    }
                }
            });
        }
        match endpoint.recv_timeout(PATIENCE) {
            Ok(url) => {
                let endpoint = Endpoint::parse(&url).map_err(failed)?;
                Ok(Server { process, endpoint })
            }
            Err(mpsc::RecvTimeoutError::Timeout) => Err(NoServer::Hangs),
            Err(mpsc::RecvTimeoutError::Disconnected) => {
                let deadline = Instant::now() + PATIENCE;
                loop {
                    match process.ended() {
                        Ok(Some(_)) => return Err(NoServer::Ended),
                        Ok(None) if Instant::now() < deadline => {
                            thread::sleep(Duration::from_millis(1));
                        }
                        _ => return Err(NoServer::Hangs),
                    }
                }
            }
        }
    }

    /// Runs `verify` on a directory.
    pub fn verify(&self, data: &Path, log: &Path) -> Result<Verdict, String> {
        let errors = File::create(log).map_err(|error| error.to_string())?;
        let mut command = self.command();
        command.arg("verify").arg(data).stderr(errors);
        let mut process = Process::start(&mut command)?;
        let mut output = String::new();
        if let Some(mut stdout) = process.output() {
            stdout.read_to_string(&mut output).map_err(|error| error.to_string())?;
        }
        let deadline = Instant::now() + PATIENCE;
        let status = loop {
            match process.ended().map_err(|error| error.to_string())? {
                Some(status) => break status.code(),
                None if Instant::now() >= deadline => break None,
                None => thread::sleep(Duration::from_millis(1)),
            }
        };
        output.push_str(&fs::read_to_string(log).unwrap_or_default());
        Ok(Verdict { status, output })
    }
}

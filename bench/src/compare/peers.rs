//! Other servers of the DynamoDB API, as their own documents say to start them.

use crate::{Failure, cli::CompareOptions, dynamo, http, http::Endpoint, process::Process};
use std::{
    fs::File,
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// A server to start.
pub struct Peer {
    /// What it is called.
    pub name: &'static str,
    /// Where it will listen.
    pub endpoint: Endpoint,
    /// `file` or `directory`.
    pub keeps_its_data_in: &'static str,
    program: PathBuf,
    port: u16,
}

/// The servers that the command line asks for.
pub fn asked_for(options: &CompareOptions) -> Vec<Peer> {
    let peers =
        [("dynoxide", &options.dynoxide, "file"), ("dynalite", &options.dynalite, "directory")];
    let asked_for = peers.into_iter().filter_map(|(name, program, keeps)| {
        let port = free_port()?;
        Some(Peer {
            name,
            endpoint: Endpoint::local(port),
            keeps_its_data_in: keeps,
            program: program.clone()?,
            port,
        })
    });
    asked_for.collect()
}

/// A port that nobody uses at this moment.
fn free_port() -> Option<u16> {
    let listener = TcpListener::bind("127.0.0.1:0").ok()?;
    Some(listener.local_addr().ok()?.port())
}

impl Peer {
    /// Starts it, with its data and its log in a directory.
    pub fn start(&self, directory: &Path) -> Result<Process, Failure> {
        let port = self.port.to_string();
        let data = directory.join(self.name);
        let mut command = Command::new(&self.program);
        match self.name {
            "dynoxide" => command.args(["--host", "127.0.0.1", "--port", &port, "--db-path"]),
            _ => command.args(["--port", &port, "--path"]),
        };
        let log = File::create(directory.join(format!("{}.log", self.name)))?;
        command.arg(data).stdin(Stdio::null());
        command.stdout(log.try_clone()?).stderr(log);
        Ok(Process::start(&mut command)?)
    }

    /// Waits until it answers.
    pub fn wait(&self, patience: Duration) -> Result<(), Failure> {
        let deadline = Instant::now() + patience;
        loop {
            let answered = http::Connection::open(&self.endpoint, patience)
                .map_err(dynamo::RequestError::Call)
                .and_then(|mut connection| dynamo::send(&mut connection, "ListTables", "{}"));
            match answered {
                Ok(()) => return Ok(()),
                Err(error) if Instant::now() >= deadline => {
                    return Err(format!("{} does not answer: {error}", self.name).into());
                }
                Err(_) => thread::sleep(Duration::from_millis(50)),
            }
        }
    }
}

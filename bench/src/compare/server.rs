//! The servers that are started, as their own documents say to start them. One that is not being
//! measured is stopped (SIGSTOP), so that it takes nothing from the others.

use super::{CompareOptions, START_PATIENCE};
use crate::{
    Failure, dynamo,
    http::{self, Endpoint},
    load::{Contender, Pace, Plan, Role, Round, Target, Workload},
    monotable::{self, Storage},
    process::Process,
};
use std::{
    fs::File,
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    rc::Rc,
    thread,
    time::{Duration, Instant},
};

/// How long to wait before a server that does not answer yet is asked again.
const PAUSE: Duration = Duration::from_millis(1);

/// A server to start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Server {
    Monotable,
    MonotableMemory,
    DynoxideFile,
    DynoxideMemory,
    Dynalite,
    Moto,
}

/// A server that runs.
pub struct Running {
    /// The program.
    pub process: Process,
    /// Where it listens.
    pub endpoint: Endpoint,
}

impl Server {
    /// What to call it.
    pub fn name(self) -> &'static str {
        match self {
            Server::Monotable => "monotable",
            Server::MonotableMemory => "monotable memory",
            Server::DynoxideFile => "dynoxide file",
            Server::DynoxideMemory => "dynoxide memory",
            Server::Dynalite => "dynalite",
            Server::Moto => "moto",
        }
    }

    /// What it is there for.
    pub fn role(self) -> Role {
        match self {
            Server::Monotable | Server::MonotableMemory => Role::Ours,
            _ => Role::Peer,
        }
    }

    /// When it answers a write.
    pub fn acknowledges(self) -> &'static str {
        match self {
            Server::Monotable => "after fsync (--durability sync)",
            Server::DynoxideFile => "as by default with a database file",
            _ => "from memory; nothing is on disk",
        }
    }

    /// Its program, or why there is none.
    pub fn program(self, options: &CompareOptions) -> Result<PathBuf, String> {
        let place = match self {
            Server::Monotable | Server::MonotableMemory => return Ok(options.server.clone()),
            Server::DynoxideFile | Server::DynoxideMemory => "bin/dynoxide",
            Server::Dynalite => "node_modules/.bin/dynalite",
            Server::Moto => "moto/bin/moto_server",
        };
        let peers = options.peers.as_ref().ok_or("no --peers directory was given")?;
        let program = peers.join(place);
        if program.is_file() {
            Ok(program)
        } else {
            Err(format!("{place} is not in {}; try make bench-peers", peers.display()))
        }
    }

    /// Starts it, with its data and its log in a directory, and waits until it answers.
    pub fn start(self, program: &Path, directory: &Path) -> Result<Running, Failure> {
        let log = directory.join(format!("{}.log", self.name()));
        let data = directory.join(self.name());
        let storage = match self {
            Server::Monotable => Some(Storage::Disk(&data)),
            Server::MonotableMemory => Some(Storage::Memory),
            _ => None,
        };
        let running = match storage {
            Some(storage) => {
                let started = monotable::start(program, storage, &log)?;
                let started = started.ready(START_PATIENCE)?;
                Running { process: started.process, endpoint: started.endpoint }
            }
            None => self.start_peer(program, &data, &log)?,
        };
        running.wait(self.name())?;
        Ok(running)
    }

    fn start_peer(self, program: &Path, data: &Path, log: &Path) -> Result<Running, Failure> {
        let number = free_port()?;
        let port = number.to_string();
        let mut command = Command::new(program);
        match self {
            Server::Moto => command.args(["-H", "127.0.0.1", "-p", &port]),
            _ => command.args(["--host", "127.0.0.1", "--port", &port]),
        };
        if self == Server::DynoxideFile {
            command.arg("--db-path").arg(data);
        }
        let log = File::create(log)?;
        command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        let process = Process::start(&mut command)?;
        Ok(Running { process, endpoint: Endpoint::local(number) })
    }
}

/// A port that nobody uses at this moment.
fn free_port() -> Result<u16, Failure> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

impl Running {
    /// Waits until it answers.
    fn wait(&self, name: &str) -> Result<(), Failure> {
        let deadline = Instant::now() + START_PATIENCE;
        loop {
            let answered = http::Connection::open(&self.endpoint, START_PATIENCE)
                .map_err(dynamo::RequestError::Call)
                .and_then(|mut connection| dynamo::send(&mut connection, "ListTables", "{}"));
            match answered {
                Ok(()) => return Ok(()),
                Err(error) if Instant::now() >= deadline => {
                    return Err(format!("{name} does not answer: {error}").into());
                }
                Err(_) => thread::sleep(PAUSE),
            }
        }
    }
}

/// A server of ours or a peer's that runs only while it is measured.
pub struct Started {
    target: Target,
    role: Role,
    running: Rc<Running>,
}

impl Started {
    /// One of the tables of a server.
    pub fn new(target: Target, role: Role, running: Rc<Running>) -> Started {
        Started { target, role, running }
    }
}

impl Contender for Started {
    fn name(&self) -> &str {
        &self.target.name
    }

    fn role(&self) -> Role {
        self.role
    }

    fn measure(
        &mut self,
        workload: Workload,
        connections: u32,
        pace: Pace,
        plan: &Plan,
    ) -> Result<Round, String> {
        self.running.process.resume().map_err(|error| error.to_string())?;
        let round = self.target.measure(workload, connections, pace, plan);
        self.running.process.pause().map_err(|error| error.to_string())?;
        round
    }
}

/// One that cannot be measured.
pub struct Absent {
    name: String,
    why: String,
    /// It was there, but did not do what it should.
    failed: bool,
}

impl Absent {
    /// It is not installed.
    pub fn missing(name: &str, why: String) -> Absent {
        Absent { name: name.to_owned(), why, failed: false }
    }

    /// It does not start, or takes no table.
    pub fn failed(name: &str, why: String) -> Absent {
        Absent { name: name.to_owned(), why, failed: true }
    }
}

impl Contender for Absent {
    fn name(&self) -> &str {
        &self.name
    }

    fn missing(&self) -> Option<&str> {
        (!self.failed).then_some(&self.why)
    }

    fn measure(&mut self, _: Workload, _: u32, _: Pace, _: &Plan) -> Result<Round, String> {
        Err(self.why.clone())
    }
}

//! One run with one fault: the server before it, after it, and started again without it.

use super::scene::Scene;
use crate::{
    disk::{Control, Fault, Layer, Loss, Trace, Tree},
    dynamo::RequestError,
    http::Connection,
    ledger::{Client, Clock, Key, Ledger, Moment, TablesClient, check, observe},
    monotable::Monotable,
    outage::{Violation, misbehaved, stop},
    random::Random,
};
use std::{
    fs, io,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

/// No request takes this long, whatever fails; one that does is a hang.
const PATIENCE: Duration = Duration::from_secs(10);
/// The longest that a server may take to end.
const STOP_PATIENCE: Duration = Duration::from_secs(15);
/// How long tables take to be made and merged.
const BACKGROUND: Duration = Duration::from_millis(300);
/// Requests after the first that was refused.
const AFTER: u32 = 3;

/// A run.
pub struct Trial<'a> {
    layer: &'a Layer,
    scene: &'a Scene,
    seed: u64,
    directory: PathBuf,
    root: PathBuf,
    trace: PathBuf,
    log: PathBuf,
    /// The way to the layer.
    pub control: Control,
    ledger: Ledger,
}

/// What is to go wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plan {
    /// Nothing.
    Nothing,
    /// A call fails.
    Fault(Fault),
    /// The disk is full after so many bytes.
    Room(u64),
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// Calls that could have failed.
    pub calls: u64,
    /// Those of them that another scene has already.
    pub before: u64,
    /// Bytes that were written.
    pub bytes: u64,
    /// The call that failed, if one did.
    pub failed: Option<String>,
    /// Whether the server started.
    pub started: bool,
    /// Requests that it refused.
    pub refused: u32,
}

impl<'a> Trial<'a> {
    /// A run in an empty directory.
    pub fn new(
        layer: &'a Layer,
        scene: &'a Scene,
        seed: u64,
        directory: &Path,
    ) -> io::Result<Trial<'a>> {
        if directory.exists() {
            fs::remove_dir_all(directory)?;
        }
        let root = directory.join("disk");
        fs::create_dir_all(&root)?;
        scene.set_up(&root)?;
        let control = Control::create(&directory.join("control"))?;
        let (trace, log) = (directory.join("trace"), directory.join("log"));
        let directory = directory.to_owned();
        let mut ledger = Ledger::default();
        ledger.add_reading(Moment::FIRST, scene.seen.clone());
        Ok(Trial { layer, scene, seed, directory, root, trace, log, control, ledger })
    }

    /// Runs the server with a fault, and again without.
    pub fn run(mut self, plan: Plan, power: bool) -> Result<Outcome, Vec<Violation>> {
        // What the disk is made of, in case the power fails, too.
        let before = power.then(|| Tree::load(&self.root)).transpose().map_err(misbehaved)?;
        if self.scene.heat > 0 {
            self.control.spare_journals().map_err(misbehaved)?;
        }
        match plan {
            Plan::Nothing => {}
            Plan::Fault(fault) => self.control.plan(fault).map_err(misbehaved)?,
            Plan::Room(bytes) => self.control.set_room(bytes).map_err(misbehaved)?,
        }
        let started = self.with_fault(plan);
        let call = self.control.failed_call().map_err(misbehaved)?;
        let calls = self.control.calls().map_err(misbehaved)?;
        let mut outcome = started.map_err(|violations| self.explain(violations, &call))?;
        outcome.calls = calls;
        outcome.failed = (self.control.failed().map_err(misbehaved)? > 0).then(|| call.clone());
        if let Some(mut tree) = before {
            let trace = if self.trace.exists() {
                Trace::read(&self.trace).map_err(misbehaved)?
            } else {
                Trace::empty()
            };
            for (record, _) in &trace.records {
                tree.apply(&trace, record).map_err(misbehaved)?;
            }
            fs::remove_dir_all(&self.root).map_err(misbehaved)?;
            let mut random = Random::new(self.seed);
            Loss::choose(&mut random)
                .build(&tree, &trace, &mut random, &self.root)
                .map_err(misbehaved)?;
        }
        self.control.heal().map_err(misbehaved)?;
        self.without_fault().map_err(|violations| self.explain(violations, &call))?;
        Ok(outcome)
    }

    /// Starts the server, writes, reads and stops it. It may refuse anything but in a proper way.
    fn with_fault(&mut self, plan: Plan) -> Result<Outcome, Vec<Violation>> {
        let mut outcome =
            Outcome { calls: 0, before: 0, bytes: 0, failed: None, started: false, refused: 0 };
        let started = self.layer.start(&self.root, &self.control, Some(&self.trace), &self.log);
        let mut server = match started {
            Ok(server) => server,
            Err(error) => {
                self.refused_to_start(&error)?;
                return Ok(outcome);
            }
        };
        outcome.started = true;
        if self.scene.heat > 0 {
            outcome.before = self.control.calls().map_err(misbehaved)?;
        }
        outcome.refused = self.write(&server, FIRST_TICK)?;
        let read = self.read(&server)?;
        if matches!(plan, Plan::Room(_)) && self.scene.is_quiet {
            let Some(tables) = read else {
                return Err(misbehaved(
                    "the server does not answer readers while the disk is full",
                ));
            };
            self.control.heal().map_err(misbehaved)?;
            // Where not even the tables could be made there is nothing to write to.
            if tables && self.write(&server, 2 * FIRST_TICK)? > 0 {
                return Err(misbehaved("the server refuses writes though there is room again"));
            }
        }
        outcome.bytes = self.control.length().map_err(misbehaved)?;
        let ended = server.process.terminate(STOP_PATIENCE).map_err(misbehaved)?;
        if ended.is_none() {
            return Err(misbehaved(format!("the server did not stop within {STOP_PATIENCE:?}")));
        }
        self.no_panic()?;
        Ok(outcome)
    }

    fn refused_to_start(&self, error: &str) -> Result<(), Vec<Violation>> {
        if self.control.failed().map_err(misbehaved)? == 0 {
            return Err(misbehaved(format!("no call failed, but {error}")));
        }
        if error.contains("within") {
            return Err(misbehaved(error));
        }
        let log = fs::read_to_string(&self.log).map_err(misbehaved)?;
        let root = self.root.display().to_string();
        if !log.lines().any(|line| line.contains(&root)) {
            return Err(misbehaved(format!(
                "the server did not say which file was at fault: {log}"
            )));
        }
        self.no_panic()
    }

    fn no_panic(&self) -> Result<(), Vec<Violation>> {
        let log = fs::read_to_string(&self.log).map_err(misbehaved)?;
        match log.lines().find(|line| line.contains("panicked at")) {
            Some(line) => Err(misbehaved(format!("the server panicked: {line}"))),
            None => Ok(()),
        }
    }

    /// Writes, and gives how much was refused.
    fn write(&mut self, server: &Monotable, tick: u64) -> Result<u32, Vec<Violation>> {
        let clock = Clock::starting(&self.control, tick);
        let (mut refused, mut after) = (0, AFTER);
        let connect = Client::new(&clock, &server.endpoint, self.seed, 1, PATIENCE);
        let mut client = connect.map_err(misbehaved)?;
        let connect = TablesClient::new(&clock, &server.endpoint, self.seed, PATIENCE);
        let mut tables = connect.map_err(misbehaved)?;
        let mut outcome = Ok(());
        let heat = self.scene.heat;
        for step in 0..heat + self.scene.steps {
            if heat > 0 && step == heat {
                // The background has work to do.
                thread::sleep(BACKGROUND);
            }
            let done = match step {
                _ if step < heat => client.heat(0),
                0 if self.scene.seen.states.is_empty() && tick == FIRST_TICK => {
                    client.create_tables()
                }
                _ if step % 6 == 5 => tables.step(),
                _ if step % 4 == 3 => client.heat(0),
                _ => client.step(),
            };
            match done {
                Ok(()) => {}
                Err(error) if is_refusal(&error, step > 0) => {
                    refused += 1;
                    after -= 1;
                }
                Err(error) => {
                    outcome = Err(misbehaved(error));
                    break;
                }
            }
            if after == 0 {
                break;
            }
        }
        self.ledger.add(client.take_deeds());
        self.ledger.add(tables.take_deeds());
        outcome.map(|()| refused)
    }

    /// What the server answers to readers must be right, or nothing at all. If it answers: whether there
    /// are tables to write to.
    fn read(&self, server: &Monotable) -> Result<Option<bool>, Vec<Violation>> {
        let mut connection = Connection::open(&server.endpoint, PATIENCE).map_err(misbehaved)?;
        match observe(&mut connection, self.seed, false) {
            Ok((seen, mut violations)) => {
                violations.extend(check(&self.ledger.at(u64::MAX), &seen));
                let tables = seen.states.contains_key(&Key::Table);
                if violations.is_empty() { Ok(Some(tables)) } else { Err(violations) }
            }
            Err(error) if is_refusal(&error, true) => Ok(None),
            Err(error) => Err(misbehaved(error)),
        }
    }

    /// Starts the server again: all that was acknowledged is there, and it takes writes.
    fn without_fault(&mut self) -> Result<(), Vec<Violation>> {
        let server = self.layer.start(&self.root, &self.control, None, &self.log);
        let mut server = server.map_err(misbehaved)?;
        let mut connection = Connection::open(&server.endpoint, PATIENCE).map_err(misbehaved)?;
        let (seen, mut violations) =
            observe(&mut connection, self.seed, true).map_err(misbehaved)?;
        violations.extend(check(&self.ledger.at(u64::MAX), &seen));
        if !violations.is_empty() {
            return Err(violations);
        }
        let clock = Clock::starting(&self.control, 3 * FIRST_TICK);
        let connect = Client::new(&clock, &server.endpoint, self.seed, 1, PATIENCE);
        let mut client = connect.map_err(misbehaved)?;
        if seen.states.contains_key(&Key::Table) {
            client.step().map_err(misbehaved)?;
        }
        stop(&mut server)
    }

    fn explain(&self, violations: Vec<Violation>, call: &str) -> Vec<Violation> {
        println!("{}: {call} failed; see {}", self.scene.name, self.directory.display());
        violations
    }
}

/// Versions of this run are greater than those of the disk it began with.
const FIRST_TICK: u64 = 1 << 32;

/// Whether the server said in a proper way that it cannot do something. Tables may be missing if their
/// making was refused.
fn is_refusal(error: &RequestError, tables_missing: bool) -> bool {
    error.is("InternalServerError") || (tables_missing && error.is_not_found())
}

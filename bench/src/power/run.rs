//! One traced run: a server is written to, killed, written to again, stopped. In the end the trace must
//! make just the directory that is there, or something has got past the layer.

use super::session::{Ending, Session, kill};
use crate::{
    cli::PowerOptions,
    disk::{Control, Layer, Record, Trace, Tree},
    http::Connection,
    ledger::{Clock, Ledger, check, observe},
    monotable::Monotable,
    outage::{PATIENCE, Violation, misbehaved},
    random::Random,
};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// Large items that are put in each session of a bulky run. The store begins another journal after 64 MB.
const BULK: u64 = 120;

/// A run.
pub struct Run<'a> {
    options: &'a PowerOptions,
    layer: &'a Layer,
    root: PathBuf,
    trace: PathBuf,
    log: PathBuf,
    seed: u64,
    control: Control,
}

/// What came of it.
pub struct Written {
    /// What clients know.
    pub ledger: Ledger,
    /// What the server did to its files.
    pub trace: Trace,
}

impl<'a> Run<'a> {
    /// A run that has not begun.
    pub fn new(
        options: &'a PowerOptions,
        layer: &'a Layer,
        directory: &Path,
        log: &Path,
        seed: u64,
    ) -> io::Result<Run<'a>> {
        let root = directory.join("disk");
        fs::create_dir_all(&root)?;
        Ok(Run {
            options,
            layer,
            root,
            trace: directory.join("trace"),
            log: log.to_owned(),
            seed,
            control: Control::create(&directory.join("control"))?,
        })
    }

    /// Lets clients write.
    pub fn write(&self) -> Result<Written, Vec<Violation>> {
        let clock = Clock::new(&self.control);
        let mut ledger = Ledger::default();
        let mut random = Random::new(self.seed);
        let bulky = random.percent(self.options.bulk);
        for number in 0..self.options.sessions {
            // Syncs that take no time make groups of one commit.
            let micros = if random.percent(50) { 0 } else { random.spread(20, 400) };
            self.control.slow_syncs(micros).map_err(misbehaved)?;
            if random.percent(40) {
                for _ in 0..random.between(1, 3) {
                    self.interrupt(&mut random)?;
                }
            }
            let server = self.start().map_err(misbehaved)?;
            if number > 0 {
                let moment = clock.moment();
                let mut connection =
                    Connection::open(&server.endpoint, PATIENCE).map_err(misbehaved)?;
                let (seen, mut violations) =
                    observe(&mut connection, self.seed, true).map_err(misbehaved)?;
                violations.extend(check(&ledger.at(moment.at), &seen));
                if !violations.is_empty() {
                    return Err(violations);
                }
                ledger.add_reading(moment, seen);
            }
            let tiny = number > 0 && random.percent(50);
            let ending = if random.percent(30) { Ending::Stop } else { Ending::Kill };
            let session = Session {
                clock: &clock,
                control: &self.control,
                seed: self.seed,
                writers: self.options.writers,
                heat: if tiny { random.between(1, 30) } else { self.options.heat },
                bulk: if bulky { BULK } else { 0 },
                first: number == 0,
            };
            session.run(server, ending, &mut ledger)?;
        }
        let trace = Trace::read(&self.trace).map_err(misbehaved)?;
        self.compare(&trace)?;
        Ok(Written { ledger, trace })
    }

    fn start(&self) -> Result<Monotable, String> {
        self.layer.start(&self.root, &self.control, Some(&self.trace), &self.log)
    }

    /// Starts a server that is killed while it starts.
    fn interrupt(&self, random: &mut Random) -> Result<(), Vec<Violation>> {
        let call = self.control.calls().map_err(misbehaved)? + random.between(1, 80);
        self.control.kill_at(Some(call)).map_err(misbehaved)?;
        let started = self.start();
        let killed = self.control.calls().map_err(misbehaved)? >= call;
        match started {
            Ok(mut server) => kill(&mut server, &self.control)?,
            Err(_) if killed => {}
            Err(error) => return Err(misbehaved(error)),
        }
        self.control.kill_at(None).map_err(misbehaved)
    }

    fn compare(&self, trace: &Trace) -> Result<(), Vec<Violation>> {
        let mut tree = Tree::empty();
        for (record, _) in &trace.records {
            tree.apply(trace, record).map_err(misbehaved)?;
        }
        match tree.difference(trace, &self.root).map_err(misbehaved)? {
            None => Ok(()),
            Some(difference) => Err(misbehaved(format!(
                "the trace does not make the directory that is there: {difference}"
            ))),
        }
    }
}

impl Written {
    /// What the server did to its files, in short.
    pub fn summary(&self) -> String {
        let (mut syncs, mut journals, mut tables, mut removed) = (0, 0, 0, 0);
        for (record, _) in &self.trace.records {
            match record {
                Record::Synced { .. } => syncs += 1,
                Record::Created { path, .. } if path.ends_with(".jnl") => journals += 1,
                Record::Created { path, .. } if path.contains("/1/tables/") => tables += 1,
                Record::Unlinked { path } if path.contains("/1/tables/") => removed += 1,
                _ => {}
            }
        }
        format!(
            "{} calls in {} MB, {syncs} syncs, {journals} journals, {tables} tables made, {removed} removed",
            self.trace.records.len(),
            self.trace.bytes.len() >> 20
        )
    }
}

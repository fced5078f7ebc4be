//! One traced run: a server is written to, killed, written to again, stopped. In the end the trace must
//! make just the directory that is there, or something has got past the layer.

use super::session::{Ending, Session};
use crate::{
    cli::PowerOptions,
    disk::{Control, Layer, Record, Trace, Tree},
    http::Connection,
    ledger::{Clock, Ledger, check, observe},
    outage::{PATIENCE, Violation, misbehaved},
    random::Random,
};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

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
        for number in 0..self.options.sessions {
            // Syncs that take no time make groups of one commit.
            let micros = if random.percent(50) { 0 } else { random.spread(20, 400) };
            self.control.slow_syncs(micros).map_err(misbehaved)?;
            let server = self
                .layer
                .start(&self.root, &self.control, Some(&self.trace), &self.log)
                .map_err(misbehaved)?;
            if number > 0 {
                let moment = clock.moment();
                let mut connection =
                    Connection::open(&server.endpoint, PATIENCE).map_err(misbehaved)?;
                let (seen, mut violations) =
                    observe(&mut connection, self.seed).map_err(misbehaved)?;
                violations.extend(check(&ledger.at(moment.at), &seen));
                if !violations.is_empty() {
                    return Err(violations);
                }
                ledger.add_reading(moment, seen);
            }
            let ending = if random.percent(30) { Ending::Stop } else { Ending::Kill };
            let session = Session {
                clock: &clock,
                control: &self.control,
                seed: self.seed,
                writers: self.options.writers,
                heat: self.options.heat,
                first: number == 0,
            };
            session.run(server, ending, &mut ledger)?;
        }
        let trace = Trace::read(&self.trace).map_err(misbehaved)?;
        self.compare(&trace)?;
        Ok(Written { ledger, trace })
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

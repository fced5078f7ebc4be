//! One power loss after the other, at places of one trace.

use super::{place, run::Written};
use crate::{
    disk::{Control, Layer, Loss, Trace, Tree},
    http::Connection,
    ledger::{Known, Seen, check, observe},
    outage::{PATIENCE, Violation, misbehaved},
    random::Random,
};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// So many of a hundred recoveries are hit by another power loss.
const AGAIN: u64 = 25;

/// The cycles of a run.
pub struct Cycles<'a> {
    layer: &'a Layer,
    written: &'a Written,
    directory: PathBuf,
    log: PathBuf,
    seed: u64,
    passed: u32,
    during_recovery: u32,
}

/// A server that came up.
struct Up {
    seen: Seen,
    /// The length of its trace when it took requests.
    ready: u64,
}

impl<'a> Cycles<'a> {
    /// Cycles that have not begun.
    pub fn new(
        layer: &'a Layer,
        written: &'a Written,
        directory: &Path,
        log: &Path,
        seed: u64,
    ) -> Cycles<'a> {
        let (directory, log) = (directory.to_owned(), log.to_owned());
        Cycles { layer, written, directory, log, seed, passed: 0, during_recovery: 0 }
    }

    /// Cycles in which nothing was wrong.
    pub fn passed(&self) -> u32 {
        self.passed
    }

    /// Those of them in which the power failed while the server recovered.
    pub fn during_recovery(&self) -> u32 {
        self.during_recovery
    }

    /// Lets the power fail at so many places, and at some of them again during recovery.
    pub fn run(&mut self, count: u32) -> Result<(), Vec<Violation>> {
        let Written { trace, ledger } = self.written;
        let mut random = Random::stream(self.seed, 1);
        let mut tree = Tree::empty();
        let mut applied = 0;
        for place in place::choose(self.written, count, &mut random) {
            for (record, _) in trace.records.get(applied..place).unwrap_or_default() {
                tree.apply(trace, record).map_err(misbehaved)?;
            }
            applied = place;
            let known = ledger.at(trace.length_after(place));
            let again = random.percent(AGAIN);
            let chance = random.next();
            let disk = self.directory.join("lost");
            let title = format!("power loss after call {place} of {}", trace.records.len());
            let base = self.build(&tree, trace, chance, &disk, again)?;
            let up = self.start(&disk, again, &known);
            let up = self.explain(up, &title, &tree, trace, chance)?;
            self.passed += 1;
            if let Some(base) = base {
                self.lose_again(base, &up, &known, &mut random, &title)?;
            }
        }
        Ok(())
    }

    /// Builds a disk. If it is to be lost again, gives what is on it.
    fn build(
        &self,
        tree: &Tree,
        trace: &Trace,
        chance: u64,
        disk: &Path,
        keep: bool,
    ) -> Result<Option<Tree>, Vec<Violation>> {
        let mut random = Random::new(chance);
        if disk.exists() {
            fs::remove_dir_all(disk).map_err(misbehaved)?;
        }
        Loss::choose(&mut random).build(tree, trace, &mut random, disk).map_err(misbehaved)?;
        keep.then(|| Tree::load(disk)).transpose().map_err(misbehaved)
    }

    /// The power fails again while the server recovers from the first loss.
    fn lose_again(
        &mut self,
        mut tree: Tree,
        up: &Up,
        known: &Known,
        random: &mut Random,
        title: &str,
    ) -> Result<(), Vec<Violation>> {
        let trace = Trace::read(&self.directory.join("recovery")).map_err(misbehaved)?;
        let place = random.between(0, trace.records.len() as u64 + 1) as usize;
        for (record, _) in trace.records.get(..place).unwrap_or_default() {
            tree.apply(&trace, record).map_err(misbehaved)?;
        }
        // What clients have read must not go away.
        let settled = up.seen.settled();
        let known = if trace.length_after(place) >= up.ready { &settled } else { known };
        let chance = random.next();
        let disk = self.directory.join("lost-again");
        let of = trace.records.len();
        let title = format!("{title}, then after call {place} of {of} of the recovery");
        self.build(&tree, &trace, chance, &disk, false)?;
        let up = self.start(&disk, false, known);
        self.explain(up, &title, &tree, &trace, chance)?;
        self.passed += 1;
        self.during_recovery += 1;
        Ok(())
    }

    /// Starts a server on a disk and holds it to what is known.
    fn start(&self, disk: &Path, traced: bool, known: &Known) -> Result<Up, Vec<Violation>> {
        let control = Control::create(&self.directory.join("cycle-control")).map_err(misbehaved)?;
        let trace = self.directory.join("recovery");
        let _ = fs::remove_file(&trace);
        let trace = traced.then_some(trace.as_path());
        let mut server = self.layer.start(disk, &control, trace, &self.log).map_err(misbehaved)?;
        let ready = control.length().map_err(misbehaved)?;
        let mut connection = Connection::open(&server.endpoint, PATIENCE).map_err(misbehaved)?;
        let (seen, mut violations) =
            observe(&mut connection, self.seed, true).map_err(misbehaved)?;
        violations.extend(check(known, &seen));
        server.process.kill().map_err(misbehaved)?;
        if violations.is_empty() { Ok(Up { seen, ready }) } else { Err(violations) }
    }

    /// Says where violations come from, and keeps the disk as the power loss left it.
    fn explain(
        &self,
        outcome: Result<Up, Vec<Violation>>,
        title: &str,
        tree: &Tree,
        trace: &Trace,
        chance: u64,
    ) -> Result<Up, Vec<Violation>> {
        outcome.inspect_err(|_| {
            let kept = self.directory.join("kept");
            let kept =
                self.build(tree, trace, chance, &kept, false).map(|_| kept.display().to_string());
            println!("{title}; the disk: {}", kept.unwrap_or_default());
        })
    }
}

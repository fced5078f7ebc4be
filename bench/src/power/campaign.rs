//! The runs of a campaign, and the cycles that follow from each.

use super::{cycle::Cycles, run::Run};
use crate::{
    cli::PowerOptions,
    disk::Layer,
    outage::{Violation, misbehaved},
};
use std::{
    fmt,
    path::{Path, PathBuf},
    time::Instant,
};

/// A campaign.
pub struct Campaign<'a> {
    options: &'a PowerOptions,
    layer: Layer,
    directory: PathBuf,
    runs: u32,
    acknowledged: u64,
    passed: u32,
    during_recovery: u32,
}

impl<'a> Campaign<'a> {
    /// A campaign that has not begun.
    pub fn new(options: &'a PowerOptions, layer: Layer, directory: &Path) -> Campaign<'a> {
        Campaign {
            options,
            layer,
            directory: directory.to_owned(),
            runs: 0,
            acknowledged: 0,
            passed: 0,
            during_recovery: 0,
        }
    }

    /// Cycles in which nothing was wrong.
    pub fn passed(&self) -> u32 {
        self.passed
    }

    /// Runs until something is wrong or all cycles are done.
    pub fn run(&mut self) -> Vec<Violation> {
        match self.runs() {
            Ok(()) => Vec::new(),
            Err(violations) => violations,
        }
    }

    fn runs(&mut self) -> Result<(), Vec<Violation>> {
        while self.passed < self.options.cycles {
            self.runs += 1;
            let directory = self.directory.join(format!("run-{}", self.runs));
            let started = Instant::now();
            let log = self.directory.join("server.log");
            let seed = self.options.seed.wrapping_mul(1000) + u64::from(self.runs);
            let run =
                Run::new(self.options, &self.layer, &directory, &log, seed).map_err(misbehaved)?;
            let written = run.write()?;
            self.acknowledged += written.ledger.acknowledged();
            println!(
                "run {}: {} acknowledged writes in {:.1} s, {}",
                self.runs,
                written.ledger.acknowledged(),
                started.elapsed().as_secs_f64(),
                written.summary(),
            );
            let left = self.options.cycles - self.passed;
            let mut cycles = Cycles::new(&self.layer, &written, &directory, &log, seed);
            let outcome = cycles.run(left.min(self.options.points));
            self.passed += cycles.passed();
            self.during_recovery += cycles.during_recovery();
            println!(
                "run {}: {} power losses, {} of them during recovery, {:.1} s",
                self.runs,
                cycles.passed(),
                cycles.during_recovery(),
                started.elapsed().as_secs_f64()
            );
            outcome?;
            std::fs::remove_dir_all(&directory).map_err(misbehaved)?;
        }
        Ok(())
    }
}

impl fmt::Display for Campaign<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} cycles ({} during recovery) of {} runs, {} acknowledged writes",
            self.passed, self.during_recovery, self.runs, self.acknowledged
        )
    }
}

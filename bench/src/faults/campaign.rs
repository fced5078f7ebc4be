//! All calls of all scenes, one fault after the other.

use super::{
    scene::Scene,
    trial::{Outcome, Plan, Trial},
};
use crate::{
    cli::FaultsOptions,
    disk::{Fault, Layer},
    outage::{Violation, misbehaved},
};
use std::{
    collections::BTreeMap,
    fmt,
    path::{Path, PathBuf},
};

/// The ways in which a call fails.
const WAYS: [(&str, Fault); 4] = [
    ("once", Fault { at: 0, full: false, keep: false, torn: false }),
    ("torn", Fault { at: 0, full: false, keep: false, torn: true }),
    ("from then on", Fault { at: 0, full: false, keep: true, torn: true }),
    ("full", Fault { at: 0, full: true, keep: true, torn: true }),
];

/// A campaign.
pub struct Campaign<'a> {
    options: &'a FaultsOptions,
    layer: &'a Layer,
    directory: PathBuf,
    trials: u64,
    calls: u64,
    not_started: u64,
    refused: u64,
    unnoticed: u64,
    kinds: BTreeMap<String, u64>,
}

impl<'a> Campaign<'a> {
    /// A campaign that has not begun.
    pub fn new(options: &'a FaultsOptions, layer: &'a Layer, directory: &Path) -> Campaign<'a> {
        Campaign {
            options,
            layer,
            directory: directory.to_owned(),
            trials: 0,
            calls: 0,
            not_started: 0,
            refused: 0,
            unnoticed: 0,
            kinds: BTreeMap::new(),
        }
    }

    /// Runs in which nothing was wrong.
    pub fn trials(&self) -> u64 {
        self.trials
    }

    /// Runs until something is wrong or all is done.
    pub fn run(&mut self) -> Vec<Violation> {
        match self.scenes() {
            Ok(()) => Vec::new(),
            Err(violations) => violations,
        }
    }

    fn scenes(&mut self) -> Result<(), Vec<Violation>> {
        let options = self.options;
        let wanted = |name: &str| options.scenes.iter().any(|scene| scene == name);
        if wanted("fresh") {
            self.scene(&Scene::fresh())?;
        }
        if !wanted("torn") && !wanted("merging") {
            return Ok(());
        }
        for scene in Scene::used(self.layer, &self.directory.join("used"), self.options.seed)? {
            if wanted(scene.name) {
                self.scene(&scene)?;
            }
        }
        Ok(())
    }

    fn trial<'b>(&'b self, scene: &'b Scene) -> Result<Trial<'b>, Vec<Violation>> {
        let directory = self.directory.join("trial");
        Trial::new(self.layer, scene, self.options.seed, &directory).map_err(misbehaved)
    }

    fn scene(&mut self, scene: &Scene) -> Result<(), Vec<Violation>> {
        let dry = self.trial(scene)?.run(Plan::Nothing, false)?;
        println!("{}: {} calls", scene.name, dry.calls - dry.before);
        self.calls += dry.calls - dry.before;
        // Which of every few calls is chance, so that all are tried in the end.
        let first = 1 + dry.before + self.options.seed % self.options.step;
        for at in (first..=dry.calls).step_by(self.options.step as usize) {
            for (way, fault) in WAYS {
                let fault = Fault { at, ..fault };
                let power = (at + self.trials).is_multiple_of(2);
                let outcome = self.trial(scene)?.run(Plan::Fault(fault), power);
                self.count(outcome.inspect_err(|_| {
                    println!("{}: call {at} fails {way}, power loss: {power}", scene.name);
                })?);
            }
        }
        // A disk on which much is written is filled in larger steps.
        let step = self.options.room as usize * if scene.heat > 0 { 20 } else { 1 };
        for room in (0..dry.bytes).step_by(step) {
            let outcome = self.trial(scene)?.run(Plan::Room(room), false);
            self.count(outcome.inspect_err(|_| {
                println!("{}: the disk is full after {room} bytes", scene.name);
            })?);
        }
        Ok(())
    }

    fn count(&mut self, outcome: Outcome) {
        self.trials += 1;
        let Some(call) = outcome.failed else {
            return;
        };
        let kind = call.split(' ').next().unwrap_or_default().to_owned();
        *self.kinds.entry(kind).or_default() += 1;
        match (outcome.started, outcome.refused) {
            (false, _) => self.not_started += 1,
            (true, 0) => self.unnoticed += 1,
            (true, _) => self.refused += 1,
        }
    }
}

impl fmt::Display for Campaign<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} runs over {} calls ({} did not start, {} refused requests, {} went on; failed calls: {:?})",
            self.trials, self.calls, self.not_started, self.refused, self.unnoticed, self.kinds
        )
    }
}

//! The crash campaign: everything at once on one server, a kill, a restart, a check, many times on
//! the same data. Clients write in every way, items expire, a stream is read, an index is built,
//! the table is restored, backed up, exported and imported, and small tables come and go.

mod backup;
mod campaign;
mod check;
mod churn;
mod copier;
mod copy;
mod errand;
mod existence;
mod fault;
mod fill;
pub mod history;
mod indexer;
mod notes;
mod tally;

use crate::{
    Failure,
    cli::CrashOptions,
    outage::{Kind, Place, count},
};
use campaign::Campaign;
use clap::ValueEnum;
use std::path::PathBuf;

pub use fault::Fault;

/// Shards that live short enough for the stream to have some generations of them.
const ARGUMENTS: &[&str] = &["--shard-age", "10s", "--stream-shards", "2"];

/// Runs a campaign; false if anything is wrong, or if a planted fault is not found.
pub fn run(options: CrashOptions) -> Result<bool, Failure> {
    let faults = if options.planted_all { Fault::value_variants() } else { &options.planted };
    if faults.is_empty() { unplanted(&options) } else { planted(&options, faults) }
}

/// Where a campaign's exports go.
fn storage(place: &Place) -> PathBuf {
    place.directory().join("storage")
}

fn place(options: &CrashOptions) -> Result<Place, Failure> {
    let place = Place::new(&options.server, options.data.as_deref(), "crash-")?.with(ARGUMENTS);
    let storage = storage(&place).display().to_string();
    Ok(place.with(&["--storage-dir", &storage]))
}

fn unplanted(options: &CrashOptions) -> Result<bool, Failure> {
    let place = place(options)?;
    let mut campaign = Campaign::new(options, &place, None);
    let violations = campaign.run();
    let tally = campaign.tally();
    if !violations.is_empty() {
        place.report(&violations);
    }
    println!("{tally}");
    println!(
        "crash: {} cycles, {} acknowledged writes, {} lost, {} half-applied, {} inconsistent",
        tally.cycles,
        tally.acknowledged,
        count(&violations, Kind::Lost),
        count(&violations, Kind::HalfApplied),
        count(&violations, Kind::Inconsistent)
    );
    let failed = u32::from(!violations.is_empty());
    println!("{} passed, {failed} failed", tally.passed);
    Ok(failed == 0)
}

fn planted(options: &CrashOptions, faults: &[Fault]) -> Result<bool, Failure> {
    let (mut passed, mut failed) = (0, 0);
    for fault in faults {
        let name = fault.name();
        let place = place(options)?.planted(&name);
        let mut campaign = Campaign::new(options, &place, Some(*fault));
        let violations = campaign.run();
        let cycles = campaign.tally().cycles;
        // A server that only misbehaves shows nothing of what the fault does to data.
        let found = violations.iter().find(|violation| violation.kind != Kind::Misbehaved);
        match (found, violations.first()) {
            (Some(violation), _) => {
                passed += 1;
                println!("{name}: found after {cycles} cycles, as {violation}");
            }
            (None, other) => {
                failed += 1;
                println!("{name}: not found in {cycles} cycles");
                other.into_iter().for_each(|other| println!("  but {other}"));
            }
        }
    }
    println!("{passed} passed, {failed} failed");
    Ok(failed == 0)
}

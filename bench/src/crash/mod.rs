//! The crash campaign: write, kill, restart, check, many times on the same data.

mod campaign;
mod check;
mod churn;
pub mod history;
mod item;
mod table;
mod writer;

use crate::{
    Failure,
    cli::CrashOptions,
    outage::{Kind, Place, count},
};
use campaign::Campaign;

/// Runs a campaign; false if anything is wrong.
pub fn run(options: CrashOptions) -> Result<bool, Failure> {
    let place = Place::new(&options.server, options.data.as_deref(), "crash-")?;
    let mut campaign = Campaign::new(&options, &place);
    let violations = campaign.run();
    let (run, passed) = (campaign.cycles_run(), campaign.cycles_passed());
    let acknowledged = campaign.acknowledged();
    let lost = count(&violations, Kind::Lost);
    let half_applied = count(&violations, Kind::HalfApplied);
    if !violations.is_empty() {
        place.report(&violations);
    }
    println!(
        "crash: {run} cycles, {acknowledged} acknowledged writes, {lost} lost, \
         {half_applied} half-applied"
    );
    let failed = u32::from(!violations.is_empty());
    println!("{passed} passed, {failed} failed");
    Ok(failed == 0)
}

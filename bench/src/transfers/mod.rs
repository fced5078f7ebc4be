//! The campaign of transactions: transfers, orders and entries with reports race through many ends
//! of the server, and nothing may be lost, half-made or made twice.

mod bank;
mod campaign;
mod check;
mod client;
mod observe;
mod transaction;

use crate::{
    Failure,
    cli::TransfersOptions,
    outage::{Kind, Place, count},
};
use campaign::Campaign;

/// Runs a campaign; false if anything is wrong.
pub fn run(options: TransfersOptions) -> Result<bool, Failure> {
    let place = Place::new(&options.server, options.data.as_deref(), "transfers-")?;
    let mut campaign = Campaign::new(&options, &place);
    let violations = campaign.run();
    let tally = campaign.tally;
    if !violations.is_empty() {
        place.report(&violations);
    }
    println!(
        "{} refused by their conditions, {} in flight ({} of them made), {} sent again under \
         their token, {} reads of all balances",
        tally.refused, tally.unanswered, tally.made, tally.repeats, tally.reads
    );
    println!(
        "transfers: {} cycles, {} transactions made, {} lost, {} half-applied, {} inconsistent",
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

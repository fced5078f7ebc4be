//! The power loss campaign: clients write to a server whose disk is traced; then the power fails at many
//! places of the trace, and the server must come up on what is left with all that it had promised by then.

mod campaign;
mod cycle;
mod place;
mod run;
mod session;

use crate::{
    Failure,
    cli::PowerOptions,
    disk::Layer,
    outage::{Kind, Place, count},
};
use campaign::Campaign;

/// Runs a campaign; false if anything is wrong. With a planted fault it is the other way round.
pub fn run(options: PowerOptions) -> Result<bool, Failure> {
    let place = Place::new(&options.server, options.data.as_deref(), "power-")?;
    let layer = Layer::new(&options.server, &options.layer, options.planted.as_deref())?;
    let mut campaign = Campaign::new(&options, layer, place.directory());
    let violations = campaign.run();
    if let Some(planted) = &options.planted {
        println!("power: planted {planted}, {} violations found", violations.len());
        for violation in violations.iter().take(3) {
            println!("  {violation}");
        }
        return Ok(!violations.is_empty());
    }
    if !violations.is_empty() {
        place.report(&violations);
    }
    println!(
        "power: {campaign}, {} lost, {} half-applied, {} other",
        count(&violations, Kind::Lost),
        count(&violations, Kind::HalfApplied),
        count(&violations, Kind::Misbehaved) + count(&violations, Kind::Inconsistent)
    );
    let failed = u32::from(!violations.is_empty());
    println!("{} passed, {failed} failed", campaign.passed());
    Ok(failed == 0)
}

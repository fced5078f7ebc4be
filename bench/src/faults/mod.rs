//! The campaign of I/O errors: every call that a server makes on its files fails once, one run after the
//! other. It must refuse what it cannot do, in bounded time and without a panic, and lose nothing.

mod campaign;
mod scene;
mod trial;

use crate::{
    Failure,
    cli::FaultsOptions,
    disk::Layer,
    outage::{Kind, Place, count},
};
use campaign::Campaign;

/// Runs a campaign; false if anything is wrong. With a planted fault it is the other way round.
pub fn run(options: FaultsOptions) -> Result<bool, Failure> {
    let place = Place::new(&options.server, options.data.as_deref(), "faults-")?;
    let layer = Layer::new(&options.server, &options.layer, options.planted.as_deref())?;
    let mut campaign = Campaign::new(&options, &layer, place.directory());
    let violations = campaign.run();
    if let Some(planted) = &options.planted {
        println!("faults: planted {planted}, {} violations found", violations.len());
        for violation in violations.iter().take(3) {
            println!("  {violation}");
        }
        return Ok(!violations.is_empty());
    }
    if !violations.is_empty() {
        place.report(&violations);
    }
    println!(
        "faults: {campaign}, {} lost, {} half-applied, {} other",
        count(&violations, Kind::Lost),
        count(&violations, Kind::HalfApplied),
        count(&violations, Kind::Misbehaved) + count(&violations, Kind::Inconsistent)
    );
    let failed = u32::from(!violations.is_empty());
    println!("{} passed, {failed} failed", campaign.trials());
    Ok(failed == 0)
}

//! The campaign of I/O errors: every call that a server makes on its files fails once, one run after the
//! other. It must refuse what it cannot do, in bounded time and without a panic, and lose nothing.

mod campaign;
mod scene;
mod trial;

use crate::{
    Failure,
    cli::FaultsOptions,
    disk::Layer,
    outage::{Place, conclude},
};
use campaign::Campaign;

/// Runs a campaign; false if anything is wrong. With a planted fault it is the other way round.
pub fn run(options: FaultsOptions) -> Result<bool, Failure> {
    let place = Place::new(&options.server, options.data.as_deref(), "faults-")?;
    let layer = Layer::new(&options.server, &options.layer, options.planted.as_deref())?;
    let mut campaign = Campaign::new(&options, &layer, place.directory());
    let violations = campaign.run();
    let (planted, passed) = (options.planted.as_deref(), campaign.trials());
    Ok(conclude(place, "faults", planted, &campaign, passed, &violations))
}

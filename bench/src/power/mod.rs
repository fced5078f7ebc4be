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
    outage::{Place, conclude},
};
use campaign::Campaign;

/// Runs a campaign; false if anything is wrong. With a planted fault it is the other way round.
pub fn run(options: PowerOptions) -> Result<bool, Failure> {
    let place = Place::new(&options.server, options.data.as_deref(), "power-")?;
    let layer = Layer::new(&options.server, &options.layer, options.planted.as_deref())?;
    let mut campaign = Campaign::new(&options, layer, place.directory());
    let violations = campaign.run();
    let (planted, passed) = (options.planted.as_deref(), campaign.passed().into());
    Ok(conclude(place, "power", planted, &campaign, passed, &violations))
}

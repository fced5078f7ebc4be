//! The campaign of streams: clients write, items expire, the stream is turned off and on, shards
//! roll, and the server is ended again and again. What the streams say must be all that happened to
//! the items, once and in order.

mod campaign;
mod switch;
mod timeline;

use crate::{
    Failure,
    cli::StreamsOptions,
    outage::{Kind, Place, count},
};
use campaign::Campaign;

/// Shards that live so short that most streams have several generations of them.
const ARGUMENTS: &[&str] = &["--shard-age", "1s", "--stream-shards", "4"];

/// Runs a campaign; false if anything is wrong.
pub fn run(options: StreamsOptions) -> Result<bool, Failure> {
    let place = Place::new(&options.server, options.data.as_deref(), "streams-")?.with(ARGUMENTS);
    let mut campaign = Campaign::new(&options, &place);
    let violations = campaign.run();
    let tally = campaign.tally;
    if !violations.is_empty() {
        place.report(&violations);
    }
    println!(
        "{} writes acknowledged, {} refused by their conditions, {} in flight ({} of them made); \
         {} records, {} of them of items that expired",
        tally.acknowledged,
        tally.refused,
        tally.unanswered,
        tally.made,
        tally.records,
        tally.expired
    );
    println!(
        "{} streams of {} shards, {} read again from their beginning, {} looks at an idle server",
        tally.streams, tally.shards, tally.reread, tally.idle
    );
    println!(
        "streams: {} cycles, {} records, {} lost, {} half-applied, {} inconsistent",
        tally.cycles,
        tally.records,
        count(&violations, Kind::Lost),
        count(&violations, Kind::HalfApplied),
        count(&violations, Kind::Inconsistent)
    );
    let failed = u32::from(!violations.is_empty());
    println!("{} passed, {failed} failed", tally.passed);
    Ok(failed == 0)
}

//! The campaign of restores: clients write, items expire, streams are turned off and on, and the
//! server is ended again and again. What the table was is noted at many moments; what is restored
//! of a moment must be exactly that.

mod backup;
mod campaign;
mod check;
mod filter;
mod history;
mod in_place;
mod moment;
mod owner;
mod restorer;
mod stage;
mod switch;
mod table;
mod wanted;
mod writer;

use crate::{
    Failure,
    cli::RestoresOptions,
    outage::{Kind, Place, count},
};
use campaign::Campaign;

/// Shards that live so short that the log has many generations of them.
const ARGUMENTS: &[&str] = &["--shard-age", "1s", "--stream-shards", "4"];

/// Runs a campaign; false if anything is wrong.
pub fn run(options: RestoresOptions) -> Result<bool, Failure> {
    let place = Place::new(&options.server, options.data.as_deref(), "restores-")?.with(ARGUMENTS);
    let mut campaign = Campaign::new(&options, &place);
    let violations = campaign.run();
    let tally = campaign.tally;
    if !violations.is_empty() {
        place.report(&violations);
    }
    println!(
        "{} writes, {} moments noted, {} switches of the stream, {} kills, {} of them under restores",
        tally.writes, tally.moments, tally.switches, tally.kills, tally.cut
    );
    println!(
        "restored: {} whole tables, {} parts into tables, {} parts in place ({} meddled with), \
         {} backups, {} deleted tables; {} dry runs, {} histories of items",
        tally.whole,
        tally.parts,
        tally.in_place,
        tally.meddled,
        tally.backups,
        tally.deleted,
        tally.dry_runs,
        tally.histories
    );
    println!(
        "restores: {} compared, {} items, {} lost, {} half-applied, {} inconsistent",
        tally.restores(),
        tally.items,
        count(&violations, Kind::Lost),
        count(&violations, Kind::HalfApplied),
        count(&violations, Kind::Inconsistent)
    );
    let failed = u32::from(!violations.is_empty());
    println!("{} passed, {failed} failed", tally.restores());
    Ok(failed == 0)
}

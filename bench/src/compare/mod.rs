//! Monotable beside other servers of the DynamoDB API, on the same machine and disk, and beside
//! the least a durable write costs there.

mod floor;
mod peers;
mod room;

use crate::{
    Failure,
    cli::CompareOptions,
    load::{self, Plan, Summary, Target},
    monotable::{self, Storage},
};
use serde_json::json;
use std::time::Duration;

pub use floor::appends_per_second;

const START_PATIENCE: Duration = Duration::from_secs(30);
const OURS: &str = "monotable";
/// How long the floor is measured, before and after the servers.
const FLOOR_TIME: Duration = Duration::from_secs(2);

/// Starts the servers and measures them; false if any request failed.
pub fn run(options: CompareOptions) -> Result<bool, Failure> {
    let mut builder = tempfile::Builder::new();
    let builder = builder.prefix("compare-");
    let directory = match &options.directory {
        Some(parent) => builder.tempdir_in(parent)?,
        None => builder.tempdir()?,
    };
    let path = directory.path();
    let (data, log) = (path.join("monotable"), path.join("monotable.log"));
    let starting = monotable::start(&options.server, Storage::Disk(&data), &log)?;
    let ours = starting.ready(START_PATIENCE)?;
    let mut targets = Target::new(OURS, &ours.endpoint).with_extras(&options.plan);
    let mut acknowledges = vec!["monotable: after fsync (--durability sync)".to_owned()];
    let mut running = Vec::new();
    for peer in peers::asked_for(&options) {
        let process = peer.start(path)?;
        acknowledges.push(format!(
            "{}: as configured by default with a database {}",
            peer.name, peer.keeps_its_data_in
        ));
        targets.push(Target::new(peer.name, &peer.endpoint));
        peer.wait(START_PATIENCE)?;
        running.push(process);
    }

    let plan = Plan::from(&options.plan);
    println!(
        "{} connections, {} rounds of {} s, {} items of {} bytes",
        plan.connections,
        plan.rounds,
        plan.time.as_secs(),
        plan.keys,
        plan.item_bytes
    );
    let before = appends_per_second(path, FLOOR_TIME)?;
    let figures = load::measure(&targets, &plan)?;
    let after = appends_per_second(path, FLOOR_TIME)?;
    drop(running);
    drop(ours);

    let floor = load::median(&[before, after]);
    let summaries = Summary::all(&figures);
    load::print(&summaries);
    load::print_ratios(&summaries);
    multiples(&summaries);
    if options.plan.recovery {
        room::measure(&options.server, path, &plan)?;
    }
    println!("\nWhen a write is acknowledged:");
    for line in &acknowledges {
        println!("  {line}");
    }
    println!(
        "\nFloor: {floor:.0} fdatasync'ed appends of 512 bytes a second by one thread \
         ({before:.0} before, {after:.0} after)"
    );
    for summary in summaries.iter().filter(|s| s.operation == "put") {
        let factor = summary.rate / floor;
        println!("  {}: puts/s are {factor:.2} times the floor", summary.target);
    }
    if let Some(file) = &options.plan.json {
        let more = [
            ("floor", json!({"appends_per_second": floor, "before": before, "after": after})),
            ("acknowledges", json!(acknowledges)),
        ];
        load::write_json(file, &plan, &summaries, &more)?;
    }
    Ok(figures.iter().all(|figure| figure.errors == 0))
}

/// Says how many times a peer's requests, or its own with more to do, Monotable answers.
fn multiples(summaries: &[Summary]) {
    let ours = |operation| {
        summaries.iter().find(|s| s.operation == operation && s.target == OURS).map(|s| s.rate)
    };
    println!();
    for peer in summaries.iter().filter(|s| s.target != OURS) {
        if let Some(rate) = ours(peer.operation) {
            let factor = rate / peer.rate;
            println!("{OURS}'s {}/s are {factor:.2} times {}'s", peer.operation, peer.target);
        }
    }
}

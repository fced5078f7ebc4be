//! Figures for people.

use crate::{expiry::foreground::Round, histogram::Histogram, scale::Memory};
use std::time::Duration;

/// All that was measured.
pub struct Figures {
    /// How many items there are.
    pub items: u64,
    /// Items loaded per second.
    pub load_rate: f64,
    /// Items changed per second.
    pub change_rate: f64,
    /// How long the restore took, without the time in which there was no server.
    pub time: Duration,
    /// That time.
    pub down: Duration,
    /// Items that the restore had read before the kill and after the restart.
    pub cut: [u64; 2],
    /// Changes of the log that were undone.
    pub changes: u64,
    /// The server's memory before, the most during, and after the restore.
    pub memory: [Memory; 3],
    /// What the foreground noted.
    pub rounds: Vec<Round>,
    /// Items that are not as they were.
    pub wrong: Vec<String>,
}

/// Prints it.
pub fn print(figures: &Figures) {
    println!(
        "\n{} items loaded with {:.0}/s, a tenth of them changed with {:.0}/s",
        figures.items, figures.load_rate, figures.change_rate
    );
    println!(
        "restored within {:.1} s, {:.0} items/s, {} changes undone",
        figures.time.as_secs_f64(),
        figures.items as f64 / figures.time.as_secs_f64().max(0.001),
        figures.changes
    );
    let [before, after] = figures.cut;
    println!(
        "killed after {before} items, up again after {:.1} s, went on from {after}",
        figures.down.as_secs_f64()
    );
    println!("\n{:<24}  {:>10}  {:>10}  {:>7}", "", "before", "during", "ratio");
    for round in &figures.rounds {
        let [before, during, _] = &round.latencies;
        for (name, permille) in [("p50", 500), ("p99", 990)] {
            let value = |latencies: &Histogram| latencies.permille(permille).as_secs_f64() * 1e3;
            row(&format!("{} {name}, ms", round.operation), 3, value(before), value(during));
        }
    }
    let [before, during, after] = figures.memory;
    let megabytes = |bytes: u64| bytes as f64 / 1e6;
    row("VmRSS, MB", 0, megabytes(before.resident), megabytes(during.resident));
    row("RssAnon, MB", 0, megabytes(before.anonymous), megabytes(during.anonymous));
    println!("after it, RssAnon is {:.0} MB", megabytes(after.anonymous));
    for round in figures.rounds.iter().filter(|round| round.errors > 0) {
        let first = round.first_error.as_deref().unwrap_or_default();
        println!("{}: {} errors, the first: {first}", round.operation, round.errors);
    }
    match figures.wrong.as_slice() {
        [] => println!("every item is as it was"),
        wrong => wrong.iter().for_each(|text| println!("wrong: {text}")),
    }
}

fn row(name: &str, digits: usize, before: f64, during: f64) {
    println!("{name:<24}  {before:>10.digits$}  {during:>10.digits$}  {:>7.2}", during / before);
}

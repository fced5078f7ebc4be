//! Figures for people.

use super::foreground::{MEASURED, Round};
use crate::{histogram::Histogram, scale::Memory};
use std::time::Duration;

/// All that was measured.
pub struct Figures {
    /// How many items expired.
    pub items: u64,
    /// Whether the table has a stream.
    pub stream: bool,
    /// Items loaded per second.
    pub load_rate: f64,
    /// How long was measured before and after the deletion.
    pub around: Duration,
    /// How long the deletion took.
    pub time: Duration,
    /// How long after its second it began.
    pub late: Duration,
    /// What should be gone and is not.
    pub left: u64,
    /// The server's memory before, the most during, and after the deletion.
    pub memory: [Memory; MEASURED.len()],
    /// What the foreground noted.
    pub rounds: Vec<Round>,
}

/// Prints it.
pub fn print(figures: &Figures) {
    let stream = if figures.stream { " with a stream" } else { "" };
    println!(
        "\n{} items in a table{stream}, loaded with {:.0}/s",
        figures.items, figures.load_rate
    );
    let gone = figures.items.saturating_sub(figures.left) as f64;
    println!(
        "deleted within {:.1} s, {:.0}/s, from {:.1} s after their second on; {} are left",
        figures.time.as_secs_f64(),
        gone / figures.time.as_secs_f64().max(0.001),
        figures.late.as_secs_f64(),
        figures.left
    );
    println!(
        "\n{:<24}  {:>10}  {:>10}  {:>10}  {:>7}  {:>7}",
        "", "before", "during", "after", "during", "after"
    );
    for round in &figures.rounds {
        for (name, permille) in [("p50", 500), ("p99", 990), ("p999", 999)] {
            let value = |latencies: &Histogram| latencies.permille(permille).as_secs_f64() * 1e3;
            row(
                &format!("{} {name}, ms", round.operation),
                3,
                round.latencies.each_ref().map(value),
            );
        }
        let [before, during, after] = round.latencies.each_ref().map(Histogram::count);
        let rate = |count: u64, time: Duration| count as f64 / time.as_secs_f64().max(0.001);
        let (around, time) = (figures.around, figures.time);
        let rates = [rate(before, around), rate(during, time), rate(after, around)];
        row(&format!("{}, requests/s", round.operation), 0, rates);
    }
    row("VmRSS, MB", 0, figures.memory.map(|memory| memory.resident as f64 / 1e6));
    row("RssAnon, MB", 0, figures.memory.map(|memory| memory.anonymous as f64 / 1e6));
    println!("the last two columns are by what the figures are those before");
    for round in figures.rounds.iter().filter(|round| round.errors > 0) {
        let first = round.first_error.as_deref().unwrap_or_default();
        println!("{}: {} errors, the first: {first}", round.operation, round.errors);
    }
}

fn row(name: &str, digits: usize, [before, during, after]: [f64; MEASURED.len()]) {
    println!(
        "{name:<24}  {before:>10.digits$}  {during:>10.digits$}  {after:>10.digits$}  {:>7.2}  {:>7.2}",
        during / before,
        after / before
    );
}

//! Figures for people.

use super::{measure::Kind, memory::Memory, verify::Verified};
use crate::drive::Round;
use std::time::Duration;

/// All that was measured of one size.
pub struct Figures {
    /// How many items were loaded.
    pub items: u64,
    /// Appends per second, each synced, by one thread, before the load.
    pub floor: f64,
    /// Items loaded per second.
    pub load_rate: f64,
    /// The server's memory when all was loaded.
    pub after_load: Memory,
    /// What each operation took.
    pub operations: Vec<(Kind, Round)>,
    /// The server's memory at the end.
    pub after_measuring: Memory,
    /// What the data takes on the disk at the end.
    pub disk_bytes: u64,
    /// What `monotable verify` said of it.
    pub verified: Verified,
}

impl Figures {
    /// Whether every request was answered as it should be, and nothing is wrong with the data.
    pub fn are_good(&self) -> bool {
        self.operations.iter().all(|(_, round)| round.errors == 0) && self.verified.healthy
    }

    /// What is not a latency, with its unit.
    fn others(&self) -> [(&'static str, f64); 8] {
        [
            ("load, items/s", self.load_rate),
            ("floor, appends/s", self.floor),
            ("VmRSS after load, MB", megabytes(self.after_load.resident)),
            ("RssAnon after load, MB", megabytes(self.after_load.anonymous)),
            ("VmRSS after measuring, MB", megabytes(self.after_measuring.resident)),
            ("RssAnon after measuring, MB", megabytes(self.after_measuring.anonymous)),
            ("disk, MB", megabytes(self.disk_bytes)),
            ("verify, s", self.verified.time.as_secs_f64()),
        ]
    }
}

/// Prints what was measured of one size.
pub fn print(figures: &Figures) {
    println!("\n{} items", figures.items);
    println!("{:<30}  {:>10}  {:>9}  {:>9}", "", "requests/s", "p50 ms", "p99 ms");
    for (kind, round) in &figures.operations {
        println!(
            "{:<30}  {:>10.0}  {:>9.3}  {:>9.3}",
            kind.name(),
            round.latencies.count() as f64 / round.time.as_secs_f64(),
            milliseconds(round.latencies.permille(500)),
            milliseconds(round.latencies.permille(990)),
        );
    }
    for (name, value) in figures.others() {
        println!("{name:<30}  {value:>10.0}");
    }
    for (kind, round) in figures.operations.iter().filter(|(_, round)| round.errors > 0) {
        let first = round.first_error.as_deref().unwrap_or_default();
        println!("{}: {} errors, the first: {first}", kind.name(), round.errors);
    }
    println!("verify: {}", figures.verified.said.trim_end());
}

/// Prints by what the figures of one size are those of another.
pub fn print_growth(small: &Figures, large: &Figures) {
    println!(
        "\nfrom {} to {} items, {:.1} times as many",
        small.items,
        large.items,
        ratio(large.items as f64, small.items as f64)
    );
    println!("{:<30}  {:>9}  {:>9}", "", "p50", "p99");
    for ((kind, small), (_, large)) in small.operations.iter().zip(&large.operations) {
        let growth = |permille| {
            let of = |round: &Round| round.latencies.permille(permille).as_secs_f64();
            ratio(of(large), of(small))
        };
        println!("{:<30}  {:>9.2}  {:>9.2}", kind.name(), growth(500), growth(990));
    }
    for ((name, small), (_, large)) in small.others().into_iter().zip(large.others()) {
        let name = name.split(',').next().unwrap_or(name);
        println!("{name:<30}  {:>9.2}", ratio(large, small));
    }
}

/// No number if there is nothing to divide by.
fn ratio(large: f64, small: f64) -> f64 {
    if small > 0.0 { large / small } else { f64::NAN }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

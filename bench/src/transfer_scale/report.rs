//! Figures for people.

use super::{files::Files, transfer::End};
use crate::{expiry::foreground::Round, histogram::Histogram, scale::Memory};

/// All that was measured.
pub struct Figures {
    /// How many items there are.
    pub items: u64,
    /// Items loaded per second.
    pub load_rate: f64,
    /// The server's memory before anything was exported.
    pub before: Memory,
    /// How the export ended, and what it left.
    pub export: (End, Files),
    /// How the import ended.
    pub import: End,
    /// What the foreground noted.
    pub rounds: Vec<Round>,
}

/// Prints it.
pub fn print(figures: &Figures) {
    let (export, files) = &figures.export;
    println!("\n{} items loaded with {:.0}/s", figures.items, figures.load_rate);
    let bytes = export.count("BilledSizeBytes");
    rate("exported", figures.items, bytes, export);
    println!("  {} data files, {:.1} MB of gzip", files.count, megabytes(files.bytes));
    rate("imported", figures.items, figures.import.count("ProcessedSizeBytes"), &figures.import);
    println!("\n{:<20}  {:>10}  {:>10}  {:>10}", "", "idle", "export", "import");
    for round in &figures.rounds {
        for (name, permille) in [("p50", 500), ("p99", 990)] {
            let value = |latencies: &Histogram| latencies.permille(permille).as_secs_f64() * 1e3;
            row(
                &format!("{} {name}, ms", round.operation),
                3,
                round.latencies.each_ref().map(value),
            );
        }
    }
    let memories = [figures.before, export.memory, figures.import.memory];
    row("VmRSS, MB", 0, memories.map(|memory| megabytes(memory.resident)));
    row("RssAnon, MB", 0, memories.map(|memory| megabytes(memory.anonymous)));
    for round in figures.rounds.iter().filter(|round| round.errors > 0) {
        let first = round.first_error.as_deref().unwrap_or_default();
        println!("{}: {} errors, the first: {first}", round.operation, round.errors);
    }
}

fn rate(what: &str, items: u64, bytes: u64, end: &End) {
    let seconds = end.time.as_secs_f64().max(0.001);
    println!(
        "{what} within {seconds:.1} s: {:.0} items/s, {:.1} MB/s of {:.0} MB",
        items as f64 / seconds,
        megabytes(bytes) / seconds,
        megabytes(bytes)
    );
}

fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

fn row(name: &str, digits: usize, values: [f64; 3]) {
    let [idle, export, import] = values;
    println!("{name:<20}  {idle:>10.digits$}  {export:>10.digits$}  {import:>10.digits$}");
}

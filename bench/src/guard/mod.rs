//! Counts the instructions that hot operations take under callgrind, and holds them against what
//! was recorded. Time depends on what else the machine does; instructions hardly do.

mod counted;
mod operation;
mod record;

use crate::{Failure, cli::GuardOptions};
use counted::Bench;
use operation::Operation;
use record::Record;

/// Counts, and compares or records. False if an operation takes more than it may.
pub fn run(options: GuardOptions) -> Result<bool, Failure> {
    let bench = Bench::new(&options.server)?;
    let base = bench.instructions(None)?;
    let mut counts = Vec::new();
    for operation in Operation::ALL {
        let total = bench.instructions(Some(operation))?;
        let each = total.saturating_sub(base) / operation.times();
        eprintln!("{:<18} {each:>10} instructions", operation.name());
        counts.push((operation.name().to_owned(), each));
    }
    let counts = Record(counts);
    if options.record {
        counts.write(&options.file)?;
        return Ok(true);
    }
    let recorded = Record::read(&options.file)?;
    let (lines, fine) = recorded.compare(&counts, options.tolerance);
    print!("{lines}");
    Ok(fine)
}

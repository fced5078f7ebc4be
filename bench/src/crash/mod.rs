//! The crash campaign: write, kill, restart, check, many times on the same data.

mod campaign;
mod check;
mod churn;
mod ending;
mod history;
mod item;
mod table;
mod violation;
mod writer;

use crate::{Failure, cli::CrashOptions};
use campaign::Campaign;
use std::{fs, path::Path};
use violation::{Kind, Violation};

/// More than this many are only counted.
const MOST_PRINTED: usize = 20;
/// Lines of the server's log that are shown if something is wrong.
const LOG_LINES: usize = 20;

/// Runs a campaign; false if anything is wrong.
pub fn run(options: CrashOptions) -> Result<bool, Failure> {
    let temporary = match &options.data {
        Some(_) => None,
        None => Some(tempfile::Builder::new().prefix("crash-").tempdir()?),
    };
    let directory = match (&options.data, &temporary) {
        (Some(data), _) => data.clone(),
        (None, Some(temporary)) => temporary.path().to_owned(),
        (None, None) => return Err("no directory".into()),
    };
    if campaign::data(&directory).exists() {
        let name = directory.display();
        return Err(
            format!("{name} has data of another campaign; choose an empty directory").into()
        );
    }
    fs::create_dir_all(&directory)?;
    let mut campaign = Campaign::new(&options, &directory);
    let violations = campaign.run();
    let lost = count(&violations, Kind::Lost);
    let half_applied = count(&violations, Kind::HalfApplied);
    if !violations.is_empty() {
        report(&violations, &directory);
        if let Some(temporary) = temporary {
            // Kept, for whoever looks into it.
            let _ = temporary.keep();
        }
    }
    println!(
        "crash: {} cycles, {} acknowledged writes, {lost} lost, {half_applied} half-applied",
        campaign.cycles_run(),
        campaign.acknowledged()
    );
    let failed = u32::from(!violations.is_empty());
    println!("{} passed, {failed} failed", campaign.cycles_passed());
    Ok(failed == 0)
}

fn count(violations: &[Violation], kind: Kind) -> usize {
    violations.iter().filter(|v| v.kind == kind).count()
}

fn report(violations: &[Violation], directory: &Path) {
    for violation in violations.iter().take(MOST_PRINTED) {
        println!("  {violation}");
    }
    if violations.len() > MOST_PRINTED {
        println!("  and {} more", violations.len() - MOST_PRINTED);
    }
    let log = campaign::log(directory);
    let text = fs::read_to_string(&log).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    println!("  the end of {}:", log.display());
    for line in lines.iter().skip(lines.len().saturating_sub(LOG_LINES)) {
        println!("    {line}");
    }
    println!("  the data is kept in {}", directory.display());
}

//! Figures for people and for programs.

use super::{Extra, Figure, Plan};
use crate::Failure;
use serde_json::{Value, json};
use std::{fs, path::Path, time::Duration};

/// One line of the table.
#[derive(Debug, Clone)]
pub struct Summary {
    /// The target's name.
    pub target: String,
    /// What its table has besides.
    extra: Extra,
    /// The operation's name.
    pub operation: &'static str,
    /// Requests per second: the median of the rounds.
    pub rate: f64,
    /// Requests per second of each round.
    rates: Vec<f64>,
    p50: Duration,
    p99: Duration,
    p999: Duration,
    /// The rate by that of the first target with the same operation.
    factor: f64,
    errors: u64,
    first_error: Option<String>,
}

impl Summary {
    /// Sums up figures.
    pub fn all(figures: &[Figure]) -> Vec<Summary> {
        let first = |figure: &Figure| {
            let same = figures.iter().find(|f| f.operation == figure.operation);
            same.map_or(f64::NAN, |same| median(&same.rates))
        };
        figures
            .iter()
            .map(|figure| Summary {
                target: figure.target.clone(),
                extra: figure.extra,
                operation: figure.operation.name(),
                rate: median(&figure.rates),
                rates: figure.rates.clone(),
                p50: figure.latencies.permille(500),
                p99: figure.latencies.permille(990),
                p999: figure.latencies.permille(999),
                factor: median(&figure.rates) / first(figure),
                errors: figure.errors,
                first_error: figure.first_error.clone(),
            })
            .collect()
    }
}

/// The middle value, or the mean of the two.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let upper = sorted.get(sorted.len() / 2);
    let lower = sorted.get(sorted.len().saturating_sub(1) / 2);
    match (lower, upper) {
        (Some(lower), Some(upper)) => (lower + upper) / 2.0,
        _ => 0.0,
    }
}

/// Prints the table.
pub fn print(summaries: &[Summary]) {
    let width = summaries.iter().map(|s| s.target.len()).max();
    let width = width.unwrap_or_default().max("target".len());
    println!(
        "{:<width$}  {:<9}  {:>10}  {:>9}  {:>9}  {:>9}  {:>7}",
        "target", "operation", "requests/s", "p50 ms", "p99 ms", "p999 ms", "factor"
    );
    for s in summaries {
        println!(
            "{:<width$}  {:<9}  {:>10.0}  {:>9.3}  {:>9.3}  {:>9.3}  {:>7.2}",
            s.target,
            s.operation,
            s.rate,
            milliseconds(s.p50),
            milliseconds(s.p99),
            milliseconds(s.p999),
            s.factor
        );
    }
    for s in summaries.iter().filter(|s| s.errors > 0) {
        let first = s.first_error.as_deref().unwrap_or_default();
        println!("{} {}: {} errors, the first: {first}", s.target, s.operation, s.errors);
    }
}

/// Prints what a stream or recovery leaves of the rate, from pairs of rounds that came one after the other: what
/// else happens on the machine hits both alike.
pub fn print_ratios(summaries: &[Summary]) {
    for s in summaries.iter().filter(|s| s.extra != Extra::Nothing) {
        let plain = |other: &&Summary| {
            let name = s.target.strip_prefix(&other.target);
            other.extra == Extra::Nothing && other.operation == s.operation && name.is_some()
        };
        let Some(plain) = summaries.iter().find(plain) else { continue };
        let mut ratios: Vec<f64> = s.rates.iter().zip(&plain.rates).map(|(s, p)| s / p).collect();
        ratios.sort_by(f64::total_cmp);
        let quarter = |quarter: usize| {
            let place = ratios.len().saturating_sub(1) * quarter / 4;
            ratios.get(place).copied().unwrap_or(f64::NAN)
        };
        println!(
            "{} {}: {:.2} of the rate without it in the middle round, {:.2} to {:.2} in half of them",
            s.target,
            s.operation,
            median(&ratios),
            quarter(1),
            quarter(3)
        );
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// Writes the figures to a file, with further members as given.
pub fn write_json(
    path: &Path,
    plan: &Plan,
    summaries: &[Summary],
    more: &[(&str, Value)],
) -> Result<(), Failure> {
    let figures: Vec<Value> = summaries
        .iter()
        .map(|s| {
            json!({
                "target": s.target,
                "operation": s.operation,
                "requests_per_second": s.rate,
                "rounds": s.rates,
                "p50_ms": milliseconds(s.p50),
                "p99_ms": milliseconds(s.p99),
                "p999_ms": milliseconds(s.p999),
                "factor": s.factor,
                "errors": s.errors,
            })
        })
        .collect();
    let mut whole = json!({
        "connections": plan.connections,
        "seconds": plan.time.as_secs(),
        "item_bytes": plan.item_bytes,
        "keys": plan.keys,
        "figures": figures,
    });
    if let Some(members) = whole.as_object_mut() {
        for (name, value) in more {
            members.insert((*name).to_owned(), value.clone());
        }
    }
    fs::write(path, format!("{whole:#}\n"))
        .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_the_middle() {
        for (values, middle) in
            [(&[][..], 0.0), (&[3.0], 3.0), (&[9.0, 1.0, 2.0], 2.0), (&[4.0, 1.0, 2.0, 9.0], 3.0)]
        {
            assert_eq!(median(values), middle);
        }
    }
}

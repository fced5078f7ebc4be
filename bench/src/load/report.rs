//! The tables for people. They are Markdown, so that they can stand in a document as they are.

use super::{
    Plan,
    contender::Role,
    sheet::{Cell, Sheet, median},
};
use std::{fmt::Write, time::Duration};

/// Lines of cells, the heading first.
pub type Table = Vec<Vec<String>>;

/// What the first contender reached, and how many times the rate of each other one that is.
pub fn ratios(sheet: &Sheet, plan: &Plan, connections: u32) -> Table {
    let mut heading = vec![format!("{connections} connections")];
    heading.extend(["requests/s", "p50 ms", "p99 ms"].map(str::to_owned));
    let others = sheet.contenders.iter().skip(1);
    heading.extend(others.map(|column| format!("/ {}", column.name)));
    let mut table = vec![heading];
    for &workload in &plan.workloads {
        let mut line = vec![workload.name().to_owned()];
        let ours = sheet.find(connections, workload, 0, false);
        line.extend(match ours.filter(|cell| cell.error.is_none()) {
            Some(cell) => {
                let latency = |permille| milliseconds(cell.latency(permille));
                [number(cell.rate()), latency(500), latency(990)]
            }
            None => [found(ours), String::new(), String::new()],
        });
        for (place, column) in sheet.contenders.iter().enumerate().skip(1) {
            let theirs = sheet.find(connections, workload, place, false);
            line.push(match sheet.ratio(connections, workload, place) {
                Some(ratio) => times(ratio),
                None if column.missing.is_some() => "missing".to_owned(),
                None => found(theirs),
            });
        }
        table.push(line);
    }
    table
}

/// Latencies at a fixed rate.
pub fn fixed_rates(sheet: &Sheet, plan: &Plan, connections: u32) -> Table {
    let servers = sheet.contenders.iter().enumerate().filter(|(_, c)| c.role != Role::Limit);
    let servers: Vec<_> = servers.collect();
    let mut heading = vec![format!("{connections} connections")];
    heading.extend(servers.iter().map(|(_, column)| column.name.clone()));
    let mut table = vec![heading];
    for &workload in &plan.workloads {
        let mut line = vec![workload.name().to_owned()];
        for (place, column) in &servers {
            let cell = sheet.find(connections, workload, *place, true);
            line.push(match cell.filter(|cell| cell.error.is_none()) {
                Some(cell) => {
                    let latency = |permille| milliseconds(cell.latency(permille));
                    format!("{}/s: {} / {}", number(cell.rate()), latency(500), latency(990))
                }
                None if column.missing.is_some() => "missing".to_owned(),
                None => found(cell),
            });
        }
        table.push(line);
    }
    table
}

/// What stands in the place of a figure that is not there.
fn found(cell: Option<&Cell>) -> String {
    if cell.is_some() { "error".to_owned() } else { "-".to_owned() }
}

/// Who is missing and why, and what was answered wrongly.
pub fn notes(sheet: &Sheet) -> String {
    let mut notes = String::new();
    // Writing to a string cannot fail.
    for column in &sheet.contenders {
        if let Some(why) = &column.missing {
            let _ = writeln!(notes, "missing: {}: {why}", column.name);
        }
    }
    // What is wrong with several workloads in the same way is said once.
    let mut errors: Vec<(&str, &str, Vec<&str>)> = Vec::new();
    for cell in &sheet.cells {
        let name = sheet.contenders.get(cell.contender).map_or("", |column| &column.name);
        let (Some(error), workload) = (&cell.error, cell.workload.name()) else { continue };
        match errors.iter_mut().find(|(of, text, _)| *of == name && text == error) {
            Some((_, _, workloads)) if workloads.contains(&workload) => {}
            Some((_, _, workloads)) => workloads.push(workload),
            None => errors.push((name, error, vec![workload])),
        }
    }
    for (name, error, workloads) in errors {
        let _ = writeln!(notes, "error: {name}, {}: {error}", workloads.join(", "));
    }
    notes
}

/// What a stream or recovery leaves of the rate, from pairs of rounds that came one after the other:
/// what else happens on the machine hits both alike.
pub fn kept(sheet: &Sheet) -> String {
    let mut text = String::new();
    for cell in sheet.cells.iter().filter(|cell| !cell.fixed && cell.error.is_none()) {
        let name = sheet.contenders.get(cell.contender).map_or("", |column| &column.name);
        let plain = sheet.find(cell.connections, cell.workload, 0, false);
        let (true, Some(plain)) = (name.contains(" with "), plain) else { continue };
        let ratios = cell.rates.iter().zip(&plain.rates).map(|(with, plain)| with / plain);
        let mut ratios: Vec<f64> = ratios.collect();
        ratios.sort_by(f64::total_cmp);
        let quarter = |quarter: usize| {
            let place = ratios.len().saturating_sub(1) * quarter / 4;
            ratios.get(place).copied().unwrap_or(f64::NAN)
        };
        let _ = writeln!(
            text,
            "{name}, {}, {} connections: {:.2} of the rate without it, {:.2} to {:.2} in half of the rounds",
            cell.workload.name(),
            cell.connections,
            median(&ratios),
            quarter(1),
            quarter(3)
        );
    }
    text
}

/// A table with its columns below each other.
pub fn aligned(table: &Table) -> String {
    let columns = table.first().map_or(0, Vec::len);
    let width = |column: usize| {
        let cells = table.iter().filter_map(|line| line.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0).max(2)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for (place, line) in table.iter().enumerate() {
        for (column, (cell, width)) in line.iter().zip(&widths).enumerate() {
            let _ = match column {
                0 => write!(text, "| {cell:<width$} |"),
                _ => write!(text, " {cell:>width$} |"),
            };
        }
        text.push('\n');
        if place == 0 {
            for (column, width) in widths.iter().enumerate() {
                let _ = match column {
                    0 => write!(text, "|{:-<1$}|", "", width + 2),
                    _ => write!(text, "{:-<1$}:|", "", width + 1),
                };
            }
            text.push('\n');
        }
    }
    text
}

/// A rate or another large number: `12,345`, and small ones with a decimal.
pub fn number(value: f64) -> String {
    if value < 10.0 {
        return format!("{value:.1}");
    }
    let digits = format!("{value:.0}");
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A ratio with as many digits as mean something.
fn times(ratio: f64) -> String {
    match ratio {
        ..0.095 => format!("{ratio:.3}"),
        ..9.995 => format!("{ratio:.2}"),
        _ => number(ratio),
    }
}

/// A latency.
fn milliseconds(time: Duration) -> String {
    let milliseconds = time.as_secs_f64() * 1e3;
    if milliseconds < 9.995 { format!("{milliseconds:.2}") } else { number(milliseconds) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_legible() {
        for (value, text) in [
            (0.0, "0.0"),
            (9.94, "9.9"),
            (12.0, "12"),
            (999.6, "1,000"),
            (1_234_567.0, "1,234,567"),
        ] {
            assert_eq!(number(value), text);
        }
        assert_eq!((times(2.534), times(12.3)), ("2.53".to_owned(), "12".to_owned()));
    }

    #[test]
    fn tables_are_markdown() {
        let table = [["a", "long"], ["b", "1"]];
        let table = table.map(|line| line.map(str::to_owned).to_vec()).to_vec();
        assert_eq!(aligned(&table), "| a  | long |\n|----|-----:|\n| b  |    1 |\n");
    }
}

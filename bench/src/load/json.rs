//! The figures for programs.

use super::{
    Plan,
    sheet::{Cell, Sheet},
};
use crate::Failure;
use serde_json::{Value, json};
use std::{fs, path::Path, time::Duration};

/// All cells, each with its rounds.
fn figures(sheet: &Sheet) -> Value {
    let figure = |cell: &Cell| {
        let name = sheet.contenders.get(cell.contender).map(|column| column.name.as_str());
        let head = json!({
            "connections": cell.connections,
            "workload": cell.workload.name(),
            "server": name,
            "pace": if cell.fixed { "fixed rate" } else { "closed loop" },
        });
        let rest = match &cell.error {
            Some(error) => json!({"error": error}),
            None => json!({
                "requests_per_second": cell.rate(),
                "rounds": cell.rates,
                "requests": cell.latencies.count(),
                "generator_us_per_request": cell.cost(),
                "latency_ms": latencies(|permille| cell.latency(permille)),
                "uncorrected_latency_ms": latencies(|permille| cell.latencies.permille(permille)),
            }),
        };
        match (head, rest) {
            (Value::Object(mut head), Value::Object(rest)) => {
                head.extend(rest);
                Value::Object(head)
            }
            (head, _) => head,
        }
    };
    sheet.cells.iter().map(figure).collect()
}

fn latencies(permille: impl Fn(u64) -> Duration) -> Value {
    let milliseconds = |part: u64| permille(part).as_secs_f64() * 1e3;
    json!({
        "p50": milliseconds(500),
        "p90": milliseconds(900),
        "p99": milliseconds(990),
        "p999": milliseconds(999),
        "most": milliseconds(1000),
    })
}

/// Writes all figures to a file, with further members as given.
pub fn write_json(
    path: &Path,
    plan: &Plan,
    sheet: &Sheet,
    more: &[(&str, Value)],
) -> Result<(), Failure> {
    let missing = sheet.contenders.iter().filter_map(|column| {
        column.missing.as_ref().map(|why| json!({"server": column.name, "why": why}))
    });
    let mut whole = json!({
        "seconds": plan.time.as_secs_f64(),
        "rounds": plan.rounds,
        "item_bytes": plan.item_bytes,
        "keys": plan.keys,
        "figures": figures(sheet),
        "missing": missing.collect::<Vec<Value>>(),
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

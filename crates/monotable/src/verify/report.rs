//! What `verify` prints: a line for each thing that is wrong, and one at the end.

use crate::output;
use engine::verify::Summary;
use serde_json::json;
use std::time::Instant;

/// Lines that are printed; what is beyond is only counted.
const MOST: u64 = 1000;

/// What was found so far.
pub(super) struct Report {
    json: bool,
    findings: u64,
    begun: Instant,
}

impl Report {
    pub(super) fn new(json: bool) -> Report {
        Report { json, findings: 0, begun: Instant::now() }
    }

    /// Prints something that is wrong.
    pub(super) fn found(&mut self, place: &str, problem: &str) {
        self.findings += 1;
        if self.findings > MOST {
            return;
        }
        if self.json {
            println!("{}", json!({ "place": place, "problem": problem }));
        } else {
            println!("{place}: {problem}");
        }
    }

    /// Says something that is no damage.
    pub(super) fn note(&self, text: &str) {
        output::note(text);
    }

    pub(super) fn is_healthy(&self) -> bool {
        self.findings == 0
    }

    /// Prints the last line.
    pub(super) fn end(&self, looked_at: Option<&Summary>) {
        let seconds = self.begun.elapsed().as_secs_f64();
        if self.json {
            let counts = looked_at.map(|summary| {
                json!({
                    "tables": summary.tables,
                    "items": summary.items,
                    "entries": summary.entries,
                    "changes": summary.changes,
                    "saved": summary.saved,
                })
            });
            println!(
                "{}",
                json!({ "findings": self.findings, "seconds": seconds, "read": counts })
            );
            return;
        }
        if self.findings > MOST {
            println!("and {} more", self.findings - MOST);
        }
        let read = looked_at.map_or_else(
            || "the files".to_owned(),
            |Summary { tables, items, entries, changes, saved }| {
                format!(
                    "{tables} tables, {items} items, {entries} index entries, {changes} changes, \
                     {saved} items of backups"
                )
            },
        );
        let outcome = match self.findings {
            0 => "healthy".to_owned(),
            1 => "damaged: 1 finding".to_owned(),
            many => format!("damaged: {many} findings"),
        };
        println!("{outcome}; looked at {read} in {seconds:.1} s");
    }
}

//! All results, for people, for programs, as a picture and for a document.

use super::{CompareOptions, docs, idle::Idle, plot};
use crate::{
    Failure,
    load::{
        Cell, Plan, Sheet, Workload, aligned, fixed_rates, kept, median, notes, number, ratios,
        write_json,
    },
    scale::Memory,
};
use serde_json::{Value, json};
use std::{fmt::Write, fs, thread};

/// What there is to say.
pub struct Results<'a> {
    pub sheet: &'a Sheet,
    pub plan: &'a Plan,
    /// Percent of the rate that was reached, at which latencies were measured.
    pub share: u32,
    pub idle: Vec<Idle>,
    /// Synced appends a second before and after.
    pub floor: [f64; 2],
    /// When each server answers a write.
    pub acknowledges: &'a [(&'static str, &'static str)],
}

impl Results<'_> {
    /// All tables, as Markdown.
    pub fn text(&self) -> String {
        let plan = self.plan;
        let cores = thread::available_parallelism().map_or(0, usize::from);
        let mut text = format!(
            "{} items, one index, {} bytes in the longest attribute; {} x {} s each; {cores} cores, shared with \
             the load generator. `/ name` is how many times the requests of `name` Monotable answers.\n\n",
            number(plan.keys as f64),
            plan.item_bytes,
            plan.rounds,
            plan.time.as_secs_f64(),
        );
        // Writing to a string cannot fail.
        for &connections in &plan.connections {
            let _ = writeln!(text, "{}", aligned(&ratios(self.sheet, plan, connections)));
        }
        if let Some(&connections) = plan.connections.first().filter(|_| self.share > 0) {
            let _ = writeln!(
                text,
                "At a fixed rate, {}% of what each reached; p50 / p99 in ms, from the time a request was to be sent:\n\n{}",
                self.share,
                aligned(&fixed_rates(self.sheet, plan, connections))
            );
        }
        let _ = writeln!(text, "{}", aligned(&self.idle_table()));
        let (kept, notes) = (kept(self.sheet), notes(self.sheet));
        for note in kept.lines().chain(notes.lines()) {
            let _ = writeln!(text, "- {note}");
        }
        for (name, when) in self.acknowledges {
            let _ = writeln!(text, "- {name} answers a write {when}");
        }
        for cell in self.sheet.cells.iter().filter(|cell| self.is_of_generator(cell)) {
            let _ = writeln!(
                text,
                "- of the {:.1} us in which the bare server answers a get-item, the generator works {:.1} us on one of \
                 the cores ({} connections)",
                1e6 / cell.rate(),
                cell.cost(),
                cell.connections
            );
        }
        let [before, after] = self.floor;
        let _ = writeln!(
            text,
            "- one thread's synced appends of 512 bytes: {}/s before, {}/s after",
            number(before),
            number(after)
        );
        text
    }

    /// Where the generator's own part is seen best.
    fn is_of_generator(&self, cell: &Cell) -> bool {
        let column = self.sheet.contenders.get(cell.contender);
        column.is_some_and(|column| column.name == "bare")
            && cell.workload == Workload::GetItem
            && cell.error.is_none()
    }

    fn idle_table(&self) -> Vec<Vec<String>> {
        let heading =
            ["server", "start to first answer, ms", "resident idle, MB", "resident after, MB"];
        let mut table = vec![heading.map(str::to_owned).to_vec()];
        for idle in &self.idle {
            table.push(vec![
                idle.name.to_owned(),
                number(idle.start_ms),
                number(megabytes(idle.idle)),
                idle.after.map_or_else(String::new, |after| number(megabytes(after))),
            ]);
        }
        table
    }

    /// Writes the files that the command line asks for.
    pub fn write(&self, options: &CompareOptions) -> Result<(), Failure> {
        if let Some(path) = &options.plan.json {
            let idle = |idle: &Idle| {
                json!({
                    "server": idle.name,
                    "start_ms": idle.start_ms,
                    "resident_idle_bytes": idle.idle.resident,
                    "resident_after_bytes": idle.after.map(|after| after.resident),
                })
            };
            let [before, after] = self.floor;
            let floor = json!({
                "appends_per_second": median(&self.floor), "before": before, "after": after,
            });
            let idle: Vec<Value> = self.idle.iter().map(idle).collect();
            let acknowledges: Vec<Value> = self
                .acknowledges
                .iter()
                .map(|(name, when)| json!({"server": name, "when": when}))
                .collect();
            let more =
                [("idle", json!(idle)), ("floor", floor), ("acknowledges", json!(acknowledges))];
            write_json(path, self.plan, self.sheet, &more)?;
        }
        if let (Some(path), Some(&connections)) = (&options.plot, self.plan.connections.first()) {
            fs::write(path, plot::svg(self.sheet, self.plan, connections))
                .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
        }
        if let Some(path) = &options.write_docs {
            docs::write(path, &self.text())?;
        }
        Ok(())
    }
}

fn megabytes(memory: Memory) -> f64 {
    memory.resident as f64 / 1e6
}

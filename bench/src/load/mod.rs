//! The load generator: named workloads on one table, and whatever can be measured with them side by
//! side.

mod answer;
mod client;
mod contender;
mod generator;
mod json;
mod options;
mod report;
mod script;
mod sheet;
mod table;
mod target;
mod workload;
mod zipf;

use crate::Failure;

pub use contender::{Contender, Role};
pub use generator::{Pace, Round};
pub use json::write_json;
pub use options::{LoadOptions, Plan, PlanOptions};
pub use report::{aligned, fixed_rates, kept, notes, number, ratios};
pub use sheet::{Cell, Column, Sheet, median};
pub use table::{PATIENCE, TOGETHER, make, put_body};
pub use target::{Answers, Target};
pub use workload::Workload;

/// What a table has besides its items and its index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extra {
    /// Nothing.
    Nothing,
    /// A stream of new and old images.
    Stream,
    /// Point-in-time recovery.
    Recovery,
}

impl Extra {
    /// What a server is called whose table has it.
    fn name(self) -> &'static str {
        match self {
            Extra::Nothing => "",
            Extra::Stream => "with a stream",
            Extra::Recovery => "with recovery",
        }
    }

    /// Those that the command line asks for.
    pub fn asked_for(options: &PlanOptions) -> Vec<Extra> {
        let extras = [(options.stream, Extra::Stream), (options.recovery, Extra::Recovery)];
        extras.into_iter().filter(|(asked_for, _)| *asked_for).map(|(_, extra)| extra).collect()
    }
}

/// Measures the targets of the command line; false if any request failed.
pub fn run(options: LoadOptions) -> Result<bool, Failure> {
    let plan = Plan::from(&options.plan);
    let mut targets = options.targets;
    if let Some(first) = targets.first() {
        let extras = Extra::asked_for(&options.plan);
        let extras: Vec<Target> = extras.into_iter().map(|extra| first.with(extra)).collect();
        targets.splice(1..1, extras);
    }
    let mut contenders: Vec<Box<dyn Contender>> = Vec::new();
    for target in targets {
        make(&target, &plan)
            .map_err(|error| format!("{} cannot be loaded: {error}", target.name))?;
        contenders.push(Box::new(target));
    }
    let pace = options.rate.map_or(Pace::Closed, Pace::Fixed);
    let sheet = Sheet::measure(&mut contenders, &plan, pace)?;
    for &connections in &plan.connections {
        let table = match pace {
            Pace::Closed => ratios(&sheet, &plan, connections),
            Pace::Fixed(_) => fixed_rates(&sheet, &plan, connections),
        };
        println!("{}", aligned(&table));
    }
    println!("{}{}", kept(&sheet), notes(&sheet));
    if let Some(path) = &options.plan.json {
        write_json(path, &plan, &sheet, &[])?;
    }
    Ok(sheet.cells.iter().all(|cell| cell.error.is_none()))
}

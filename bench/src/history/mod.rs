//! Records short histories of concurrent clients and looks for an order that explains each:
//! transactions on lists must be strictly serializable, single items linearizable. Faults can be
//! planted between clients and server, to see that they are found.

mod client;
mod graph;
mod list_client;
mod lists;
mod plant;
mod recorder;
mod register_client;
mod registers;

use crate::{
    Failure,
    cli::HistoryOptions,
    outage::{Place, Violation},
};
use clap::ValueEnum;
use plant::Planted;
use recorder::{Recorder, Tally};

pub use plant::Plant;

/// What a history is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Transactions on lists.
    Lists,
    /// Single items.
    Registers,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Lists => "lists",
            Kind::Registers => "registers",
        }
    }
}

/// Records and checks; false if there is an anomaly, or a planted fault without one.
pub fn run(options: HistoryOptions) -> Result<bool, Failure> {
    let plants = if options.plant_all { Plant::value_variants() } else { &options.plant };
    if plants.is_empty() { unplanted(&options) } else { planted(&options, plants) }
}

fn unplanted(options: &HistoryOptions) -> Result<bool, Failure> {
    let place = Place::new(&options.server, options.data.as_deref(), "history-")?;
    let mut recorder = Recorder::new(options, &place, &[Kind::Lists, Kind::Registers], None);
    let violations = recorder.run();
    let tally = recorder.tally();
    if !violations.is_empty() {
        place.report(&violations);
    }
    print(&tally);
    let failed = u32::from(!violations.is_empty());
    println!("{} passed, {failed} failed", tally.passed);
    Ok(failed == 0)
}

fn planted(options: &HistoryOptions, plants: &[Plant]) -> Result<bool, Failure> {
    let (mut passed, mut failed) = (0, 0);
    let runs =
        plants.iter().flat_map(|plant| plant.shows_in().iter().map(move |kind| (plant, kind)));
    for (plant, &kind) in runs {
        let place = Place::new(&options.server, None, "history-")?;
        let planted = Planted::new(*plant);
        let kinds = [kind];
        let mut recorder = Recorder::new(options, &place, &kinds, Some(&planted));
        let violations = recorder.run();
        let (name, histories) = (plant.name(), recorder.tally().histories());
        let name = format!("{name} in {}", kind.name());
        match violations.first() {
            Some(Violation { text, .. }) if recorder.found_anomaly() => {
                passed += 1;
                let line = text.lines().next().unwrap_or_default();
                println!("{name}: found after {histories}, as {line}");
            }
            Some(other) => {
                failed += 1;
                println!("{name}: not found, but after {histories}: {other}");
            }
            None => {
                failed += 1;
                println!("{name}: not found in {histories} histories");
            }
        }
    }
    println!("{passed} passed, {failed} failed");
    Ok(failed == 0)
}

fn print(tally: &Tally) {
    println!(
        "history: {} histories ({} of lists, {} of registers), {} operations, {} kills, {} without \
         an answer ({} settled by their token)",
        tally.histories(),
        tally.lists,
        tally.registers,
        tally.operations,
        tally.kills,
        tally.unanswered,
        tally.settled
    );
}

/// A time for people.
fn interval(invoked: u64, completed: Option<u64>) -> String {
    let milliseconds = |time: u64| time as f64 / 1e6;
    match completed {
        Some(completed) => {
            format!("[{:.3}..{:.3} ms]", milliseconds(invoked), milliseconds(completed))
        }
        None => format!("[{:.3}.. no answer]", milliseconds(invoked)),
    }
}

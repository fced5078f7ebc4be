//! Overload: more writes than the disk takes, and larger answers than the memory holds. What is too much
//! is refused in a way that SDKs try again after; what is accepted is answered within a bound, reads go on,
//! memory stays bounded, and all is well as soon as the load has gone.

mod bounds;
mod campaign;
mod readers;
mod writers;

use crate::{
    Failure,
    cli::OverloadOptions,
    outage::{Place, Violation},
};
use clap::ValueEnum;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// A fault of the server that must be found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Plant {
    /// All work is let in at once
    UnboundedQueue,
    /// An answer that is not taken is kept without end
    NoAnswerTimeout,
}

impl Plant {
    fn name(self) -> String {
        let value = self.to_possible_value();
        value.map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    /// Parts of complaints that show it.
    fn shows_as(self) -> &'static [&'static str] {
        match self {
            Plant::UnboundedQueue => &["of memory", "nothing was refused", "accepted writes"],
            Plant::NoAnswerTimeout => &["answers that nobody takes"],
        }
    }
}

/// Runs the campaign; false if anything is wrong, or if a planted fault is not found.
pub fn run(options: OverloadOptions) -> Result<bool, Failure> {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum })?;
    let plants = if options.plant_all { Plant::value_variants() } else { &options.plant };
    if plants.is_empty() {
        let place = Place::new(&options.server, options.data.as_deref(), "overload-")?;
        let complaints = campaign::run(&options, place.directory(), None)?;
        let failed = u32::from(!complaints.is_empty());
        if failed > 0 {
            let violations: Vec<_> = complaints.into_iter().map(Violation::misbehaved).collect();
            place.report(&violations);
        }
        println!("{} passed, {failed} failed", 1 - failed);
        return Ok(failed == 0);
    }
    let (mut passed, mut failed) = (0, 0);
    for &plant in plants {
        let place = Place::new(&options.server, None, "overload-")?;
        let complaints = campaign::run(&options, place.directory(), Some(plant))?;
        let shows = |text: &&String| plant.shows_as().iter().any(|part| text.contains(part));
        match complaints.iter().find(shows) {
            Some(text) => {
                passed += 1;
                println!("{}: found, as {text}", plant.name());
            }
            None => {
                failed += 1;
                println!("{}: not found; {complaints:?}", plant.name());
            }
        }
    }
    println!("{passed} passed, {failed} failed");
    Ok(failed == 0)
}

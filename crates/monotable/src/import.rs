//! `monotable import`: puts the items of files into a table on a running server.
//!
//! A put replaces what is there, so that a row may be written twice without harm. A record beside
//! the first file says up to which row everything has been written; an import that was interrupted
//! goes on behind it.

mod batch;
mod errors;
mod options;
mod source;
mod state;
mod table;
mod watermark;
mod writing;

pub use options::ImportOptions;

use crate::{
    ending::{Ending, count},
    files::Record,
    interrupt::Interrupt,
    meter::Meter,
};
use errors::Errors;
use source::Source;
use state::State;
use std::time::{Duration, Instant};
use writing::Writing;

/// Imports.
pub(crate) fn run(options: &ImportOptions) -> Result<(), Ending> {
    let types = options.types()?;
    options.check_formats()?;
    let record = state::place(options).map(Record::at);
    if record.is_none() && (options.resume || options.restart) {
        let text = "to go on with standard input, --state must say where that was recorded";
        return Err(Ending::Usage(text.to_owned()));
    }
    let begun = Instant::now();
    let interrupt = Interrupt::listen().map_err(|error| Ending::Failed(error.to_string()))?;
    let mut meter = Meter::new(options.quiet, false);
    let mut client = options.endpoint.client()?;
    // A file that is not there is told before a table is created.
    State::new(options, "")?;
    let (key, table_id) = table::find(&mut client, options, &interrupt)?;
    let fresh = State::new(options, &table_id)?;
    let found = match &record {
        Some(record) if options.restart => {
            record.remove()?;
            None
        }
        Some(record) => record.read::<State>()?,
        None => None,
    };
    let mut state = match (found, &record) {
        (Some(found), Some(record)) => {
            found.check(&fresh, record.path())?;
            meter.note(&format!("going on behind {}", count(found.rows, "row")));
            found
        }
        _ if options.resume => {
            let text = format!("there is no import into '{}' to go on with", options.table);
            return Err(Ending::Failed(text));
        }
        _ => fresh,
    };
    let record = record.filter(|record| match record.write(&state) {
        Ok(()) => true,
        Err(error) => {
            meter.warn(&format!("{error}; this import cannot be gone on with, --state may help"));
            false
        }
    });
    let source = Source {
        files: options.files.clone(),
        format: options.format,
        types,
        key: key.clone(),
        skipped: state.rows,
    };
    let (pages, read_bytes) = source.start();
    let errors = Errors::open(options.errors.as_deref(), state.error_bytes)?;
    meter.begin(&format!("importing into '{}'", options.table));
    let mut teller = meter.clone();
    let outcome = Writing::new(
        options,
        &key,
        record.as_ref(),
        &interrupt,
        &mut state,
        errors,
        &mut teller,
        &read_bytes,
    )
    .and_then(|mut writing| writing.run(&pages));
    meter.clear();
    match outcome {
        Ok(()) => {
            if let Some(record) = &record {
                record.remove()?;
            }
            let skipped = match state.bad {
                0 => String::new(),
                bad => format!(", {} skipped", count(bad, "line")),
            };
            let items = count(state.items(), "item");
            let taken = humantime::format_duration(shown(begun.elapsed()));
            meter.note(&format!("{items} into '{}'{skipped} ({taken})", options.table));
            Ok(())
        }
        Err(ending) if state.rows == 0 => {
            if let Some(record) = &record {
                record.remove()?;
            }
            Err(ending)
        }
        Err(ending) => {
            let rows = count(state.rows, "row");
            let advice = match record {
                Some(_) => "; the same command goes on behind that",
                None => "; an import may be repeated, since an item that is there is replaced",
            };
            Err(ending.with(&format!("\n  done so far: {rows}{advice}")))
        }
    }
}

/// A part of a second matters only if there are few.
fn shown(taken: Duration) -> Duration {
    let millis = u64::try_from(taken.as_millis()).unwrap_or(u64::MAX);
    Duration::from_millis(if millis >= 10_000 { millis / 1000 * 1000 } else { millis })
}

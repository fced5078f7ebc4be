//! `monotable export`: writes the items of a table on a running server to a file.
//!
//! A file is made beside its place and renamed when it is whole. Until then a record beside it says
//! how far each segment of the table has been read and how long the file is up to there: whatever
//! happens, the export can go on behind that.

mod convert;
mod copy;
mod options;
mod reading;
mod segment;
mod sink;
mod state;

pub use options::ExportOptions;

use crate::{
    ending::{Ending, bytes, count},
    files::{FileFormat, Record, beside, sync_directory_of},
    interrupt::Interrupt,
    meter::Meter,
    since,
    table_key::{Description, TableKey, describe},
};
use archive::{Compression, plain};
use convert::Conversion;
use options::Plan;
use reading::Reading;
use sink::Sink;
use state::{Phase, State, TableCopy};
use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
    time::{Duration, Instant, SystemTime},
};

const USUAL_SEGMENTS: u16 = 4;

/// Exports.
pub(crate) fn run(options: &ExportOptions) -> Result<(), Ending> {
    let plan = Plan::of(options)?;
    let interrupt = Interrupt::listen().map_err(|error| Ending::Failed(error.to_string()))?;
    let mut export = Export {
        options,
        plan: &plan,
        interrupt,
        meter: Meter::new(options.quiet, plan.file.is_none()),
        begun: Instant::now(),
    };
    let outcome = match &plan.file {
        Some(file) => export.write_file(&Files::of(file)),
        None => export.write_standard_output(),
    };
    export.meter.clear();
    match outcome {
        Err(Ending::Unread) => Ok(()),
        outcome => outcome,
    }
}

/// The files of an export.
struct Files {
    whole: PathBuf,
    /// The file as it is being made.
    part: PathBuf,
    /// Items that are kept apart until the columns are known.
    items: PathBuf,
    record: Record,
}

impl Files {
    fn of(file: &Path) -> Files {
        Files {
            whole: file.to_owned(),
            part: beside(file, ".part"),
            items: beside(file, ".part.items"),
            record: Record::at(beside(file, ".part.state")),
        }
    }

    /// Removes what is there besides the whole file, the record last.
    fn remove(&self) -> Result<(), Ending> {
        for file in [&self.part, &self.items] {
            match fs::remove_file(file) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    return Err(Ending::file("remove", file)(error));
                }
                _ => {}
            }
        }
        self.record.remove()
    }
}

struct Export<'e> {
    options: &'e ExportOptions,
    plan: &'e Plan,
    interrupt: Interrupt,
    meter: Meter,
    begun: Instant,
}

impl<'e> Export<'e> {
    fn write_standard_output(&mut self) -> Result<(), Ending> {
        let (mut state, described, _) = self.fresh()?;
        let outcome = self.read_to_standard_output(&mut state, &described);
        if let Some(copy) = &state.copy {
            self.delete(&copy.table)?;
        }
        outcome?;
        let taken = humantime::format_duration(self.taken());
        let items = count(state.items, "item");
        self.meter.clear();
        self.meter.note(&format!("{items} of '{}' written in {taken}", state.wish.table));
        Ok(())
    }

    fn read_to_standard_output(
        &mut self,
        state: &mut State,
        described: &Description,
    ) -> Result<(), Ending> {
        self.ensure_copy(state)?;
        let mut sink = Sink::standard()?;
        if let (FileFormat::Csv, Some(columns)) = (self.plan.wish.format, &self.plan.wish.columns) {
            sink.write(&header(columns)?)?;
        }
        self.reading(None, described.item_count).run(state, &mut sink, &mut self.meter)
    }

    fn write_file(&mut self, files: &Files) -> Result<(), Ending> {
        let found = match files.record.read::<State>() {
            Err(_) if self.options.restart || self.options.discard => None,
            found => found?,
        };
        if self.options.restart || self.options.discard {
            if let Some(copy) = found.as_ref().and_then(|state| state.copy.as_ref()) {
                self.delete(&copy.table)?;
            }
            files.remove()?;
            if self.options.discard {
                return Ok(());
            }
        }
        let found = found.filter(|_| !self.options.restart);
        if found.is_none() && self.options.resume {
            let file = files.whole.display();
            return Err(Ending::Failed(format!("there is no export to {file} to go on with")));
        }
        let (fresh, described, key) = self.fresh()?;
        let mut state = match found {
            Some(state) => {
                let file = files.whole.display().to_string();
                state.check(&fresh.wish, &fresh.table_id, &file)?;
                let items = count(state.items, "item");
                self.meter.note(&format!("going on with the export to {file} behind {items}"));
                state
            }
            None => {
                files.record.write(&fresh)?;
                fresh
            }
        };
        let outcome = self.finish(files, &mut state, &described, &key);
        outcome.map_err(|ending| {
            self.meter.clear();
            self.left_over(files, &state, ending)
        })?;
        self.meter.clear();
        let length = fs::metadata(&files.whole).map_or(0, |file| file.len());
        self.meter.note(&format!(
            "{} of '{}' in {} ({}, {})",
            count(state.items, "item"),
            state.wish.table,
            files.whole.display(),
            bytes(length),
            humantime::format_duration(self.taken()),
        ));
        Ok(())
    }

    /// Does what there is to do, phase after phase.
    fn finish(
        &mut self,
        files: &Files,
        state: &mut State,
        described: &Description,
        key: &TableKey,
    ) -> Result<(), Ending> {
        if state.phase == Phase::Reading {
            self.ensure_copy(state)?;
            let converts = self.plan.converts();
            let (to, compression) = match converts {
                true => (&files.items, Compression::Zstd),
                false => (&files.part, self.plan.compression),
            };
            let mut sink = Sink::file(to, compression, state.bytes)?;
            if let (FileFormat::Csv, Some(columns)) =
                (self.plan.wish.format, &self.plan.wish.columns)
                && state.bytes == 0
            {
                sink.write(&header(columns)?)?;
            }
            let reading = self.reading(Some(&files.record), described.item_count);
            reading.run(state, &mut sink, &mut self.meter)?;
            state.phase = if converts { Phase::Converting } else { Phase::Whole };
            files.record.write(state)?;
        }
        if let Some(copy) = state.copy.take() {
            self.delete(&copy.table)?;
        }
        if state.phase == Phase::Converting {
            let conversion = Conversion {
                plan: self.plan,
                keys: &key.names(),
                from: &files.items,
                to: &files.part,
                items: state.items,
                interrupt: &self.interrupt,
            };
            conversion.run(&mut self.meter)?;
            state.phase = Phase::Whole;
            files.record.write(state)?;
        }
        // If there is no part, it has its name already.
        match fs::rename(&files.part, &files.whole) {
            Err(error) if error.kind() == ErrorKind::NotFound && files.whole.exists() => {}
            outcome => outcome.map_err(Ending::file("write", &files.whole))?,
        }
        sync_directory_of(&files.whole).map_err(Ending::file("write", &files.whole))?;
        files.remove()
    }

    /// The state of an export that begins, and the table as it is.
    fn fresh(&self) -> Result<(State, Description, TableKey), Ending> {
        let mut client = self.options.endpoint.client()?;
        let wish = self.plan.wish.clone();
        let described = describe(&mut client, &wish.table)?;
        let key = described.key(&wish.table);
        let key = key.ok_or_else(|| client.misanswer("a table without a key"))?;
        let segments = usize::from(self.options.segments.unwrap_or(USUAL_SEGMENTS));
        let mut state = State::new(wish, described.table_id.clone(), segments);
        if let Some(at) = &self.options.at {
            let now = SystemTime::now();
            let moment = millis(since::parse(at, now)?);
            state.copy =
                Some(TableCopy { moment, table: copy::name(&state.wish.table, millis(now)) });
        }
        Ok((state, described, key))
    }

    fn ensure_copy(&mut self, state: &State) -> Result<(), Ending> {
        let Some(copy) = &state.copy else { return Ok(()) };
        let moment = SystemTime::UNIX_EPOCH + Duration::from_millis(copy.moment);
        let moment = humantime::format_rfc3339_millis(moment);
        self.meter.note(&format!(
            "'{}' as it was at {moment}, by way of the table '{}'",
            state.wish.table, copy.table
        ));
        let mut client = self.options.endpoint.client()?;
        let endpoint = &self.options.endpoint;
        let (interrupt, meter) = (&self.interrupt, &mut self.meter);
        copy::ensure(&mut client, &state.wish.table, copy, endpoint, interrupt, meter)
    }

    fn reading<'r>(&self, record: Option<&'r Record>, expected: u64) -> Reading<'r>
    where
        'e: 'r,
    {
        let (options, plan) = (self.options, self.plan);
        Reading { options, plan, record, expected, interrupt: self.interrupt.clone() }
    }

    /// Deletes the copy of the table.
    fn delete(&self, table: &str) -> Result<(), Ending> {
        let mut client = self.options.endpoint.client()?;
        copy::delete(&mut client, table).map_err(|error| {
            Ending::Failed(format!("cannot delete the table '{table}', which is a copy: {error}"))
        })
    }

    /// Clears up after an export that did not succeed, or says how to go on with it.
    fn left_over(&self, files: &Files, state: &State, ending: Ending) -> Ending {
        // What counts is what was recorded: behind it the file is cut off.
        let recorded = files.record.read::<State>().ok().flatten();
        let state = recorded.as_ref().unwrap_or(state);
        if state.items == 0 {
            let deleted = state.copy.as_ref().is_none_or(|copy| self.delete(&copy.table).is_ok());
            if deleted && files.remove().is_ok() {
                return ending;
            }
        }
        let copy = match &state.copy {
            Some(copy) => format!(", with the table '{}'", copy.table),
            None => String::new(),
        };
        ending.with(&format!(
            "\n  kept so far: {} of '{}' in {}{copy}; the same command goes on behind that, \
             --discard throws it away",
            count(state.items, "item"),
            state.wish.table,
            if self.plan.converts() { &files.items } else { &files.part }.display(),
        ))
    }

    fn taken(&self) -> Duration {
        let millis = u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        // A part of a second matters only if there are few.
        Duration::from_millis(if millis >= 10_000 { millis / 1000 * 1000 } else { millis })
    }
}

fn header(columns: &[String]) -> Result<Vec<u8>, Ending> {
    let table = plain::TableWriter::new(columns.to_vec(), Vec::new());
    table.and_then(plain::TableWriter::finish).map_err(|error| Ending::Failed(error.to_string()))
}

fn millis(moment: SystemTime) -> u64 {
    let since = moment.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

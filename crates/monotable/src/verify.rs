//! `monotable verify`: looks at a data directory that no server uses, and says what is wrong with it.

mod progress;
mod report;

use clap::Args;
use engine::{
    EngineError,
    verify::{Audience, Finding, Summary},
};
use progress::Indicator;
use report::Report;
use std::{error::Error, path::PathBuf, process::ExitCode};
use store::{Inspection, StoreError};

/// Memory for what is read from the tables.
const CACHE: u64 = 64 << 20;

/// The exit status for what cannot be looked at, as for options that are wrong.
const CANNOT_LOOK: u8 = 2;

/// The options of `verify`.
#[derive(Debug, Args)]
pub struct VerifyOptions {
    /// The data directory; no server may be using it
    #[arg(value_name = "DIR")]
    directory: PathBuf,

    /// Only compare the files with their checksums, without a look at what they hold
    #[arg(long)]
    files_only: bool,

    /// Print a JSON object a line: {"place": ..., "problem": ...}
    #[arg(long)]
    json: bool,
}

/// Looks, and gives the exit status: 0 if nothing is wrong, 1 if something is, 2 if it cannot be looked at.
pub fn run(options: &VerifyOptions) -> ExitCode {
    let mut report = Report::new(options.json);
    match look(options, &mut report) {
        Ok(summary) => {
            report.end(summary.as_ref());
            if report.is_healthy() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(error) => {
            eprintln!("monotable: {error}");
            ExitCode::from(CANNOT_LOOK)
        }
    }
}

/// What was looked at; none if only files were.
fn look(options: &VerifyOptions, report: &mut Report) -> Result<Option<Summary>, Box<dyn Error>> {
    let mut inspection = Inspection::begin(&options.directory)?;
    let mut indicator = Indicator::of_files(inspection.bytes());
    let findings = inspection.check_files(&mut |bytes| indicator.add(bytes))?;
    indicator.clear();
    let damaged = findings.iter().any(|finding| !finding.harmless);
    for finding in findings {
        let place = finding.path.display().to_string();
        if finding.harmless {
            report.note(&format!("{place}: {}", finding.problem));
        } else {
            report.found(&place, &finding.problem);
        }
    }
    if options.files_only {
        return Ok(None);
    }
    if damaged {
        report.note("what the files hold was not looked at, since some of them are damaged");
        return Ok(None);
    }
    let opened = match inspection.open(CACHE) {
        Ok(Some(opened)) => opened,
        Ok(None) => return Ok(Some(Summary::default())),
        Err(StoreError::Damaged { path, reason }) => {
            report.found(&path.display().to_string(), &reason);
            return Ok(None);
        }
        Err(error) => return Err(error.into()),
    };
    let mut told = Told { report, indicator: Indicator::of_entries() };
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let looked = runtime.block_on(engine::verify::verify(&*opened.snapshot, &mut told));
    told.indicator.clear();
    match looked {
        Ok(summary) => Ok(Some(summary)),
        Err(EngineError::Store(StoreError::Damaged { path, reason })) => {
            report.found(&path.display().to_string(), &reason);
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

/// Tells the person what is found, and how far it is.
struct Told<'a> {
    report: &'a mut Report,
    indicator: Indicator,
}

impl Audience for Told<'_> {
    fn found(&mut self, finding: Finding) {
        self.indicator.beside(|| self.report.found(&finding.place, &finding.problem));
    }

    fn read(&mut self, what: &'static str, entries: u64) {
        self.indicator.tell(what, entries);
    }
}

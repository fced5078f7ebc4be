//! A directory with a server's data and log, and starting and ending the server there.

use super::{
    scene::Scene,
    violation::{Kind, Violation},
};
use crate::{
    Failure,
    monotable::{self, Monotable, Storage},
};
use std::{
    fs,
    path::{Path, PathBuf},
    sync::atomic::Ordering,
    thread,
    time::Duration,
};
use tempfile::TempDir;

/// The longest that a server may take to repair and start.
const START_PATIENCE: Duration = Duration::from_secs(60);
/// The longest that a server may take to end when asked to; it gives requests 30 seconds.
const STOP_PATIENCE: Duration = Duration::from_secs(45);
/// More than this many violations are only counted.
const MOST_PRINTED: usize = 20;
/// Lines of the server's log that are shown if something is wrong.
const LOG_LINES: usize = 20;

/// Where a server runs.
pub struct Place {
    program: PathBuf,
    directory: PathBuf,
    temporary: Option<TempDir>,
    arguments: Vec<String>,
    planted: Option<String>,
}

impl Place {
    /// A place in the given directory, which must hold no data, or in a temporary one.
    pub fn new(program: &Path, given: Option<&Path>, prefix: &str) -> Result<Place, Failure> {
        let temporary = match given {
            Some(_) => None,
            None => Some(tempfile::Builder::new().prefix(prefix).tempdir()?),
        };
        let directory = match (given, &temporary) {
            (Some(data), _) => data.to_owned(),
            (None, Some(temporary)) => temporary.path().to_owned(),
            (None, None) => return Err("no directory".into()),
        };
        let program = program.to_owned();
        let place = Place { program, directory, temporary, arguments: Vec::new(), planted: None };
        if place.data().exists() {
            let name = place.directory.display();
            let text = format!("{name} has data of another campaign; choose an empty directory");
            return Err(text.into());
        }
        fs::create_dir_all(&place.directory)?;
        Ok(place)
    }

    /// The same, where servers get further arguments.
    pub fn with(mut self, arguments: &[&str]) -> Place {
        self.arguments.extend(arguments.iter().map(|&argument| argument.to_owned()));
        self
    }

    /// The same, where servers make a fault; only debug builds do.
    pub fn planted(self, fault: &str) -> Place {
        Place { planted: Some(fault.to_owned()), ..self }
    }

    /// The directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    fn data(&self) -> PathBuf {
        self.directory.join("data")
    }

    fn log(&self) -> PathBuf {
        self.directory.join("server.log")
    }

    /// Starts the server as often as it is to be killed meanwhile, and once more.
    pub fn start(&self, interrupted: &[Duration]) -> Result<Monotable, Vec<Violation>> {
        let data = self.data();
        let (storage, log) = (Storage::Disk(&data), self.log());
        let arguments: Vec<&str> = self.arguments.iter().map(String::as_str).collect();
        let planted = self.planted.as_deref().map(|fault| ("MONOTABLE_PLANTED", fault));
        let start = || {
            let environment = planted.as_slice();
            monotable::start_in(&self.program, storage, &arguments, environment, &log)
                .map_err(misbehaved)
        };
        for &time in interrupted {
            let starting = start()?;
            thread::sleep(time);
            starting.kill().map_err(misbehaved)?;
        }
        start()?.ready(START_PATIENCE).map_err(misbehaved)
    }

    /// Shows what is wrong, and keeps data and log for whoever looks into it.
    pub fn report(self, violations: &[Violation]) {
        for violation in violations.iter().take(MOST_PRINTED) {
            println!("  {violation}");
        }
        if violations.len() > MOST_PRINTED {
            println!("  and {} more", violations.len() - MOST_PRINTED);
        }
        let log = self.log();
        let text = fs::read_to_string(&log).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        println!("  the end of {}:", log.display());
        for line in lines.iter().skip(lines.len().saturating_sub(LOG_LINES)) {
            println!("    {line}");
        }
        println!("  the data is kept in {}", self.directory.display());
        if let Some(temporary) = self.temporary {
            let _ = temporary.keep();
        }
    }
}

/// Anything that went wrong with the server itself ends a campaign.
pub fn misbehaved(what: impl std::fmt::Display) -> Vec<Violation> {
    vec![Violation::misbehaved(what.to_string())]
}

/// How many violations are of a kind.
pub fn count(violations: &[Violation], kind: Kind) -> usize {
    violations.iter().filter(|v| v.kind == kind).count()
}

/// Tells how a campaign on a server's files ended; false if anything is wrong. With a planted fault it is
/// the other way round.
pub fn conclude(
    place: Place,
    name: &str,
    planted: Option<&str>,
    done: &dyn std::fmt::Display,
    passed: u64,
    violations: &[Violation],
) -> bool {
    if let Some(planted) = planted {
        println!("{name}: planted {planted}, {} violations found", violations.len());
        violations.iter().take(3).for_each(|violation| println!("  {violation}"));
        return !violations.is_empty();
    }
    if !violations.is_empty() {
        place.report(violations);
    }
    println!(
        "{name}: {done}, {} lost, {} half-applied, {} other",
        count(violations, Kind::Lost),
        count(violations, Kind::HalfApplied),
        count(violations, Kind::Misbehaved) + count(violations, Kind::Inconsistent)
    );
    let failed = u32::from(!violations.is_empty());
    println!("{passed} passed, {failed} failed");
    failed == 0
}

/// Ends the server under its clients, by SIGTERM or by SIGKILL.
pub fn end(server: &mut Monotable, scene: &Scene, graceful: bool) -> Result<(), Vec<Violation>> {
    let early = server.process.ended().map_err(misbehaved)?;
    scene.ending.store(true, Ordering::SeqCst);
    if let Some(status) = early {
        return Err(misbehaved(format!("the server ended by itself: {status}")));
    }
    if graceful { stop(server) } else { server.process.kill().map_err(misbehaved) }
}

/// Asks the server to end, and waits.
pub fn stop(server: &mut Monotable) -> Result<(), Vec<Violation>> {
    let status = server.process.terminate(STOP_PATIENCE).map_err(misbehaved)?;
    let complaint = match status {
        Some(status) if status.success() => return Ok(()),
        Some(status) => format!("the server did not stop cleanly: {status}"),
        None => format!("the server did not stop within {STOP_PATIENCE:?}"),
    };
    // Its clients must not wait for it.
    let _ = server.process.kill();
    Err(misbehaved(complaint))
}

//! One campaign: the cycles, and what is carried from one to the next.

use super::{
    check::{Verdict, check},
    churn::{self, ChurnTable},
    ending::{self, Ending},
    history::{Histories, History},
    table,
    violation::Violation,
    writer::{self, Log, PATIENCE, Scene},
};
use crate::{
    cli::CrashOptions,
    dynamo::send,
    http::Connection,
    monotable::{self, Monotable, Storage},
    random::Random,
};
use std::{
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

/// The longest that a server may take to repair and start.
const START_PATIENCE: Duration = Duration::from_secs(60);
/// The longest that a server may take to end when asked to; it gives requests 30 seconds.
const STOP_PATIENCE: Duration = Duration::from_secs(45);

/// A campaign and what its clients know.
pub struct Campaign<'a> {
    options: &'a CrashOptions,
    directory: &'a Path,
    random: Random,
    /// The next tick of the clock.
    tick: u64,
    histories: Histories,
    tables: Vec<ChurnTable>,
    acknowledged: u64,
    run: u32,
    passed: u32,
}

/// The server's log in a campaign's directory.
pub fn log(directory: &Path) -> PathBuf {
    directory.join("server.log")
}

/// The server's data in a campaign's directory.
pub fn data(directory: &Path) -> PathBuf {
    directory.join("data")
}

/// Anything that went wrong with the server itself ends the campaign.
fn misbehaved(what: impl std::fmt::Display) -> Vec<Violation> {
    vec![Violation::misbehaved(what.to_string())]
}

impl<'a> Campaign<'a> {
    /// A campaign that has not begun.
    pub fn new(options: &'a CrashOptions, directory: &'a Path) -> Campaign<'a> {
        Campaign {
            options,
            directory,
            random: Random::new(options.seed),
            // Version 0 would be of size 1, as every zero; no reason to begin with an exception.
            tick: 1,
            histories: Histories::new(),
            tables: churn::tables(),
            acknowledged: 0,
            run: 0,
            passed: 0,
        }
    }

    /// Cycles that were begun.
    pub fn cycles_run(&self) -> u32 {
        self.run
    }

    /// Cycles in which nothing was wrong.
    pub fn cycles_passed(&self) -> u32 {
        self.passed
    }

    /// Writes that were acknowledged, of items and tables.
    pub fn acknowledged(&self) -> u64 {
        self.acknowledged
    }

    /// Runs until something is wrong or all cycles are done.
    pub fn run(&mut self) -> Vec<Violation> {
        match self.cycles() {
            Ok(()) => Vec::new(),
            Err(violations) => violations,
        }
    }

    fn cycles(&mut self) -> Result<(), Vec<Violation>> {
        // The first starts find an empty directory, and may leave a half-made one.
        let mut interrupted = ending::interrupted(&mut self.random);
        interrupted.push(Duration::from_millis(self.random.between(1, 12)));
        let mut server = self.restart(&interrupted)?;
        let mut connection = Connection::open(&server.endpoint, PATIENCE).map_err(misbehaved)?;
        send(&mut connection, "CreateTable", &table::create()).map_err(misbehaved)?;
        drop(connection);
        for _ in 0..self.options.cycles {
            self.run += 1;
            let ending = Ending::choose(&mut self.random);
            let acknowledged = self.write_and_end(server, &ending)?;
            let started = Instant::now();
            server = self.restart(&ending.interrupted)?;
            let recovery = started.elapsed();
            let verdict = self.check(&server)?;
            self.passed += 1;
            println!(
                "cycle {}/{}: {acknowledged} acknowledged, {} in flight ({} applied), \
                 {} items, {ending}, up again after {} ms",
                self.run,
                self.options.cycles,
                verdict.in_flight,
                verdict.applied,
                verdict.items,
                recovery.as_millis(),
            );
        }
        stop(&mut server)
    }

    /// Starts the server as often as it is to be killed meanwhile, and once more.
    fn restart(&self, interrupted: &[Duration]) -> Result<Monotable, Vec<Violation>> {
        let data = data(self.directory);
        let start = || {
            let log = log(self.directory);
            monotable::start(&self.options.server, Storage::Disk(&data), &log).map_err(misbehaved)
        };
        for &time in interrupted {
            let starting = start()?;
            thread::sleep(time);
            starting.kill().map_err(misbehaved)?;
        }
        start()?.ready(START_PATIENCE).map_err(misbehaved)
    }

    /// Lets the clients write until the server is ended. Gives the number of acknowledged writes.
    fn write_and_end(
        &mut self,
        mut server: Monotable,
        ending: &Ending,
    ) -> Result<u64, Vec<Violation>> {
        let scene = Scene {
            endpoint: server.endpoint.clone(),
            seed: self.options.seed,
            clock: AtomicU64::new(self.tick),
            ending: AtomicBool::new(false),
        };
        let (cycle, tables) = (self.run, &mut self.tables);
        let scene_ref = &scene;
        let (ended, logs, (churned, churn_complaint)) = thread::scope(|scope| {
            let writers: Vec<_> = (0..self.options.writers)
                .map(|writer| scope.spawn(move || writer::run(scene_ref, writer, cycle)))
                .collect();
            let churn = scope.spawn(move || churn::run(scene_ref, tables, cycle));
            thread::sleep(ending.after);
            let ended = end(&mut server, scene_ref, ending.graceful);
            let logs: Vec<Log> = writers
                .into_iter()
                .map(|writer| writer.join().unwrap_or_else(|_| panicked()))
                .collect();
            let churned = churn.join();
            (ended, logs, churned.unwrap_or_else(|_| (0, panicked().complaint)))
        });
        self.tick = scene.clock.load(Ordering::SeqCst);
        let acknowledged = churned + logs.iter().map(Log::acknowledged).sum::<u64>();
        self.acknowledged += acknowledged;
        let mut violations = ended.err().unwrap_or_default();
        for log in logs {
            for (key, write) in log.writes {
                self.histories.entry(key).or_default().add(write);
            }
            violations.extend(log.complaint.map(Violation::misbehaved));
        }
        violations.extend(churn_complaint.map(Violation::misbehaved));
        if violations.is_empty() { Ok(acknowledged) } else { Err(violations) }
    }

    /// Reads everything back. What is found is what is known from then on.
    fn check(&mut self, server: &Monotable) -> Result<Verdict, Vec<Violation>> {
        let mut connection = Connection::open(&server.endpoint, PATIENCE).map_err(misbehaved)?;
        let seen = table::observe(&mut connection, &self.histories).map_err(|error| {
            if error.is_not_found() {
                vec![Violation::lost("the whole table is gone".to_owned())]
            } else {
                misbehaved(error)
            }
        })?;
        let mut verdict = check(self.options.seed, &self.histories, &seen);
        let of_tables = churn::check(&mut connection, &mut self.tables).map_err(misbehaved)?;
        verdict.violations.extend(of_tables);
        if !verdict.violations.is_empty() {
            return Err(verdict.violations);
        }
        for (&key, &state) in &verdict.states {
            self.histories.insert(key, History::settled(state));
        }
        Ok(verdict)
    }
}

fn panicked() -> Log {
    Log { complaint: Some("a client panicked".to_owned()), ..Log::default() }
}

fn end(server: &mut Monotable, scene: &Scene, graceful: bool) -> Result<(), Vec<Violation>> {
    let early = server.process.ended().map_err(misbehaved)?;
    scene.ending.store(true, Ordering::SeqCst);
    if let Some(status) = early {
        return Err(misbehaved(format!("the server ended by itself: {status}")));
    }
    if graceful { stop(server) } else { server.process.kill().map_err(misbehaved) }
}

fn stop(server: &mut Monotable) -> Result<(), Vec<Violation>> {
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

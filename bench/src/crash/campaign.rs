//! One campaign: the cycles, and what is carried from one to the next.

use super::{
    check::{Verdict, check},
    churn::{self, ChurnTable},
    history::{Histories, History},
    table,
    writer::{self, Log},
};
use crate::{
    cli::CrashOptions,
    dynamo::send,
    http::Connection,
    monotable::Monotable,
    outage::{self, Ending, PATIENCE, Place, Scene, Violation, end, misbehaved, stop},
    random::Random,
};
use std::{
    sync::atomic::Ordering,
    thread,
    time::{Duration, Instant},
};

/// A campaign and what its clients know.
pub struct Campaign<'a> {
    options: &'a CrashOptions,
    place: &'a Place,
    random: Random,
    /// The next tick of the clock.
    tick: u64,
    histories: Histories,
    tables: Vec<ChurnTable>,
    acknowledged: u64,
    run: u32,
    passed: u32,
}

impl<'a> Campaign<'a> {
    /// A campaign that has not begun.
    pub fn new(options: &'a CrashOptions, place: &'a Place) -> Campaign<'a> {
        Campaign {
            options,
            place,
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
        let mut interrupted = outage::interrupted(&mut self.random);
        interrupted.push(Duration::from_millis(self.random.between(1, 12)));
        let mut server = self.place.start(&interrupted)?;
        let mut connection = Connection::open(&server.endpoint, PATIENCE).map_err(misbehaved)?;
        send(&mut connection, "CreateTable", &table::create()).map_err(misbehaved)?;
        drop(connection);
        for _ in 0..self.options.cycles {
            self.run += 1;
            let ending = Ending::choose(&mut self.random);
            let acknowledged = self.write_and_end(server, &ending)?;
            let started = Instant::now();
            server = self.place.start(&ending.interrupted)?;
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

    /// Lets the clients write until the server is ended. Gives the number of acknowledged writes.
    fn write_and_end(
        &mut self,
        mut server: Monotable,
        ending: &Ending,
    ) -> Result<u64, Vec<Violation>> {
        let scene = Scene::new(server.endpoint.clone(), self.options.seed, self.tick);
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

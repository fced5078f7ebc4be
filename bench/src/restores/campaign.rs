//! One campaign: tables one after the other, each through several ends of the server.

use super::{
    backup::{self, Kept},
    check::{Found, compare, without_expired},
    moment,
    owner::{self, Owner},
    restorer::Restorer,
    stage::{Notes, Stage, Stumble, none},
    switch,
    table::{self, NAME, OWN, SHARED},
    wanted::Wanted,
    writer,
};
use crate::{
    cli::RestoresOptions,
    dynamo::{RequestError, named, send, settle},
    http::Connection,
    monotable::Monotable,
    outage::{Ending, PATIENCE, Place, Scene, Violation, end, misbehaved, stop},
    random::Random,
};
use std::{
    sync::{Arc, atomic::Ordering},
    thread,
    time::{Duration, Instant},
};

/// Restores of one table, at most. The log of a table grows, and with it the time they take.
const OF_ONE_TABLE: u64 = 50;

/// Histories that are read before a table goes.
const HISTORIES: u32 = 20;

/// What a campaign did.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tally {
    /// Writes that were acknowledged.
    pub writes: u64,
    /// Moments that were noted.
    pub moments: u64,
    /// Switches of the stream.
    pub switches: u64,
    /// Ends of the server.
    pub kills: u64,
    /// Of these, those while a restore was under way.
    pub cut: u64,
    /// Whole tables.
    pub whole: u64,
    /// Parts into tables.
    pub parts: u64,
    /// Parts in place.
    pub in_place: u64,
    /// Of these, those while somebody wrote.
    pub meddled: u64,
    /// Backups.
    pub backups: u64,
    /// Backups of deleted tables.
    pub deleted: u64,
    /// Previews.
    pub dry_runs: u64,
    /// Histories of items.
    pub histories: u64,
    /// Items in restored tables.
    pub items: u64,
}

impl Tally {
    /// Everything that was restored and found to be right.
    pub fn restores(&self) -> u64 {
        self.whole + self.parts + self.in_place + self.backups + self.deleted
    }
}

/// A campaign and what its clients know.
pub struct Campaign<'a> {
    options: &'a RestoresOptions,
    place: &'a Place,
    random: Random,
    tick: u64,
    cycle: u64,
    owner: Owner,
    restorers: Vec<Restorer>,
    /// What was done.
    pub tally: Tally,
}

impl<'a> Campaign<'a> {
    /// A campaign that has not begun.
    pub fn new(options: &'a RestoresOptions, place: &'a Place) -> Campaign<'a> {
        Campaign {
            options,
            place,
            random: Random::new(options.seed),
            tick: 1,
            cycle: 0,
            owner: Owner::default(),
            restorers: (0..options.restorers.into()).map(Restorer::new).collect(),
            tally: Tally::default(),
        }
    }

    /// Runs until something is wrong or all restores are done.
    pub fn run(&mut self) -> Vec<Violation> {
        let violations = self.tables().err().unwrap_or_default();
        self.count();
        violations
    }

    fn count(&mut self) {
        let tally = &mut self.tally;
        let sum = |of: fn(&Restorer) -> u64| self.restorers.iter().map(of).sum::<u64>();
        tally.whole = sum(|restorer| restorer.done.whole);
        tally.parts = sum(|restorer| restorer.done.parts);
        tally.backups = sum(|restorer| restorer.done.backups);
        tally.items = sum(|restorer| restorer.done.items);
        let owner::Done { in_place, meddled, dry_runs, histories } = self.owner.done;
        (tally.in_place, tally.meddled) = (in_place, meddled);
        (tally.dry_runs, tally.histories) = (dry_runs, histories);
    }

    fn tables(&mut self) -> Result<(), Vec<Violation>> {
        let mut server = self.place.start(&[])?;
        for number in 1.. {
            self.count();
            let (done, wanted) = (self.tally.restores(), self.options.restores);
            if done >= wanted {
                break;
            }
            let started = Instant::now();
            self.create(&server)?;
            let mut notes = Notes::default();
            let until = wanted.min(done + OF_ONE_TABLE);
            let mut cycles = 0;
            while self.tally.restores() < until {
                let left = until - self.tally.restores();
                (server, notes) = self.write_and_end(server, notes, left as i64)?;
                self.count();
                cycles += 1;
            }
            let finished = self.finish(&server, &notes);
            finished.map_err(|stumble| stumble.violations("at the end of a table", None))?;
            self.count();
            println!(
                "table {number}: {} restores right after {cycles} ends of the server and {:.1} s, \
                 {} of {wanted}",
                self.tally.restores() - done,
                started.elapsed().as_secs_f64(),
                self.tally.restores(),
            );
        }
        stop(&mut server)
    }

    fn create(&mut self, server: &Monotable) -> Result<(), Vec<Violation>> {
        let mut connection = open(server)?;
        for (operation, body) in table::create() {
            send(&mut connection, operation, &body).map_err(misbehaved)?;
        }
        let from = table::now();
        for (prefix, keys) in [(SHARED, self.options.items * 3 / 4), (OWN, owner::KEYS / 2)] {
            for body in writer::fill(&mut self.random, prefix, keys) {
                send(&mut connection, "BatchWriteItem", &body).map_err(misbehaved)?;
            }
        }
        self.owner.forget();
        let begun = self.owner.begin(&mut connection, from);
        begun.map_err(|stumble| stumble.violations("reading what was put", None))
    }

    /// Lets the clients work until the server is ended, and starts it again.
    fn write_and_end(
        &mut self,
        mut server: Monotable,
        notes: Notes,
        left: i64,
    ) -> Result<(Monotable, Notes), Vec<Violation>> {
        self.cycle += 1;
        let mut ending = Ending::choose(&mut self.random);
        if self.random.percent(70) {
            ending.after += Duration::from_millis(self.random.between(200, 3_000));
        }
        let scene = Scene::new(server.endpoint.clone(), self.options.seed, self.tick);
        let stage = Stage::new(scene, self.options, self.cycle, left, notes);
        let (owner, restorers) = (&mut self.owner, &mut self.restorers);
        let writers = u64::from(self.options.writers);
        let shared = &stage;
        let panicked = || misbehaved("a client panicked");
        let (ended, found) = thread::scope(|scope| {
            let noter = scope.spawn(move || moment::run(shared));
            let switcher = scope.spawn(move || switch::run(shared));
            let mut threads = vec![scope.spawn(move || owner.run(shared))];
            threads.extend(restorers.iter_mut().map(|r| scope.spawn(move || r.run(shared))));
            let write = |writer| move || Vec::from_iter(writer::run(shared, writer));
            threads.extend((0..writers).map(|writer| scope.spawn(write(writer))));
            thread::sleep(ending.after);
            let ended = end(&mut server, &shared.scene, ending.graceful);
            let mut found = Vec::new();
            for thread in threads {
                found.extend(thread.join().unwrap_or_else(|_| panicked()));
            }
            let noted = noter.join().unwrap_or_else(|_| moment::Log {
                violations: panicked(),
                ..moment::Log::default()
            });
            let (switches, switched) = switcher.join().unwrap_or_else(|_| (0, panicked()));
            found.extend(noted.violations);
            found.extend(switched);
            self.tally.moments += noted.moments;
            self.tally.switches += switches;
            (ended, found)
        });
        self.tick = stage.scene.clock.load(Ordering::SeqCst) + 1;
        self.tally.writes += stage.writes.load(Ordering::SeqCst);
        self.tally.kills += 1;
        let busy = self.owner.is_busy() || self.restorers.iter().any(Restorer::is_busy);
        self.tally.cut += u64::from(busy);
        let mut violations = ended.err().unwrap_or_default();
        violations.extend(found);
        if !violations.is_empty() {
            return Err(violations);
        }
        Ok((self.place.start(&ending.interrupted)?, stage.notes))
    }

    /// Brings to an end what is under way; then the table goes, and is restored once more.
    fn finish(&mut self, server: &Monotable, notes: &Notes) -> Result<(), Stumble> {
        let mut connection = open(server).map_err(Stumble::Wrong)?;
        self.owner.finish(&mut connection)?;
        for _ in 0..HISTORIES {
            self.owner.look_back(&mut connection, &mut self.random)?;
        }
        for restorer in &mut self.restorers {
            restorer.finish(&mut connection)?;
        }
        for kept in notes.backups() {
            backup::delete(&mut connection, &kept.arn)?;
        }
        let live = Found::read(&mut connection, NAME)?;
        send(&mut connection, "DeleteTable", &named(NAME))?;
        if !settle(&mut connection, NAME, false, PATIENCE)? {
            return none(misbehaved("the table does not go away"));
        }
        let Some(arn) = backup::of_deleted(&mut connection)? else {
            let text = "the table was deleted and left no backup".to_owned();
            return none(vec![Violation::lost(text)]);
        };
        let name = "after-deletion";
        let kept = Kept { arn, items: live.items.clone(), bytes: live.bytes };
        let wanted = Wanted::backup(Arc::new(kept), name.to_owned());
        send(&mut connection, wanted.operation, &wanted.body)?;
        if !settle(&mut connection, name, true, PATIENCE)? {
            return none(misbehaved("the backup of a deleted table is not restored"));
        }
        let found = Found::read(&mut connection, name)?;
        let then = without_expired(live.items, table::now() / 1000, &found.items);
        none(compare("the table as it was deleted", &then, None, &found))?;
        self.tally.deleted += 1;
        send(&mut connection, "DeleteTable", &named(name))?;
        Ok(())
    }
}

fn open(server: &Monotable) -> Result<Connection, Vec<Violation>> {
    let connection = Connection::open(&server.endpoint, PATIENCE);
    connection.map_err(|error| misbehaved(RequestError::Call(error)))
}

//! One campaign: the cycles, and what is carried from one to the next.

use super::{
    backup, check, churn::Churn, copier::Copier, copy::BUCKET, errand::Focus, fault::Fault, fill,
    indexer::Indexer, notes::Notes, tally::Tally,
};
use crate::{
    changes::{
        belief::{Beliefs, scanned},
        check::{Reading, check as check_stream},
        client::{self, Log},
        contents::{self, Contents},
        deed::{Deed, Outcome},
        follow::{self, Follower},
        idle, lineage,
        record::View,
        span::{FIRST, LAST, Span},
        stage::Stage,
        table::{self, Items, TABLE},
    },
    cli::CrashOptions,
    dynamo::RequestError,
    http::Connection,
    monotable::Monotable,
    outage::{self, Ending, PATIENCE, Place, Scene, Violation, end, misbehaved, stop},
    random::Random,
};
use std::{
    fs,
    sync::{atomic::Ordering, mpsc},
    thread,
    time::{Duration, Instant},
};

/// How many keys the clients write to; enough for indexes and copies to take several pages.
const KEYS: u64 = 800;
/// Clients that copy the table.
const COPIERS: u32 = 2;
/// In so many of a hundred cycles a backup is made.
const BACKUPS: u64 = 10;
/// After so many cycles all copies and indexes are waited for.
const WHOLE: u32 = 25;

/// A campaign and what its clients know.
pub struct Campaign<'a> {
    options: &'a CrashOptions,
    place: &'a Place,
    fault: Option<Fault>,
    random: Random,
    /// The next tick of the clock.
    tick: u64,
    /// What was there at the last check.
    known: Beliefs,
    /// The one stream; it is there from the first cycle on.
    followers: Vec<Follower>,
    churn: Churn,
    indexer: Indexer,
    copiers: Vec<Copier>,
    notes: Notes,
    tally: Tally,
}

impl<'a> Campaign<'a> {
    /// A campaign that has not begun.
    pub fn new(options: &'a CrashOptions, place: &'a Place, fault: Option<Fault>) -> Campaign<'a> {
        Campaign {
            options,
            place,
            fault,
            random: Random::new(options.seed),
            tick: 1,
            known: Beliefs::new(),
            followers: Vec::new(),
            churn: Churn::new(),
            indexer: Indexer::default(),
            copiers: (0..COPIERS).map(Copier::new).collect(),
            notes: Notes::default(),
            tally: Tally::default(),
        }
    }

    /// What was done.
    pub fn tally(&self) -> Tally {
        let sum = |count: fn(&Copier) -> u64| self.copiers.iter().map(count).sum();
        Tally {
            acknowledged: self.tally.acknowledged + self.churn.acknowledged,
            indexes: self.indexer.built,
            moments: sum(|copier| copier.done.moments),
            backups: sum(|copier| copier.done.backups),
            files: sum(|copier| copier.done.files),
            ..self.tally
        }
    }

    /// Runs until something is wrong or all cycles are done.
    pub fn run(&mut self) -> Vec<Violation> {
        self.cycles().err().unwrap_or_default()
    }

    fn cycles(&mut self) -> Result<(), Vec<Violation>> {
        // The first starts find an empty directory, and may leave a half-made one.
        let mut interrupted = outage::interrupted(&mut self.random);
        interrupted.push(Duration::from_millis(self.random.between(1, 12)));
        let mut server = self.place.start(&interrupted)?;
        self.begin(&server)?;
        for _ in 0..self.options.cycles {
            self.tally.cycles += 1;
            let ending = Ending::choose(&mut self.random);
            let deeds = self.work_and_end(server, &ending)?;
            let started = Instant::now();
            server = self.place.start(&ending.interrupted)?;
            let recovery = started.elapsed();
            let (line, items) = self.check(&server, &deeds)?;
            if self.random.percent(BACKUPS) {
                server = self.back_up(server, items)?;
            }
            self.tally.passed += 1;
            println!(
                "cycle {}/{}: {line}, {ending}, up again after {} ms",
                self.tally.cycles,
                self.options.cycles,
                recovery.as_millis(),
            );
        }
        idle::check(&mut open(&server)?)?;
        stop(&mut server)
    }

    /// Makes the table and everything about it.
    fn begin(&mut self, server: &Monotable) -> Result<(), Vec<Violation>> {
        let mut connection = open(server)?;
        let made = fill::make(&mut connection, &mut self.random, KEYS, &mut self.tick);
        let made = made.map_err(misbehaved)?;
        self.notes.table = made.arn;
        self.notes.storage = super::storage(self.place);
        fs::create_dir_all(self.notes.storage.join(BUCKET)).map_err(misbehaved)?;
        let mut follower = Follower::new(&made.stream, View::Both, Random::new(self.random.next()));
        follower.drain(&mut connection).map_err(|stumble| vec![stumble.violation()])?;
        follower.forget_records();
        self.followers.push(follower);
        let items = table::scan(&mut connection).map_err(misbehaved)?;
        self.notes.note(&mut connection, &items).map_err(misbehaved)?;
        self.known = scanned(&items);
        Ok(())
    }

    /// Lets the clients work until the server is ended. Gives what they did to the table.
    fn work_and_end(
        &mut self,
        mut server: Monotable,
        ending: &Ending,
    ) -> Result<Vec<Deed>, Vec<Violation>> {
        let scene = Scene::new(server.endpoint.clone(), self.options.seed, self.tick);
        let stage = &Stage::new(scene, KEYS);
        let (cycle, writers, notes) = (self.tally.cycles, self.options.writers, &self.notes);
        let random = &mut self.random;
        let chosen = Focus::choose(random);
        let focus = self.fault.map_or(chosen, Fault::focus);
        // Long enough for the errand to be begun.
        let longest = if focus == Focus::None { ending.after } else { ending.after.max(FOCUSED) };
        let mut following = Random::new(random.next());
        let (begun, errands) = mpsc::channel();
        let (scene, begun) = (&stage.scene, &begun);
        let mut violations = Vec::new();
        let logs = thread::scope(|scope| {
            let clients: Vec<_> = (0..writers)
                .map(|writer| scope.spawn(move || client::write(stage, writer, cycle)))
                .collect();
            let followers = &mut self.followers;
            let mut others = vec![scope.spawn(|| follow::follow(stage, followers, &mut following))];
            if !self.fault.is_some_and(Fault::needs_only_writers) {
                let (churn, indexer) = (&mut self.churn, &mut self.indexer);
                others.push(scope.spawn(move || churn.run(scene, cycle).into_iter().collect()));
                others.push(
                    scope.spawn(move || indexer.run(scene, begun, cycle).into_iter().collect()),
                );
                others.extend(
                    self.copiers
                        .iter_mut()
                        .map(|copier| scope.spawn(move || copier.run(scene, notes, begun, cycle))),
                );
            }
            focus.wait(&errands, longest, random);
            let ended = end(&mut server, scene, ending.graceful);
            violations.extend(ended.err().into_iter().flatten());
            for other in others {
                let wrong = other.join().unwrap_or_else(|_| misbehaved("a client panicked"));
                violations.extend(wrong);
            }
            let logs = clients.into_iter().map(|c| c.join().unwrap_or_else(|_| Log::panicked()));
            logs.collect::<Vec<_>>()
        });
        self.tick = stage.scene.clock.load(Ordering::SeqCst) + 1;
        let busy = self.copiers.iter().filter(|copier| copier.is_busy()).count() as u64;
        self.tally.cut_off += busy + u64::from(self.indexer.is_busy());
        let mut deeds = Vec::new();
        for log in logs {
            deeds.extend(log.deeds);
            violations.extend(log.violations);
        }
        // The server is gone: what has no answer was made by then or never.
        for deed in deeds.iter_mut().filter(|deed| deed.done == u64::MAX) {
            deed.done = self.tick;
        }
        if violations.is_empty() { Ok(deeds) } else { Err(violations) }
    }

    /// Reads everything back. What is found is what is known from then on. Gives the cycle in words,
    /// and the items.
    fn check(
        &mut self,
        server: &Monotable,
        deeds: &[Deed],
    ) -> Result<(String, Items), Vec<Violation>> {
        let mut connection = open(server)?;
        let mut violations = Vec::new();
        let whole =
            self.tally.cycles.is_multiple_of(WHOLE) || self.tally.cycles == self.options.cycles;
        let built = whole || self.fault.is_some() || self.random.percent(50);
        violations.extend(self.indexer.settle(&mut connection, built).map_err(misbehaved)?);
        let found = Contents::read(&mut connection, TABLE).map_err(unreadable)?;
        let found = found.ok_or_else(gone)?;
        violations.extend(contents::check("the table", &found));
        for follower in &mut self.followers {
            follower.forget_iterators();
            follower.drain(&mut connection).map_err(|stumble| vec![stumble.violation()])?;
            let records = follower.records.get(follower.checked..).unwrap_or_default();
            self.tally.records += records.len() as u64;
            violations.extend(lineage::check(&follower.shards, &follower.records));
            let histories = check::histories(&self.known, deeds, records);
            violations.extend(check::check(&histories, &found.items));
            let verdict = check_stream(&Reading {
                view: follower.view,
                records,
                base: &self.known,
                deeds,
                span: Span { from: FIRST, to: LAST },
                end: Some(&found.items),
            });
            violations.extend(verdict.violations);
            self.tally.expired += verdict.expired;
            let open = deeds.iter().filter(|deed| deed.outcome == Outcome::Unanswered);
            let made = open.filter(|deed| verdict.made.contains(&deed.id)).count();
            self.tally.made += made as u64;
            self.known = verdict.end;
            follower.forget_records();
        }
        violations.extend(self.churn.check(&mut connection).map_err(misbehaved)?);
        if !violations.is_empty() {
            return Err(violations);
        }
        if whole || self.fault.is_some() {
            for copier in &mut self.copiers {
                copier.finish(&mut connection, &self.notes)?;
            }
        }
        self.notes.note(&mut connection, &found.items).map_err(misbehaved)?;
        Ok((self.told(deeds, found.items.len()), found.items))
    }

    /// Counts what was done. Gives it in words.
    fn told(&mut self, deeds: &[Deed], items: usize) -> String {
        let counted = |outcome| deeds.iter().filter(|d| d.outcome == outcome).count() as u64;
        let [acknowledged, refused, unanswered] =
            [Outcome::Acknowledged, Outcome::Refused, Outcome::Unanswered].map(counted);
        self.tally.acknowledged += acknowledged;
        self.tally.refused += refused;
        self.tally.unanswered += unanswered;
        format!("{acknowledged} acknowledged, {unanswered} in flight, {items} items")
    }

    /// Makes a backup that an end of the server cuts off.
    fn back_up(
        &mut self,
        mut server: Monotable,
        items: Items,
    ) -> Result<Monotable, Vec<Violation>> {
        let mut connection = open(&server)?;
        let name = format!("cycle-{}", self.tally.cycles);
        let arn = backup::begin(&mut connection, &name).map_err(misbehaved)?;
        thread::sleep(Duration::from_micros(self.random.spread(50, 20_000)));
        server.process.kill().map_err(misbehaved)?;
        self.tally.cut_off += 1;
        let server = self.place.start(&[])?;
        let mut connection = open(&server)?;
        backup::finish(&mut connection, &arn).map_err(|error| match error {
            error if error.is("BackupNotFoundException") => {
                vec![Violation::lost(format!("backup {arn} was begun, it is not there"))]
            }
            error => misbehaved(error),
        })?;
        if let Some(over) = self.notes.keep(arn, items, table::now()) {
            backup::delete(&mut connection, &over).map_err(misbehaved)?;
        }
        Ok(server)
    }
}

/// The longest that a cycle waits for an errand to be begun.
const FOCUSED: Duration = Duration::from_millis(400);

fn open(server: &Monotable) -> Result<Connection, Vec<Violation>> {
    Connection::open(&server.endpoint, PATIENCE).map_err(misbehaved)
}

/// A table or an index may have what cannot be, such as two entries of one item.
fn unreadable(error: RequestError) -> Vec<Violation> {
    match error {
        RequestError::Unexpected(what) => vec![Violation::half_applied(what.to_owned())],
        other => misbehaved(other),
    }
}

fn gone() -> Vec<Violation> {
    vec![Violation::lost("the whole table is gone".to_owned())]
}

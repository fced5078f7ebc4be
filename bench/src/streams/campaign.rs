//! One campaign: the cycles, and what is carried from one to the next.

use super::{
    switch::{self, Step, Turn},
    timeline::{self, Timeline},
};
use crate::{
    changes::{
        belief::Beliefs,
        client::{self, Log},
        deed::{Deed, Outcome},
        follow::{self, Follower},
        idle, lineage,
        record::View,
        stage::Stage,
        table::{self, TABLE},
    },
    cli::StreamsOptions,
    dynamo::{RequestError, describe, send},
    http::Connection,
    monotable::Monotable,
    outage::{Ending, PATIENCE, Place, Scene, Violation, end, misbehaved, stop},
    random::Random,
};
use serde_json::Value;
use std::{
    sync::atomic::Ordering,
    thread,
    time::{Duration, Instant},
};

/// After so many cycles, and at the end, the server is left alone for a while and looked at.
const IDLE: u32 = 10;
/// How many keys the clients write to.
const KEYS: u64 = 400;
/// Streams that have ended and are read again at times.
const MOST_OLD: usize = 6;

/// What a campaign did.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tally {
    /// Cycles that were begun.
    pub cycles: u32,
    /// Cycles in which nothing was wrong.
    pub passed: u32,
    /// Writes of items that were acknowledged.
    pub acknowledged: u64,
    /// Writes that were refused by their conditions.
    pub refused: u64,
    /// Writes without an answer.
    pub unanswered: u64,
    /// Of these, those that have a record.
    pub made: u64,
    /// Records that were read.
    pub records: u64,
    /// Of these, those of items that expired.
    pub expired: u64,
    /// Streams that were followed.
    pub streams: u64,
    /// Shards of streams that have ended.
    pub shards: u64,
    /// Streams that were read from their beginning again.
    pub reread: u64,
    /// Looks at an idle server.
    pub idle: u32,
}

/// A campaign and what its clients know.
pub struct Campaign<'a> {
    options: &'a StreamsOptions,
    place: &'a Place,
    random: Random,
    /// The next tick of the clock.
    tick: u64,
    /// The stream that is on.
    on: Option<String>,
    /// Streams of which not all has been read.
    followers: Vec<Follower>,
    /// Some that have ended.
    old: Vec<Follower>,
    /// What was there at the last check.
    known: Beliefs,
    /// What was done.
    pub tally: Tally,
}

impl<'a> Campaign<'a> {
    /// A campaign that has not begun.
    pub fn new(options: &'a StreamsOptions, place: &'a Place) -> Campaign<'a> {
        Campaign {
            options,
            place,
            random: Random::new(options.seed),
            tick: 1,
            on: None,
            followers: Vec::new(),
            old: Vec::new(),
            known: Beliefs::new(),
            tally: Tally::default(),
        }
    }

    /// Runs until something is wrong or all cycles are done.
    pub fn run(&mut self) -> Vec<Violation> {
        self.cycles().err().unwrap_or_default()
    }

    fn cycles(&mut self) -> Result<(), Vec<Violation>> {
        let mut server = self.place.start(&[])?;
        self.create(&server)?;
        for _ in 0..self.options.cycles {
            self.tally.cycles += 1;
            let mut ending = Ending::choose(&mut self.random);
            // Long enough for items to expire and for shards to roll, at times.
            if self.random.percent(30) {
                ending.after += Duration::from_millis(self.random.between(800, 3_000));
            }
            let (deeds, steps) = self.write_and_end(server, &ending)?;
            let down = Instant::now();
            server = self.place.start(&ending.interrupted)?;
            let recovery = down.elapsed();
            let line = self.check(&server, deeds, steps)?;
            self.tally.passed += 1;
            println!(
                "cycle {}/{}: {line}, {ending}, up again after {} ms",
                self.tally.cycles,
                self.options.cycles,
                recovery.as_millis(),
            );
        }
        stop(&mut server)
    }

    fn create(&mut self, server: &Monotable) -> Result<(), Vec<Violation>> {
        let mut connection = open(server)?;
        send(&mut connection, "CreateTable", &table::create()).map_err(misbehaved)?;
        send(&mut connection, "UpdateTimeToLive", &table::expire()).map_err(misbehaved)?;
        let description = describe(&mut connection, TABLE).map_err(misbehaved)?;
        let arn = description.as_ref().and_then(switch::latest);
        let arn = arn.ok_or_else(|| misbehaved("the table has no stream"))?;
        let random = Random::new(self.random.next());
        self.followers.push(Follower::new(&arn, View::Both, random));
        self.tally.streams += 1;
        self.on = Some(arn);
        Ok(())
    }

    /// Lets the clients work until the server is ended. Gives what they did.
    fn write_and_end(
        &mut self,
        mut server: Monotable,
        ending: &Ending,
    ) -> Result<(Vec<Deed>, Vec<Step>), Vec<Violation>> {
        let scene = Scene::new(server.endpoint.clone(), self.options.seed, self.tick);
        let stage = &Stage::new(scene, KEYS);
        let (cycle, on) = (self.tally.cycles, self.on.is_some());
        let (followers, random) = (&mut self.followers, &mut self.random);
        let (ended, logs, switches, followed) = thread::scope(|scope| {
            let clients: Vec<_> = (0..self.options.writers)
                .map(|writer| scope.spawn(move || client::write(stage, writer, cycle)))
                .collect();
            let switcher = scope.spawn(move || switch::run(stage, on, cycle));
            let follower = scope.spawn(|| follow::follow(stage, followers, random));
            thread::sleep(ending.after);
            let ended = end(&mut server, &stage.scene, ending.graceful);
            let logs = clients.into_iter().map(|c| c.join().unwrap_or_else(|_| Log::panicked()));
            let logs = logs.collect::<Vec<_>>();
            (ended, logs, switcher.join(), follower.join())
        });
        self.tick = stage.scene.clock.load(Ordering::SeqCst) + 1;
        let mut violations = ended.err().unwrap_or_default();
        let mut deeds = Vec::new();
        for log in logs {
            deeds.extend(log.deeds);
            violations.extend(log.violations);
        }
        let mut switches = switches.map_err(|_| misbehaved("the switching client panicked"))?;
        violations.append(&mut switches.violations);
        violations.extend(followed.map_err(|_| misbehaved("the following client panicked"))?);
        for (arn, view) in stage.announced() {
            let random = Random::new(self.random.next());
            self.followers.push(Follower::new(&arn, view, random));
        }
        // The server is gone: what has no answer was made by then or never.
        for deed in deeds.iter_mut().filter(|deed| deed.done == u64::MAX) {
            deed.done = self.tick;
        }
        for step in switches.steps.iter_mut().filter(|step| !step.answered) {
            step.at.done = self.tick;
        }
        if violations.is_empty() { Ok((deeds, switches.steps)) } else { Err(violations) }
    }

    /// Reads all streams to their end, and holds them against what is there and what was done. Gives
    /// the cycle in words.
    fn check(
        &mut self,
        server: &Monotable,
        deeds: Vec<Deed>,
        mut steps: Vec<Step>,
    ) -> Result<String, Vec<Violation>> {
        let mut connection = open(server)?;
        let description = describe(&mut connection, TABLE).map_err(misbehaved)?;
        let Some(description) = description else {
            return Err(vec![Violation::lost("the whole table is gone".to_owned())]);
        };
        self.settle(&description, &mut steps)?;
        let items = table::scan(&mut connection).map_err(misbehaved)?;
        for follower in &mut self.followers {
            follower.forget_iterators();
            follower.drain(&mut connection).map_err(|stumble| vec![stumble.violation()])?;
        }
        let seen = self.followers.iter().map(|f| f.records.len() - f.checked).sum::<usize>();
        let known = std::mem::take(&mut self.known);
        let timeline = Timeline {
            steps: &steps,
            deeds: &deeds,
            followers: &self.followers,
            on: self.on_before(&steps),
            items: &items,
        };
        let verdict = timeline::check(&timeline, known);
        let mut violations = verdict.violations;
        for follower in &self.followers {
            violations.extend(lineage::check(&follower.shards, &follower.records));
        }
        if !violations.is_empty() {
            return Err(violations);
        }
        self.known = verdict.end;
        self.read_again(&mut connection)?;
        let counted = |outcome| deeds.iter().filter(|d| d.outcome == outcome).count() as u64;
        let [acknowledged, refused, unanswered] =
            [Outcome::Acknowledged, Outcome::Refused, Outcome::Unanswered].map(counted);
        let open = deeds.iter().filter(|deed| deed.outcome == Outcome::Unanswered);
        let made = open.filter(|deed| verdict.made.contains(&deed.id)).count() as u64;
        self.tally.acknowledged += acknowledged;
        self.tally.refused += refused;
        self.tally.unanswered += unanswered;
        self.tally.made += made;
        self.tally.records += seen as u64;
        self.tally.expired += verdict.expired;
        let cycle = self.tally.cycles;
        if cycle.is_multiple_of(IDLE) || cycle == self.options.cycles {
            self.tally.idle += 1;
            idle::check(&mut connection)?;
        }
        Ok(format!(
            "{acknowledged} made, {refused} refused, {unanswered} in flight ({made} made), \
             {} switches, {seen} records, {} expired",
            steps.len(),
            verdict.expired,
        ))
    }

    /// The stream that was on when the cycle began; `on` is the one at its end.
    fn on_before(&self, steps: &[Step]) -> Option<&str> {
        match steps.first().map(|step| &step.turn) {
            Some(Turn::On(..)) => None,
            // The first follower is the one that was there first.
            Some(Turn::Off) => self.followers.first().map(|follower| follower.arn.as_str()),
            None => self.on.as_deref(),
        }
    }

    /// Finds out about a switch without an answer, and that all others are as they were answered.
    fn settle(&mut self, description: &Value, steps: &mut Vec<Step>) -> Result<(), Vec<Violation>> {
        let found = switch::enabled(description);
        let last = steps.pop_if(|step| !step.answered);
        for step in steps.iter() {
            self.on = match &step.turn {
                Turn::On(_, arn) => arn.clone(),
                Turn::Off => None,
            };
        }
        if let Some(mut step) = last {
            match (&mut step.turn, &found) {
                (Turn::On(view, arn), Some((new, _))) => {
                    let random = Random::new(self.random.next());
                    self.followers.push(Follower::new(new, *view, random));
                    *arn = Some(new.clone());
                    self.on = Some(new.clone());
                    steps.push(step);
                }
                (Turn::Off, None) => {
                    self.on = None;
                    steps.push(step);
                }
                _ => {}
            }
        }
        self.tally.streams +=
            steps.iter().filter(|step| matches!(step.turn, Turn::On(..))).count() as u64;
        let arn = found.as_ref().map(|(arn, _)| arn);
        let of_arn = |arn: &String| self.followers.iter().find(|follower| follower.arn == *arn);
        let view = self.on.as_ref().and_then(of_arn).map(|follower| follower.view.name());
        if self.on.as_ref() != arn || view != found.as_ref().map(|(_, view)| view.as_str()) {
            let text = format!("{:?} should be on, not {found:?}", self.on);
            return Err(vec![Violation::lost(text)]);
        }
        Ok(())
    }

    /// Reads streams from their beginning once more: those that have ended, the one that is on at
    /// times, and an old one.
    fn read_again(&mut self, connection: &mut Connection) -> Result<(), Vec<Violation>> {
        let mut violations = Vec::new();
        let mut keep = Vec::new();
        for mut follower in std::mem::take(&mut self.followers) {
            follower.checked = follower.records.len();
            let ended = self.on.as_ref() != Some(&follower.arn);
            if ended || self.random.percent(30) {
                violations.extend(self.compare(connection, &follower)?);
            }
            if ended {
                self.tally.shards += follower.shards.len() as u64;
                if follower.shards.iter().any(|shard| !shard.finished) {
                    let text = format!("{} has ended, but not all its shards", follower.arn);
                    violations.push(Violation::inconsistent(text));
                }
                self.old.push(follower);
            } else {
                keep.push(follower);
            }
        }
        self.followers = keep;
        if self.old.len() > MOST_OLD {
            let place = self.random.between(0, self.old.len() as u64) as usize;
            let follower = self.old.swap_remove(place.min(self.old.len() - 1));
            violations.extend(self.compare(connection, &follower)?);
        }
        if violations.is_empty() { Ok(()) } else { Err(violations) }
    }

    fn compare(
        &mut self,
        connection: &mut Connection,
        first: &Follower,
    ) -> Result<Vec<Violation>, Vec<Violation>> {
        self.tally.reread += 1;
        let mut again = Follower::new(&first.arn, first.view, Random::new(self.random.next()));
        again.drain(connection).map_err(|stumble| vec![stumble.violation()])?;
        Ok(lineage::compare(first, &again))
    }
}

fn open(server: &Monotable) -> Result<Connection, Vec<Violation>> {
    let connection = Connection::open(&server.endpoint, PATIENCE);
    connection.map_err(|error| misbehaved(RequestError::Call(error)))
}

//! One campaign: the cycles, and what is carried from one to the next.

use super::{
    bank::{self, Totals},
    check::{Outcome, Seen, Sent, check, settle},
    client::{self, Log},
    observe,
};
use crate::{
    cli::TransfersOptions,
    dynamo::{RequestError, send},
    http::Connection,
    monotable::Monotable,
    outage::{Ending, PATIENCE, Place, Scene, Violation, end, misbehaved, stop},
    random::Random,
};
use std::{
    sync::atomic::Ordering,
    thread,
    time::{Duration, Instant},
};

/// Clients that read all balances.
const READERS: u32 = 2;
/// After so many cycles, all records of all cycles are read.
const WHOLE: u32 = 20;
/// Acknowledged transactions that are sent again after a restart, at most.
const MOST_REPEATS: u64 = 12;
/// A server remembers tokens for ten minutes; what is older is not sent again.
const TOKENS_LAST: Duration = Duration::from_secs(300);

/// What a campaign did.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tally {
    /// Cycles that were begun.
    pub cycles: u32,
    /// Cycles in which nothing was wrong.
    pub passed: u32,
    /// Transactions that were acknowledged.
    pub acknowledged: u64,
    /// Transactions that were refused by their conditions.
    pub refused: u64,
    /// Transactions without an answer.
    pub unanswered: u64,
    /// Of these, those that were made.
    pub made: u64,
    /// Transactions that were sent again under their token.
    pub repeats: u64,
    /// Reads of all balances at one moment.
    pub reads: u64,
}

/// A campaign and what its clients know.
pub struct Campaign<'a> {
    options: &'a TransfersOptions,
    place: &'a Place,
    random: Random,
    /// The next tick of the clock, and number of a transaction.
    tick: u64,
    /// The totals that were found in order last.
    totals: Totals,
    /// All transactions of cycles that were found in order.
    settled: Vec<Sent>,
    /// What was done.
    pub tally: Tally,
}

impl<'a> Campaign<'a> {
    /// A campaign that has not begun.
    pub fn new(options: &'a TransfersOptions, place: &'a Place) -> Campaign<'a> {
        Campaign {
            options,
            place,
            random: Random::new(options.seed),
            tick: 0,
            totals: bank::first_totals(),
            settled: Vec::new(),
            tally: Tally::default(),
        }
    }

    /// Runs until something is wrong or all cycles are done.
    pub fn run(&mut self) -> Vec<Violation> {
        self.cycles().err().unwrap_or_default()
    }

    fn cycles(&mut self) -> Result<(), Vec<Violation>> {
        let mut server = self.place.start(&[])?;
        let mut connection = open(&server)?;
        send(&mut connection, "CreateTable", &bank::create()).map_err(misbehaved)?;
        send(&mut connection, "TransactWriteItems", &bank::fill()).map_err(misbehaved)?;
        drop(connection);
        for _ in 0..self.options.cycles {
            self.tally.cycles += 1;
            let ending = Ending::choose(&mut self.random);
            let begun = Instant::now();
            let mut sent = self.write_and_end(server, &ending)?;
            let down = Instant::now();
            server = self.place.start(&ending.interrupted)?;
            let recovery = down.elapsed();
            let fresh = begun.elapsed() < TOKENS_LAST;
            let line = self.check(&server, &mut sent, fresh)?;
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

    /// Lets the clients work until the server is ended. Gives what they sent.
    fn write_and_end(
        &mut self,
        mut server: Monotable,
        ending: &Ending,
    ) -> Result<Vec<Sent>, Vec<Violation>> {
        let scene = &Scene::new(server.endpoint.clone(), self.options.seed, self.tick);
        let cycle = self.tally.cycles;
        let (ended, logs) = thread::scope(|scope| {
            let mut clients: Vec<_> = (0..self.options.writers)
                .map(|writer| scope.spawn(move || client::write(scene, writer, cycle)))
                .collect();
            clients.extend((0..READERS).map(|_| scope.spawn(|| client::read(scene))));
            thread::sleep(ending.after);
            let ended = end(&mut server, scene, ending.graceful);
            let logs = clients.into_iter().map(|c| c.join().unwrap_or_else(|_| Log::panicked()));
            (ended, logs.collect::<Vec<_>>())
        });
        self.tick = scene.clock.load(Ordering::SeqCst);
        let mut violations = ended.err().unwrap_or_default();
        let mut sent = Vec::new();
        for log in logs {
            self.tally.reads += log.reads;
            self.tally.repeats += log.repeats;
            sent.extend(log.sent);
            violations.extend(log.violations);
        }
        if violations.is_empty() { Ok(sent) } else { Err(violations) }
    }

    /// Reads everything back, sends some of it again, and reads once more. What is found is what is
    /// known from then on. Gives the cycle in words.
    fn check(
        &mut self,
        server: &Monotable,
        sent: &mut Vec<Sent>,
        fresh: bool,
    ) -> Result<String, Vec<Violation>> {
        let mut connection = open(server)?;
        let cycle = self.tally.cycles;
        let mut look = |totals: &Totals, sent: &[Sent]| -> Result<Seen, Vec<Violation>> {
            let seen = observe::cycle(&mut connection, cycle).map_err(gone)?;
            let violations = check(totals, sent, &seen);
            if violations.is_empty() { Ok(seen) } else { Err(violations) }
        };
        let seen = look(&self.totals, sent)?;
        let refused = sent.iter().filter(|s| s.outcome == Outcome::Refused).count();
        let open: Vec<bool> = sent.iter().map(|s| s.outcome == Outcome::Unanswered).collect();
        let unanswered = open.iter().filter(|open| **open).count();
        let made = settle(sent, &seen);
        let mut again = 0;
        let mut after = seen;
        if fresh {
            let mut connection = self::open(server)?;
            again = self.send_again(&mut connection, sent, &open)?;
            after = look(&self.totals, sent)?;
        }
        self.totals = after.totals;
        let acknowledged = sent.iter().filter(|s| s.outcome == Outcome::Acknowledged).count();
        self.tally.acknowledged += acknowledged as u64;
        self.tally.refused += refused as u64;
        self.tally.unanswered += unanswered as u64;
        self.tally.made += made as u64;
        self.tally.repeats += again;
        self.settled.append(sent);
        if cycle.is_multiple_of(WHOLE) || cycle == self.options.cycles {
            let seen = observe::everything(&mut connection).map_err(gone)?;
            let violations = check(&bank::first_totals(), &self.settled, &seen);
            if !violations.is_empty() {
                return Err(violations);
            }
        }
        Ok(format!(
            "{acknowledged} made, {refused} refused, {unanswered} in flight ({made} made), \
             {again} sent again"
        ))
    }

    /// Sends transactions again under their tokens: some that were made, and half of those that had
    /// no answer. Those that are not there may be made by that.
    fn send_again(
        &mut self,
        connection: &mut Connection,
        sent: &mut [Sent],
        open: &[bool],
    ) -> Result<u64, Vec<Violation>> {
        let mut again = 0;
        let mut others = 0;
        let newest_first = sent.iter_mut().zip(open).rev();
        for (one, &open) in newest_first.filter(|(one, _)| one.transaction.tokened) {
            let what = |error: RequestError| {
                misbehaved(format!("{}, sent again after the restart: {error}", one.transaction))
            };
            if one.outcome == Outcome::Acknowledged {
                let chosen = if open { self.random.percent(70) } else { self.random.percent(30) };
                if !chosen || (!open && others == MOST_REPEATS) {
                    continue;
                }
                others += u64::from(!open);
                let changed = self.random.percent(25);
                client::repeat(connection, &one.transaction, changed).map_err(what)?;
            } else if open && self.random.percent(50) {
                let answer = send(connection, "TransactWriteItems", &one.transaction.request());
                match (client::outcome(&one.transaction, &answer), answer) {
                    (Outcome::Unanswered, Err(error)) => return Err(what(error)),
                    (outcome, _) => one.outcome = outcome,
                }
            } else {
                continue;
            }
            again += 1;
        }
        Ok(again)
    }
}

fn open(server: &Monotable) -> Result<Connection, Vec<Violation>> {
    Connection::open(&server.endpoint, PATIENCE).map_err(misbehaved)
}

fn gone(error: RequestError) -> Vec<Violation> {
    if error.is_not_found() {
        vec![Violation::lost("the whole table is gone".to_owned())]
    } else {
        misbehaved(error)
    }
}

//! Runs the clients of one history after the other, at times through a kill, and checks each.

use super::{
    Kind,
    client::{self, Course, Log, Open, Settled},
    list_client, lists,
    plant::{Line, Planted},
    register_client, registers,
};
use crate::{
    cli::HistoryOptions,
    dynamo::{RequestError, send},
    http::Connection,
    monotable::Monotable,
    outage::{self, PATIENCE, Place, Scene, Violation, end, misbehaved, stop},
    random::Random,
};
use std::{
    fs, thread,
    time::{Duration, Instant},
};

/// How often progress is printed, in histories.
const PROGRESS: u64 = 1000;

/// What was recorded.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tally {
    /// Histories of lists.
    pub lists: u64,
    /// Histories of registers.
    pub registers: u64,
    /// Those in which nothing was wrong.
    pub passed: u64,
    /// Operations of all.
    pub operations: u64,
    /// Operations without an answer, before any were sent again.
    pub unanswered: u64,
    /// Of these, those that were settled.
    pub settled: u64,
    /// How often the server was killed.
    pub kills: u64,
}

impl Tally {
    /// Histories of both kinds.
    pub fn histories(&self) -> u64 {
        self.lists + self.registers
    }
}

/// Clients that work at the same time, and how much each does.
#[derive(Debug, Clone, Copy)]
struct Crew {
    kind: Kind,
    clients: u32,
    count: u32,
}

const MOST_CLIENTS: u32 = 8;
const MOST_COUNT: u32 = 8;
// All operations of a history may be on one register: before a kill, after it, and the last read.
const _: () = {
    let most = MOST_CLIENTS * (MOST_COUNT + MOST_COUNT / 2 + 1) + 1;
    assert!(most as usize <= registers::MOST);
};

/// A run over many histories on one server.
pub struct Recorder<'a> {
    options: &'a HistoryOptions,
    place: &'a Place,
    kinds: &'a [Kind],
    planted: Option<&'a Planted>,
    random: Random,
    tally: Tally,
    found_anomaly: bool,
}

impl<'a> Recorder<'a> {
    /// A run that has not begun.
    pub fn new(
        options: &'a HistoryOptions,
        place: &'a Place,
        kinds: &'a [Kind],
        planted: Option<&'a Planted>,
    ) -> Recorder<'a> {
        Recorder {
            options,
            place,
            kinds,
            planted,
            random: Random::new(options.seed),
            tally: Tally::default(),
            found_anomaly: false,
        }
    }

    /// What was recorded so far.
    pub fn tally(&self) -> Tally {
        self.tally
    }

    /// Whether it ended because of a history, and not because the server misbehaved.
    pub fn found_anomaly(&self) -> bool {
        self.found_anomaly
    }

    /// Runs until something is wrong or all histories are done.
    pub fn run(&mut self) -> Vec<Violation> {
        self.histories().err().unwrap_or_default()
    }

    fn histories(&mut self) -> Result<(), Vec<Violation>> {
        let mut server = self.place.start(&[])?;
        let mut connection = Connection::open(&server.endpoint, PATIENCE).map_err(misbehaved)?;
        send(&mut connection, "CreateTable", &client::create()).map_err(misbehaved)?;
        drop(connection);
        let kinds = self.kinds.iter().cycle();
        for (number, &kind) in (1..=self.options.histories).zip(kinds) {
            match kind {
                Kind::Lists => self.tally.lists += 1,
                Kind::Registers => self.tally.registers += 1,
            }
            let log = self.history(&mut server, number, kind)?;
            self.tally.operations += log.len() as u64;
            let anomalies = check(&log);
            if !anomalies.is_empty() {
                self.found_anomaly = true;
                return Err(self.keep(number, &log, anomalies));
            }
            self.tally.passed += 1;
            if number % PROGRESS == 0 && self.planted.is_none() {
                println!("{number} of {} histories", self.options.histories);
            }
        }
        stop(&mut server)
    }

    /// One history, with everything read at its end.
    fn history(
        &mut self,
        server: &mut Monotable,
        number: u64,
        kind: Kind,
    ) -> Result<Log, Vec<Violation>> {
        let begun = Instant::now();
        let keys = self.random.between(1, 5) as u32;
        let crew = Crew {
            kind,
            clients: self.random.between(3, u64::from(MOST_CLIENTS) + 1) as u32,
            count: self.random.between(3, u64::from(MOST_COUNT) + 1) as u32,
        };
        // What is held back by a planted fault would be lost by a kill, which is no other fault.
        let kill = self.planted.is_none() && self.random.percent(self.options.kills);
        let scene = Scene::new(server.endpoint.clone(), self.options.seed, 1);
        let course = Course { scene: &scene, number, begun, keys };
        let after = kill.then(|| Duration::from_micros(self.random.spread(100, 20_000)));
        let (mut log, _) = self.clients(&course, crew, server, after, Vec::new())?;
        self.tally.unanswered += log.unanswered() as u64;
        if kill {
            self.tally.kills += 1;
            let interrupted = if self.random.percent(20) {
                outage::interrupted(&mut self.random)
            } else {
                vec![]
            };
            *server = self.place.start(&interrupted)?;
        }
        let tick = scene.tick();
        let scene = Scene::new(server.endpoint.clone(), self.options.seed, tick);
        let course = Course { scene: &scene, number, begun, keys };
        if kill {
            let crew = Crew { count: crew.count / 2 + 1, ..crew };
            let open = std::mem::take(&mut log.open);
            let (more, settled) = self.clients(&course, crew, server, None, open)?;
            self.tally.settled += settled.len() as u64;
            for Settled { place, outcome, completed } in settled {
                if let Some(transaction) = log.transactions.get_mut(place) {
                    (transaction.outcome, transaction.completed) = (outcome, Some(completed));
                }
            }
            log.add(more);
        }
        let mut line = self.line(&course, client::LAST).map_err(misbehaved)?;
        log.add(match kind {
            Kind::Lists => list_client::read_all(&course, &mut line),
            Kind::Registers => register_client::read_all(&course, &mut line),
        });
        let violations = std::mem::take(&mut log.violations);
        if violations.is_empty() { Ok(log) } else { Err(violations) }
    }

    fn line(&self, course: &Course<'_>, client: u32) -> Result<Line<'a>, RequestError> {
        let connection = Connection::open(&course.scene.endpoint, PATIENCE);
        let random = Random::stream(course.number, u64::from(client) + 1);
        Ok(Line::new(connection.map_err(RequestError::Call)?, self.planted, random))
    }

    /// Lets clients work, at times until the server is killed. Half of what was open before is sent
    /// again meanwhile.
    fn clients(
        &mut self,
        course: &Course<'_>,
        Crew { kind, clients, count }: Crew,
        server: &mut Monotable,
        kill_after: Option<Duration>,
        mut open: Vec<Open>,
    ) -> Result<(Log, Vec<Settled>), Vec<Violation>> {
        open.retain(|_| self.random.percent(60));
        let seed = self.random.next();
        let this = &*self;
        let work = |client: u32| {
            let mut log = Log::default();
            let mut line = match this.line(course, client) {
                Ok(line) => line,
                Err(error) => {
                    log.complain(course.scene, "connecting", &error);
                    return log;
                }
            };
            let mut random = Random::stream(seed, client.into());
            log = match kind {
                Kind::Lists => list_client::run(course, &mut line, &mut random, client, count),
                Kind::Registers => {
                    register_client::run(course, &mut line, &mut random, client, count)
                }
            };
            if let Err(error) = line.release() {
                log.complain(course.scene, "a held write", &error);
            }
            log
        };
        let work = &work;
        let (ended, logs, settled) = thread::scope(|scope| {
            let threads: Vec<_> =
                (0..clients).map(|client| scope.spawn(move || work(client))).collect();
            let settling = (!open.is_empty()).then(|| {
                scope.spawn(|| match this.line(course, clients) {
                    Ok(mut line) => client::settle(course, &mut line, open),
                    Err(_) => (Vec::new(), Log::default()),
                })
            });
            let ended = kill_after.map_or(Ok(()), |after| {
                thread::sleep(after);
                end(server, course.scene, false)
            });
            let join = |thread: thread::ScopedJoinHandle<'_, Log>| {
                thread.join().unwrap_or_else(|_| Log::panicked())
            };
            let logs: Vec<Log> = threads.into_iter().map(join).collect();
            let settled = settling
                .map(|thread| thread.join().unwrap_or_else(|_| (Vec::new(), Log::panicked())));
            (ended, logs, settled.unwrap_or_default())
        });
        ended?;
        let (settled, settling) = settled;
        let mut all = settling;
        logs.into_iter().for_each(|log| all.add(log));
        let violations = std::mem::take(&mut all.violations);
        if violations.is_empty() { Ok((all, settled)) } else { Err(violations) }
    }

    /// Writes a history with anomalies to a file beside the server's data.
    fn keep(&self, number: u64, log: &Log, mut anomalies: Vec<Violation>) -> Vec<Violation> {
        let mut text = String::new();
        for anomaly in &anomalies {
            text.push_str(&format!("{anomaly}\n"));
        }
        let mut transactions: Vec<_> = log.transactions.iter().enumerate().collect();
        transactions.sort_by_key(|(_, transaction)| transaction.invoked);
        for (place, transaction) in transactions {
            text.push_str(&format!("T{place}: {transaction}\n"));
        }
        for (key, operations) in &log.operations {
            for operation in operations {
                text.push_str(&format!("register {key}: {operation}\n"));
            }
        }
        let path = self.place.directory().join(format!("history-{number}.txt"));
        let kept = fs::write(&path, text);
        if let (Ok(()), None, Some(first)) = (kept, self.planted, anomalies.first_mut()) {
            first.text.push_str(&format!("\n    the whole history is in {}", path.display()));
        }
        anomalies
    }
}

/// What is wrong with a history.
fn check(log: &Log) -> Vec<Violation> {
    let anomalies = lists::check(&log.transactions);
    let of_lists =
        anomalies.into_iter().map(|a| Violation::inconsistent(format!("{}: {}", a.name, a.text)));
    let of_registers = log.operations.iter().filter_map(|(key, operations)| {
        let longest = registers::check(operations).err()?;
        let name = format!("register {key}");
        Some(Violation::inconsistent(registers::explain(&name, operations, &longest)))
    });
    of_lists.chain(of_registers).collect()
}

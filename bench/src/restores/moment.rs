//! Notes what the table is at moments when nobody writes.

use super::{
    backup,
    check::{Sums, sums},
    stage::Stage,
    table::{EXPIRES, Item, Items, NAME, now, number_of, read},
};
use crate::{
    dynamo::RequestError,
    http::Connection,
    outage::{PATIENCE, Violation},
    random::Random,
};
use std::{
    sync::atomic::Ordering,
    thread,
    time::{Duration, Instant},
};

/// On both sides of a moment, so that no commit is of the same millisecond.
const MARGIN: Duration = Duration::from_millis(3);

/// A table at one moment.
pub struct Moment {
    /// When, in milliseconds since 1970.
    pub millis: u64,
    /// What was there.
    pub items: Items,
    /// How many bytes that were.
    pub bytes: Sums,
}

/// What was noted in a cycle.
#[derive(Default)]
pub struct Log {
    /// How many moments.
    pub moments: u64,
    /// What should not be.
    pub violations: Vec<Violation>,
}

/// Notes moments, and makes backups, until the server is ended.
pub fn run(stage: &Stage) -> Log {
    let mut log = Log::default();
    let mut random = stage.random(1 << 16);
    if let Err(error) = work(stage, &mut random, &mut log) {
        let complaint = stage.scene.complaint("noting what is there", &error);
        log.violations.extend(complaint.map(Violation::misbehaved));
    }
    log
}

fn work(stage: &Stage, random: &mut Random, log: &mut Log) -> Result<(), RequestError> {
    let open = Connection::open(&stage.scene.endpoint, PATIENCE);
    let mut connection = open.map_err(RequestError::Call)?;
    loop {
        let wait = Instant::now() + Duration::from_micros(random.spread(20_000, 300_000));
        while Instant::now() < wait {
            if stage.ending() {
                return Ok(());
            }
            thread::sleep(Duration::from_millis(2));
        }
        let _paused = stage.pause();
        let in_place = stage.in_place.load(Ordering::SeqCst);
        if !in_place.is_multiple_of(2) {
            continue;
        }
        if random.percent(15) && stage.notes.backups().len() < backup::MOST {
            if let Some(kept) = backup::make(&mut connection, random)? {
                stage.notes.add_backup(kept);
            }
        } else if let Some(moment) = note(&mut connection)?
            && stage.in_place.load(Ordering::SeqCst) == in_place
        {
            log.moments += 1;
            stage.notes.add_moment(moment, random);
        }
    }
}

/// Notes what is there. A commit has its time before it can be seen, so that a delete of an item
/// that is due may be of an earlier moment than a Scan that still has it: then nothing is noted.
pub fn note(connection: &mut Connection) -> Result<Option<Moment>, RequestError> {
    let before = read(connection, NAME, None)?;
    thread::sleep(MARGIN);
    let millis = now();
    thread::sleep(MARGIN);
    let [_, bytes] = sums(connection, NAME)?;
    let after = read(connection, NAME, None)?;
    let due = |item: &Item| number_of(item, EXPIRES).is_some_and(|second| second * 1000 <= millis);
    let known = before == after && !after.values().any(due);
    Ok(known.then_some(Moment { millis, items: after, bytes }))
}

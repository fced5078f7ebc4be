//! Notes what the table is at moments when nobody writes.

use super::{
    backup,
    check::{Sums, is_due, sums},
    stage::Stage,
    table::{Item, Items, Key, NAME, now, read},
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
    /// How many bytes that were, if no item was due to expire.
    pub bytes: Option<Sums>,
}

impl Moment {
    /// The second in which it is; items that expire by then may be gone.
    pub fn second(&self) -> u64 {
        self.millis / 1000
    }
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

/// Notes what is there. Items that are due may go at any time; and a commit has its time before it
/// can be seen, so that their deletion may be of an earlier moment than a Scan that still has them.
pub fn note(connection: &mut Connection) -> Result<Option<Moment>, RequestError> {
    let before = read(connection, NAME, None)?;
    thread::sleep(MARGIN);
    let millis = now();
    thread::sleep(MARGIN);
    let [_, bytes] = sums(connection, NAME)?;
    let after = read(connection, NAME, None)?;
    let stays = |items: &(&Key, &Item)| !is_due(items.1, millis / 1000);
    let same = before.iter().filter(stays).eq(after.iter().filter(stays));
    let certain = before == after && before.iter().all(|item| stays(&item));
    let bytes = certain.then_some(bytes);
    Ok(same.then_some(Moment { millis, items: before, bytes }))
}

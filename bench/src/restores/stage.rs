//! What the clients of a cycle share.

use super::{backup::Kept, moment::Moment};
use crate::{
    cli::RestoresOptions,
    dynamo::RequestError,
    outage::{Scene, Violation},
    random::Random,
};
use std::sync::{
    Arc, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard,
    atomic::{AtomicI64, AtomicU64, Ordering},
};

/// The scene, with a gate that lets all writers pause, and what was noted.
pub struct Stage {
    /// What all campaigns have.
    pub scene: Scene,
    /// How many shared keys there are.
    pub keys: u64,
    /// In so many of a hundred restores in place one of the items is written meanwhile.
    pub meddle: u64,
    /// The cycle.
    pub cycle: u64,
    /// How many restores are still to be begun.
    pub left: AtomicI64,
    /// Odd while items are put back in place, and another number each time.
    pub in_place: AtomicU64,
    /// Writes that were acknowledged.
    pub writes: AtomicU64,
    gate: RwLock<()>,
    /// What was noted.
    pub notes: Notes,
}

/// What is known of the past.
#[derive(Default)]
pub struct Notes {
    moments: Mutex<Vec<Arc<Moment>>>,
    backups: Mutex<Vec<Arc<Kept>>>,
}

/// More moments than this are not kept; which of them go is by chance.
const MOST_MOMENTS: usize = 60;

impl Stage {
    /// A stage where nothing has happened.
    pub fn new(scene: Scene, plan: &RestoresOptions, cycle: u64, left: i64, notes: Notes) -> Stage {
        let (left, writes) = (AtomicI64::new(left), AtomicU64::new(0));
        let (keys, meddle) = (plan.items, plan.meddle);
        // One may be left of the cycle before; the owner finds out.
        let in_place = AtomicU64::new(1);
        Stage { scene, keys, meddle, cycle, left, in_place, writes, gate: RwLock::new(()), notes }
    }

    /// Leave to send one request.
    pub fn enter(&self) -> RwLockReadGuard<'_, ()> {
        self.gate.read().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Waits until no request is under way, and keeps it so.
    pub fn pause(&self) -> RwLockWriteGuard<'_, ()> {
        self.gate.write().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Whether the server may go away.
    pub fn ending(&self) -> bool {
        self.scene.ending.load(Ordering::SeqCst)
    }

    /// Decides for a client.
    pub fn random(&self, purpose: u64) -> Random {
        Random::stream(self.scene.seed, self.cycle << 20 | purpose)
    }
}

impl Notes {
    /// Adds a moment.
    pub fn add_moment(&self, moment: Moment, random: &mut Random) {
        let mut moments = held(&self.moments);
        if moments.len() >= MOST_MOMENTS {
            moments.swap_remove(random.between(0, MOST_MOMENTS as u64) as usize);
        }
        moments.push(Arc::new(moment));
    }

    /// Some moment.
    pub fn moment(&self, random: &mut Random) -> Option<Arc<Moment>> {
        some(&held(&self.moments), random)
    }

    /// Adds a backup.
    pub fn add_backup(&self, backup: Kept) {
        held(&self.backups).push(Arc::new(backup));
    }

    /// Some backup.
    pub fn backup(&self, random: &mut Random) -> Option<Arc<Kept>> {
        some(&held(&self.backups), random)
    }

    /// All backups.
    pub fn backups(&self) -> Vec<Arc<Kept>> {
        held(&self.backups).clone()
    }
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

fn some<T>(all: &[Arc<T>], random: &mut Random) -> Option<Arc<T>> {
    let place = random.between(0, all.len() as u64) as usize;
    all.get(place).cloned()
}

/// Why a client ended.
pub enum Stumble {
    /// A request without the answer it should have.
    Request(RequestError),
    /// Something is wrong.
    Wrong(Vec<Violation>),
}

impl From<RequestError> for Stumble {
    fn from(error: RequestError) -> Stumble {
        Stumble::Request(error)
    }
}

impl Stumble {
    /// What to report. Without a scene nobody ends the server.
    pub fn violations(self, what: &str, scene: Option<&Scene>) -> Vec<Violation> {
        match (self, scene) {
            (Stumble::Wrong(violations), _) => violations,
            (Stumble::Request(error), Some(scene)) => {
                scene.complaint(what, &error).map(Violation::misbehaved).into_iter().collect()
            }
            (Stumble::Request(error), None) => {
                vec![Violation::misbehaved(format!("{what}: {error}"))]
            }
        }
    }
}

/// An error if there are violations.
pub fn none(violations: Vec<Violation>) -> Result<(), Stumble> {
    if violations.is_empty() { Ok(()) } else { Err(Stumble::Wrong(violations)) }
}

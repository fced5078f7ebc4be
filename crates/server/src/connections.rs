//! Who is connected, and who has to go: clients that do not take their answers, and, if there is no
//! place left, the one that has been quiet for longest. Others must not wait for them.

use crate::{gate::Pass, limits::Limits, service::Turn};
use bytes::Bytes;
use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};
use store::Planted;
use tokio::sync::Notify;

/// How fast a client must take an answer, in bytes a second, once its patience is used up.
const SLOWEST: usize = 64 * 1024;
/// The same while answers take more than half of the memory they may.
const SLOWEST_IN_A_CROWD: usize = 4 * 1024 * 1024;
const PATIENCE_IN_A_CROWD: Duration = Duration::from_secs(2);
/// How often the server looks who does not take its answer.
pub(crate) const ROUND: Duration = Duration::from_millis(250);
/// How long it waits for somebody to leave before it looks again.
const PAUSE: Duration = Duration::from_millis(100);

/// All connections.
pub(crate) struct Connections {
    all: Mutex<HashMap<u64, Arc<Standing>>>,
    next: AtomicU64,
    most: usize,
    patience: Duration,
    left: Notify,
    began: Instant,
}

/// What is known of one connection.
pub(crate) struct Standing {
    began: Instant,
    /// When it last began a request, in milliseconds.
    active: AtomicU64,
    /// Requests that have come whole and are not answered.
    working: AtomicUsize,
    answers: Mutex<Vec<Outgoing>>,
    next: AtomicU64,
    /// When the client last took something, in milliseconds.
    taken: AtomicU64,
    leaving: AtomicBool,
    stuck: AtomicBool,
    leave: Notify,
}

/// An answer on its way.
struct Outgoing {
    id: u64,
    since: u64,
    bytes: usize,
}

/// A connection's place, until it is dropped.
pub(crate) struct Place {
    connections: Arc<Connections>,
    id: u64,
    pub(crate) standing: Arc<Standing>,
}

/// A request that is worked on, until it is dropped.
pub(crate) struct Work(Arc<Standing>);

/// The bytes of an answer, with what it holds until they are sent or thrown away.
struct Held {
    bytes: Bytes,
    id: u64,
    standing: Arc<Standing>,
    _pass: Option<Pass>,
    _turn: Option<Turn>,
}

impl Connections {
    pub(crate) fn new(limits: &Limits) -> Connections {
        Connections {
            all: Mutex::default(),
            next: AtomicU64::new(0),
            most: limits.connections,
            patience: limits.patience,
            left: Notify::new(),
            began: Instant::now(),
        }
    }

    /// A place for one more connection.
    pub(crate) fn enter(self: &Arc<Self>) -> Place {
        let standing = Arc::new(Standing {
            began: self.began,
            active: AtomicU64::new(millis(self.began)),
            working: AtomicUsize::new(0),
            answers: Mutex::default(),
            next: AtomicU64::new(0),
            taken: AtomicU64::new(0),
            leaving: AtomicBool::new(false),
            stuck: AtomicBool::new(false),
            leave: Notify::new(),
        });
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        lock(&self.all).insert(id, Arc::clone(&standing));
        Place { connections: Arc::clone(self), id, standing }
    }

    /// Waits until there is a place. Clients that are quiet have to go for it, those whose requests
    /// are worked on do not.
    pub(crate) async fn make_room(&self) {
        while lock(&self.all).len() >= self.most {
            self.dismiss_quietest();
            let _ = tokio::time::timeout(PAUSE, self.left.notified()).await;
        }
    }

    /// Closes the connection that has been quiet for longest, if there is one.
    pub(crate) fn dismiss_quietest(&self) {
        let all = lock(&self.all);
        let quiet = all.values().filter(|standing| standing.is_quiet());
        if let Some(standing) = quiet.min_by_key(|standing| standing.active()) {
            standing.dismiss();
        }
    }

    /// Closes connections whose clients do not take their answers.
    pub(crate) fn dismiss_stuck(&self, crowded: bool) {
        if Planted::NoAnswerTimeout.is_on() {
            return;
        }
        let (patience, rate) = if crowded {
            (self.patience.min(PATIENCE_IN_A_CROWD), SLOWEST_IN_A_CROWD)
        } else {
            (self.patience, SLOWEST)
        };
        let now = millis(self.began);
        for standing in lock(&self.all).values() {
            let taken = standing.taken.load(Ordering::Relaxed);
            let since = |moment: u64| Duration::from_millis(now.saturating_sub(moment));
            let late = |answer: &Outgoing| {
                let whole = patience + Duration::from_secs((answer.bytes / rate) as u64);
                since(answer.since.max(taken)) > patience || since(answer.since) > whole
            };
            if lock(&standing.answers).iter().any(late) {
                standing.stuck.store(true, Ordering::Relaxed);
                standing.dismiss();
            }
        }
    }
}

impl Standing {
    /// A request begins.
    pub(crate) fn begin(&self) {
        self.active.store(millis(self.began), Ordering::Relaxed);
    }

    /// A request has come whole.
    pub(crate) fn work(self: &Arc<Self>) -> Work {
        self.working.fetch_add(1, Ordering::Relaxed);
        Work(Arc::clone(self))
    }

    /// Takes note of an answer that is about to be sent.
    pub(crate) fn send(
        self: &Arc<Self>,
        bytes: Bytes,
        pass: Option<Pass>,
        turn: Option<Turn>,
    ) -> Bytes {
        if bytes.is_empty() {
            return bytes;
        }
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let outgoing = Outgoing { id, since: millis(self.began), bytes: bytes.len() };
        lock(&self.answers).push(outgoing);
        let standing = Arc::clone(self);
        Bytes::from_owner(Held { bytes, id, standing, _pass: pass, _turn: turn })
    }

    /// The client has taken something.
    pub(crate) fn took(&self) {
        self.taken.store(millis(self.began), Ordering::Relaxed);
    }

    /// Whether the client does not take its answers.
    pub(crate) fn is_stuck(&self) -> bool {
        self.stuck.load(Ordering::Relaxed)
    }

    /// Waits until the connection has to go.
    pub(crate) async fn dismissed(&self) {
        self.leave.notified().await;
    }

    fn dismiss(&self) {
        self.leaving.store(true, Ordering::Relaxed);
        self.leave.notify_one();
    }

    fn active(&self) -> u64 {
        self.active.load(Ordering::Relaxed)
    }

    fn is_quiet(&self) -> bool {
        !self.leaving.load(Ordering::Relaxed)
            && self.working.load(Ordering::Relaxed) == 0
            && lock(&self.answers).is_empty()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        lock(&self.connections.all).remove(&self.id);
        self.connections.left.notify_one();
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        self.0.working.fetch_sub(1, Ordering::Relaxed);
    }
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        lock(&self.standing.answers).retain(|answer| answer.id != self.id);
    }
}

fn millis(began: Instant) -> u64 {
    u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX)
}

/// A panic elsewhere leaves nothing here half-done.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connections(patience: Duration) -> Arc<Connections> {
        Arc::new(Connections::new(&Limits { connections: 2, patience, memory: 1 << 20 }))
    }

    fn leaves(place: &Place) -> bool {
        place.standing.leaving.load(Ordering::Relaxed)
    }

    #[test]
    fn the_quietest_goes_and_who_is_served_stays() {
        let connections = connections(Duration::from_secs(1));
        let (first, second, third) =
            (connections.enter(), connections.enter(), connections.enter());
        let work = first.standing.work();
        std::thread::sleep(Duration::from_millis(3));
        third.standing.begin();
        connections.dismiss_quietest();
        assert!(!leaves(&first) && leaves(&second) && !leaves(&third));
        // An answer on its way is no silence, either.
        let answer = third.standing.send(Bytes::from_static(b"x"), None, None);
        connections.dismiss_quietest();
        assert!(!leaves(&first) && !leaves(&third));
        drop((work, answer));
        connections.dismiss_quietest();
        assert!(leaves(&first) && !leaves(&third));
    }

    #[test]
    fn who_does_not_take_an_answer_goes() {
        let connections = connections(Duration::ZERO);
        let (first, second) = (connections.enter(), connections.enter());
        let answer = first.standing.send(Bytes::from_static(b"answer"), None, None);
        let taken = second.standing.send(Bytes::from_static(b"answer"), None, None);
        assert_eq!(&answer[..], b"answer");
        drop(taken);
        std::thread::sleep(Duration::from_millis(3));
        connections.dismiss_stuck(false);
        assert!(leaves(&first) && !leaves(&second));
    }

    #[test]
    fn a_large_answer_may_take_its_time_unless_others_wait() {
        let connections = connections(Duration::from_millis(50));
        let place = connections.enter();
        let _answer = place.standing.send(Bytes::from(vec![0; SLOWEST]), None, None);
        std::thread::sleep(Duration::from_millis(60));
        place.standing.took();
        connections.dismiss_stuck(false);
        assert!(!leaves(&place));
        connections.dismiss_stuck(true);
        assert!(leaves(&place));
    }

    #[tokio::test]
    async fn there_is_room_once_somebody_has_left() {
        let connections = connections(Duration::from_secs(1));
        let (first, second) = (connections.enter(), connections.enter());
        let _work = second.standing.work();
        let leaving = async {
            first.standing.dismissed().await;
            drop(first);
        };
        tokio::join!(connections.make_room(), leaving);
        assert!(!leaves(&second));
    }
}

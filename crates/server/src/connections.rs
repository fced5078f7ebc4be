//! Who is connected, and who has to go: clients that do not take their answers or say nothing for too
//! long, and, if there is no place left, the one that has been quiet for longest. Others must not wait
//! for them.

use crate::limits::Limits;
use socket2::SockRef;
use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};
use store::Planted;
use tokio::{
    net::TcpStream,
    sync::{Notify, watch},
};

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
    stopping: watch::Sender<bool>,
    began: Instant,
}

/// What is known of one connection.
pub(crate) struct Standing {
    began: Instant,
    /// When it was last heard of, in milliseconds.
    active: AtomicU64,
    /// Whether the head of the next request is waited for.
    resting: AtomicBool,
    /// Requests that have come whole and are not answered.
    working: AtomicUsize,
    answers: Mutex<Vec<Outgoing>>,
    next: AtomicU64,
    /// When the client last took something, in milliseconds.
    taken: AtomicU64,
    /// Why the connection has to go.
    leaving: AtomicU8,
    told: Notify,
}

/// The connection need not go.
const STAYS: u8 = 0;
/// It goes unless a request has begun meanwhile.
const RESTS: u8 = 1;
/// It goes unless a request is worked on meanwhile.
const QUIET: u8 = 2;
/// It goes.
const STUCK: u8 = 3;

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

/// An answer that is not known to be taken, until it is dropped.
pub(crate) struct Sending {
    standing: Arc<Standing>,
    id: u64,
    sent: usize,
}

impl Connections {
    pub(crate) fn new(limits: &Limits) -> Connections {
        Connections {
            all: Mutex::default(),
            next: AtomicU64::new(0),
            most: limits.connections,
            patience: limits.patience,
            left: Notify::new(),
            stopping: watch::Sender::new(false),
            began: Instant::now(),
        }
    }

    /// A place for one more connection.
    pub(crate) fn enter(self: &Arc<Self>) -> Place {
        let standing = Arc::new(Standing {
            began: self.began,
            active: AtomicU64::new(millis(self.began)),
            resting: AtomicBool::new(true),
            working: AtomicUsize::new(0),
            answers: Mutex::default(),
            next: AtomicU64::new(0),
            taken: AtomicU64::new(0),
            leaving: AtomicU8::new(STAYS),
            told: Notify::new(),
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
            standing.dismiss(QUIET);
        }
    }

    /// Closes connections whose clients have not begun a request, or not ended its head, in time.
    pub(crate) fn dismiss_silent(&self) {
        let now = millis(self.began);
        for standing in lock(&self.all).values() {
            let silent = Duration::from_millis(now.saturating_sub(standing.active()));
            if standing.is_resting() && silent > self.patience {
                standing.dismiss(RESTS);
            }
        }
    }

    /// Lets all connections end with the requests they have begun, and waits for them.
    pub(crate) async fn close(&self) {
        self.stopping.send_replace(true);
        loop {
            {
                let all = lock(&self.all);
                if all.is_empty() {
                    return;
                }
                let resting = all.values().filter(|standing| standing.is_resting());
                resting.for_each(|standing| standing.dismiss(RESTS));
            }
            let _ = tokio::time::timeout(PAUSE, self.left.notified()).await;
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
                standing.dismiss(STUCK);
            }
        }
    }
}

impl Standing {
    /// The next request is waited for.
    pub(crate) fn rest(&self) {
        self.touch();
        self.resting.store(true, Ordering::Release);
    }

    /// Its head has come.
    pub(crate) fn begin(&self) {
        self.touch();
        self.resting.store(false, Ordering::Relaxed);
    }

    fn touch(&self) {
        self.active.store(millis(self.began), Ordering::Relaxed);
    }

    /// A request has come whole.
    pub(crate) fn work(self: &Arc<Self>) -> Work {
        self.working.fetch_add(1, Ordering::Relaxed);
        Work(Arc::clone(self))
    }

    /// Takes note of an answer for which the client is waited for.
    pub(crate) fn sends(self: &Arc<Self>, bytes: usize) -> Sending {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        lock(&self.answers).push(Outgoing { id, since: millis(self.began), bytes });
        Sending { standing: Arc::clone(self), id, sent: 0 }
    }

    /// The client has taken something.
    pub(crate) fn took(&self) {
        self.taken.store(millis(self.began), Ordering::Relaxed);
    }

    /// Closes a connection at once and for good, with what is in the system's buffers, if its client does
    /// not take its answers: they must not be kept for it.
    pub(crate) fn cut_off(&self, stream: &TcpStream) {
        if self.leaving.load(Ordering::Relaxed) == STUCK {
            let _ = SockRef::from(stream).set_linger(Some(Duration::ZERO));
        }
    }

    /// Waits until the connection has to go. To be polled after the conversation in the same task: so a
    /// request that has just come is answered.
    pub(crate) async fn dismissed(&self) {
        loop {
            self.told.notified().await;
            let goes = match self.leaving.load(Ordering::Relaxed) {
                STUCK => true,
                QUIET => self.is_idle(),
                RESTS => self.is_resting(),
                _ => false,
            };
            if goes {
                return;
            }
            let _ = self.leaving.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |why| {
                (why != STUCK).then_some(STAYS)
            });
        }
    }

    fn dismiss(&self, why: u8) {
        self.leaving.fetch_max(why, Ordering::Relaxed);
        self.told.notify_one();
    }

    fn is_leaving(&self) -> bool {
        self.leaving.load(Ordering::Relaxed) != STAYS
    }

    fn is_resting(&self) -> bool {
        self.resting.load(Ordering::Acquire)
    }

    fn active(&self) -> u64 {
        self.active.load(Ordering::Relaxed)
    }

    fn is_quiet(&self) -> bool {
        !self.is_leaving() && self.is_idle()
    }

    fn is_idle(&self) -> bool {
        self.working.load(Ordering::Relaxed) == 0 && lock(&self.answers).is_empty()
    }
}

impl Place {
    /// Whether the server stops.
    pub(crate) fn is_stopping(&self) -> bool {
        *self.connections.stopping.borrow()
    }

    /// Waits until the server stops.
    pub(crate) async fn stopping(&self) {
        let _ = self.connections.stopping.subscribe().wait_for(|stopping| *stopping).await;
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

impl Sending {
    /// The client has taken so much of it.
    pub(crate) fn took(&mut self, sent: usize) {
        if self.sent != sent {
            self.sent = sent;
            self.standing.took();
        }
    }
}

impl Drop for Sending {
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

    fn places<const COUNT: usize>(connections: &Arc<Connections>) -> [Place; COUNT] {
        std::array::from_fn(|_| connections.enter())
    }

    fn leaves(place: &Place) -> bool {
        place.standing.is_leaving()
    }

    #[test]
    fn the_quietest_goes_and_who_is_served_stays() {
        let connections = connections(Duration::from_secs(1));
        let [first, second, third] = places(&connections);
        let work = first.standing.work();
        std::thread::sleep(Duration::from_millis(3));
        third.standing.begin();
        connections.dismiss_quietest();
        assert!(!leaves(&first) && leaves(&second) && !leaves(&third));
        // An answer on its way is no silence, either.
        let answer = third.standing.sends(1);
        connections.dismiss_quietest();
        assert!(!leaves(&first) && !leaves(&third));
        drop((work, answer));
        connections.dismiss_quietest();
        assert!(leaves(&first) && !leaves(&third));
    }

    #[test]
    fn who_does_not_take_an_answer_goes() {
        let connections = connections(Duration::ZERO);
        let [first, second] = places(&connections);
        let _answer = first.standing.sends(6);
        let taken = second.standing.sends(6);
        drop(taken);
        std::thread::sleep(Duration::from_millis(3));
        connections.dismiss_stuck(false);
        assert!(leaves(&first) && !leaves(&second));
    }

    #[test]
    fn a_large_answer_may_take_its_time_unless_others_wait() {
        let connections = connections(Duration::from_millis(50));
        let [place] = places(&connections);
        let _answer = place.standing.sends(SLOWEST);
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
        let [first, second] = places(&connections);
        let _work = second.standing.work();
        let leaving = async {
            first.standing.dismissed().await;
            drop(first);
        };
        tokio::join!(connections.make_room(), leaving);
        assert!(!leaves(&second));
    }

    #[test]
    fn who_says_nothing_goes_unless_a_request_is_worked_on() {
        let connections = connections(Duration::from_millis(50));
        let [silent, working, late] = places(&connections);
        working.standing.begin();
        std::thread::sleep(Duration::from_millis(60));
        late.standing.rest();
        connections.dismiss_silent();
        assert!(leaves(&silent) && !leaves(&working) && !leaves(&late));
    }

    #[tokio::test]
    async fn the_end_waits_for_requests_that_have_begun() {
        let connections = connections(Duration::from_secs(1));
        let [resting, working] = places(&connections);
        working.standing.begin();
        let leaving = async move {
            resting.standing.dismissed().await;
            drop(resting);
            assert!(working.is_stopping() && !leaves(&working));
            working.stopping().await;
        };
        tokio::join!(connections.close(), leaving);
    }

    #[tokio::test]
    async fn who_is_told_to_go_stays_if_a_request_came_first() {
        let connections = connections(Duration::ZERO);
        let [place] = places(&connections);
        let standing = &place.standing;
        let dismissed = || tokio::time::timeout(Duration::from_millis(20), standing.dismissed());
        std::thread::sleep(Duration::from_millis(3));
        connections.dismiss_silent();
        standing.begin();
        assert!(dismissed().await.is_err() && !leaves(&place));
        connections.dismiss_quietest();
        let work = standing.work();
        assert!(dismissed().await.is_err() && !leaves(&place));
        drop(work);
        connections.dismiss_quietest();
        assert!(dismissed().await.is_ok());
    }
}

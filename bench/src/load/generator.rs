//! One measurement. A single thread serves all connections: it shares the machine with the server
//! it measures, so it must cost little.
//!
//! In a closed loop each connection has one request under way, and sends the next when that is
//! answered. At a fixed rate requests have their times; the latency of one that could not be sent
//! in time, because all connections were waiting, counts from its time all the same.

use super::{client::Client, script::Script, table::PATIENCE, workload::Kind};
use crate::{dynamo::Refusal, histogram::Histogram, http::Endpoint};
use rustix::{
    buffer::spare_capacity,
    event::{Timespec, epoll},
    io::Errno,
    time::{
        ClockId, Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, clock_gettime,
        timerfd_create, timerfd_settime,
    },
};
use std::{
    collections::VecDeque,
    os::fd::OwnedFd,
    time::{Duration, Instant},
};

/// The longest that a server is warmed up before it is measured.
const WARM_UP: Duration = Duration::from_millis(300);

/// When requests are sent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Pace {
    /// Each connection when its last request is answered.
    Closed,
    /// So many a second, whatever is answered.
    Fixed(f64),
}

/// What one measurement gave.
#[derive(Debug, Clone)]
pub struct Round {
    /// Answers a second.
    pub rate: f64,
    /// Latencies; in a closed loop as the connections saw them.
    pub latencies: Histogram,
    /// What a request took of the generator's own core.
    pub cost: Duration,
}

/// How to measure.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// Connections at once.
    pub connections: u32,
    /// When requests are sent.
    pub pace: Pace,
    /// How long.
    pub time: Duration,
    /// Bytes of an item's note.
    pub item_bytes: usize,
}

/// Sends requests and waits for their answers. The first that is not as it should be ends it.
pub fn measure(
    script: &mut Script,
    endpoint: &Endpoint,
    setting: Setting,
) -> Result<Round, String> {
    let latencies = Histogram::new();
    let epoll = epoll::create(epoll::CreateFlags::CLOEXEC).map_err(|error| error.to_string())?;
    let timer = timer(&epoll).map_err(|error| error.to_string())?;
    let clients = (0..setting.connections).map(|_| Client::new(endpoint, PATIENCE)).collect();
    let begin = Instant::now() + WARM_UP.min(setting.time / 4);
    let mut generator = Generator {
        clients,
        idle: (0..setting.connections as usize).collect(),
        sent: vec![(begin, Kind::Get); setting.connections as usize],
        epoll,
        timer,
        schedule: Schedule { pace: setting.pace, first: Instant::now(), number: 0 },
        begin,
        end: begin + setting.time,
        item_bytes: setting.item_bytes,
        latencies,
        answered: 0,
        last: begin,
    };
    let busy = busy();
    generator.run(script)?;
    let busy = self::busy().saturating_sub(busy);
    let measured = generator.last.max(generator.end) - begin;
    let rate = generator.answered as f64 / measured.as_secs_f64();
    let cost = busy.div_f64(generator.schedule.number.max(1) as f64);
    Ok(Round { rate, latencies: generator.latencies, cost })
}

struct Generator {
    clients: Vec<Client>,
    /// Connections that wait for nothing. The one that has done so longest is next: a server may
    /// close those that are never used.
    idle: VecDeque<usize>,
    /// When the request under way of each connection was to be sent, and its kind.
    sent: Vec<(Instant, Kind)>,
    epoll: OwnedFd,
    /// Wakes it when a request is due; an epoll alone would sleep for whole milliseconds.
    timer: OwnedFd,
    schedule: Schedule,
    begin: Instant,
    end: Instant,
    item_bytes: usize,
    latencies: Histogram,
    /// Requests that count and have their answers.
    answered: u64,
    /// When the last request that counts was answered.
    last: Instant,
}

impl Generator {
    fn run(&mut self, script: &mut Script) -> Result<(), String> {
        let mut request = Vec::new();
        let mut events = Vec::with_capacity(self.clients.len() + 1);
        loop {
            let mut next = None;
            while let Some(&client) = self.idle.front() {
                let now = Instant::now();
                let due = self.schedule.due(now);
                if !self.goes_on(due) {
                    next = None;
                    break;
                }
                if due > now {
                    next = Some(due - now);
                    break;
                }
                self.idle.pop_front();
                self.schedule.number += 1;
                let kind = script.next(&mut request);
                self.send(client, &request, due, kind)?;
            }
            if self.idle.len() == self.clients.len() && next.is_none() {
                return Ok(());
            }
            if let Some(next) = next {
                let zero = timespec(Duration::ZERO);
                let time = Itimerspec { it_interval: zero, it_value: timespec(next) };
                timerfd_settime(&self.timer, TimerfdTimerFlags::empty(), &time)
                    .map_err(|error| error.to_string())?;
            }
            events.clear();
            let patience = timespec(PATIENCE);
            match epoll::wait(&self.epoll, spare_capacity(&mut events), Some(&patience)) {
                Ok(0) => return Err("no answer in time".to_owned()),
                Ok(_) | Err(Errno::INTR) => {}
                Err(error) => return Err(error.to_string()),
            }
            for event in &events {
                self.receive(event.data.u64() as usize)?;
            }
            if self.is_hopeless() {
                self.give_up();
                return Ok(());
            }
        }
    }

    /// Whether a request that is due then is sent at all. A server that takes longer for a request
    /// than the measurement lasts is waited for.
    fn goes_on(&self, due: Instant) -> bool {
        let nothing_yet = self.latencies.count() == 0 && self.schedule.pace == Pace::Closed;
        due < self.end || nothing_yet
    }

    fn send(
        &mut self,
        number: usize,
        request: &[u8],
        due: Instant,
        kind: Kind,
    ) -> Result<(), String> {
        let (Some(client), Some(sent)) = (self.clients.get_mut(number), self.sent.get_mut(number))
        else {
            return Ok(());
        };
        if let Some(socket) = client.connect().map_err(|error| error.to_string())? {
            let data = epoll::EventData::new_u64(number as u64);
            epoll::add(&self.epoll, socket, data, epoll::EventFlags::IN)
                .map_err(|error| error.to_string())?;
        }
        *sent = (due, kind);
        client.send(request).map_err(|error| error.to_string())
    }

    fn receive(&mut self, number: usize) -> Result<(), String> {
        let (Some(client), Some(&(due, kind))) =
            (self.clients.get_mut(number), self.sent.get(number))
        else {
            return Ok(());
        };
        let answer = client.receive().map_err(|error| error.to_string())?;
        let Some(answer) = answer else { return Ok(()) };
        let now = Instant::now();
        if answer.status != 200 {
            return Err(Refusal::read(answer.status, answer.body).to_string());
        }
        let (least, most) = kind.answer_bytes(self.item_bytes);
        if answer.body.len() < least || answer.body.len() > most {
            let text: String = String::from_utf8_lossy(answer.body).chars().take(200).collect();
            return Err(format!("not what {} was asked for: {text}", kind.operation()));
        }
        let counts = match self.schedule.pace {
            Pace::Closed => now >= self.begin && (now <= self.end || self.latencies.count() == 0),
            Pace::Fixed(_) => due >= self.begin,
        };
        if counts {
            self.latencies.record(now - due);
            self.answered += 1;
            self.last = now;
        }
        self.idle.push_back(number);
        Ok(())
    }

    /// A fixed rate that the server cannot keep up with would take for ever.
    fn is_hopeless(&self) -> bool {
        let time = self.end - self.begin;
        self.schedule.pace != Pace::Closed && Instant::now() > self.end + time
    }

    /// Counts the requests that have no answer with the time that they are late already.
    fn give_up(&mut self) {
        let now = Instant::now();
        for (number, (due, _)) in self.sent.iter().enumerate() {
            if *due >= self.begin && !self.idle.contains(&number) {
                self.latencies.record(now - *due);
            }
        }
        loop {
            let due = self.schedule.due(now);
            if due >= self.end {
                self.last = now;
                return;
            }
            self.latencies.record(now - due.min(now));
            self.schedule.number += 1;
        }
    }
}

/// The times of requests.
struct Schedule {
    pace: Pace,
    first: Instant,
    number: u64,
}

impl Schedule {
    /// When the next request is to be sent.
    fn due(&self, now: Instant) -> Instant {
        match self.pace {
            Pace::Closed => now,
            Pace::Fixed(rate) => {
                self.first + Duration::from_secs_f64(self.number as f64 / rate.max(0.1))
            }
        }
    }
}

/// How long this thread has been at work.
fn busy() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let nanos = time.tv_sec.saturating_mul(1_000_000_000).saturating_add(time.tv_nsec);
    Duration::from_nanos(nanos.unsigned_abs())
}

/// A timer that wakes whoever waits for the epoll, once each time it is set.
fn timer(epoll: &OwnedFd) -> Result<OwnedFd, Errno> {
    let timer = timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::CLOEXEC)?;
    let data = epoll::EventData::new_u64(u64::MAX);
    epoll::add(epoll, &timer, data, epoll::EventFlags::IN | epoll::EventFlags::ET)?;
    Ok(timer)
}

fn timespec(time: Duration) -> Timespec {
    Timespec { tv_sec: time.as_secs().cast_signed(), tv_nsec: time.subsec_nanos().into() }
}

#[cfg(test)]
#[path = "generator_tests.rs"]
mod tests;

//! Reads all segments of a table at once and writes their pages as they come. How far it is gets
//! recorded now and then.

use super::{
    options::{ExportOptions, Plan},
    segment::{Page, Segment},
    sink::Sink,
    state::{Position, State},
};
use crate::{
    client::Persistent,
    ending::{Ending, count, grouped},
    files::Record,
    interrupt::Interrupt,
    meter::Meter,
};
use std::{
    sync::mpsc::{RecvTimeoutError, sync_channel},
    time::{Duration, Instant},
};

/// How often it is recorded: after that time, or after so many bytes.
const RECORD_TIME: Duration = Duration::from_millis(500);
const RECORD_BYTES: u64 = 16 * 1024 * 1024;
const LOOK: Duration = Duration::from_millis(100);
/// The most items of a page when there is a rate.
const MOST_LIMIT: u32 = 1000;

/// The reading of a table.
pub(super) struct Reading<'r> {
    pub(super) options: &'r ExportOptions,
    pub(super) plan: &'r Plan,
    /// None for standard output.
    pub(super) record: Option<&'r Record>,
    pub(super) expected: u64,
    pub(super) interrupt: Interrupt,
}

impl Reading<'_> {
    /// Reads to the end. Whatever ends it, what has been written is recorded as far as it can be.
    pub(super) fn run(
        &self,
        state: &mut State,
        sink: &mut Sink,
        meter: &mut Meter,
    ) -> Result<(), Ending> {
        let table = state.copy.as_ref().map_or(&state.wish.table, |copy| &copy.table).clone();
        let total = state.segments.len();
        let page_limit = self.options.rate.map(|rate| {
            let segments = u32::try_from(total).unwrap_or(1).max(1);
            (rate / segments).clamp(1, MOST_LIMIT)
        });
        meter.begin(&format!("exporting '{}'", state.wish.table));
        let outcome = std::thread::scope(|scope| {
            let (send, pages) = sync_channel(total);
            for (number, position) in state.segments.iter().enumerate() {
                let client = self.options.endpoint.client()?;
                let client = Persistent::new(client, self.interrupt.clone(), meter.clone());
                let interrupt = self.interrupt.clone();
                let (plan, table) = (self.plan, table.as_str());
                let segment = Segment { plan, table, number, total, page_limit, interrupt };
                let (position, send) = (position.clone(), send.clone());
                scope.spawn(move || segment.read(client, position, &send));
            }
            drop(send);
            self.take(state, sink, meter, |wait| pages.recv_timeout(wait))
        });
        let recorded = match outcome {
            // A file that could not be written is as it was at the last record.
            Err(Ending::File { .. } | Ending::Unread) => Ok(()),
            _ => self.record(state, sink),
        };
        outcome.and(recorded)
    }

    fn take(
        &self,
        state: &mut State,
        sink: &mut Sink,
        meter: &mut Meter,
        next: impl Fn(Duration) -> Result<Result<Page, Ending>, RecvTimeoutError>,
    ) -> Result<(), Ending> {
        let (begun, before) = (Instant::now(), state.items);
        let mut last = Instant::now();
        let mut scanned = before;
        loop {
            if self.interrupt.is_heard() {
                return Err(Ending::Interrupted("interrupted".to_owned()));
            }
            let page = match next(LOOK) {
                Ok(page) => Some(page?),
                Err(RecvTimeoutError::Timeout) => None,
                Err(RecvTimeoutError::Disconnected) => break,
            };
            if let Some(page) = page {
                sink.write(&page.text)?;
                state.items += page.items;
                scanned += page.scanned;
                if let Some(position) = state.segments.get_mut(page.segment) {
                    *position = page.position;
                }
                if self.record.is_none() {
                    sink.flush()?;
                }
            }
            let taken = state.items - before;
            let items = state.items;
            let speed = taken as f64 / begun.elapsed().as_secs_f64().max(0.001);
            meter.show(|| progress(items, speed), Some((scanned, self.expected)));
            if last.elapsed() >= RECORD_TIME || sink.unrecorded() >= RECORD_BYTES {
                self.record(state, sink)?;
                last = Instant::now();
            }
            if let Some(rate) = self.options.rate {
                let due = Duration::from_secs_f64(taken as f64 / f64::from(rate));
                self.interrupt.pause(due.saturating_sub(begun.elapsed()));
            }
        }
        let ended = state.segments.iter().all(|position| matches!(position, Position::End));
        if ended { Ok(()) } else { Err(Ending::Interrupted("interrupted".to_owned())) }
    }

    fn record(&self, state: &mut State, sink: &mut Sink) -> Result<(), Ending> {
        match self.record {
            Some(record) => {
                state.bytes = sink.sync()?;
                record.write(state)
            }
            None => sink.flush(),
        }
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "for people")]
fn progress(items: u64, speed: f64) -> String {
    format!("{}, {}/s", count(items, "item"), grouped(speed as u64))
}

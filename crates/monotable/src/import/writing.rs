//! Hands rows to the connections. All rows of a key go over the same one, in their order, so that
//! the last row of a key is the one that stays.

use super::{
    batch::{Bad, Batch, Entry, Writer, Written},
    errors::{self, Errors},
    options::{ImportOptions, OnError},
    source::{Pages, Row},
    state::State,
    watermark::Watermark,
};
use crate::{
    ending::{Ending, count, grouped},
    files::Record,
    interrupt::Interrupt,
    meter::Meter,
    table_key::TableKey,
};
use archive::dynamodb_json;
use std::{
    collections::{BTreeMap, HashSet},
    hash::{DefaultHasher, Hash, Hasher},
    sync::{
        atomic::{AtomicU64, Ordering},
        mpsc::{Receiver, RecvTimeoutError, SyncSender, channel, sync_channel},
    },
    time::{Duration, Instant},
};
use value::Item;

/// The most items of a request, and the most bytes of JSON that one is filled with.
const MOST_ITEMS: usize = 25;
const MOST_BYTES: usize = 4 * 1024 * 1024;
/// How many batches wait for each connection.
const WAITING: usize = 2;
const LOOK: Duration = Duration::from_millis(100);
const RECORD_TIME: Duration = Duration::from_millis(500);

/// A connection: what is gathered for it, and what it has to do.
struct Lane {
    entries: Vec<Entry>,
    keys: HashSet<Vec<u8>>,
    bytes: usize,
    waiting: usize,
    send: SyncSender<Batch>,
}

/// The writing of an import.
pub(super) struct Writing<'w> {
    options: &'w ImportOptions,
    key: &'w TableKey,
    record: Option<&'w Record>,
    interrupt: &'w Interrupt,
    state: &'w mut State,
    errors: Errors,
    meter: &'w mut Meter,
    lanes: Vec<Lane>,
    results: Receiver<Written>,
    mark: Watermark,
    /// Bad rows that the watermark has not passed.
    bad: BTreeMap<u64, Bad>,
    /// Rows that were let through at the rate that is wished.
    paced: u64,
    /// Items in the table when this began, and since.
    before: u64,
    written: u64,
    begun: Instant,
    recorded: Instant,
    read_bytes: &'w AtomicU64,
}

impl<'w> Writing<'w> {
    /// Opens the connections.
    #[expect(clippy::too_many_arguments, reason = "each is a part of the import")]
    pub(super) fn new(
        options: &'w ImportOptions,
        key: &'w TableKey,
        record: Option<&'w Record>,
        interrupt: &'w Interrupt,
        state: &'w mut State,
        errors: Errors,
        meter: &'w mut Meter,
        read_bytes: &'w AtomicU64,
    ) -> Result<Writing<'w>, Ending> {
        let (results_in, results) = channel();
        let mut lanes = Vec::new();
        for _ in 0..options.connections {
            let (send, batches) = sync_channel(WAITING);
            let client = options.endpoint.client()?;
            let writer = Writer::new(client, interrupt.clone(), meter.clone(), &options.table);
            let results_in = results_in.clone();
            std::thread::spawn(move || writer.run(&batches, &results_in));
            let (entries, keys) = (Vec::new(), HashSet::new());
            lanes.push(Lane { entries, keys, bytes: 0, waiting: 0, send });
        }
        let mark = Watermark::new(state.rows);
        let (begun, recorded) = (Instant::now(), Instant::now());
        let (bad, before) = (BTreeMap::new(), state.items());
        Ok(Writing {
            options,
            key,
            record,
            interrupt,
            state,
            errors,
            meter,
            lanes,
            results,
            mark,
            bad,
            paced: 0,
            before,
            written: 0,
            begun,
            recorded,
            read_bytes,
        })
    }

    /// Writes all rows. Whatever ends it, what was sent is waited for and recorded.
    pub(super) fn run(&mut self, pages: &Pages) -> Result<(), Ending> {
        let outcome = self.take_all(pages);
        let drained = self.drain();
        let recorded = self.settle().and_then(|()| self.record());
        outcome.and(drained).and(recorded)
    }

    fn take_all(&mut self, pages: &Pages) -> Result<(), Ending> {
        loop {
            self.look()?;
            match pages.recv_timeout(LOOK) {
                Ok(page) => {
                    for row in page? {
                        self.take(row)?;
                    }
                }
                // The input is silent: what has gathered is written meanwhile.
                Err(RecvTimeoutError::Timeout) => self.send_all()?,
                Err(RecvTimeoutError::Disconnected) => return self.send_all(),
            }
        }
    }

    fn take(&mut self, row: Row) -> Result<(), Ending> {
        self.pace()?;
        let (number, file, line) = (row.number, row.file, row.line);
        let item = match row.item {
            Ok(item) => item,
            Err(reason) => {
                if self.options.on_error == OnError::Stop {
                    // What stands before it is to be in the table.
                    self.send_all()?;
                }
                return self.refuse(Bad { number, file, line, reason });
            }
        };
        let key = key_bytes(&item, self.key);
        let mut hasher = DefaultHasher::new();
        key.hash(&mut hasher);
        let index = usize::try_from(hasher.finish() % (self.lanes.len() as u64)).unwrap_or(0);
        let mut text = Vec::new();
        dynamodb_json::write_item(&item, &mut text);
        text.pop();
        let text = String::from_utf8(text).map_err(|error| Ending::Failed(error.to_string()))?;
        let Some(lane) = self.lanes.get(index) else { return Ok(()) };
        if lane.keys.contains(&key) || lane.bytes + text.len() > MOST_BYTES {
            self.send(index)?;
        }
        self.mark.take(number);
        let Some(lane) = self.lanes.get_mut(index) else { return Ok(()) };
        if lane.entries.is_empty() {
            self.mark.begin(number);
        }
        lane.bytes += text.len();
        lane.keys.insert(key);
        lane.entries.push(Entry { number, file, line, text });
        if lane.entries.len() == MOST_ITEMS { self.send(index) } else { Ok(()) }
    }

    /// Waits until the next row may come, if there is a rate.
    fn pace(&mut self) -> Result<(), Ending> {
        let Some(rate) = self.options.rate else { return Ok(()) };
        self.paced += 1;
        let due = Duration::from_secs_f64(self.paced as f64 / f64::from(rate));
        while let Some(left) = due.checked_sub(self.begun.elapsed()).filter(|left| !left.is_zero())
        {
            self.interrupt.pause(left.min(LOOK));
            self.look()?;
        }
        Ok(())
    }

    fn send_all(&mut self) -> Result<(), Ending> {
        (0..self.lanes.len()).try_for_each(|index| self.send(index))
    }

    /// Hands what has gathered to the connection, once it has room.
    fn send(&mut self, index: usize) -> Result<(), Ending> {
        while self.lanes.get(index).is_some_and(|lane| lane.waiting >= WAITING) {
            self.look()?;
            if let Ok(written) = self.results.recv_timeout(LOOK) {
                self.end(written)?;
            }
        }
        let Some(lane) = self.lanes.get_mut(index).filter(|lane| !lane.entries.is_empty()) else {
            return Ok(());
        };
        lane.bytes = 0;
        lane.keys.clear();
        lane.waiting += 1;
        let entries = std::mem::take(&mut lane.entries);
        let sent = lane.send.send(Batch { writer: index, entries });
        // One that has ended has said why.
        sent.or_else(|_| self.look())
    }

    /// Looks at what has been written so far, and says how far it is.
    fn look(&mut self) -> Result<(), Ending> {
        if self.interrupt.is_heard() {
            return Err(Ending::Interrupted("interrupted".to_owned()));
        }
        while let Ok(written) = self.results.try_recv() {
            self.end(written)?;
        }
        self.settle()?;
        self.show();
        if self.recorded.elapsed() >= RECORD_TIME {
            self.record()?;
        }
        Ok(())
    }

    fn show(&mut self) {
        let items = self.before + self.written;
        let speed = self.written as f64 / self.begun.elapsed().as_secs_f64().max(0.001);
        let done = self.read_bytes.load(Ordering::Relaxed);
        let share = self.state.total_bytes().map(|all| (done, all));
        self.meter.show(|| progress(items, speed), share);
    }

    /// Takes what has become of a batch.
    fn end(&mut self, written: Written) -> Result<(), Ending> {
        if let Some(lane) = self.lanes.get_mut(written.writer) {
            lane.waiting = lane.waiting.saturating_sub(1);
        }
        let refused = match written.outcome {
            Ok(refused) => refused,
            Err(ending) => {
                // That connection does nothing more.
                if let Some(lane) = self.lanes.get_mut(written.writer) {
                    lane.waiting = 0;
                }
                return Err(ending);
            }
        };
        self.mark.end(written.first);
        self.written += written.items;
        refused.into_iter().try_for_each(|bad| self.refuse(bad))
    }

    /// Takes a row that is bad.
    fn refuse(&mut self, bad: Bad) -> Result<(), Ending> {
        let name = self.name(bad.file);
        let text = errors::place(&bad, &name);
        if self.options.on_error == OnError::Stop {
            // It is not done: once it is in order, it is to be read again.
            self.mark.begin(bad.number);
            return Err(Ending::Failed(text));
        }
        self.mark.take(bad.number);
        self.bad.insert(bad.number, bad);
        Ok(())
    }

    fn name(&self, file: usize) -> String {
        let path = self.options.files.get(file);
        match path.map(|path| path.display().to_string()) {
            Some(name) if name == "-" => "standard input".to_owned(),
            name => name.unwrap_or_default(),
        }
    }

    /// Hands on the bad rows that the watermark has passed.
    fn settle(&mut self) -> Result<(), Ending> {
        let done = self.mark.done();
        while let Some(entry) = self.bad.first_entry().filter(|entry| *entry.key() <= done) {
            let bad = entry.remove();
            let name = self.name(bad.file);
            self.errors.add(&bad, &name, self.meter)?;
            self.state.bad += 1;
        }
        self.state.rows = done;
        Ok(())
    }

    /// Waits for what was sent; the first error counts.
    fn drain(&mut self) -> Result<(), Ending> {
        let mut outcome = Ok(());
        while self.lanes.iter().any(|lane| lane.waiting > 0) {
            match self.results.recv_timeout(LOOK) {
                Ok(written) => outcome = outcome.and(self.end(written)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            self.show();
        }
        outcome
    }

    fn record(&mut self) -> Result<(), Ending> {
        self.recorded = Instant::now();
        self.state.error_bytes = self.errors.sync()?;
        self.record.map_or(Ok(()), |record| record.write(&*self.state))
    }
}

/// The key of an item, as bytes that tell keys apart.
fn key_bytes(item: &Item, key: &TableKey) -> Vec<u8> {
    let parts = key.attributes().filter_map(|part| item.get_key_value(&part.name));
    let parts: Item = parts.map(|(name, value)| (name.clone(), value.clone())).collect();
    let mut bytes = Vec::new();
    dynamodb_json::write_item(&parts, &mut bytes);
    bytes
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "for people")]
fn progress(items: u64, speed: f64) -> String {
    format!("{}, {}/s", count(items, "item"), grouped(speed as u64))
}

//! Writes and what was answered, and from both what may be found at a place of the trace.

use super::{clock::Moment, item::Key, observe::Seen};
use crate::crash::history::{History, Write};
use std::collections::BTreeMap;

/// A write of one key. The tick at which a put was sent is the version of its item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deed {
    /// What was written.
    pub key: Key,
    /// Whether it was put or deleted.
    pub put: bool,
    /// When it was sent.
    pub sent: Moment,
    /// When it was acknowledged, if it was.
    pub acknowledged: Option<Moment>,
}

/// Everything that clients know.
#[derive(Debug, Default)]
pub struct Ledger {
    deeds: BTreeMap<Key, Vec<Deed>>,
    /// What was read when nobody wrote.
    readings: Vec<(Moment, Seen)>,
}

/// What may be found at some place.
pub type Known = BTreeMap<Key, History>;

impl Ledger {
    /// Takes up what a client has written.
    pub fn add(&mut self, deeds: Vec<Deed>) {
        for deed in deeds {
            self.deeds.entry(deed.key).or_default().push(deed);
        }
    }

    /// Takes up what was read at a moment at which no write was under way. What a client has seen is
    /// as good as acknowledged.
    pub fn add_reading(&mut self, moment: Moment, seen: Seen) {
        self.readings.push((moment, seen));
    }

    /// The places of readings.
    pub fn readings(&self) -> impl Iterator<Item = u64> {
        self.readings.iter().map(|(moment, _)| moment.at)
    }

    /// How many writes were acknowledged.
    pub fn acknowledged(&self) -> u64 {
        let deeds = self.deeds.values().flatten();
        deeds.filter(|deed| deed.acknowledged.is_some()).count() as u64
    }

    /// What may be found if the power fails at this place.
    pub fn at(&self, place: u64) -> Known {
        let reading = self.readings.iter().rfind(|(moment, _)| moment.at <= place);
        let mut known = reading.map_or_else(Known::new, |(_, seen)| seen.settled());
        let since = reading.map_or(0, |(moment, _)| moment.tick);
        for (key, deeds) in &self.deeds {
            for deed in deeds.iter().filter(|deed| deed.sent.tick > since && deed.sent.at <= place)
            {
                let acknowledged = deed.acknowledged.filter(|moment| moment.at <= place);
                known.entry(*key).or_default().add(Write {
                    sent: deed.sent.tick,
                    acknowledged: acknowledged.map(|moment| moment.tick),
                    put: deed.put,
                });
            }
        }
        known
    }
}

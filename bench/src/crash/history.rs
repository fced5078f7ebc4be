//! What the clients know: for each key, which writes were sent, and which of them were acknowledged
//! before which others were sent. From that follows what may be found after a crash.

use crate::changes::{
    deed::{Deed, Outcome},
    table::Key,
};
use std::collections::{BTreeMap, BTreeSet};

/// A count of events, over all writers: what has a smaller tick happened before.
pub type Tick = u64;

/// The write that an item is of, or that there is none.
pub type State = Option<Tick>;

/// One write. The tick at which it was sent is its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Write {
    /// When it was sent.
    pub sent: Tick,
    /// When it was acknowledged, if it was.
    pub acknowledged: Option<Tick>,
    /// Whether it leaves an item or deletes it.
    pub put: bool,
}

impl Write {
    /// What a client did, if it may have happened.
    pub fn of(deed: &Deed) -> Option<Write> {
        let acknowledged = match deed.outcome {
            Outcome::Acknowledged => Some(deed.done),
            Outcome::Unanswered => None,
            Outcome::Refused => return None,
        };
        // The ids of a request's writes are taken just before it is sent.
        Some(Write { sent: deed.id, acknowledged, put: deed.signs() })
    }

    /// An item expired; nobody knows when.
    pub const EXPIRY: Write = Write { sent: 0, acknowledged: None, put: false };

    fn state(&self) -> State {
        self.put.then_some(self.sent)
    }
}

/// Everything that happened to one key since it was last looked at with no write under way.
#[derive(Debug, Clone, Default)]
pub struct History {
    base: State,
    writes: Vec<Write>,
}

/// What is wrong with a state that was found.
#[derive(Debug, PartialEq, Eq)]
pub enum Fault {
    /// An acknowledged put is not there; an older version or nothing is.
    LostPut(Tick),
    /// The item of before an acknowledged delete is there.
    Resurrected(Tick),
    /// Nobody has put such a version.
    Unknown(Tick),
}

impl History {
    /// The history of a key in a known state.
    pub fn settled(base: State) -> History {
        History { base, writes: Vec::new() }
    }

    /// Adds a write.
    pub fn add(&mut self, write: Write) {
        self.writes.push(write);
    }

    /// The states that may be found. A write that is not acknowledged may have happened or not. An
    /// acknowledged one has happened, and holds unless another was sent after its acknowledgement
    /// and acknowledged, too; of those that overlapped, any may have been the last.
    pub fn allowed(&self) -> BTreeSet<State> {
        let acknowledged = || self.writes.iter().filter(|w| w.acknowledged.is_some());
        let newest = acknowledged().map(|write| write.sent).max();
        let stands = |write: &&Write| match (write.acknowledged, newest) {
            (Some(at), Some(newest)) => at > newest,
            _ => true,
        };
        let base = newest.is_none().then_some(self.base);
        let written = self.writes.iter().filter(stands).map(Write::state);
        base.into_iter().chain(written).collect()
    }

    /// What is wrong with a state that was found, if anything.
    pub fn fault(&self, found: State) -> Option<Fault> {
        if self.allowed().contains(&found) {
            return None;
        }
        // Older versions may be those of cycles before, of which only the outcome is kept.
        let sent = self.writes.iter().map(|write| write.sent);
        let newest = self.base.into_iter().chain(sent).max();
        if let (Some(version), Some(newest)) = (found, newest)
            && version > newest
        {
            return Some(Fault::Unknown(version));
        }
        let acknowledged = self.writes.iter().filter(|w| w.acknowledged.is_some());
        let newest = acknowledged.max_by_key(|write| write.sent);
        let lost = newest.map_or(self.base, Write::state);
        Some(match (lost, found) {
            (Some(version), _) => Fault::LostPut(version),
            (None, found) => Fault::Resurrected(found.unwrap_or_default()),
        })
    }
}

/// The histories of all keys ever used.
pub type Histories = BTreeMap<Key, History>;

#[cfg(test)]
mod tests {
    use super::*;

    fn history(base: State, writes: &[(Tick, Option<Tick>, bool)]) -> History {
        let writes =
            writes.iter().map(|&(sent, acknowledged, put)| Write { sent, acknowledged, put });
        History { base, writes: writes.collect() }
    }

    #[test]
    fn what_may_be_found_follows_from_what_was_acknowledged() {
        type Case<'a> = (State, &'a [(Tick, Option<Tick>, bool)], &'a [State], &'static str);
        let cases: [Case<'_>; 8] = [
            (Some(1), &[], &[Some(1)], "untouched"),
            (Some(1), &[(2, Some(3), true)], &[Some(2)], "acknowledged"),
            (Some(1), &[(2, None, true)], &[Some(1), Some(2)], "in flight"),
            (Some(1), &[(2, Some(3), false)], &[None], "deleted"),
            (Some(1), &[(2, None, false)], &[None, Some(1)], "delete in flight"),
            (
                None,
                &[(2, Some(3), true), (4, Some(5), true), (6, None, true)],
                &[Some(4), Some(6)],
                "only the last acknowledged one and the one in flight",
            ),
            (
                Some(1),
                &[(2, Some(5), true), (3, Some(4), true)],
                &[Some(2), Some(3)],
                "overlapping: either",
            ),
            (
                Some(1),
                &[(2, Some(5), true), (3, Some(7), false), (6, Some(8), true), (4, None, true)],
                &[None, Some(4), Some(6)],
                "the first was over before the last was sent",
            ),
        ];
        for (base, writes, allowed, name) in cases {
            let allowed: BTreeSet<State> = allowed.iter().copied().collect();
            assert_eq!(history(base, writes).allowed(), allowed, "{name}");
        }
    }

    #[test]
    fn faults_are_named() {
        let put = history(Some(1), &[(2, Some(3), true)]);
        assert_eq!(put.fault(Some(2)), None);
        assert_eq!(put.fault(None), Some(Fault::LostPut(2)));
        assert_eq!(put.fault(Some(1)), Some(Fault::LostPut(2)));
        assert_eq!(put.fault(Some(9)), Some(Fault::Unknown(9)));
        let deleted = history(Some(1), &[(2, Some(3), false)]);
        assert_eq!(deleted.fault(Some(1)), Some(Fault::Resurrected(1)));
        assert_eq!(history(None, &[]).fault(Some(4)), Some(Fault::Resurrected(4)));
        assert_eq!(history(Some(5), &[]).fault(Some(4)), Some(Fault::LostPut(5)));
        assert_eq!(history(Some(1), &[]).fault(None), Some(Fault::LostPut(1)));
    }
}

//! What a client did to one item, and what it knows of the outcome.

use super::table::{BY, EXPIRES, HITS, Item, Key, number, number_of};
use std::fmt;

/// What was asked for.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// This item in the place of whatever is there.
    Put(Item),
    /// A change of what is there.
    Update(Update),
    /// Nothing in the place of whatever is there.
    Delete,
}

/// An update: it signs, may count, and may change when the item expires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Update {
    /// Whether it counts.
    pub counts: bool,
    /// What becomes of the expiry.
    pub expires: Expires,
}

/// What an update does to the expiry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expires {
    /// Nothing.
    Keep,
    /// It becomes this second.
    Set(u64),
    /// It is removed.
    Remove,
}

/// How it ended for the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It was made.
    Acknowledged,
    /// It was not made.
    Refused,
    /// There was no answer.
    Unanswered,
}

/// A write of one item.
#[derive(Debug, Clone)]
pub struct Deed {
    /// Tells it from all others; the item it leaves bears it.
    pub id: u64,
    /// The item.
    pub key: Key,
    /// What was asked for.
    pub action: Action,
    /// The condition that the item is of this write, if there was one.
    pub expected: Option<u64>,
    /// The request it was sent with.
    pub request: u64,
    /// Whether that was a transaction.
    pub transaction: bool,
    /// When it was sent.
    pub sent: u64,
    /// When it was answered; without an answer, when the server was gone.
    pub done: u64,
    /// How it ended.
    pub outcome: Outcome,
    /// What was there before, if the answer says so.
    pub old: Option<Option<Item>>,
}

impl fmt::Display for Deed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let action = match self.action {
            Action::Put(_) => "put",
            Action::Update(_) => "update",
            Action::Delete => "delete",
        };
        let outcome = match self.outcome {
            Outcome::Acknowledged => "acknowledged",
            Outcome::Refused => "refused",
            Outcome::Unanswered => "without an answer",
        };
        let (id, key, sent, done) = (self.id, self.key, self.sent, self.done);
        write!(f, "{action} {id} of {key}, {outcome}, sent at {sent}, over at {done}")
    }
}

impl Deed {
    /// Whether it leaves an item that bears its id.
    pub fn signs(&self) -> bool {
        self.action != Action::Delete
    }

    /// When it was sent and over.
    pub fn time(&self) -> (u64, u64) {
        (self.sent, self.done)
    }

    /// The item after it, if it is made on this one.
    pub fn result(&self, old: Option<&Item>) -> Option<Item> {
        match &self.action {
            Action::Put(item) => Some(item.clone()),
            Action::Delete => None,
            Action::Update(update) => {
                let mut item = old.cloned().unwrap_or_else(|| self.key.item());
                if update.counts {
                    let hits = number_of(&item, HITS).unwrap_or_default();
                    item.insert(HITS.to_owned(), number(hits + 1));
                }
                item.insert(BY.to_owned(), number(self.id));
                match update.expires {
                    Expires::Keep => {}
                    Expires::Set(second) => {
                        item.insert(EXPIRES.to_owned(), number(second));
                    }
                    Expires::Remove => {
                        item.remove(EXPIRES);
                    }
                }
                Some(item)
            }
        }
    }
}

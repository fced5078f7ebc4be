//! Updates made, and what `ReturnValues` gives back of them.

use value::{Item, MAX_ITEM_SIZE};

use super::edit::{Edits, edit_map, insert};
use super::evaluate::Effect;
use super::{Action, Clause, Origin, Update, UpdateError};
use crate::path::Element;
use crate::selection::{self, Entries};

/// What the request weighs besides what it writes.
const REQUEST: usize = 3;
const WRITE: usize = 19;
const ELEMENT_WRITE: usize = 20;
const REMOVAL: usize = 2;

/// The outcome of an update.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Updated {
    /// The item as it is afterwards; none if there was none and the update creates none.
    pub item: Option<Item>,
    /// What a stand-alone UpdateItem counts against the limit of items if it is more than the
    /// item's size.
    pub weight: usize,
    before: Entries,
    after: Entries,
}

impl Updated {
    /// The attributes of `UPDATED_OLD`: the touched parts of the item as it was.
    pub fn updated_old(&self, old: Option<&Item>) -> Item {
        old.map_or_else(Item::new, |old| selection::select(&self.before, old))
    }

    /// The attributes of `UPDATED_NEW`: the touched parts of the item as it is.
    pub fn updated_new(&self) -> Item {
        let item = self.item.as_ref();
        item.map_or_else(Item::new, |item| selection::select(&self.after, item))
    }
}

impl Update {
    /// Makes the update to an item, or to the item of that key that is to be created. The caller
    /// checks the result's size and keys; that it nests too deep is found here.
    pub fn apply(&self, old: Option<&Item>, key: &Item) -> Result<Updated, UpdateError> {
        let missing = Item::new();
        let read = old.unwrap_or(&missing);
        let mut written = 0;
        let mut weight = REQUEST;
        let mut edits = Edits::new();
        for clause in &self.clauses {
            let effect = clause.effect(read, self.origin == Origin::Legacy)?;
            let size = match &effect {
                Effect::Set(value) => value.size(),
                Effect::Remove | Effect::Keep => 0,
            };
            written += size;
            weight += clause.weight(size);
            // Where there is no item, there is nothing to remove and no path to be wrong.
            if old.is_some() || matches!(effect, Effect::Set(_)) {
                insert(&mut edits, &clause.target, effect);
            }
        }
        if self.origin == Origin::Statement {
            weight = 0;
        }
        // All of this would stand in the item: refused before it is copied.
        if written > MAX_ITEM_SIZE {
            return Err(UpdateError::TooLarge);
        }
        let before = selection::entries(self.target_paths());
        if old.is_none() && edits.is_empty() && !self.clauses.is_empty() {
            return Ok(Updated { item: None, weight, before, after: Entries::new() });
        }
        let mut item = old.unwrap_or(key).clone();
        let after = edit_map(&mut item, edits, 0)?;
        Ok(Updated { item: Some(item), weight, before, after })
    }
}

impl Clause {
    /// What the clause adds to the weight of its request when it writes a value of that size.
    fn weight(&self, size: usize) -> usize {
        let name = match self.target.rest().last() {
            None => self.target.root().len(),
            Some(Element::Name(name)) => name.len(),
            Some(Element::Index(_)) => 0,
        };
        match (&self.action, self.target.rest().last()) {
            (Action::Remove | Action::Delete(_), _) => REMOVAL,
            (Action::Set(_), Some(Element::Index(_))) => size + ELEMENT_WRITE,
            (Action::Set(_) | Action::Add(_), _) => name + size + WRITE,
        }
    }
}

//! Linearizability of one register: is there an order of its operations that keeps to their times
//! and explains all answers? Searched as Wing and Gong do, with what was tried before remembered.
//! Pure.

use std::{collections::HashSet, fmt};

/// What a register holds; nothing if there is no item.
pub type State = Option<u64>;

/// More operations than this cannot be checked.
pub const MOST: usize = 128;

/// What was done, with all that its answer says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// Found this.
    Read(State),
    /// Put or deleted, whatever was there. `was` is what the answer says that was.
    Write { to: State, was: Option<State> },
    /// Put if `from` was there. Without an answer, nobody knows whether it was. `was` is what a
    /// refusal says was there.
    Swap { from: State, to: State, applied: Option<bool>, was: Option<State> },
}

/// An operation and its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operation {
    /// Who did it.
    pub client: u32,
    /// When it was sent.
    pub invoked: u64,
    /// When its answer came. Without one it may have happened at any time since, or never.
    pub completed: Option<u64>,
    /// What was done.
    pub action: Action,
}

impl Action {
    /// What the register holds after this was done to it; nothing if the answer does not fit.
    fn step(self, state: State) -> Option<State> {
        let fits = |was: Option<State>| was.is_none_or(|was| was == state);
        match self {
            Action::Read(seen) => (seen == state).then_some(state),
            Action::Write { to, was } => fits(was).then_some(to),
            Action::Swap { from, to, applied, was } => match applied {
                Some(true) => (state == from).then_some(to),
                Some(false) => (state != from && fits(was)).then_some(state),
                None => Some(if state == from { to } else { state }),
            },
        }
    }
}

/// Looks for an order, from a register that holds nothing. If there is none, gives the longest
/// that was found, as positions.
pub fn check(operations: &[Operation]) -> Result<(), Vec<usize>> {
    if operations.len() > MOST {
        return Err(Vec::new());
    }
    let answered = operations.iter().enumerate().filter(|(_, o)| o.completed.is_some());
    let required = answered.fold(0, |mask, (index, _)| mask | bit(index));
    let mut search = Search {
        operations,
        required,
        tried: HashSet::new(),
        order: Vec::new(),
        longest: Vec::new(),
    };
    if search.extend(0, None) { Ok(()) } else { Err(search.longest) }
}

fn bit(index: usize) -> u128 {
    1 << index
}

struct Search<'a> {
    operations: &'a [Operation],
    /// Those that must be in the order.
    required: u128,
    /// Those in the order and what the register then held, which led nowhere.
    tried: HashSet<(u128, State)>,
    order: Vec<usize>,
    longest: Vec<usize>,
}

impl Search<'_> {
    /// Whether the order can be completed. Calls itself once for each operation at most.
    fn extend(&mut self, done: u128, state: State) -> bool {
        if done & self.required == self.required {
            return true;
        }
        if !self.tried.insert((done, state)) {
            return false;
        }
        let left = || self.operations.iter().enumerate().filter(|(i, _)| done & bit(*i) == 0);
        // What was sent after another was answered cannot come before it.
        let deadline = left().filter_map(|(_, o)| o.completed).min().unwrap_or(u64::MAX);
        let next: Vec<_> = left()
            .filter(|(_, operation)| operation.invoked <= deadline)
            .filter_map(|(index, operation)| Some((index, operation.action.step(state)?)))
            .collect();
        for (index, state) in next {
            self.order.push(index);
            if self.order.len() > self.longest.len() {
                self.longest.clone_from(&self.order);
            }
            if self.extend(done | bit(index), state) {
                return true;
            }
            self.order.pop();
        }
        false
    }
}

/// A register's operations for a person, in the order they were sent; those in the longest order
/// have their place in it.
pub fn explain(name: &str, operations: &[Operation], longest: &[usize]) -> String {
    let mut sorted: Vec<_> = operations.iter().enumerate().collect();
    sorted.sort_by_key(|(_, operation)| operation.invoked);
    let mut text = format!("{name}: no order explains all answers (# is the longest found)");
    for (index, operation) in sorted {
        let place = longest.iter().position(|&other| other == index);
        let place = place.map_or_else(|| "  -".to_owned(), |place| format!("#{place:>2}"));
        text.push_str(&format!("\n    {place} {operation}"));
    }
    text
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = super::interval(self.invoked, self.completed);
        write!(f, "client {} {time}: {:?}", self.client, self.action)
    }
}

#[cfg(test)]
#[path = "registers_tests.rs"]
mod tests;

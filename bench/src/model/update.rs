//! Updates: a small grammar, and what an update makes of an item.

use super::{
    decimal::Decimal,
    path::{Holder, Path, Place, Step},
    value::{Item, Value},
};
use std::collections::BTreeSet;

/// Something that a new value is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    Path(Path),
    Value(Value),
    IfNotExists(Path, Box<Source>),
    ListAppend(Box<Source>, Box<Source>),
}

/// The right-hand side of SET.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NewValue {
    Plain(Source),
    Sum(Source, Source),
    Difference(Source, Source),
}

/// What is done to the place at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    Set(NewValue),
    Remove,
    Add(Value),
    Delete(Value),
}

/// An update; no two paths clash.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Update {
    pub clauses: Vec<(Path, Action)>,
}

/// Why an update cannot be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    NoSuchOperand,
    OperandType,
    InvalidPath,
    Overflow,
}

impl Fault {
    /// The words of the answer.
    pub fn message(self) -> &'static str {
        match self {
            Fault::NoSuchOperand => {
                "The provided expression refers to an attribute that does not exist in the item"
            }
            Fault::OperandType => "An operand in the update expression has an incorrect data type",
            Fault::InvalidPath => {
                "The document path provided in the update expression is invalid for update"
            }
            Fault::Overflow => {
                "Number overflow. Attempting to store a number with magnitude larger than \
                 supported range"
            }
        }
    }
}

/// What an update came to. Which of several faults is reported is written nowhere, so that all
/// are kept.
pub type Outcome = Result<Option<Item>, BTreeSet<Fault>>;

/// What a clause does after all that it reads is read.
enum Effect {
    Write(Value),
    Remove,
    Nothing,
}

impl Source {
    fn value(&self, item: &Item) -> Result<Value, Fault> {
        match self {
            Source::Path(path) => path.get(item).cloned().ok_or(Fault::NoSuchOperand),
            Source::Value(value) => Ok(value.clone()),
            Source::IfNotExists(path, other) => match path.get(item) {
                Some(value) => Ok(value.clone()),
                None => other.value(item),
            },
            Source::ListAppend(first, second) => match (first.value(item)?, second.value(item)?) {
                (Value::L(mut first), Value::L(second)) => {
                    first.extend(second);
                    Ok(Value::L(first))
                }
                _ => Err(Fault::OperandType),
            },
        }
    }

    /// All that can be wrong with it, taking it apart from what is wrong elsewhere.
    fn faults(&self, item: &Item, faults: &mut BTreeSet<Fault>) {
        if let Source::ListAppend(first, second) = self {
            for part in [first, second] {
                part.faults(item, faults);
                if part.value(item).is_ok_and(|value| !matches!(value, Value::L(_))) {
                    faults.insert(Fault::OperandType);
                }
            }
        }
        faults.extend(self.value(item).err());
    }
}

fn sum(left: &Value, right: &Value, negated: bool) -> Result<Value, Fault> {
    let (Value::N(left), Value::N(right)) = (left, right) else {
        return Err(Fault::OperandType);
    };
    let right = if negated { right.negated() } else { right.clone() };
    let sum = left.plus(&right);
    if sum.is_storable() { Ok(Value::N(sum)) } else { Err(Fault::Overflow) }
}

impl NewValue {
    fn value(&self, item: &Item) -> Result<Value, BTreeSet<Fault>> {
        let mut faults = BTreeSet::new();
        let value = match self {
            NewValue::Plain(source) => {
                source.faults(item, &mut faults);
                source.value(item)
            }
            NewValue::Sum(left, right) | NewValue::Difference(left, right) => {
                for part in [left, right] {
                    part.faults(item, &mut faults);
                    if part.value(item).is_ok_and(|value| !matches!(value, Value::N(_))) {
                        faults.insert(Fault::OperandType);
                    }
                }
                let negated = matches!(self, NewValue::Difference(..));
                left.value(item).and_then(|left| {
                    right.value(item).and_then(|right| sum(&left, &right, negated))
                })
            }
        };
        value.map_err(|fault| {
            faults.insert(fault);
            faults
        })
    }
}

fn added(old: Option<&Value>, more: &Value) -> Result<Value, Fault> {
    match (old, more) {
        (None, more) => Ok(more.clone()),
        (Some(old @ Value::N(_)), more @ Value::N(_)) => sum(old, more, false),
        (Some(Value::Ss(old)), Value::Ss(more)) => Ok(Value::Ss(old | more)),
        (Some(Value::Ns(old)), Value::Ns(more)) => Ok(Value::Ns(old | more)),
        (Some(Value::Bs(old)), Value::Bs(more)) => Ok(Value::Bs(old | more)),
        _ => Err(Fault::OperandType),
    }
}

fn without(old: Option<&Value>, less: &Value) -> Result<Effect, Fault> {
    fn rest<T: Ord + Clone>(
        old: &BTreeSet<T>,
        less: &BTreeSet<T>,
        make: fn(BTreeSet<T>) -> Value,
    ) -> Effect {
        let rest = old - less;
        if rest.is_empty() { Effect::Remove } else { Effect::Write(make(rest)) }
    }
    match (old, less) {
        (None, _) => Ok(Effect::Nothing),
        (Some(Value::Ss(old)), Value::Ss(less)) => Ok(rest(old, less, Value::Ss)),
        (Some(Value::Ns(old)), Value::Ns(less)) => Ok(rest::<Decimal>(old, less, Value::Ns)),
        (Some(Value::Bs(old)), Value::Bs(less)) => Ok(rest(old, less, Value::Bs)),
        _ => Err(Fault::OperandType),
    }
}

impl Update {
    /// Whether it only takes away, so that it makes no item.
    fn only_takes(&self) -> bool {
        let takes = |action: &Action| matches!(action, Action::Remove | Action::Delete(_));
        !self.clauses.is_empty() && self.clauses.iter().all(|(_, action)| takes(action))
    }

    /// Makes the update to the item, or to the item of that key that is to be made.
    pub fn apply(&self, before: Option<&Item>, key: &Item) -> Outcome {
        let nothing = Item::new();
        let read = before.unwrap_or(&nothing);
        let mut faults = BTreeSet::new();
        let mut writes = Vec::new();
        let mut removals = Vec::new();
        for (path, action) in &self.clauses {
            let place = path.place(read);
            if place == Place::Nowhere {
                // What is taken from an item that is not there is not looked at.
                if before.is_some() || matches!(action, Action::Set(_) | Action::Add(_)) {
                    faults.insert(Fault::InvalidPath);
                }
            }
            match effect(action, &place, read) {
                Ok(Effect::Write(value)) => writes.push((path, value)),
                Ok(Effect::Remove) => removals.push(path),
                Ok(Effect::Nothing) => {}
                Err(more) => faults.extend(more),
            }
        }
        if !faults.is_empty() {
            return Err(faults);
        }
        if before.is_none() && self.only_takes() {
            return Ok(None);
        }
        let mut item = before.unwrap_or(key).clone();
        // In order of index, so that what goes beyond the end of a list keeps that order.
        writes.sort_by(|a, b| a.0.cmp(b.0));
        for (path, value) in writes {
            write(&mut item, path, value);
        }
        // From the back, so that no removal moves what another one means.
        removals.sort_by(|a, b| b.cmp(a));
        for path in removals {
            remove(&mut item, path);
        }
        Ok(Some(item))
    }

    /// Where the touched places are in the item as it was.
    pub fn touched_before(&self) -> Vec<Path> {
        self.clauses.iter().map(|(path, _)| path.clone()).collect()
    }

    /// Where the touched places are in the item as it is: behind removed elements they move to
    /// the front, and beyond the end of a list they follow it.
    pub fn touched_after(&self, before: &Item) -> Vec<Path> {
        let gone = |path: &Path| {
            let mut clauses = self.clauses.iter().filter(|(other, _)| other == path);
            clauses.any(|(_, action)| {
                let place = path.place(before);
                matches!(effect(action, &place, before), Ok(Effect::Remove))
            })
        };
        let targets = self.touched_before();
        let moved = |path: &Path| {
            let mut steps = Vec::new();
            for (depth, step) in path.0.iter().enumerate() {
                let list = path.0.get(..depth).unwrap_or_default();
                steps.push(match step {
                    Step::Name(name) => Step::Name(name.clone()),
                    Step::Index(index) => {
                        Step::Index(position(list, *index, before, &targets, gone))
                    }
                });
            }
            Path(steps)
        };
        targets.iter().filter(|path| !gone(path)).map(moved).collect()
    }
}

/// Where the element of an index is after the update, in the list at those steps.
fn position(
    list: &[Step],
    index: usize,
    before: &Item,
    targets: &[Path],
    gone: impl Fn(&Path) -> bool,
) -> usize {
    let length = match Path(list.to_vec()).get(before) {
        Some(Value::L(elements)) => elements.len(),
        _ => 0,
    };
    let element = |index: usize| Path(list.iter().cloned().chain([Step::Index(index)]).collect());
    let removed = (0..index.min(length)).filter(|&i| gone(&element(i))).count();
    let appended = (length..index).filter(|&i| targets.contains(&element(i))).count();
    index.min(length) + appended - removed
}

fn effect(action: &Action, place: &Place, read: &Item) -> Result<Effect, BTreeSet<Fault>> {
    let old = match place {
        Place::Taken(value) => Some(*value),
        Place::Free | Place::Nowhere => None,
    };
    let one = |fault| BTreeSet::from([fault]);
    match action {
        Action::Set(value) => value.value(read).map(Effect::Write),
        Action::Remove if old.is_some() => Ok(Effect::Remove),
        Action::Remove => Ok(Effect::Nothing),
        Action::Add(more) => added(old, more).map(Effect::Write).map_err(one),
        Action::Delete(less) => without(old, less).map_err(one),
    }
}

fn write(item: &mut Item, path: &Path, value: Value) {
    match path.holder_mut(item) {
        Some((Holder::Map(map), Step::Name(name))) => {
            map.insert(name.clone(), value);
        }
        Some((Holder::List(list), Step::Index(index))) => match list.get_mut(*index) {
            Some(element) => *element = value,
            None => list.push(value),
        },
        _ => {}
    }
}

fn remove(item: &mut Item, path: &Path) {
    match path.holder_mut(item) {
        Some((Holder::Map(map), Step::Name(name))) => {
            map.remove(name);
        }
        Some((Holder::List(list), Step::Index(index))) if *index < list.len() => {
            list.remove(*index);
        }
        _ => {}
    }
}

#[cfg(test)]
#[path = "update_tests.rs"]
mod tests;

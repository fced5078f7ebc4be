//! Random updates. None is refused for its form.

use super::{
    paths,
    values::{favourite, kind, pick, value},
};
use crate::{
    model::{
        path::{Path, Place},
        table::INDEX_KEYS,
        update::{Action, NewValue, Source, Update},
        value::{Item, Kind, Value},
    },
    random::Random,
};

/// An update of one to five places; at times of none.
pub fn update(random: &mut Random, item: &Item) -> Update {
    let mut update = Update::default();
    let mut index_key = random.percent(20);
    for _ in 0..random.between(0, 6) {
        let (path, action) =
            if index_key { of_index_key(random, item) } else { clause(random, item) };
        index_key = false;
        if update.clauses.iter().all(|(other, _)| !other.clashes(&path)) {
            update.clauses.push((path, action));
        }
    }
    update
}

fn clause(random: &mut Random, item: &Item) -> (Path, Action) {
    let path = paths::ordinary(random, item);
    let old = path.get(item);
    let action = match random.between(0, 100) {
        0..55 => Action::Set(new_value(random, item, &path)),
        55..72 => Action::Remove,
        72..88 => Action::Add(operand(random, old, &[Kind::N, Kind::Ss, Kind::Ns, Kind::Bs])),
        // What is taken from a place that cannot be is nowhere described.
        _ if path.place(item) == Place::Nowhere => Action::Remove,
        _ => Action::Delete(operand(random, old, &[Kind::Ss, Kind::Ns, Kind::Bs])),
    };
    (path, action)
}

/// A value for ADD or DELETE, mostly one that fits.
fn operand(random: &mut Random, old: Option<&Value>, kinds: &[Kind]) -> Value {
    let kind = match old.map(Value::kind) {
        Some(kind) if kinds.contains(&kind) && random.percent(85) => kind,
        _ => pick(random, kinds).copied().unwrap_or(Kind::Ss),
    };
    match old {
        // All of it, so that nothing is left.
        Some(old) if old.kind() == kind && kind != Kind::N && random.percent(20) => old.clone(),
        _ => value(random, kind),
    }
}

/// The key of an index: given another value of its type, taken away, or set to whatever another
/// attribute has.
fn of_index_key(random: &mut Random, item: &Item) -> (Path, Action) {
    let (name, kind, _) = pick(random, &INDEX_KEYS).copied().unwrap_or(("gpk", Kind::S, ""));
    let path = Path::top(name);
    let mut fresh = value(random, kind);
    if fresh == Value::S(String::new()) {
        fresh = Value::S("g".to_owned());
    }
    let plain = |source| Action::Set(NewValue::Plain(source));
    let action = match random.between(0, 10) {
        0..4 => plain(Source::Value(fresh)),
        4..6 => Action::Remove,
        6 => plain(Source::IfNotExists(path.clone(), Box::new(Source::Value(fresh)))),
        7 if kind == Kind::N => Action::Add(fresh),
        8 if kind == Kind::N => {
            Action::Set(NewValue::Sum(Source::Path(path.clone()), Source::Value(fresh)))
        }
        _ => plain(Source::Path(paths::ordinary(random, item))),
    };
    (path, action)
}

fn new_value(random: &mut Random, item: &Item, target: &Path) -> NewValue {
    let old = target.get(item).map(Value::kind);
    let mostly = old.or_else(|| favourite(target.root()).filter(|_| target.0.len() == 1));
    match (mostly, random.between(0, 10)) {
        (Some(Kind::N), 0..6) | (_, 0) => {
            let left = number(random, item, target);
            let right = number(random, item, target);
            if random.percent(60) {
                NewValue::Sum(left, right)
            } else {
                NewValue::Difference(left, right)
            }
        }
        (Some(Kind::L), 0..6) | (_, 1) => NewValue::Plain(appended(random, item, target)),
        (_, 6) => NewValue::Plain(Source::Path(paths::readable_of_item(random, item))),
        (_, 7) => {
            let path = path_of(random, item, target);
            let fallback = paths::ordinary(random, item);
            // Whether a fallback that is not needed has to be there is nowhere said.
            let other = match fallback.get(item) {
                Some(_) if random.percent(30) => Source::Path(fallback),
                _ => {
                    let kind = kind(random, mostly);
                    Source::Value(value(random, kind))
                }
            };
            NewValue::Plain(Source::IfNotExists(path, Box::new(other)))
        }
        _ => {
            let kind = kind(random, mostly);
            NewValue::Plain(Source::Value(value(random, kind)))
        }
    }
}

/// The target itself or any other path.
fn path_of(random: &mut Random, item: &Item, target: &Path) -> Path {
    if random.percent(60) { target.clone() } else { paths::ordinary(random, item) }
}

fn number(random: &mut Random, item: &Item, target: &Path) -> Source {
    let literal = |random: &mut Random| Source::Value(value(random, Kind::N));
    match random.between(0, 10) {
        0..5 => literal(random),
        5..8 => Source::Path(path_of(random, item, target)),
        _ => {
            let path = path_of(random, item, target);
            Source::IfNotExists(path, Box::new(literal(random)))
        }
    }
}

fn appended(random: &mut Random, item: &Item, target: &Path) -> Source {
    let part = |random: &mut Random| match random.between(0, 10) {
        0..4 => Source::Value(value(random, Kind::L)),
        4..8 => Source::Path(path_of(random, item, target)),
        _ => {
            let other = Source::Value(value(random, Kind::L));
            Source::IfNotExists(path_of(random, item, target), Box::new(other))
        }
    };
    let (first, second) = (part(random), part(random));
    Source::ListAppend(Box::new(first), Box::new(second))
}

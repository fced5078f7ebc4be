//! Random conditions. None is refused for its form: that is for tests of the server's texts.

use super::{
    paths,
    values::{favourite, kind, pick, value},
};
use crate::{
    model::{
        condition::{Comparator, Condition, Operand},
        decimal::Decimal,
        path::Path,
        value::{Item, Kind, Value},
    },
    random::Random,
};

/// A condition, often one about what the item has.
pub fn condition(random: &mut Random, item: &Item, depth: usize) -> Condition {
    if depth < 3 && random.percent(35) {
        let mut part = || Box::new(condition(random, item, depth + 1));
        let (left, right) = (part(), part());
        return match random.between(0, 5) {
            0..2 => Condition::And(left, right),
            2..4 => Condition::Or(left, right),
            _ => Condition::Not(left),
        };
    }
    let path = paths::readable(random, item);
    match random.between(0, 100) {
        0..45 => comparison(random, item, path),
        45..55 => between(random, item, path),
        55..63 => {
            let count = random.between(1, 5);
            let first = first(random, path.clone());
            let others = (0..count).map(|_| other(random, item, &path, any));
            Condition::In(first, others.collect())
        }
        63..72 => Condition::Exists(path),
        72..81 => Condition::NotExists(path),
        81..86 => {
            let mostly = path.get(item).map(Value::kind);
            Condition::Type(path, kind(random, mostly))
        }
        86..92 => {
            let start = other(random, item, &path, |random, near| match near {
                Some(Value::S(text)) if random.percent(60) => {
                    let length = random.between(0, 3) as usize;
                    Value::S(text.chars().take(length).collect())
                }
                Some(Value::B(bytes)) if random.percent(60) => {
                    let length = random.between(0, 3) as usize;
                    Value::B(bytes.iter().take(length).copied().collect())
                }
                _ => {
                    let kind = if random.percent(70) { Kind::S } else { Kind::B };
                    value(random, kind)
                }
            });
            Condition::BeginsWith(Operand::Path(path), start)
        }
        _ => {
            let part = other(random, item, &path, |random, near| match near {
                Some(Value::L(list)) if random.percent(60) => {
                    pick(random, list).cloned().unwrap_or(Value::Null)
                }
                Some(Value::Ns(_)) => value(random, Kind::N),
                Some(Value::Bs(_) | Value::B(_)) => value(random, Kind::B),
                Some(Value::Ss(_) | Value::S(_)) => value(random, Kind::S),
                _ => {
                    let kind = kind(random, None);
                    value(random, kind)
                }
            });
            Condition::Contains(Operand::Path(path), part)
        }
    }
}

fn comparison(random: &mut Random, item: &Item, path: Path) -> Condition {
    let comparator = pick(random, &Comparator::ALL).copied().unwrap_or(Comparator::Equal);
    let left = first(random, path.clone());
    // That a size of something without one is unequal to a value is nowhere said, nor denied.
    let comparator = match (&left, comparator) {
        (Operand::Size(_), Comparator::NotEqual) => Comparator::Equal,
        _ => comparator,
    };
    let literal = if comparator.orders() { ordered } else { any };
    let right = match &left {
        Operand::Size(_) => Operand::Value(Value::N(Decimal::new(random.between(0, 5).into(), 0))),
        _ => other(random, item, &path, literal),
    };
    match right {
        Operand::Value(_) if random.percent(15) => Condition::Compare(right, comparator, left),
        _ => Condition::Compare(left, comparator, right),
    }
}

fn between(random: &mut Random, item: &Item, path: Path) -> Condition {
    let operand = first(random, path.clone());
    let mut low = ordered(random, path.get(item));
    let mut high = value(random, low.kind());
    if matches!(operand, Operand::Size(_)) {
        low = Value::N(Decimal::new(random.between(0, 3).into(), 0));
        high = Value::N(Decimal::new(random.between(1, 6).into(), 0));
    }
    let wrong_way = match (&low, &high) {
        (Value::S(low), Value::S(high)) => low > high,
        (Value::N(low), Value::N(high)) => low > high,
        (Value::B(low), Value::B(high)) => low > high,
        _ => false,
    };
    if wrong_way {
        (low, high) = (high, low);
    }
    let (low, high) = (Operand::Value(low), Operand::Value(high));
    let bound = paths::readable(random, item);
    match random.between(0, 10) {
        0 if bound != path => Condition::Between(operand, Operand::Path(bound), high),
        1 if bound != path => Condition::Between(operand, low, Operand::Path(bound)),
        _ => Condition::Between(operand, low, high),
    }
}

/// The operand that a test is about.
fn first(random: &mut Random, path: Path) -> Operand {
    if random.percent(15) { Operand::Size(path) } else { Operand::Path(path) }
}

/// An operand that the first is held against: another path, or a value like the first's.
fn other(
    random: &mut Random,
    item: &Item,
    first: &Path,
    literal: fn(&mut Random, Option<&Value>) -> Value,
) -> Operand {
    let path = paths::readable(random, item);
    if random.percent(20) && path != *first {
        return Operand::Path(path);
    }
    let near = first.get(item);
    match (near, favourite(first.root())) {
        (None, Some(kind)) if random.percent(50) => {
            let value = value(random, kind);
            Operand::Value(literal(random, Some(&value)))
        }
        _ => Operand::Value(literal(random, near)),
    }
}

/// A value, often that one, or one of its type.
fn any(random: &mut Random, near: Option<&Value>) -> Value {
    match near {
        Some(near) if random.percent(40) => near.clone(),
        _ => {
            let kind = kind(random, near.map(Value::kind));
            value(random, kind)
        }
    }
}

/// Likewise, of a type that has an order.
fn ordered(random: &mut Random, near: Option<&Value>) -> Value {
    const ORDERED: [Kind; 3] = [Kind::S, Kind::N, Kind::B];
    match near {
        Some(near) if ORDERED.contains(&near.kind()) => {
            if random.percent(30) {
                near.clone()
            } else {
                value(random, near.kind())
            }
        }
        _ => {
            let kind = pick(random, &ORDERED).copied().unwrap_or(Kind::S);
            value(random, kind)
        }
    }
}

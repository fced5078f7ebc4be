//! Keys that all clients write to at once. What they do there gives the same in any order, so that
//! the end result is known exactly although nobody knows the way there.

use super::{
    answer::Expected,
    condition::{Comparator, Condition, Operand},
    decimal::Decimal,
    operation::{Deed, Operation, Returned},
    path::Path,
    table,
    update::{Action, NewValue, Source, Update},
    value::{Item, Value},
};
use crate::random::Random;
use std::collections::{BTreeMap, BTreeSet};

/// How many shared keys there are.
const KEYS: u64 = 4;
/// Elements of sets that a client has of its own.
const ELEMENTS: u64 = 12;
const NEVER: &str = "never";

/// What one client did to one shared key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Share {
    count: Decimal,
    sort: Decimal,
    tags: BTreeSet<String>,
    /// It did more than take away, so that there is an item.
    made: bool,
    /// It added to the counter, if only nothing.
    counted: bool,
    /// It put the item into the indexes.
    indexed: bool,
}

impl Default for Share {
    fn default() -> Share {
        let zero = Decimal::new(0, 0);
        Share {
            count: zero.clone(),
            sort: zero,
            tags: BTreeSet::new(),
            made: false,
            counted: false,
            indexed: false,
        }
    }
}

/// What one client did to all of them.
pub type Shares = BTreeMap<u64, Share>;

/// The key of that number.
pub fn key(number: u64) -> Item {
    table::key("shared", &format!("key-{number}"))
}

/// All keys.
pub fn keys() -> impl Iterator<Item = u64> {
    0..KEYS
}

/// An operation of a client on a shared key, which is noted.
pub fn operation(random: &mut Random, client: u32, shares: &mut Shares) -> Operation {
    let number = random.between(0, KEYS);
    let share = shares.entry(number).or_default();
    let tag = format!("client-{client}-{}", random.between(0, ELEMENTS));
    let tags = Value::Ss(BTreeSet::from([tag.clone()]));
    let amount = Decimal::new(random.between(0, 20_001) as i128 - 10_000, -2);
    let text = |text: &str| Source::Value(Value::S(text.to_owned()));
    let set = |source| Action::Set(NewValue::Plain(source));
    let clauses = match random.between(0, 10) {
        0..4 => {
            share.count = share.count.plus(&amount);
            share.counted = true;
            share.made = true;
            vec![("hits", Action::Add(Value::N(amount)))]
        }
        4..6 => {
            share.sort = share.sort.plus(&amount);
            share.made = true;
            share.indexed = true;
            let sort = Source::Value(Value::N(Decimal::new(5, 0)));
            vec![
                ("gpk", set(text("shared"))),
                ("gsk", Action::Add(Value::N(amount))),
                ("lsk", set(sort)),
            ]
        }
        6..8 => {
            share.tags.insert(tag);
            share.made = true;
            vec![("tags", Action::Add(tags))]
        }
        _ => {
            share.tags.remove(&tag);
            vec![("tags", Action::Delete(tags))]
        }
    };
    let clauses = clauses.into_iter().map(|(name, action)| (Path::top(name), action)).collect();
    Operation {
        key: key(number),
        deed: Deed::Update(Update { clauses }),
        condition: random.percent(60).then(|| always(random)),
        returned: Returned::None,
        item_on_failure: random.percent(50),
        cost: None,
    }
}

/// A condition that has to be evaluated and cannot fail.
fn always(random: &mut Random) -> Condition {
    let never = Path::top(NEVER);
    let count = Path::top("hits");
    match random.between(0, 3) {
        0 => Condition::NotExists(never),
        1 => Condition::Or(
            Box::new(Condition::Exists(count.clone())),
            Box::new(Condition::NotExists(count)),
        ),
        _ => {
            let text = Operand::Value(Value::S("x".to_owned()));
            Condition::Compare(Operand::Path(never), Comparator::NotEqual, text)
        }
    }
}

/// The only answer to such an operation.
pub fn expected() -> Expected {
    Expected::Done { member: None, cost: None }
}

/// The item that all clients together have made of a shared key.
pub fn end_result(number: u64, clients: &[Shares]) -> Option<Item> {
    let shares: Vec<&Share> = clients.iter().filter_map(|shares| shares.get(&number)).collect();
    let sum = |part: fn(&Share) -> &Decimal| {
        shares.iter().fold(Decimal::new(0, 0), |sum, share| sum.plus(part(share)))
    };
    if !shares.iter().any(|share| share.made) {
        return None;
    }
    let mut item = key(number);
    if shares.iter().any(|share| share.indexed) {
        item.insert("gpk".to_owned(), Value::S("shared".to_owned()));
        item.insert("gsk".to_owned(), Value::N(sum(|share| &share.sort)));
        item.insert("lsk".to_owned(), Value::N(Decimal::new(5, 0)));
    }
    if shares.iter().any(|share| share.counted) {
        item.insert("hits".to_owned(), Value::N(sum(|share| &share.count)));
    }
    let tags: BTreeSet<String> = shares.iter().flat_map(|share| share.tags.clone()).collect();
    if !tags.is_empty() {
        item.insert("tags".to_owned(), Value::Ss(tags));
    }
    Some(item)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In whatever order the clients come, the evaluator gets to the same item.
    #[test]
    fn the_end_does_not_depend_on_the_order() {
        let mut clients = vec![Shares::new(); 3];
        let mut done = Vec::new();
        for (client, shares) in clients.iter_mut().enumerate() {
            let mut random = Random::new(client as u64);
            done.push(
                (0..60).map(|_| operation(&mut random, client as u32, shares)).collect::<Vec<_>>(),
            );
        }
        let one_by_one: Vec<Operation> = done.concat();
        let in_turn: Vec<Operation> =
            (0..60).flat_map(|n| done.iter().map(move |list| list[n].clone())).collect();
        for order in [one_by_one, in_turn] {
            let mut items: BTreeMap<String, Item> = BTreeMap::new();
            for operation in order {
                let name = format!("{:?}", operation.key);
                let prediction = operation.predict(items.get(&name));
                assert_eq!(prediction.answer, expected());
                match prediction.after {
                    Some(item) => items.insert(name, item),
                    None => items.remove(&name),
                };
            }
            for number in keys() {
                let found = items.get(&format!("{:?}", key(number)));
                assert_eq!(found, end_result(number, &clients).as_ref());
            }
        }
    }
}

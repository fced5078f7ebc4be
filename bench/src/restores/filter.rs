//! Which items a restore is to take, as the server is told and as the model sees it.

use super::table::{BY, Item, Items, Key, OWN, RANK, SHARED, TEAM, number_of, text_of};
use crate::random::Random;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// A filter; all that is given must hold.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Filter {
    /// What the partition key begins with.
    pub prefix: Option<String>,
    /// What must hold for the item.
    pub condition: Option<Condition>,
    /// The keys.
    pub keys: Option<BTreeSet<Key>>,
}

/// A condition.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition {
    /// The team is this one.
    Team(String),
    /// The rank is below this one.
    RankBelow(u64),
    /// The sort key begins so.
    Sort(String),
    /// The last write was an odd one, or there is no team.
    HasNoTeam,
    /// Both.
    Both(Box<Condition>, Box<Condition>),
}

impl Condition {
    fn choose(random: &mut Random, deep: bool) -> Condition {
        match random.between(0, if deep { 5 } else { 4 }) {
            0 => Condition::Team(format!("T#{}", random.between(0, 9))),
            1 => Condition::RankBelow(random.between(0, 100)),
            2 => Condition::Sort(format!("S#{}", random.between(0, 5))),
            3 => Condition::HasNoTeam,
            _ => {
                let [one, two] = [0, 1].map(|_| Box::new(Condition::choose(random, false)));
                Condition::Both(one, two)
            }
        }
    }

    fn text(&self) -> String {
        match self {
            Condition::Team(team) => format!("\"{TEAM}\" = '{team}'"),
            Condition::RankBelow(rank) => format!("\"{RANK}\" < {rank}"),
            Condition::Sort(prefix) => format!("begins_with(sk, '{prefix}')"),
            Condition::HasNoTeam => format!("\"{TEAM}\" IS MISSING AND \"{BY}\" IS NOT MISSING"),
            Condition::Both(one, two) => format!("({}) AND ({})", one.text(), two.text()),
        }
    }

    fn holds(&self, item: &Item) -> bool {
        match self {
            Condition::Team(team) => text_of(item, TEAM) == Some(team),
            Condition::RankBelow(rank) => number_of(item, RANK).is_some_and(|found| found < *rank),
            Condition::Sort(prefix) => {
                text_of(item, "sk").is_some_and(|sk| sk.starts_with(prefix.as_str()))
            }
            Condition::HasNoTeam => !item.contains_key(TEAM) && item.contains_key(BY),
            Condition::Both(one, two) => one.holds(item) && two.holds(item),
        }
    }
}

impl Filter {
    /// A filter of the whole table.
    pub fn choose(random: &mut Random) -> Filter {
        let prefix = match random.between(0, 4) {
            0 => None,
            1 => Some(OWN.to_owned()),
            _ => Some(format!("{SHARED}{}", random.between(1, 10))),
        };
        let some = prefix.is_none() || random.percent(50);
        Filter { prefix, condition: some.then(|| Condition::choose(random, true)), keys: None }
    }

    /// A filter that takes nothing but what one client owns.
    pub fn choose_own(random: &mut Random, keys: u64) -> Filter {
        let condition = random.percent(50).then(|| Condition::choose(random, true));
        if random.percent(25) {
            let count = random.between(1, 9);
            let keys = (0..count).map(|_| Key::new(OWN, random.between(0, keys)));
            return Filter { prefix: None, condition, keys: Some(keys.collect()) };
        }
        let part = random.percent(50).then(|| random.between(1, 10).to_string());
        let prefix = Some(format!("{OWN}{}", part.unwrap_or_default()));
        Filter { prefix, condition, keys: None }
    }

    /// Adds itself to a request.
    pub fn add_to(&self, request: &mut Map<String, Value>) {
        if let Some(prefix) = &self.prefix {
            request.insert("PartitionKeyPrefix".to_owned(), prefix.as_str().into());
        }
        if let Some(condition) = &self.condition {
            request.insert("Condition".to_owned(), condition.text().into());
        }
        if let Some(keys) = &self.keys {
            let keys: Vec<Item> = keys.iter().map(Key::item).collect();
            request.insert("Keys".to_owned(), json!(keys));
        }
    }

    /// Whether an item is meant.
    pub fn takes(&self, key: &Key, item: &Item) -> bool {
        self.prefix.as_ref().is_none_or(|prefix| key.pk.starts_with(prefix.as_str()))
            && self.condition.as_ref().is_none_or(|condition| condition.holds(item))
            && self.keys.as_ref().is_none_or(|keys| keys.contains(key))
    }

    /// The items that are meant.
    pub fn part(&self, items: &Items) -> Items {
        let taken = items.iter().filter(|(key, item)| self.takes(key, item));
        taken.map(|(key, item)| (key.clone(), item.clone())).collect()
    }

    /// What putting items back changes, with what each becomes.
    pub fn changes(&self, now: &Items, then: &Items) -> BTreeMap<Key, Option<Item>> {
        let keys: BTreeSet<&Key> = now.keys().chain(then.keys()).collect();
        let mut changes = BTreeMap::new();
        for key in keys {
            let (is, was) = (now.get(key), then.get(key));
            // It is asked of the item as it was, or as it is if it was not there.
            if is != was && was.or(is).is_some_and(|item| self.takes(key, item)) {
                changes.insert(key.clone(), was.cloned());
            }
        }
        changes
    }
}

#[cfg(test)]
#[path = "filter_tests.rs"]
mod tests;

//! Parsed expressions and statements kept for the next request with the same text.
//!
//! Each shard keeps two generations. What is asked for moves to the young one; when that is full it
//! becomes the old one, and what was old and not asked for since is gone.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::partiql::{StatementError, StatementSyntax};
use crate::{
    ConditionSyntax, ExpressionError, KeyConditionSyntax, Kind, ProjectionSyntax, UpdateSyntax,
};

const SHARDS: usize = 8;

/// What an entry costs besides its text, and what a byte of text costs once it is a tree: rough
/// upper bounds of what the allocator is asked for.
const ENTRY_COST: usize = 512;
const BYTE_COST: usize = 48;

/// A bounded cache of parsed expressions that threads can share. Only what parses is kept.
#[derive(Debug)]
pub struct Cache {
    conditions: Shards<ConditionSyntax>,
    filters: Shards<ConditionSyntax>,
    key_conditions: Shards<KeyConditionSyntax>,
    projections: Shards<ProjectionSyntax>,
    updates: Shards<UpdateSyntax>,
    statements: Shards<StatementSyntax>,
}

impl Cache {
    /// A cache that keeps at most about that many expressions of each kind, in at most about that
    /// many bytes for each kind.
    pub fn new(entries: usize, bytes: usize) -> Cache {
        Cache {
            conditions: Shards::new(entries, bytes),
            filters: Shards::new(entries, bytes),
            key_conditions: Shards::new(entries, bytes),
            projections: Shards::new(entries, bytes),
            updates: Shards::new(entries, bytes),
            statements: Shards::new(entries, bytes),
        }
    }

    /// The tree of a `ConditionExpression`.
    pub fn condition(&self, text: &str) -> Result<Arc<ConditionSyntax>, ExpressionError> {
        self.conditions.get(text, |text| ConditionSyntax::parse(Kind::Condition, text))
    }

    /// The tree of a `FilterExpression`.
    pub fn filter(&self, text: &str) -> Result<Arc<ConditionSyntax>, ExpressionError> {
        self.filters.get(text, |text| ConditionSyntax::parse(Kind::Filter, text))
    }

    /// The tree of a `KeyConditionExpression`.
    pub fn key_condition(&self, text: &str) -> Result<Arc<KeyConditionSyntax>, ExpressionError> {
        self.key_conditions.get(text, KeyConditionSyntax::parse)
    }

    /// The tree of a `ProjectionExpression`.
    pub fn projection(&self, text: &str) -> Result<Arc<ProjectionSyntax>, ExpressionError> {
        self.projections.get(text, ProjectionSyntax::parse)
    }

    /// The tree of an `UpdateExpression`.
    pub fn update(&self, text: &str) -> Result<Arc<UpdateSyntax>, ExpressionError> {
        self.updates.get(text, UpdateSyntax::parse)
    }

    /// The tree of a PartiQL statement.
    pub fn statement(&self, text: &str) -> Result<Arc<StatementSyntax>, StatementError> {
        self.statements.get(text, StatementSyntax::parse)
    }
}

#[derive(Debug)]
struct Shards<T> {
    hasher: RandomState,
    shards: Vec<Mutex<Generations<T>>>,
}

impl<T> Shards<T> {
    fn new(entries: usize, bytes: usize) -> Shards<T> {
        let shard = || Mutex::new(Generations::new(entries / SHARDS, bytes / SHARDS));
        Shards {
            hasher: RandomState::new(),
            shards: std::iter::repeat_with(shard).take(SHARDS).collect(),
        }
    }

    fn get<E>(&self, text: &str, parse: impl Fn(&str) -> Result<T, E>) -> Result<Arc<T>, E> {
        if let Some(tree) = self.shard(text).and_then(|mut shard| shard.find(text)) {
            return Ok(tree);
        }
        // Parsed without the lock: two threads may both do it, none waits for the other.
        let tree = Arc::new(parse(text)?);
        if let Some(mut shard) = self.shard(text) {
            shard.keep(text.into(), tree.clone());
        }
        Ok(tree)
    }

    fn shard(&self, text: &str) -> Option<MutexGuard<'_, Generations<T>>> {
        let hash = self.hasher.hash_one(text) as usize;
        let shard = self.shards.get(hash % SHARDS)?;
        // A panic elsewhere cannot leave a map half changed in a way that matters here.
        Some(shard.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[derive(Debug)]
struct Generations<T> {
    young: HashMap<Box<str>, Arc<T>>,
    old: HashMap<Box<str>, Arc<T>>,
    young_bytes: usize,
    max_entries: usize,
    max_bytes: usize,
}

impl<T> Generations<T> {
    /// Two generations that together keep to the limits.
    fn new(entries: usize, bytes: usize) -> Generations<T> {
        Generations {
            young: HashMap::new(),
            old: HashMap::new(),
            young_bytes: 0,
            max_entries: entries / 2,
            max_bytes: bytes / 2,
        }
    }

    fn find(&mut self, text: &str) -> Option<Arc<T>> {
        if let Some(tree) = self.young.get(text) {
            return Some(tree.clone());
        }
        let (text, tree) = self.old.remove_entry(text)?;
        self.keep(text, tree.clone());
        Some(tree)
    }

    fn keep(&mut self, text: Box<str>, tree: Arc<T>) {
        let cost = ENTRY_COST + BYTE_COST * text.len();
        if cost > self.max_bytes || self.max_entries == 0 {
            return;
        }
        if self.young.contains_key(&text) {
            return;
        }
        if self.young.len() >= self.max_entries || self.young_bytes + cost > self.max_bytes {
            self.old = std::mem::take(&mut self.young);
            self.young_bytes = 0;
        }
        self.young_bytes += cost;
        self.young.insert(text, tree);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(shards: &Shards<ProjectionSyntax>) -> usize {
        let counts = shards.shards.iter().map(|shard| {
            let shard = shard.lock().unwrap();
            shard.young.len() + shard.old.len()
        });
        counts.sum()
    }

    #[test]
    fn trees_are_shared() {
        let cache = Cache::new(1000, 1 << 20);
        let first = cache.condition("a = :a").unwrap();
        assert!(Arc::ptr_eq(&first, &cache.condition("a = :a").unwrap()));
        let filter = cache.filter("a = :a").unwrap();
        assert!(!Arc::ptr_eq(&first, &filter));
        let filter = filter.bind(&mut crate::Placeholders::default());
        assert!(filter.unwrap_err().to_string().starts_with("Invalid FilterExpression: "));
        assert!(cache.update("SET a = :a").is_ok());
        assert!(cache.key_condition("a = :a").is_ok());
    }

    #[test]
    fn errors_are_not_kept() {
        let cache = Cache::new(1000, 1 << 20);
        assert!(cache.projection("a,").is_err());
        assert_eq!(kept(&cache.projections), 0);
    }

    #[test]
    fn entries_are_bounded() {
        let cache = Cache::new(160, 1 << 30);
        for number in 0..10_000 {
            cache.projection(&format!("a{number}")).unwrap();
        }
        assert!(kept(&cache.projections) <= 160);
        assert!(kept(&cache.projections) >= 80);
    }

    #[test]
    fn bytes_are_bounded() {
        let cache = Cache::new(1 << 20, 8 * 1024 * BYTE_COST);
        for number in 0..1_000 {
            let text = format!("a{number}{}", "x".repeat(200));
            cache.projection(&text).unwrap();
        }
        let kept = kept(&cache.projections);
        assert!(kept > 0 && kept * 200 < 8 * 1024, "{kept}");
    }

    #[test]
    fn what_is_asked_for_stays() {
        let cache = Cache::new(160, 1 << 30);
        let hot = cache.projection("hot").unwrap();
        for number in 0..1_000 {
            cache.projection(&format!("a{number}")).unwrap();
            assert!(Arc::ptr_eq(&hot, &cache.projection("hot").unwrap()));
        }
    }

    #[test]
    fn threads_may_share_it() {
        fn shared<T: Send + Sync>() {}
        shared::<Cache>();
        shared::<crate::Condition>();
        shared::<crate::Update>();
    }
}

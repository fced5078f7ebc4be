//! Every change in the logs: it can be read, and lies between the beginning and the end of its shard.

use super::{Known, Verifier, records::all, shards::place};
use crate::{
    error::EngineError,
    keys::{self, Key, ShardNumber, TableNumber},
    log::Change,
};
use std::collections::BTreeSet;
use value::codec;

impl Verifier<'_> {
    pub(super) async fn changes(&mut self, known: &mut Known) -> Result<(), EngineError> {
        let newest = self.snapshot.version();
        let mut unknown = BTreeSet::new();
        self.each("changes", all(keys::CHANGE), |verifier, key, value| {
            let (Some((table, number)), Some(position)) = (shard(key), Key::position(key)) else {
                return verifier.strange(key);
            };
            verifier.summary.changes += 1;
            *known.changes.entry(table).or_default() += 1;
            let Some(shard) = known.shards.get(&(table, number)) else {
                if unknown.insert((table, number)) {
                    verifier.found(place(table, number), "it has changes, but no record");
                }
                return;
            };
            let at = format!(
                "{}, change {}.{}",
                place(table, number),
                position.version,
                position.ordinal
            );
            if position < shard.opened || shard.closed.is_some_and(|closed| position >= closed) {
                verifier.found(&at, "it is not between the beginning and the end of its shard");
            }
            if position.version > newest {
                verifier.found(&at, format!("it is from after the last commit, {newest}"));
            }
            let read = Change::decode(value).and_then(|change| {
                for image in change.old.iter().chain(&change.new) {
                    codec::decode(image)?;
                }
                Ok(())
            });
            if let Err(error) = read {
                verifier.found(at, format!("it cannot be read: {error}"));
            }
        })
        .await
    }
}

fn shard(key: &[u8]) -> Option<(TableNumber, ShardNumber)> {
    let number = key.get(5..9)?.try_into().ok().map(ShardNumber::from_be_bytes)?;
    Some((super::records::table_of(key)?, number))
}

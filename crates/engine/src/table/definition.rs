//! The definition of a table. Every field is part of the catalogue's record:
//! new ones need a default, so that records of earlier versions still read.

use super::{KeySchema, Status};
use crate::{
    environment::Moment,
    keys::{IndexNumber, ShardNumber, TableNumber},
};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, time::Duration};

/// Whose a table is; part of its ARN.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    /// The region it was created in.
    pub region: String,
    /// The twelve digits of the account.
    pub account: String,
}

impl Owner {
    /// The ARN of a table of this name.
    pub fn table_arn(&self, name: &str) -> String {
        let Owner { region, account } = self;
        format!("arn:aws:dynamodb:{region}:{account}:table/{name}")
    }
}

/// A table's definition.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// Its number in keys.
    pub number: TableNumber,
    /// Its name.
    pub name: String,
    /// Its UUID, new for every table.
    pub uuid: String,
    /// Whose it is.
    pub owner: Owner,
    /// When it was created.
    pub created: Moment,
    /// Where it is in its life.
    pub status: Status,
    /// Its primary key.
    pub key: KeySchema,
    /// Its local secondary indexes.
    pub locals: Vec<LocalIndex>,
    /// Its global secondary indexes.
    pub globals: Vec<GlobalIndex>,
    /// The number the next index gets.
    pub next_index: IndexNumber,
    /// How it is paid for.
    pub billing: BillingMode,
    /// When it last became on-demand; kept after a change back.
    pub on_demand_since: Option<Moment>,
    /// Provisioned throughput; zero while on-demand.
    pub provisioned: Provisioned,
    /// Ceilings for on-demand throughput.
    pub on_demand: Option<OnDemand>,
    /// Warm throughput, if it was asked for.
    pub warm: Option<Warm>,
    /// The latest stream, enabled or not.
    pub stream: Option<Stream>,
    /// Encryption with a key of one's own.
    pub encryption: Option<Encryption>,
    /// The class, once it was set.
    pub class: Option<TableClass>,
    /// When the class was changed last.
    pub class_changed: Option<Moment>,
    /// Whether DeleteTable is refused.
    pub deletion_protection: bool,
    /// Tags, by key.
    pub tags: BTreeMap<String, String>,
    /// The resource policy.
    pub policy: Option<Policy>,
    /// Time to live.
    pub time_to_live: Option<TimeToLive>,
    /// Point-in-time recovery, if it is on.
    pub recovery: Option<Recovery>,
    /// The shards of the change log that take changes; none if nobody needs its history.
    #[serde(default)]
    pub shards: Vec<OpenShard>,
    /// The number the next shard gets.
    #[serde(default)]
    pub next_shard: ShardNumber,
    /// What it was restored from, if it was.
    #[serde(default)]
    pub restored: Option<Restored>,
}

/// What a table was restored from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Restored {
    /// The ARN of the backup, if it was one.
    pub backup: Option<String>,
    /// The ARN of the table.
    pub table: Option<String>,
    /// The moment as of which it was restored.
    pub moment: Moment,
    /// Whether that is not done yet.
    pub in_progress: bool,
}

/// A shard that takes the changes of some partition keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenShard {
    /// Its number in keys.
    pub number: ShardNumber,
    /// The first hash of a partition key that belongs here.
    pub first: u16,
    /// The last one.
    pub last: u16,
    /// The shard that took these changes before.
    pub parent: Option<ShardNumber>,
    /// When it was opened.
    pub opened: Moment,
}

/// A local secondary index.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LocalIndex {
    /// Its number in keys.
    pub number: IndexNumber,
    /// Its name.
    pub name: String,
    /// Its key: the table's partition attribute and another sort attribute.
    pub key: KeySchema,
    /// What it stores.
    pub projection: Projection,
}

/// A global secondary index.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GlobalIndex {
    /// Its number in keys.
    pub number: IndexNumber,
    /// Its name.
    pub name: String,
    /// Its key.
    pub key: KeySchema,
    /// What it stores.
    pub projection: Projection,
    /// Provisioned throughput; zero while the table is on-demand.
    pub provisioned: Provisioned,
    /// Ceilings for on-demand throughput.
    pub on_demand: Option<OnDemand>,
    /// Warm throughput, if it was asked for.
    pub warm: Option<Warm>,
    /// Where it is in its life.
    #[serde(default)]
    pub state: IndexState,
}

impl GlobalIndex {
    /// Whether its deletion is over, so that it only waits to be swept away.
    pub fn is_over(&self, now: Moment) -> bool {
        matches!(self.state, IndexState::Deleting { until } if now >= until)
    }

    /// Whether it is being built or deleted.
    pub fn is_changing(&self, now: Moment) -> bool {
        match self.state {
            IndexState::Active | IndexState::Updating { .. } => false,
            IndexState::Building { .. } => true,
            IndexState::Deleting { until } => now < until,
        }
    }
}

/// Where a global index is in its life.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum IndexState {
    /// In use.
    #[default]
    Active,
    /// Being built: kept up to date by every write, not yet complete. The items there
    /// were before are taken in once its resources are there.
    Building {
        /// The end of the allocation of resources.
        allocated: Moment,
    },
    /// In use, its throughput being changed until then.
    Updating {
        /// The end of the change.
        until: Moment,
    },
    /// Being deleted until then, gone after.
    Deleting {
        /// The end of the deletion.
        until: Moment,
    },
}

/// Which attributes an index stores beside the keys.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Projection {
    /// All.
    All,
    /// None.
    KeysOnly,
    /// These.
    Include(Vec<String>),
}

/// How a table is paid for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum BillingMode {
    /// By the hour for a set throughput.
    Provisioned,
    /// By the request.
    OnDemand,
}

/// Provisioned throughput and when it changed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provisioned {
    /// Read capacity units.
    pub read: i64,
    /// Write capacity units.
    pub write: i64,
    /// The last time either grew.
    pub increased: Option<Moment>,
    /// The last time either shrank.
    pub decreased: Option<Moment>,
    /// Decreases on the UTC day of `decreased`.
    pub decreases: i64,
}

const DAY: i64 = 24 * 60 * 60 * 1000;

impl Provisioned {
    /// The throughput changed to these units at a moment.
    pub fn changed(self, read: i64, write: i64, now: Moment) -> Provisioned {
        let shrank = read < self.read || write < self.write;
        let grew = read > self.read || write > self.write;
        let decreases = self.decreases_today(now) + i64::from(shrank);
        Provisioned {
            read,
            write,
            increased: if grew { Some(now) } else { self.increased },
            decreased: if shrank { Some(now) } else { self.decreased },
            decreases,
        }
    }

    /// Decreases on the UTC day of `now`.
    pub fn decreases_today(self, now: Moment) -> i64 {
        match self.decreased {
            Some(last) if last.0.div_euclid(DAY) == now.0.div_euclid(DAY) => self.decreases,
            _ => 0,
        }
    }
}

/// Ceilings for on-demand throughput; absent ones are unlimited.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OnDemand {
    /// Read request units a second.
    pub read: Option<i64>,
    /// Write request units a second.
    pub write: Option<i64>,
}

/// Throughput that is there at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Warm {
    /// Reads a second.
    pub read: i64,
    /// Writes a second.
    pub write: i64,
}

/// A stream of a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stream {
    /// Its label, the time it was enabled.
    pub label: String,
    /// What its records show.
    pub view: StreamView,
    /// Whether it takes records.
    pub enabled: bool,
    /// Its number in keys.
    #[serde(default)]
    pub number: u32,
}

impl Stream {
    /// A stream that is to be enabled. Its label and number are filled in by the engine.
    pub fn enabled(view: StreamView) -> Stream {
        Stream { label: String::new(), view, enabled: true, number: 0 }
    }
}

/// What a stream's records show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum StreamView {
    /// The key.
    KeysOnly,
    /// The item after the change.
    NewImage,
    /// The item before the change.
    OldImage,
    /// Both.
    NewAndOldImages,
}

/// Encryption with a key of one's own, as it was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Encryption {
    /// The key's ARN.
    pub key_arn: String,
}

/// A table's class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum TableClass {
    /// Standard.
    Standard,
    /// Standard, infrequent access.
    InfrequentAccess,
}

/// A resource policy.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Policy {
    /// The policy's JSON text.
    pub text: String,
    /// Changes with the text.
    pub revision: String,
}

/// The time-to-live setting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeToLive {
    /// The attribute that holds the expiry.
    pub attribute: String,
    /// Whether items expire.
    pub enabled: bool,
    /// How often it has been enabled.
    #[serde(default)]
    pub generation: u32,
    /// Whether the expiries of all items are known.
    #[serde(default)]
    pub complete: bool,
}

impl TimeToLive {
    /// The setting as it is asked for; the rest is filled in by the engine.
    pub fn new(attribute: String, enabled: bool) -> TimeToLive {
        TimeToLive { attribute, enabled, generation: 0, complete: false }
    }
}

/// The point-in-time-recovery setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recovery {
    /// How far back, in days.
    pub days: i64,
    /// When it was turned on.
    pub since: Moment,
}

impl Recovery {
    /// The earliest moment that can be restored.
    pub fn earliest(self, now: Moment) -> Moment {
        let days = u64::try_from(self.days).unwrap_or(0);
        self.since.max(now.before(Duration::from_secs(days * 24 * 60 * 60)))
    }
}

impl Table {
    /// The types of all attributes that are part of a key, by name.
    pub fn attributes(&self) -> BTreeMap<&str, value::KeyType> {
        let locals = self.locals.iter().map(|index| &index.key);
        let kept = |index: &&GlobalIndex| !matches!(index.state, IndexState::Deleting { .. });
        let globals = self.globals.iter().filter(kept).map(|index| &index.key);
        std::iter::once(&self.key)
            .chain(locals)
            .chain(globals)
            .flat_map(KeySchema::attributes)
            .map(|attribute| (attribute.name.as_str(), attribute.kind))
            .collect()
    }

    /// The state at a moment, with the building and deleting of indexes counted as an
    /// update of the table; none once a deletion is over.
    pub fn status_at(&self, now: Moment) -> Option<Status> {
        let busy = self.globals.iter().any(|index| index.is_changing(now));
        match self.status.at(now) {
            Some(Status::Active) if busy => Some(Status::Updating { until: now }),
            other => other,
        }
    }

    /// The stream that takes records, if there is one.
    pub fn enabled_stream(&self) -> Option<&Stream> {
        self.stream.as_ref().filter(|stream| stream.enabled)
    }

    /// Time to live, if items expire.
    pub fn expiry(&self) -> Option<&TimeToLive> {
        self.time_to_live.as_ref().filter(|setting| setting.enabled)
    }

    /// The ARN.
    pub fn arn(&self) -> String {
        self.owner.table_arn(&self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decreases_are_counted_by_utc_day() {
        let noon = Moment(DAY / 2);
        let once = Provisioned { read: 5, write: 5, ..Provisioned::default() }.changed(4, 5, noon);
        assert_eq!(
            (once.decreases_today(noon), once.increased, once.decreased),
            (1, None, Some(noon))
        );
        let twice = once.changed(3, 9, Moment(DAY - 1));
        assert_eq!(twice.decreases_today(Moment(DAY - 1)), 2);
        assert_eq!(twice.increased, Some(Moment(DAY - 1)));
        assert_eq!(twice.decreases_today(Moment(DAY)), 0);
        assert_eq!(twice.changed(1, 9, Moment(DAY)).decreases_today(Moment(DAY)), 1);
    }
}

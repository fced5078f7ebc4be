//! The change log: what happened to the items of a table, in the order of the commits, written in
//! the same commit as the change. Everything that looks at history reads this log.
//!
//! A table that nobody watches has no shards, and nothing is written for it. A shard takes the
//! changes of a range of partition key hashes from the commit that opens it to the commit that
//! closes it; so all changes of an item are in order within a chain of shards.

mod change;
mod read;
mod shards;
mod stream;
mod upkeep;

pub(crate) use change::Change as ChangeRecord;
pub use change::{Actor, Change, Event, Position, image_size};
pub(crate) use read::shard_of;
pub use read::{ChangePage, Shard};
pub(crate) use shards::{follow, record_writes};
pub use store::{PageLimit, Version};
pub use stream::{STREAM_RETENTION, StreamId, StreamRecord};

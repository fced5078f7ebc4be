//! Every key the engine persists. The tags and layouts are the on-disk format
//! (docs/format.md) and never change their meaning.
//!
//! Integers are big-endian. `<value>` is the ordered encoding of `value::key`:
//! self-delimiting, so that parts can follow one another.

use crate::{environment::Moment, log::Position};
use bytes::Bytes;
use store::{KeyRange, Version};
use value::key::partition_hash;

/// Identifies a table in keys for ever; never used again after the table is gone.
pub type TableNumber = u32;
/// Identifies an index within its table; zero is the table itself.
pub type IndexNumber = u16;

/// Identifies a shard of a table's change log; never used again.
pub type ShardNumber = u32;

/// Identifies a backup or a restore for ever.
pub type JobNumber = u32;

/// A persisted key. The byte 0 in front is the store's own.
#[derive(Debug, Clone, Copy)]
pub enum Key<'a> {
    /// `01 name`: a table's definition.
    Definition {
        /// The table's name.
        table: &'a str,
    },
    /// `02`: the number the next table gets (u32).
    NextTable,
    /// `03 table:u32`: the data of this table is to be removed.
    Dropped {
        /// The table that was.
        table: TableNumber,
    },
    /// `04 table:u32 index:u16`: the entries of this index are to be removed.
    DroppedIndex {
        /// The table.
        table: TableNumber,
        /// The index that was.
        index: IndexNumber,
    },
    /// `05 table:u32 index:u16`: the key of the last item that an index being built has
    /// taken in.
    Progress {
        /// The table.
        table: TableNumber,
        /// The index.
        index: IndexNumber,
    },
    /// `06 token`: a transaction that was made under this token: the digest of what it
    /// asked for (u128) and the moment until which it counts (i64).
    Token {
        /// The client's token.
        token: &'a str,
    },
    /// `07 moment:u64 token`: when to forget a token.
    TokenExpiry {
        /// The moment.
        moment: Moment,
        /// The client's token.
        token: &'a str,
    },
    /// `08 table:u32`: the key of the last item whose expiry has been taken in, while
    /// time to live is being enabled.
    ExpiryProgress {
        /// The table.
        table: TableNumber,
    },
    /// `09 table:u32 generation:u32`: the expiries of this generation are to be removed.
    DroppedExpiries {
        /// The table.
        table: TableNumber,
        /// The generation that was.
        generation: u32,
    },
    /// `10 table:u32 hash:u16 <pk> <sk>?`: an item. The hash of the encoded partition
    /// key spreads partitions evenly and orders Scan.
    Item {
        /// The table.
        table: TableNumber,
        /// The encoded partition key.
        partition: &'a [u8],
        /// The encoded sort key, empty if the table has none.
        sort: &'a [u8],
    },
    /// `11 table:u32 index:u16 hash:u16 <partition>.. <sort>.. <pk> <sk>?`: an index entry,
    /// made unique by the item's own key.
    Entry {
        /// The table.
        table: TableNumber,
        /// The index.
        index: IndexNumber,
        /// The encoded partition attributes.
        partition: &'a [u8],
        /// The encoded sort attributes.
        sort: &'a [u8],
        /// The item's encoded primary key.
        item: &'a [u8],
    },
    /// `12 table:u32 generation:u32 seconds:u64 hash:u16 <pk> <sk>?`: when an item expires.
    /// A new generation begins each time that time to live is enabled.
    Expiry {
        /// The table.
        table: TableNumber,
        /// The generation.
        generation: u32,
        /// When, in seconds since 1970.
        seconds: u64,
        /// The item's storage key.
        item: &'a [u8],
    },
    /// `20 table:u32 index:u16`: how many items (entries), and their bytes in all.
    Counter {
        /// The table.
        table: TableNumber,
        /// The index, or zero.
        index: IndexNumber,
    },
    /// `21 table:u32 hash:u16 <pk>`: how many items and local index entries a partition
    /// key has, and their bytes in all. Only for tables with local indexes.
    Collection {
        /// The table.
        table: TableNumber,
        /// The encoded partition key.
        partition: &'a [u8],
    },
    /// `30 table:u32 stream:u32`: the record of a stream, kept until its changes are gone.
    Stream {
        /// The table.
        table: TableNumber,
        /// The stream.
        stream: u32,
    },
    /// `31 table:u32 shard:u32`: the record of a shard of the change log.
    Shard {
        /// The table.
        table: TableNumber,
        /// The shard.
        shard: ShardNumber,
    },
    /// `32 table:u32 shard:u32`: the version at which a shard was closed (u64).
    ShardEnd {
        /// The table.
        table: TableNumber,
        /// The shard.
        shard: ShardNumber,
    },
    /// `33 table:u32 shard:u32 version:u64 ordinal:u16`: a change of an item.
    Change {
        /// The table.
        table: TableNumber,
        /// The shard.
        shard: ShardNumber,
        /// The place in the log.
        position: Position,
    },
    /// `40`: the number the next backup or restore gets (u32).
    NextJob,
    /// `41 backup:u32`: the record of a backup.
    Backup {
        /// The backup.
        backup: JobNumber,
    },
    /// `42 backup:u32 hash:u16 <pk> <sk>?`: an item of a backup.
    BackupItem {
        /// The backup.
        backup: JobNumber,
        /// The item's storage key in its table.
        item: &'a [u8],
    },
    /// `43 restore:u32`: what is to be restored.
    Restore {
        /// The restore.
        restore: JobNumber,
    },
    /// `44 restore:u32`: how far a restore has come.
    RestoreProgress {
        /// The restore.
        restore: JobNumber,
    },
    /// `45 restore:u32 hash:u16 <pk> <sk>?`: an item as it was, while a restore in place is
    /// under way.
    Undo {
        /// The restore.
        restore: JobNumber,
        /// The item's storage key.
        item: &'a [u8],
    },
    /// `46 export:u32`: the record of an export.
    Export {
        /// The export.
        export: JobNumber,
    },
    /// `47 import:u32`: the record of an import.
    Import {
        /// The import.
        import: JobNumber,
    },
}

pub(crate) const DEFINITION: u8 = 0x01;
pub(crate) const NEXT_TABLE: u8 = 0x02;
pub(crate) const DROPPED: u8 = 0x03;
pub(crate) const DROPPED_INDEX: u8 = 0x04;
pub(crate) const PROGRESS: u8 = 0x05;
pub(crate) const TOKEN: u8 = 0x06;
pub(crate) const TOKEN_EXPIRY: u8 = 0x07;
pub(crate) const EXPIRY_PROGRESS: u8 = 0x08;
pub(crate) const DROPPED_EXPIRIES: u8 = 0x09;
pub(crate) const ITEM: u8 = 0x10;
pub(crate) const ENTRY: u8 = 0x11;
pub(crate) const EXPIRY: u8 = 0x12;
pub(crate) const COUNTER: u8 = 0x20;
pub(crate) const COLLECTION: u8 = 0x21;
pub(crate) const STREAM: u8 = 0x30;
pub(crate) const SHARD: u8 = 0x31;
pub(crate) const SHARD_END: u8 = 0x32;
pub(crate) const CHANGE: u8 = 0x33;
pub(crate) const NEXT_JOB: u8 = 0x40;
pub(crate) const BACKUP: u8 = 0x41;
pub(crate) const BACKUP_ITEM: u8 = 0x42;
pub(crate) const RESTORE: u8 = 0x43;
pub(crate) const RESTORE_PROGRESS: u8 = 0x44;
pub(crate) const UNDO: u8 = 0x45;
pub(crate) const EXPORT: u8 = 0x46;
pub(crate) const IMPORT: u8 = 0x47;

/// Where the part of an item's storage key begins that follows the table.
const AFTER_TABLE: usize = 5;

impl Key<'_> {
    /// What an item's storage key has behind its table.
    pub fn behind_table(item: &[u8]) -> &[u8] {
        item.get(AFTER_TABLE..).unwrap_or_default()
    }

    /// The key's bytes.
    pub fn encode(&self) -> Bytes {
        let mut out = Vec::with_capacity(64);
        match *self {
            Key::Definition { table } => {
                out.push(DEFINITION);
                out.extend_from_slice(table.as_bytes());
            }
            Key::NextTable => out.push(NEXT_TABLE),
            Key::NextJob => out.push(NEXT_JOB),
            Key::Backup { backup } => out.extend_from_slice(&of_job(BACKUP, backup)),
            Key::BackupItem { backup, item } => {
                out.extend_from_slice(&of_job(BACKUP_ITEM, backup));
                out.extend_from_slice(Key::behind_table(item));
            }
            Key::Restore { restore } => out.extend_from_slice(&of_job(RESTORE, restore)),
            Key::RestoreProgress { restore } => {
                out.extend_from_slice(&of_job(RESTORE_PROGRESS, restore));
            }
            Key::Export { export } => out.extend_from_slice(&of_job(EXPORT, export)),
            Key::Import { import } => out.extend_from_slice(&of_job(IMPORT, import)),
            Key::Undo { restore, item } => {
                out.extend_from_slice(&of_job(UNDO, restore));
                out.extend_from_slice(Key::behind_table(item));
            }
            Key::Dropped { table } => {
                out.push(DROPPED);
                out.extend_from_slice(&table.to_be_bytes());
            }
            Key::Item { table, partition, sort } => {
                out.push(ITEM);
                out.extend_from_slice(&table.to_be_bytes());
                out.extend_from_slice(&partition_hash(partition).to_be_bytes());
                out.extend_from_slice(partition);
                out.extend_from_slice(sort);
            }
            Key::Entry { table, index, partition, sort, item } => {
                out.push(ENTRY);
                out.extend_from_slice(&table.to_be_bytes());
                out.extend_from_slice(&index.to_be_bytes());
                out.extend_from_slice(&partition_hash(partition).to_be_bytes());
                out.extend_from_slice(partition);
                out.extend_from_slice(sort);
                out.extend_from_slice(item);
            }
            Key::Token { token } => {
                out.push(TOKEN);
                out.extend_from_slice(token.as_bytes());
            }
            Key::TokenExpiry { moment, token } => {
                out.push(TOKEN_EXPIRY);
                out.extend_from_slice(&millis(moment).to_be_bytes());
                out.extend_from_slice(token.as_bytes());
            }
            Key::ExpiryProgress { table } => {
                out.push(EXPIRY_PROGRESS);
                out.extend_from_slice(&table.to_be_bytes());
            }
            Key::DroppedExpiries { table, generation } => {
                numbered(DROPPED_EXPIRIES, table, generation, &mut out);
            }
            Key::Expiry { table, generation, seconds, item } => {
                numbered(EXPIRY, table, generation, &mut out);
                out.extend_from_slice(&seconds.to_be_bytes());
                out.extend_from_slice(Key::behind_table(item));
            }
            Key::Stream { table, stream } => numbered(STREAM, table, stream, &mut out),
            Key::Shard { table, shard } => numbered(SHARD, table, shard, &mut out),
            Key::ShardEnd { table, shard } => numbered(SHARD_END, table, shard, &mut out),
            Key::Change { table, shard, position } => {
                numbered(CHANGE, table, shard, &mut out);
                out.extend_from_slice(&position.version.0.to_be_bytes());
                out.extend_from_slice(&position.ordinal.to_be_bytes());
            }
            Key::DroppedIndex { table, index } => indexed(DROPPED_INDEX, table, index, &mut out),
            Key::Progress { table, index } => indexed(PROGRESS, table, index, &mut out),
            Key::Counter { table, index } => indexed(COUNTER, table, index, &mut out),
            Key::Collection { table, partition } => {
                out.push(COLLECTION);
                out.extend_from_slice(&table.to_be_bytes());
                out.extend_from_slice(&partition_hash(partition).to_be_bytes());
                out.extend_from_slice(partition);
            }
        }
        out.into()
    }

    /// What the keys of all items of a table begin with.
    pub fn items_prefix(table: TableNumber) -> Vec<u8> {
        let mut prefix = vec![ITEM];
        prefix.extend_from_slice(&table.to_be_bytes());
        prefix
    }

    /// What the keys of all entries of an index begin with.
    pub fn entries_prefix(table: TableNumber, index: IndexNumber) -> Vec<u8> {
        let mut prefix = Vec::with_capacity(64);
        indexed(ENTRY, table, index, &mut prefix);
        prefix
    }

    /// The expiries of tokens up to a moment.
    pub fn expired_tokens(now: Moment) -> KeyRange {
        let mut end = vec![TOKEN_EXPIRY];
        end.extend_from_slice(&(millis(now) + 1).to_be_bytes());
        KeyRange::new(vec![TOKEN_EXPIRY], end)
    }

    /// The token of a `TokenExpiry` key.
    pub fn expired_token(key: &[u8]) -> Option<&str> {
        std::str::from_utf8(key.get(9..)?).ok()
    }

    /// All indexes whose entries are to be removed.
    pub fn dropped_indexes() -> KeyRange {
        KeyRange::prefix(vec![DROPPED_INDEX])
    }

    /// The table and index of a `DroppedIndex` key.
    pub fn dropped_index(key: &[u8]) -> Option<(TableNumber, IndexNumber)> {
        let (tag, numbers) = key.split_first()?;
        let (table, index) = numbers.split_first_chunk()?;
        let index = index.try_into().ok()?;
        (*tag == DROPPED_INDEX)
            .then(|| (TableNumber::from_be_bytes(*table), IndexNumber::from_be_bytes(index)))
    }

    /// All definitions, in the order of their names.
    pub fn definitions() -> KeyRange {
        KeyRange::prefix(vec![DEFINITION])
    }

    /// All tables whose data is to be removed.
    pub fn dropped() -> KeyRange {
        KeyRange::prefix(vec![DROPPED])
    }

    /// The table number of a `Dropped` key.
    pub fn dropped_table(key: &[u8]) -> Option<TableNumber> {
        let (tag, number) = key.split_first()?;
        (*tag == DROPPED).then_some(())?;
        Some(TableNumber::from_be_bytes(number.try_into().ok()?))
    }

    /// Everything that belongs to a table, apart from its definition and its change log,
    /// which outlives it.
    pub fn table_data(table: TableNumber) -> [KeyRange; 8] {
        let tags =
            [ITEM, ENTRY, COUNTER, COLLECTION, PROGRESS, EXPIRY, EXPIRY_PROGRESS, DROPPED_EXPIRIES];
        tags.map(|tag| Key::of_table(tag, table))
    }

    fn of_table(tag: u8, table: TableNumber) -> KeyRange {
        let [a, b, c, d] = table.to_be_bytes();
        KeyRange::prefix(vec![tag, a, b, c, d])
    }

    /// All backups.
    pub fn backups() -> KeyRange {
        KeyRange::prefix(vec![BACKUP])
    }

    /// All restores.
    pub fn restores() -> KeyRange {
        KeyRange::prefix(vec![RESTORE])
    }

    /// All exports.
    pub fn exports() -> KeyRange {
        KeyRange::prefix(vec![EXPORT])
    }

    /// All imports.
    pub fn imports() -> KeyRange {
        KeyRange::prefix(vec![IMPORT])
    }

    /// The number of a `Backup` or `Restore` key.
    pub fn job(key: &[u8]) -> Option<JobNumber> {
        key.get(1..)?.try_into().ok().map(JobNumber::from_be_bytes)
    }

    /// The items of a backup.
    pub fn backup_items(backup: JobNumber) -> KeyRange {
        KeyRange::prefix(of_job(BACKUP_ITEM, backup).to_vec())
    }

    /// The items as they were, of a restore in place.
    pub fn undone(restore: JobNumber) -> KeyRange {
        KeyRange::prefix(of_job(UNDO, restore).to_vec())
    }

    /// The storage key in a table of the item that a `BackupItem` or `Undo` key names.
    pub fn in_table(table: TableNumber, key: &[u8]) -> Bytes {
        let item = Key::behind_table(key);
        [&[ITEM], table.to_be_bytes().as_slice(), item].concat().into()
    }

    /// The expiries of a generation between two seconds, both included.
    pub fn expiries(table: TableNumber, generation: u32, from: u64, to: u64) -> KeyRange {
        let bound = |seconds: u64| {
            let mut key = Vec::with_capacity(17);
            numbered(EXPIRY, table, generation, &mut key);
            key.extend_from_slice(&seconds.to_be_bytes());
            key
        };
        KeyRange::new(bound(from), bound(to.saturating_add(1)))
    }

    /// All expiries of a generation.
    pub fn all_expiries(table: TableNumber, generation: u32) -> KeyRange {
        let mut prefix = Vec::with_capacity(9);
        numbered(EXPIRY, table, generation, &mut prefix);
        KeyRange::prefix(prefix)
    }

    /// The second of an `Expiry` key and the storage key of its item.
    pub fn expiring(key: &[u8]) -> Option<(u64, Bytes)> {
        let (tag, rest) = key.split_first()?;
        let (table, rest) = rest.split_first_chunk::<4>()?;
        let (_, rest) = rest.split_first_chunk::<4>()?;
        let (seconds, item) = rest.split_first_chunk()?;
        (*tag == EXPIRY).then_some(())?;
        let item = [&[ITEM], table.as_slice(), item].concat();
        Some((u64::from_be_bytes(*seconds), item.into()))
    }

    /// All generations of expiries that are to be removed.
    pub fn dropped_expiries() -> KeyRange {
        KeyRange::prefix(vec![DROPPED_EXPIRIES])
    }

    /// The table and generation of a `DroppedExpiries` key.
    pub fn dropped_generation(key: &[u8]) -> Option<(TableNumber, u32)> {
        numbers(DROPPED_EXPIRIES, key)
    }

    /// The records of all streams.
    pub fn streams() -> KeyRange {
        KeyRange::prefix(vec![STREAM])
    }

    /// The table and number of a `Stream` key.
    pub fn stream(key: &[u8]) -> Option<(TableNumber, u32)> {
        numbers(STREAM, key)
    }

    /// The records of all shards of a table, or of all tables.
    pub fn shards(table: Option<TableNumber>) -> KeyRange {
        table.map_or(KeyRange::prefix(vec![SHARD]), |table| Key::of_table(SHARD, table))
    }

    /// The ends of all shards of a table, or of all tables.
    pub fn shard_ends(table: Option<TableNumber>) -> KeyRange {
        table.map_or(KeyRange::prefix(vec![SHARD_END]), |table| Key::of_table(SHARD_END, table))
    }

    /// The table and number of a `Shard` or `ShardEnd` key.
    pub fn shard(key: &[u8]) -> Option<(TableNumber, ShardNumber)> {
        numbers(SHARD, key).or_else(|| numbers(SHARD_END, key))
    }

    /// The changes in a shard from one place to another, which is not included.
    pub fn changes(
        table: TableNumber,
        shard: ShardNumber,
        from: Position,
        to: Position,
    ) -> KeyRange {
        let bound = |position| Key::Change { table, shard, position }.encode();
        KeyRange::new(bound(from), bound(to))
    }

    /// The place of a `Change` key.
    pub fn position(key: &[u8]) -> Option<Position> {
        let (version, ordinal) = key.get(9..)?.split_first_chunk()?;
        let ordinal = u16::from_be_bytes(ordinal.try_into().ok()?);
        Some(Position { version: Version(u64::from_be_bytes(*version)), ordinal })
    }
}

fn of_job(tag: u8, job: JobNumber) -> [u8; AFTER_TABLE] {
    let [a, b, c, d] = job.to_be_bytes();
    [tag, a, b, c, d]
}

fn numbers(tag: u8, key: &[u8]) -> Option<(TableNumber, u32)> {
    let (found, numbers) = key.split_first()?;
    let (table, number) = numbers.split_first_chunk()?;
    let number = u32::from_be_bytes(number.try_into().ok()?);
    (*found == tag).then(|| (TableNumber::from_be_bytes(*table), number))
}

fn numbered(tag: u8, table: TableNumber, number: u32, out: &mut Vec<u8>) {
    out.push(tag);
    out.extend_from_slice(&table.to_be_bytes());
    out.extend_from_slice(&number.to_be_bytes());
}

fn millis(moment: Moment) -> u64 {
    u64::try_from(moment.0).unwrap_or(0)
}

fn indexed(tag: u8, table: TableNumber, index: IndexNumber, out: &mut Vec<u8>) {
    out.push(tag);
    out.extend_from_slice(&table.to_be_bytes());
    out.extend_from_slice(&index.to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The layouts are on people's disks.
    #[test]
    fn layouts_are_fixed() {
        let hex = |key: Key<'_>| {
            key.encode().iter().map(|b| format!("{b:02x}")).collect::<Vec<_>>().join(" ")
        };
        let (pk, sk) = (b"a\0\0".as_slice(), b"b\0\0".as_slice());
        let hash = format!("{:04x}", partition_hash(pk));
        let hash = format!("{} {}", &hash[..2], &hash[2..]);
        assert_eq!(hex(Key::Definition { table: "ab" }), "01 61 62");
        assert_eq!(hex(Key::NextTable), "02");
        assert_eq!(hex(Key::Dropped { table: 258 }), "03 00 00 01 02");
        assert_eq!(
            hex(Key::Item { table: 1, partition: pk, sort: sk }),
            format!("10 00 00 00 01 {hash} 61 00 00 62 00 00")
        );
        assert_eq!(
            hex(Key::Entry { table: 1, index: 2, partition: pk, sort: sk, item: b"i" }),
            format!("11 00 00 00 01 00 02 {hash} 61 00 00 62 00 00 69")
        );
        assert_eq!(hex(Key::Counter { table: 1, index: 0 }), "20 00 00 00 01 00 00");
        assert_eq!(
            hex(Key::Collection { table: 1, partition: pk }),
            format!("21 00 00 00 01 {hash} 61 00 00")
        );
        assert_eq!(hex(Key::Token { token: "ab" }), "06 61 62");
        let expiry = Key::TokenExpiry { moment: Moment(258), token: "ab" };
        assert_eq!(hex(expiry), "07 00 00 00 00 00 00 01 02 61 62");
        assert_eq!(Key::expired_token(&expiry.encode()), Some("ab"));
        assert!(Key::expired_tokens(Moment(258)).contains(&expiry.encode()));
        assert!(!Key::expired_tokens(Moment(257)).contains(&expiry.encode()));
        let dropped = Key::DroppedIndex { table: 1, index: 2 };
        assert_eq!(hex(dropped), "04 00 00 00 01 00 02");
        assert_eq!(Key::dropped_index(&dropped.encode()), Some((1, 2)));
        assert_eq!(hex(Key::Progress { table: 1, index: 2 }), "05 00 00 00 01 00 02");
        assert_eq!(hex(Key::ExpiryProgress { table: 1 }), "08 00 00 00 01");
        let dropped = Key::DroppedExpiries { table: 1, generation: 2 };
        assert_eq!(hex(dropped), "09 00 00 00 01 00 00 00 02");
        assert_eq!(Key::dropped_generation(&dropped.encode()), Some((1, 2)));
        let item = Key::Item { table: 1, partition: pk, sort: sk }.encode();
        let expiry = Key::Expiry { table: 1, generation: 2, seconds: 3, item: &item };
        assert_eq!(
            hex(expiry),
            format!("12 00 00 00 01 00 00 00 02 00 00 00 00 00 00 00 03 {hash} 61 00 00 62 00 00")
        );
        assert_eq!(Key::expiring(&expiry.encode()), Some((3, item.clone())));
        assert!(Key::expiries(1, 2, 3, 3).contains(&expiry.encode()));
        assert!(!Key::expiries(1, 2, 0, 2).contains(&expiry.encode()));
        assert!(Key::all_expiries(1, 2).contains(&expiry.encode()));
        let stream = Key::Stream { table: 1, stream: 2 };
        assert_eq!(hex(stream), "30 00 00 00 01 00 00 00 02");
        assert_eq!(Key::stream(&stream.encode()), Some((1, 2)));
        let shard = Key::Shard { table: 1, shard: 2 };
        assert_eq!(hex(shard), "31 00 00 00 01 00 00 00 02");
        assert_eq!(Key::shard(&shard.encode()), Some((1, 2)));
        assert_eq!(hex(Key::ShardEnd { table: 1, shard: 2 }), "32 00 00 00 01 00 00 00 02");
        let position = Position { version: Version(3), ordinal: 4 };
        let change = Key::Change { table: 1, shard: 2, position };
        assert_eq!(hex(change), "33 00 00 00 01 00 00 00 02 00 00 00 00 00 00 00 03 00 04");
        assert_eq!(Key::position(&change.encode()), Some(position));
        assert_eq!(hex(Key::NextJob), "40");
        assert_eq!(hex(Key::Backup { backup: 258 }), "41 00 00 01 02");
        assert_eq!(Key::job(&Key::Backup { backup: 258 }.encode()), Some(258));
        let saved = Key::BackupItem { backup: 3, item: &item };
        assert_eq!(hex(saved), format!("42 00 00 00 03 {hash} 61 00 00 62 00 00"));
        assert_eq!(Key::in_table(1, &saved.encode()), item);
        assert_eq!(hex(Key::Restore { restore: 3 }), "43 00 00 00 03");
        assert_eq!(hex(Key::RestoreProgress { restore: 3 }), "44 00 00 00 03");
        let undo = Key::Undo { restore: 3, item: &item };
        assert_eq!(hex(undo), format!("45 00 00 00 03 {hash} 61 00 00 62 00 00"));
        assert_eq!(Key::in_table(1, &undo.encode()), item);
        assert_eq!(hex(Key::Export { export: 3 }), "46 00 00 00 03");
        assert_eq!(hex(Key::Import { import: 3 }), "47 00 00 00 03");
        assert_eq!(Key::dropped_table(&Key::Dropped { table: 7 }.encode()), Some(7));
    }
}

//! Every key the engine persists. The tags and layouts are the on-disk format
//! (docs/format.md) and never change their meaning.
//!
//! Integers are big-endian. `<value>` is the ordered encoding of `value::key`:
//! self-delimiting, so that parts can follow one another.

use crate::environment::Moment;
use bytes::Bytes;
use store::KeyRange;
use value::key::partition_hash;

/// Identifies a table in keys for ever; never used again after the table is gone.
pub type TableNumber = u32;
/// Identifies an index within its table; zero is the table itself.
pub type IndexNumber = u16;

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
}

const DEFINITION: u8 = 0x01;
const NEXT_TABLE: u8 = 0x02;
const DROPPED: u8 = 0x03;
const DROPPED_INDEX: u8 = 0x04;
const PROGRESS: u8 = 0x05;
const TOKEN: u8 = 0x06;
const TOKEN_EXPIRY: u8 = 0x07;
const ITEM: u8 = 0x10;
const ENTRY: u8 = 0x11;
const COUNTER: u8 = 0x20;
const COLLECTION: u8 = 0x21;

impl Key<'_> {
    /// The key's bytes.
    pub fn encode(&self) -> Bytes {
        let mut out = Vec::with_capacity(64);
        match *self {
            Key::Definition { table } => {
                out.push(DEFINITION);
                out.extend_from_slice(table.as_bytes());
            }
            Key::NextTable => out.push(NEXT_TABLE),
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

    /// Everything that belongs to a table, apart from its definition.
    pub fn table_data(table: TableNumber) -> [KeyRange; 5] {
        [ITEM, ENTRY, COUNTER, COLLECTION, PROGRESS].map(|tag| {
            let [a, b, c, d] = table.to_be_bytes();
            KeyRange::prefix(vec![tag, a, b, c, d])
        })
    }
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
        assert_eq!(Key::dropped_table(&Key::Dropped { table: 7 }.encode()), Some(7));
    }
}

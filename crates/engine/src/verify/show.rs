//! Keys in words.

use crate::{
    items::Index,
    keys::Key,
    table::{KeyAttribute, Table},
};
use bytes::Bytes;
use value::Value;

/// The item of a storage key: `"id"=5, "at"="x"`.
pub(super) fn item(table: &Table, key: &[u8]) -> String {
    let mut rest = key.get(7..).unwrap_or_default();
    attributes(table.key.attributes(), &mut rest)
        .filter(|_| rest.is_empty())
        .unwrap_or_else(|| hex(key))
}

/// A key of which nothing is known.
pub(super) fn hex(key: &[u8]) -> String {
    let mut text = String::with_capacity(key.len() * 2);
    for byte in key.iter().take(64) {
        text.push_str(&format!("{byte:02x}"));
    }
    if key.len() > 64 {
        text.push_str("..");
    }
    text
}

/// The item collection of a key.
pub(super) fn collection(table: &Table, key: &[u8]) -> String {
    let mut rest = key.get(7..).unwrap_or_default();
    let shown = attributes(table.key.partition.iter(), &mut rest).filter(|_| rest.is_empty());
    format!("table {}, item collection {}", table.name, shown.unwrap_or_else(|| hex(key)))
}

fn attributes<'a>(
    schema: impl Iterator<Item = &'a KeyAttribute>,
    rest: &mut &[u8],
) -> Option<String> {
    let mut parts = Vec::new();
    for attribute in schema {
        let value = match value::key::decode(attribute.kind, rest).ok()? {
            Value::S(text) => format!("{text:?}"),
            Value::N(number) => number.to_string(),
            Value::B(bytes) => format!("0x{}", hex(&bytes)),
            _ => return None,
        };
        parts.push(format!("{}={value}", attribute.name));
    }
    Some(parts.join(", "))
}

/// The place of an item in words.
pub(super) fn place(table: &Table, key: &[u8]) -> String {
    format!("table {}, item {}", table.name, item(table, key))
}

/// The storage key of the item that an index entry belongs to.
pub(super) fn item_of_entry(table: &Table, index: &Index<'_>, entry: &[u8]) -> Option<Bytes> {
    // After the tag, the table, the index and the hash.
    let mut rest = entry.get(9..)?;
    for attribute in index.key.attributes() {
        value::key::decode(attribute.kind, &mut rest).ok()?;
    }
    let key = rest;
    for attribute in &table.key.partition {
        value::key::decode(attribute.kind, &mut rest).ok()?;
    }
    let (partition, sort) = key.split_at_checked(key.len() - rest.len())?;
    Some(Key::Item { table: table.number, partition, sort }.encode())
}

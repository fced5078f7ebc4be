//! The table of the model: its definition, its keys, and the entries of its indexes.

use super::value::{Item, Kind, Value, item_size};
use serde_json::{Value as Json, json};

/// The table's name.
pub const NAME: &str = "model";
/// The global index, with `gpk`, `gsk` and one attribute more.
pub const GLOBAL: &str = "global";
/// The local index, with everything.
pub const LOCAL: &str = "local";
const TABLE_KEY: [&str; 2] = ["pk", "sk"];
const GLOBAL_KEY: [&str; 2] = ["gpk", "gsk"];
const LOCAL_KEY: [&str; 2] = ["pk", "lsk"];
const INCLUDED: &str = "n1";
/// The attributes of the indexes' keys that are not part of the table's, and their index.
pub const INDEX_KEYS: [(&str, Kind, &str); 3] =
    [("gpk", Kind::S, GLOBAL), ("gsk", Kind::N, GLOBAL), ("lsk", Kind::N, LOCAL)];

/// The request that makes the table.
pub fn create() -> String {
    let attribute = |name: &str, kind: &str| json!({"AttributeName": name, "AttributeType": kind});
    let schema = |[hash, range]: [&str; 2]| {
        json!([
            {"AttributeName": hash, "KeyType": "HASH"},
            {"AttributeName": range, "KeyType": "RANGE"},
        ])
    };
    json!({
        "TableName": NAME,
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [
            attribute("pk", "S"),
            attribute("sk", "S"),
            attribute("gpk", "S"),
            attribute("gsk", "N"),
            attribute("lsk", "N"),
        ],
        "KeySchema": schema(TABLE_KEY),
        "GlobalSecondaryIndexes": [{
            "IndexName": GLOBAL,
            "KeySchema": schema(GLOBAL_KEY),
            "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": [INCLUDED]},
        }],
        "LocalSecondaryIndexes": [{
            "IndexName": LOCAL,
            "KeySchema": schema(LOCAL_KEY),
            "Projection": {"ProjectionType": "ALL"},
        }],
    })
    .to_string()
}

/// A primary key, as an item without more.
pub fn key(pk: &str, sk: &str) -> Item {
    let text = |text: &str| Value::S(text.to_owned());
    Item::from([("pk".to_owned(), text(pk)), ("sk".to_owned(), text(sk))])
}

/// The entry of an item in the global index, if it has one.
pub fn global_entry(item: &Item) -> Option<Item> {
    let keyed = GLOBAL_KEY.iter().all(|name| item.contains_key(*name));
    let names = || TABLE_KEY.iter().chain(&GLOBAL_KEY).chain([&INCLUDED]);
    let entry = item.iter().filter(|(name, _)| names().any(|other| name == other));
    keyed.then(|| entry.map(|(name, value)| (name.clone(), value.clone())).collect())
}

/// The entry of an item in the local index, if it has one.
pub fn local_entry(item: &Item) -> Option<Item> {
    item.contains_key("lsk").then(|| item.clone())
}

/// Whether an entry is at another place of its index than another entry of the same item.
pub fn moved(index: &str, one: &Item, two: &Item) -> bool {
    let mut keys = INDEX_KEYS.iter().filter(|(_, _, of)| *of == index);
    keys.any(|(name, _, _)| one.get(*name) != two.get(*name))
}

/// How much a table or an index holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Totals {
    /// Items or entries.
    pub count: u64,
    /// Their sizes added up.
    pub bytes: u64,
}

impl Totals {
    fn add(&mut self, entry: Option<&Item>) {
        if let Some(entry) = entry {
            self.count += 1;
            self.bytes += item_size(entry);
        }
    }
}

/// What the table and its indexes hold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Contents {
    /// The table.
    pub table: Totals,
    /// Its global index.
    pub global: Totals,
    /// Its local index.
    pub local: Totals,
}

impl Contents {
    /// What those items make.
    pub fn of<'a>(items: impl Iterator<Item = &'a Item>) -> Contents {
        let mut contents = Contents::default();
        for item in items {
            contents.table.add(Some(item));
            contents.global.add(global_entry(item).as_ref());
            contents.local.add(local_entry(item).as_ref());
        }
        contents
    }

    /// What DescribeTable says. A missing figure becomes one that no check takes for right.
    pub fn described(description: &Json) -> Contents {
        let totals = |described: &Json, bytes: &str| {
            let number = |name: &str| described.get(name).and_then(Json::as_u64);
            Totals {
                count: number("ItemCount").unwrap_or(u64::MAX),
                bytes: number(bytes).unwrap_or(u64::MAX),
            }
        };
        let index = |list: &str| {
            let first = description.get(list).and_then(|list| list.get(0));
            totals(first.unwrap_or(&Json::Null), "IndexSizeBytes")
        };
        Contents {
            table: totals(description, "TableSizeBytes"),
            global: index("GlobalSecondaryIndexes"),
            local: index("LocalSecondaryIndexes"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::tests_of::*, *};

    #[test]
    fn items_are_counted_where_they_are() {
        let bare = key("p", "s");
        let whole = item(
            "{'pk': {'S': 'p'}, 'sk': {'S': 't'}, 'gpk': {'S': 'g'}, 'gsk': {'N': '15'}, \
             'n1': {'NULL': true}, 's1': {'S': 'xyz'}}",
        );
        let contents = Contents::of([&bare, &whole].into_iter());
        assert_eq!(contents.table, Totals { count: 2, bytes: 6 + 6 + 4 + 5 + 3 + 5 });
        assert_eq!(contents.global, Totals { count: 1, bytes: 6 + 4 + 5 + 3 });
        assert_eq!(contents.local, Totals::default());
    }

    #[test]
    fn a_description_without_figures_is_never_right() {
        let empty = Contents::of([].into_iter());
        assert_ne!(Contents::described(&json!({})), empty);
        let counted = json!({"ItemCount": 0, "TableSizeBytes": 0});
        assert_eq!(Contents::described(&counted).table, empty.table);
        assert_ne!(Contents::described(&counted), empty);
    }
}

//! What requests cost, counted from the items before and after.

use super::{
    table::{self, GLOBAL, LOCAL, NAME},
    value::{Item, item_size},
};
use serde_json::{Map, Value as Json, json};

const WRITE_UNIT: u64 = 1024;
const READ_UNIT: u64 = 4096;

/// How much an answer says about costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    Total,
    Indexes,
}

impl Detail {
    /// Its name in requests.
    pub fn name(self) -> &'static str {
        match self {
            Detail::Total => "TOTAL",
            Detail::Indexes => "INDEXES",
        }
    }
}

/// What one request costs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cost {
    table: f64,
    global: u64,
    local: u64,
}

impl Cost {
    /// A read of an item, or of nothing.
    pub fn of_read(item: Option<&Item>, consistent: bool) -> Cost {
        let units = item.map_or(0, item_size).div_ceil(READ_UNIT).max(1) as f64;
        Cost { table: if consistent { units } else { units / 2.0 }, global: 0, local: 0 }
    }

    /// A write.
    pub fn of_write(before: Option<&Item>, after: Option<&Item>) -> Cost {
        let size = |item: Option<&Item>| item.map_or(0, item_size);
        let units = size(before).max(size(after)).div_ceil(WRITE_UNIT).max(1);
        let index = |name: &str, entry: fn(&Item) -> Option<Item>| {
            of_entry(name, before.and_then(entry), after.and_then(entry))
        };
        Cost {
            table: units as f64,
            global: index(GLOBAL, table::global_entry),
            local: index(LOCAL, table::local_entry),
        }
    }

    /// How an answer puts it.
    pub fn json(self, detail: Detail) -> Json {
        let mut json = Map::new();
        let mut add = |member: &str, value: Json| json.insert(member.to_owned(), value);
        add("TableName", json!(NAME));
        let total = self.table + self.global as f64 + self.local as f64;
        add("CapacityUnits", json!(total));
        if detail == Detail::Indexes {
            add("Table", json!({"CapacityUnits": self.table}));
            for (member, index, units) in [
                ("GlobalSecondaryIndexes", GLOBAL, self.global),
                ("LocalSecondaryIndexes", LOCAL, self.local),
            ] {
                if units > 0 {
                    add(member, json!({index: {"CapacityUnits": units as f64}}));
                }
            }
        }
        Json::Object(json)
    }
}

fn of_entry(index: &str, before: Option<Item>, after: Option<Item>) -> u64 {
    let units = |entry: &Item| item_size(entry).div_ceil(WRITE_UNIT);
    match (before, after) {
        (None, None) => 0,
        (Some(entry), None) | (None, Some(entry)) => units(&entry),
        (Some(before), Some(after)) if before == after => 0,
        (Some(before), Some(after)) if table::moved(index, &before, &after) => {
            units(&before) + units(&after)
        }
        (Some(before), Some(after)) => units(&before).max(units(&after)),
    }
}

#[cfg(test)]
mod tests {
    use super::{super::tests_of::*, *};

    #[test]
    fn the_ladder_of_the_sheet() {
        let keyed = |more: &str| item(&format!("{{'pk': {{'S': 'p'}}, 'sk': {{'S': 's'}}{more}}}"));
        let both = ", 'gpk': {'S': 'g'}, 'gsk': {'N': '1'}, 'lsk': {'N': '1'}";
        let first = keyed(both);
        let other = keyed(&format!("{both}, 's1': {{'S': 'x'}}"));
        let included = keyed(&format!("{both}, 'n1': {{'S': 'x'}}"));
        let elsewhere = keyed(", 'gpk': {'S': 'h'}, 'gsk': {'N': '1'}, 'lsk': {'N': '1'}");
        let unsorted = keyed(", 'gpk': {'S': 'g'}, 'gsk': {'N': '1'}");
        let none = keyed("");
        for (before, after, global, local) in [
            (None, Some(&first), 1, 1),
            (Some(&first), Some(&first), 0, 0),
            (Some(&first), Some(&other), 0, 1),
            (Some(&first), Some(&included), 1, 1),
            (Some(&first), Some(&elsewhere), 2, 1),
            (Some(&first), Some(&unsorted), 0, 1),
            (Some(&first), Some(&none), 1, 1),
            (Some(&first), None, 1, 1),
            (Some(&none), None, 0, 0),
        ] {
            let expected = Cost { table: 1.0, global, local };
            assert_eq!(Cost::of_write(before, after), expected, "{before:?} {after:?}");
        }
        assert_eq!(Cost::of_read(None, false).table, 0.5);
        let large = keyed(&format!(", 's1': {{'S': '{}'}}", "x".repeat(5000)));
        assert_eq!(Cost::of_read(Some(&large), true).table, 2.0);
        assert_eq!(Cost::of_write(Some(&large), None).table, 5.0);
    }
}

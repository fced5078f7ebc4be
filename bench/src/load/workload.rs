//! The workloads by name: which requests each sends, and what their answers must be.

use super::table::{BATCH, TOGETHER, check_batch};
use clap::ValueEnum;
use serde_json::Value;

/// Items that a Scan asks for.
pub const SCANNED: u64 = 100;

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, ValueEnum)]
pub enum Workload {
    /// GetItem of an item that is there
    GetItem,
    /// Query of the ten items of a partition
    #[value(name = "query-10")]
    Query10,
    /// Query of ten items by the global index
    QueryGsi,
    /// PutItem over an item that is there, with other content
    PutItem,
    /// UpdateItem that counts in a random item
    UpdateCounter,
    /// The same, always in one item
    UpdateHot,
    /// BatchWriteItem of 25 puts
    #[value(name = "batch-write-25")]
    BatchWrite25,
    /// TransactWriteItems of two conditional updates
    #[value(name = "transact-write-2")]
    TransactWrite2,
    /// 95 gets and 5 updates of a hundred, of few items often (YCSB B)
    MixB,
    /// 50 gets and 50 updates of a hundred, of few items often (YCSB A)
    MixA,
    /// Scan of a hundred items from a random place
    Scan,
}

/// One kind of request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Get,
    Query,
    QueryIndex,
    Put,
    /// Counts in an item.
    Count,
    /// Sets an item's note.
    Set,
    Batch,
    Transact,
    Scan,
}

impl Workload {
    /// All, in the order of the table.
    pub const ALL: [Workload; 11] = [
        Workload::GetItem,
        Workload::Query10,
        Workload::QueryGsi,
        Workload::PutItem,
        Workload::UpdateCounter,
        Workload::UpdateHot,
        Workload::BatchWrite25,
        Workload::TransactWrite2,
        Workload::MixB,
        Workload::MixA,
        Workload::Scan,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Workload::GetItem => "get-item",
            Workload::Query10 => "query-10",
            Workload::QueryGsi => "query-gsi",
            Workload::PutItem => "put-item",
            Workload::UpdateCounter => "update-counter",
            Workload::UpdateHot => "update-hot",
            Workload::BatchWrite25 => "batch-write-25",
            Workload::TransactWrite2 => "transact-write-2",
            Workload::MixB => "mix-b",
            Workload::MixA => "mix-a",
            Workload::Scan => "scan",
        }
    }

    /// The requests it sends: how many of a hundred are of which kind.
    pub fn kinds(self) -> &'static [(u64, Kind)] {
        match self {
            Workload::GetItem => &[(100, Kind::Get)],
            Workload::Query10 => &[(100, Kind::Query)],
            Workload::QueryGsi => &[(100, Kind::QueryIndex)],
            Workload::PutItem => &[(100, Kind::Put)],
            Workload::UpdateCounter | Workload::UpdateHot => &[(100, Kind::Count)],
            Workload::BatchWrite25 => &[(100, Kind::Batch)],
            Workload::TransactWrite2 => &[(100, Kind::Transact)],
            Workload::MixB => &[(95, Kind::Get), (5, Kind::Set)],
            Workload::MixA => &[(50, Kind::Get), (50, Kind::Set)],
            Workload::Scan => &[(100, Kind::Scan)],
        }
    }

    /// How many items a request of it writes, if all of its requests write.
    pub fn writes(self) -> Option<u64> {
        match self {
            Workload::PutItem | Workload::UpdateCounter | Workload::UpdateHot => Some(1),
            Workload::TransactWrite2 => Some(2),
            Workload::BatchWrite25 => Some(BATCH),
            _ => None,
        }
    }
}

impl Kind {
    /// The operation's name.
    pub fn operation(self) -> &'static str {
        match self {
            Kind::Get => "GetItem",
            Kind::Query | Kind::QueryIndex => "Query",
            Kind::Put => "PutItem",
            Kind::Count | Kind::Set => "UpdateItem",
            Kind::Batch => "BatchWriteItem",
            Kind::Transact => "TransactWriteItems",
            Kind::Scan => "Scan",
        }
    }

    /// How many bytes an answer has at least and at most: one that lacks items is shorter, and one
    /// that names items it did not write is longer.
    pub fn answer_bytes(self, item_bytes: usize) -> (usize, usize) {
        match self {
            Kind::Get => (item_bytes, usize::MAX),
            Kind::Query | Kind::QueryIndex => (item_bytes * TOGETHER as usize, usize::MAX),
            Kind::Scan => (item_bytes * SCANNED as usize, usize::MAX),
            Kind::Put | Kind::Count | Kind::Set | Kind::Batch | Kind::Transact => (0, 200),
        }
    }

    /// Whether an answer is what was asked for. `items` is how many there are in the table.
    pub fn check(self, answer: &Value, items: u64) -> Result<(), String> {
        let is_right = match self {
            Kind::Get => answer.pointer("/Item/note/S").is_some(),
            Kind::Query | Kind::QueryIndex => has_items(answer, TOGETHER),
            Kind::Scan => has_items(answer, SCANNED.min(items)),
            Kind::Count => answer.pointer("/Attributes/visits/N").is_some(),
            Kind::Batch => return check_batch(answer),
            Kind::Put | Kind::Set | Kind::Transact => answer.is_object(),
        };
        if is_right {
            Ok(())
        } else {
            let text: String = answer.to_string().chars().take(200).collect();
            Err(format!("not what {} was asked for: {text}", self.operation()))
        }
    }
}

fn has_items(answer: &Value, number: u64) -> bool {
    let counted = answer.get("Count").and_then(Value::as_u64) == Some(number);
    let items = answer.get("Items").and_then(Value::as_array);
    counted && items.is_some_and(|items| items.len() as u64 == number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_are_those_of_the_command_line() {
        for workload in Workload::ALL {
            let value = workload.to_possible_value().unwrap();
            assert_eq!(value.get_name(), workload.name());
        }
        assert_eq!(Workload::ALL.len(), Workload::value_variants().len());
    }

    #[test]
    fn every_request_is_of_some_kind() {
        for workload in Workload::ALL {
            let sum: u64 = workload.kinds().iter().map(|(share, _)| share).sum();
            assert_eq!(sum, 100, "{}", workload.name());
        }
    }

    #[test]
    fn wrong_answers_are_refused() {
        let ten: Vec<Value> = (0..10).map(|n| json!({ "n": n })).collect();
        for (kind, answer, right) in [
            (Kind::Get, json!({"Item": {"note": {"S": "x"}}}), true),
            (Kind::Get, json!({}), false),
            (Kind::Query, json!({"Count": 10, "Items": ten}), true),
            (Kind::Query, json!({"Count": 9, "Items": ten}), false),
            (Kind::Query, json!({"Count": 10, "Items": []}), false),
            (Kind::Count, json!({"Attributes": {"visits": {"N": "1"}}}), true),
            (Kind::Count, json!({}), false),
            (Kind::Batch, json!({"UnprocessedItems": {}}), true),
            (Kind::Batch, json!({"UnprocessedItems": {"t": [1]}}), false),
            (Kind::Batch, json!({}), false),
        ] {
            assert_eq!(kind.check(&answer, 1_000).is_ok(), right, "{answer}");
        }
    }
}

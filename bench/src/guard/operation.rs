//! The operations that are counted, on a table as single-table designs have it.

use serde_json::{Value, json};

const TABLE: &str = "guard";
/// Items in one collection.
pub const ITEMS: u64 = 40;

/// A hot operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    Get,
    Query,
    Put,
    Update,
    Transact,
    Batch,
}

impl Operation {
    pub const ALL: [Operation; 6] = [
        Operation::Get,
        Operation::Query,
        Operation::Put,
        Operation::Update,
        Operation::Transact,
        Operation::Batch,
    ];

    /// What the record calls it.
    pub fn name(self) -> &'static str {
        match self {
            Operation::Get => "get-item",
            Operation::Query => "query-10",
            Operation::Put => "put-item",
            Operation::Update => "update-item",
            Operation::Transact => "transact-write-2",
            Operation::Batch => "batch-write-25",
        }
    }

    /// Its name on the wire.
    pub fn target(self) -> &'static str {
        match self {
            Operation::Get => "GetItem",
            Operation::Query => "Query",
            Operation::Put => "PutItem",
            Operation::Update => "UpdateItem",
            Operation::Transact => "TransactWriteItems",
            Operation::Batch => "BatchWriteItem",
        }
    }

    /// How often it is sent: so often that a start more or less does not show.
    pub fn times(self) -> u64 {
        match self {
            Operation::Get => 2_000,
            Operation::Query | Operation::Put | Operation::Update => 1_000,
            Operation::Transact => 600,
            Operation::Batch => 150,
        }
    }

    /// The `turn`th request of its kind.
    pub fn request(self, turn: u64) -> String {
        let (here, there) = (turn % ITEMS, (turn + 1) % ITEMS);
        let update = |number: u64| {
            json!({
                "TableName": TABLE,
                "Key": key(number),
                "UpdateExpression": "SET #n = #n + :one, updatedAt = :at",
                "ConditionExpression": "attribute_exists(PK)",
                "ExpressionAttributeNames": {"#n": "visits"},
                "ExpressionAttributeValues": {":one": {"N": "1"}, ":at": {"S": format!("{turn:020}")}},
            })
        };
        let request = match self {
            Operation::Get => json!({"TableName": TABLE, "Key": key(here)}),
            Operation::Query => json!({
                "TableName": TABLE,
                "KeyConditionExpression": "PK = :pk AND begins_with(SK, :sk)",
                "ExpressionAttributeValues": {":pk": {"S": "CUSTOMER#1"}, ":sk": {"S": "ORDER#"}},
                "Limit": 10,
            }),
            Operation::Put => put(here, turn),
            Operation::Update => update(here),
            Operation::Transact => {
                json!({"TransactItems": [{"Update": update(here)}, {"Update": update(there)}]})
            }
            Operation::Batch => {
                let put = |number| json!({"PutRequest": {"Item": item(number, turn)}});
                json!({"RequestItems": {TABLE: (0..25).map(put).collect::<Vec<_>>()}})
            }
        };
        request.to_string()
    }
}

/// The request that makes the table.
pub fn create() -> String {
    let name = |name: &str| json!({"AttributeName": name, "AttributeType": "S"});
    let keys = |hash: &str, range: &str| {
        json!([
            {"AttributeName": hash, "KeyType": "HASH"},
            {"AttributeName": range, "KeyType": "RANGE"},
        ])
    };
    json!({
        "TableName": TABLE,
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [name("PK"), name("SK"), name("GSI1PK"), name("GSI1SK")],
        "KeySchema": keys("PK", "SK"),
        "GlobalSecondaryIndexes": [{
            "IndexName": "GSI1",
            "KeySchema": keys("GSI1PK", "GSI1SK"),
            "Projection": {"ProjectionType": "ALL"},
        }],
    })
    .to_string()
}

/// The request that puts an item.
pub fn put(number: u64, turn: u64) -> Value {
    json!({"TableName": TABLE, "Item": item(number, turn)})
}

fn key(number: u64) -> Value {
    json!({"PK": {"S": "CUSTOMER#1"}, "SK": {"S": format!("ORDER#{number:06}")}})
}

/// An order of some 400 bytes.
fn item(number: u64, turn: u64) -> Value {
    json!({
        "PK": {"S": "CUSTOMER#1"},
        "SK": {"S": format!("ORDER#{number:06}")},
        "GSI1PK": {"S": "STATUS#open"},
        "GSI1SK": {"S": format!("2026-01-01#{number:06}")},
        "entity": {"S": "Order"},
        "visits": {"N": turn.to_string()},
        "total": {"N": "129.95"},
        "paid": {"BOOL": true},
        "note": {"S": "Leave it with the neighbours if nobody is at home, please; the bell is broken."},
        "address": {"M": {
            "street": {"S": "1 Long Lane"}, "city": {"S": "Springfield"}, "postcode": {"S": "12345"},
        }},
        "lines": {"L": [
            {"M": {"sku": {"S": "A-1"}, "quantity": {"N": "2"}}},
            {"M": {"sku": {"S": "B-22"}, "quantity": {"N": "1"}}},
        ]},
        "tags": {"SS": ["gift", "express"]},
    })
}

//! Reads what a server has, with nobody writing meanwhile.

use super::{
    bank::{self, TABLE, Total, Totals},
    check::Seen,
    transaction::partition,
};
use crate::{
    dynamo::{RequestError, all_pages, ask},
    http::Connection,
};
use serde_json::{Map, Value, json};

/// The totals, and the records of one cycle.
pub fn cycle(connection: &mut Connection, cycle: u32) -> Result<Seen, RequestError> {
    let records = query(connection, &partition(cycle))?;
    Ok(Seen { totals: totals(connection)?, records: by_sort_key(records) })
}

/// The totals, and all records, by a Scan of the whole table.
pub fn everything(connection: &mut Connection) -> Result<Seen, RequestError> {
    let request = Map::from_iter([
        ("TableName".to_owned(), TABLE.into()),
        ("ConsistentRead".to_owned(), true.into()),
    ]);
    let mut items = all_pages(connection, "Scan", request)?;
    items.retain(|item| text(item, "pk").starts_with("RECORDS#"));
    Ok(Seen { totals: totals(connection)?, records: by_sort_key(items) })
}

fn by_sort_key(items: Vec<Value>) -> std::collections::BTreeMap<String, Value> {
    items.into_iter().map(|item| (text(&item, "sk").to_owned(), item)).collect()
}

/// All items of a partition, in pages.
pub fn query(connection: &mut Connection, partition: &str) -> Result<Vec<Value>, RequestError> {
    let request = json!({
        "TableName": TABLE,
        "KeyConditionExpression": "pk = :pk",
        "ExpressionAttributeValues": {":pk": {"S": partition}},
        "ConsistentRead": true,
    });
    let Value::Object(request) = request else {
        return Ok(Vec::new());
    };
    all_pages(connection, "Query", request)
}

fn text<'a>(item: &'a Value, name: &str) -> &'a str {
    item.get(name).and_then(|value| value.get("S")?.as_str()).unwrap_or_default()
}

/// A number of an item; none if it is not there or none.
pub fn amount(item: &Value, name: &str) -> Option<i64> {
    item.get(name)?.get("N")?.as_str()?.parse().ok()
}

fn totals(connection: &mut Connection) -> Result<Totals, RequestError> {
    let mut found = Totals::new();
    let mut read = |key: Value, names: &[(&str, Total)]| -> Result<(), RequestError> {
        let body = json!({"TableName": TABLE, "Key": key, "ConsistentRead": true});
        let answer = ask(connection, "GetItem", &body.to_string())?;
        let item = answer.get("Item").unwrap_or(&Value::Null);
        for &(name, total) in names {
            // A zero and a total that is not there are the same.
            if let Some(amount) = amount(item, name).filter(|amount| *amount != 0) {
                found.insert(total, amount);
            }
        }
        Ok(())
    };
    for account in 0..bank::ACCOUNTS {
        read(bank::account(account), &[("balance", Total::Balance(account))])?;
    }
    for product in 0..bank::PRODUCTS {
        read(bank::product(product), &[("stock", Total::Stock(product))])?;
    }
    for branch in 0..bank::BRANCHES {
        for day in 0..bank::DAYS {
            let names = [
                ("totalIncome", Total::Income(branch, day)),
                ("totalExpense", Total::Expense(branch, day)),
                ("transactionCount", Total::Entries(branch, day)),
            ];
            read(bank::report(branch, day), &names)?;
        }
    }
    Ok(found)
}

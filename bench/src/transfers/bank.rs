//! The one table: accounts, customers, products and reports, each with totals that transactions
//! move, and a record of every transaction that was made.

use serde_json::{Value, json};
use std::{collections::BTreeMap, fmt};

/// The table's name.
pub const TABLE: &str = "bank";
/// How many accounts there are; one TransactGetItems reads them all.
pub const ACCOUNTS: u32 = 20;
/// What each has at first. Low, so that transfers are refused at times.
pub const FIRST_BALANCE: i64 = 100;
/// How many products there are.
pub const PRODUCTS: u32 = 6;
/// How many of each are in stock at first.
pub const FIRST_STOCK: i64 = 40;
/// How many customers there are.
pub const CUSTOMERS: u32 = 8;
/// Customers below this number may not order.
pub const BLOCKED: u32 = 2;
/// How many branches have reports.
pub const BRANCHES: u32 = 2;
/// How many days each branch has a report of.
pub const DAYS: u32 = 3;

/// A number that transactions move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Total {
    /// What an account has.
    Balance(u32),
    /// How many of a product there are.
    Stock(u32),
    /// What a branch earned on a day.
    Income(u32, u32),
    /// What a branch spent on a day.
    Expense(u32, u32),
    /// How many entries a branch made on a day.
    Entries(u32, u32),
}

/// All totals that are not zero.
pub type Totals = BTreeMap<Total, i64>;

impl fmt::Display for Total {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Total::Balance(account) => write!(f, "the balance of account {account}"),
            Total::Stock(product) => write!(f, "the stock of product {product}"),
            Total::Income(branch, day) => write!(f, "the income of branch {branch}, day {day}"),
            Total::Expense(branch, day) => write!(f, "the expense of branch {branch}, day {day}"),
            Total::Entries(branch, day) => write!(f, "the entries of branch {branch}, day {day}"),
        }
    }
}

/// A number as an attribute value.
pub fn number(value: i64) -> Value {
    json!({"N": value.to_string()})
}

/// A primary key.
pub fn key(pk: &str, sk: &str) -> Value {
    json!({"pk": {"S": pk}, "sk": {"S": sk}})
}

/// The partition of all accounts; one page of a Query reads them all.
pub const ACCOUNTS_PARTITION: &str = "ACCOUNTS";

/// The key of an account.
pub fn account(number: u32) -> Value {
    key(ACCOUNTS_PARTITION, &format!("ACCOUNT#{number:03}"))
}

/// The key of a product.
pub fn product(number: u32) -> Value {
    let name = format!("PRODUCT#{number}");
    key(&name, &name)
}

/// The key of a customer.
pub fn customer(number: u32) -> Value {
    let name = format!("CUSTOMER#{number}");
    key(&name, &name)
}

/// The key of a report.
pub fn report(branch: u32, day: u32) -> Value {
    key(&format!("BRANCH#{branch}"), &format!("REPORT#DAILY#{day}"))
}

/// What the totals are at first.
pub fn first_totals() -> Totals {
    let balances = (0..ACCOUNTS).map(|n| (Total::Balance(n), FIRST_BALANCE));
    balances.chain((0..PRODUCTS).map(|n| (Total::Stock(n), FIRST_STOCK))).collect()
}

/// The request that makes the table.
pub fn create() -> String {
    json!({
        "TableName": TABLE,
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [
            {"AttributeName": "pk", "AttributeType": "S"},
            {"AttributeName": "sk", "AttributeType": "S"},
        ],
        "KeySchema": [
            {"AttributeName": "pk", "KeyType": "HASH"},
            {"AttributeName": "sk", "KeyType": "RANGE"},
        ],
    })
    .to_string()
}

/// The request that puts accounts, products and customers.
pub fn fill() -> String {
    let put = |mut item: Value, name: &str, value: Value| {
        if let Some(members) = item.as_object_mut() {
            members.insert(name.to_owned(), value);
        }
        json!({"Put": {"TableName": TABLE, "Item": item}})
    };
    let accounts = (0..ACCOUNTS).map(|n| put(account(n), "balance", number(FIRST_BALANCE)));
    let products = (0..PRODUCTS).map(|n| put(product(n), "stock", number(FIRST_STOCK)));
    let customers = (0..CUSTOMERS).map(|n| {
        let state = if n < BLOCKED { "blocked" } else { "active" };
        put(customer(n), "state", json!({"S": state}))
    });
    let puts: Vec<Value> = accounts.chain(products).chain(customers).collect();
    json!({"TransactItems": puts}).to_string()
}

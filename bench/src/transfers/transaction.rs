//! The transactions: each moves some totals and puts one record that says so.

use super::bank::{self, Total, number};
use crate::{dynamo::Refusal, random::Random};
use serde_json::{Value, json};
use std::fmt;

const MET: &str = "None";
const NOT_MET: &str = "ConditionalCheckFailed";

/// What a transaction is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deed {
    /// Money from one account to another, if there is enough.
    Transfer { from: u32, to: u32, amount: i64 },
    /// So many of a product, if there are enough and the customer may order. Fewer than none are
    /// given back.
    Order { customer: u32, product: u32, quantity: i64 },
    /// An entry of a branch, with its day's report.
    Entry { branch: u32, day: u32, income: bool, amount: i64 },
}

/// A transaction to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transaction {
    /// What it is about.
    pub deed: Deed,
    /// Where its record is.
    pub cycle: u32,
    /// Tells it from all others.
    pub id: u64,
    /// Whether it has a token, so that it may be sent again.
    pub tokened: bool,
}

impl fmt::Display for Transaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?}", self.sort_key(), self.deed)
    }
}

impl Deed {
    /// Chooses one.
    pub fn choose(random: &mut Random) -> Deed {
        let mut below = |count: u32| random.between(0, count.into()) as u32;
        match below(100) {
            0..50 => {
                let from = below(bank::ACCOUNTS);
                let to = (from + 1 + below(bank::ACCOUNTS - 1)) % bank::ACCOUNTS;
                Deed::Transfer { from, to, amount: 1 + i64::from(below(60)) }
            }
            50..75 => {
                let back = below(2) == 0;
                let quantity = 1 + i64::from(below(9));
                Deed::Order {
                    customer: below(bank::CUSTOMERS),
                    product: below(bank::PRODUCTS),
                    quantity: if back { -quantity } else { quantity },
                }
            }
            _ => Deed::Entry {
                branch: below(bank::BRANCHES),
                day: below(bank::DAYS),
                income: below(3) > 0,
                amount: 1 + i64::from(below(500)),
            },
        }
    }

    /// The same with another amount.
    pub fn changed(self) -> Deed {
        match self {
            Deed::Transfer { from, to, amount } => Deed::Transfer { from, to, amount: amount + 1 },
            Deed::Order { customer, product, quantity } => {
                Deed::Order { customer, product, quantity: quantity + 100 }
            }
            Deed::Entry { branch, day, income, amount } => {
                Deed::Entry { branch, day, income, amount: amount + 1 }
            }
        }
    }

    /// The totals it moves, and by how much.
    pub fn moves(self) -> Vec<(Total, i64)> {
        match self {
            Deed::Transfer { from, to, amount } => {
                vec![(Total::Balance(from), -amount), (Total::Balance(to), amount)]
            }
            Deed::Order { product, quantity, .. } => vec![(Total::Stock(product), -quantity)],
            Deed::Entry { branch, day, income, amount } => {
                let total = if income { Total::Income } else { Total::Expense };
                vec![(total(branch, day), amount), (Total::Entries(branch, day), 1)]
            }
        }
    }

    /// Whether a server may refuse it with these reasons.
    fn may_fail(self, reasons: &[&str]) -> bool {
        match self {
            Deed::Transfer { .. } => reasons == [NOT_MET, MET, MET],
            Deed::Order { customer, quantity, .. } => match reasons {
                [MET, stock, check] => {
                    let blocked = customer < bank::BLOCKED;
                    let short = *stock == NOT_MET && quantity > 0;
                    *check == (if blocked { NOT_MET } else { MET })
                        && (short || (*stock == MET && blocked))
                }
                _ => false,
            },
            Deed::Entry { .. } => false,
        }
    }
}

/// The partition of the records of a cycle.
pub fn partition(cycle: u32) -> String {
    format!("RECORDS#{cycle}")
}

impl Transaction {
    /// The sort key of its record.
    pub fn sort_key(&self) -> String {
        let kind = match self.deed {
            Deed::Transfer { .. } => "TRANSFER",
            Deed::Order { .. } => "ORDER",
            Deed::Entry { .. } => "ENTRY",
        };
        format!("{kind}#{:012}", self.id)
    }

    /// Its record.
    pub fn record(&self) -> Value {
        let mut record = bank::key(&partition(self.cycle), &self.sort_key());
        let fields = match self.deed {
            Deed::Transfer { from, to, amount } => json!({
                "fromAccount": number(from.into()),
                "toAccount": number(to.into()),
                "amount": number(amount),
            }),
            Deed::Order { customer, product, quantity } => json!({
                "customer": number(customer.into()),
                "product": number(product.into()),
                "quantity": number(quantity),
            }),
            Deed::Entry { branch, day, income, amount } => json!({
                "branch": number(branch.into()),
                "day": number(day.into()),
                "type": {"S": if income { "INCOME" } else { "EXPENSE" }},
                "amount": number(amount),
            }),
        };
        if let (Some(record), Value::Object(fields)) = (record.as_object_mut(), fields) {
            record.extend(fields);
        }
        record
    }

    /// The request.
    pub fn request(&self) -> String {
        let mut request = json!({"TransactItems": self.actions()});
        if let Some(members) = request.as_object_mut().filter(|_| self.tokened) {
            members
                .insert("ClientRequestToken".to_owned(), format!("token-{:012}", self.id).into());
        }
        request.to_string()
    }

    fn actions(&self) -> Value {
        let table = bank::TABLE;
        match self.deed {
            // The record has no condition: a transfer done twice is to show in the balances.
            Deed::Transfer { from, to, amount } => json!([
                {"Update": {
                    "TableName": table,
                    "Key": bank::account(from),
                    "UpdateExpression": "SET balance = balance - :amount",
                    "ConditionExpression": "balance >= :amount",
                    "ExpressionAttributeValues": {":amount": number(amount)},
                }},
                {"Update": {
                    "TableName": table,
                    "Key": bank::account(to),
                    "UpdateExpression": "SET balance = balance + :amount",
                    "ConditionExpression": "attribute_exists(pk)",
                    "ExpressionAttributeValues": {":amount": number(amount)},
                }},
                {"Put": {"TableName": table, "Item": self.record()}},
            ]),
            Deed::Order { customer, product, quantity } => json!([
                {"Put": {
                    "TableName": table,
                    "Item": self.record(),
                    "ConditionExpression": "attribute_not_exists(pk)",
                }},
                {"Update": {
                    "TableName": table,
                    "Key": bank::product(product),
                    "UpdateExpression": "SET stock = stock - :quantity",
                    "ConditionExpression": "stock >= :quantity",
                    "ExpressionAttributeValues": {":quantity": number(quantity)},
                }},
                {"ConditionCheck": {
                    "TableName": table,
                    "Key": bank::customer(customer),
                    "ConditionExpression": "attribute_exists(pk) AND #state = :active",
                    "ExpressionAttributeNames": {"#state": "state"},
                    "ExpressionAttributeValues": {":active": {"S": "active"}},
                }},
            ]),
            Deed::Entry { branch, day, income, amount } => {
                let report = bank::report(branch, day);
                json!([
                    {"Put": {
                        "TableName": table,
                        "Item": self.record(),
                        "ConditionExpression": "attribute_not_exists(pk)",
                    }},
                    // Both ways to count are there: `SET` as most write it, and `ADD`.
                    if self.id.is_multiple_of(2) {
                        json!({"Update": {
                            "TableName": table,
                            "Key": report,
                            "UpdateExpression": "SET #income = if_not_exists(#income, :zero) + :income, \
                                #expense = if_not_exists(#expense, :zero) + :expense, \
                                #count = if_not_exists(#count, :zero) + :one",
                            "ExpressionAttributeNames": {
                                "#income": "totalIncome",
                                "#expense": "totalExpense",
                                "#count": "transactionCount",
                            },
                            "ExpressionAttributeValues": {
                                ":zero": number(0),
                                ":one": number(1),
                                ":income": number(if income { amount } else { 0 }),
                                ":expense": number(if income { 0 } else { amount }),
                            },
                        }})
                    } else {
                        json!({"Update": {
                            "TableName": table,
                            "Key": report,
                            "UpdateExpression": "ADD #total :amount, transactionCount :one",
                            "ExpressionAttributeNames": {
                                "#total": if income { "totalIncome" } else { "totalExpense" },
                            },
                            "ExpressionAttributeValues": {
                                ":amount": number(amount),
                                ":one": number(1),
                            },
                        }})
                    },
                ])
            }
        }
    }

    /// Whether a server may refuse it so.
    pub fn may_be_refused(&self, refusal: &Refusal) -> bool {
        let reasons: Vec<&str> = refusal.reasons().iter().map(String::as_str).collect();
        refusal.kind() == "TransactionCanceledException" && self.deed.may_fail(&reasons)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_must_name_the_condition_that_can_fail() {
        let transfer = Deed::Transfer { from: 1, to: 2, amount: 5 };
        let order = |customer, quantity| Deed::Order { customer, product: 0, quantity };
        let entry = Deed::Entry { branch: 0, day: 0, income: true, amount: 1 };
        let (active, blocked) = (bank::BLOCKED, 0);
        for (deed, reasons, may) in [
            (transfer, vec![NOT_MET, MET, MET], true),
            (transfer, vec![MET, NOT_MET, MET], false),
            (transfer, vec![], false),
            (transfer, vec!["TransactionConflict", MET, MET], false),
            (order(active, 3), vec![MET, NOT_MET, MET], true),
            (order(active, 3), vec![MET, MET, NOT_MET], false),
            (order(active, -3), vec![MET, NOT_MET, MET], false),
            (order(blocked, 3), vec![MET, NOT_MET, NOT_MET], true),
            (order(blocked, 3), vec![MET, NOT_MET, MET], false),
            (order(blocked, -3), vec![MET, MET, NOT_MET], true),
            (order(active, 3), vec![NOT_MET, MET, MET], false),
            (entry, vec![NOT_MET, MET], false),
        ] {
            assert_eq!(deed.may_fail(&reasons), may, "{deed:?} {reasons:?}");
        }
    }

    #[test]
    fn a_changed_transaction_is_another_with_the_same_place() {
        let mut random = Random::new(3);
        for id in 0..100 {
            let deed = Deed::choose(&mut random);
            let one = Transaction { deed, cycle: 1, id, tokened: true };
            let two = Transaction { deed: deed.changed(), ..one.clone() };
            assert_ne!(one.request(), two.request());
            assert_eq!(one.sort_key(), two.sort_key());
        }
    }

    #[test]
    fn a_transfer_moves_no_money_in_or_out() {
        let moves = Deed::Transfer { from: 1, to: 2, amount: 5 }.moves();
        assert_eq!(moves.iter().map(|(_, amount)| amount).sum::<i64>(), 0);
    }
}

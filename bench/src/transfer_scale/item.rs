//! The items: customers, their orders and the lines of those, in one table with one index.

use std::fmt::Write;

/// Items of one customer: the customer, then orders, then lines of orders.
const TOGETHER: u64 = 10;
/// The last of them that is an order.
const LAST_ORDER: u64 = 3;

/// Writes the members of an item. They follow from its number alone.
pub fn write(body: &mut String, number: u64) {
    let (customer, place) = (number / TOGETHER, number % TOGETHER);
    // Writing to a string cannot fail, here and below.
    let _ = match place {
        0 => write!(
            body,
            r#""PK":{{"S":"CUSTOMER#{customer:08}"}},"SK":{{"S":"PROFILE"}},"GSI1PK":{{"S":"EMAIL#c{customer}@example.com"}},"GSI1SK":{{"S":"CUSTOMER"}},"type":{{"S":"Customer"}},"name":{{"S":"Ren\u00e9e of number {customer}"}},"address":{{"M":{{"street":{{"S":"{} Long Street"}},"city":{{"S":"Springfield"}},"zip":{{"S":"{:05}"}}}}}},"marketing":{{"BOOL":{}}},"phone":{{"NULL":true}},"tags":{{"SS":["t{}","vip"]}},"since":{{"N":"{}"}}"#,
            customer % 999,
            customer % 100_000,
            customer.is_multiple_of(2),
            customer % 7,
            1_600_000_000 + customer,
        ),
        1..=LAST_ORDER => write!(
            body,
            r#""PK":{{"S":"CUSTOMER#{customer:08}"}},"SK":{{"S":"ORDER#2026-{:02}-{:02}#{number:09}"}},"GSI1PK":{{"S":"STATUS#{}"}},"GSI1SK":{{"S":"{number:09}"}},"type":{{"S":"Order"}},"total":{{"N":"{}.{:02}"}},"currency":{{"S":"EUR"}},"lines":{{"L":[{{"M":{{"sku":{{"S":"SKU-{}"}},"quantity":{{"N":"{}"}}}}}},{{"M":{{"sku":{{"S":"SKU-{}"}},"quantity":{{"N":"1"}}}}}}]}},"note":{{"S":"leave it with the neighbour if nobody is at home"}}"#,
            1 + number % 12,
            1 + number % 28,
            ["PLACED", "SHIPPED", "DELIVERED"].get(place as usize - 1).unwrap_or(&"LOST"),
            number % 500,
            number % 100,
            number % 9973,
            1 + number % 5,
            number % 7919,
        ),
        _ => write!(
            body,
            r#""PK":{{"S":"ORDER#{:09}"}},"SK":{{"S":"LINE#{place}"}},"type":{{"S":"Line"}},"sku":{{"S":"SKU-{}"}},"price":{{"N":"{}.5"}},"weight":{{"N":"{}E-3"}},"digest":{{"B":"q83vASNFZ4k="}},"text":{{"S":"a line of an order with a text that says what was bought, in which colour and size"}}"#,
            customer * TOGETHER + 1 + place % LAST_ORDER,
            number % 9973,
            number % 300,
            number % 4000 + 1,
        ),
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;
    use std::collections::HashSet;

    #[test]
    fn items_are_json_with_keys_of_their_own() {
        let mut keys = HashSet::new();
        for number in 0..5000 {
            let mut body = "{".to_owned();
            write(&mut body, number);
            body.push('}');
            let item: Value = serde_json::from_str(&body).unwrap();
            let key = |name: &str| item[name]["S"].as_str().unwrap().to_owned();
            assert!(keys.insert((key("PK"), key("SK"))), "{body}");
        }
    }
}

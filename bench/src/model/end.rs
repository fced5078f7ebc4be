//! The end: everything is read back, and what the table says about itself is held against it.

use super::{
    client::{self, Difference, PATIENCE, Record, shown},
    shared,
    table::{self, Contents},
    value::{Item, item_answer, item_request, sort_sets_of_item},
};
use crate::{
    Failure,
    dynamo::{ask, describe},
    http::{Connection, Endpoint},
};
use serde_json::{Value as Json, json};

/// Compares all items, and all counts and sizes. Gives the differences.
pub fn check(endpoint: &Endpoint, records: &[Record]) -> Result<Vec<Difference>, Failure> {
    let mut connection = Connection::open(endpoint, PATIENCE)?;
    let mut differences = Vec::new();
    let items = expected(records);
    for (key, item) in &items {
        let request = json!({
            "TableName": table::NAME,
            "Key": item_request(key),
            "ConsistentRead": true,
        });
        let answer = ask(&mut connection, "GetItem", &request.to_string())?;
        differences.extend(of_item(&request, item.as_ref(), answer.get("Item")));
    }
    let description = describe(&mut connection, table::NAME)?.unwrap_or_default();
    let contents = Contents::of(items.iter().filter_map(|(_, item)| item.as_ref()));
    differences.extend(of_contents(&contents, &Contents::described(&description)));
    Ok(differences)
}

/// Every key ever used and what it has.
fn expected(records: &[Record]) -> Vec<(Item, Option<Item>)> {
    let mut items = Vec::new();
    for (client, record) in (0..).zip(records) {
        for number in client::keys() {
            items.push((client::key(client, number), record.items.get(&number).cloned()));
        }
    }
    let shares: Vec<_> = records.iter().map(|record| record.shares.clone()).collect();
    for number in shared::keys() {
        items.push((shared::key(number), shared::end_result(number, &shares)));
    }
    items
}

fn of_item(request: &Json, expected: Option<&Item>, found: Option<&Json>) -> Option<Difference> {
    let found = found.map(|found| {
        let mut found = found.clone();
        sort_sets_of_item(&mut found);
        found
    });
    (expected.map(item_answer) != found).then(|| Difference {
        request: format!("GetItem {request}"),
        before: "at the end".to_owned(),
        expected: shown(expected),
        found: found.map_or_else(|| "no item".to_owned(), |found| found.to_string()),
    })
}

fn of_contents(expected: &Contents, found: &Contents) -> Option<Difference> {
    (expected != found).then(|| Difference {
        request: "DescribeTable".to_owned(),
        before: "at the end".to_owned(),
        expected: format!("{expected:?}"),
        found: format!("{found:?}"),
    })
}

#[cfg(test)]
mod tests {
    use super::{super::tests_of::*, *};

    #[test]
    fn an_item_that_is_not_as_it_should_be_is_a_difference() {
        let one = item("{'n': {'N': '1'}, 's': {'SS': ['a', 'b']}}");
        let differs = |expected: Option<&Item>, found: Option<Json>| {
            of_item(&Json::Null, expected, found.as_ref()).is_some()
        };
        assert!(!differs(None, None));
        assert!(!differs(Some(&one), Some(json!({"n": {"N": "1"}, "s": {"SS": ["b", "a"]}}))));
        assert!(differs(Some(&one), None));
        assert!(differs(None, Some(json!({"n": {"N": "1"}}))));
        assert!(differs(Some(&one), Some(json!({"n": {"N": "1"}, "s": {"SS": ["a"]}}))));
        assert!(differs(Some(&one), Some(json!({"n": {"N": "2"}, "s": {"SS": ["a", "b"]}}))));
    }

    #[test]
    fn a_wrong_count_or_size_is_a_difference() {
        let right = Contents::of([&item("{'pk': {'S': 'p'}, 'lsk': {'N': '1'}}")].into_iter());
        assert!(of_contents(&right, &right).is_none());
        for wrong in [
            |contents: &mut Contents| contents.table.count += 1,
            |contents: &mut Contents| contents.table.bytes -= 1,
            |contents: &mut Contents| contents.global.count += 1,
            |contents: &mut Contents| contents.local.bytes += 1,
        ] {
            let mut found = right;
            wrong(&mut found);
            assert!(of_contents(&right, &found).is_some());
        }
    }
}

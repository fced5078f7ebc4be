//! The comparison must be able to fail: each test shows it answers that are wrong in one thing.

use super::{super::tests_of::*, *};

fn differs(expected: &Expected, status: u16, body: &str) -> bool {
    expected.difference(status, body.replace('\'', "\"").as_bytes()).is_some()
}

#[test]
fn items_are_compared_to_the_last_digit() {
    let attributes =
        item("{'n': {'N': '1.5'}, 's': {'SS': ['a', 'b']}, 'l': {'L': [{'N': '1'}, {'N': '2'}]}}");
    let expected = Expected::Done { member: Some(("Attributes", attributes)), cost: None };
    let list = "'l': {'L': [{'N': '1'}, {'N': '2'}]}";
    for (right, body) in [
        (true, format!("{{'Attributes': {{'n': {{'N': '1.5'}}, 's': {{'SS': ['a', 'b']}}, {list}}}}}")),
        (true, format!("{{'Attributes': {{{list}, 's': {{'SS': ['b', 'a']}}, 'n': {{'N': '1.5'}}}}}}")),
        (false, format!("{{'Attributes': {{'n': {{'N': '1.50'}}, 's': {{'SS': ['a', 'b']}}, {list}}}}}")),
        (false, format!("{{'Attributes': {{'n': {{'S': '1.5'}}, 's': {{'SS': ['a', 'b']}}, {list}}}}}")),
        (false, format!("{{'Attributes': {{'n': {{'N': '1.5'}}, 's': {{'SS': ['a']}}, {list}}}}}")),
        (false, format!("{{'Attributes': {{'n': {{'N': '1.5'}}, 's': {{'SS': ['a', 'b', 'b']}}, {list}}}}}")),
        (false, format!("{{'Attributes': {{'n': {{'N': '1.5'}}, {list}}}}}")),
        (false, format!("{{'Item': {{'n': {{'N': '1.5'}}, 's': {{'SS': ['a', 'b']}}, {list}}}}}")),
        (false, "{'Attributes': {'n': {'N': '1.5'}, 's': {'SS': ['a', 'b']}, 'l': {'L': [{'N': '2'}, {'N': '1'}]}}}".to_owned()),
        (false, "{}".to_owned()),
        (false, String::new()),
    ] {
        assert_eq!(differs(&expected, 200, &body), !right, "{body}");
    }
}

#[test]
fn nothing_is_expected_to_be_nothing() {
    let expected = Expected::Done { member: None, cost: None };
    assert!(!differs(&expected, 200, "{}"));
    assert!(differs(&expected, 200, "{'Attributes': {}}"));
    assert!(differs(&expected, 200, "{'Item': {}}"));
    assert!(differs(&expected, 500, "{}"));
    assert!(differs(&expected, 200, "no JSON"));
}

#[test]
fn errors_have_their_name_and_text() {
    let expected = Expected::Invalid(BTreeSet::from(["one".to_owned(), "two".to_owned()]));
    let body = |kind: &str, text: &str| format!("{{'__type': '{kind}', 'message': '{text}'}}");
    assert!(!differs(&expected, 400, &body("a.b#ValidationException", "one")));
    assert!(!differs(&expected, 400, &body("ValidationException", "two")));
    assert!(differs(&expected, 400, &body("ValidationException", "three")));
    assert!(differs(&expected, 400, &body("InternalServerError", "one")));
    assert!(differs(&expected, 500, &body("ValidationException", "one")));
    assert!(differs(&expected, 200, "{}"));
}

#[test]
fn a_failed_condition_has_the_item_only_if_asked_for() {
    let body = "{'__type': 'x#ConditionalCheckFailedException', \
                'message': 'The conditional request failed'";
    let bare = format!("{body}}}");
    let with = format!("{body}, 'Item': {{'n': {{'N': '1'}}}}}}");
    let asked = Expected::ConditionFailed(Some(item("{'n': {'N': '1'}}")));
    let not_asked = Expected::ConditionFailed(None);
    assert!(!differs(&asked, 400, &with));
    assert!(differs(&asked, 400, &bare));
    assert!(!differs(&not_asked, 400, &bare));
    assert!(differs(&not_asked, 400, &with));
}

#[test]
fn costs_are_compared() {
    let cost = Cost::of_read(None, true);
    let expected = Expected::Done { member: None, cost: Some((cost, Detail::Total)) };
    let body = |units: &str| {
        format!("{{'ConsumedCapacity': {{'TableName': 'model', 'CapacityUnits': {units}}}}}")
    };
    assert!(!differs(&expected, 200, &body("1")));
    assert!(!differs(&expected, 200, &body("1.0")));
    assert!(differs(&expected, 200, &body("0.5")));
    assert!(differs(&expected, 200, "{}"));
}

//! Names and values as such: their keys, and which were used.

use std::collections::BTreeMap;

use value::{Value, ValueError};

use super::error;
use crate::{
    ConditionSyntax, Kind, PlaceholderError, Placeholders, ProjectionSyntax, UpdateSyntax,
};

fn names(keys: &[&str]) -> Option<BTreeMap<String, String>> {
    let names = keys.iter().map(|key| (key.to_string(), "a".to_owned()));
    Some(names.collect())
}

fn values(keys: &[&str]) -> Option<BTreeMap<String, Value>> {
    let values = keys.iter().map(|key| (key.to_string(), Value::Null));
    Some(values.collect())
}

#[test]
fn keys_are_checked_names_first() {
    let name = |key: &str| {
        format!("ExpressionAttributeNames contains invalid key: Syntax error; key: \"{key}\"")
    };
    let value = |key: &str| {
        format!("ExpressionAttributeValues contains invalid key: Syntax error; key: \"{key}\"")
    };
    for (given_names, given_values, expect) in [
        (names(&[]), values(&[]), "ExpressionAttributeNames must not be empty".to_owned()),
        (None, values(&[]), "ExpressionAttributeValues must not be empty".to_owned()),
        (names(&["a"]), values(&[]), name("a")),
        (names(&["#"]), None, name("#")),
        (names(&["#a", "#b c"]), None, name("#b c")),
        (names(&["#a-b"]), values(&["b"]), name("#a-b")),
        (names(&["##a"]), None, name("##a")),
        (names(&[":a"]), None, name(":a")),
        (names(&["#\u{e9}"]), None, name("#\u{e9}")),
        (names(&[""]), None, name("")),
        (names(&["#a"]), values(&["a"]), value("a")),
        (None, values(&[":"]), value(":")),
        (None, values(&["#a"]), value("#a")),
        (None, values(&[":a.b"]), value(":a.b")),
        (
            names(&[&format!("#{}", "a".repeat(255))]),
            None,
            "ExpressionAttributeNames contains invalid key: The expression attribute map contains \
             a key that is too long; size of key: 256"
                .to_owned(),
        ),
        (
            Some(BTreeMap::from([("#a".to_owned(), String::new())])),
            None,
            "ExpressionAttributeNames contains invalid value: Empty attribute name for key #a"
                .to_owned(),
        ),
    ] {
        assert_eq!(error(Placeholders::new(given_names, given_values)), expect);
    }
    let long = format!(":{}", "a".repeat(254));
    assert!(Placeholders::new(names(&["#0", "#_"]), values(&[&long])).is_ok());
    assert!(Placeholders::new(None, None).is_ok());
}

#[test]
fn bad_values_are_reported_with_their_key() {
    let found = Placeholders::invalid_value(":v", ValueError::Empty).to_string();
    assert_eq!(
        found,
        "ExpressionAttributeValues contains invalid value: Supplied AttributeValue is empty, must \
         contain exactly one of the supported datatypes for key :v"
    );
}

#[test]
fn unused_placeholders_are_listed_in_order() {
    let mut placeholders =
        Placeholders::new(names(&["#c", "#a", "#b"]), values(&[":z", ":y", ":x"])).unwrap();
    let condition = ConditionSyntax::parse(Kind::Filter, "#a = :x").unwrap();
    condition.bind(&mut placeholders).unwrap();
    assert_eq!(
        error(placeholders.all_used()),
        "Value provided in ExpressionAttributeNames unused in expressions: keys: {#b, #c}"
    );
    let projection = ProjectionSyntax::parse("c.#c.#b").unwrap();
    projection.bind(&mut placeholders).unwrap();
    assert_eq!(
        error(placeholders.all_used()),
        "Value provided in ExpressionAttributeValues unused in expressions: keys: {:y, :z}"
    );
    let update = UpdateSyntax::parse("SET a = :y, b = if_not_exists(#a, :z)").unwrap();
    update.bind(&mut placeholders).unwrap();
    assert_eq!(placeholders.all_used(), Ok(()));
}

#[test]
fn texts_about_the_mix_of_parameters() {
    for (error, expect) in [
        (
            PlaceholderError::NamesWithoutExpression,
            "ExpressionAttributeNames can only be specified when using expressions",
        ),
        (
            PlaceholderError::ValuesWithoutExpression(vec![Kind::Condition]),
            "ExpressionAttributeValues can only be specified when using expressions: \
             ConditionExpression is null",
        ),
        (
            PlaceholderError::ValuesWithoutExpression(vec![Kind::Update, Kind::Condition]),
            "ExpressionAttributeValues can only be specified when using expressions: \
             UpdateExpression and ConditionExpression are null",
        ),
        (
            PlaceholderError::MixedStyles {
                legacy: vec!["Expected", "AttributeUpdates"],
                expressions: vec![Kind::Update, Kind::Condition],
            },
            "Can not use both expression and non-expression parameters in the same request: \
             Non-expression parameters: {Expected, AttributeUpdates} Expression parameters: \
             {UpdateExpression, ConditionExpression}",
        ),
    ] {
        assert_eq!(error.to_string(), expect);
    }
}

//! Legacy parameters: conditions, filters, projections, updates and key conditions.

use std::collections::BTreeMap;

use value::{Item, KeyType, Value};

use super::error;
use super::notation::{item, value};
use crate::legacy::{
    AttributeAction, AttributeUpdate, Comparison, ComparisonOperator, ConditionalOperator,
    ExpectedTest, attribute_updates, attributes_to_get, expected, filter, key_conditions,
};
use crate::{KeyCondition, KeyRange, KeySchema, Updated};

fn operator(name: &str) -> ComparisonOperator {
    ComparisonOperator::from_name(name).unwrap()
}

fn list(text: &str) -> Vec<Value> {
    match value(text) {
        Value::L(values) => values,
        other => panic!("{other:?} is no list"),
    }
}

fn comparisons(rows: &[(&str, &str, &str)]) -> BTreeMap<String, Comparison> {
    let entries = rows.iter().map(|(name, name_of_operator, values)| {
        let operator = operator(name_of_operator);
        let values = list(values);
        (name.to_string(), Comparison { operator, values })
    });
    entries.collect()
}

const ITEM: &str = "{s: 'abc', n: 5, b: x'0102', ss: <'a', 'b'>, ns: <1, 2>, bs: <x'01'>, \
                    l: ['a', 1, x'01'], m: {a: 1}, z: null, t: true, 'x.y': 1}";

#[test]
fn operators_hold_or_not() {
    for (name, operator, values, expect) in [
        ("s", "EQ", "['abc']", true),
        ("s", "EQ", "['a']", false),
        ("n", "EQ", "[5.0]", true),
        ("m", "EQ", "[{a: 1}]", true),
        ("z", "EQ", "[null]", true),
        ("ss", "EQ", "[<'b', 'a'>]", true),
        ("gone", "EQ", "['a']", false),
        ("x.y", "EQ", "[1]", true),
        ("s", "NE", "['abc']", false),
        ("s", "NE", "['a']", true),
        ("s", "NE", "[1]", true),
        ("gone", "NE", "['a']", true),
        ("l", "NE", "[['a']]", true),
        ("n", "LE", "[5]", true),
        ("n", "LT", "[5]", false),
        ("n", "GE", "[5]", true),
        ("n", "GT", "[4]", true),
        ("n", "GT", "['4']", false),
        ("s", "LT", "['b']", true),
        ("b", "GT", "[x'01']", true),
        ("gone", "LT", "[1]", false),
        ("n", "BETWEEN", "[1, 5]", true),
        ("n", "BETWEEN", "[6, 7]", false),
        ("s", "BETWEEN", "['a', 'b']", true),
        ("n", "BETWEEN", "['a', 'b']", false),
        ("gone", "BETWEEN", "[1, 2]", false),
        ("n", "IN", "[1, 5]", true),
        ("n", "IN", "[1]", false),
        ("s", "IN", "['x', 'abc']", true),
        ("gone", "IN", "[1]", false),
        ("s", "BEGINS_WITH", "['ab']", true),
        ("s", "BEGINS_WITH", "['b']", false),
        ("b", "BEGINS_WITH", "[x'01']", true),
        ("n", "BEGINS_WITH", "['5']", false),
        ("gone", "BEGINS_WITH", "['']", false),
        ("s", "CONTAINS", "['bc']", true),
        ("s", "CONTAINS", "['x']", false),
        ("b", "CONTAINS", "[x'02']", true),
        ("ss", "CONTAINS", "['a']", true),
        ("ss", "CONTAINS", "['c']", false),
        ("ns", "CONTAINS", "[2]", true),
        ("bs", "CONTAINS", "[x'01']", true),
        ("l", "CONTAINS", "[1]", true),
        ("l", "CONTAINS", "['b']", false),
        ("m", "CONTAINS", "['a']", false),
        ("gone", "CONTAINS", "['a']", false),
        ("s", "NOT_CONTAINS", "['bc']", false),
        ("s", "NOT_CONTAINS", "['x']", true),
        ("s", "NOT_CONTAINS", "[1]", true),
        ("ss", "NOT_CONTAINS", "['a']", false),
        ("ns", "NOT_CONTAINS", "[3]", true),
        ("l", "NOT_CONTAINS", "['a']", false),
        ("l", "NOT_CONTAINS", "['b']", true),
        ("n", "NOT_CONTAINS", "[5]", true),
        ("gone", "NOT_CONTAINS", "['a']", false),
        ("s", "NOT_NULL", "[]", true),
        ("z", "NOT_NULL", "[]", true),
        ("gone", "NOT_NULL", "[]", false),
        ("gone", "NULL", "[]", true),
        ("z", "NULL", "[]", false),
    ] {
        let row = format!("{name} {operator} {values}");
        let condition = filter(&comparisons(&[(name, operator, values)]), None).unwrap();
        assert_eq!(condition.matches(&item(ITEM)), expect, "{row}");
    }
}

#[test]
fn values_must_fit_the_operator() {
    let count = |operator: &str| {
        format!(
            "One or more parameter values were invalid: Invalid number of argument(s) for the \
             {operator} ComparisonOperator"
        )
    };
    let mixed = || {
        "One or more parameter values were invalid: AttributeValues inside AttributeValueList must \
         be of same type"
            .to_owned()
    };
    let types = |operator: &str, found: &str| {
        format!(
            "One or more parameter values were invalid: ComparisonOperator {operator} is not valid \
             for {found} AttributeValue type"
        )
    };
    let mut rows = Vec::new();
    for operator in ["EQ", "NE", "LE", "LT", "GE", "GT", "CONTAINS", "NOT_CONTAINS", "BEGINS_WITH"]
    {
        rows.push((operator, "[]", count(operator)));
        rows.push((operator, "['a', 'b']", count(operator)));
    }
    for operator in ["NULL", "NOT_NULL"] {
        rows.push((operator, "['a']", count(operator)));
    }
    for operator in ["LE", "LT", "GE", "GT", "CONTAINS", "NOT_CONTAINS", "BEGINS_WITH", "IN"] {
        for (value, found) in [
            ("[true]", "BOOL"),
            ("[null]", "NULL"),
            ("[[1]]", "L"),
            ("[{}]", "M"),
            ("[<'a'>]", "SS"),
            ("[<1>]", "NS"),
            ("[<x'01'>]", "BS"),
        ] {
            rows.push((operator, value, types(operator, found)));
        }
    }
    rows.extend([
        ("IN", "[]", count("IN")),
        ("IN", "[1, 'a']", mixed()),
        ("BETWEEN", "[1]", count("BETWEEN")),
        ("BETWEEN", "[1, 2, 3]", count("BETWEEN")),
        ("BETWEEN", "[1, 'a']", mixed()),
        ("BETWEEN", "[true, true]", types("BETWEEN", "BOOL")),
        ("BEGINS_WITH", "[1]", types("BEGINS_WITH", "N")),
        (
            "BETWEEN",
            "[2, 1]",
            "The BETWEEN condition was provided a range where the lower bound is greater than the \
             upper bound"
                .to_owned(),
        ),
    ]);
    for (operator, values, expect) in rows {
        let row = comparisons(&[("a", operator, values)]);
        assert_eq!(error(filter(&row, None)), expect, "{operator} {values}");
        assert_eq!(error(key_conditions(&row)), expect, "{operator} {values}");
        let test = ExpectedTest {
            operator: Some(row["a"].operator),
            list: Some(row["a"].values.clone()),
            ..ExpectedTest::default()
        };
        let tests = BTreeMap::from([("a".to_owned(), test)]);
        assert_eq!(error(expected(&tests, None)), expect, "{operator} {values}");
    }
}

fn expect(
    value_given: Option<&str>,
    exists: Option<bool>,
    name: Option<&str>,
    values: Option<&str>,
) -> ExpectedTest {
    ExpectedTest {
        value: value_given.map(value),
        exists,
        operator: name.map(operator),
        list: values.map(list),
    }
}

#[test]
fn forms_of_expected() {
    for (test, present, missing) in [
        (expect(Some("5"), None, None, None), true, false),
        (expect(Some("6"), None, None, None), false, false),
        (expect(Some("5"), Some(true), None, None), true, false),
        (expect(None, Some(false), None, None), false, true),
        (expect(Some("5"), None, Some("EQ"), None), true, false),
        (expect(None, None, Some("EQ"), Some("[5]")), true, false),
        (expect(None, None, Some("NE"), Some("[5]")), false, true),
        (expect(Some("4"), None, Some("GT"), None), true, false),
        (expect(None, None, Some("NULL"), None), false, true),
        (expect(None, None, Some("NOT_NULL"), None), true, false),
        (expect(None, None, Some("NOT_NULL"), Some("[]")), true, false),
        (expect(Some("5"), None, Some("IN"), None), true, false),
    ] {
        let tests = BTreeMap::from([("n".to_owned(), test.clone())]);
        let condition = expected(&tests, None).unwrap();
        assert_eq!(condition.matches(&item(ITEM)), present, "{test:?}");
        assert_eq!(condition.matches(&Item::new()), missing, "{test:?}");
    }
    let prefix = "One or more parameter values were invalid: ";
    for (test, text) in [
        (
            expect(Some("1"), None, Some("EQ"), Some("[1]")),
            "Value and AttributeValueList cannot be used together for Attribute: n",
        ),
        (
            expect(Some("1"), Some(true), Some("EQ"), None),
            "Exists and ComparisonOperator cannot be used together for Attribute: n",
        ),
        (
            expect(None, Some(false), Some("NULL"), None),
            "Exists and ComparisonOperator cannot be used together for Attribute: n",
        ),
        (
            expect(None, None, Some("GT"), None),
            "Value or AttributeValueList must be used with ComparisonOperator: GT for Attribute: n",
        ),
        (
            expect(None, None, None, Some("[1]")),
            "AttributeValueList can only be used with a ComparisonOperator for Attribute: n",
        ),
        (
            expect(None, Some(false), None, Some("[1]")),
            "AttributeValueList can only be used with a ComparisonOperator for Attribute: n",
        ),
        (
            expect(None, None, None, None),
            "Value must be provided when Exists is null for Attribute: n",
        ),
        (
            expect(None, Some(true), None, None),
            "Value must be provided when Exists is true for Attribute: n",
        ),
        (
            expect(Some("1"), Some(false), None, None),
            "Value cannot be used when Exists is false for Attribute: n",
        ),
        (
            expect(Some("1"), None, Some("NULL"), None),
            "Invalid number of argument(s) for the NULL ComparisonOperator",
        ),
        (
            expect(Some("1"), None, Some("BETWEEN"), None),
            "Invalid number of argument(s) for the BETWEEN ComparisonOperator",
        ),
    ] {
        let tests = BTreeMap::from([("n".to_owned(), test)]);
        assert_eq!(error(expected(&tests, None)), format!("{prefix}{text}"));
    }
}

#[test]
fn conditions_are_joined() {
    let rows = comparisons(&[("n", "EQ", "[5]"), ("s", "EQ", "['x']"), ("t", "NULL", "[]")]);
    let or = Some(ConditionalOperator::Or);
    let and = Some(ConditionalOperator::And);
    assert!(!filter(&rows, None).unwrap().matches(&item(ITEM)));
    assert!(!filter(&rows, and).unwrap().matches(&item(ITEM)));
    assert!(filter(&rows, or).unwrap().matches(&item(ITEM)));
    let none = comparisons(&[]);
    assert!(filter(&none, None).unwrap().matches(&item(ITEM)));
    let alone = "One or more parameter values were invalid: ConditionalOperator cannot be used \
                 without Filter or Expected";
    assert_eq!(error(filter(&none, or)), alone);
    assert_eq!(error(expected(&BTreeMap::new(), and)), alone);
    let mentioned = filter(&rows, None).unwrap();
    assert_eq!(mentioned.attributes().collect::<Vec<_>>(), ["n", "s", "t"]);
}

#[test]
fn attributes_to_get_are_top_level() {
    let names = |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<Vec<_>>();
    let projection = attributes_to_get(&names(&["n", "x.y", "gone"])).unwrap();
    assert_eq!(projection.apply(&item(ITEM)), item("{n: 5, 'x.y': 1}"));
    assert_eq!(
        error(attributes_to_get(&names(&["a", "b", "a"]))),
        "One or more parameter values were invalid: Duplicate value in attribute name: a"
    );
}

fn updated(
    action: AttributeAction,
    value_given: Option<&str>,
    old: Option<&str>,
) -> Result<Updated, String> {
    let value = value_given.map(value);
    let updates = BTreeMap::from([("a".to_owned(), AttributeUpdate { action, value })]);
    let update = attribute_updates(&updates).map_err(|found| found.to_string())?;
    let old = old.map(item);
    let key = item("{pk: 'p'}");
    update.apply(old.as_ref(), &key).map_err(|found| found.to_string())
}

#[test]
fn attribute_updates_write_what_they_say() {
    use AttributeAction::{Add, Delete, Put};
    for (action, value, old, expect) in [
        (Put, Some("1"), Some("{a: 'x', b: 2}"), Some("{a: 1, b: 2}")),
        (Put, Some("{}"), Some("{}"), Some("{a: {}}")),
        (Put, Some("1"), None, Some("{pk: 'p', a: 1}")),
        (Delete, None, Some("{a: 'x', b: 2}"), Some("{b: 2}")),
        (Delete, None, Some("{b: 2}"), Some("{b: 2}")),
        (Delete, None, None, None),
        (Delete, Some("<1>"), Some("{a: <1, 2>}"), Some("{a: <2>}")),
        (Delete, Some("<1>"), Some("{a: <1>}"), Some("{}")),
        (Delete, Some("<'x'>"), Some("{b: 1}"), Some("{b: 1}")),
        (Delete, Some("<'x'>"), None, None),
        (Add, Some("2"), Some("{a: 1}"), Some("{a: 3}")),
        (Add, Some("2"), Some("{}"), Some("{a: 2}")),
        (Add, Some("2"), None, Some("{pk: 'p', a: 2}")),
        (Add, Some("<2>"), Some("{a: <1>}"), Some("{a: <1, 2>}")),
        (Add, Some("[2]"), Some("{a: [1]}"), Some("{a: [1, 2]}")),
        (Add, Some("[2]"), Some("{}"), Some("{a: [2]}")),
    ] {
        let row = format!("{action:?} {value:?} {old:?}");
        assert_eq!(updated(action, value, old).unwrap().item, expect.map(item), "{row}");
    }
    let prefix = "One or more parameter values were invalid: ";
    let without =
        format!("{prefix}Only DELETE action is allowed when no attribute value is specified");
    let delete = |found: &str| {
        format!("{prefix}DELETE action with value is not supported for the type {found}")
    };
    let add = |found: &str| format!("{prefix}ADD action is not supported for the type {found}");
    let mismatch = "Type mismatch for attribute to update".to_owned();
    for (action, value, old, expect) in [
        (Put, None, None, without.clone()),
        (Add, None, None, without),
        (Delete, Some("'x'"), None, delete("S")),
        (Delete, Some("1"), None, delete("N")),
        (Delete, Some("[1]"), None, delete("L")),
        (Delete, Some("{}"), None, delete("M")),
        (Delete, Some("null"), None, delete("NULL")),
        (Add, Some("'x'"), None, add("S")),
        (Add, Some("x'01'"), None, add("B")),
        (Add, Some("true"), None, add("BOOL")),
        (Add, Some("{}"), None, add("M")),
        (Add, Some("1"), Some("{a: 'x'}"), mismatch.clone()),
        (Add, Some("<1>"), Some("{a: 1}"), mismatch.clone()),
        (Add, Some("<1>"), Some("{a: <'x'>}"), mismatch.clone()),
        (Add, Some("[1]"), Some("{a: <1>}"), mismatch.clone()),
        (Delete, Some("<1>"), Some("{a: 1}"), mismatch.clone()),
        (Delete, Some("<1>"), Some("{a: <'x'>}"), mismatch),
    ] {
        let row = format!("{action:?} {value:?} {old:?}");
        assert_eq!(error(updated(action, value, old)), expect, "{row}");
    }
}

#[test]
fn empty_attribute_updates_create_the_bare_item() {
    let update = attribute_updates(&BTreeMap::new()).unwrap();
    let key = item("{pk: 'p'}");
    assert_eq!(update.apply(None, &key).unwrap().item, Some(key.clone()));
    let old = item("{pk: 'p', a: 1}");
    assert_eq!(update.apply(Some(&old), &key).unwrap().item, Some(old));
}

#[test]
fn key_conditions_need_an_index() {
    const SCHEMA: KeySchema<'_> =
        KeySchema { partition: &[("pk", KeyType::S)], sort: &[("sk", KeyType::N)] };
    for (operator, values, sort, range) in [
        ("EQ", "[1]", vec![value("1")], None),
        ("LT", "[1]", vec![], Some(KeyRange::Lt(value("1")))),
        ("LE", "[1]", vec![], Some(KeyRange::Le(value("1")))),
        ("GT", "[1]", vec![], Some(KeyRange::Gt(value("1")))),
        ("GE", "[1]", vec![], Some(KeyRange::Ge(value("1")))),
        ("BETWEEN", "[1, 2]", vec![], Some(KeyRange::Between(value("1"), value("2")))),
    ] {
        let rows = comparisons(&[("pk", "EQ", "['p']"), ("sk", operator, values)]);
        let found = key_conditions(&rows).unwrap().against(SCHEMA);
        let partition = vec![value("'p'")];
        assert_eq!(found, Ok(KeyCondition { partition, sort, range }), "{operator}");
    }
    for (operator, values) in [
        ("NE", "[1]"),
        ("IN", "[1]"),
        ("CONTAINS", "[1]"),
        ("NOT_CONTAINS", "[1]"),
        ("NULL", "[]"),
        ("NOT_NULL", "[]"),
    ] {
        assert_eq!(
            error(key_conditions(&comparisons(&[("pk", operator, values)]))),
            "Attempted conditional constraint is not an indexable operation",
            "{operator}"
        );
    }
    for (rows, expect) in [
        (comparisons(&[("pk", "GT", "['p']")]), "Query key condition not supported"),
        (comparisons(&[("sk", "EQ", "[1]")]), "Query condition missed key schema element: pk"),
        (
            comparisons(&[("pk", "EQ", "['p']"), ("a", "EQ", "[1]")]),
            "Query condition missed key schema element: sk",
        ),
        (
            comparisons(&[("pk", "EQ", "['p']"), ("sk", "BEGINS_WITH", "['a']")]),
            "One or more parameter values were invalid: Condition parameter type does not match \
             schema type",
        ),
        (
            comparisons(&[("pk", "EQ", "['p']"), ("sk", "EQ", "[1]"), ("a", "EQ", "[1]")]),
            "Conditions can be of length 1 or 2 only",
        ),
        (comparisons(&[]), "Query condition missed key schema element: pk"),
    ] {
        assert_eq!(error(key_conditions(&rows).unwrap().against(SCHEMA)), expect);
    }
}

#[test]
fn operator_names_go_both_ways() {
    for name in [
        "EQ",
        "NE",
        "LE",
        "LT",
        "GE",
        "GT",
        "NOT_NULL",
        "NULL",
        "CONTAINS",
        "NOT_CONTAINS",
        "BEGINS_WITH",
        "IN",
        "BETWEEN",
    ] {
        assert_eq!(operator(name).name(), name);
    }
    assert_eq!(ComparisonOperator::from_name("LIKE"), None);
}

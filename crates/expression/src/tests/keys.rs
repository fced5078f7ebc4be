//! Key conditions: what a query can answer, and what it refuses.

use value::KeyType;

use super::notation::value;
use super::{error, placeholders};
use crate::{ExpressionError, KeyCondition, KeyConditionSyntax, KeyRange, KeySchema, KeyTests};

const VALUES: &str = "{p: 'p', s: 's', t: 't', n: 1, n2: 2, b: x'01', m: {}, z: null}";
const HASH: KeySchema<'_> = KeySchema { partition: &[("pk", KeyType::S)], sort: &[] };
const BOTH: KeySchema<'_> =
    KeySchema { partition: &[("pk", KeyType::S)], sort: &[("sk", KeyType::S)] };
const NUMBER: KeySchema<'_> =
    KeySchema { partition: &[("pk", KeyType::S)], sort: &[("sk", KeyType::N)] };
const MANY: KeySchema<'_> = KeySchema {
    partition: &[("p1", KeyType::S), ("p2", KeyType::N)],
    sort: &[("s1", KeyType::S), ("s2", KeyType::N), ("s3", KeyType::S)],
};

fn bind(text: &str) -> Result<KeyTests, ExpressionError> {
    let syntax = KeyConditionSyntax::parse(text)?;
    syntax.bind(&mut placeholders("{k: 'pk', r: 'sk', d: 'x.y'}", VALUES))
}

fn against(text: &str, schema: KeySchema<'_>) -> Result<KeyCondition, ExpressionError> {
    bind(text)?.against(schema)
}

#[test]
fn tests_become_ranges_of_keys() {
    let s = |text: &str| value(&format!("'{text}'"));
    for (text, range) in [
        ("pk = :p AND sk < :s", Some(KeyRange::Lt(s("s")))),
        ("pk = :p AND sk <= :s", Some(KeyRange::Le(s("s")))),
        ("pk = :p AND sk > :s", Some(KeyRange::Gt(s("s")))),
        ("pk = :p AND sk >= :s", Some(KeyRange::Ge(s("s")))),
        ("pk = :p AND :s < sk", Some(KeyRange::Gt(s("s")))),
        ("pk = :p AND :s <= sk", Some(KeyRange::Ge(s("s")))),
        ("pk = :p AND :s > sk", Some(KeyRange::Lt(s("s")))),
        ("pk = :p AND :s >= sk", Some(KeyRange::Le(s("s")))),
        ("sk > :s AND pk = :p", Some(KeyRange::Gt(s("s")))),
        ("pk = :p AND sk BETWEEN :s AND :t", Some(KeyRange::Between(s("s"), s("t")))),
        ("sk BETWEEN :s AND :t AND pk = :p", Some(KeyRange::Between(s("s"), s("t")))),
        ("pk = :p AND begins_with(sk, :s)", Some(KeyRange::BeginsWith(s("s")))),
        ("(pk = :p) AND (begins_with(sk, :s))", Some(KeyRange::BeginsWith(s("s")))),
        ("(pk = :p AND sk < :s)", Some(KeyRange::Lt(s("s")))),
        ("(pk = :p AND (sk < :s))", Some(KeyRange::Lt(s("s")))),
        ("(pk) = (:p) AND (sk) < (:s)", Some(KeyRange::Lt(s("s")))),
        ("#k = :p and #r > :s", Some(KeyRange::Gt(s("s")))),
        ("pk = :p", None),
        (":p = pk", None),
        ("(pk = :p)", None),
    ] {
        let expect = KeyCondition { partition: vec![s("p")], sort: vec![], range };
        assert_eq!(against(text, BOTH), Ok(expect), "{text}");
    }
    for text in ["pk = :p AND sk = :s", ":s = sk AND :p = pk"] {
        let expect = KeyCondition { partition: vec![s("p")], sort: vec![s("s")], range: None };
        assert_eq!(against(text, BOTH), Ok(expect), "{text}");
    }
}

#[test]
fn keys_of_several_attributes_take_a_prefix() {
    for (text, sort, range) in [
        ("p1 = :p AND p2 = :n", vec![], None),
        ("p2 = :n AND s1 = :s AND p1 = :p", vec!["'s'"], None),
        ("p1 = :p AND p2 = :n AND s1 > :s", vec![], Some(KeyRange::Gt(value("'s'")))),
        ("p1 = :p AND p2 = :n AND s1 = :s AND s2 = :n", vec!["'s'", "1"], None),
        (
            "p1 = :p AND p2 = :n AND s1 = :s AND s2 BETWEEN :n AND :n2",
            vec!["'s'"],
            Some(KeyRange::Between(value("1"), value("2"))),
        ),
        (
            "s3 < :t AND s2 = :n AND p1 = :p AND p2 = :n AND s1 = :s",
            vec!["'s'", "1"],
            Some(KeyRange::Lt(value("'t'"))),
        ),
    ] {
        let expect = KeyCondition {
            partition: vec![value("'p'"), value("1")],
            sort: sort.into_iter().map(value).collect(),
            range,
        };
        assert_eq!(against(text, MANY), Ok(expect), "{text}");
    }
    for (text, expect) in [
        ("p1 = :p", "Query condition missed key schema element: p2"),
        ("s1 = :s", "Query condition missed key schema element: p1"),
        ("p1 = :p AND p2 = :n AND s2 = :n", "Query condition missed key schema element: s1"),
        (
            "p1 = :p AND p2 = :n AND s1 = :s AND s3 = :s",
            "Query condition missed key schema element: s2",
        ),
        ("p1 = :p AND p2 = :n AND x = :n", "Query condition missed key schema element: s1"),
        ("p1 = :p AND p2 > :n", "Query key condition not supported"),
        ("p1 = :p AND p2 = :n AND s1 > :s AND s2 = :n", "Query key condition not supported"),
        (
            "p1 = :p AND p2 = :n AND s1 = :s AND s2 = :n AND s3 = :s AND s4 = :s",
            "Query key condition not supported",
        ),
        (
            "p1 = :p AND p2 = :p",
            "One or more parameter values were invalid: Condition parameter type does not match \
             schema type",
        ),
    ] {
        assert_eq!(error(against(text, MANY)), expect, "{text}");
    }
}

#[test]
fn what_no_query_answers_is_refused() {
    let operator = |name: &str| format!("Invalid operator used in KeyConditionExpression: {name}");
    let first = |name: &str| {
        format!(
            "Invalid condition in KeyConditionExpression: {name} operator must have the key \
             attribute as its first operand"
        )
    };
    let nested = "KeyConditionExpressions cannot contain nested operations".to_owned();
    let path = "KeyConditionExpressions cannot have conditions on nested attributes".to_owned();
    let several = "Invalid condition in KeyConditionExpression: Multiple attribute names used in \
                   one condition"
        .to_owned();
    let none = "Invalid condition in KeyConditionExpression: No key attribute specified".to_owned();
    let twice = "KeyConditionExpressions must only contain one condition per key".to_owned();
    for (text, expect) in [
        ("pk = :p OR sk = :s", operator("OR")),
        ("pk = :p AND sk = :s OR a = :s", operator("OR")),
        ("NOT pk = :p", operator("NOT")),
        ("NOT NOT pk = :p", operator("NOT")),
        ("pk = :p AND NOT sk = :s", operator("NOT")),
        ("pk = :p AND (sk = :s OR NOT a = :s)", operator("OR")),
        ("pk = :p AND (NOT sk = :s OR a = :s)", operator("OR")),
        ("pk = :p AND NOT (sk = :s OR a = :s)", operator("NOT")),
        ("pk IN (:p)", operator("IN")),
        ("pk IN (:p) AND (sk = :s OR a = :s)", operator("IN")),
        ("pk <> :p", operator("<>")),
        ("attribute_exists(pk)", operator("attribute_exists")),
        ("attribute_not_exists(pk)", operator("attribute_not_exists")),
        ("attribute_type(pk, :p)", String::new()),
        ("contains(pk, :p)", operator("contains")),
        ("pk = :p AND contains(sk, :s)", operator("contains")),
        ("size(pk) = :n", nested.clone()),
        ("pk = size(sk)", nested.clone()),
        ("pk = size(:p)", nested.clone()),
        ("pk BETWEEN size(a) AND size(b)", nested),
        ("pk.a = :p", path.clone()),
        ("pk[0] = :p", path.clone()),
        (":p = pk[0].a", path.clone()),
        ("begins_with(sk.a, :s)", path),
        ("pk = sk", several.clone()),
        ("pk > sk.a", several.clone()),
        ("pk BETWEEN sk AND :s", several.clone()),
        ("begins_with(pk, sk)", several),
        (":p = :p", none),
        (":p BETWEEN :p AND :s", first("BETWEEN")),
        (":s BETWEEN pk AND :s", first("BETWEEN")),
        ("begins_with(:s, pk)", first("begins_with")),
        ("pk = :p AND pk = :s", twice.clone()),
        ("pk = :p AND sk > :s AND sk < :t", twice.clone()),
        ("pk = :p AND #k = :p", twice),
        (
            "pk = :q",
            "Invalid KeyConditionExpression: An expression attribute value used in \
          expression is not defined; attribute value: :q"
                .to_owned(),
        ),
        (
            "pk = ",
            "Invalid KeyConditionExpression: Syntax error; token: \"<EOF>\", near: \"=\""
                .to_owned(),
        ),
        (
            "((pk = :p))",
            "Invalid KeyConditionExpression: The expression has redundant \
          parentheses;"
                .to_owned(),
        ),
        (
            "size(pk)",
            "Invalid KeyConditionExpression: The function is not allowed to be used this \
          way in an expression; function: size"
                .to_owned(),
        ),
        (
            "date = :p",
            "Invalid KeyConditionExpression: Attribute name is a reserved keyword; \
          reserved keyword: date"
                .to_owned(),
        ),
        (
            "pk = :p AND begins_with(sk, :n)",
            "Invalid KeyConditionExpression: Incorrect operand \
          type for operator or function; operator or function: begins_with, operand type: N"
                .to_owned(),
        ),
        (
            "pk = :p AND sk BETWEEN :t AND :s",
            "Invalid KeyConditionExpression: The BETWEEN operator \
          requires upper bound to be greater than or equal to lower bound; lower bound operand: \
          AttributeValue: {S:t}, upper bound operand: AttributeValue: {S:s}"
                .to_owned(),
        ),
    ] {
        let found = error(bind(text));
        if expect.is_empty() {
            assert!(found.contains("Invalid attribute type name"), "{found}");
        } else {
            assert_eq!(found, expect, "{text}");
        }
    }
}

#[test]
fn conditions_fit_the_key_schema() {
    let mismatch = "One or more parameter values were invalid: Condition parameter type does not \
                    match schema type";
    for (text, schema, expect) in [
        ("sk = :s", BOTH, "Query condition missed key schema element: pk"),
        ("a = :s", HASH, "Query condition missed key schema element: pk"),
        ("a = :p AND b = :s", BOTH, "Query condition missed key schema element: pk"),
        ("pk = :p AND a = :s", BOTH, "Query condition missed key schema element: sk"),
        ("#d = :p", BOTH, "Query condition missed key schema element: pk"),
        ("pk > :p", BOTH, "Query key condition not supported"),
        ("pk > :p", HASH, "Query key condition not supported"),
        ("begins_with(pk, :p)", BOTH, "Query key condition not supported"),
        ("pk BETWEEN :p AND :s AND sk = :s", BOTH, "Query key condition not supported"),
        ("pk = :p AND sk = :s", HASH, "Query key condition not supported"),
        ("pk = :n", BOTH, mismatch),
        ("pk = :m", BOTH, mismatch),
        ("pk = :z", HASH, mismatch),
        ("pk = :p AND sk = :n", BOTH, mismatch),
        ("pk = :p AND sk < :b", BOTH, mismatch),
        ("pk = :p AND sk BETWEEN :n AND :n2", BOTH, mismatch),
        ("pk = :p AND sk = :s", NUMBER, mismatch),
        ("pk = :p AND begins_with(sk, :s)", NUMBER, mismatch),
        ("pk = :p AND sk = :s AND a = :s", BOTH, "Conditions can be of length 1 or 2 only"),
        ("a = :p AND b = :s AND c = :s", HASH, "Conditions can be of length 1 or 2 only"),
    ] {
        assert_eq!(error(against(text, schema)), expect, "{text}");
    }
    assert!(against("pk = :p AND sk >= :n", NUMBER).is_ok());
    let tests = bind("sk > :s AND pk = :p").unwrap();
    assert_eq!(tests.attributes().collect::<Vec<_>>(), ["sk", "pk"]);
}

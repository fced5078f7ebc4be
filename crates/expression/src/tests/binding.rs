//! What is refused once names and values are known, before any item is read.

use super::{condition, error, placeholders};
use crate::{ProjectionSyntax, UpdateSyntax};

const VALUES: &str = "{s: 'a', s2: 'b', n: 1, n2: 2, b: x'01', b2: x'02', t: true, z: null, \
                      l: [1], m: {a: 1}, ss: <'a'>, ns: <1>, bs: <x'01'>, tn: 'N', tx: 'X', sn: '1'}";

fn refuse(text: &str, expect: &str) {
    let found = error(condition(text, VALUES));
    assert_eq!(found, format!("Invalid ConditionExpression: {expect}"), "{text}");
}

#[test]
fn placeholders_must_be_defined() {
    let name = |name: &str| {
        format!(
            "An expression attribute name used in the document path is not defined; attribute \
             name: {name}"
        )
    };
    let value = |value: &str| {
        format!(
            "An expression attribute value used in expression is not defined; attribute value: \
             {value}"
        )
    };
    for (text, expect) in [
        ("#x = :s", name("#x")),
        ("a.#x = :q", name("#x")),
        (":q = #x", value(":q")),
        ("a = :q", value(":q")),
        ("a = :s AND b = :q AND #x = :s", value(":q")),
        ("size(#x) = :s", name("#x")),
        ("a IN (:s, :q)", value(":q")),
        ("a BETWEEN :s AND :q", value(":q")),
        ("attribute_exists(#x, :q)", name("#x")),
        ("begins_with(a, :q, b)", value(":q")),
        (
            "a = a AND b = :q",
            "The first operand must be distinct from the remaining operands for \
          this operator or function; operator: =, first operand: [a]"
                .to_owned(),
        ),
    ] {
        refuse(text, &expect);
    }
}

#[test]
fn operand_counts_are_fixed() {
    for (text, function, count) in [
        ("attribute_exists(a, b)", "attribute_exists", 2),
        ("attribute_not_exists(a, b, c)", "attribute_not_exists", 3),
        ("attribute_type(a)", "attribute_type", 1),
        ("attribute_type(a, :s, :n)", "attribute_type", 3),
        ("begins_with(a)", "begins_with", 1),
        ("contains(a)", "contains", 1),
        ("contains(a, b, c)", "contains", 3),
        ("size(a, b) = :n", "size", 2),
        ("size(size(a, a)) = :n", "size", 2),
        ("begins_with(a, a, size(:n))", "begins_with", 3),
    ] {
        refuse(
            text,
            &format!(
                "Incorrect number of operands for operator or function; operator or function: \
                 {function}, number of operands: {count}"
            ),
        );
    }
}

#[test]
fn a_path_is_not_compared_with_itself() {
    for (text, operator, path) in [
        ("a = a", "=", "[a]"),
        ("a <> a", "<>", "[a]"),
        ("a.b < a.b", "<", "[a, b]"),
        ("a[0] >= a[0]", ">=", "[a, [0]]"),
        ("(a) = (a)", "=", "[a]"),
        ("#n = #n", "=", "[x.y]"),
        ("contains(a, a)", "contains", "[a]"),
        ("begins_with(a.b[1], a.b[1])", "begins_with", "[a, b, [1]]"),
    ] {
        refuse(
            text,
            &format!(
                "The first operand must be distinct from the remaining operands for this operator \
                 or function; operator: {operator}, first operand: {path}"
            ),
        );
    }
    for text in ["a = b", "a.b = a", "a = a[0]", ":s = :s", "size(a) = size(a)", "a IN (a)"] {
        assert!(condition(text, VALUES).is_ok(), "{text}");
    }
}

#[test]
fn operand_types_are_checked_in_the_request() {
    let mut refused: Vec<(String, &str, &str)> = Vec::new();
    for (value, name) in [
        (":t", "BOOL"),
        (":z", "NULL"),
        (":l", "L"),
        (":m", "M"),
        (":ss", "SS"),
        (":ns", "NS"),
        (":bs", "BS"),
    ] {
        for operator in ["<", "<=", ">", ">="] {
            refused.push((format!("a {operator} {value}"), operator, name));
            refused.push((format!("{value} {operator} a"), operator, name));
        }
        refused.push((format!("a BETWEEN {value} AND :s"), "BETWEEN", name));
        refused.push((format!("a BETWEEN b AND {value}"), "BETWEEN", name));
        refused.push((format!("{value} BETWEEN a AND b"), "BETWEEN", name));
        refused.push((format!("begins_with(a, {value})"), "begins_with", name));
    }
    for (text, operator, name) in [
        ("begins_with(a, :n)", "begins_with", "N"),
        ("begins_with(:n, a)", "begins_with", "N"),
        ("begins_with(size(a), :s)", "begins_with", "N"),
        ("size(:n) = :n", "size", "N"),
        ("size(:t) = :n", "size", "BOOL"),
        ("size(:z) = :n", "size", "NULL"),
        ("size(size(a)) = :n", "size", "N"),
        ("attribute_type(a, :n)", "attribute_type", "N"),
        ("attribute_type(a, :m)", "attribute_type", "M"),
        ("attribute_type(a, size(b))", "attribute_type", "N"),
        ("attribute_type(a, b)", "attribute_type", "{NS,SS,L,BS,N,M,B,BOOL,NULL,S}"),
        ("size(:n) < :t", "size", "N"),
    ] {
        refused.push((text.to_owned(), operator, name));
    }
    for (text, operator, name) in refused {
        refuse(
            &text,
            &format!(
                "Incorrect operand type for operator or function; operator or function: \
                 {operator}, operand type: {name}"
            ),
        );
    }
}

#[test]
fn other_operand_faults() {
    for (text, expect) in [
        (
            "attribute_exists(:s)",
            "Operator or function requires a document path; operator or function: attribute_exists",
        ),
        (
            "attribute_not_exists(size(a))",
            "Operator or function requires a document path; operator or function: \
             attribute_not_exists",
        ),
        (
            "attribute_type(:s, :n)",
            "Operator or function requires a document path; operator or function: attribute_type",
        ),
        (
            "attribute_type(a, :tx)",
            "Invalid attribute type name found; type: X, valid types: \
             {B,NULL,SS,BOOL,L,BS,N,NS,S,M}",
        ),
        (
            "a BETWEEN :s AND :n",
            "The BETWEEN operator requires same data type for lower and upper bounds; lower bound \
             operand: AttributeValue: {S:a}, upper bound operand: AttributeValue: {N:1}",
        ),
        (
            "a BETWEEN :n2 AND :n",
            "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; \
             lower bound operand: AttributeValue: {N:2}, upper bound operand: AttributeValue: \
             {N:1}",
        ),
        (
            "a BETWEEN :s2 AND :s",
            "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; \
             lower bound operand: AttributeValue: {S:b}, upper bound operand: AttributeValue: \
             {S:a}",
        ),
        (
            "a BETWEEN :b2 AND :b",
            "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; \
             lower bound operand: AttributeValue: {B:java.nio.HeapByteBuffer[pos=0 lim=1 cap=1]}, \
             upper bound operand: AttributeValue: {B:java.nio.HeapByteBuffer[pos=0 lim=1 cap=1]}",
        ),
        (
            "a = :s AND b BETWEEN :n2 AND :n AND c = :q",
            "The BETWEEN operator requires upper bound to be greater than or equal to lower bound; \
             lower bound operand: AttributeValue: {N:2}, upper bound operand: AttributeValue: \
             {N:1}",
        ),
    ] {
        refuse(text, expect);
    }
}

#[test]
fn what_only_the_item_decides_is_accepted() {
    for text in [
        "a < b",
        "a = :m",
        "a <> :ss",
        "a IN (:s, :n, :l, b)",
        "a BETWEEN :n AND :n",
        "a BETWEEN b AND :n",
        "a BETWEEN size(b) AND size(c)",
        "contains(a, :l)",
        "contains(:n, a)",
        "contains(:ss, a)",
        "contains(a, size(b))",
        "begins_with(a, b)",
        "begins_with(:s, a)",
        "begins_with(a, :b)",
        "size(:s) = :n",
        "attribute_type(a.b[0], :tn)",
        "attribute_exists(#n)",
        "#r = size(#r)",
    ] {
        let found = condition(text, VALUES);
        assert!(found.is_ok(), "{text}: {}", error(found));
    }
}

fn refuse_update(text: &str, expect: &str) {
    let syntax = UpdateSyntax::parse(text).unwrap();
    let found = syntax.bind(&mut placeholders("{n: 'x.y', a: 'a', b: 'b'}", VALUES));
    assert_eq!(error(found), format!("Invalid UpdateExpression: {expect}"), "{text}");
}

#[test]
fn updates_are_checked_by_class() {
    let name = |name: &str| {
        format!(
            "An expression attribute name used in the document path is not defined; attribute \
             name: {name}"
        )
    };
    let value = |value: &str| {
        format!(
            "An expression attribute value used in expression is not defined; attribute value: \
             {value}"
        )
    };
    let overlap = |one: &str, two: &str| {
        format!(
            "Two document paths overlap with each other; must remove or rewrite one of these \
             paths; path one: {one}, path two: {two}"
        )
    };
    let conflict = |one: &str, two: &str| {
        format!(
            "Two document paths conflict with each other; must remove or rewrite one of these \
             paths; path one: {one}, path two: {two}"
        )
    };
    let action = |operator: &str, operand: &str| {
        format!(
            "Incorrect operand type for operator or function; operator: {operator}, operand type: \
             {operand}"
        )
    };
    let operand = |operator: &str, operand: &str| {
        format!(
            "Incorrect operand type for operator or function; operator or function: {operator}, \
             operand type: {operand}"
        )
    };
    let path = |function: &str| {
        format!("Operator or function requires a document path; operator or function: {function}")
    };
    let count = |function: &str, count: usize| {
        format!(
            "Incorrect number of operands for operator or function; operator or function: \
             {function}, number of operands: {count}"
        )
    };
    for (text, expect) in [
        ("SET #x = :q", name("#x")),
        ("SET a = :q, b = #x", name("#x")),
        ("ADD a :q REMOVE #x", name("#x")),
        ("SET a = :q", value(":q")),
        ("SET a = :s, a = :q", value(":q")),
        ("ADD a :q", value(":q")),
        ("DELETE a :q", value(":q")),
        ("SET a = list_append(:s, :q)", value(":q")),
        ("SET a = :s, a = :n", overlap("[a]", "[a]")),
        ("SET a = :s REMOVE a.b[0]", overlap("[a]", "[a, b, [0]]")),
        ("REMOVE a.b, a", overlap("[a, b]", "[a]")),
        ("SET a = :s REMOVE #a", overlap("[a]", "[a]")),
        ("SET a[0].b = :s REMOVE a[0].b.c", overlap("[a, [0], b]", "[a, [0], b, c]")),
        ("ADD a :n DELETE a :ss", overlap("[a]", "[a]")),
        ("SET a.b = :s, a[1] = :s", conflict("[a, b]", "[a, [1]]")),
        ("SET a.b = :s, a[1] = :s, c = :s, c = :s", overlap("[c]", "[c]")),
        ("REMOVE a[1].b, a[1][0]", conflict("[a, [1], b]", "[a, [1], [0]]")),
        ("SET a.b = :s, a[1] = :s ADD c :s", conflict("[a, b]", "[a, [1]]")),
        ("ADD a :s", action("ADD", "STRING")),
        ("ADD a :b", action("ADD", "BINARY")),
        ("ADD a :t", action("ADD", "BOOLEAN")),
        ("ADD a :z", action("ADD", "NULL")),
        ("ADD a :l", action("ADD", "LIST")),
        ("ADD a :m", action("ADD", "MAP")),
        ("DELETE a :n", action("DELETE", "NUMBER")),
        ("DELETE a :s", action("DELETE", "STRING")),
        ("DELETE a :b", action("DELETE", "BINARY")),
        ("DELETE a :t", action("DELETE", "BOOLEAN")),
        ("DELETE a :z", action("DELETE", "NULL")),
        ("DELETE a :l", action("DELETE", "LIST")),
        ("DELETE a :m", action("DELETE", "MAP")),
        ("SET b = :s + :n ADD a :s", action("ADD", "STRING")),
        ("SET a = :s + :n", operand("+", "S")),
        ("SET a = b + :t", operand("+", "BOOL")),
        ("SET a = b - :ns", operand("-", "NS")),
        ("SET a = :n - :m", operand("-", "M")),
        ("SET a = list_append(b, :s)", operand("list_append", "S")),
        ("SET a = list_append(:ss, :l)", operand("list_append", "SS")),
        ("SET a = b + :n, c = list_append(:n, :s)", operand("list_append", "N")),
        ("SET a = if_not_exists(:s, :n)", path("if_not_exists")),
        ("SET a = if_not_exists(if_not_exists(a, b), :n)", path("if_not_exists")),
        ("SET a = if_not_exists(a)", count("if_not_exists", 1)),
        ("SET a = if_not_exists(:a1, :n, :n)", value(":a1")),
        ("SET a = list_append(a, b, c)", count("list_append", 3)),
        ("SET a = list_append(list_append(a), :s)", count("list_append", 1)),
    ] {
        refuse_update(text, &expect);
    }
}

#[test]
fn updates_that_only_the_item_decides_are_accepted() {
    for text in [
        "SET a.b = :s, a.c = :s, b[0] = :n, b[1] = :n",
        "SET a = list_append(if_not_exists(a, :s), :l)",
        "SET a = if_not_exists(a, :s) + :n",
        "SET a = if_not_exists(a, a)",
        "SET #n = :s, x.y = :s",
        "ADD a :n, b :ss, c :ns, d :bs",
        "DELETE a :ss, b :ns, c :bs",
    ] {
        let syntax = UpdateSyntax::parse(text).unwrap();
        let found = syntax.bind(&mut placeholders("{n: 'x.y'}", VALUES));
        assert!(found.is_ok(), "{text}: {}", error(found));
    }
}

#[test]
fn projections_do_not_overlap() {
    for (text, expect) in [
        (
            "a, #x",
            "An expression attribute name used in the document path is not defined; attribute \
             name: #x",
        ),
        (
            "a, a",
            "Two document paths overlap with each other; must remove or rewrite one of these \
             paths; path one: [a], path two: [a]",
        ),
        (
            "a, b, a.b[0]",
            "Two document paths overlap with each other; must remove or rewrite one of these \
             paths; path one: [a], path two: [a, b, [0]]",
        ),
        (
            "a.b, a[1]",
            "Two document paths conflict with each other; must remove or rewrite one of these \
             paths; path one: [a, b], path two: [a, [1]]",
        ),
        (
            "a.b, a[1], #n, #n",
            "Two document paths overlap with each other; must remove or rewrite one of these \
             paths; path one: [x.y], path two: [x.y]",
        ),
    ] {
        let syntax = ProjectionSyntax::parse(text).unwrap();
        let found = syntax.bind(&mut placeholders("{n: 'x.y'}", "{}"));
        assert_eq!(error(found), format!("Invalid ProjectionExpression: {expect}"), "{text}");
    }
}

//! Conditions and projections that do not parse, and the order in which faults are reported.

use super::error;
use crate::{ConditionSyntax, Kind, ProjectionSyntax};

fn check(text: &str, expect: &str) {
    let found = error(ConditionSyntax::parse(Kind::Condition, text));
    assert_eq!(found, format!("Invalid ConditionExpression: {expect}"), "{text}");
}

fn syntax(text: &str, token: &str, near: &str) {
    let expect = format!("Syntax error; token: \"{token}\", near: \"{near}\"");
    check(text, &expect);
}

fn accept(text: &str) {
    let found = ConditionSyntax::parse(Kind::Condition, text);
    assert!(found.is_ok(), "{text}: {}", error(found));
}

#[test]
fn every_kind_has_its_prefix() {
    for (kind, prefix) in [
        (Kind::Condition, "Invalid ConditionExpression: "),
        (Kind::Filter, "Invalid FilterExpression: "),
        (Kind::KeyCondition, "Invalid KeyConditionExpression: "),
    ] {
        let found = error(ConditionSyntax::parse(kind, ""));
        assert_eq!(found, format!("{prefix}The expression can not be empty;"));
    }
    let found = error(ProjectionSyntax::parse(""));
    assert_eq!(found, "Invalid ProjectionExpression: The expression can not be empty;");
}

#[test]
fn syntax_errors_name_the_token_and_its_neighbours() {
    for (text, token, near) in [
        ("INVALID SYNTAX HERE", "SYNTAX", "INVALID SYNTAX HERE"),
        ("!!!", "!", "!!"),
        ("([1", "[", "([1"),
        (" ", "<EOF>", ""),
        ("a", "<EOF>", "a"),
        (":a", "<EOF>", ":a"),
        ("a =", "<EOF>", "="),
        ("a = :b AND", "<EOF>", "AND"),
        ("a = :b c = :d", "c", ":b c ="),
        ("a == :b", "=", "== :b"),
        ("a = = :b", "=", "= = :b"),
        ("a != :b", "!", "a !="),
        ("a <> <> :b", "<>", "<> <> :b"),
        ("= :b", "=", "= :b"),
        ("a-b = :v", "-", "a-b"),
        ("a + :b = :c", "+", "a + :b"),
        ("_a = :v", "_", "_a"),
        ("1a = :v", "1", "1a"),
        ("a = 1", "1", "= 1"),
        ("a = 'x'", "'", "= 'x"),
        ("a = \"x\"", "\"", "= \"x"),
        ("a = #", "#", "= #"),
        ("a = :", ":", "= :"),
        ("a = : v", ":", "= : v"),
        ("a.1 = :v", "1", ".1 ="),
        ("a. = :v", "=", ". = :v"),
        ("a..b = :v", ".", "..b"),
        ("a[ = :v", "=", "[ = :v"),
        ("a[-1] = :v", "-", "[-1"),
        ("a[01] = :v", "1", "01]"),
        ("a[:i] = :v", ":i", "[:i]"),
        ("a[#i] = :v", "#i", "[#i]"),
        ("a[b] = :v", "b", "[b]"),
        ("a[1 = :v", "=", "1 = :v"),
        ("a[] = :v", "]", "[] ="),
        ("[0] = :v", "[", "[0"),
        (".a = :v", ".", ".a"),
        ("a.:b = :v", ":b", ".:b ="),
        (":a.b = :v", ".", ":a.b"),
        (":a[0] = :v", "[", ":a[0"),
        ("a = :b)", ")", ":b)"),
        ("(a = :b", "<EOF>", ":b"),
        ("((a = :b)", "<EOF>", ")"),
        ("()", ")", "()"),
        ("(a) AND b = :b", "AND", ") AND b"),
        ("(a AND b = :b)", "AND", "a AND b"),
        ("a AND b", "AND", "a AND b"),
        ("a OR b = :c", "OR", "a OR b"),
        ("NOT", "<EOF>", "NOT"),
        ("NOT a", "<EOF>", "a"),
        ("NOT (a)", "<EOF>", ")"),
        ("(NOT a) = :b", ")", "a) ="),
        ("NOT :a AND b = :b", "AND", ":a AND b"),
        ("AND a = :b", "AND", "AND a"),
        ("a = :b AND AND c = :d", "AND", "AND AND c"),
        ("a = :b OR AND c = :d", "AND", "OR AND c"),
        ("a = NOT :b", "NOT", "= NOT :b"),
        ("(a = :b) = :c", "=", ") = :c"),
        ("(NOT f(a)) = :c", "=", ") = :c"),
        ("a = :b = :c", "=", ":b = :c"),
        ("a = (b = :c)", "=", "b = :c"),
        ("a = ()", ")", "()"),
        ("f()", ")", "()"),
        ("f() = :a", ")", "() ="),
        ("f(a", "<EOF>", "a"),
        ("f(a,", "<EOF>", ","),
        ("f(a,)", ")", ",)"),
        ("f(,a)", ",", "(,a"),
        ("f(a b)", "b", "a b)"),
        ("f(a = :b)", "=", "a = :b"),
        ("f(NOT a)", "NOT", "(NOT a"),
        ("f(a)(b)", "(", ")(b"),
        ("f(a).b = :c", ".", ").b"),
        ("#f(a)", "(", "#f(a"),
        ("(f)(a)", "(", ")(a"),
        ("a IN", "<EOF>", "IN"),
        ("a IN :b", ":b", "IN :b"),
        ("a IN ()", ")", "()"),
        ("a IN (", "<EOF>", "("),
        ("a IN (:a,)", ")", ",)"),
        ("a IN (:a :b)", ":b", ":a :b)"),
        ("a IN ((:a, :b))", ",", ":a, :b"),
        ("a NOT IN (:b)", "NOT", "a NOT IN"),
        ("a BETWEEN", "<EOF>", "BETWEEN"),
        ("a BETWEEN :b", "<EOF>", ":b"),
        ("a BETWEEN :b :c", ":c", ":b :c"),
        ("a BETWEEN :b OR :c", "OR", ":b OR :c"),
        ("a BETWEEN :b AND", "<EOF>", "AND"),
        ("a BETWEEN (:b AND :c)", "AND", ":b AND :c"),
        ("BETWEEN :a AND :b", "BETWEEN", "BETWEEN :a"),
        ("a LIKE :b", "LIKE", "a LIKE :b"),
        ("a = :b, c = :d", ",", ":b, c"),
        ("a = :b; ", ";", ":b;"),
        ("set = :b", "set", "set ="),
        ("a.add = :b", "add", ".add ="),
        ("a = delete", "delete", "= delete"),
        ("remove(a)", "remove", "remove("),
        ("a = :b AND\n\tc d", "d", "c d"),
        ("caf\u{e9} = :v", "\u{e9}", "caf\u{e9} ="),
        ("\u{1F600}", "\u{1F600}", "\u{1F600}"),
    ] {
        syntax(text, token, near);
    }
}

#[test]
fn what_is_well_formed_is_accepted() {
    for text in [
        "a = :b",
        "a=:b",
        "\ta\r\n=\n:b ",
        "a < b",
        ":a >= :b",
        "a . b [ 0 ] . c = :v",
        "#a.#b[12].c <> :v",
        "#0 = :0",
        "#_ = :_",
        "a[2147483647] = :v",
        "(a) = (:b)",
        "(a = :b)",
        "((a) = (:b))",
        "(a = :b) AND (c = :d)",
        "(a = :b AND (c = :d))",
        "((a = :b) AND c = :d)",
        "(a = :b AND c = :d) OR e = :f",
        "(NOT (a = :b))",
        "NOT a = :b",
        "NOT NOT a = :b",
        "not (a = :b or c = :d) and attribute_exists(e)",
        "NOT attribute_exists(a) AND NOT contains(a, :b)",
        "a BETWEEN :b AND :c AND d BETWEEN :e AND :f",
        "a between (:b) and (:c)",
        "a IN (:b)",
        "a IN (:b, c, (d), size(e))",
        "(a) IN ((:b))",
        "size(a) > :b",
        "(size(a)) > (size(:b))",
        "(attribute_exists(a))",
        "(attribute_exists(a)) OR (attribute_not_exists(b))",
        "attribute_type(a, :t)",
        "begins_with((a), (:b))",
        "contains(a.b[0], size(c))",
        "attribute_exists (a)",
        "begins_with(a, :b, :c)",
    ] {
        accept(text);
    }
}

#[test]
fn faults_come_by_class() {
    let redundant = "The expression has redundant parentheses;";
    for (text, expect) in [
        ("((a = :b))", redundant),
        ("(((a = :b)))", redundant),
        ("((a)) = :b", redundant),
        ("a = ((:b))", redundant),
        ("((attribute_exists(a)))", redundant),
        ("((size(a))) > :b", redundant),
        ("f(((a)), :b)", redundant),
        ("a IN (((:b)))", redundant),
        ("a = :b AND ((c = :d))", redundant),
        ("((a = :b AND c = :d))", redundant),
        ("NOT ((a = :b))", redundant),
        ("((a = :b)) AND nope(abort)", redundant),
        ("nope(a)", "Invalid function name; function: nope"),
        ("Size(a) = :b", "Invalid function name; function: Size"),
        ("BEGINS_WITH(a, :b)", "Invalid function name; function: BEGINS_WITH"),
        ("abort = :a AND nope(a)", "Invalid function name; function: nope"),
        ("outer(inner(a))", "Invalid function name; function: outer"),
        ("size(a) AND nope(a)", "Invalid function name; function: nope"),
        (
            "if_not_exists(a, :b) = :c",
            "The function is not allowed in a condition expression; function: if_not_exists",
        ),
        (
            "a = list_append(a, :b)",
            "The function is not allowed in a condition expression; function: list_append",
        ),
        (
            "size(a)",
            "The function is not allowed to be used this way in an expression; function: size",
        ),
        (
            "a = :b AND (size(a))",
            "The function is not allowed to be used this way in an expression; function: size",
        ),
        (
            "NOT size(abort)",
            "The function is not allowed to be used this way in an expression; function: size",
        ),
        (
            "attribute_exists(a) = :b",
            "The function is not allowed to be used this way in an expression; function: \
             attribute_exists",
        ),
        (
            "a = contains(b, :c)",
            "The function is not allowed to be used this way in an expression; function: contains",
        ),
        (
            "a IN (:b, begins_with(a, :b))",
            "The function is not allowed to be used this way in an expression; function: \
             begins_with",
        ),
        (
            "a BETWEEN attribute_type(a, :b) AND :c",
            "The function is not allowed to be used this way in an expression; function: \
             attribute_type",
        ),
        (
            "size((attribute_not_exists(a))) = :b",
            "The function is not allowed to be used this way in an expression; function: \
             attribute_not_exists",
        ),
        ("abort = :a", "Attribute name is a reserved keyword; reserved keyword: abort"),
        ("a.Name = :a", "Attribute name is a reserved keyword; reserved keyword: Name"),
        ("a = DATE AND b = zone", "Attribute name is a reserved keyword; reserved keyword: DATE"),
        ("size(size) = :a", "Attribute name is a reserved keyword; reserved keyword: size"),
        ("a[2147483648] = :a", "List index is not within the allowable range; index: [2147483648]"),
        (
            "a[99999999999999999999] = abort",
            "Attribute name is a reserved keyword; reserved keyword: abort",
        ),
    ] {
        check(text, expect);
    }
}

#[test]
fn limits_are_those_of_dynamodb() {
    let long = |bytes: usize| format!("{} = :b", "a".repeat(bytes - 5));
    accept(&long(4096));
    check(
        &long(4097),
        "Expression size has exceeded the maximum allowed size; expression size: 4097",
    );
    let tests = |count: usize| vec!["a=:b"; count].join(" OR ");
    accept(&tests(150));
    check(&tests(151), "The expression contains too many operators; operator count: 301");
    accept(&format!("{}a=:b", "NOT ".repeat(299)));
    check(
        &format!("{}a=:b", "NOT ".repeat(300)),
        "The expression contains too many operators; operator count: 301",
    );
    check(
        &format!("{}a{} = :b", "size(".repeat(400), ")".repeat(400)),
        "The expression contains too many operators; operator count: 401",
    );
    let path = |depth: usize| format!("a{} = :b", ".b".repeat(depth - 1));
    accept(&path(32));
    check(&path(33), "The document path has too many nesting levels; nesting levels: 33");
    let members = |count: usize| format!("a IN ({})", vec![":b"; count].join(","));
    accept(&members(99));
    check(
        &members(100),
        "The IN operator is provided with too many operands; number of operands: 101",
    );
}

#[test]
fn projections_are_lists_of_paths() {
    let check = |text: &str, expect: &str| {
        let found = error(ProjectionSyntax::parse(text));
        assert_eq!(found, format!("Invalid ProjectionExpression: {expect}"), "{text}");
    };
    for (text, token, near) in [
        ("a,", "<EOF>", ","),
        (",a", ",", ",a"),
        ("a,,b", ",", ",,b"),
        ("a b", "b", "a b"),
        ("a-b", "-", "a-b"),
        ("a:b", ":b", "a:b"),
        (":a", ":a", ":a"),
        ("(a)", "(", "(a"),
        ("a[0", "<EOF>", "0"),
        ("a.[0]", "[", ".[0"),
        ("size(a)", "(", "size(a"),
        ("a, SET", "SET", ", SET"),
        ("*", "*", "*"),
    ] {
        check(text, &format!("Syntax error; token: \"{token}\", near: \"{near}\""));
    }
    check("a, b.Status", "Attribute name is a reserved keyword; reserved keyword: Status");
    check(
        &format!("a{}", "[0]".repeat(32)),
        "The document path has too many nesting levels; nesting levels: 33",
    );
    check("a[3000000000]", "List index is not within the allowable range; index: [3000000000]");
    for text in ["a", " a , b ", "#a.#b[0] , c[1][2]", "a\n,\nb"] {
        assert!(ProjectionSyntax::parse(text).is_ok(), "{text}");
    }
}

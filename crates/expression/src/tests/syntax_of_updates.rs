//! Updates that do not parse, and the order in which faults are reported.

use super::error;
use crate::UpdateSyntax;

fn check(text: &str, expect: &str) {
    let found = error(UpdateSyntax::parse(text));
    assert_eq!(found, format!("Invalid UpdateExpression: {expect}"), "{text}");
}

#[test]
fn syntax_errors_name_the_token_and_its_neighbours() {
    for (text, token, near) in [
        ("INVALID SYNTAX HERE", "INVALID", "INVALID SYNTAX"),
        ("!!!", "!", "!!"),
        ("ADD hits : incr", ":", "hits : incr"),
        ("REMOVE a,", "<EOF>", ","),
        ("SET a = :b,", "<EOF>", ","),
        ("a = :b", "a", "a ="),
        ("SET", "<EOF>", "SET"),
        ("SET SET a = :b", "SET", "SET SET a"),
        ("SET a", "<EOF>", "a"),
        ("SET a :b", ":b", "a :b"),
        ("SET a =", "<EOF>", "="),
        ("SET a = = :b", "=", "= = :b"),
        ("SET a < :b", "<", "a < :b"),
        ("SET :a = :b", ":a", "SET :a ="),
        ("SET (a) = :b", "(", "SET (a"),
        ("SET a = :b :c", ":c", ":b :c"),
        ("SET a = :b c = :d", "c", ":b c ="),
        ("SET a = :b + :c + :d", "+", ":c + :d"),
        ("SET a = :b - :c + :d", "+", ":c + :d"),
        ("SET a = (:b + :c) + :d", "+", ") + :d"),
        ("SET a = :b + (:c + :d)", "+", ":c + :d"),
        ("SET a = :b * :c", "*", ":b * :c"),
        ("SET a = + :b", "+", "= + :b"),
        ("SET a = :b +", "<EOF>", "+"),
        ("SET a = -1", "-", "= -1"),
        ("SET a = 1", "1", "= 1"),
        ("SET a = 'x'", "'", "= 'x"),
        ("SET a = ()", ")", "()"),
        ("SET a = (:b", "<EOF>", ":b"),
        ("SET a = :b)", ")", ":b)"),
        ("SET a = f()", ")", "()"),
        ("SET a = f(:b", "<EOF>", ":b"),
        ("SET a = f(:b + :c)", "+", ":b + :c"),
        ("SET a = f((:b + :c))", "+", ":b + :c"),
        ("SET a = f(:b,)", ")", ",)"),
        ("SET a = f(:b)(:c)", "(", ")(:c"),
        ("SET a[ = :b", "=", "[ = :b"),
        ("SET a[00] = :b", "0", "00]"),
        ("SET a..b = :b", ".", "..b"),
        ("SET and = :b", "and", "SET and ="),
        ("SET a = :b AND c = :d", "AND", ":b AND c"),
        ("SET a = :b, , c = :d", ",", ", , c"),
        ("SET a = :b, REMOVE c", "REMOVE", ", REMOVE c"),
        ("SET a = :b; REMOVE c", ";", ":b; REMOVE"),
        ("REMOVE", "<EOF>", "REMOVE"),
        ("REMOVE :a", ":a", "REMOVE :a"),
        ("REMOVE a b", "b", "a b"),
        ("REMOVE a :b", ":b", "a :b"),
        ("REMOVE a = :b", "=", "a = :b"),
        ("REMOVE a[0", "<EOF>", "0"),
        ("ADD a", "<EOF>", "a"),
        ("ADD a b", "b", "a b"),
        ("ADD a = :b", "=", "a = :b"),
        ("ADD a (:b)", "(", "a (:b"),
        ("ADD a :b + :c", "+", ":b + :c"),
        ("ADD a :b c :d", "c", ":b c :d"),
        ("ADD a f(:b)", "f", "a f("),
        ("DELETE a, b :c", ",", "a, b"),
        ("DELETE a :b,", "<EOF>", ","),
        ("delete from a", "a", "from a"),
        (" \t", "<EOF>", ""),
    ] {
        check(text, &format!("Syntax error; token: \"{token}\", near: \"{near}\""));
    }
}

#[test]
fn what_is_well_formed_is_accepted() {
    for text in [
        "SET a = :b",
        "set a=:b",
        "SET a = b, c = d.e[0]",
        "SET #a.#b[1] = :b",
        "SET a = :b + :c",
        "SET a = (:b + :c)",
        "SET a = (b) - (:c)",
        "SET a = ((b) - (:c))",
        "SET a = if_not_exists(a, :b) + if_not_exists(c, :d)",
        "SET a = list_append(if_not_exists(a, :b), :c)",
        "SET a = list_append((a), (b))",
        "SET a = if_not_exists(a, if_not_exists(b, if_not_exists(c, :d)))",
        "SET a = :b REMOVE c ADD d :e DELETE f :g",
        "DELETE f :g ADD d :e REMOVE c SET a = :b",
        "REMOVE a, b[0], c.d",
        "ADD a :b, c.d :e",
        "SET a = :b\nREMOVE c\r\n",
        "SET a = if_not_exists(a)",
        "SET a = a",
    ] {
        let found = UpdateSyntax::parse(text);
        assert!(found.is_ok(), "{text}: {}", error(found));
    }
}

#[test]
fn faults_come_by_class() {
    for (text, expect) in [
        ("", "The expression can not be empty;"),
        ("SET a = ((:b))", "The expression has redundant parentheses;"),
        ("SET a = ((:b + :c))", "The expression has redundant parentheses;"),
        ("SET a = :b + ((c))", "The expression has redundant parentheses;"),
        ("SET a = list_append(((a)), :b)", "The expression has redundant parentheses;"),
        ("SET abort = :b", "Attribute name is a reserved keyword; reserved keyword: abort"),
        ("SET a = Name", "Attribute name is a reserved keyword; reserved keyword: Name"),
        ("REMOVE a.Items", "Attribute name is a reserved keyword; reserved keyword: Items"),
        ("ADD Counter :b", "Attribute name is a reserved keyword; reserved keyword: Counter"),
        ("DELETE a.COUNT :b", "Attribute name is a reserved keyword; reserved keyword: COUNT"),
        (
            "SET a = nope(b) SET abort = :b",
            "Attribute name is a reserved keyword; reserved keyword: abort",
        ),
        ("SET a = nope(b)", "Invalid function name; function: nope"),
        ("SET a = LIST_APPEND(b, :c)", "Invalid function name; function: LIST_APPEND"),
        ("SET a = nope(b) SET c = :d", "Invalid function name; function: nope"),
        ("SET a = size(b)", "The function is not allowed in an update expression; function: size"),
        (
            "SET a = attribute_exists(b)",
            "The function is not allowed in an update expression; function: attribute_exists",
        ),
        (
            "SET a = :b SET c = :d",
            "The \"SET\" section can only be used once in an update expression;",
        ),
        (
            "remove a remove b",
            "The \"REMOVE\" section can only be used once in an update expression;",
        ),
        (
            "ADD a :b SET c = :d ADD e :f SET g = :h",
            "The \"ADD\" section can only be used once in an update expression;",
        ),
        (
            "DELETE a :b DELETE a :b",
            "The \"DELETE\" section can only be used once in an update expression;",
        ),
        (
            "REMOVE a[2147483648]",
            "List index is not within the allowable range; index: [2147483648]",
        ),
    ] {
        check(text, expect);
    }
    let path = format!("REMOVE a{}", ".b".repeat(32));
    check(&path, "The document path has too many nesting levels; nesting levels: 33");
    let long = format!("REMOVE {}", "a".repeat(4090));
    check(&long, "Expression size has exceeded the maximum allowed size; expression size: 4097");
    let sums = |count: usize| {
        let clauses: Vec<String> = (0..count).map(|n| format!("a{n}=b+:c")).collect();
        format!("SET {}", clauses.join(","))
    };
    assert!(UpdateSyntax::parse(&sums(300)).is_ok());
    check(&sums(301), "The expression contains too many operators; operator count: 301");
}

//! Statements: what is well formed, what is refused with which words, and what they bind to.

use value::{Item, Value};

use super::notation::{item, value};
use super::{condition, error};
use crate::partiql::{Filter, Statement, StatementError, StatementSyntax};
use crate::{KeyRange, KeySchema};

fn bound(text: &str, parameters: &str) -> Result<Statement, StatementError> {
    let Value::L(parameters) = value(parameters) else { panic!("{parameters} is no list") };
    StatementSyntax::parse(text)?.bind(&parameters)
}

fn filter(text: &str, parameters: &str) -> Result<Filter, StatementError> {
    match bound(&format!("SELECT * FROM t WHERE {text}"), parameters)? {
        Statement::Select(select) => Ok(select.filter.unwrap()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn forms_of_statements() {
    for text in [
        "SELECT * FROM t",
        "select a, \"b c\".d[0], e['f'] from \"t\".\"i\" where a = 1 order by b desc;",
        "SELECT * FROM t WHERE a = 1 ORDER BY b ASC, c",
        "INSERT INTO t VALUE {}",
        "INSERT INTO \"t\" VALUE {'a': 1, 'b': {'c': [1, 'x', <<1>>, NULL, TRUE]}}",
        "UPDATE t SET a = 1 WHERE b = 2",
        "UPDATE t SET a = 1, b = b + 1 REMOVE c REMOVE d[1] SET e = f - 1 - g WHERE h = 1",
        "UPDATE t SET a = list_append(a, [1]) WHERE b = 2 RETURNING ALL OLD *",
        "UPDATE t SET a = SET_ADD(a, <<1>>) SET b.c = set_delete(b.c, <<'x'>>) WHERE d = 1",
        "UPDATE t REMOVE a WHERE b = 1 RETURNING MODIFIED NEW *",
        "DELETE FROM t WHERE a = 1",
        "DELETE FROM t WHERE a = 1 RETURNING ALL OLD *",
        "EXISTS(SELECT * FROM t WHERE a = 1 AND b IS MISSING)",
        "SELECT * -- a comment\nFROM /* another */ t",
        "SELECT _a, $b FROM t",
        "SELECT * FROM \"arn:aws:dynamodb:eu-west-1:123456789012:table/t\"",
    ] {
        assert!(bound(text, "[]").is_ok(), "{text}: {}", error(bound(text, "[]")));
    }
}

#[test]
fn what_is_not_well_formed() {
    for (text, detail) in [
        ("", "Expected data manipulation"),
        ("   ", "Expected data manipulation"),
        ("hello", "Expected data manipulation"),
        ("CREATE TABLE t", "Expected data manipulation"),
        ("UPSERT INTO t VALUE {}", "Expected data manipulation"),
        ("UPDATE a-b SET c = 1", "Expected data manipulation"),
        ("UPDATE t WHERE a = 1", "Expected data manipulation"),
        ("SELECT FROM t", "Unexpected keyword"),
        ("SELECT", "Expected expression"),
        ("SELECT *", "Expected FROM"),
        ("SELECT * FROM", "Expected identifier for simple path"),
        ("SELECT * FROM 't'", "Expected identifier for simple path"),
        ("SELECT * FROM select", "Unexpected keyword"),
        ("SELECT * FROM t WHERE", "Expected expression"),
        ("SELECT * FROM t WHERE a", "Expected expression"),
        ("SELECT * FROM t WHERE a =", "Expected expression"),
        ("SELECT * FROM t WHERE = a", "Unexpected operator"),
        ("SELECT * FROM t WHERE a = = b", "Unexpected operator"),
        ("SELECT * FROM t WHERE a = 1 b", "Unexpected token after expression"),
        ("SELECT * FROM t WHERE (a = 1", "Expected right parenthesis"),
        ("SELECT * FROM t WHERE a = 1)", "Unexpected token after expression"),
        ("SELECT * FROM t WHERE a IN 1", "Unexpected term"),
        ("SELECT * FROM t WHERE a IN ()", "Unexpected term"),
        ("SELECT * FROM t WHERE a IN (1]", "Expected the end of the list of IN"),
        ("SELECT * FROM t WHERE a BETWEEN 1", "Expected AND"),
        ("SELECT * FROM t WHERE a IS", "Expected expression"),
        ("SELECT * FROM t WHERE a IS 5", "Unexpected term"),
        ("SELECT * FROM t WHERE a LIKE 'x'", "Unsupported operator: LIKE"),
        ("SELECT * FROM t WHERE a = 'x", "Unexpected term"),
        ("SELECT * FROM t WHERE a = {'b' 1}", "Expected colon"),
        ("SELECT * FROM t WHERE a = {b: 1}", "Expected string literal as the name of a field"),
        ("SELECT * FROM t WHERE a = [1", "Expected comma or the end of a literal"),
        ("SELECT * FROM t WHERE a = [1,]", "Unexpected term"),
        ("SELECT * FROM t WHERE a = <<1, 2]", "Expected comma or the end of a literal"),
        ("SELECT * FROM t WHERE a[b] = 1", "Unexpected path component"),
        ("SELECT * FROM t LIMIT 5", "Unsupported clause: LIMIT"),
        ("SELECT * FROM t GROUP BY a", "Unsupported clause: GROUP"),
        ("SELECT * FROM t AS x", "Unsupported clause: AS"),
        ("SELECT * FROM t x", "Only select from a single table or index is supported"),
        ("SELECT * FROM t, u", "Only select from a single table or index is supported"),
        ("SELECT COUNT(*) FROM t", "Unsupported function in SELECT: COUNT"),
        ("SELECT size(a) FROM t", "Unsupported function in SELECT: size"),
        ("SELECT a b FROM t", "Expected FROM"),
        ("SELECT * FROM t; SELECT * FROM t", "Unexpected token after expression"),
        ("INSERT t VALUE {}", "Expected INTO"),
        ("INSERT INTO t", "Expected VALUE"),
        ("INSERT INTO t (a) VALUES (1)", "Expected VALUE"),
        ("INSERT INTO t VALUE a", "Unexpected keyword"),
        ("INSERT INTO t VALUE {'a': 1} RETURNING ALL OLD *", "Unexpected token after expression"),
        ("UPDATE t SET a WHERE b = 1", "Expected equal sign"),
        ("UPDATE t SET a = WHERE b = 1", "Unexpected keyword"),
        ("UPDATE t SET a = 1 WHERE b = 1 RETURNING SOME OLD *", "Expected ALL"),
        ("UPDATE t SET a = 1 WHERE b = 1 RETURNING ALL *", "Expected OLD"),
        ("UPDATE t SET a = 1 WHERE b = 1 RETURNING ALL OLD", "Expected asterisk"),
        ("DELETE t WHERE a = 1", "Expected FROM"),
        ("EXISTS SELECT * FROM t", "Expected left parenthesis"),
        ("EXISTS(DELETE FROM t WHERE a = 1)", "Expected SELECT"),
        ("EXISTS(SELECT * FROM t WHERE a = 1", "Expected right parenthesis"),
    ] {
        let expect = format!("Statement wasn't well formed, can't be processed: {detail}");
        assert_eq!(error(bound(text, "[]")), expect, "{text}");
    }
}

#[test]
fn what_is_refused_otherwise() {
    let deep = |depth: usize| format!("{}1{}", "[".repeat(depth), "]".repeat(depth));
    let fault = "Incorrect operand type for operator or function; operator or function: ";
    for (text, parameters, expect) in [
        ("SELECT * FROM a.b.c", "[]", "A path may contain at most 2 components in the FROM clause"),
        ("SELECT * FROM \"\"", "[]", "Path component cannot be an empty string"),
        ("SELECT * FROM t.\"\"", "[]", "Path component cannot be an empty string"),
        ("SELECT \"\" FROM t", "[]", "Path component cannot be an empty string"),
        ("SELECT * FROM t", "[1]", "Number of parameters in request and statement don't match."),
        (
            "SELECT * FROM t WHERE a = ?",
            "[]",
            "Number of parameters in request and statement don't match.",
        ),
        (
            "SELECT * FROM t WHERE a = ?",
            "[1, 2]",
            "Number of parameters in request and statement don't match.",
        ),
        ("SELECT * FROM t WHERE a < TRUE", "[]", &format!("{fault}<, operand type: BOOL")),
        ("SELECT * FROM t WHERE a >= NULL", "[]", &format!("{fault}>=, operand type: NULL")),
        ("SELECT * FROM t WHERE a > [1]", "[]", &format!("{fault}>, operand type: L")),
        ("SELECT * FROM t WHERE a <= {}", "[]", &format!("{fault}<=, operand type: M")),
        ("SELECT * FROM t WHERE a > <<1>>", "[]", &format!("{fault}>, operand type: NS")),
        ("SELECT * FROM t WHERE a > <<'x'>>", "[]", &format!("{fault}>, operand type: SS")),
        ("SELECT * FROM t WHERE a > ?", "[<x'00'>]", &format!("{fault}>, operand type: BS")),
        (
            "SELECT * FROM t WHERE a BETWEEN FALSE AND 1",
            "[]",
            &format!("{fault}BETWEEN, operand type: BOOL"),
        ),
        (
            "SELECT * FROM t WHERE begins_with(a, 1)",
            "[]",
            &format!("{fault}begins_with, operand type: N"),
        ),
        ("SELECT * FROM t WHERE nope(a)", "[]", "Invalid function name; function: nope"),
        (
            "SELECT * FROM t WHERE attribute_exists(a)",
            "[]",
            "Invalid function name; function: attribute_exists",
        ),
        (
            "SELECT * FROM t WHERE contains(a)",
            "[]",
            "Incorrect number of operands for operator or function; operator or function: contains, \
             number of operands: 1",
        ),
        (
            "SELECT * FROM t WHERE contains(a, 1) = TRUE",
            "[]",
            "Statement wasn't well formed, can't be processed: Unexpected token after expression",
        ),
        (
            "SELECT * FROM t WHERE a = contains(a, 1)",
            "[]",
            "The function is not allowed to be used this way in an expression; function: contains",
        ),
        (
            "SELECT * FROM t WHERE attribute_type(a, 'X')",
            "[]",
            "Invalid attribute type name found; type: X, valid types: \
             {B,NULL,SS,BOOL,L,BS,N,NS,S,M}",
        ),
        (
            "SELECT * FROM t WHERE 1 IS NULL",
            "[]",
            "Operator or function requires a document path; operator or function: IS NULL",
        ),
        (
            "SELECT * FROM t WHERE a[99999999999] = 1",
            "[]",
            "List index is not within the allowable range; index: [99999999999]",
        ),
        (
            &format!("SELECT * FROM t WHERE a{} = 1", ".a".repeat(32)),
            "[]",
            "The document path has too many nesting levels; nesting levels: 33",
        ),
        (
            &format!("SELECT * FROM t WHERE a IN ({})", vec!["1"; 101].join(",")),
            "[]",
            "The IN operator is provided with too many operands; number of operands: 101",
        ),
        ("INSERT INTO t VALUE 5", "[]", "The value of an INSERT statement must be a map"),
        ("INSERT INTO t VALUE ?", "[1]", "The value of an INSERT statement must be a map"),
        (
            "INSERT INTO t VALUE {'': 1}",
            "[]",
            "One or more parameter values were invalid: Empty attribute name",
        ),
        (
            "INSERT INTO t VALUE {'a': <<>>}",
            "[]",
            "One or more parameter values were invalid: An string set  may not be empty",
        ),
        ("INSERT INTO t VALUE {'a': <<1, 1.0>>}", "[]", "Input collection contains duplicates"),
        (
            "INSERT INTO t VALUE {'a': <<1, 'x'>>}",
            "[]",
            "The elements of a set must all be strings, all be numbers or all be binaries",
        ),
        (
            "INSERT INTO t VALUE {'a': <<[1]>>}",
            "[]",
            "The elements of a set must all be strings, all be numbers or all be binaries",
        ),
        (
            &format!("INSERT INTO t VALUE {{'a': 1{}}}", "0".repeat(126)),
            "[]",
            "Number overflow. Attempting to store a number with magnitude larger than supported \
             range",
        ),
        (
            &format!("INSERT INTO t VALUE {{'a': {}}}", deep(32)),
            "[]",
            &format!(
                "Nesting Levels have exceeded supported limits under root.a{}",
                "[0]".repeat(31)
            ),
        ),
        (
            &format!("INSERT INTO t VALUE {{'a': {}}}", deep(30).replace('1', "?")),
            "[[[1]]]",
            "Nesting Levels have exceeded supported limits: Attributes in the item have nested \
             levels beyond supported limit",
        ),
        (
            "UPDATE t SET a = set_add(b, <<1>>) WHERE c = 1",
            "[]",
            "The function set_add takes the path that is set and a set",
        ),
        (
            "UPDATE t SET a = set_delete(a, b) WHERE c = 1",
            "[]",
            "The function set_delete takes the path that is set and a set",
        ),
        (
            "UPDATE t SET a = set_add(a, 5) WHERE c = 1",
            "[]",
            &format!("{fault}set_add, operand type: N"),
        ),
        (
            "UPDATE t SET a = set_delete(a, ['x']) WHERE c = 1",
            "[]",
            &format!("{fault}set_delete, operand type: L"),
        ),
        ("UPDATE t SET a = b + 'x' WHERE c = 1", "[]", &format!("{fault}+, operand type: S")),
        (
            "UPDATE t SET a = list_append(a, 5) WHERE c = 1",
            "[]",
            &format!("{fault}list_append, operand type: N"),
        ),
        (
            "UPDATE t SET a = if_not_exists(a, 5) WHERE c = 1",
            "[]",
            "Invalid function name; function: if_not_exists",
        ),
        (
            "UPDATE t SET a = 1 SET a = 2 WHERE c = 1",
            "[]",
            "Two document paths overlap with each other; must remove or rewrite one of these paths; \
             path one: [a], path two: [a]",
        ),
        (
            "UPDATE t SET a.b = 1 REMOVE a[0] WHERE c = 1",
            "[]",
            "Two document paths conflict with each other; must remove or rewrite one of these \
             paths; path one: [a, b], path two: [a, [0]]",
        ),
        (
            "DELETE FROM t WHERE a = 1 returning modified old *",
            "[]",
            "Invalid returning clause: RETURNING MODIFIED OLD *. Only RETURNING ALL OLD * is \
             allowed in DELETE statements.",
        ),
        (
            "DELETE FROM t WHERE a = 1 RETURNING ALL NEW *",
            "[]",
            "Invalid returning clause: RETURNING ALL NEW *. Only RETURNING ALL OLD * is allowed in \
             DELETE statements.",
        ),
    ] {
        assert_eq!(error(bound(text, parameters)), expect, "{text}");
    }
}

/// One evaluator, two syntaxes: each pair binds to the same condition.
#[test]
fn conditions_are_those_of_expressions() {
    let values = "{a: 1, b: 'x', c: [1, 'x'], d: <1, 2>}";
    let parameters = "[1, 'x', [1, 'x'], <1, 2>]";
    for (statement, expression) in [
        ("a = 1", "a = :a"),
        ("a <> 'x'", "a <> :b"),
        ("a != 'x'", "a <> :b"),
        ("1 >= a", ":a >= a"),
        ("a BETWEEN 1 AND b", "a BETWEEN :a AND b"),
        ("a IN [1, 'x']", "a IN (:a, :b)"),
        ("a IN (1, b.c[2])", "a IN (:a, b.c[2])"),
        ("a = <<2, 1>>", "a = :d"),
        ("a = [1, 'x']", "a = :c"),
        ("NOT a = 1", "NOT a = :a"),
        ("a NOT IN (1)", "NOT a IN (:a)"),
        ("a NOT BETWEEN 1 AND 1", "NOT a BETWEEN :a AND :a"),
        ("a IS MISSING", "attribute_not_exists(a)"),
        ("a IS NOT MISSING", "NOT attribute_not_exists(a)"),
        ("a NOT MISSING", "NOT attribute_not_exists(a)"),
        ("NOT a IS MISSING", "NOT attribute_not_exists(a)"),
        ("size(a) > 1", "size(a) > :a"),
        ("SIZE(\"a\".b) > 1 AND Contains(c, 'x')", "size(a.b) > :a AND contains(c, :b)"),
        ("begins_with(a, 'x')", "begins_with(a, :b)"),
        ("a = 1 OR b = 'x' AND c = 1", "a = :a OR b = :b AND c = :a"),
        ("(a = 1 OR b = 'x') AND ((c = 1))", "(a = :a OR b = :b) AND (c = :a)"),
        ("NOT (NOT a = 1 AND b = 1)", "NOT (NOT a = :a AND b = :a)"),
        ("a['b'].c = 1", "a.b.c = :a"),
    ] {
        let expect = condition(expression, values).unwrap();
        assert_eq!(*filter(statement, "[]").unwrap().condition(), expect, "{statement}");
    }
    let with = filter("a = ? AND b = ? AND c = ? AND d = ?", parameters).unwrap();
    let expect = condition("a = :a AND b = :b AND c = :c AND d = :d", values).unwrap();
    assert_eq!(*with.condition(), expect);
}

#[test]
fn null_is_a_type() {
    let is_null = filter("a IS NULL", "[]").unwrap();
    let is_not = filter("a IS NOT NULL", "[]").unwrap();
    for (text, expect) in [("{a: null}", true), ("{a: 1}", false), ("{}", false)] {
        assert_eq!(is_null.condition().matches(&item(text)), expect, "{text}");
        assert_eq!(is_not.condition().matches(&item(text)), !expect, "{text}");
    }
}

#[test]
fn literals_are_values() {
    for (literal, parameters, expect) in [
        ("'it''s'", "[]", "'it\u{27}s'"),
        ("''", "[]", "''"),
        ("-1.50e2", "[]", "-150"),
        ("+7", "[]", "7"),
        ("1.0", "[]", "1"),
        ("TRUE", "[]", "true"),
        ("false", "[]", "false"),
        ("Null", "[]", "null"),
        ("[]", "[]", "[]"),
        ("[[], [[1]], {}]", "[]", "[[], [[1]], {}]"),
        (
            "{'a': {'b': [1, {'c': <<'x', 'y'>>}]}, 'd': {}}",
            "[]",
            "{a: {b: [1, {c: <'x', 'y'>}]}, d: {}}",
        ),
        ("[?, {'a': ?}, <<?>>]", "[1, [2], x'00']", "[1, {a: [2]}, <x'00'>]"),
    ] {
        let insert = format!("INSERT INTO t VALUE {{'v': {literal}}}");
        let Statement::Insert { item, .. } = bound(&insert, parameters).unwrap() else {
            panic!("{insert}")
        };
        let expect = if literal == "'it''s'" { Value::S("it's".to_owned()) } else { value(expect) };
        assert_eq!(item, Item::from([("v".to_owned(), expect)]), "{literal}");
    }
}

#[test]
fn updates_are_made() {
    for (clauses, old, expect) in [
        ("SET a = 1", "{}", "{a: 1}"),
        ("SET a = 1, b = 'x'", "{a: 5}", "{a: 1, b: 'x'}"),
        ("SET a = a + 1", "{a: 5}", "{a: 6}"),
        ("SET a = a - 1 + b", "{a: 5, b: 3}", "{a: 7, b: 3}"),
        ("SET a = b SET b = a", "{a: 1, b: 2}", "{a: 2, b: 1}"),
        ("REMOVE a REMOVE b[0]", "{a: 1, b: [1, 2]}", "{b: [2]}"),
        ("REMOVE a, b", "{a: 1, b: 2, c: 3}", "{c: 3}"),
        ("SET a.b[0].c = 1", "{a: {b: [{}]}}", "{a: {b: [{c: 1}]}}"),
        ("SET a = list_append(a, [3])", "{a: [1]}", "{a: [1, 3]}"),
        ("SET a = list_append([0], a)", "{a: [1]}", "{a: [0, 1]}"),
        ("SET a = set_add(a, <<2, 3>>)", "{a: <1, 2>}", "{a: <1, 2, 3>}"),
        ("SET a = set_add(a, <<2>>)", "{}", "{a: <2>}"),
        ("SET a = set_delete(a, <<2>>)", "{a: <1, 2>}", "{a: <1>}"),
        ("SET a = set_delete(a, <<1, 2>>)", "{a: <1, 2>}", "{}"),
        ("SET a.b = set_delete(a.b, <<'x'>>)", "{a: {b: <'x', 'y'>}}", "{a: {b: <'y'>}}"),
    ] {
        let text = format!("UPDATE t {clauses} WHERE k = 1");
        let Statement::Update { update, .. } = bound(&text, "[]").unwrap() else {
            panic!("{text}")
        };
        let old = item(old);
        let updated = update.apply(Some(&old), &Item::new()).unwrap();
        assert_eq!(updated.item, Some(item(expect)), "{clauses}");
        // Only the finished item counts.
        assert_eq!(updated.weight, 0);
    }
}

#[test]
fn nested_parts_come_under_their_last_name() {
    let whole = "{a: {b: {c: 1}, l: [5, {d: 6}]}, e: 2}";
    for (paths, expect) in [
        ("a.b", "{b: {c: 1}}"),
        ("a.b.c, e", "{c: 1, e: 2}"),
        ("a.l[0]", "{_1: 5}"),
        ("e, a.l[0]", "{e: 2, _2: 5}"),
        ("a.l[1].d", "{d: 6}"),
        ("x, a.x, a.l[9], e.f", "{}"),
        ("a.b, a.b.c", "{b: {c: 1}, c: 1}"),
    ] {
        let text = format!("SELECT {paths} FROM t");
        let Statement::Select(select) = bound(&text, "[]").unwrap() else { panic!("{text}") };
        let projection = select.projection.unwrap();
        assert_eq!(projection.apply(&item(whole)), item(expect), "{paths}");
    }
}

#[test]
fn keys_of_several_attributes() {
    use value::KeyType::{N, S};
    let schema = KeySchema { partition: &[("a", S), ("b", N)], sort: &[("c", S), ("d", S)] };
    let partitions = |text: &str| filter(text, "[]").unwrap().partitions(schema).unwrap();
    assert_eq!(partitions("a = 'x' AND c = 'y'"), None);
    let found = partitions("a IN ('x', 'y') AND b IN [1, 2] AND c = 'k' AND d > 'l' AND e = 1");
    let found = found.unwrap();
    let keys: Vec<_> = found.conditions.iter().map(|condition| &condition.partition).collect();
    let key = |text: &str, number: &str| vec![value(text), value(number)];
    assert_eq!(keys, [&key("'x'", "1"), &key("'x'", "2"), &key("'y'", "1"), &key("'y'", "2")]);
    assert!(found.conditions.iter().all(|condition| condition.sort == [value("'k'")]
        && condition.range == Some(KeyRange::Gt(value("'l'")))));
    assert_eq!(found.rest.unwrap().attributes().collect::<Vec<_>>(), ["e"]);
    // A range of the second sort attribute needs the first one.
    let found = partitions("a = 'x' AND b = 1 AND d > 'l'").unwrap();
    assert_eq!(found.conditions[0].range, None);
    assert_eq!(found.rest.unwrap().attributes().collect::<Vec<_>>(), ["d"]);
    let many = |count: usize| {
        let values: Vec<String> = (0..count).map(|number| format!("'{number}'")).collect();
        let text = format!("a IN ({}) AND b = 1", values.join(","));
        filter(&text, "[]").unwrap().partitions(schema)
    };
    assert_eq!(many(50).unwrap().unwrap().conditions.len(), 50);
    assert_eq!(
        error(many(51)),
        "The IN operator is provided with too many operands; number of operands: 51"
    );
}

#[test]
fn a_deletion_also_takes_no_item() {
    let condition = filter("k = 1 AND (a = 1 OR b = 1)", "[]").unwrap().or_no_item("k");
    for (text, expect) in [
        ("{}", true),
        ("{k: 1}", false),
        ("{k: 1, a: 1}", true),
        ("{k: 1, a: 2, b: 1}", true),
        ("{k: 2, a: 1}", false),
    ] {
        assert_eq!(condition.matches(&item(text)), expect, "{text}");
    }
}

//! No statement makes anything panic, none takes long, and none needs much stack. What is confined
//! to partitions says the same as the whole condition.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use value::{Item, KeyType, Value};

use crate::KeySchema;
use crate::partiql::{Statement, StatementSyntax};
use crate::tests::stack::on_a_small_stack;

const LONGEST: usize = 8192;

const TOKENS: [&str; 64] = [
    "SELECT",
    "INSERT",
    "INTO",
    "VALUE",
    "UPDATE",
    "DELETE",
    "FROM",
    "WHERE",
    "SET",
    "REMOVE",
    "RETURNING",
    "ALL",
    "MODIFIED",
    "OLD",
    "NEW",
    "EXISTS",
    "ORDER",
    "BY",
    "ASC",
    "DESC",
    "AND",
    "OR",
    "NOT",
    "IN",
    "BETWEEN",
    "IS",
    "NULL",
    "MISSING",
    "TRUE",
    "LIMIT",
    "*",
    "a",
    "b",
    "\"t\"",
    "\"\"",
    "'x'",
    "''",
    "'",
    "\"",
    "?",
    "0",
    "1.5e3",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "<<",
    ">>",
    ",",
    ".",
    ":",
    ";",
    "=",
    "<>",
    "<",
    ">=",
    "+",
    "-",
    "size",
    "contains",
    "list_append",
    "\u{e9}",
];

/// Whole pieces, so that much of the soup gets past the parser.
const PIECES: [&str; 20] = [
    "SELECT * FROM t WHERE",
    "SELECT a.b[0], c FROM \"t\".\"i\" WHERE",
    "UPDATE t SET a = 1 WHERE",
    "UPDATE t SET a = list_append(a, [1]) REMOVE b WHERE",
    "DELETE FROM t WHERE",
    "INSERT INTO t VALUE {'a': [1, {'b': <<1>>}]}",
    "EXISTS(SELECT * FROM t WHERE",
    "a = 1",
    "a = ?",
    "a IN [1, 2]",
    "a IN (?, 'x')",
    "b BETWEEN 1 AND 2",
    "size(a) > 1",
    "c IS NOT MISSING",
    "AND",
    "OR",
    "NOT",
    "(",
    ")",
    "ORDER BY b DESC",
];

/// Parses and binds a text, and uses what comes of it.
fn use_statement(text: &str) {
    let Ok(syntax) = StatementSyntax::parse(text) else { return };
    let marks = text.matches('?').count();
    let items = [Item::new(), Item::from([("a".to_owned(), Value::L(vec![Value::Null]))])];
    for count in 0..=marks.min(40) {
        let parameters = vec![Value::S("x".to_owned()); count];
        let Ok(statement) = syntax.bind(&parameters) else { continue };
        let filter = match &statement {
            Statement::Select(select) | Statement::Exists(select) => {
                for item in &items {
                    select.projection.as_ref().map(|projection| projection.apply(item));
                }
                select.filter.as_ref()
            }
            Statement::Update { update, filter, .. } => {
                for item in &items {
                    drop(update.apply(Some(item), item));
                }
                filter.as_ref()
            }
            Statement::Delete { filter, .. } => filter.as_ref(),
            Statement::Insert { .. } => None,
        };
        let Some(filter) = filter else { continue };
        let schema = KeySchema { partition: &[("a", KeyType::N)], sort: &[("b", KeyType::N)] };
        let partitions = filter.partitions(schema);
        filter.equalities(["a", "b"].into_iter());
        for item in &items {
            filter.condition().matches(item);
            filter.or_no_item("a").matches(item);
            if let Ok(Some(partitions)) = &partitions {
                partitions.rest.as_ref().map(|rest| rest.matches(item));
            }
        }
    }
}

fn timed(text: String) {
    let start = Instant::now();
    on_a_small_stack({
        let text = text.clone();
        move || use_statement(&text)
    });
    // Far above what it takes, far below what a bad growth would take.
    assert!(start.elapsed() < Duration::from_secs(2), "{text}");
}

fn cut(mut text: String) -> String {
    let mut end = text.len().min(LONGEST);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
    text
}

fn soup(tokens: &'static [&'static str], most: usize) -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(tokens), 0..most)
        .prop_map(|tokens| cut(tokens.join(" ")))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn of_random_bytes(bytes in prop::collection::vec(any::<u8>(), 0..LONGEST)) {
        timed(cut(String::from_utf8_lossy(&bytes).into_owned()));
    }

    #[test]
    fn of_random_text(text in "[ -~\u{e9}\n]{0,4000}") {
        timed(text);
    }

    #[test]
    fn of_token_soup(text in soup(&TOKENS, 1200)) {
        timed(text);
    }

    #[test]
    fn of_pieces(text in soup(&PIECES, 60)) {
        timed(text);
    }

    #[test]
    fn of_soup_behind_a_good_start(
        start in prop::sample::select(&PIECES[..]),
        rest in soup(&TOKENS, 40),
    ) {
        timed(format!("{start} {rest}"));
    }
}

#[test]
fn deep_statements_fit_a_small_stack() {
    on_a_small_stack(|| {
        for (start, opening, middle, closing) in [
            ("SELECT * FROM t WHERE ", "(", "a = 1", ")"),
            ("SELECT * FROM t WHERE ", "NOT ", "a = 1", ""),
            ("SELECT * FROM t WHERE ", "NOT (", "a = 1", ")"),
            ("SELECT * FROM t WHERE ", "(b = 1 AND ", "a = 1", ")"),
            ("SELECT * FROM t WHERE ", "(b = 1 OR ", "a = 1", ")"),
            ("SELECT * FROM t WHERE ", "size(", "a", ")"),
            ("SELECT * FROM t WHERE ", "a IN (", "1", ")"),
            ("SELECT * FROM t WHERE a = ", "[", "1", "]"),
            ("SELECT * FROM t WHERE a = ", "{'a':", "1", "}"),
            ("SELECT * FROM t WHERE a = ", "<<", "1", ">>"),
            ("SELECT * FROM t WHERE a", ".a", " = 1", ""),
            ("SELECT * FROM t WHERE a", "[0]", " = 1", ""),
            ("SELECT * FROM t", ".t", "", ""),
            ("INSERT INTO t VALUE ", "{'a':", "?", "}"),
            ("UPDATE t SET a = ", "list_append(a,", "[1]", ")"),
            ("UPDATE t SET a = ", "a + ", "1", ""),
            ("", "EXISTS(", "SELECT * FROM t", ")"),
        ] {
            let room = LONGEST - start.len() - middle.len();
            for depth in [1, 2, 31, 32, 33, 300, room / (opening.len() + closing.len())] {
                for text in [
                    format!("{start}{}{middle}{}", opening.repeat(depth), closing.repeat(depth)),
                    format!("{start}{}", opening.repeat(depth)),
                ] {
                    use_statement(&text);
                }
            }
        }
    });
}

/// A condition of tests on keys and others, joined at random.
fn conditions() -> impl Strategy<Value = String> {
    let tests = prop::sample::select(vec![
        "a = 1",
        "a = 2",
        "1 = a",
        "a IN (1, 2)",
        "a IN [3]",
        "b = 1",
        "b > 1",
        "b <= 2",
        "b BETWEEN 1 AND 2",
        "c = 1",
        "c IS MISSING",
        "a > 1",
        "a <> 1",
    ]);
    let joint = prop::sample::select(vec![" AND ", " AND ", " AND ", " OR "]);
    tests.prop_map(str::to_owned).prop_recursive(3, 12, 3, move |inner| {
        (
            prop::collection::vec(inner, 1..4),
            joint.clone(),
            prop::sample::select(vec!["", "", "NOT "]),
        )
            .prop_map(|(parts, joint, not)| format!("{not}({})", parts.join(joint)))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn partitions_and_the_rest_say_the_same(text in conditions()) {
        let syntax = StatementSyntax::parse(&format!("SELECT * FROM t WHERE {text}")).unwrap();
        let Statement::Select(select) = syntax.bind(&[]).unwrap() else { panic!("{text}") };
        let filter = select.filter.unwrap();
        let schema = KeySchema { partition: &[("a", KeyType::N)], sort: &[("b", KeyType::N)] };
        let Some(partitions) = filter.partitions(schema).unwrap() else { return Ok(()) };
        for (a, b, c) in (0..4).flat_map(|a| (0..4).flat_map(move |b| (0..3).map(move |c| (a, b, c)))) {
            let number = |number: i64| Value::N(number.into());
            let mut item = Item::from([("a".to_owned(), number(a)), ("b".to_owned(), number(b))]);
            if c > 0 {
                item.insert("c".to_owned(), number(c));
            }
            let read = partitions.conditions.iter().filter(|condition| {
                use crate::KeyRange::{Between, BeginsWith, Ge, Gt, Le, Lt};
                let b = number(b);
                let order = |value: &Value| crate::condition::order(&b, value).unwrap();
                let in_range = match &condition.range {
                    None => true,
                    Some(Lt(value)) => order(value).is_lt(),
                    Some(Le(value)) => order(value).is_le(),
                    Some(Gt(value)) => order(value).is_gt(),
                    Some(Ge(value)) => order(value).is_ge(),
                    Some(Between(low, high)) => order(low).is_ge() && order(high).is_le(),
                    Some(BeginsWith(_)) => false,
                };
                condition.partition == [number(a)]
                    && condition.sort.iter().all(|value| *value == b)
                    && in_range
            });
            let found = read.count();
            prop_assert!(found <= 1, "read twice: {text}");
            let rest = partitions.rest.as_ref().is_none_or(|rest| rest.matches(&item));
            prop_assert_eq!(found == 1 && rest, filter.condition().matches(&item), "{}", text);
        }
    }
}

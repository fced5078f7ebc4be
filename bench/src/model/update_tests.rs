//! Updates by small tables.

use super::{
    super::{notation::Notation, path::select, tests_of::*},
    *,
};

fn source(text: &str) -> Source {
    if text.starts_with('{') { Source::Value(value(text)) } else { Source::Path(path(text)) }
}

fn set(text: &str) -> Action {
    Action::Set(NewValue::Plain(source(text)))
}

fn update(clauses: &[(&str, Action)]) -> Update {
    let clauses = clauses.iter().map(|(target, action)| (path(target), action.clone()));
    Update { clauses: clauses.collect() }
}

fn key() -> Item {
    item("{'pk': {'S': 'k'}}")
}

fn sample() -> Item {
    item(
        "{'pk': {'S': 'k'}, 'n': {'N': '5'}, 's': {'S': 'x'}, 'ss': {'SS': ['a', 'b']}, \
         'l': {'L': [{'N': '0'}, {'N': '1'}, {'N': '2'}]}, 'm': {'M': {'x': {'N': '7'}}}}",
    )
}

/// The sample with one attribute as given, or without it.
fn with(name: &str, text: Option<&str>) -> Item {
    let mut expected = sample();
    match text {
        Some(text) => expected.insert(name.to_owned(), value(text)),
        None => expected.remove(name),
    };
    expected
}

#[test]
fn single_clauses() {
    use NewValue::*;
    let append = |first: &str, second: &str| {
        Action::Set(Plain(Source::ListAppend(Box::new(source(first)), Box::new(source(second)))))
    };
    let or = |target: &str, other: &str| {
        Action::Set(Plain(Source::IfNotExists(path(target), Box::new(source(other)))))
    };
    for (target, action, attribute, expected) in [
        ("n", set("{'S': 'y'}"), "n", Some("{'S': 'y'}")),
        ("new", set("m.x"), "new", Some("{'N': '7'}")),
        ("n", Action::Set(Sum(source("n"), source("m.x"))), "n", Some("{'N': '12'}")),
        (
            "n",
            Action::Set(Difference(source("n"), source("{'N': '6.5'}"))),
            "n",
            Some("{'N': '-1.5'}"),
        ),
        ("n", or("n", "{'N': '1'}"), "n", Some("{'N': '5'}")),
        ("new", or("new", "{'N': '1'}"), "new", Some("{'N': '1'}")),
        (
            "l",
            append("l", "{'L': [{'N': '3'}]}"),
            "l",
            Some("{'L': [{'N': '0'}, {'N': '1'}, {'N': '2'}, {'N': '3'}]}"),
        ),
        ("m.y", set("s"), "m", Some("{'M': {'x': {'N': '7'}, 'y': {'S': 'x'}}}")),
        ("l[1]", set("s"), "l", Some("{'L': [{'N': '0'}, {'S': 'x'}, {'N': '2'}]}")),
        ("l[9]", set("s"), "l", Some("{'L': [{'N': '0'}, {'N': '1'}, {'N': '2'}, {'S': 'x'}]}")),
        ("n", Action::Remove, "n", None),
        ("l[0]", Action::Remove, "l", Some("{'L': [{'N': '1'}, {'N': '2'}]}")),
        ("l[7]", Action::Remove, "l", Some("{'L': [{'N': '0'}, {'N': '1'}, {'N': '2'}]}")),
        ("m.x", Action::Remove, "m", Some("{'M': {}}")),
        ("n", Action::Add(number(-6)), "n", Some("{'N': '-1'}")),
        ("new", Action::Add(number(3)), "new", Some("{'N': '3'}")),
        ("ss", Action::Add(value("{'SS': ['b', 'c']}")), "ss", Some("{'SS': ['a', 'b', 'c']}")),
        ("ss", Action::Delete(value("{'SS': ['b', 'z']}")), "ss", Some("{'SS': ['a']}")),
        ("ss", Action::Delete(value("{'SS': ['a', 'b']}")), "ss", None),
        ("new", Action::Delete(value("{'SS': ['a']}")), "new", None),
    ] {
        let found = update(&[(target, action.clone())]).apply(Some(&sample()), &key());
        assert_eq!(found, Ok(Some(with(attribute, expected))), "{target} {action:?}");
    }
}

#[test]
fn faults() {
    use Fault::*;
    use NewValue::*;
    let append = Source::ListAppend(Box::new(source("l")), Box::new(source("s")));
    let huge = Value::N(Decimal::new(1, 100));
    for (target, action, faults) in [
        ("n", set("none"), vec![NoSuchOperand]),
        ("n", set("l[3]"), vec![NoSuchOperand]),
        ("n", Action::Set(Sum(source("n"), source("s"))), vec![OperandType]),
        ("n", Action::Set(Sum(source("none"), source("s"))), vec![NoSuchOperand, OperandType]),
        ("n", Action::Set(Plain(append)), vec![OperandType]),
        ("n", Action::Add(huge), vec![Overflow]),
        ("s", Action::Add(number(1)), vec![OperandType]),
        ("n", Action::Delete(value("{'SS': ['a']}")), vec![OperandType]),
        ("ss", Action::Delete(value("{'NS': ['1']}")), vec![OperandType]),
        ("none.x", set("s"), vec![InvalidPath]),
        ("m.y.z", set("s"), vec![InvalidPath]),
        ("m[0]", set("s"), vec![InvalidPath]),
        ("l.x", Action::Remove, vec![InvalidPath]),
        ("none.x", Action::Remove, vec![InvalidPath]),
        ("s[0]", Action::Add(number(1)), vec![InvalidPath]),
        ("none.x", set("none"), vec![NoSuchOperand, InvalidPath]),
    ] {
        let found = update(&[(target, action.clone())]).apply(Some(&sample()), &key());
        assert_eq!(found, Err(faults.into_iter().collect()), "{target} {action:?}");
    }
}

#[test]
fn an_item_that_is_not_there_is_made_unless_only_taken_from() {
    let made = |clauses: &[(&str, Action)]| update(clauses).apply(None, &key());
    assert_eq!(made(&[]), Ok(Some(key())));
    assert_eq!(made(&[("a", Action::Remove), ("b.c", Action::Remove)]), Ok(None));
    assert_eq!(made(&[("a", Action::Delete(value("{'SS': ['a']}")))]), Ok(None));
    let one = item("{'pk': {'S': 'k'}, 'a': {'N': '1'}}");
    assert_eq!(made(&[("a", Action::Add(number(1))), ("b", Action::Remove)]), Ok(Some(one)));
    assert!(made(&[("a.b", Action::Add(number(1)))]).is_err());
}

#[test]
fn all_is_read_from_the_item_as_it_was() {
    let swapped = update(&[("n", set("s")), ("s", set("n"))]).apply(Some(&sample()), &key());
    let mut expected = with("n", Some("{'S': 'x'}"));
    expected.insert("s".to_owned(), number(5));
    assert_eq!(swapped, Ok(Some(expected)));
}

#[test]
fn indexes_are_those_of_the_list_as_it_was() {
    let several = update(&[
        ("l[8]", set("{'S': 'last'}")),
        ("l[0]", Action::Remove),
        ("l[5]", set("{'S': 'end'}")),
        ("l[2]", set("{'S': 'two'}")),
        ("l[3]", Action::Remove),
        ("n", Action::Remove),
    ]);
    let found = several.apply(Some(&sample()), &key()).unwrap().unwrap();
    let list = "{'L': [{'N': '1'}, {'S': 'two'}, {'S': 'end'}, {'S': 'last'}]}";
    assert_eq!(found.get("l"), Some(&value(list)));
    let touched = select(&found, &several.touched_after(&sample()));
    let expected = item("{'l': {'L': [{'S': 'two'}, {'S': 'end'}, {'S': 'last'}]}}");
    assert_eq!(touched, expected);
    let touched = select(&sample(), &several.touched_before());
    assert_eq!(touched, item("{'l': {'L': [{'N': '0'}, {'N': '2'}]}, 'n': {'N': '5'}}"));
}

#[test]
fn sections_are_written_once() {
    let three = update(&[("a", set("n")), ("b", Action::Remove), ("c", set("{'N': '1'}"))]);
    let text = three.text(&mut Notation::default());
    assert_eq!(text, "SET a = n, #n0 = :v0 REMOVE b");
}

//! Records in, lines out.

use super::*;
use serde_json::{Map, Value, json};

fn look(width: Option<usize>) -> Look {
    Look { colour: false, width, key: vec!["PK".to_owned(), "SK".to_owned()] }
}

/// A record of an item at 2026-01-31T12:00:05Z.
fn record(event: &str, old: Value, new: Value) -> Record {
    let key = json!({"PK": {"S": "USER#1"}, "SK": {"N": "7"}});
    let image = |mut attributes: Value| {
        if let (Value::Object(attributes), Value::Object(key)) = (&mut attributes, key.clone()) {
            attributes.extend(key);
        }
        attributes
    };
    let json = json!({
        "eventName": event,
        "dynamodb": {
            "ApproximateCreationDateTime": 1_769_860_805,
            "Keys": key,
            "OldImage": image(old),
            "NewImage": image(new),
            "SequenceNumber": "100000000000000000001",
        }
    });
    Record::try_from(json).unwrap()
}

#[test]
fn an_insert_shows_its_attributes() {
    let new = json!({"name": {"S": "Ada"}, "total": {"N": "12.5"}});
    let record = record("INSERT", Value::Null, new);
    let expect = "2026-01-31T12:00:05Z INSERT \"USER#1\" / 7  name: \"Ada\", total: 12.5";
    assert_eq!(line(&record, &look(None)), expect);
    let expect = "12:00:05Z INSERT \"USER#1\" / 7  name: \"Ada\", total: 12.5";
    assert_eq!(line(&record, &look(Some(80))), expect);
}

#[test]
fn a_modify_shows_what_changed() {
    let old = json!({"a": {"N": "1"}, "gone": {"S": "x"}, "kept": {"S": "k"}, "m": {"M": {"c": {"N": "1"}}}});
    let new = json!({"a": {"N": "2"}, "kept": {"S": "k"}, "m": {"M": {"c": {"N": "2"}}}, "more": {"BOOL": true}});
    let expect =
        "12:00:05Z MODIFY \"USER#1\" / 7  a: 1 -> 2, -gone: \"x\", m.c: 1 -> 2, +more: true";
    assert_eq!(line(&record("MODIFY", old.clone(), new.clone()), &look(Some(100))), expect);
    let only_new = line(&record("MODIFY", Value::Null, new), &look(Some(100)));
    assert!(only_new.ends_with("7  a: 2, kept: \"k\", m: {c: 2}, more: true"), "{only_new}");
    let only_old = line(&record("MODIFY", old, Value::Null), &look(Some(100)));
    assert!(only_old.ends_with("7  was a: 1, gone: \"x\", kept: \"k\", m: {c: 1}"), "{only_old}");
}

#[test]
fn a_remove_shows_what_was_there_and_who_it_was() {
    let mut removed = record("REMOVE", json!({"name": {"S": "Ada"}}), Value::Null);
    let expect = "12:00:05Z REMOVE \"USER#1\" / 7  name: \"Ada\"";
    assert_eq!(line(&removed, &look(Some(80))), expect);
    removed.json["userIdentity"] =
        json!({"Type": "Service", "PrincipalId": "dynamodb.amazonaws.com"});
    let expect = "12:00:05Z REMOVE \"USER#1\" / 7 by time to live  name: \"Ada\"";
    assert_eq!(line(&removed, &look(Some(80))), expect);
}

#[test]
fn keys_are_enough_if_there_is_nothing_else() {
    let record = record("MODIFY", Value::Null, Value::Null);
    assert_eq!(line(&record, &look(Some(80))), "12:00:05Z MODIFY \"USER#1\" / 7");
}

#[test]
fn lines_fit_the_terminal() {
    let long = "x".repeat(500);
    let new: Map<String, Value> =
        (0..30).map(|n| (format!("attribute{n:02}"), json!({ "S": long }))).collect();
    let many = record("INSERT", Value::Null, Value::Object(new));
    let one = record("INSERT", Value::Null, json!({ "a": {"S": long} }));
    for width in [60, 80, 100, 132, 200] {
        for (record, end) in [(&many, " more"), (&one, "...")] {
            let line = line(record, &look(Some(width)));
            assert!(line.chars().count() <= width, "{width}: {line}");
            assert!(line.ends_with(end), "{width}: {line}");
        }
    }
    let narrow = line(&many, &look(Some(20)));
    assert!(narrow.chars().count() < 70, "{narrow}");
    assert!(line(&many, &look(None)).chars().count() > 15_000);
}

#[test]
fn what_is_left_out_is_counted() {
    let new = json!({"a": {"N": "1"}, "b": {"S": "0123456789"}, "c": {"N": "3"}});
    let record = record("INSERT", Value::Null, new);
    let end = |width| {
        let line = line(&record, &look(Some(width)));
        line.split_once("7  ").unwrap().1.to_owned()
    };
    assert_eq!(end(80), "a: 1, b: \"0123456789\", c: 3");
    assert_eq!(end(58), "a: 1, b: \"0123456789\", c: 3");
    assert_eq!(end(57), "a: 1, +2 more");
}

#[test]
fn long_texts_are_cut_where_they_differ() {
    let common = "same ".repeat(30);
    let text = |end: &str| json!({"text": {"S": format!("{common}{end}")}});
    let line = line(&record("MODIFY", text("before"), text("after")), &look(Some(120)));
    assert!(line.ends_with("text: ...me same before\" -> ...me same after\""), "{line}");
}

#[test]
fn colours_follow_the_event() {
    let look = Look { colour: true, ..look(Some(80)) };
    for (event, code) in [("INSERT", "32"), ("MODIFY", "33"), ("REMOVE", "31")] {
        let line = line(&record(event, Value::Null, Value::Null), &look);
        assert!(line.contains(&format!("\u{1b}[{code}m{event}\u{1b}[0m")), "{line:?}");
    }
}

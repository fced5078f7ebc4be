use super::*;
use crate::outage::Kind;

fn item(by: u64) -> Item {
    let mut item = Key::new("OWN#", 1).item();
    item.insert("by".to_owned(), json!({"N": by.to_string()}));
    item
}

/// Put, changed, deleted.
fn record() -> Record {
    let mut record = Record::new();
    record.add(Version { item: None, from: 900, to: 901 });
    record.add(Version { item: Some(item(1)), from: 1000, to: 1010 });
    record.add(Version { item: Some(item(1)), from: 1500, to: 1510 });
    record.add(Version { item: Some(item(2)), from: 2000, to: 2010 });
    record.add(Version { item: None, from: 3000, to: 3010 });
    record
}

fn answer() -> Value {
    json!({"Versions": [
        {"DateTime": 3.005, "EventName": "REMOVE"},
        {"DateTime": 2.005, "EventName": "MODIFY", "Item": item(2)},
        {"DateTime": 1.005, "EventName": "INSERT", "Item": item(1)},
    ]})
}

fn kinds(record: &Record, answer: &Value) -> Vec<Kind> {
    compare(&Key::new("OWN#", 1), record, answer).iter().map(|v| v.kind).collect()
}

#[test]
fn a_history_as_it_was_is_right() {
    assert_eq!(record().versions.len(), 3);
    assert_eq!(kinds(&record(), &answer()), []);
    assert_eq!(kinds(&Record::new(), &json!({"Versions": []})), []);
}

#[test]
fn whatever_differs_is_found() {
    let wrong: [fn(&mut Value); 8] = [
        |answer| drop(answer["Versions"].as_array_mut().unwrap().remove(1)),
        |answer| answer["Versions"].as_array_mut().unwrap().push(json!({})),
        |answer| answer["Versions"].as_array_mut().unwrap().swap(1, 2),
        |answer| answer["Versions"][1]["Item"] = json!(item(3)),
        |answer| answer["Versions"][1]["EventName"] = "INSERT".into(),
        |answer| answer["Versions"][1]["DateTime"] = 2.5.into(),
        |answer| answer["Versions"][0]["UserIdentity"] = json!({"Type": "Service"}),
        |answer| answer["Before"] = json!(item(0)),
    ];
    for (number, change) in wrong.iter().enumerate() {
        let mut answer = answer();
        change(&mut answer);
        assert_eq!(kinds(&record(), &answer), [Kind::Inconsistent], "{number}");
    }
}

#[test]
fn older_versions_may_be_there_after_a_blur() {
    let mut record = Record::new();
    record.blur(Some(item(1)));
    record.add(Version { item: Some(item(2)), from: 2000, to: 2010 });
    record.add(Version { item: None, from: 3000, to: 3010 });
    assert_eq!(kinds(&record, &answer()), []);
    record.add(Version { item: Some(item(4)), from: 4000, to: 4010 });
    assert_eq!(kinds(&record, &answer()), [Kind::Inconsistent]);
}

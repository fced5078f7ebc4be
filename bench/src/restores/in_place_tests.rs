use super::*;
use crate::outage::Kind;

fn item(number: u64, by: u64) -> (Key, Item) {
    let key = Key::new(OWN, number);
    let mut item = key.item();
    item.insert("by".to_owned(), json!({"N": by.to_string()}));
    (key, item)
}

/// One item has changed, one is gone, one was made.
fn restore() -> InPlace {
    let items = Items::from([item(0, 1), item(1, 1), (Key::new("ALL#", 0), Item::new())]);
    let moment = Moment { millis: 5_000, items, bytes: None };
    let owned = Items::from([item(0, 2), item(2, 2)]);
    InPlace::new(&moment, &Filter::default(), &owned, true)
}

fn ended() -> Value {
    json!({
        "Status": "COMPLETED", "RestoreDateTime": 5.0, "ItemsWritten": 3, "ItemsDeleted": 1,
        "Conflicts": 0,
        "Samples": [
            {"Now": item(0, 2).1, "Then": item(0, 1).1},
            {"Then": item(1, 1).1},
            {"Now": item(2, 2).1},
        ],
    })
}

#[test]
fn an_end_as_it_should_be_is_right() {
    assert!(restore().compare(&ended()).is_empty());
}

#[test]
fn whatever_differs_is_found() {
    let wrong: [fn(&mut Value); 8] = [
        |ended| ended["Status"] = "FAILED".into(),
        |ended| ended["RestoreDateTime"] = 5.001.into(),
        |ended| ended["ItemsWritten"] = 2.into(),
        |ended| ended["ItemsDeleted"] = 0.into(),
        |ended| ended["Conflicts"] = 1.into(),
        |ended| drop(ended["Samples"].as_array_mut().unwrap().pop()),
        |ended| ended["Samples"][0]["Then"] = json!(item(0, 3).1),
        |ended| ended["Samples"][1]["Now"] = json!(item(1, 1).1),
    ];
    for (number, change) in wrong.iter().enumerate() {
        let mut ended = ended();
        change(&mut ended);
        let found = restore().compare(&ended);
        let kinds: Vec<Kind> = found.iter().map(|violation| violation.kind).collect();
        assert_eq!(kinds, [Kind::Inconsistent], "{number}: {found:?}");
    }
}

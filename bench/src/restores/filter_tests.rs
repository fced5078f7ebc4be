use super::*;

fn item(key: &Key, by: u64, team: Option<&str>) -> Item {
    let mut item = key.item();
    item.insert(BY.to_owned(), json!({"N": by.to_string()}));
    if let Some(team) = team {
        item.insert(TEAM.to_owned(), json!({"S": team}));
    }
    item
}

fn team(team: &str) -> Filter {
    Filter { condition: Some(Condition::Team(team.to_owned())), ..Filter::default() }
}

#[test]
fn everything_that_is_given_must_hold() {
    let key = Key::new(OWN, 7);
    let one = item(&key, 1, Some("T#1"));
    assert!(Filter::default().takes(&key, &one));
    assert!(team("T#1").takes(&key, &one));
    assert!(!team("T#2").takes(&key, &one));
    let prefix = |prefix: &str| Filter { prefix: Some(prefix.to_owned()), ..team("T#1") };
    assert!(prefix("OWN#1").takes(&key, &one));
    assert!(!prefix("OWN#2").takes(&key, &one));
    let keys = |number| Filter { keys: Some([Key::new(OWN, number)].into()), ..team("T#1") };
    assert!(keys(7).takes(&key, &one));
    assert!(!keys(8).takes(&key, &one));
}

#[test]
fn a_condition_is_asked_of_the_item_as_it_was_or_else_as_it_is() {
    let [changed, moved, made, gone, same] = [0, 1, 2, 3, 4].map(|number| Key::new(OWN, number));
    let then = Items::from([
        (changed.clone(), item(&changed, 1, Some("T#1"))),
        (moved.clone(), item(&moved, 1, Some("T#2"))),
        (gone.clone(), item(&gone, 1, Some("T#1"))),
        (same.clone(), item(&same, 1, Some("T#1"))),
    ]);
    let now = Items::from([
        (changed.clone(), item(&changed, 2, Some("T#2"))),
        (moved.clone(), item(&moved, 2, Some("T#1"))),
        (made.clone(), item(&made, 2, Some("T#1"))),
        (same.clone(), item(&same, 1, Some("T#1"))),
    ]);
    let changes = team("T#1").changes(&now, &then);
    let expected = BTreeMap::from([
        (changed.clone(), then.get(&changed).cloned()),
        (made, None),
        (gone.clone(), then.get(&gone).cloned()),
    ]);
    assert_eq!(changes, expected);
    assert_eq!(team("T#2").part(&then).into_keys().collect::<Vec<_>>(), [moved]);
}

#[test]
fn owned_filters_take_nothing_else() {
    let mut random = Random::new(3);
    for _ in 0..200 {
        let filter = Filter::choose_own(&mut random, 50);
        let key = Key::new(SHARED, random.between(0, 50));
        assert!(!filter.takes(&key, &item(&key, 1, None)), "{filter:?}");
    }
}

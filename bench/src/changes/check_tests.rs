//! The checker must be able to fail: each test shows it a stream that breaks one promise.

use super::{
    super::{
        deed::{Action, Expires, Update},
        span::{FIRST, Interval, LAST},
        table::{BY, number},
    },
    *,
};
use crate::outage::Kind;

const KEY: Key = Key(5);
const ALWAYS: Span = Span { from: FIRST, to: LAST };

fn deed(id: u64, key: Key, action: Action) -> Deed {
    Deed {
        id,
        key,
        action,
        expected: None,
        request: id,
        transaction: false,
        sent: id,
        done: id + 1,
        outcome: Outcome::Acknowledged,
        old: None,
    }
}

fn item(key: Key, id: u64) -> Item {
    let mut item = key.item();
    item.insert(BY.to_owned(), number(id));
    item
}

fn put(id: u64) -> Deed {
    deed(id, KEY, Action::Put(item(KEY, id)))
}

fn record(event: Event, old: Option<Item>, new: Option<Item>) -> Record {
    Record {
        shard: 0,
        id: String::new(),
        sequence: String::new(),
        event,
        key: KEY,
        old,
        new,
        by_service: false,
        created: 1_000,
    }
}

/// A put, an update and a delete of one item, and all that a stream and a table should have.
struct Story {
    deeds: Vec<Deed>,
    records: Vec<Record>,
    base: Beliefs,
    items: Items,
    span: Span,
    view: View,
}

fn story() -> Story {
    let update = deed(20, KEY, Action::Update(Update { counts: true, expires: Expires::Set(900) }));
    let first = item(KEY, 10);
    let second = update.result(Some(&first)).unwrap();
    let mut delete = deed(30, KEY, Action::Delete);
    delete.old = Some(Some(second.clone()));
    let other = Key(6);
    Story {
        deeds: vec![put(10), update, delete, put(40)],
        records: vec![
            record(Event::Insert, None, Some(first.clone())),
            record(Event::Modify, Some(first), Some(second.clone())),
            record(Event::Remove, Some(second), None),
            record(Event::Insert, None, Some(item(KEY, 40))),
        ],
        base: Beliefs::from([(other, Belief::Is(item(other, 1)))]),
        items: Items::from([(other, item(other, 1)), (KEY, item(KEY, 40))]),
        span: ALWAYS,
        view: View::Both,
    }
}

impl Story {
    fn wrong(&self) -> Vec<Violation> {
        self.check().violations
    }

    fn check(&self) -> Verdict {
        check(&Reading {
            view: self.view,
            records: &self.records,
            base: &self.base,
            deeds: &self.deeds,
            span: self.span,
            end: Some(&self.items),
        })
    }

    /// The same with less shown.
    fn seen_as(mut self, view: View) -> Story {
        self.view = view;
        for record in &mut self.records {
            record.old = record.old.take().filter(|_| view.shows_old());
            record.new = record.new.take().filter(|_| view.shows_new());
        }
        self
    }
}

fn kinds(violations: &[Violation]) -> Vec<Kind> {
    violations.iter().map(|violation| violation.kind).collect()
}

#[test]
fn a_good_stream_is_good_with_every_view() {
    for view in View::ALL {
        let story = story().seen_as(view);
        let verdict = story.check();
        assert!(verdict.violations.is_empty(), "{view:?} {:?}", verdict.violations);
        let end = story.items.iter().map(|(key, item)| (*key, Belief::Is(item.clone())));
        assert_eq!(verdict.end, end.collect());
    }
}

#[test]
fn a_missing_record_is_seen_with_every_view() {
    for view in View::ALL {
        for place in 0..4 {
            let mut story = story().seen_as(view);
            story.records.remove(place);
            assert!(!story.wrong().is_empty(), "{view:?} {place}");
        }
    }
}

#[test]
fn a_missing_last_record_of_an_acknowledged_write_is_lost() {
    let mut story = story();
    story.records.pop();
    story.items.remove(&KEY);
    assert_eq!(kinds(&story.wrong()), [Kind::Lost]);
}

#[test]
fn a_record_that_is_there_twice_is_seen_with_every_view() {
    for view in View::ALL {
        for place in 0..4 {
            let mut story = story().seen_as(view);
            let record = story.records[place].clone();
            story.records.insert(place, record);
            assert!(!story.wrong().is_empty(), "{view:?} {place}");
        }
    }
}

#[test]
fn swapped_records_are_seen_with_images() {
    for view in [View::New, View::Old, View::Both] {
        for place in 0..3 {
            let mut story = story().seen_as(view);
            story.records.swap(place, place + 1);
            assert!(!story.wrong().is_empty(), "{view:?} {place}");
        }
    }
}

/// Two puts whose images fit either way round, as inserts with deletes that nobody was told of
/// between them: only the times tell.
#[test]
fn records_against_the_times_of_their_writes_are_seen() {
    let mut story = story();
    story.deeds =
        vec![put(10), deed(20, KEY, Action::Delete), put(30), deed(40, KEY, Action::Delete)];
    let insert = |id| record(Event::Insert, None, Some(item(KEY, id)));
    let remove = |id| record(Event::Remove, Some(item(KEY, id)), None);
    story.items.remove(&KEY);
    story.records = vec![insert(10), remove(10), insert(30), remove(30)];
    assert!(story.wrong().is_empty(), "{:?}", story.wrong());
    story.records = vec![insert(30), remove(30), insert(10), remove(10)];
    assert_eq!(kinds(&story.wrong()), [Kind::Inconsistent]);
}

#[test]
fn a_wrong_old_image_is_seen() {
    for view in [View::Old, View::Both] {
        for place in [1, 2] {
            let mut story = story().seen_as(view);
            let old = story.records[place].old.as_mut().unwrap();
            old.insert("more".to_owned(), number(1));
            assert!(!story.wrong().is_empty(), "{view:?} {place}");
        }
    }
}

#[test]
fn a_wrong_new_image_is_seen() {
    for view in [View::New, View::Both] {
        for place in [0, 1, 3] {
            let mut story = story().seen_as(view);
            let new = story.records[place].new.as_mut().unwrap();
            new.insert("more".to_owned(), number(1));
            assert!(!story.wrong().is_empty(), "{view:?} {place}");
        }
    }
}

#[test]
fn events_must_fit_what_is_there() {
    for view in View::ALL {
        let mut story = story().seen_as(view);
        story.records[0].event = Event::Modify;
        assert!(!story.wrong().is_empty(), "{view:?}: MODIFY of nothing");
        let mut story = self::story().seen_as(view);
        story.records[1].event = Event::Insert;
        assert!(!story.wrong().is_empty(), "{view:?}: INSERT over an item");
        let mut story = self::story().seen_as(view);
        let remove = story.records[2].clone();
        story.records.insert(0, remove);
        story.deeds.push(deed(1, KEY, Action::Delete));
        assert!(!story.wrong().is_empty(), "{view:?}: REMOVE of nothing");
    }
}

#[test]
fn a_record_that_changes_nothing_is_seen() {
    for view in [View::New, View::Old, View::Both] {
        let mut story = story();
        let first = item(KEY, 10);
        story.records.insert(1, record(Event::Modify, Some(first.clone()), Some(first)));
        assert!(!story.seen_as(view).wrong().is_empty(), "{view:?}");
    }
}

#[test]
fn records_need_a_write_that_was_sent_and_not_refused() {
    for view in View::ALL {
        for place in 0..4 {
            let mut story = story().seen_as(view);
            story.deeds.remove(place);
            assert!(!story.wrong().is_empty(), "{view:?} {place}");
            let mut story = self::story().seen_as(view);
            story.deeds[place].outcome = Outcome::Refused;
            assert!(!story.wrong().is_empty(), "{view:?} {place}");
        }
    }
}

#[test]
fn a_write_without_an_answer_may_have_a_record_or_not() {
    let mut story = story();
    story.deeds[3].outcome = Outcome::Unanswered;
    assert!(story.wrong().is_empty());
    story.records.pop();
    story.items.remove(&KEY);
    assert!(story.wrong().is_empty());
}

#[test]
fn the_table_must_be_what_the_stream_says() {
    let change: [fn(&mut Items); 4] = [
        |items| drop(items.remove(&KEY)),
        |items| drop(items.remove(&Key(6))),
        |items| drop(items.insert(KEY, item(KEY, 10))),
        |items| drop(items.insert(Key(7), item(Key(7), 2))),
    ];
    for (number, change) in change.into_iter().enumerate() {
        let mut story = story();
        change(&mut story.items);
        assert!(!story.wrong().is_empty(), "{number}");
    }
}

#[test]
fn deletes_by_the_service_are_of_items_that_were_due() {
    let mut story = story();
    story.deeds.remove(2);
    story.records[2].by_service = true;
    assert!(story.wrong().is_empty(), "{:?}", story.wrong());
    assert_eq!(story.check().expired, 1);
    story.records[2].created = 899;
    assert_eq!(kinds(&story.wrong()), [Kind::Inconsistent]);
    // A delete that a client made may not bear the service's name, nor the other way round.
    let mut story = self::story();
    story.records[2].by_service = true;
    assert_eq!(kinds(&story.wrong()), [Kind::Lost]);
    let mut story = self::story();
    story.deeds.remove(2);
    assert_eq!(kinds(&story.wrong()), [Kind::Inconsistent]);
    let mut story = self::story();
    story.records[1].by_service = true;
    assert!(!story.wrong().is_empty());
}

/// The look at the table came before the last records were read.
#[test]
fn an_item_may_expire_after_the_look() {
    let mut story = story();
    let mut last = item(KEY, 40);
    last.insert(EXPIRES.to_owned(), number(1_000));
    story.deeds[3].action = Action::Put(last.clone());
    story.records[3].new = Some(last.clone());
    story.items.insert(KEY, last.clone());
    story.records.push(record(Event::Remove, Some(last), None));
    story.records[4].by_service = true;
    assert!(story.wrong().is_empty(), "{:?}", story.wrong());
    story.records[4].by_service = false;
    story.deeds.push(deed(50, KEY, Action::Delete));
    assert_eq!(kinds(&story.wrong()), [Kind::Inconsistent]);
}

#[test]
fn what_was_written_while_the_stream_was_off_has_no_record() {
    let mut story = story();
    story.span.from = Interval { sent: 12, done: 15 };
    assert!(!story.wrong().is_empty());
    // And none is missing then.
    story.records.remove(0);
    story.base.insert(KEY, Belief::Is(item(KEY, 10)));
    assert!(story.wrong().is_empty(), "{:?}", story.wrong());
    story.base.insert(KEY, Belief::Unknown);
    assert!(story.wrong().is_empty(), "{:?}", story.wrong());
    story.base.insert(KEY, Belief::Is(item(KEY, 9)));
    assert!(!story.wrong().is_empty());
}

#[test]
fn a_delete_of_something_needs_a_record_even_if_nobody_was_told() {
    let blind = |sent, done| Deed { done, ..deed(sent, KEY, Action::Delete) };
    for (sent, done, wrong) in [(12, 13, true), (22, 25, true), (31, 33, false), (5, 13, false)] {
        let mut story = story();
        story.deeds.push(blind(sent, done));
        assert_eq!(!story.wrong().is_empty(), wrong, "{sent} {done} {:?}", story.wrong());
    }
}

#[test]
fn answers_about_what_was_there_must_fit() {
    let mut story = story();
    story.deeds[1].old = Some(Some(item(KEY, 10)));
    assert!(story.wrong().is_empty(), "{:?}", story.wrong());
    story.deeds[1].old = Some(None);
    assert!(!story.wrong().is_empty());
    story.deeds[1].old = None;
    story.deeds[1].expected = Some(9);
    assert!(!story.wrong().is_empty());
}

#[test]
fn a_transaction_without_an_answer_is_whole() {
    let mut story = story();
    let (one, two) = (Key(8), Key(9));
    for (id, key) in [(50, one), (51, two)] {
        let mut part = deed(id, key, Action::Put(item(key, id)));
        (part.transaction, part.request, part.outcome) = (true, 50, Outcome::Unanswered);
        story.deeds.push(part);
    }
    assert!(story.wrong().is_empty());
    for (id, key, whole) in [(50, one, false), (51, two, true)] {
        let insert = record(Event::Insert, None, Some(item(key, id)));
        story.records.push(Record { key, ..insert });
        story.items.insert(key, item(key, id));
        let found = kinds(&story.wrong());
        assert_eq!(found, if whole { vec![] } else { vec![Kind::HalfApplied] });
    }
}

/// What was there at first is not known, so the first record may be of either delete; the second
/// is not.
#[test]
fn a_delete_of_something_unknown_takes_no_other_records_delete() {
    let mut story = story().seen_as(View::New);
    let mut known = deed(50, KEY, Action::Delete);
    known.old = Some(Some(item(KEY, 40)));
    let unknown = deed(5, KEY, Action::Delete);
    story.deeds.extend([known, unknown]);
    story.base.insert(KEY, Belief::Unknown);
    story.records.insert(0, record(Event::Remove, None, None));
    story.records.push(record(Event::Remove, None, None));
    story.items.remove(&KEY);
    assert!(story.wrong().is_empty(), "{:?}", story.wrong());
    story.deeds.pop();
    assert!(!story.wrong().is_empty());
}

/// A delete without an answer that would fit a record need not be the one.
#[test]
fn a_delete_without_an_answer_takes_no_time_from_another() {
    let mut story = story();
    let mut late = deed(60, KEY, Action::Delete);
    (late.expected, late.outcome) = (Some(40), Outcome::Unanswered);
    story.deeds.extend([late, deed(50, KEY, Action::Delete)]);
    story.records.push(record(Event::Remove, Some(item(KEY, 40)), None));
    story.items.remove(&KEY);
    assert!(story.wrong().is_empty(), "{:?}", story.wrong());
}

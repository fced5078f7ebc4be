//! The reader on a stream in memory, whose shards, iterators and outages the tests decide.

use super::*;
use crate::stream::{
    record::SequenceNumber,
    source::{Page, SequenceNumberRange, ShardDescription},
};
use serde_json::json;
use std::{cell::RefCell, rc::Rc};

#[derive(Debug, Default)]
struct Stream {
    disabled: bool,
    shards: Vec<Fake>,
    page: usize,
    /// The error that the next page is answered with.
    failure: Option<&'static str>,
    /// The places that iterators were asked for.
    places: Vec<Place>,
}

#[derive(Debug, Default, Clone)]
struct Fake {
    id: &'static str,
    parent: Option<&'static str>,
    starts: u64,
    ends: Option<u64>,
    /// Sequence numbers and seconds.
    records: Vec<(u64, u64)>,
}

#[derive(Debug, Clone)]
struct Shared(Rc<RefCell<Stream>>);

fn refused(name: &str) -> TailError {
    let (name, message) = (name.to_owned(), String::new());
    TailError::Call(CallError::Refused { status: 400, name, message })
}

fn number(number: u64) -> SequenceNumber {
    SequenceNumber(number.to_string())
}

impl Shared {
    fn new(shards: &[Fake]) -> Shared {
        let stream = Stream { shards: shards.to_vec(), page: 2, ..Stream::default() };
        Shared(Rc::new(RefCell::new(stream)))
    }

    fn reader(&self, start: Place, once: bool) -> Reader<Shared> {
        let described = self.clone().describe().unwrap();
        Reader::new(self.clone(), &described, start, once)
    }

    fn change(&self, change: impl FnOnce(&mut Stream)) {
        change(&mut self.0.borrow_mut());
    }
}

impl Source for Shared {
    fn describe(&mut self) -> Result<Description, TailError> {
        let stream = self.0.borrow();
        let shards = stream.shards.iter().map(|shard| ShardDescription {
            shard_id: shard.id.to_owned(),
            parent_shard_id: shard.parent.map(str::to_owned),
            sequence_number_range: SequenceNumberRange {
                starting_sequence_number: Some(number(shard.starts)),
                ending_sequence_number: shard.ends.map(number),
            },
        });
        let status = if stream.disabled { "DISABLED" } else { "ENABLED" };
        let mut described: Description = serde_json::from_value(json!({
            "TableName": "t", "StreamLabel": "l", "StreamStatus": status,
            "StreamViewType": "KEYS_ONLY", "KeySchema": [],
        }))
        .unwrap();
        described.shards = shards.collect();
        Ok(described)
    }

    fn iterator(&mut self, shard: &str, place: &Place) -> Result<String, TailError> {
        let mut stream = self.0.borrow_mut();
        stream.places.push(place.clone());
        let found = stream.shards.iter().find(|fake| fake.id == shard).unwrap();
        let at = match place {
            Place::Horizon => 0,
            Place::Latest => found.records.len(),
            Place::At(_) => 0,
            Place::After(last) => {
                let read = found.records.iter().filter(|(own, _)| number(*own) <= *last);
                read.count()
            }
        };
        Ok(format!("{shard}|{at}"))
    }

    fn page(&mut self, iterator: &str) -> Result<Page, TailError> {
        let mut stream = self.0.borrow_mut();
        if let Some(failure) = stream.failure.take() {
            return Err(refused(failure));
        }
        let (id, at) = iterator.split_once('|').unwrap();
        let at: usize = at.parse().unwrap();
        let shard = stream.shards.iter().find(|fake| fake.id == id).unwrap();
        let records: Vec<_> = shard.records.iter().skip(at).take(stream.page).collect();
        let next = at + records.len();
        let is_end = shard.ends.is_some() && next == shard.records.len();
        let records = records.iter().map(|(number, seconds)| {
            let json = json!({"eventName": "INSERT", "dynamodb": {
                "SequenceNumber": number.to_string(), "ApproximateCreationDateTime": seconds }});
            Record::try_from(json).unwrap()
        });
        let next_shard_iterator = (!is_end).then(|| format!("{id}|{next}"));
        Ok(Page { records: records.collect(), next_shard_iterator })
    }
}

/// Makes rounds until there is nothing to do: the sequence numbers in the order of the output.
fn read(reader: &mut Reader<Shared>) -> (Vec<u64>, Next) {
    let mut found = Vec::new();
    for _ in 0..100 {
        let (records, next) = reader.round().unwrap();
        let is_quiet = records.is_empty();
        let numbers = records.into_iter().map(|record| record.sequence_number.0.parse::<u64>());
        found.extend(numbers.map(Result::unwrap));
        if !matches!(next, Next::Again(wait) if wait < IDLE || !is_quiet) {
            return (found, next);
        }
    }
    panic!("it never ends: {found:?}");
}

fn shard(id: &'static str, parent: Option<&'static str>, starts: u64, ends: Option<u64>) -> Fake {
    Fake { id, parent, starts, ends, records: Vec::new() }
}

fn with(mut shard: Fake, numbers: &[u64]) -> Fake {
    // Ten numbers a second.
    shard.records = numbers.iter().map(|number| (*number, number / 10)).collect();
    shard
}

#[test]
fn shards_side_by_side_are_merged_by_time() {
    let stream = Shared::new(&[
        with(shard("a", None, 0, None), &[1, 2, 3, 4, 5, 50, 51]),
        with(shard("b", None, 0, None), &[6, 20, 30, 31, 32, 60]),
    ]);
    let expect = vec![1, 2, 3, 4, 5, 6, 20, 30, 31, 32, 50, 51, 60];
    let found = read(&mut stream.reader(Place::Horizon, true));
    assert_eq!(found, (expect.clone(), Next::Complete));
    assert_eq!(read(&mut stream.reader(Place::Horizon, false)), (expect, Next::Again(IDLE)));
}

#[test]
fn parents_come_before_children() {
    let stream = Shared::new(&[
        with(shard("z", None, 0, Some(10)), &[1, 9]),
        with(shard("y", Some("z"), 10, Some(20)), &[10, 13, 19]),
        with(shard("x", Some("z"), 10, Some(20)), &[11, 12]),
        with(shard("w", Some("y"), 20, None), &[21]),
        with(shard("v", Some("trimmed"), 0, Some(20)), &[2, 14]),
    ]);
    let found = read(&mut stream.reader(Place::Horizon, true));
    assert_eq!(found, (vec![1, 2, 9, 10, 11, 12, 13, 14, 19, 21], Next::Complete));
}

/// Where shards have become fewer, the child names one of its parents only. Times do not help:
/// the clock was set back.
#[test]
fn a_shard_waits_for_all_that_end_where_it_begins() {
    let stream = Shared::new(&[shard("a", None, 0, None), shard("b", None, 0, None)]);
    let mut reader = stream.reader(Place::Horizon, false);
    assert!(read(&mut reader).0.is_empty());
    stream.change(|stream| {
        stream.shards[0].ends = Some(10);
        stream.shards[1].ends = Some(10);
        stream.shards[1].records = (1..=5).map(|number| (number, 100)).collect();
        stream.shards.push(with(shard("c", Some("a"), 10, None), &[11]));
    });
    assert_eq!(read(&mut reader).0, [1, 2, 3, 4, 5, 11]);
}

/// A list that is made while shards are rolled may show a child beside an open parent.
#[test]
fn a_shard_waits_for_a_parent_that_seems_open() {
    let mut parent = shard("a", None, 0, None);
    parent.records = vec![(1, 100), (2, 100)];
    let stream = Shared::new(&[parent, with(shard("b", Some("a"), 10, None), &[11])]);
    let mut reader = stream.reader(Place::Horizon, false);
    assert_eq!(read(&mut reader).0, [1, 2]);
    stream.change(|stream| {
        stream.shards[0].ends = Some(10);
        stream.shards[0].records.push((3, 100));
    });
    assert_eq!(read(&mut reader).0, [3, 11]);
}

#[test]
fn shards_that_follow_later_are_read_from_their_start() {
    let stream = Shared::new(&[with(shard("a", None, 0, None), &[1, 2])]);
    let mut reader = stream.reader(Place::Latest, false);
    assert!(read(&mut reader).0.is_empty());
    stream.change(|stream| {
        stream.shards[0] = with(shard("a", None, 0, Some(10)), &[1, 2, 3]);
        stream.shards.push(with(shard("b", Some("a"), 10, Some(20)), &[11]));
        stream.shards.push(with(shard("c", Some("b"), 20, None), &[21]));
    });
    assert_eq!(read(&mut reader).0, [3, 11, 21]);
    stream.change(|stream| {
        stream.shards[2].records.push((22, 2));
    });
    assert_eq!(read(&mut reader).0, [22]);
}

#[test]
fn a_disabled_stream_ends_when_it_has_been_read() {
    let stream = Shared::new(&[with(shard("a", None, 0, None), &[1])]);
    let mut reader = stream.reader(Place::Horizon, false);
    assert_eq!(read(&mut reader), (vec![1], Next::Again(IDLE)));
    stream.change(|stream| {
        stream.disabled = true;
        stream.shards[0] = with(shard("a", None, 0, Some(9)), &[1, 2, 3, 4]);
    });
    assert_eq!(read(&mut reader), (vec![2, 3, 4], Next::Disabled));
    assert_eq!(read(&mut stream.reader(Place::Latest, false)), (vec![], Next::Disabled));
}

#[test]
fn expired_iterators_are_replaced() {
    let stream = Shared::new(&[with(shard("a", None, 0, None), &[1, 2, 3])]);
    let mut reader = stream.reader(Place::Horizon, false);
    assert_eq!(read(&mut reader).0, [1, 2, 3]);
    stream.change(|stream| {
        stream.failure = Some("ExpiredIteratorException");
        stream.shards[0].records.push((4, 0));
        stream.places.clear();
    });
    assert_eq!(read(&mut reader).0, [4]);
    assert_eq!(stream.0.borrow().places, [Place::After(number(3))]);
}

#[test]
fn an_iterator_may_expire_before_the_first_record() {
    let stream = Shared::new(&[shard("a", None, 0, None)]);
    let mut reader = stream.reader(Place::Latest, false);
    assert!(read(&mut reader).0.is_empty());
    stream.change(|stream| {
        stream.failure = Some("ExpiredIteratorException");
        stream.shards[0].records.push((1, 0));
    });
    assert_eq!(read(&mut reader).0, [1]);
    let places = stream.0.borrow().places.clone();
    assert!(matches!(places.as_slice(), [Place::Latest, Place::At(_)]), "{places:?}");
}

#[test]
fn once_ends_even_if_shards_stay_open() {
    let stream = Shared::new(&[shard("a", None, 0, None), shard("b", None, 0, None)]);
    assert_eq!(read(&mut stream.reader(Place::Horizon, true)), (vec![], Next::Complete));
}

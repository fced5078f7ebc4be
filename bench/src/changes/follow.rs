//! Follows a stream as its readers do: parents before children, each shard from its last
//! checkpoint on, through restarts of the server.

use super::{
    record::{Record, View},
    stage::Stage,
};
use crate::{
    dynamo::{RequestError, ask},
    http::Connection,
    outage::{PATIENCE, Violation},
    random::Random,
};
use serde_json::{Value, json};
use std::{
    collections::{HashMap, HashSet},
    sync::atomic::Ordering,
    thread,
    time::{Duration, Instant},
};

/// A description that takes more pages goes round in circles.
const MOST_PAGES: usize = 10_000;
/// Pages of one shard before others get their turn.
const PAGES_AT_ONCE: usize = 50;

/// A shard and how far it was read.
#[derive(Debug, Clone)]
pub struct Shard {
    /// Its id.
    pub id: String,
    /// The shard before it.
    pub parent: Option<String>,
    /// Where it begins.
    pub first: String,
    /// Where it ends, once it is closed.
    pub last: Option<String>,
    /// The sequence number that was read last.
    checkpoint: Option<String>,
    /// Where to go on, while the server says so.
    iterator: Option<String>,
    /// Whether it was read to its end.
    pub finished: bool,
}

#[cfg(test)]
impl Shard {
    /// A shard of which nothing is left to read.
    pub fn read_to_its_end(
        id: &str,
        parent: Option<&str>,
        first: &str,
        last: Option<&str>,
    ) -> Shard {
        Shard {
            id: id.to_owned(),
            parent: parent.map(str::to_owned),
            first: first.to_owned(),
            last: last.map(str::to_owned),
            checkpoint: None,
            iterator: None,
            finished: true,
        }
    }
}

/// Everything that was read of a stream.
pub struct Follower {
    /// The stream.
    pub arn: String,
    /// What it shows.
    pub view: View,
    /// Its shards, in the order they were found.
    pub shards: Vec<Shard>,
    /// Its records, in the order they were read.
    pub records: Vec<Record>,
    /// How many of them have been checked.
    pub checked: usize,
    random: Random,
}

/// Why a stream could not be followed.
pub enum Stumble {
    /// A request had no success.
    Request(&'static str, Box<RequestError>),
    /// An answer that should not be.
    Wrong(Violation),
}

impl Stumble {
    /// What is wrong, if nobody ends the server.
    pub fn violation(self) -> Violation {
        match self {
            Stumble::Request(what, error) => Violation::misbehaved(format!("{what}: {error}")),
            Stumble::Wrong(violation) => violation,
        }
    }
}

impl Follower {
    /// A stream of which nothing was read.
    pub fn new(arn: &str, view: View, random: Random) -> Follower {
        let (shards, records) = (Vec::new(), Vec::new());
        Follower { arn: arn.to_owned(), view, shards, records, checked: 0, random }
    }

    /// After a restart: iterators may still be good, but a reader that was restarted, too, has none.
    pub fn forget_iterators(&mut self) {
        for shard in &mut self.shards {
            if self.random.percent(70) {
                shard.iterator = None;
            }
        }
    }

    /// Forgets the records, which have all been checked, but the last of each item and of each
    /// shard.
    pub fn forget_records(&mut self) {
        let (mut items, mut shards) = (HashSet::new(), HashSet::new());
        let mut kept: Vec<Record> = std::mem::take(&mut self.records);
        kept.reverse();
        kept.retain(|record| items.insert(record.key) | shards.insert(record.shard));
        kept.reverse();
        self.checked = kept.len();
        self.records = kept;
    }

    /// Reads what there is, once round all shards. Gives how many records that were.
    pub fn step(&mut self, connection: &mut Connection) -> Result<usize, Stumble> {
        self.describe(connection)?;
        let before = self.records.len();
        // A parent that is read to its end sets its children free in the same round.
        for number in 0..self.shards.len() {
            let free = self.shards.get(number).is_some_and(|shard| {
                !shard.finished && shard.parent.as_deref().is_none_or(|id| self.is_finished(id))
            });
            if free {
                self.read_shard(connection, number)?;
            }
        }
        Ok(self.records.len() - before)
    }

    /// Reads until there is nothing more, and all shards that were closed are read to their end.
    pub fn drain(&mut self, connection: &mut Connection) -> Result<(), Stumble> {
        let started = Instant::now();
        while started.elapsed() < PATIENCE {
            let read = self.step(connection)?;
            let waiting = self.shards.iter().any(|shard| !shard.finished && shard.last.is_some());
            if read == 0 && !waiting {
                return Ok(());
            }
        }
        let text = format!("{} has no end after {PATIENCE:?}", self.arn);
        Err(Stumble::Wrong(Violation::misbehaved(text)))
    }

    fn is_finished(&self, id: &str) -> bool {
        self.shards.iter().any(|shard| shard.id == id && shard.finished)
    }

    /// Looks for shards that were opened or closed.
    fn describe(&mut self, connection: &mut Connection) -> Result<(), Stumble> {
        let limit = self.random.between(1, 101);
        let mut request = json!({"StreamArn": self.arn, "Limit": limit});
        let mut found = Vec::new();
        for _ in 0..MOST_PAGES {
            let answer = ask(connection, "DescribeStream", &request.to_string());
            let mut answer = answer.map_err(|error| stumble("DescribeStream", error))?;
            let description = answer.get_mut("StreamDescription").map(Value::take);
            let mut description = description.unwrap_or_default();
            if let Some(Value::Array(shards)) = description.get_mut("Shards") {
                found.append(shards);
            }
            match description.get_mut("LastEvaluatedShardId").map(Value::take) {
                None | Some(Value::Null) => break,
                Some(last) => {
                    if let Some(members) = request.as_object_mut() {
                        members.insert("ExclusiveStartShardId".to_owned(), last);
                    }
                }
            }
        }
        let places: HashMap<String, usize> =
            self.shards.iter().enumerate().map(|(place, s)| (s.id.clone(), place)).collect();
        let mut seen = 0;
        for shard in &found {
            let shard = described(shard).ok_or_else(|| wrong(format!("a shard {shard}")))?;
            let Some(known) = places.get(&shard.id).and_then(|place| self.shards.get_mut(*place))
            else {
                self.shards.push(shard);
                continue;
            };
            seen += 1;
            let same = known.parent == shard.parent && known.first == shard.first;
            if !same || (known.last.is_some() && known.last != shard.last) {
                return Err(wrong(format!("{known:?} became {shard:?}")));
            }
            known.last = shard.last;
        }
        if seen != places.len() {
            let text =
                format!("{} of {} shards of {} are gone", places.len() - seen, seen, self.arn);
            return Err(Stumble::Wrong(Violation::lost(text)));
        }
        Ok(())
    }

    fn read_shard(&mut self, connection: &mut Connection, number: usize) -> Result<(), Stumble> {
        let limit = if self.random.percent(50) { 1000 } else { self.random.spread(1, 300) };
        for _ in 0..PAGES_AT_ONCE {
            let Some(shard) = self.shards.get_mut(number) else { return Ok(()) };
            let iterator = match shard.iterator.take() {
                Some(iterator) => iterator,
                None => first_iterator(connection, &self.arn, shard)?,
            };
            let body = json!({"ShardIterator": iterator, "Limit": limit}).to_string();
            let answer = ask(connection, "GetRecords", &body);
            let answer = answer.map_err(|error| stumble("GetRecords", error))?;
            let records = answer.get("Records").and_then(Value::as_array);
            let records = records.map(Vec::as_slice).unwrap_or_default();
            for record in records {
                let record = Record::read(record, self.view, number).map_err(wrong)?;
                shard.checkpoint = Some(record.sequence.clone());
                self.records.push(record);
            }
            match answer.get("NextShardIterator").and_then(Value::as_str) {
                Some(next) => shard.iterator = Some(next.to_owned()),
                None => {
                    shard.finished = true;
                    return Ok(());
                }
            }
            if records.is_empty() {
                return Ok(());
            }
        }
        Ok(())
    }
}

fn stumble(what: &'static str, error: RequestError) -> Stumble {
    Stumble::Request(what, Box::new(error))
}

fn wrong(text: String) -> Stumble {
    Stumble::Wrong(Violation::inconsistent(text))
}

fn described(shard: &Value) -> Option<Shard> {
    let text = |value: &Value, name: &str| value.get(name)?.as_str().map(str::to_owned);
    let range = shard.get("SequenceNumberRange")?;
    Some(Shard {
        id: text(shard, "ShardId")?,
        parent: text(shard, "ParentShardId"),
        first: text(range, "StartingSequenceNumber")?,
        last: text(range, "EndingSequenceNumber"),
        checkpoint: None,
        iterator: None,
        finished: false,
    })
}

/// An iterator behind the checkpoint, or at the beginning.
fn first_iterator(
    connection: &mut Connection,
    arn: &str,
    shard: &Shard,
) -> Result<String, Stumble> {
    let mut request = json!({"StreamArn": arn, "ShardId": shard.id});
    if let Some(members) = request.as_object_mut() {
        let kind = match &shard.checkpoint {
            Some(number) => {
                members.insert("SequenceNumber".to_owned(), number.as_str().into());
                "AFTER_SEQUENCE_NUMBER"
            }
            None => "TRIM_HORIZON",
        };
        members.insert("ShardIteratorType".to_owned(), kind.into());
    }
    let answer = ask(connection, "GetShardIterator", &request.to_string());
    let answer = answer.map_err(|error| stumble("GetShardIterator", error))?;
    let iterator = answer.get("ShardIterator").and_then(Value::as_str).map(str::to_owned);
    iterator.ok_or_else(|| wrong(format!("no iterator: {answer}")))
}

/// Follows all streams until the connection ends.
pub fn follow(stage: &Stage, followers: &mut Vec<Follower>, random: &mut Random) -> Vec<Violation> {
    let mut connection = match Connection::open(&stage.scene.endpoint, PATIENCE) {
        Ok(connection) => connection,
        Err(error) => {
            let complaint = stage.scene.complaint("connecting", &RequestError::Call(error));
            return complaint.into_iter().map(Violation::misbehaved).collect();
        }
    };
    while !stage.scene.ending.load(Ordering::SeqCst) {
        for (arn, view) in stage.announced() {
            followers.push(Follower::new(&arn, view, Random::new(random.next())));
        }
        for follower in followers.iter_mut() {
            match follower.step(&mut connection) {
                Ok(_) => {}
                Err(Stumble::Request(what, error)) => {
                    let complaint = stage.scene.complaint(what, &error);
                    return complaint.into_iter().map(Violation::misbehaved).collect();
                }
                Err(Stumble::Wrong(violation)) => return vec![violation],
            }
        }
        thread::sleep(Duration::from_millis(random.between(1, 30)));
    }
    Vec::new()
}

//! Records of a stream, read strictly: whatever is not as it should be is told.

use super::table::{Item, Key};
use serde_json::Value;
use std::fmt;

/// What a stream shows of items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// Only keys.
    Keys,
    /// Items after the change.
    New,
    /// Items before the change.
    Old,
    /// Both.
    Both,
}

impl View {
    /// All there are.
    pub const ALL: [View; 4] = [View::Keys, View::New, View::Old, View::Both];

    /// DynamoDB's name.
    pub fn name(self) -> &'static str {
        match self {
            View::Keys => "KEYS_ONLY",
            View::New => "NEW_IMAGE",
            View::Old => "OLD_IMAGE",
            View::Both => "NEW_AND_OLD_IMAGES",
        }
    }

    /// Whether items after the change are shown.
    pub fn shows_new(self) -> bool {
        matches!(self, View::New | View::Both)
    }

    /// Whether items before the change are shown.
    pub fn shows_old(self) -> bool {
        matches!(self, View::Old | View::Both)
    }
}

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    Insert,
    Modify,
    Remove,
}

/// One record.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// The number of its shard in the reading.
    pub shard: usize,
    /// Its id.
    pub id: String,
    /// Its sequence number.
    pub sequence: String,
    /// What happened.
    pub event: Event,
    /// To which item.
    pub key: Key,
    /// The item before, if it is shown.
    pub old: Option<Item>,
    /// The item after, if it is shown.
    pub new: Option<Item>,
    /// Whether the service did it, and not a request.
    pub by_service: bool,
    /// The second of the change.
    pub created: u64,
}

impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let who = if self.by_service { " by the service" } else { "" };
        write!(f, "{:?} of {}{who}, record {}", self.event, self.key, self.sequence)
    }
}

impl Record {
    /// Reads a record of a stream with this view.
    pub fn read(record: &Value, view: View, shard: usize) -> Result<Record, String> {
        parse(record, view, shard).map_err(|what| format!("a record with {what}: {record}"))
    }
}

fn parse(record: &Value, view: View, shard: usize) -> Result<Record, &'static str> {
    let text = |value: &Value, name: &str| value.get(name)?.as_str().map(str::to_owned);
    let body = record.get("dynamodb").ok_or("no body")?;
    let event = match text(record, "eventName").as_deref() {
        Some("INSERT") => Event::Insert,
        Some("MODIFY") => Event::Modify,
        Some("REMOVE") => Event::Remove,
        _ => return Err("an unknown event"),
    };
    if text(record, "eventSource").as_deref() != Some("aws:dynamodb")
        || text(record, "eventVersion").as_deref() != Some("1.1")
    {
        return Err("another source or version");
    }
    if text(body, "StreamViewType").as_deref() != Some(view.name()) {
        return Err("another view");
    }
    let by_service = match record.get("userIdentity") {
        None => false,
        Some(identity)
            if text(identity, "Type").as_deref() == Some("Service")
                && text(identity, "PrincipalId").as_deref() == Some("dynamodb.amazonaws.com") =>
        {
            true
        }
        Some(_) => return Err("another identity"),
    };
    let keys = body.get("Keys").and_then(Value::as_object).ok_or("no keys")?;
    let key = Key::of(keys).ok_or("keys nobody has put")?;
    if *keys != key.item() {
        return Err("more than its keys as keys");
    }
    let image = |name: &str, wanted: bool| match body.get(name) {
        Some(Value::Object(item)) if wanted => {
            if Key::of(item) == Some(key) {
                Ok(Some(item.clone()))
            } else {
                Err("two keys")
            }
        }
        None if !wanted => Ok(None),
        Some(_) => Err("an image it should not have"),
        None => Err("an image missing"),
    };
    Ok(Record {
        shard,
        id: text(record, "eventID").ok_or("no id")?,
        sequence: text(body, "SequenceNumber").ok_or("no sequence number")?,
        event,
        key,
        old: image("OldImage", view.shows_old() && event != Event::Insert)?,
        new: image("NewImage", view.shows_new() && event != Event::Remove)?,
        by_service,
        created: body
            .get("ApproximateCreationDateTime")
            .and_then(Value::as_f64)
            .filter(|seconds| *seconds >= 0.0)
            .map(|seconds| seconds as u64)
            .ok_or("no time")?,
    })
}

/// Sequence numbers compare as numbers.
pub fn is_before(one: &str, other: &str) -> bool {
    let digits = |text: &str| text.trim_start_matches('0').len();
    (digits(one), one.trim_start_matches('0')) < (digits(other), other.trim_start_matches('0'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn good() -> Value {
        json!({
            "eventID": "1f", "eventName": "MODIFY", "eventVersion": "1.1",
            "eventSource": "aws:dynamodb", "awsRegion": "us-east-1",
            "dynamodb": {
                "ApproximateCreationDateTime": 5.0, "SequenceNumber": "100", "SizeBytes": 9,
                "StreamViewType": "NEW_AND_OLD_IMAGES",
                "Keys": Key(7).item(), "OldImage": Key(7).item(), "NewImage": Key(7).item(),
            },
        })
    }

    #[test]
    fn a_record_is_read_and_a_wrong_one_is_told() {
        let record = Record::read(&good(), View::Both, 2).unwrap();
        assert_eq!((record.key, record.event, record.shard), (Key(7), Event::Modify, 2));
        let wrong: [fn(&mut Value); 9] = [
            |record| record["eventName"] = "INSERT".into(),
            |record| record["eventName"] = "OTHER".into(),
            |record| record["userIdentity"] = json!({"Type": "Service"}),
            |record| record["dynamodb"]["StreamViewType"] = "NEW_IMAGE".into(),
            |record| record["dynamodb"]["OldImage"] = Value::Object(Key(8).item()),
            |record| record["dynamodb"]["Keys"]["more"] = json!({"S": "x"}),
            |record| drop(record["dynamodb"].as_object_mut().unwrap().remove("NewImage")),
            |record| drop(record["dynamodb"].as_object_mut().unwrap().remove("Keys")),
            |record| drop(record["dynamodb"].as_object_mut().unwrap().remove("SequenceNumber")),
        ];
        for (number, change) in wrong.into_iter().enumerate() {
            let mut record = good();
            change(&mut record);
            assert!(Record::read(&record, View::Both, 0).is_err(), "{number}");
        }
    }

    #[test]
    fn sequence_numbers_compare_as_numbers() {
        for (one, other, before) in
            [("9", "10", true), ("10", "9", false), ("009", "10", true), ("10", "10", false)]
        {
            assert_eq!(is_before(one, other), before, "{one} {other}");
        }
    }
}

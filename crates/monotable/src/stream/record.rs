//! A record of a stream: the JSON of the Streams API, and what the tail needs to know of it.

use crate::line::{Event, TIME_TO_LIVE};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::cmp::Ordering;

/// A decimal number of up to 40 digits, too many for any integer.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct SequenceNumber(pub(super) String);

impl SequenceNumber {
    fn digits(&self) -> &str {
        self.0.trim_start_matches('0')
    }
}

impl Ord for SequenceNumber {
    fn cmp(&self, other: &SequenceNumber) -> Ordering {
        let (own, others) = (self.digits(), other.digits());
        own.len().cmp(&others.len()).then_with(|| own.cmp(others))
    }
}

impl PartialOrd for SequenceNumber {
    fn partial_cmp(&self, other: &SequenceNumber) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A record.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(try_from = "Value")]
pub(super) struct Record {
    /// As it came.
    pub(super) json: Value,
    pub(super) event: Event,
    /// When it happened, in seconds since 1970.
    pub(super) seconds: u64,
    pub(super) sequence_number: SequenceNumber,
}

/// JSON that is no record.
#[derive(Debug, thiserror::Error)]
#[error("not a record of a stream")]
pub(super) struct NoRecord;

impl TryFrom<Value> for Record {
    type Error = NoRecord;

    fn try_from(json: Value) -> Result<Record, NoRecord> {
        let event = json.get("eventName").and_then(Value::as_str).and_then(Event::named);
        let event = event.ok_or(NoRecord)?;
        let body = json.get("dynamodb").ok_or(NoRecord)?;
        let number = body.get("SequenceNumber").and_then(Value::as_str).ok_or(NoRecord)?;
        let sequence_number = SequenceNumber(number.to_owned());
        let seconds = body.get("ApproximateCreationDateTime").and_then(Value::as_f64);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a time")]
        let seconds = seconds.ok_or(NoRecord)?.max(0.0) as u64;
        Ok(Record { event, seconds, sequence_number, json })
    }
}

impl Record {
    fn map(&self, member: &str) -> Option<&Map<String, Value>> {
        self.json.get("dynamodb")?.get(member)?.as_object()
    }

    /// The item's key.
    pub(super) fn keys(&self) -> Option<&Map<String, Value>> {
        self.map("Keys")
    }

    /// The item before, if the stream shows it.
    pub(super) fn old_image(&self) -> Option<&Map<String, Value>> {
        self.map("OldImage")
    }

    /// The item after, if the stream shows it.
    pub(super) fn new_image(&self) -> Option<&Map<String, Value>> {
        self.map("NewImage")
    }

    /// Whether the item was deleted because its time to live had ended.
    pub(super) fn is_expiry(&self) -> bool {
        let principal = self.json.pointer("/userIdentity/PrincipalId").and_then(Value::as_str);
        principal == Some(TIME_TO_LIVE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn sequence_numbers_are_compared_as_numbers() {
        let number = |text: &str| SequenceNumber(text.to_owned());
        assert!(number("99") < number("100"));
        assert!(number("0099") < number("100"));
        assert!(number(&"9".repeat(39)) < number(&format!("1{}", "0".repeat(39))));
        assert!(number("123") < number("124"));
    }

    #[test]
    fn what_is_no_record_is_not_taken_for_one() {
        let good = json!({"eventName": "MODIFY", "dynamodb": {
            "SequenceNumber": "100000000000000000001", "ApproximateCreationDateTime": 5.0 }});
        let record = Record::try_from(good.clone()).unwrap();
        assert_eq!((record.event, record.seconds), (Event::Modify, 5));
        assert!(!record.is_expiry());
        for member in ["/eventName", "/dynamodb", "/dynamodb/SequenceNumber"] {
            let mut bad = good.clone();
            *bad.pointer_mut(member).unwrap() = Value::Null;
            assert!(Record::try_from(bad).is_err(), "{member}");
        }
    }
}

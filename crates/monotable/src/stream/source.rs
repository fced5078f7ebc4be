//! What the tail asks a server: the shards of a stream, iterators and pages of records. A server
//! that goes away is waited for.

use super::record::{Record, SequenceNumber};
use crate::{
    client::{CallError, Client},
    output,
};
use serde::{
    Deserialize, Serialize,
    de::{DeserializeOwned, IgnoredAny},
};
use serde_json::{Map, json};
use std::{
    io,
    time::{Duration, SystemTime},
};

/// How long to wait for a server that is away, at first and at most.
const FIRST_WAIT: Duration = Duration::from_millis(250);
const LONGEST_WAIT: Duration = Duration::from_secs(2);

/// How often the same call may find the server away: one that answers everything else is not away.
const MOST_OUTAGES: u32 = 10;

/// Why the tail cannot go on.
#[derive(Debug, thiserror::Error)]
pub(super) enum TailError {
    #[error(transparent)]
    Call(#[from] CallError),
    /// Standard output does not take any more; nobody may be there to read it.
    #[error("cannot write: {0}")]
    Output(#[from] io::Error),
    #[error(
        "the table '{table}' has no stream; this enables one:\n  \
         aws dynamodb update-table --table-name {table} --endpoint-url {url} \\\n    \
         --stream-specification StreamEnabled=true,StreamViewType=NEW_AND_OLD_IMAGES"
    )]
    NoStream { table: String, url: String },
    #[error("{arn} is a stream of the table '{found}', not of '{given}'")]
    OtherTable { arn: String, found: String, given: String },
}

/// A place in a shard.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Place {
    /// Before everything that is there.
    Horizon,
    /// Behind everything that is there.
    Latest,
    At(SystemTime),
    After(SequenceNumber),
}

/// A stream, with all of its shards.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Description {
    pub(super) table_name: String,
    pub(super) stream_label: String,
    pub(super) stream_status: String,
    pub(super) stream_view_type: String,
    pub(super) key_schema: Vec<KeyElement>,
    #[serde(default)]
    pub(super) shards: Vec<ShardDescription>,
    last_evaluated_shard_id: Option<String>,
}

/// An attribute of the table's key, the partition key first.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct KeyElement {
    pub(super) attribute_name: String,
}

/// A shard.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct ShardDescription {
    pub(super) shard_id: String,
    pub(super) parent_shard_id: Option<String>,
    pub(super) sequence_number_range: SequenceNumberRange,
}

/// Where a shard begins and, once it is closed, ends.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct SequenceNumberRange {
    pub(super) starting_sequence_number: Option<SequenceNumber>,
    pub(super) ending_sequence_number: Option<SequenceNumber>,
}

/// Some records of a shard.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Page {
    #[serde(default)]
    pub(super) records: Vec<Record>,
    /// None at the end of a closed shard.
    pub(super) next_shard_iterator: Option<String>,
}

/// A stream that can be read.
pub(super) trait Source {
    fn describe(&mut self) -> Result<Description, TailError>;
    fn iterator(&mut self, shard: &str, place: &Place) -> Result<String, TailError>;
    fn page(&mut self, iterator: &str) -> Result<Page, TailError>;
}

/// A stream on a server.
#[derive(Debug)]
pub(super) struct Live {
    client: Client,
    arn: String,
    /// Whether to wait for a server that is away.
    patient: bool,
}

impl Live {
    pub(super) fn new(client: Client, arn: String) -> Live {
        Live { client, arn, patient: false }
    }

    pub(super) fn with_patience(self, patient: bool) -> Live {
        Live { patient, ..self }
    }

    fn call<T: DeserializeOwned>(
        &mut self,
        operation: &str,
        request: &impl Serialize,
    ) -> Result<T, TailError> {
        let mut answer = self.client.call(operation, request);
        for _ in 0..MOST_OUTAGES {
            match answer {
                Err(error) if error.may_pass() => self.wait_out(error)?,
                answer => return Ok(answer?),
            }
            answer = self.client.call(operation, request);
        }
        Ok(answer?)
    }

    /// Waits until the stream is there again. It may be gone for good: the server at this address
    /// need not be the one from before.
    fn wait_out(&mut self, mut error: CallError) -> Result<(), TailError> {
        // The connection may only have been idle for too long.
        if matches!(error, CallError::Connection { .. }) {
            match self.look() {
                Ok(()) => return Ok(()),
                Err(other) => error = other,
            }
        }
        if !self.patient || !error.may_pass() {
            return Err(error.into());
        }
        output::note(&format!("{error}; trying until it answers"));
        let mut wait = FIRST_WAIT;
        loop {
            output::pause(wait)?;
            wait = (wait * 2).min(LONGEST_WAIT);
            match self.look() {
                Err(error) if error.may_pass() => {}
                seen => {
                    seen?;
                    output::note("the server answers again");
                    return Ok(());
                }
            }
        }
    }

    /// Whether the stream is there.
    fn look(&mut self) -> Result<(), CallError> {
        let request = json!({ "StreamArn": self.arn, "Limit": 1 });
        self.client.call("DescribeStream", &request).map(|_: IgnoredAny| ())
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct DescribeAnswer {
    stream_description: Description,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct IteratorAnswer {
    shard_iterator: String,
}

impl Source for Live {
    fn describe(&mut self) -> Result<Description, TailError> {
        let mut request = json!({ "StreamArn": self.arn });
        let answer: DescribeAnswer = self.call("DescribeStream", &request)?;
        let mut whole = answer.stream_description;
        while let Some(last) = whole.last_evaluated_shard_id.take() {
            request = json!({ "StreamArn": self.arn, "ExclusiveStartShardId": last });
            let mut page: DescribeAnswer = self.call("DescribeStream", &request)?;
            whole.shards.append(&mut page.stream_description.shards);
            whole.stream_status = page.stream_description.stream_status;
            whole.last_evaluated_shard_id = page.stream_description.last_evaluated_shard_id;
        }
        Ok(whole)
    }

    fn iterator(&mut self, shard: &str, place: &Place) -> Result<String, TailError> {
        let mut request = Map::new();
        request.insert("StreamArn".to_owned(), json!(self.arn));
        request.insert("ShardId".to_owned(), json!(shard));
        let kind = match place {
            Place::Horizon => "TRIM_HORIZON",
            Place::Latest => "LATEST",
            Place::At(time) => {
                let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
                request.insert("Timestamp".to_owned(), json!(since.as_secs_f64()));
                "AT_TIMESTAMP"
            }
            Place::After(number) => {
                request.insert("SequenceNumber".to_owned(), json!(number.0));
                "AFTER_SEQUENCE_NUMBER"
            }
        };
        request.insert("ShardIteratorType".to_owned(), json!(kind));
        let answer: IteratorAnswer = self.call("GetShardIterator", &request)?;
        Ok(answer.shard_iterator)
    }

    fn page(&mut self, iterator: &str) -> Result<Page, TailError> {
        self.call("GetRecords", &json!({ "ShardIterator": iterator }))
    }
}

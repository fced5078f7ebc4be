//! Streams: what is kept of each, and finding them, also after their table is gone.

use crate::{
    Engine,
    environment::Moment,
    error::EngineError,
    keys::{Key, TableNumber},
    records::entries,
    table::{self, KeySchema, Owner, RecordError, Stream, StreamView, Table},
};
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use store::Write;

/// How long the records of a stream can be read.
pub const STREAM_RETENTION: Duration = Duration::from_secs(24 * 60 * 60);

/// Identifies a stream for ever.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamId {
    /// The number of its table.
    pub table: TableNumber,
    /// Its number within the table.
    pub stream: u32,
}

impl StreamId {
    pub(super) fn key(self) -> Bytes {
        Key::Stream { table: self.table, stream: self.stream }.encode()
    }
}

/// What is kept of a stream.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StreamRecord {
    /// The table's name.
    pub table: String,
    /// Whose the table is.
    pub owner: Owner,
    /// The table's key.
    pub key: KeySchema,
    /// The stream's label.
    pub label: String,
    /// What its records show.
    pub view: StreamView,
    /// When it was enabled.
    pub created: Moment,
    /// When it was disabled, or its table deleted.
    pub ended: Option<Moment>,
}

impl StreamRecord {
    pub(super) fn new(table: &Table, stream: &Stream, ended: Option<Moment>) -> StreamRecord {
        StreamRecord {
            table: table.name.clone(),
            owner: table.owner.clone(),
            key: table.key.clone(),
            label: stream.label.clone(),
            view: stream.view,
            created: Moment::of_label(&stream.label).unwrap_or(table.created),
            ended,
        }
    }

    /// The write that keeps it.
    pub(super) fn put(&self, id: StreamId) -> Result<Write, RecordError> {
        Ok(Write::Put { key: id.key(), value: table::write(self)? })
    }

    /// The ARN.
    pub fn arn(&self) -> String {
        format!("{}/stream/{}", self.owner.table_arn(&self.table), self.label)
    }

    /// Whether nothing of it can be read any more.
    pub fn is_over(&self, now: Moment) -> bool {
        self.ended.is_some_and(|ended| ended.after(STREAM_RETENTION) <= now)
    }
}

impl Engine {
    /// All streams that can be read, in the order of their ARNs.
    pub async fn streams(&self) -> Result<Vec<(StreamId, StreamRecord)>, EngineError> {
        let now = self.now();
        let mut streams = self.all_streams().await?;
        streams.retain(|(_, record)| !record.is_over(now));
        streams.sort_by_cached_key(|(_, record)| record.arn());
        Ok(streams)
    }

    /// Also those that only wait to be swept away.
    pub(super) async fn all_streams(&self) -> Result<Vec<(StreamId, StreamRecord)>, EngineError> {
        let snapshot = self.store.snapshot().await?;
        let mut streams = Vec::new();
        for (key, value) in entries(&*snapshot, Key::streams()).await? {
            if let Some((table, stream)) = Key::stream(&key) {
                streams.push((StreamId { table, stream }, table::read(&value)?));
            }
        }
        Ok(streams)
    }

    /// A stream by its number, while it can be read.
    pub async fn stream(&self, id: StreamId) -> Result<Option<StreamRecord>, EngineError> {
        let snapshot = self.store.snapshot().await?;
        let record = snapshot.get(&id.key()).await?;
        let record: Option<StreamRecord> = record.map(|bytes| table::read(&bytes)).transpose()?;
        Ok(record.filter(|record| !record.is_over(self.now())))
    }

    /// A stream by its ARN, while it can be read.
    pub async fn find_stream(
        &self,
        arn: &str,
    ) -> Result<Option<(StreamId, StreamRecord)>, EngineError> {
        Ok(self.streams().await?.into_iter().find(|(_, record)| record.arn() == arn))
    }
}

//! Reads a segment of a table, a page at a time, and writes its items as lines.

use super::{options::Plan, state::Position};
use crate::{client::Persistent, ending::Ending, files::FileFormat, interrupt::Interrupt};
use archive::{dynamodb_json, plain};
use serde::Deserialize;
use serde_json::{Map, Value as Json, value::RawValue};
use std::sync::mpsc::SyncSender;
use value::Item;

/// A page that was read.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) segment: usize,
    /// The items as they are written.
    pub(super) text: Vec<u8>,
    pub(super) items: u64,
    /// Including those that the filter has left out.
    pub(super) scanned: u64,
    /// How far the segment has been read with it.
    pub(super) position: Position,
}

/// A segment, and how to read it.
pub(super) struct Segment<'p> {
    pub(super) plan: &'p Plan,
    /// The table that is read, which may be a copy.
    pub(super) table: &'p str,
    pub(super) number: usize,
    pub(super) total: usize,
    pub(super) page_limit: Option<u32>,
    pub(super) interrupt: Interrupt,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Answer {
    #[serde(default)]
    items: Vec<Box<RawValue>>,
    #[serde(default)]
    scanned_count: u64,
    last_evaluated_key: Option<Box<RawValue>>,
}

#[derive(Debug, serde::Serialize)]
#[serde(rename_all = "PascalCase")]
struct Request<'r> {
    table_name: &'r str,
    consistent_read: bool,
    segment: usize,
    total_segments: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exclusive_start_key: Option<&'r RawValue>,
    #[serde(flatten)]
    members: &'r Map<String, Json>,
}

impl Segment<'_> {
    /// Reads from a position to the end, or until nobody listens.
    pub(super) fn read(
        &self,
        mut client: Persistent,
        mut position: Position,
        pages: &SyncSender<Result<Page, Ending>>,
    ) {
        while !matches!(position, Position::End) && !self.interrupt.is_heard() {
            let page = self.page(&mut client, &position);
            if let Ok(page) = &page {
                position = page.position.clone();
            }
            let failed = page.is_err();
            if pages.send(page).is_err() || failed {
                return;
            }
        }
    }

    fn page(&self, client: &mut Persistent, position: &Position) -> Result<Page, Ending> {
        let request = Request {
            table_name: self.table,
            consistent_read: true,
            segment: self.number,
            total_segments: self.total,
            limit: self.page_limit,
            exclusive_start_key: match position {
                Position::Behind(key) => Some(key),
                Position::Start | Position::End => None,
            },
            members: &self.plan.members,
        };
        let answer: Answer = client.call("Scan", &request)?;
        Ok(Page {
            segment: self.number,
            text: self.lines(&answer.items)?,
            items: answer.items.len() as u64,
            scanned: answer.scanned_count,
            position: answer.last_evaluated_key.map_or(Position::End, Position::Behind),
        })
    }

    fn lines(&self, items: &[Box<RawValue>]) -> Result<Vec<u8>, Ending> {
        let items = items.iter().map(|json| {
            let line = format!("{{\"Item\":{}}}", json.get());
            dynamodb_json::read_item(line.as_bytes())
                .map_err(|error| Ending::Failed(format!("the server gave an odd item: {error}")))
        });
        match (self.plan.wish.format, &self.plan.wish.columns) {
            (FileFormat::Jsonl, _) => written(items, plain::write_json),
            (FileFormat::Csv, Some(columns)) => {
                let mut table = plain::TableWriter::rows(columns.clone(), Vec::new());
                for item in items {
                    table.write(&item?).map_err(|error| Ending::Failed(error.to_string()))?;
                }
                table.finish().map_err(|error| Ending::Failed(error.to_string()))
            }
            (FileFormat::Csv, None) | (FileFormat::Parquet | FileFormat::DynamodbJson, _) => {
                written(items, dynamodb_json::write_item)
            }
        }
    }
}

fn written(
    items: impl Iterator<Item = Result<Item, Ending>>,
    write: fn(&Item, &mut Vec<u8>),
) -> Result<Vec<u8>, Ending> {
    let mut lines = Vec::new();
    for item in items {
        write(&item?, &mut lines);
    }
    Ok(lines)
}

//! GetRecords.

use super::{
    describe_item_history::{event_name, user_identity},
    get_shard_iterator::trimmed,
};
use crate::{
    description::stream_view,
    error::{ApiError, ErrorKind},
    streams::{Iterator, Start, sequence_number},
    wire::{
        AttributeMap, GetRecordsInput, GetRecordsOutput, Long, Record, StreamRecord as RecordBody,
        Timestamp,
    },
};
use engine::{
    Engine,
    log::{Change, Event, PageLimit, Position, StreamId, StreamRecord, image_size},
    table::StreamView,
};
use value::item_size;
use xxhash_rust::xxh3::xxh3_128;

const MOST_RECORDS: usize = 1000;
const MOST_BYTES: usize = 1 << 20;

pub(crate) async fn get_records(
    engine: &Engine,
    request: GetRecordsInput,
) -> Result<GetRecordsOutput, ApiError> {
    let text = request.shard_iterator.as_deref().unwrap_or_default();
    let (arn, iterator) = Iterator::parse(text, engine.now())?;
    let id = iterator.stream;
    let gone = || {
        let text = "Requested resource not found: Stream or shard of the iterator not found";
        ApiError::new(ErrorKind::ResourceNotFound, text)
    };
    // Numbers are given again in another database, labels are not.
    let record = engine.stream(id).await?.filter(|record| record.arn() == arn).ok_or_else(gone)?;
    let shard = engine.shard(id, iterator.shard).await?.ok_or_else(gone)?;
    let from = iterator.position;
    if iterator.start == Start::Record && from < engine.trim_horizon() {
        return Err(trimmed());
    }
    let limit = request.limit.and_then(|limit| usize::try_from(limit.0).ok());
    let limit = PageLimit { entries: limit.unwrap_or(MOST_RECORDS), bytes: MOST_BYTES };
    let page = engine.read_changes(id, &shard, from, limit).await?;
    let mut records = Vec::with_capacity(page.changes.len());
    let mut bytes = 0;
    let mut cut = None;
    for (position, change) in &page.changes {
        let (shown, size) = shown(id, &record, *position, change)?;
        bytes += size;
        if bytes > MOST_BYTES && !records.is_empty() {
            cut = Some(*position);
            break;
        }
        records.push(shown);
    }
    let more = page.more || cut.is_some();
    let next = cut.or(page.next).map(|position| {
        // What lies before the end of a page that is full may be trimmed before it is read.
        let start = if more { Start::Record } else { Start::Place };
        Iterator { position, start, made: engine.now(), ..iterator }.text(arn)
    });
    Ok(GetRecordsOutput { records: Some(records), next_shard_iterator: next })
}

/// A change as the stream's view shows it, and its size.
fn shown(
    id: StreamId,
    stream: &StreamRecord,
    position: Position,
    change: &Change,
) -> Result<(Record, usize), ApiError> {
    let keys = change.key(stream.key.attributes().map(|attribute| attribute.name.as_str()))?;
    let shows_old = matches!(stream.view, StreamView::OldImage | StreamView::NewAndOldImages);
    let shows_new = matches!(stream.view, StreamView::NewImage | StreamView::NewAndOldImages);
    let old = change.old.clone().filter(|_| shows_old && change.event != Event::Insert);
    let new = change.new.clone().filter(|_| shows_new && change.event != Event::Remove);
    let size = item_size(&keys) + image_size(old.as_ref())? + image_size(new.as_ref())?;
    let named = [id.table.to_be_bytes(), id.stream.to_be_bytes()].concat();
    let event_id = xxh3_128(&[&named, sequence_number(position).as_bytes()].concat());
    let shown = Record {
        aws_region: Some(stream.owner.region.clone()),
        event_id: Some(format!("{event_id:032x}")),
        event_name: Some(event_name(change.event)),
        event_source: Some("aws:dynamodb".to_owned()),
        event_version: Some("1.1".to_owned()),
        user_identity: user_identity(change.actor),
        dynamodb: Some(RecordBody {
            #[expect(clippy::cast_precision_loss, reason = "seconds since 1970 fit a double")]
            approximate_creation_date_time: Some(Timestamp(
                (position.version.millis() / 1000) as f64,
            )),
            keys: Some(AttributeMap::Item(keys)),
            new_image: new.map(AttributeMap::Encoded),
            old_image: old.map(AttributeMap::Encoded),
            sequence_number: Some(sequence_number(position)),
            size_bytes: Some(Long(i64::try_from(size).unwrap_or(i64::MAX))),
            stream_view_type: Some(stream_view(stream.view)),
        }),
    };
    Ok((shown, size))
}

//! DescribeStream.

use crate::{
    description::{key_schema, stream_view, timestamp},
    error::ApiError,
    streams::{find_shard, find_stream, sequence_number, shard_id},
    wire::{
        self, DescribeStreamInput, DescribeStreamOutput, SequenceNumberRange, ShardFilterType,
        StreamDescription, StreamStatus,
    },
};
use engine::{
    Engine,
    log::{Shard, StreamId, StreamRecord},
};

const MOST: usize = 100;

pub(crate) async fn describe_stream(
    engine: &Engine,
    request: DescribeStreamInput,
) -> Result<DescribeStreamOutput, ApiError> {
    let (id, record) = find_stream(engine, request.stream_arn.as_deref()).await?;
    let shards = engine.shards(id).await?;
    let after = match &request.exclusive_start_shard_id {
        Some(start) => Some(find_shard(&shards, id, start)?.number),
        None => None,
    };
    let parent = match &request.shard_filter {
        Some(filter) => parent_wanted(filter)?,
        None => None,
    };
    let limit = request.limit.and_then(|limit| usize::try_from(limit.0).ok()).unwrap_or(MOST);
    let mut wanted = shards.iter().filter(|shard| {
        after.is_none_or(|after| shard.number > after)
            && parent
                .is_none_or(|parent| shard.parent.is_some_and(|own| shard_id(id, own) == parent))
    });
    let page: Vec<_> = wanted.by_ref().take(limit).map(|shard| described(id, shard)).collect();
    let more = wanted.next().is_some();
    let last = page.last().and_then(|shard| shard.shard_id.clone());
    Ok(DescribeStreamOutput {
        stream_description: Some(StreamDescription {
            stream_arn: Some(record.arn()),
            stream_label: Some(record.label.clone()),
            stream_status: Some(status(engine, &record)),
            stream_view_type: Some(stream_view(record.view)),
            creation_request_date_time: Some(timestamp(record.created)),
            key_schema: Some(key_schema(&record.key)),
            table_name: Some(record.table),
            last_evaluated_shard_id: last.filter(|_| more),
            shards: Some(page),
        }),
    })
}

/// The shard whose children are asked for.
fn parent_wanted(filter: &wire::ShardFilter) -> Result<Option<&str>, ApiError> {
    match (&filter.r#type, filter.shard_id.as_deref()) {
        (Some(ShardFilterType::ChildShards), Some(shard)) => Ok(Some(shard)),
        (Some(ShardFilterType::ChildShards), None) => Err(ApiError::validation(
            "ShardId must be specified when ShardFilter Type is CHILD_SHARDS",
        )),
        _ => Ok(None),
    }
}

fn status(engine: &Engine, record: &StreamRecord) -> StreamStatus {
    let now = engine.now();
    let changing = |since| engine.transition_end(since) > now;
    match record.ended {
        Some(ended) if changing(ended) => StreamStatus::Disabling,
        Some(_) => StreamStatus::Disabled,
        None if changing(record.created) => StreamStatus::Enabling,
        None => StreamStatus::Enabled,
    }
}

fn described(id: StreamId, shard: &Shard) -> wire::Shard {
    wire::Shard {
        shard_id: Some(shard_id(id, shard.number)),
        parent_shard_id: shard.parent.map(|parent| shard_id(id, parent)),
        sequence_number_range: Some(SequenceNumberRange {
            starting_sequence_number: Some(sequence_number(shard.opened)),
            ending_sequence_number: shard.closed.map(sequence_number),
        }),
    }
}

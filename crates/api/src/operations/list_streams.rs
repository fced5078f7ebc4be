//! ListStreams.

use crate::{
    error::ApiError,
    streams::check_arn,
    wire::{ListStreamsInput, ListStreamsOutput, Stream},
};
use engine::Engine;

const MOST: usize = 100;

pub(crate) async fn list_streams(
    engine: &Engine,
    request: ListStreamsInput,
) -> Result<ListStreamsOutput, ApiError> {
    if let Some(start) = &request.exclusive_start_stream_arn {
        check_arn(start)?;
    }
    let limit = request.limit.and_then(|limit| usize::try_from(limit.0).ok()).unwrap_or(MOST);
    let mut streams = engine.streams().await?.into_iter().map(|(_, record)| record);
    let mut found = Vec::new();
    let mut more = false;
    for record in &mut streams {
        let arn = record.arn();
        let wanted = request.table_name.as_ref().is_none_or(|table| *table == record.table);
        let behind = request.exclusive_start_stream_arn.as_ref().is_none_or(|start| arn > *start);
        if wanted && behind {
            if found.len() == limit {
                more = true;
                break;
            }
            found.push(Stream {
                stream_arn: Some(arn),
                table_name: Some(record.table),
                stream_label: Some(record.label),
            });
        }
    }
    let last = found.last().and_then(|stream| stream.stream_arn.clone());
    Ok(ListStreamsOutput { last_evaluated_stream_arn: last.filter(|_| more), streams: Some(found) })
}

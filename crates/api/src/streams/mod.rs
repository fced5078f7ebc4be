//! How streams name things: shards, sequence numbers, iterators.

mod iterator;
mod sequence_number;
mod shard_id;

pub(crate) use iterator::{Iterator, Start};
pub(crate) use sequence_number::{parse_sequence_number, sequence_number};
pub(crate) use shard_id::{find_shard, shard_id};

use crate::error::{ApiError, ErrorKind};
use engine::{
    Engine,
    log::{StreamId, StreamRecord},
};

/// The stream an ARN names.
pub(crate) async fn find_stream(
    engine: &Engine,
    arn: Option<&str>,
) -> Result<(StreamId, StreamRecord), ApiError> {
    let arn = arn.unwrap_or_default();
    check_arn(arn)?;
    engine.find_stream(arn).await?.ok_or_else(|| {
        let text = format!("Requested resource not found: Stream: {arn} not found");
        ApiError::new(ErrorKind::ResourceNotFound, text)
    })
}

/// Refuses what cannot be the ARN of a stream.
pub(crate) fn check_arn(arn: &str) -> Result<(), ApiError> {
    let parts: Vec<&str> = arn.splitn(6, ':').collect();
    let resource = match parts.as_slice() {
        ["arn", _, "dynamodb", _, _, resource] => Some(*resource),
        _ => None,
    };
    let stream = resource.and_then(|resource| resource.strip_prefix("table/"));
    match stream.and_then(|stream| stream.split_once("/stream/")) {
        Some((table, label)) if !table.is_empty() && !label.is_empty() => Ok(()),
        _ => Err(ApiError::validation("Invalid StreamArn")),
    }
}

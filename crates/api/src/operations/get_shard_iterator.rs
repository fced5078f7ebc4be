//! GetShardIterator.

use crate::{
    error::{ApiError, ErrorKind},
    streams::{Iterator, Start, find_shard, find_stream, parse_sequence_number},
    wire::{GetShardIteratorInput, GetShardIteratorOutput, ShardIteratorType},
};
use engine::{
    Engine,
    log::{Position, Shard, Version},
};

pub(crate) async fn get_shard_iterator(
    engine: &Engine,
    request: GetShardIteratorInput,
) -> Result<GetShardIteratorOutput, ApiError> {
    check(&request)?;
    let (stream, record) = find_stream(engine, request.stream_arn.as_deref()).await?;
    let shards = engine.shards(stream).await?;
    let shard = find_shard(&shards, stream, request.shard_id.as_deref().unwrap_or_default())?;
    let (position, start) = position(engine, &request, shard).await?;
    let iterator = Iterator { stream, shard: shard.number, position, start, made: engine.now() };
    Ok(GetShardIteratorOutput { shard_iterator: Some(iterator.text(&record.arn())) })
}

/// What can be said against the request without knowing the stream.
fn check(request: &GetShardIteratorInput) -> Result<(), ApiError> {
    use ShardIteratorType::{AfterSequenceNumber, AtSequenceNumber, AtTimestamp};
    let kind = request.shard_iterator_type.as_ref();
    let by_number = matches!(kind, Some(AtSequenceNumber | AfterSequenceNumber));
    let by_time = matches!(kind, Some(AtTimestamp));
    let text = if by_number && request.sequence_number.is_none() {
        "SequenceNumber must be specified for AT_SEQUENCE_NUMBER and AFTER_SEQUENCE_NUMBER"
    } else if !by_number && request.sequence_number.is_some() {
        "SequenceNumber can only be specified for AT_SEQUENCE_NUMBER and AFTER_SEQUENCE_NUMBER"
    } else if by_time && request.timestamp.is_none() {
        "Timestamp must be specified for AT_TIMESTAMP"
    } else if !by_time && request.timestamp.is_some() {
        "Timestamp can only be specified for AT_TIMESTAMP"
    } else {
        return Ok(());
    };
    Err(ApiError::validation(text))
}

async fn position(
    engine: &Engine,
    request: &GetShardIteratorInput,
    shard: &Shard,
) -> Result<(Position, Start), ApiError> {
    let horizon = engine.trim_horizon().max(shard.opened);
    let (position, start) = match &request.shard_iterator_type {
        Some(ShardIteratorType::Latest) => (engine.latest_position().await?, Start::Place),
        Some(ShardIteratorType::AtSequenceNumber) => (given(request, shard)?, Start::Record),
        Some(ShardIteratorType::AfterSequenceNumber) => {
            (given(request, shard)?.next(), Start::Record)
        }
        Some(ShardIteratorType::AtTimestamp) => {
            let seconds = request.timestamp.map_or(0.0, |timestamp| timestamp.0);
            if seconds > engine.now().seconds() {
                return Err(ApiError::validation("Timestamp must not be in the future"));
            }
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a time")]
            let millis = (seconds.max(0.0) * 1000.0) as u64;
            (Position::start(Version::first_at(millis)).max(horizon), Start::Place)
        }
        _ => (horizon, Start::Place),
    };
    if start == Start::Record && position < engine.trim_horizon() {
        return Err(trimmed());
    }
    Ok((position, start))
}

/// The place of the sequence number in the request, which must be in the shard.
fn given(request: &GetShardIteratorInput, shard: &Shard) -> Result<Position, ApiError> {
    let text = request.sequence_number.as_deref().unwrap_or_default();
    let position = parse_sequence_number(text);
    let inside = |position: &Position| {
        *position >= shard.opened && shard.closed.is_none_or(|closed| *position <= closed)
    };
    position
        .filter(inside)
        .ok_or_else(|| ApiError::validation(format!("Invalid SequenceNumber: {text}")))
}

/// What was asked for is too old.
pub(super) fn trimmed() -> ApiError {
    ApiError::new(
        ErrorKind::TrimmedDataAccess,
        "The operation attempted to read past the oldest stream record in a shard",
    )
}

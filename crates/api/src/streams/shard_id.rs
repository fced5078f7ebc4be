//! Shard ids: `shardId-<20 digits>-<8 hex digits>`. The digits are the shard's number, the rest
//! tells the shards of different tables apart.

use crate::error::{ApiError, ErrorKind};
use engine::log::{Shard, StreamId};
use xxhash_rust::xxh3::xxh3_64;

/// The id of a shard of a stream's table.
pub(crate) fn shard_id(stream: StreamId, shard: u32) -> String {
    let named = [stream.table.to_be_bytes(), shard.to_be_bytes()].concat();
    format!("shardId-{shard:020}-{:08x}", xxh3_64(&named) & 0xffff_ffff)
}

/// The shard of that id.
pub(crate) fn find_shard<'a>(
    shards: &'a [Shard],
    stream: StreamId,
    id: &str,
) -> Result<&'a Shard, ApiError> {
    let found = shards.iter().find(|shard| shard_id(stream, shard.number) == id);
    found.ok_or_else(|| {
        let text = format!("Requested resource not found: Shard: {id} not found");
        ApiError::new(ErrorKind::ResourceNotFound, text)
    })
}

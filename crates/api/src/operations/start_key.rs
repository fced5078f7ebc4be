//! `ExclusiveStartKey`, as AWS checks it.

use crate::{error::ApiError, wire::AttributeMap};
use bytes::Bytes;
use engine::pages::{Direction, KeyRange};
use engine::pages::{Source, StartKeyError};
use value::Item;

/// The values of the key, before any table is looked up.
pub(super) fn values(key: Option<AttributeMap>) -> Result<Option<Item>, ApiError> {
    let invalid = |error| ApiError::request(format!("{INVALID}: {error}"));
    key.map(AttributeMap::into_item).transpose().map_err(invalid)
}

const INVALID: &str = "The provided starting key is invalid";

/// What to say of a key with other attributes than a position has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reader {
    Query,
    Scan,
}

/// The stored key that it means.
pub(super) fn stored(
    source: &Source<'_>,
    key: Option<&Item>,
    reader: Reader,
) -> Result<Option<Bytes>, ApiError> {
    let Some(key) = key else { return Ok(None) };
    source.start_key(key).map(Some).map_err(|error| match error {
        StartKeyError::Unmatched if reader == Reader::Query => ApiError::validation(INVALID),
        other => ApiError::validation(format!("{INVALID}: {other}")),
    })
}

/// What is left of a range behind the starting key.
pub(super) fn rest(range: KeyRange, start: Option<&Bytes>, direction: Direction) -> KeyRange {
    match start {
        Some(start) => range.after(start, direction),
        None => range,
    }
}

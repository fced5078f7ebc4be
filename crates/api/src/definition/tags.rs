//! Tags.

use crate::{error::ApiError, wire::Tag};
use std::collections::BTreeMap;

/// The most tags a table can have.
pub(crate) const MOST_TAGS: usize = 50;
/// What AWS says beyond that.
pub(crate) const TOO_MANY_TAGS: &str =
    "Number of Tags exceed the current limit for the provided ResourceArn";

/// The tags of a request, by key.
pub(crate) fn tags(tags: &[Tag]) -> Result<BTreeMap<String, String>, ApiError> {
    let mut by_key = BTreeMap::new();
    for tag in tags {
        let key = tag.key.clone().unwrap_or_default();
        check_key(&key)?;
        let value = tag.value.clone().unwrap_or_default();
        if by_key.insert(key.clone(), value).is_some() {
            return Err(ApiError::validation(format!(
                "Duplicate Tag Keys provided as input: Duplicate Tag Key found {key}"
            )));
        }
    }
    if by_key.len() > MOST_TAGS {
        return Err(ApiError::validation(TOO_MANY_TAGS));
    }
    Ok(by_key)
}

/// The keys of tags to remove.
pub(crate) fn tag_keys(keys: &[String]) -> Result<(), ApiError> {
    keys.iter().try_for_each(|key| check_key(key))
}

/// Letters, digits, blanks and `+-=._:/@`; the prefix `aws:` is AWS's.
fn check_key(key: &str) -> Result<(), ApiError> {
    let allowed = |c: char| c.is_alphanumeric() || c.is_whitespace() || "+-=._:/@".contains(c);
    if key.is_empty() || !key.chars().all(allowed) {
        return Err(ApiError::validation(format!("The Tag Key provided is invalid, Key: {key}")));
    }
    if key.to_ascii_lowercase().starts_with("aws:") {
        return Err(ApiError::validation(format!(
            "Tag Key cannot be prefixed with aws:, Key: {key}"
        )));
    }
    Ok(())
}

//! ListTagsOfResource. A table has at most fifty tags: one page holds them all.

use crate::{
    Caller,
    arn::resource_table,
    error::ApiError,
    wire::{ListTagsOfResourceInput, ListTagsOfResourceOutput, Tag},
};
use engine::Engine;

pub(crate) fn list_tags_of_resource(
    engine: &Engine,
    caller: &Caller,
    request: ListTagsOfResourceInput,
) -> Result<ListTagsOfResourceOutput, ApiError> {
    let arn = request.resource_arn.unwrap_or_default();
    let entry = resource_table(engine, caller, &arn)?;
    let tag = |(key, value): (&String, &String)| Tag {
        key: Some(key.clone()),
        value: Some(value.clone()),
    };
    let tags = entry.table.tags.iter().map(tag).collect();
    Ok(ListTagsOfResourceOutput { tags: Some(tags), next_token: None })
}

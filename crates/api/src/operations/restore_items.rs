//! RestoreItems, an operation of our own: items of a table as they were, into a new table or
//! back into the one they come from, or only to see what that would change.

use super::{
    describe_continuous_backups::no_table,
    restore_table_to_point_in_time::{moment, restore_error},
};
use crate::{
    arn::TableReference,
    error::ApiError,
    restored::{Overrides, restored_table},
    wire::{AttributeMap, RestoreItemsInput, RestoreItemsOutput},
};
use engine::{
    Engine,
    items::{ItemError, PrimaryKey},
    recovery::{Filter, RestoreSource},
    table::Restored,
};
use value::KeyType;

pub(crate) async fn restore_items(
    engine: &Engine,
    request: RestoreItemsInput,
) -> Result<RestoreItemsOutput, ApiError> {
    let reference = TableReference::parse(request.table_name)?;
    let entry = reference.find(engine).map_err(|_| no_table(&reference.name))?;
    let table = &entry.table;
    let keys = match request.keys {
        Some(keys) => {
            let mut found = Vec::with_capacity(keys.len());
            for key in keys {
                let key = AttributeMap::into_item(key)?;
                let key = PrimaryKey::from_key(table, &key).map_err(ItemError::from)?;
                found.push(key.stored());
            }
            Some(found)
        }
        None => None,
    };
    let text_key = table.key.partition.first().is_some_and(|key| key.kind == KeyType::S);
    if request.partition_key_prefix.is_some() && !text_key {
        return Err(ApiError::validation("PartitionKeyPrefix needs a partition key of type S"));
    }
    let filter =
        Filter { prefix: request.partition_key_prefix, condition: request.condition, keys };
    let moment = request.restore_date_time.map_or(engine.now(), moment);
    let preview = request.dry_run.unwrap_or(false);
    let begun = match request.target_table_name.filter(|_| !preview) {
        Some(name) => {
            let restored =
                Restored { backup: None, table: Some(table.arn()), moment, in_progress: true };
            let now = engine.now();
            let target = restored_table(table, name, restored, now, Overrides::default())?;
            let source =
                RestoreSource::Table { name: table.name.clone(), number: table.number, moment };
            engine.restore_into(source, filter, target).await.map(|(number, _)| number)
        }
        None => engine.restore_in_place(&table.name, moment, filter, preview).await,
    };
    let number = begun.map_err(|error| restore_error(error, &table.name))?;
    Ok(RestoreItemsOutput { restore_id: Some(number.to_string()) })
}

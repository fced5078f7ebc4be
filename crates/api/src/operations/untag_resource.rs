//! UntagResource.

use super::change_error;
use crate::{
    Caller,
    arn::{no_resource, resource_table},
    definition::tag_keys,
    error::ApiError,
    wire::UntagResourceInput,
};
use engine::Engine;

pub(crate) async fn untag_resource(
    engine: &Engine,
    caller: &Caller,
    request: UntagResourceInput,
) -> Result<(), ApiError> {
    let arn = request.resource_arn.unwrap_or_default();
    let keys = request.tag_keys.unwrap_or_default();
    if keys.is_empty() {
        return Err(ApiError::validation("Atleast one Tag Key needs to be provided as Input."));
    }
    tag_keys(&keys)?;
    let entry = resource_table(engine, caller, &arn)?;
    engine
        .change_table(&entry.table.name, move |table, _| {
            let mut table = table.clone();
            table.tags.retain(|key, _| !keys.contains(key));
            Ok(table)
        })
        .await
        .map_err(|error| change_error(error, || no_resource(&arn)))?;
    Ok(())
}

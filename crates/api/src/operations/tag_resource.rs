//! TagResource.

use super::change_error;
use crate::{
    Caller,
    arn::{no_resource, resource_table},
    definition::{MOST_TAGS, TOO_MANY_TAGS, tags},
    error::ApiError,
    wire::TagResourceInput,
};
use engine::Engine;

pub(crate) async fn tag_resource(
    engine: &Engine,
    caller: &Caller,
    request: TagResourceInput,
) -> Result<(), ApiError> {
    let arn = request.resource_arn.unwrap_or_default();
    let given = request.tags.unwrap_or_default();
    if given.is_empty() {
        return Err(ApiError::validation("Atleast one Tag needs to be provided as Input."));
    }
    let given = tags(&given)?;
    let entry = resource_table(engine, caller, &arn)?;
    engine
        .change_table(&entry.table.name, move |table, _| {
            let mut table = table.clone();
            table.tags.extend(given.clone());
            if table.tags.len() > MOST_TAGS {
                return Err(ApiError::validation(TOO_MANY_TAGS));
            }
            Ok(table)
        })
        .await
        .map_err(|error| change_error(error, || no_resource(&arn)))?;
    Ok(())
}

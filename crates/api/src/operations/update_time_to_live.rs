//! UpdateTimeToLive.

use super::{change_error, settled};
use crate::{
    arn::TableReference,
    error::ApiError,
    wire::{TimeToLiveSpecification, UpdateTimeToLiveInput, UpdateTimeToLiveOutput},
};
use engine::{
    Engine,
    table::{Table, TimeToLive},
};

pub(crate) async fn update_time_to_live(
    engine: &Engine,
    request: UpdateTimeToLiveInput,
) -> Result<UpdateTimeToLiveOutput, ApiError> {
    let reference = TableReference::parse(request.table_name)?;
    reference.find(engine)?;
    let specification = request.time_to_live_specification.unwrap_or_default();
    let attribute = specification.attribute_name.unwrap_or_default();
    let setting = TimeToLive::new(attribute, specification.enabled.unwrap_or(false));
    let echoed = TimeToLiveSpecification {
        enabled: Some(setting.enabled),
        attribute_name: Some(setting.attribute.clone()),
    };
    engine
        .change_table(&reference.name, move |table, _| set(table, &setting))
        .await
        .map_err(|error| change_error(error, || ApiError::no_table(&reference.name)))?;
    engine.wake();
    Ok(UpdateTimeToLiveOutput { time_to_live_specification: Some(echoed) })
}

fn set(table: &Table, setting: &TimeToLive) -> Result<Table, ApiError> {
    if !table.status.takes_writes() {
        settled(table)?;
    }
    let current = table.time_to_live.as_ref().filter(|current| current.enabled);
    match (current, setting.enabled) {
        (Some(current), _) if current.attribute != setting.attribute => {
            return Err(ApiError::validation(format!(
                "TimeToLive is active on a different AttributeName: current AttributeName is {}",
                current.attribute
            )));
        }
        (Some(_), true) => return Err(ApiError::validation("TimeToLive is already enabled")),
        (None, false) => return Err(ApiError::validation("TimeToLive is already disabled")),
        (Some(_), false) | (None, true) => {}
    }
    Ok(Table { time_to_live: Some(setting.clone()), ..table.clone() })
}

//! DescribeTimeToLive.

use crate::{
    arn::TableReference,
    error::ApiError,
    wire::{
        DescribeTimeToLiveInput, DescribeTimeToLiveOutput, TimeToLiveDescription, TimeToLiveStatus,
    },
};
use engine::{Engine, table::Status};

pub(crate) fn describe_time_to_live(
    engine: &Engine,
    request: DescribeTimeToLiveInput,
) -> Result<DescribeTimeToLiveOutput, ApiError> {
    let entry = TableReference::parse(request.table_name)?.find(engine)?;
    if let Some(Status::Creating { .. }) = entry.table.status.at(engine.now()) {
        return Err(ApiError::validation(
            "Cannot describe time to live while table is in CREATING state: \
             Current table state is CREATING",
        ));
    }
    let enabled = entry.table.expiry();
    let status = match enabled {
        Some(setting) if !setting.complete => TimeToLiveStatus::Enabling,
        Some(_) => TimeToLiveStatus::Enabled,
        None => TimeToLiveStatus::Disabled,
    };
    let description = TimeToLiveDescription {
        time_to_live_status: Some(status),
        attribute_name: enabled.map(|setting| setting.attribute.clone()),
    };
    Ok(DescribeTimeToLiveOutput { time_to_live_description: Some(description) })
}

//! Billing mode, throughput and table class.

use crate::{
    error::ApiError,
    wire::{self, OnDemandThroughput, ProvisionedThroughput, WarmThroughput},
};
use engine::table::{BillingMode, OnDemand, Provisioned, TableClass, Warm};

/// More than anybody can provision.
const MOST_UNITS: i64 = 1_000_000_000_000;

/// The billing mode asked for, or the default.
pub(crate) fn billing_mode(mode: Option<&wire::BillingMode>) -> BillingMode {
    match mode {
        Some(wire::BillingMode::PayPerRequest) => BillingMode::OnDemand,
        _ => BillingMode::Provisioned,
    }
}

/// The throughput of a new table.
pub(crate) fn provisioned(
    mode: BillingMode,
    units: Option<&ProvisionedThroughput>,
) -> Result<Provisioned, ApiError> {
    match (mode, units) {
        (BillingMode::Provisioned, Some(units)) => provisioned_in_bounds(units),
        (BillingMode::Provisioned, None) => Err(ApiError::parameters(
            "ReadCapacityUnits and WriteCapacityUnits must both be specified when BillingMode is \
             PROVISIONED",
        )),
        (BillingMode::OnDemand, Some(_)) => Err(ApiError::parameters(
            "Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode is \
             PAY_PER_REQUEST",
        )),
        (BillingMode::OnDemand, None) => Ok(Provisioned::default()),
    }
}

/// Units that are not absurd.
pub(crate) fn provisioned_in_bounds(
    units: &ProvisionedThroughput,
) -> Result<Provisioned, ApiError> {
    let read = units.read_capacity_units.map_or(0, i64::from);
    let write = units.write_capacity_units.map_or(0, i64::from);
    for (value, name) in [(read, "ReadCapacityUnits"), (write, "WriteCapacityUnits")] {
        if value > MOST_UNITS {
            return Err(ApiError::validation(format!(
                "Given value {value} for {name} is out of bounds"
            )));
        }
    }
    Ok(Provisioned { read, write, ..Provisioned::default() })
}

/// Ceilings for on-demand throughput; -1 takes one away.
pub(crate) fn on_demand(
    ceilings: Option<&OnDemandThroughput>,
    mode: BillingMode,
    of: &str,
) -> Result<Option<OnDemand>, ApiError> {
    let Some(ceilings) = ceilings else { return Ok(None) };
    let ceiling = |value: Option<wire::Long>, name: &str| match value.map(i64::from) {
        None => Ok(None),
        Some(_) if mode == BillingMode::Provisioned => Err(ApiError::validation(format!(
            "{name} for OnDemandThroughput cannot be specified when the table BillingMode is \
             PROVISIONED"
        ))),
        Some(-1) => Ok(None),
        Some(value) if value >= 1 => Ok(Some(value)),
        Some(_) => Err(ApiError::validation(format!(
            "Requested {name} for OnDemandThroughput for {of} is outside of valid range"
        ))),
    };
    let read = ceiling(ceilings.max_read_request_units, "MaxReadRequestUnits")?;
    let write = ceiling(ceilings.max_write_request_units, "MaxWriteRequestUnits")?;
    Ok((read.is_some() || write.is_some()).then_some(OnDemand { read, write }))
}

/// Warm throughput as it was asked for.
pub(crate) fn warm(asked: Option<&WarmThroughput>) -> Option<Warm> {
    let asked = asked?;
    let units = |value: Option<wire::Long>| value.map_or(0, i64::from);
    let (read, write) = (units(asked.read_units_per_second), units(asked.write_units_per_second));
    Some(Warm { read, write })
}

/// The class asked for.
pub(crate) fn table_class(
    class: Option<&wire::TableClass>,
) -> Result<Option<TableClass>, ApiError> {
    match class {
        None => Ok(None),
        Some(wire::TableClass::Standard) => Ok(Some(TableClass::Standard)),
        Some(wire::TableClass::StandardInfrequentAccess) => Ok(Some(TableClass::InfrequentAccess)),
        Some(wire::TableClass::Unknown(_)) => Err(ApiError::validation(
            "Invalid table-class parameter provided. Please try again with a valid table-class \
             value: [STANDARD, STANDARD_INFREQUENT_ACCESS].",
        )),
    }
}

//! DescribeLimits: AWS's default quotas. Nothing here enforces them.

use crate::{
    error::ApiError,
    wire::{DescribeLimitsInput, DescribeLimitsOutput, Long},
};

const ACCOUNT: Long = Long(80_000);
const TABLE: Long = Long(40_000);

pub(crate) fn describe_limits(_: DescribeLimitsInput) -> Result<DescribeLimitsOutput, ApiError> {
    Ok(DescribeLimitsOutput {
        account_max_read_capacity_units: Some(ACCOUNT),
        account_max_write_capacity_units: Some(ACCOUNT),
        table_max_read_capacity_units: Some(TABLE),
        table_max_write_capacity_units: Some(TABLE),
    })
}
